import { PROBLEMS, SECOND_LOOKS } from '../../model/generated/problems.ts';

export { PROBLEMS };

/** Codes of warnings about sound places that deserve a second look: the rules load. */
export const WARNINGS: ReadonlySet<string> = new Set(Object.keys(SECOND_LOOKS));

/** Each with its meaning in `PROBLEMS`, made of `schemas/rules/problems.yaml`. */
export type ProblemCode = keyof typeof PROBLEMS;

/** One complaint. `file` is as shown to people; line and column count from 1. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly code: ProblemCode;
  readonly message: string;
}

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
