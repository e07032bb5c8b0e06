import { lazy } from '../../lib/lazy.ts';
import { isCycle, isRecognised, kindOf, isSwap } from '../../lib/motifKinds.ts';
import { roleOf } from '../../lib/roles.ts';
import { sumOf } from '../../value/amount.ts';
import { isIssuance, isNft, NATIVE_ASSET } from '../../value/asset.ts';
import type { Balance } from '../../value/balances.ts';
import { othersInPools } from '../../value/poolPayments.ts';
import { runOf } from '../../value/frames.ts';
import { amountsMoved, isShare } from '../../value/sides.ts';
import { isListedAddress } from '../../value/tokenCall.ts';
import { actAmounts, gainsOf, netOf, totals, type ActAmount } from './actAmounts.ts';
import { callsListed } from './kept.ts';
import type { SubjectView } from './facts/subjectView.ts';
import type { Motif } from '../../model/motif.ts';
import type { IntentRule } from '../../model/rulebook.ts';
import type { AssetId, Movement } from '../../model/valueFlow.ts';
import type { MotifTraits } from '../../model/vocabulary.ts';

/** Acts with amounts that are no exchange of the actor's own. */
export const NOT_EXCHANGED: ReadonlySet<MotifTraits['trade']> = new Set([null, 'shares', 'summary']);

/**
 * Where a rule rests on venues, everything the actor sent went into the supporting motifs (except a fee in
 * native currency), and everything it received came out of them, was change, a gift, or came along with them.
 * Otherwise something else may be the purpose.
 */
export function accountsFor(view: SubjectView, rule: IntentRule, motifs: readonly Motif[]): boolean {
  const kinds = rule.restsOn.map((kind) => kindOf(view.input.rulebook, kind));
  if (kinds.length === 0 || kinds.some(({ plain }) => plain)) return true;
  const venues = new Set(motifs.map(({ venue }) => venue));
  const supporting = new Set(motifs);
  const moved = new Set(motifs.flatMap(({ movements }) => movements));
  // An aggregator's event states all that its trade paid out.
  const isSummary = kinds.every(({ trade }) => trade === 'summary');
  const isRested = (motif: Motif): boolean =>
    supporting.has(motif) ||
    venues.has(motif.venue) ||
    (motif.status === 'Proven' && motif.movements.some((index) => moved.has(index)));
  // Burning the sent tokens is the venue's act if the actor called the venue, or is the rule's own subject.
  const burnsCount = venues.has(view.tx.to!) || kinds.some(({ destroys }) => destroys);
  const into = ({ id, outgoing }: Balance): boolean =>
    view
      .takersOf(id, burnsCount)
      .some((motif) => isRested(motif) || motif.traits.destroys || feeds(view, motif, motifs)) ||
    outgoing.every(({ to, index }) => venues.has(to) || moved.has(index));
  const isFee = ({ id }: Balance): boolean =>
    id === NATIVE_ASSET && view.sent.some((other) => other.id !== id && into(other));
  const outOf = ({ id, incoming }: Balance): boolean =>
    view.payersOf(id).some(isRested) ||
    incoming.some(({ from }) => venues.has(from)) ||
    (isSummary && incoming.every(({ index }) => moved.has(index))) ||
    comesAlong(view, { id, incoming }, motifs);
  if (!view.sent.every((sent) => into(sent) || isFee(sent))) return false;
  const others = view.received.filter((got) => !outOf(got) && !view.isAdded(got));
  // A listed token that the actor's own calls brought may be the purpose of the whole.
  if (others.some((one) => isListed(view, one))) return false;
  return giftsAmong(view, motifs, others).length === others.length;
}

/**
 * An exchange states the amounts of its acts: a pull from a bystander, own funds handed in, or payments of
 * others into the pools of a cycle would pass for its price or profit. Rebasing tokens round by some units.
 */
