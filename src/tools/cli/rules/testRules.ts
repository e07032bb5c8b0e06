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
import type { Address } from '../../../model/hex.ts';
import type { IntentRule } from '../../../model/rulebook.ts';
import { didYouMean } from '../../../rules/compile/didYouMean.ts';
import { CliError, type CliIo } from '../cliIo.ts';
import { blockers, evaluateFacts, fateOf } from './fates.ts';
import type { ExaminedTx } from './loadTx.ts';
import { groupBy } from '../../../lib/lists.ts';
import { drawnExamples } from './draw/drawnExamples.ts';
import { findRecording, recordingPlaces } from './recordings.ts';
import { openSoundRuleset, rulesetDirs, type SoundRuleset } from './rulesets.ts';

/** One example of a rule or shape, with the inputs to run it. */
interface Case {
  readonly ruleset: SoundRuleset;
  readonly item: RuleItem<RawIntent | RawShape | RawFinding | RawExamples>;
  /** Null but for an intent. */
  readonly rule: IntentRule | null;
  readonly side: (typeof SIDES)[number] | 'drawn';
  /** JSON pointer of its place in the file. */
  readonly pointer: string;
  readonly example: RawExample | RawFindingExample;
  /** Where recordings are looked up. */
  readonly recordings: readonly string[];
}

const SIDES = ['match', 'near_miss', 'shape'] as const;

function* casesOf(
  ruleset: SoundRuleset,
  only: string | undefined,
  recordings: readonly string[],
): Generator<Case> {
  const { intents, shapes, findings, rulebook } = ruleset;
  for (const item of [...intents, ...shapes, ...findings, ...ruleset.examples]) {
    const slug = slugOf(item);
    if ((only ?? slug) !== slug) continue;
    const { examples = [] } = item.value;
    const rule = 'intent' in item.value ? rulebook.intents.find((one) => one.slug === slug)! : null;
    const one = { ruleset, item, rule, recordings };
    type Lists = Partial<Record<(typeof SIDES)[number], readonly Case['example'][]>>;
    const lists = (Array.isArray(examples) ? { shape: examples } : examples) as Lists;
    for (const side of SIDES) {
      const place = `${item.pointer}/examples${side === 'shape' ? '' : `/${side}`}`;
      for (const [index, example] of (lists[side] ?? []).entries())
        yield { ...one, side, pointer: `${place}/${index}`, example };
    }
    if ('any_emitter' in item.value)
      for (const drawn of drawnExamples(item as RuleItem<RawShape>, ruleset))
        yield { ...one, side: 'drawn', ...drawn };
  }
}

const slugOf = ({ value }: Case['item']): string => ('shape' in value ? value.shape : value.slug);

/**
 * Runs the examples stored with the rules, and draws those of events and calls without one. Exit code 1 when
 * one fails, or when there are none.
 */
export async function testRules(
  named: readonly string[],
  options: { junit?: string; rule?: string; recordings?: readonly string[] },
  io: CliIo,
): Promise<number> {
  const dirs = rulesetDirs(named);
  const ruleset = openSoundRuleset(dirs, options.rule ?? true);
  const results: ExampleResult[] = [];
  const places = recordingPlaces(options.recordings, dirs);
  for (const one of casesOf(ruleset, options.rule, places)) results.push(await runExample(one));
  if (options.junit !== undefined) writeFileSync(options.junit, junitXml(results));
  const failed = results.filter((r) => r.failure !== null);
  for (const r of failed)
    io.out(`FAIL ${r.place()} ${r.rule} ${r.side} ${r.name}\n     ${r.failure!.replaceAll('\n', '\n     ')}`);
  const rules = new Set(results.map((r) => r.rule)).size;
  io.out(`${results.length - failed.length} of ${results.length} examples of ${rules} rules passed`);
  if (results.length === 0) io.err(whyNone(options.rule, ruleset));
  return failed.length === 0 && results.length > 0 ? 0 : 1;
}

function whyNone(slug: string | undefined, { intents, shapes, findings }: SoundRuleset): string {
  if (slug === undefined) return 'there are no examples: nothing was tested';
  const known = [...intents, ...shapes, ...findings].map((item) => item.value.slug);
  return known.includes(slug) ? `${slug} has no examples` : `there is no rule ${didYouMean(slug, known)}`;
}

type ExampleResult = Awaited<ReturnType<typeof runExample>>;

async function runExample(one: Case) {
  const { item, side } = one;
  const { name, recording } = one.example as RawExample;
  const started = performance.now();
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
    /** Null when the example passed. */
    failure,
    name: name ?? recording ?? `#${Number(one.pointer.split('/').at(-1)) + 1}`,
    /** Asked for only where it is printed: it takes parsing the file. */
    place() {
      const { line, column } = item.file.locate(one.pointer);
      return `${item.file.shownPath}:${line}:${column}`;
    },
    seconds: (performance.now() - started) / 1000,
  };
}

