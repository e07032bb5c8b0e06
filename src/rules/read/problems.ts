import { readFileSync } from 'node:fs';
import { lazy } from '../../lib/lazy.ts';
import type { Problem as StatedProblem, SecondLook } from '../../model/generated/problem.ts';

/** One complaint, as `schemas/problem.schema.json` describes it. */
export type Problem = Readonly<StatedProblem>;
export type ProblemCode = Problem['code'];

const WARNINGS: ReadonlySet<ProblemCode> = new Set<SecondLook>([
  'weak_proof',
  'weak_example',
  'shared_event',
  'shared_maker',
  'leg_direction',
  'odd_supersedes',
]);
/** Whether the rules load in spite of the problem. */
export const isWarning = ({ code }: Pick<Problem, 'code'>): boolean => WARNINGS.has(code);

const SCHEMA = new URL('../../../schemas/problem.schema.json', import.meta.url);

/** Every code with its meaning: the reference for authors. A test has one bad file per code. */
export const problemMeanings = lazy((): Readonly<Record<ProblemCode, string>> => {
  type Codes = { readonly oneOf: readonly { readonly const: ProblemCode; readonly description: string }[] };
  const { $defs } = JSON.parse(readFileSync(SCHEMA, 'utf8')) as { readonly $defs: Record<string, Codes> };
  const codes = Object.values($defs).flatMap(({ oneOf }) => oneOf);
  return Object.fromEntries(codes.map((one) => [one.const, one.description])) as Record<ProblemCode, string>;
});

export function formatProblem(p: Problem): string {
  return `${p.file}:${p.line}:${p.column} ${p.code}: ${p.message}`;
}

/** All that is wrong with a ruleset, at once: authors fix a list, not a first error. */
export class RulebookError extends Error {
  constructor(readonly problems: readonly Problem[]) {
    const shown = problems.slice(0, 50).map(formatProblem);
    if (problems.length > shown.length) shown.push(`… and ${problems.length - shown.length} more`);
    super(`the ruleset has ${problems.length} problem(s)\n${shown.join('\n')}`);
    this.name = 'RulebookError';
  }
}

/** Stable order: by file, place, code and text, never by the order in which checks ran. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  const sorted = [...problems].sort(
    (a, b) =>
      order(a.file, b.file) ||
      a.line - b.line ||
      a.column - b.column ||
      order(a.code, b.code) ||
      order(a.message, b.message),
  );
  return sorted.filter((p, i) => i === 0 || formatProblem(p) !== formatProblem(sorted[i - 1]!));
}
