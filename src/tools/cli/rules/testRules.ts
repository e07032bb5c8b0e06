import { writeFileSync } from 'node:fs';
import type {
  RawExample,
  RawExamples,
  RawFinding,
  RawFindingExample,
  RawIntent,
  RawShape,
} from '../../../model/generated/rules.ts';
import type { RuleItem } from '../../../rules/compile/ruleItem.ts';
import { factNames } from '../../../rules/engine.ts';
import type { IntentRule } from '../../../model/rulebook.ts';
import { didYouMean } from '../../../rules/compile/didYouMean.ts';
import { CliError, type CliIo } from '../cliIo.ts';
import { blockers } from './conditionLines.ts';
import { evaluateFacts } from './evaluateFacts.ts';
import { fateOf } from './fates.ts';
import type { ExaminedTx } from './loadTx.ts';
import { findRecording, recordingPlaces } from './recordings.ts';
import { openSoundRuleset, rulesetDirs, type SoundRuleset } from './rulesets.ts';

interface ExampleResult {
  readonly rule: string;
  readonly name: string;
  readonly place: string;
  readonly side: Case['side'];
  /** Null when the example passed. */
  readonly failure: string | null;
  readonly seconds: number;
}

/** One example of a rule or shape, with the inputs to run it. */
interface Case {
  readonly ruleset: SoundRuleset;
  readonly item: RuleItem<RawIntent> | RuleItem<RawShape> | RuleItem<RawFinding> | RuleItem<RawExamples>;
  /** Set for an example of several transactions. */
  readonly finding?: RawFindingExample;
  /** Null for a shape's example. */
  readonly rule: IntentRule | null;
  readonly side: 'match' | 'near_miss' | 'shape';
  /** Inside the item. */
  readonly pointer: string;
  readonly index: number;
  readonly example: RawExample;
  /** Where recordings are looked up. */
  readonly recordings: readonly string[];
}

function* casesOf(
  ruleset: SoundRuleset,
  options: {
    readonly rule?: string;
    readonly recordings?: readonly string[];
    readonly dirs: readonly string[];
  },
): Generator<Case> {
  const recordings = recordingPlaces(options.recordings, options.dirs);
  const wanted = (item: Case['item']): boolean => (options.rule ?? slugOf(item)) === slugOf(item);
  for (const item of ruleset.intents.filter(wanted)) {
    const rule = ruleset.rulebook.intents.find((r) => r.slug === item.value.slug)!;
    for (const side of ['match', 'near_miss'] as const)
      for (const place of placesOf(item.value.examples[side], `/examples/${side}`))
        yield { ruleset, item, rule, side, recordings, ...place };
  }
  for (const item of ruleset.shapes.filter(wanted))
    for (const place of placesOf(item.value.examples, '/examples'))
      yield { ruleset, item, rule: null, side: 'shape', recordings, ...place };
  for (const item of ruleset.findings.filter(wanted))
    for (const side of ['match', 'near_miss'] as const)
      for (const [index, finding] of (item.value.examples[side] ?? []).entries()) {
        const example = finding.name === undefined ? {} : { name: finding.name };
        const pointer = `/examples/${side}/${index}`;
        yield { ruleset, item, rule: null, side, recordings, index, pointer, example, finding };
      }
  for (const item of ruleset.examples.filter(wanted))
    for (const place of placesOf(item.value.examples, '/examples'))
      yield { ruleset, item, rule: null, side: 'shape', recordings, ...place };
}

function slugOf({ value }: Case['item']): string {
  return 'shape' in value ? value.shape : value.slug;
}

function placesOf(examples: readonly RawExample[] = [], at: string) {
  return examples.map((example, index) => ({ example, index, pointer: `${at}/${index}` }));
}

/** Runs the examples stored with the rules. Exit code 1 when one fails, or when there are none. */
export async function testRules(
  named: readonly string[],
  options: { junit?: string; rule?: string; recordings?: readonly string[] },
  io: CliIo,
): Promise<number> {
  const dirs = rulesetDirs(named);
  const ruleset = openSoundRuleset(dirs, io, options.rule ?? true);
  if (ruleset === null) return 1;
  const results: ExampleResult[] = [];
  for (const one of casesOf(ruleset, { ...options, dirs })) results.push(await runExample(one));
  if (options.junit !== undefined) writeFileSync(options.junit, junitXml('txreport rules', results));
  const failed = results.filter((r) => r.failure !== null);
  for (const r of failed)
    io.out(`FAIL ${r.place} ${r.rule} ${r.side} ${r.name}\n     ${r.failure!.replaceAll('\n', '\n     ')}`);
  const rules = new Set(results.map((r) => r.rule)).size;
  io.out(`${results.length - failed.length} of ${results.length} examples of ${rules} rules passed`);
  if (results.length === 0)
    io.err(
      options.rule
        ? noRule(
            options.rule,
            [...ruleset.intents, ...ruleset.shapes, ...ruleset.findings].map((i) => i.value.slug),
          )
        : 'there are no examples: nothing was tested',
    );
  return failed.length === 0 && results.length > 0 ? 0 : 1;
}

function noRule(slug: string, known: readonly string[]): string {
  return known.includes(slug) ? `${slug} has no examples` : `there is no rule ${didYouMean(slug, known)}`;
}

