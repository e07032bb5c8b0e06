import { SHIPPED_RULES } from '../../../rules/read/listFiles.ts';
import { readRuleset, type Ruleset } from '../../../rules/compile/loadRulebook.ts';
import { formatProblem, isWarning, problemMeanings, type Problem } from '../../../rules/read/problems.ts';
import { FACT_VOCABULARY } from '../../../stages/7-intent/facts/registry.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import { directoriesChanged } from '../../../rules/read/watchRulebook.ts';
import type { EditedTexts } from '../../../rules/read/readRuleFiles.ts';
import { counted, splitList } from '../../../lib/text.ts';
import { CliError, type CliIo } from '../cliIo.ts';

/** A ruleset without problems. */
export type SoundRuleset = Ruleset & { readonly rulebook: Rulebook };

/** Directories a command works on: those named, else the shipped rules with the overlays of `RULES_DIR`. */
export const rulesetDirs = (named: readonly string[] = []): string[] =>
  named.length > 0 ? [...named] : [SHIPPED_RULES, ...splitList(process.env['RULES_DIR'])];

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

/** @throws CliError that lists everything wrong with the ruleset */
export function openSoundRuleset(dirs: readonly string[], examples: boolean | string = false): SoundRuleset {
  const ruleset = openRuleset(dirs, { examples });
  const { problems } = ruleset;
  if (problems.length === 0) return ruleset as SoundRuleset;
  const advice = `${problems.length} problem(s): fix these first (txreport rules lint)`;
  throw new CliError([...problems.map(formatProblem), advice].join('\n'));
}

interface LintOptions {
  readonly format: 'text' | 'json' | 'github';
  /** Only prints the meaning of every code. */
  readonly codes?: boolean;
  /** File or folder with the ABI to compare signatures with. */
  readonly abi?: string;
  /** Ask the node of RPC_URL about the protocols' contracts. */
  readonly node?: boolean;
}

/** Prints every problem of the rulesets, with status 1 where there is any; `rules test` reads examples. */
export async function lintRules(named: readonly string[], options: LintOptions, io: CliIo): Promise<number> {
  const { format, codes } = options;
  if (codes) {
    for (const [code, meaning] of Object.entries(problemMeanings())) io.out(`${code.padEnd(32)}${meaning}`);
    return 0;
  }
  const dirs = rulesetDirs(named);
  const ruleset = openRuleset(dirs);
  const outside = await checkOutside(ruleset, options);
  const problems = [...ruleset.problems, ...outside.problems];
  printProblems(problems, ruleset.warnings, { format, io });
  const isSound = problems.length === 0;
  if (format !== 'text') return isSound ? 0 : 1;
  for (const line of outside.notes) io.out(line);
  const { shapes, protocols, entities, intents, version, digest } = ruleset;
  if (isSound)
    io.out(
      `ok: ${shapes.length} shapes, ${protocols.length} protocols, ${entities.length} entity files, ` +
        `${intents.length} intent rules; version ${version}, ${digest()}`,
    );
  else
    io.err(
      `${problems.length} problem(s) in ${dirs.join(', ')}; meaning of a code: txreport rules lint --codes`,
    );
  return isSound ? 0 : 1;
}

function printProblems(
  problems: readonly Problem[],
  warnings: readonly Problem[],
  { format, io }: Pick<LintOptions, 'format'> & { readonly io: CliIo },
): void {
  if (format === 'json') io.out(JSON.stringify({ problems, warnings }, null, 2));
  else if (format === 'github') for (const one of [...problems, ...warnings]) io.out(annotation(one));
  else {
    for (const one of problems) io.out(formatProblem(one));
    for (const one of warnings) io.err(`warning: ${formatProblem(one)}`);
  }
}

/** Problems that an ABI and the node show in sound rules, and lines on the comparison with the ABI. */
async function checkOutside(ruleset: Ruleset, { abi, node }: LintOptions) {
  if (ruleset.problems.length > 0) return { problems: [], notes: [] };
  const problems = node ? await (await import('./abi/checkNode.ts')).checkNode(ruleset) : [];
  if (abi === undefined) return { problems, notes: [] };
  const { checkAbi } = await import('./abi/checkAbi.ts');
  const { readAbi } = await import('./abi/checkAbi.ts');
  const compared = checkAbi(ruleset, readAbi(abi));
  const left = compared.unmapped.map((text) => `not mapped: ${text}`);
  return {
    problems: [...problems, ...compared.problems],
    notes: [`compared with the ABI: ${counted(compared.count, 'signature')}`, ...left],
  };
}

/** Workflow command that shows the problem beside the line in a pull request. */
function annotation(p: Problem): string {
  const escape = (text: string): string => text.replace(/[%\r\n]/g, encodeURIComponent);
  const property = (text: string): string => escape(text).replace(/[:,]/g, encodeURIComponent);
  const place = `file=${property(p.file)},line=${p.line},col=${p.column}`;
  return `::${isWarning(p) ? 'warning' : 'error'} ${place},title=${p.code}::${escape(p.message)}`;
}
