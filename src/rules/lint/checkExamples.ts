import type { PlacedRule } from '../compile/compileIntents.ts';
import type { Ruleset } from '../compile/loadRulebook.ts';
import type { Vocabulary } from '../compile/compileVocabulary.ts';
import { Spot } from '../compile/ruleItem.ts';
import { buildExample } from '../example.ts';
import type { FindSignature } from '../exampleNames.ts';
import { ExampleError } from '../exampleArguments.ts';
import type { RawExample, RawExampleTransaction, RawExpectation } from '../../model/generated/rules.ts';
import type { FactIndex, FactValue } from '../../model/intent.ts';
import type { Condition, IntentRule } from '../../model/rulebook.ts';
import { defaultFact } from '../compile/facts.ts';
import { OPERATORS } from '../compile/operators.ts';

type Examples = Pick<Ruleset, 'shapes' | 'intents' | 'examples' | 'signatureNames' | 'words'>;

const SIDES = ['match', 'near_miss'] as const;

/** A rule with examples of either side. */
interface WithExamples<T> {
  readonly status: string;
  readonly examples: { readonly match?: readonly T[]; readonly near_miss?: readonly T[] };
}

/** Examples of a rule with their places; reports a side that has none. */
export function examplesOf<T>(spot: Spot, { examples, status }: WithExamples<T>): (readonly [T, Spot])[] {
  for (const side of SIDES)
    if (!examples[side]?.length && status !== 'deprecated')
      spot.at('examples').report('missing_example', `no ${side} example`);
  return SIDES.flatMap((side) => spot.each(['examples', side], examples[side]));
}

/** Made-up transactions must be buildable, and expect only words of the vocabulary. */
export function checkExamples(all: Examples, knownShapes: ReadonlySet<string>): void {
  const { shapes, intents, examples, signatureNames, words } = all;
  const check = (spot: Spot, list: readonly RawExample[] = [], shape: string | null = null): void => {
    const find = signatureNames(shape);
    const names = list.map(({ name }) => name);
    for (const [i, { name, transaction, expect }] of list.entries()) {
      const at = spot.at(i);
      // Reports name an example by its name.
      if (name !== undefined && names.indexOf(name) < i)
        at.at('name').report('duplicate_item', `example ${name}`);
      if (transaction === undefined) continue;
      checkBuilds(at.at('transaction'), transaction, find);
      if (expect) checkExpectation(at.at('expect'), expect, words);
    }
  };
  for (const item of shapes) check(new Spot(item, ['examples']), item.value.examples, item.value.slug);
  for (const item of intents)
    for (const side of SIDES) check(new Spot(item, ['examples', side]), item.value.examples[side]);
  for (const item of examples) {
    const { shape } = item.value;
    if (new Spot(item, ['shape']).known('unknown_shape', shape, knownShapes))
      check(new Spot(item, ['examples']), item.value.examples, shape);
  }
}

/** A made-up transaction, `index` its place in a block of several, that cannot be built. */
export function checkBuilds(
  spot: Spot,
  transaction: RawExampleTransaction,
  find: FindSignature,
  index = 0,
): void {
  try {
    buildExample(transaction, find, index);
  } catch (error) {
    if (!(error instanceof ExampleError)) throw error;
    spot.at(...error.path).report('bad_example', error.message);
  }
}

function checkExpectation(spot: Spot, { intent, category, motifs }: RawExpectation, words: Vocabulary): void {
  if (intent !== undefined) spot.at('intent').known('unknown_intent_kind', intent, words.intentKinds);
  const categories = new Set(
    [...words.intentKinds.values()].flatMap((k) => [k.category, k.subcategory ?? '']),
  );
  if (category !== undefined) spot.at('category').known('unknown_category', category, categories);
  for (const [{ kind }, at] of spot.each('motifs', motifs))
    at.at('kind').known('unknown_motif_kind', kind, words.motifKinds);
}

type Facts = Readonly<Record<string, unknown>>;

interface Context {
  readonly words: Vocabulary;
  readonly facts: FactIndex;
}

/** A near miss with more unmet conditions than this looks like no match at all. */
const MOST_UNMET = 3;

/**
 * Examples given as facts: the facts must be possible together, the rule must not be skipped on a match, and
 * a near miss must fail by little.
 */