async function tryExample(one: Case): Promise<string | null> {
  const { rule, example, side, ruleset } = one;
  if ('transactions' in example) {
    const { findingFailure } = await import('./madeUp.ts');
    return findingFailure(example, side === 'near_miss', slugOf(one.item), ruleset);
  }
  if (example.transaction !== undefined) return tryMadeUp(one, example);
  if (rule === null) return 'an example of a shape is a transaction';
  return example.recording === undefined ? tryFacts(one, example, rule) : tryRecording(one, example, rule);
}

/** A made-up transaction: a match must also win, and in a shape's forged twin nothing may be Proven. */
async function tryMadeUp({ ruleset, rule, side, item }: Case, example: RawExample): Promise<string | null> {
  const { believed, examineExample, forgedTwin, surprises, unaskedHolders } = await import('./madeUp.ts');
  const { rulebook } = ruleset;
  const shape = rule === null ? slugOf(item) : null;
  const find = ruleset.signatureNames(shape);
  const madeUp = await examineExample(example, rulebook, find);
  const verdict = rule === null ? null : verdictFailure(madeUp.examined, rule, side);
  const lines = [
    ...(verdict === null ? [] : [verdict]),
    ...(await surprises(madeUp, example.expect ?? {}, rulebook, shape)),
    ...unaskedHolders(madeUp, rulebook),
  ];
  if (shape !== null && example.expect?.motifs?.length)
    lines.push(...believed(await examineExample(forgedTwin(example), rulebook, find), shape));
  if (lines.length > 0 && side === 'drawn') lines.push(`drawn: ${JSON.stringify(example.transaction)}`);
  return lines.length === 0 ? null : lines.join('\n');
}

async function tryFacts(
  { ruleset, side }: Case,
  example: RawExample,
  rule: IntentRule,
): Promise<string | null> {
  const used = factNames(rule.when);
  const outcome = await evaluateFacts(example, rule, ruleset);
  if (outcome.matched === (side === 'match')) return null;
  if (side !== 'near_miss') return blockers(outcome.conditions).join('\n');
  const unused = Object.keys(example.facts ?? {}).filter((name) => !used.has(name));
  const idle = unused.length > 0 ? `; the rule does not use ${unused.join(', ')}` : '';
  return `matches, though it should not${idle}`;
}

/** On a recording a rule must also win: authors care about the verdict, not only the condition. */
async function tryRecording(
  { ruleset, side, recordings }: Case,
  example: RawExample,
  rule: IntentRule,
): Promise<string | null> {
  // Imported here so that fact examples run without loading the whole pipeline.
  const { examineTx } = await import('./loadTx.ts');
  const recording = findRecording(example.recording!, recordings);
  const examined = await examineTx(recording, ruleset.rulebook, example.actor?.toLowerCase());
  const verdict = verdictFailure(examined, rule, side);
  if (verdict !== null || example.expect === undefined) return verdict;
  const { surprises } = await import('./madeUp.ts');
  const built = {
    addressOf: (text: string) => text.toLowerCase() as Address,
    inWords: (text: string) => text,
  };
  return (await surprises({ built, examined }, example.expect, ruleset.rulebook, null)).join('\n') || null;
}

function verdictFailure({ reading }: ExaminedTx, rule: IntentRule, side: Case['side']): string | null {
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
function junitXml(results: readonly ExampleResult[]): string {
  const counts = (list: readonly ExampleResult[]): string =>
    `tests="${list.length}" failures="${list.filter(({ failure }) => failure !== null).length}"`;
  const suites = [...groupBy(results, ({ rule }) => rule)].map(([rule, mine]) => {
    const cases = mine.map(({ side, name, place, seconds, failure }) => {
      const head =
        `    <testcase classname="${attribute(rule)}" name="${attribute(`${side} ${name}`)}" ` +
        `file="${attribute(place())}" time="${seconds.toFixed(4)}"`;
      if (failure === null) return `${head}/>`;
      const message = `message="${attribute(failure.split('\n')[0]!)}"`;
      return `${head}>\n      <failure ${message}>${attribute(failure)}</failure>\n    </testcase>`;
    });
    return `  <testsuite name="${attribute(rule)}" ${counts(mine)}>\n${cases.join('\n')}\n  </testsuite>`;
  });
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<testsuites name="txreport rules" ${counts(results)}>\n${suites.join('\n')}\n</testsuites>\n`
  );
}

const ENTITIES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };

function attribute(text: string): string {
  const escaped = text.replace(/[&<>"]/g, (sign) => `&${ENTITIES[sign]};`);
  // XML 1.0 has no way to write most control characters.
  // oxlint-disable-next-line no-control-regex
  return escaped.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '\ufffd');
}