async function runExample(one: Case): Promise<ExampleResult> {
  const { item, side, index, example } = one;
  const started = performance.now();
  const { line, column } = item.file.locate(`${item.pointer}${one.pointer}`);
  let failure: string | null;
  try {
    failure = await tryExample(one);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    failure = error.message;
  }
  return {
    rule: slugOf(item),
    side,
    failure,
    name: example.name ?? example.recording ?? `#${index + 1}`,
    place: `${item.file.shownPath}:${line}:${column}`,
    seconds: (performance.now() - started) / 1000,
  };
}

async function tryExample(one: Case): Promise<string | null> {
  const { rule, example } = one;
  if (one.finding !== undefined && one.side !== 'shape') {
    const { findingFailure } = await import('./findingExamples.ts');
    return findingFailure(one.finding, one.side, slugOf(one.item), one.ruleset.rulebook);
  }
  if (example.transaction !== undefined) return tryMadeUp(one);
  if (rule === null) return 'an example of a shape is a transaction';
  return example.recording === undefined ? tryFacts(one, rule) : tryRecording(one, rule);
}

/** A made-up transaction: a match must also win, and all that is expected must come out. */
async function tryMadeUp({ ruleset, rule, side, example, item }: Case): Promise<string | null> {
  const { examineExample, surprises } = await import('./madeUp.ts');
  const shape = rule === null ? slugOf(item) : null;
  const find = ruleset.signatureNames(shape);
  const madeUp = await examineExample(example, ruleset.rulebook, find);
  const verdict = rule && side !== 'shape' ? verdictFailure(madeUp.examined, rule, side) : null;
  const found = await surprises(madeUp, example.expect ?? {}, ruleset.rulebook, shape);
  const twin = shape === null || !expectsMotif(example) ? [] : await tryForged(example, ruleset, shape);
  const lines = [...(verdict === null ? [] : [verdict]), ...found, ...twin];
  return lines.length === 0 ? null : lines.join('\n');
}

const expectsMotif = ({ expect }: RawExample): boolean => (expect?.motifs ?? []).length > 0;

/** The example's forged twin: nothing in it may be Proven. */
async function tryForged(example: RawExample, ruleset: SoundRuleset, shape: string): Promise<string[]> {
  const { believed, examineExample, forgedTwin } = await import('./madeUp.ts');
  const find = ruleset.signatureNames(shape);
  return believed(await examineExample(forgedTwin(example), ruleset.rulebook, find), shape);
}

async function tryFacts({ ruleset, side, example }: Case, rule: IntentRule): Promise<string | null> {
  const used = factNames(rule.when);
  const unused = Object.keys(example.facts ?? {}).filter((name) => !used.has(name));
  const outcome = await evaluateFacts(example, rule, ruleset);
  if (outcome.matched === (side === 'match')) return null;
  if (side === 'near_miss')
    return (
      'matches, though it should ' +
      `not${unused.length > 0 ? `; the rule does not use ${unused.join(', ')}` : ''}`
    );
  return blockers(outcome.conditions).join('\n');
}

/** On a recording a rule must also win: authors care about the verdict, not only the condition. */
async function tryRecording(
  { ruleset, side, example, recordings }: Case,
  rule: IntentRule,
): Promise<string | null> {
  // Imported here so that fact examples run without loading the whole pipeline.
  const { examineTx } = await import('./loadTx.ts');
  const examined = await examineTx(
    findRecording(example.recording!, recordings),
    ruleset.rulebook,
    example.actor?.toLowerCase(),
  );
  return verdictFailure(examined, rule, side === 'near_miss' ? side : 'match');
}

function verdictFailure(
  { reading }: ExaminedTx,
  rule: IntentRule,
  side: 'match' | 'near_miss',
): string | null {
  const { verdict } = reading.explained;
  const { fate, why } = fateOf(rule, reading);
  if (side === 'near_miss')
    return fate === 'wins' || fate === 'outranked'
      ? `matches, though it should not (headline: ${verdict.kind} by ${verdict.rule?.slug ?? 'fallback'})`
      : null;
  if (fate === 'wins') return null;
  return `${{ outranked: 'matches, but ', skipped: 'skipped: ', does_not_match: '' }[fate]}${why.join('\n')}`;
}

/** JUnit XML: one suite per rule, one case per example. */
function junitXml(name: string, results: readonly ExampleResult[]): string {
  const rules = [...new Set(results.map((r) => r.rule))];
  const suites = rules.map((rule) => {
    const mine = results.filter((r) => r.rule === rule);
    const failures = mine.filter((r) => r.failure !== null).length;
    const cases = mine.map((r) => {
      const head =
        `    <testcase classname="${attribute(rule)}" name="${attribute(`${r.side} ${r.name}`)}" ` +
        `file="${attribute(r.place)}" time="${r.seconds.toFixed(4)}"`;
      return r.failure === null
        ? `${head}/>`
        : `${head}>\n      <failure ` +
            `message="${attribute(r.failure.split('\n')[0]!)}">${attribute(r.failure)}</failure>\n ` +
            '   </testcase>';
    });
    return (
      `  <testsuite name="${attribute(rule)}" tests="${mine.length}" ` +
      `failures="${failures}">\n${cases.join('\n')}\n  </testsuite>`
    );
  });
  const failed = results.filter((r) => r.failure !== null).length;
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${attribute(name)}" ` +
    `tests="${results.length}" failures="${failed}">\n${suites.join('\n')}\n</testsuites>\n`
  );
}

function attribute(text: string): string {
  return (
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      // XML 1.0 has no way to write most control characters.
      // oxlint-disable-next-line no-control-regex
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '\ufffd')
  );
}
