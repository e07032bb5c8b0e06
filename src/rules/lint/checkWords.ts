import type { FactIndex, WordKind } from '../../model/intent.ts';
import { hintFor } from '../compile/didYouMean.ts';
import { OPERATORS } from '../compile/operators.ts';
import type { Ruleset } from '../compile/loadRulebook.ts';
import { meaningsOf, Spot } from '../compile/ruleItem.ts';
import type { ProblemCode } from '../read/problems.ts';
import type { RawCondition } from '../../model/generated/rules.ts';

/** Items in force: conditions may use their words. */
type RuleSources = Pick<Ruleset, 'shapes' | 'protocols' | 'entities' | 'intents' | 'words'> & {
  readonly facts: FactIndex;
};

/** Tags of events and calls that steer the engine: rules/README.md, "Tags with a meaning". */
const STEERING_TAGS = `
  deferred per_asset detail opens closes opens_next closes_next buys_position sells_position
  relayed permit authorization rfq limit_order
`.match(/\w+/g)!;

/** Tags of accounts and protocols that steer the engine. */
const STEERING_ENTITY_TAGS = `
  account_code acts_on_orders aggregator bridge builder entry_point exchange_proxy fee_on_transfer
  fee_recipient forwarder infrastructure multicall name_resolver never_elect open_calls paymaster permit pool
  pool_manager position_manager rebasing router settlement spam staking vault wrapped_native
`.match(/\w+/g)!;

/** Tags that the engine itself gives motifs. */
const ENGINE_TAGS = ['structural', 'named', 'experimental', 'granted', 'revoked', 'inner', 'custody', 'exit'];

const CODES: Readonly<Record<WordKind, ProblemCode>> = {
  motif_kind: 'unknown_motif_kind',
  protocol: 'unknown_protocol',
  entity_tag: 'unknown_tag',
  motif_tag: 'unknown_tag',
  account_role: 'unknown_role',
  asset_class: 'unknown_asset',
  token_symbol: 'unknown_asset',
};

/** Classes that follow from a transaction itself. */
const ENGINE_CLASSES = ['native', 'wrapped_native', 'nft', 'lp', 'share', 'other'];

/** Words in conditions that nothing in the ruleset can ever make true: slips that no example would show. */
export function checkWords(sources: RuleSources, intents: RuleSources['intents']): void {
  const known = knownWords(sources);
  checkTags(sources);
  for (const item of intents) {
    if (item.value.status === 'deprecated') continue;
    const spot = new Spot(item);
    const tests = testsIn(spot.at('when'), item.value.when);
    for (const [test, at] of tests) checkTest(at, test, sources.facts, known);
    // Facts over all kinds may speak of any of them.
    if (tests.some(([{ fact }]) => fact.startsWith('motifs.'))) continue;
    const named = new Set(tests.flatMap(([test]) => kindsIn(test, sources)));
    for (const key of ['rests_on', 'requires_any'] as const)
      for (const [kind, at] of spot.each(key, item.value[key]))
        if (sources.words.motifKinds.has(kind) && !named.has(kind))
          at.report('unspoken_kind', `no condition of the rule speaks of ${kind}`);
  }
}

/** A slip in a tag that steers the engine would silently steer nothing; conditions may ask for any word. */
function checkTags({ shapes, protocols, entities, intents }: RuleSources): void {
  const tests = intents.flatMap((item) => testsIn(new Spot(item), item.value.when));
  const asked = new Set(tests.flatMap(([test]) => valuesOf(test)));
  const check = (spot: Spot, tags: readonly string[] | undefined, steering: readonly string[]): void => {
    for (const [tag, at] of spot.each('tags', tags)) {
      const hint = steering.includes(tag) || asked.has(tag) ? '' : hintFor(tag, steering);
      if (hint !== '') at.report('unknown_tag', `${tag}${hint}`);
    }
  };
  for (const item of shapes)
    for (const [{ tags }, spot] of meaningsOf(item)) check(spot, tags, STEERING_TAGS);
  for (const item of protocols) check(new Spot(item), item.value.tags, STEERING_ENTITY_TAGS);
  for (const item of entities)
    for (const [{ tags }, spot] of new Spot(item).each('accounts', item.value.accounts))
      check(spot, tags, STEERING_ENTITY_TAGS);
}

type RawTest = Extract<RawCondition, { fact: string }>;

/** The single tests of a condition, with their places. */
function testsIn(spot: Spot, raw: RawCondition): (readonly [RawTest, Spot])[] {
  if ('fact' in raw) return [[raw, spot]];
  if ('not' in raw) return testsIn(spot.at('not'), raw.not);
  const parts = 'all' in raw ? spot.each('all', raw.all) : spot.each('any', raw.any);
  return parts.flatMap(([part, at]) => testsIn(at, part));
}

function valuesOf({ value }: RawTest): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [value];
}

function checkTest(
  spot: Spot,
  test: RawTest,
  facts: RuleSources['facts'],
  known: Readonly<Record<WordKind, ReadonlySet<string>>>,
): void {
  const of = facts.get(test.fact)?.of;
  if (of === undefined || typeof test.is !== 'string') return;
  const takesList = OPERATORS[test.is]?.takesList === true;
  for (const [i, word] of valuesOf(test).entries())
    if (typeof word === 'string')
      (takesList ? spot.at('value', i) : spot.at('value')).known(CODES[of], word, known[of]);
}

/** Motif kinds that a test speaks of: by its fact, by its values, or all trades where it asks about swaps. */
function kindsIn(test: RawTest, { facts, words }: RuleSources): string[] {
  const kind = /^motif\.([a-z0-9_]+)\./.exec(test.fact)?.[1];
  const asked = facts.get(test.fact)?.of === 'motif_kind' ? valuesOf(test).map(String) : [];
  const trades = [...words.motifKinds.values()].filter(({ trade }) => trade !== null).map((one) => one.kind);
  return [...(kind ? [kind] : []), ...asked, ...(test.fact.startsWith('swaps.') ? trades : [])];
}

/** Every word that conditions may ask for, by the sort of a fact. */
export function knownWords({
  shapes,
  protocols,
  entities,
  words,
}: Omit<RuleSources, 'facts'>): Readonly<Record<WordKind, ReadonlySet<string>>> {
  const mappings = shapes.flatMap(({ value }) => [...(value.events ?? []), ...(value.calls ?? [])]);
  const accounts = entities.flatMap(({ value }) => value.accounts ?? []);
  const tokens = entities.flatMap(({ value }) => value.tokens ?? []);
  return {
    motif_kind: new Set(words.motifKinds.keys()),
    // A family without a known protocol goes by the slug of its shape.
    protocol: new Set([...protocols, ...shapes].map(({ value }) => value.slug)),
    entity_tag: new Set(
      [...accounts, ...protocols.map(({ value }) => value)].flatMap(({ tags }) => tags ?? []),
    ),
    account_role: new Set(words.accountRoles.keys()),
    asset_class: new Set([
      ...ENGINE_CLASSES,
      ...tokens.flatMap(({ classes = [] }) => [...classes]),
      ...accounts.flatMap(({ tags = [] }) => [...tags]),
    ]),
    token_symbol: new Set(['ETH', ...tokens.map(({ symbol }) => symbol)]),
    motif_tag: new Set([...ENGINE_TAGS, ...mappings.flatMap(({ tags = [] }) => [...tags])]),
  };
}
