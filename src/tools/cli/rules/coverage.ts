import type { CheckedCondition } from '../../../model/intent.ts';
import { splitList } from '../../../lib/text.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import type { CliIo } from '../cliIo.ts';
import { sourceOf } from '../../../rules/lint/checkSources.ts';
import { testsOf } from '../../../rules/engine.ts';
import { signaturesOf } from './abi/checkAbi.ts';
import { evaluateFacts, testText, type CheckedTest } from './fates.ts';
import { examineTx, type ExaminedTx } from './loadTx.ts';
import { examineExample } from './madeUp.ts';
import { allRecordings, type Recording } from './recordings.ts';
import { openSoundRuleset, rulesetDirs, type SoundRuleset } from './rulesets.ts';

/** Per rule: each single condition, and the results it had. */
type SeenConditions = Map<string, Map<string, Set<boolean>>>;

/**
 * Runs all rules over all recordings and examples, and lists conditions that were never true or
 * never false: nothing tests those. Exit code 1 when `strict` and there are any. Then the events and calls
 * of shapes that no recording has, with what vouches for each.
 */
export async function coverRules(
  named: readonly string[],
  options: { recordings?: readonly string[]; strict: boolean },
  io: CliIo,
): Promise<number> {
  const ruleset = openSoundRuleset(rulesetDirs(named), true);
  const { rulebook } = ruleset;
  const seen: SeenConditions = new Map();
  const wins = new Map<string, number>();
  /** Topics and selectors that primitives come from, each with its shape. */
  const fired = new Set<string>();
  const recordings = allRecordings(options.recordings);
  for (const recording of recordings) {
    const examined = await examineTx(recording, rulebook);
    const { primitives, tx } = examined;
    for (const { shape, evidence } of primitives)
      for (const { log, frame } of evidence) {
        const selector = tx.frames[frame ?? 0]!.input.slice(0, 10);
        fired.add(`${shape} ${log === null ? selector : tx.logs[log]!.topics[0]}`);
      }
    noteOutcomes(seen, examined);
    const slug = examined.reading.explained.verdict.rule?.slug;
    if (slug !== undefined) wins.set(slug, (wins.get(slug) ?? 0) + 1);
  }
  const examples = await coverExamples(ruleset, seen);
  let gaps = 0;
  for (const { slug } of rulebook.intents) {
    const lines = gapsOf(seen.get(slug));
    const sound = lines.length > 0 ? '' : ', every condition seen true and false';
    io.out(`${slug}: headline of ${wins.get(slug) ?? 0} recordings${sound}`);
    for (const line of lines) io.out(`  ${line}`);
    gaps += lines.length;
  }
  io.out(
    `${recordings.length} recordings and ${examples} other examples; ${rulebook.intents.length} ` +
      `rules, ${gaps} condition(s) seen one way only`,
  );
  printShapes(ruleset.shapes, fired, io);
  return options.strict && gaps > 0 ? 1 : 0;
}

function printShapes(shapes: SoundRuleset['shapes'], fired: ReadonlySet<string>, io: CliIo): void {
  const counts = new Map<string, number>();
  for (const item of shapes.filter(({ value }) => value.status !== 'deprecated')) {
    const entries = signaturesOf(item).map((one) => [one.raw.event ?? one.raw.call!, one] as const);
    const { slug } = item.value;
    for (const [text, { raw, signature }] of new Map(entries)) {
      const has = fired.has(`${slug} ${raw.topic0 ?? signature.id}`);
      const source = sourceOf(item.value, raw);
      const why = has ? 'fired' : source ? 'confirmed by a source' : 'unconfirmed';
      counts.set(why, (counts.get(why) ?? 0) + 1);
      const doubt = source ? `confirmed by ${source}` : 'it has no second source';
      if (!has) io.out(`${slug} ${text}: in no recording, ${doubt}`);
    }
  }
  io.out(`events and calls of shapes: ${[...counts].map(([why, n]) => `${n} ${why}`).join(', ')}`);
}

