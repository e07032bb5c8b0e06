import type { Vocabulary } from '../compile/compileVocabulary.ts';
import type { Ruleset } from '../compile/loadRulebook.ts';
import { meaningsOf, Spot, type RuleItem } from '../compile/ruleItem.ts';
import { isFault, parseSignature } from '../compile/signature.ts';
import type {
  RawCondition,
  RawExample,
  RawIntent,
  RawLeg,
  RawMeaning,
  RawProtocol,
} from '../../model/generated/rules.ts';

/** Names of numbers that are no amounts. */
export const NO_AMOUNTS = new RegExp(
  'id$|nonce|time|date|deadline|expir|index|epoch|round|rate|bps|duration|period|block|chain|referral|' +
    'code|version|kind|type|option|salt',
  'i',
);

/** Events that every token logs. */
const OF_TOKENS = /^(?:Transfer|Approval|ApprovalForAll)\(/;

/** Warnings about an overlay that is sound and proves less than its author may think. */
export function checkWeak({
  shapes,
  protocols,
  intents,
  words,
}: Pick<Ruleset, 'shapes' | 'protocols' | 'intents' | 'words'>): void {
  const below = shapes.filter((item) => !isOwn(item));
  const taken = new Map(
    below.flatMap(({ value: { slug, events = [] } }) =>
      events.map((one) => [topicsOf(one.event), slug] as const),
    ),
  );
  const expected = shapes.flatMap(({ value: { examples = [] } }) => examples.map(({ expect }) => expect));
  const shown = new Set(expected.map(({ intent }) => intent));
  for (const item of shapes.filter(isOwn))
    for (const [raw, spot] of meaningsOf(item)) {
      if (item.value.any_emitter) checkShared(raw, spot, taken);
      checkOwner(raw, spot);
      for (const [leg, at] of spot.each('legs', raw.legs)) checkLeg(leg, at, words);
    }
  for (const item of intents.filter(isOwn)) {
    checkBranches(item);
    checkMatches(item, shown);
    checkSuperseded(item, intents);
  }
  checkMakers(protocols);
}

const isOwn = ({ file }: RuleItem): boolean => file.layer > 0;

/** The key by which logs of an event are looked up. */
function topicsOf(event = ''): string {
  const parsed = parseSignature('event', event);
  return isFault(parsed) ? '' : `${parsed.id} ${parsed.topicCount}`;
}

/** An event of strangers that others log too. */
function checkShared({ event }: RawMeaning, spot: Spot, taken: ReadonlyMap<string, string>): void {
  if (event === undefined) return;
  const by = OF_TOKENS.test(event) ? 'every token' : taken.get(topicsOf(event));
  if (by !== undefined)
    spot.at('event').report('shared_event', `${by} has it too: list the contracts, with any_emitter: false`);
}

const WEAK_OWNERS: Readonly<Record<string, string>> = {
  $signer: '$signer need not be whose act it is: name a parameter, or $asked_by',
  $tx_to: '$tx_to need not be whose act it is: name a parameter',
  $venue: 'the contract itself as owner: whose act is it?',
  $emitter: 'the contract itself as owner: whose act is it?',
};

function checkOwner({ roles }: RawMeaning, spot: Spot): void {
  const weak = WEAK_OWNERS[roles?.['owner'] ?? ''];
  if (weak) spot.at('roles', 'owner').report('weak_proof', weak);
}

const VENUES = new Set(['$venue', '$emitter', '$target']);

function checkLeg(leg: RawLeg, spot: Spot, { legRoles }: Vocabulary): void {
  const { role, from = '', to = '', amount = [], otherwise } = leg;
  const weak = (key: keyof RawLeg, why: string): void => spot.at(key).report('weak_proof', why);
  if (otherwise === 'direction') weak('otherwise', 'another amount than the event states is believed');
  const loose = looseness(leg);
  if (loose) weak(leg.match === 'stated' ? 'match' : 'role', loose);
  for (const word of [amount].flat().filter(isNoAmount)) weak('amount', `${word} is no amount by its name`);
  const side = legRoles.get(role);
  if (VENUES.has(side === 'received' ? to : from))
    spot
      .at('role')
      .report('leg_direction', `what is ${role} is ${side} by the counterparty, not by the venue`);
}

const isNoAmount = (word: string): boolean => /^\$\w+$/.test(word) && NO_AMOUNTS.test(word);

/** Why more movements fit a leg than the event means. */
function looseness({ match, amount, asset_kind: standard, pick, from, to }: RawLeg): string | null {
  if (match === 'stated') return "nothing has to move: the event's word counts";
  if (amount === undefined && !standard?.startsWith('erc'))
    return pick === 'all' ? 'every movement fits: no amount' : 'any amount fits';
  return from === undefined && to === undefined ? "anybody's movement fits: say from or to" : null;
}

/** A structural rule with alternatives that leave out the actor's acts of the kinds it rests on. */
function checkBranches(item: RuleItem<RawIntent>): void {
  const { when, proof, rests_on: kinds = [] } = item.value;
  const speaks = (one: RawCondition): boolean => {
    if ('all' in one) return one.all.some(speaks);
    if ('any' in one) return one.any.every(speaks);
    if ('not' in one) return false;
    const words = [one.value ?? []].flat().map(String);
    return (
      one.fact.startsWith('swaps.') ||
      kinds.some((k) => new RegExp(`^motif\\.${k}\\.(?!count$)`).test(one.fact) || words.includes(k))
    );
  };
  if (proof === 'structural' && kinds.length > 0 && !speaks(when))
    new Spot(item, ['when']).report(
      'weak_proof',
      `it may hold without ${kinds.join(' or ')} of the actor, which the rule rests on: a count is of all`,
    );
}

/** An intent without a transaction, or with one that expects nothing of the report. */
function checkMatches(item: RuleItem<RawIntent>, elsewhere: ReadonlySet<string | undefined>): void {
  const { examples, intent } = item.value;
  const spot = new Spot(item, ['examples', 'match']);
  const list = spot.each<RawExample>([], examples.match);
  if (list.every(([{ facts }]) => facts !== undefined) && !elsewhere.has(intent))
    spot.report('weak_example', 'facts alone: no transaction or recording shows that they occur together');
  for (const [{ transaction, expect }, at] of list)
    if (transaction !== undefined && expect === undefined)
      at.report('weak_example', 'it states no label, status or motif');
}

function checkSuperseded(item: RuleItem<RawIntent>, intents: readonly RuleItem<RawIntent>[]): void {
  const kindsOf = ({ rests_on: a = [], requires_any: b = [] }: RawIntent): string[] => [...a, ...b];
  const own = kindsOf(item.value);
  for (const [slug, at] of new Spot(item).each('supersedes', item.value.supersedes)) {
    const other = intents.find(({ value }) => value.slug === slug)?.value;
    const theirs = other ? kindsOf(other) : [];
    if (theirs.length > 0 && !theirs.some((kind) => own.includes(kind)))
      at.report('odd_supersedes', `${slug} is of ${theirs.join(', ')}`);
  }
}

/** Deployers and registries of other protocols: their contracts belong to those. */
function checkMakers(protocols: readonly RuleItem<RawProtocol>[]): void {
  const makersOf = (item: RuleItem<RawProtocol>) => {
    const spot = new Spot(item);
    const { create2, created_by: created, registries } = item.value;
    return [
      ...(create2 ? [[create2.deployer, spot.at('create2', 'deployer')] as const] : []),
      ...spot.each('created_by', created).map(([one, at]) => [one.deployer, at.at('deployer')] as const),
      ...spot.each('registries', registries).map(([one, at]) => [one.address, at.at('address')] as const),
    ];
  };
  const below = protocols.filter(({ file }) => file.layer === 0);
  const known = new Map(below.flatMap((item) => makersOf(item).map(([maker]) => [maker, item.value.slug])));
  for (const item of protocols.filter(({ file, value }) => file.layer > 0 && value.extend !== true))
    for (const [maker, at] of makersOf(item))
      if (known.has(maker)) at.report('shared_maker', `what it made is of ${known.get(maker)}`);
}
