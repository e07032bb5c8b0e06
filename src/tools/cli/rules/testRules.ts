import { writeFileSync } from 'node:fs';
import { defaultFact } from '../../../rules/compile/facts.ts';
import type { RawExample, RawIntent } from '../../../rules/read/rawRules.ts';
import type { RuleItem } from '../../../rules/compile/ruleItem.ts';
import { evaluate, factNames } from '../../../stages/7-intent/engine.ts';
import type { IntentRule } from '../../../model/rulebook.ts';
import { CliError, type CliIo } from './cliIo.ts';
import { blockers } from './conditionLines.ts';
import { junitXml } from './junit.ts';
import { findRecording } from './recordings.ts';
import { openSoundRuleset, rulesetDirs, type SoundRuleset } from './rulesets.ts';

export interface ExampleResult {
  readonly rule: string;
  readonly name: string;
  readonly place: string;
  readonly side: 'match' | 'near_miss';
  /** Null when the example came out as it should. */
  readonly failure: string | null;
  readonly seconds: number;
}

/** Runs the examples beside the rules. Exit code 1 when one fails, or when there are none. */
export async function testRules(
  named: readonly string[],
  options: { junit?: string; rule?: string; recordings?: readonly string[] },
  io: CliIo,
): Promise<number> {
  const ruleset = openSoundRuleset(rulesetDirs(named), io);
  if (ruleset === null) return 1;
  const results: ExampleResult[] = [];
  for (const item of ruleset.intents) {
    if (options.rule !== undefined && options.rule !== item.value.slug) continue;
    const rule = ruleset.rulebook.intents.find((r) => r.slug === item.value.slug)!;
    for (const side of ['match', 'near_miss'] as const) {
      for (const [i, example] of (item.value.examples[side] ?? []).entries()) {
        results.push(await runExample(ruleset, item, rule, side, i, example, options.recordings ?? []));
      }
    }
  }
  if (options.junit !== undefined) writeFileSync(options.junit, junitXml('txreport rules', results));
  const failed = results.filter((r) => r.failure !== null);
  for (const r of failed)
    io.out(`FAIL ${r.place} ${r.rule} ${r.side} ${r.name}\n     ${r.failure!.replaceAll('\n', '\n     ')}`);
  const rules = new Set(results.map((r) => r.rule)).size;
  io.out(
    `${results.length - failed.length} of ${results.length} examples of ${rules} rules came out as they should`,
  );
  if (results.length === 0)
    io.err(options.rule ? `there is no rule ${options.rule}` : 'there are no examples: nothing was tested');
  return failed.length === 0 && results.length > 0 ? 0 : 1;
}

async function runExample(
  ruleset: SoundRuleset,
  item: RuleItem<RawIntent>,
  rule: IntentRule,
  side: 'match' | 'near_miss',
  index: number,
  example: RawExample,
  recordings: readonly string[],
): Promise<ExampleResult> {
  const started = performance.now();
  const { line, column } = item.file.locate(`${item.pointer}/examples/${side}/${index}`);
  let failure: string | null;
  try {
    failure =
      example.recording === undefined
        ? await tryFacts(ruleset, rule, side, example)
        : await tryRecording(ruleset, rule, side, example, recordings);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    failure = error.message;
  }
  return {
    rule: rule.slug,
    side,
    failure,
    name: example.name ?? example.recording ?? `#${index + 1}`,
    place: `${item.file.shownPath}:${line}:${column}`,
    seconds: (performance.now() - started) / 1000,
  };
}

async function tryFacts(
  ruleset: SoundRuleset,
  rule: IntentRule,
  side: 'match' | 'near_miss',
  example: RawExample,
): Promise<string | null> {
  const facts = new Map(
    [...factNames(rule.when)].map((name) => [name, defaultFact(ruleset.facts!.get(name)!)]),
  );
  const unasked = Object.keys(example.facts ?? {}).filter((name) => !facts.has(name));
  for (const [name, value] of Object.entries(example.facts ?? {})) facts.set(name, value as string);
  const [outcome] = await evaluate([rule], facts);
  if (outcome!.matched === (side === 'match')) return null;
  if (side === 'near_miss')
    return `matches, though it should not${unasked.length > 0 ? `; the rule never asks for ${unasked.join(', ')}` : ''}`;
  return blockers(outcome!.conditions).join('\n');
}

/** On a recording a match must also win: an author cares for the verdict, not for the condition alone. */
async function tryRecording(
  ruleset: SoundRuleset,
  rule: IntentRule,
  side: 'match' | 'near_miss',
  example: RawExample,
  places: readonly string[],
): Promise<string | null> {
  // Only here, so that rules with fact examples are tested without loading the whole pipeline.
  const { examineTx } = await import('./examineTx.ts');
  const examined = await examineTx(
    findRecording(example.recording!, places),
    ruleset.rulebook,
    example.actor?.toLowerCase(),
  );
  const { verdict, outcomes } = examined.subject.explained;
  const outcome = outcomes.find((o) => o.rule.slug === rule.slug);
  if (side === 'near_miss')
    return outcome?.matched
      ? `matches, though it should not (headline: ${verdict.kind} by ${verdict.rule?.slug ?? 'fallback'})`
      : null;
  if (verdict.rule?.slug === rule.slug) return null;
  if (outcome === undefined) return `skipped: the transaction has none of ${rule.requiresAny.join(', ')}`;
  return outcome.matched
    ? `matches, but ${verdict.rule?.slug ?? 'fallback'} (${verdict.kind}) outranks it`
    : blockers(outcome.conditions).join('\n');
}