function note(seen: SeenConditions, slug: string, conditions: CheckedCondition): void {
  const mine = seen.get(slug) ?? new Map<string, Set<boolean>>();
  seen.set(slug, mine);
  for (const test of testsOf<CheckedTest>(conditions)) {
    const key = testText(test);
    mine.set(key, (mine.get(key) ?? new Set()).add(test.result));
  }
}

function noteOutcomes(seen: SeenConditions, { reading }: ExaminedTx): void {
  for (const { rule, conditions } of reading.explained.outcomes) note(seen, rule.slug, conditions);
}

/** Runs the examples of every rule that are no recordings; returns their number. */
async function coverExamples(ruleset: SoundRuleset, seen: SeenConditions): Promise<number> {
  const { rulebook, intents, signatureNames } = ruleset;
  let examples = 0;
  for (const { value } of intents) {
    const rule = rulebook.intents.find((r) => r.slug === value.slug)!;
    for (const example of [...(value.examples.match ?? []), ...(value.examples.near_miss ?? [])]) {
      if (example.recording !== undefined) continue;
      if (example.transaction)
        noteOutcomes(seen, (await examineExample(example, rulebook, signatureNames(null))).examined);
      else note(seen, rule.slug, (await evaluateFacts(example, rule, ruleset)).conditions);
      examples += 1;
    }
  }
  return examples;
}

function gapsOf(seen: ReadonlyMap<string, ReadonlySet<boolean>> | undefined): string[] {
  if (seen === undefined) return ['never evaluated'];
  return [...seen].flatMap(([key, results]) => {
    if (!results.has(true)) return `never true:  ${key}`;
    return results.has(false) ? [] : `never false: ${key}`;
  });
}

/**
 * Judges every recording by two rulesets and lists the differences. `other` is one ruleset directory, or
 * several with commas; the left side is a command's default rulesets. Exit code 1 when anything differs.
 */
export async function diffRulesets(
  other: string,
  options: { dirs?: readonly string[]; recordings?: readonly string[] },
  io: CliIo,
): Promise<number> {
  const { rulebook: left } = openSoundRuleset(rulesetDirs(options.dirs));
  const { rulebook: right } = openSoundRuleset(splitList(other));
  io.out(`< ${left.version} ${left.digest}\n> ${right.version} ${right.digest}`);
  const recordings = allRecordings(options.recordings);
  const kinds = new Map<string, number>();
  let changed = 0;
  for (const recording of recordings) {
    const [a, b] = [await judge(recording, left), await judge(recording, right)];
    const keys = (Object.keys(a) as (keyof typeof a)[]).filter((key) => a[key] !== b[key]);
    if (keys.length === 0) continue;
    changed += 1;
    io.out(recording.name);
    for (const key of keys) io.out(`  ${key}: ${a[key]} → ${b[key]}`);
    const change = `${a.kind} → ${b.kind}`;
    if (a.kind !== b.kind) kinds.set(change, (kinds.get(change) ?? 0) + 1);
  }
  for (const [change, count] of [...kinds].sort((x, y) => y[1] - x[1] || (x[0] < y[0] ? -1 : 1)))
    io.out(`${String(count).padStart(6)}  ${change}`);
  io.out(`${changed} of ${recordings.length} verdicts differ`);
  return changed === 0 ? 0 : 1;
}

/** The comparable parts of a verdict, as text. */
async function judge(recording: Recording, rulebook: Rulebook) {
  const { reading, attribution } = await examineTx(recording, rulebook);
  const { verdict } = reading.explained;
  return {
    kind: verdict.kind,
    actor: attribution.actor ?? 'none',
    label: verdict.label,
    rule: verdict.rule ? `${verdict.rule.slug} v${verdict.rule.version}` : 'fallback',
    proof: `${verdict.status} ${verdict.confidence}`,
    fragments: verdict.fragments.map((f) => f.kind).join(', '),
  };
}
