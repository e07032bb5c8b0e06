import { SHIPPED_RULES } from '../../../rules/read/shippedRules.ts';
import { readRuleset, type Ruleset } from '../../../rules/compile/loadRulebook.ts';
import { formatProblem } from '../../../rules/read/problems.ts';
import { FACT_VOCABULARY } from '../../../stages/7-intent/facts/registry.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import type { CliIo } from './cliIo.ts';

/** A ruleset without problems. */
export type SoundRuleset = Ruleset & { readonly rulebook: Rulebook };

/** Directories a command works on: those named, else the shipped rules with the overlays of `RULES_DIR`. */
export function rulesetDirs(
  named: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): string[] {
  if (named.length > 0) return [...named];
  const overlays = (env['RULES_DIR'] ?? '')
    .split(',')
    .map((dir) => dir.trim())
    .filter((dir) => dir !== '');
  return [SHIPPED_RULES, ...overlays];
}

export function openRuleset(dirs: readonly string[]): Ruleset {
  return readRuleset(dirs, { facts: FACT_VOCABULARY });
}

/** The ruleset, or null after printing everything that is wrong with it. */
export function openSoundRuleset(dirs: readonly string[], io: CliIo): SoundRuleset | null {
  const ruleset = openRuleset(dirs);
  if (ruleset.rulebook !== null) return ruleset as SoundRuleset;
  for (const problem of ruleset.problems) io.err(formatProblem(problem));
  io.err(`${ruleset.problems.length} problem(s): mend these first (txreport rules lint)`);
  return null;
}