export function gainedElsewhere(view: SubjectView, motifs: readonly Motif[]): boolean {
  const cycles = motifs.filter(isCycle);
  const { elected } = view.input.subject;
  const states = ({ traits: { trade } }: Motif): boolean =>
    !NOT_EXCHANGED.has(trade) && (elected || trade !== 'order');
  if (!motifs.some(states)) return statesMore(view, motifs);
  const given = gainsOf(view, cycles.length > 0 ? cycles : motifs, 'received');
  const amounts = new Map(given.map(({ id, amount }) => [id, amount]));
  const exceeds = (net: bigint, stated: bigint): boolean => (net - stated) * 1000n > stated;
  if (othersInPools(motifs, view.entity, view.input).length > 0 || isPaidBeside(view, motifs)) return true;
  return view.received.some(({ id, net }) => exceeds(net, amounts.get(id) ?? net));
}

/** A label states more of an asset than acts that are no exchange moved and than was made for the actor. */
function statesMore(view: SubjectView, motifs: readonly Motif[]): boolean {
  const acted = totals(view, motifs, () => true);
  return actAmounts(motifs, view).received.some(({ id, amount }) => {
    const incoming = view.received.find((one) => one.id === id)?.incoming ?? [];
    const stated = acted.get(id)?.amount ?? amount;
    return (amount - stated - sumOf(incoming.filter(isIssuance))) * 1000n > amount;
  });
}

const statesAmounts = ({ claims }: Motif): boolean => claims.some(({ name }) => name === 'amounts_agree');

/**
 * Owners of orders were paid by others than the settlements, or by these in another call than took from the
 * owner or for another's order: few orders state a price. An account that the settlement paid may pass that
 * on, less a fee.
 */
function isPaidBeside(view: SubjectView, motifs: readonly Motif[]): boolean {
  const { tx, flow, sent, received, input } = view;
  const orders = motifs.filter(({ traits }) => traits.trade === 'order');
  const { consent } = input.suspects ?? {};
  if (input.subject.mode === 'self' || orders.length === 0 || !consent) return false;
  const venues = new Set(orders.map(({ venue }) => venue));
  const ofOwners = (end: 'from' | 'to'): Movement[] =>
    orders.flatMap((one) =>
      one.movements.map((m) => flow.movements[m]!).filter((m) => m[end] === roleOf(one, 'owner')),
    );
  const taken = [...ofOwners('from'), ...sent.flatMap(({ outgoing }) => outgoing)];
  const isTaken = (m: Movement): boolean =>
    orders.some((one) => isBooked(one) || consent.isMadeBy(one.venue, m));
  if (!orders.every(statesAmounts) && !(taken.every(isTaken) && areAlone(view, orders))) return true;
  const runs = new Set(taken.flatMap((m) => consent.handedIn(m).map((call) => runOf(venues, call, tx))));
  const isOf = (m: Movement): boolean => {
    // Traces of value alone show no calls of tokens.
    const calls = runs.size === 0 ? [] : consent.handedIn(m);
    if (calls.length === 0) return venues.has(m.from);
    return calls.every((call) => venues.has(call.context!) && runs.has(runOf(venues, call, tx)));
  };
  const most = lazy(() => {
    const amounts = new Map<string, bigint>();
    for (const m of flow.movements.filter(isOf)) {
      const key = `${m.to} ${m.asset}`;
      if (m.amount > (amounts.get(key) ?? 0n)) amounts.set(key, m.amount);
    }
    return amounts;
  });
  const passesOn = (m: Movement): boolean => (most().get(`${m.from} ${m.asset}`) ?? 0n) >= m.amount;
  const got = [...ofOwners('to'), ...received.flatMap(({ incoming }) => incoming)];
  return got.some((m) => !isOf(m) && !passesOn(m));
}

/** Its owner is paid elsewhere. */
const isBooked = ({ traits }: Motif): boolean => traits.position !== null;

