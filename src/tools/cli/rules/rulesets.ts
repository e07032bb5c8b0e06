import { SHIPPED_RULES } from '../../../rules/read/listFiles.ts';
import { readRuleset, type Ruleset } from '../../../rules/compile/loadRulebook.ts';
import { formatProblem, PROBLEMS, type Problem } from '../../../rules/read/problems.ts';
import { FACT_VOCABULARY } from '../../../stages/7-intent/facts/registry.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import { directoriesChanged } from '../../../rules/read/watchRulebook.ts';
import type { EditedTexts } from '../../../rules/read/readRuleFiles.ts';
import { splitList } from '../../../lib/text.ts';
import type { CliIo } from '../cliIo.ts';

/** A ruleset without problems. */
export type SoundRuleset = Ruleset & { readonly rulebook: Rulebook };

/** Directories a command works on: those named, else the shipped rules with the overlays of `RULES_DIR`. */
export function rulesetDirs(
  named: readonly string[] = [],
  env: Readonly<Record<string, string | undefined>> = process.env,
): string[] {
  return named.length > 0 ? [...named] : [SHIPPED_RULES, ...splitList(env['RULES_DIR'])];
}

export function openRuleset(
  dirs: readonly string[],
  options: { readonly edits?: EditedTexts; readonly examples?: boolean | string } = {},
): Ruleset {
  return readRuleset(dirs, { facts: FACT_VOCABULARY, now: Date.now() / 1000, ...options });
}

let inForce: { readonly key: string; readonly changed: () => boolean; readonly ruleset: Ruleset } | null =
  null;

/** As `openRuleset`, but the same until a file of the directories changes: for processes that ask often. */
export function openUnchangedRuleset(dirs: readonly string[]): Ruleset {
  const key = dirs.join('\n');
  if (inForce?.key === key && !inForce.changed()) return inForce.ruleset;
  const changed = directoriesChanged(dirs);
  inForce = { key, changed, ruleset: openRuleset(dirs) };
  return inForce.ruleset;
}

/** The ruleset, or null after printing everything that is wrong with it. */
export function openSoundRuleset(
  dirs: readonly string[],
  io: CliIo,
  examples: boolean | string = false,
): SoundRuleset | null {
  const ruleset = openRuleset(dirs, { examples });
  if (ruleset.problems.length === 0) return ruleset as SoundRuleset;
  for (const problem of ruleset.problems) io.err(formatProblem(problem));
  io.err(`${ruleset.problems.length} problem(s): fix these first (txreport rules lint)`);
  return null;
}

const LINT_FORMATS = ['text', 'json', 'github'] as const;
export type LintFormat = (typeof LINT_FORMATS)[number];

/** Prints every problem of the rulesets; `rules test` reads the files of examples. Exit code 1 when there is any. */
export function lintRules(named: readonly string[], options: { format: LintFormat }, io: CliIo): number {
  const dirs = rulesetDirs(named);
  const { problems, shapes, protocols, entities, intents, version, digest } = openRuleset(dirs);
  if (options.format === 'json') io.out(JSON.stringify({ problems }, null, 2));
  else
    for (const problem of problems)
      io.out(options.format === 'github' ? annotation(problem) : formatProblem(problem));
  if (options.format !== 'text') return problems.length === 0 ? 0 : 1;
  const counts =
    `${shapes.length} shapes, ${protocols.length} protocols, ${entities.length} entity files, ` +
    `${intents.length} intent rules`;
  const isSound = problems.length === 0;
  if (isSound) io.out(`ok: ${counts}; version ${version}, ${digest()}`);
  else
    io.err(
      `${problems.length} problem(s) in ${dirs.join(', ')}; what each code means: txreport ` +
        'rules lint --codes',
    );
  return isSound ? 0 : 1;
}

/** Prints the meaning of every code. */
export function listCodes(io: CliIo): number {
  for (const [code, meaning] of Object.entries(PROBLEMS)) io.out(`${code.padEnd(32)}${meaning}`);
  return 0;
}

/** Workflow command that shows the problem beside the line in a pull request. */
function annotation(p: Problem): string {
  const escape = (text: string): string =>
    text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const property = (text: string): string => escape(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
  return (
    '::error ' +
    `file=${property(p.file)},line=${p.line},col=${p.column},title=${p.code}::` +
    `${escape(p.message)}`
  );
}