export function checkFactExamples(rules: readonly PlacedRule[], context: Context): void {
  for (const { rule, item } of rules) {
    if (rule.status === 'deprecated') continue;
    for (const side of SIDES)
      for (const [{ facts }, at] of new Spot(item).each(['examples', side], item.value.examples[side])) {
        if (facts === undefined) continue;
        const spot = at.at('facts');
        const clash = countClash(facts, context.words.motifKinds.keys()) ?? sidesClash(facts);
        if (clash !== null) spot.report('impossible_facts', clash);
        else if (side === 'match' || item.file.layer > 0) checkTried(spot, rule, facts, context);
        if (clash === null && side === 'near_miss') checkNearMiss(spot, rule, facts, context);
      }
  }
}

/** Counts of one motif kind that include each other. */
const WITHIN: readonly (readonly [string, string])[] = [
  ['own', 'count'],
  ['top', 'own'],
  ['direct', 'own'],
  ['proven', 'own'],
  ['venues', 'own'],
];

const shown = (facts: Facts, name: string): string => `${name} ${String(facts[name])}`;

function countClash(facts: Facts, motifKinds: Iterable<string>): string | null {
  for (const kind of motifKinds)
    for (const [part, whole] of WITHIN) {
      const [less, more] = [`motif.${kind}.${part}`, `motif.${kind}.${whole}`];
      if (Number(facts[less] ?? -Infinity) > Number(facts[more] ?? Infinity))
        return `${shown(facts, less)} cannot be more than ${shown(facts, more)}`;
    }
  return null;
}

function sidesClash(facts: Facts): string | null {
  const sides = facts['actor.sides'];
  if (sides === undefined) return null;
  for (const side of ['sent', 'received']) {
    const name = `actor.${side}.assets`;
    const isThere = sides === side || sides === 'both';
    if (name in facts && isThere !== Number(facts[name]) > 0)
      return `${shown(facts, 'actor.sides')} and ${shown(facts, name)} exclude each other`;
  }
  return null;
}

/** Whether a stated fact shows any of the motif kinds without which the rule is not even tried. */
function isTried({ requiresAny }: IntentRule, facts: Facts, { words }: Context): boolean {
  const shows = ([name, value]: [string, unknown]): boolean => {
    const isThere = Array.isArray(value) ? value.length > 0 : typeof value !== 'string' && Number(value) > 0;
    const kind = /^motif\.([a-z0-9_]+)\./.exec(name)?.[1];
    const isOne = (one: string): boolean => {
      if (kind !== undefined) return one === kind;
      if (name.startsWith('swaps.')) return words.motifKinds.get(one)?.trade !== null;
      return Array.isArray(value) && value.includes(one);
    };
    return isThere && requiresAny.some(isOne);
  };
  return requiresAny.length === 0 || Object.entries(facts).some(shows);
}

function checkTried(spot: Spot, rule: IntentRule, facts: Facts, context: Context): void {
  if (!isTried(rule, facts, context))
    spot.report(
      'skipped_example',
      `the rule is skipped without a motif of ${rule.requiresAny.join(' or ')}: state ` +
        `one, as motif.${rule.requiresAny[0]!}.count`,
    );
}

function checkNearMiss(spot: Spot, rule: IntentRule, facts: Facts, { facts: declared }: Context): void {
  const valueOf = (name: string): FactValue =>
    (facts[name] as FactValue | undefined) ?? defaultFact(declared.get(name)!);
  const unmet = unmetTests(rule.when, valueOf, true);
  if (unmet > MOST_UNMET || Object.keys(facts).length === 0)
    spot.report(
      'trivial_near_miss',
      `${unmet} conditions would have to change for a match: state the facts of a transaction ` +
        'that fails by one or two',
    );
}

/** The fewest tests that would have to come out otherwise for the condition to be `wanted`. */
function unmetTests(condition: Condition, valueOf: (fact: string) => FactValue, wanted: boolean): number {
  if ('not' in condition) return unmetTests(condition.not, valueOf, !wanted);
  if ('fact' in condition) {
    const { fact, operator, value } = condition;
    return OPERATORS[operator]!.holds(valueOf(fact), value) === wanted ? 0 : 1;
  }
  const all = 'all' in condition;
  const costs = (all ? condition.all : condition.any).map((part) => unmetTests(part, valueOf, wanted));
  return all === wanted ? costs.reduce((sum, cost) => sum + cost, 0) : Math.min(...costs);
}