/** The settlement filled no orders of others, and each of these paid its owner if one did. */
function areAlone(view: SubjectView, orders: readonly Motif[]): boolean {
  const { flow, entity, received, input } = view;
  const venues = new Set(orders.map(({ venue }) => venue));
  const isOwn = (one: Motif): boolean => {
    const owner = roleOf(one, 'owner');
    return orders.includes(one) && (owner === null || entity.has(owner));
  };
  const isPaid = (one: Motif): boolean =>
    isBooked(one) ||
    one.movements.length === 0 ||
    one.movements.some((m) => entity.has(flow.movements[m]!.to));
  const all = input.motifs.filter((one) => one.traits.trade === 'order' && venues.has(one.venue));
  return all.every(isOwn) && (received.length === 0 || orders.every(isPaid));
}

/**
 * A conversion with all its yield in the motifs the verdict rests on: proven at a known contract, or a step
 * of listed contracts that make no other calls.
 */
function feeds(view: SubjectView, motif: Motif, motifs: readonly Motif[]): boolean {
  const isKnown = motif.status === 'Proven' && isRecognised(motif.protocol);
  const got = amountsMoved(motif, false);
  const given = motifs.flatMap((one) => amountsMoved(one, true));
  const isUsed = got.every(({ asset, amount }) =>
    given.some((one) => one.asset === asset && one.amount === amount),
  );
  return got.length > 0 && isUsed && (isKnown || callsListed(view));
}

/**
 * Interest that only serves another act, or a reward: paid by contracts of the very protocol, known by
 * address, that the verdict rests on, and no position of its own changed for it; or an NFT of such a
 * contract, which is the name or position.
 */
function comesAlong(
  view: SubjectView,
  { id, incoming }: Pick<Balance, 'id' | 'incoming'>,
  motifs: readonly Motif[],
): boolean {
  const payers = view.payersOf(id);
  if (payers.length > 0 && payers.every((motif) => motif.traits.serves !== null)) return true;
  const { protocolAt } = view.input.rulebook;
  const slugs = new Set(
    motifs.flatMap(({ protocol }) => (protocol && protocol.matchedBy !== 'family' ? protocol.slug : [])),
  );
  return (
    payers.every((motif) => motif.traits.position === null && !isSwap(motif)) &&
    incoming.every(({ from, asset }) => {
      const moved = view.input.flow.assets.get(asset)!;
      const issuer = isNft(moved) ? moved.address! : from;
      return slugs.has(protocolAt.get(from) ?? '') || slugs.has(protocolAt.get(issuer) ?? '');
    })
  );
}

const isListed = ({ input }: SubjectView, { asset: { address } }: Balance): boolean =>
  address !== null && isListedAddress(address, input.rulebook);

/** Listed tokens among the gifts: a label about positions names them, and leaves others out. */
export function listedGifts(view: SubjectView, motifs: readonly Motif[]): ActAmount[] {
  const known = view.received.filter((one) => isListed(view, one));
  return giftsAmong(view, motifs, known).map(netOf);
}

/** Tokens got for nothing beside acts on the actor's own positions, which took exactly what it gave. */
export function giftsAmong(view: SubjectView, motifs: readonly Motif[], got: Balance[]): Balance[] {
  const { entity, sent, received } = view;
  const changes = (motif: Motif): boolean => motif.traits.position !== null;
  const isOwn = (motif: Motif): boolean => changes(motif) && entity.has(roleOf(motif, 'owner')!);
  if (got.length === 0 || motifs.length === 0 || !motifs.every(isOwn)) return [];
  const gave = totals(view, motifs, (one) => one.gave);
  const paid = totals(view, motifs, (one) => !one.gave && one.amount !== 0n && !isShare(one));
  const isPaid = (id: AssetId): boolean => received.some((own) => own.id === id);
  if (sent.some(({ id, net }) => gave.get(id)?.amount !== -net)) return [];
  if (![...paid.keys()].every(isPaid)) return [];
  const booked = totals(view, [...motifs, ...view.own.filter(changes)], () => true);
  return got.filter(({ id, asset: { address } }) => address !== null && !booked.has(id));
}
