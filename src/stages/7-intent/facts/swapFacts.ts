import { isSwap } from '../../../lib/motifKinds.ts';
import { count, flag, motifTags, protocols, type Facts } from './factSpec.ts';
import { roleOf } from '../../../lib/roles.ts';
import { isIntermediary } from './ownership.ts';
import { marketOf, protocolsOf, provenAmong, tagsOf } from './motifFacts.ts';
import type { Address } from '../../../model/hex.ts';
import type { SubjectView } from './subjectView.ts';
import type { Motif } from '../../../model/motif.ts';
import type { MotifTraits } from '../../../model/vocabulary.ts';
import { NATIVE_ASSET } from '../../../value/asset.ts';
import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import { keyOfLog } from '../../../evm/signatures.ts';
import { balances, type Balance } from '../../../value/balances.ts';
import { feeRecipientsOf } from '../../../value/parties.ts';
import { holdingFlow, type Holding, type HoldingFlow } from '../../../value/follow.ts';
import type { AssetId } from '../../../model/valueFlow.ts';

/** Swaps between what the actor sent and what it or its recipients got. Pools are counted by id. */
export const SWAP_FACTS: Facts = {
  'swaps.count': count('Swaps on the way from what the actor sent to what it received.', (v) => v.path),
  'swaps.pools': count(
    'Distinct pools on that way. A pool used twice counts once.',
    (v) => new Set(v.path.map(marketOf)),
  ),
  'swaps.venues': count('Distinct contracts on that way.', (v) => new Set(v.path.map((m) => m.venue))),
  'swaps.proven': count('Swaps on that way that are proven.', (v) => provenAmong(v.path)),
  'swaps.structural': count('Swaps on that way that only the movements show, no event.', (v) =>
    v.path.filter((m) => m.basis === 'structure'),
  ),
  'swaps.protocols': protocols('Protocols on that way.', (v) => protocolsOf(v.path)),
  'swaps.tags': motifTags('Tags of the swaps on that way.', (v) => tagsOf(v.path)),
  'swaps.elsewhere': count(
    'Swaps in the transaction that are not on that way.',
    (v) => v.swaps.length - v.path.length,
  ),
  'swaps.delivered_to': count(
    'Accounts other than the actor that kept proceeds of those swaps.',
    (v) => v.deliveries,
  ),
  'swaps.delivered_to_unknown': count(
    'Of these accounts, those that logged events no rule knows: contracts that did something ' +
      'with the proceeds.',
    (v) => v.deliveries.filter(({ account }) => speaksUnknown(account, v)),
  ),
  'swaps.by_aggregator': flag('An aggregator, a solver or an order book settled the trade.', settledByOthers),
};

/** Whether the account logged an event that is no transfer or approval, and that no shape describes. */
function speaksUnknown(account: Address, { events, input: { rulebook } }: SubjectView): boolean {
  return events.some((log) => log.address === account && !rulebook.events.has(keyOfLog(log)));
}

const SETTLED: ReadonlySet<MotifTraits['trade']> = new Set(['order', 'summary']);
const SETTLING_TAGS = new Set(['aggregator', 'settlement', 'order_book', 'solver']);

function settledByOthers(v: SubjectView): boolean {
  return (
    v.input.subject.mode === 'solver_settlement' ||
    v.own.some((motif) => SETTLED.has(motif.traits.trade)) ||
    settles([...tagsOf(v.path), ...v.tagsOf(v.tx.to)]) ||
    [...v.flow.ledgers.keys()].some((account) => settles(v.tagsOf(account)) && isIntermediary(v, account))
  );
}

function settles(tags: readonly string[]): boolean {
  return tags.some((tag) => SETTLING_TAGS.has(tag));
}

/** The asset of a swap netted inside one contract that does not name it. Open ends of one contract meet. */
const OPEN: AssetId = 'open';

/** Amounts that the swaps paid to accounts other than the subject. */
export interface Delivery {
  readonly account: Address;
  readonly bought: readonly Balance[];
}

/** Ways of value from the subject's sent assets to its received ones, or to others'. */
export function holdingsOf(view: SubjectView): HoldingFlow {
  const holdings = holdingFlow(view.flow, (asset) => view.mergedAsset(asset), view.entity);
  addLinks(holdings, view);
  return holdings;
}

export function reachedBy({ sent, holdings }: SubjectView): ReadonlySet<Holding> {
  const payments = sent.flatMap((b) => b.outgoing.map((m) => holdings.at(m.to, b.id)));
  return holdings.reach(payments, 'onward');
}

/**
 * Swaps between the subject's sent and received assets: reachable forwards from payments and backwards
 * from receipts, in any order in time, because callback pools pay before they are paid. Only the
 * forward half counts where the proceeds went to another account, only the backward half where everything was
 * borrowed. Beside a swap of the subject's own, those of other owners are theirs: a token sells its taxes.
 */
export function pathOf(view: SubjectView): readonly Motif[] {
  const { sent, received, swaps, holdings, entity } = view;
  if (sent.length === 0 && received.length === 0) return [];
  const after = sent.length === 0 ? null : view.reached;
  const receipts = received.flatMap((b) => b.incoming.map((m) => holdings.at(m.from, b.id)));
  const before = received.length === 0 ? null : holdings.reach(receipts, 'back');
  const path = swaps.filter(
    (swap) => after?.has(inside(swap, holdings)) !== false && before?.has(inside(swap, holdings)) !== false,
  );
  const isOwn = (swap: Motif): boolean => entity.has(roleOf(swap, 'owner') ?? ZERO_ADDRESS);
  return path.some(isOwn) ? path.filter((swap) => roleOf(swap, 'owner') === null || isOwn(swap)) : path;
}

/**
 * Accounts outside the subject that ended with another asset than the subject sent, received along the
 * way of the swaps: the trade was made for them. Venues keep their trades and do not count.
 */
export function deliveriesOf(view: SubjectView): readonly Delivery[] {
  const { flow, sent, entity, input, path, reached, holdings } = view;
  if (path.length === 0) return [];
  const given = new Set(sent.map((b) => b.id));
  const found: Delivery[] = [];
  for (const account of flow.incoming.keys()) {
    if (account === ZERO_ADDRESS || entity.has(account) || view.isVenue(account)) continue;
    const own = balances(flow, account, { dust: 'drop' });
    const bought = [...own.values()].filter(
      // A token that gets of itself takes its tax.
      ({ id, net, asset }) =>
        net > 0n && !given.has(id) && asset.address !== account && reached.has(holdings.at(account, id)),
    );
    if (bought.length > 0) found.push({ account, bought });
  }
  const recipients = feeRecipientsOf(input.motifs);
  const others = found.filter(({ account }) => !recipients.has(account));
  return others.length > 0 ? others : found;
}

/** The inside of a motif, where assets turn into others. */
const inside = (motif: Motif, holdings: HoldingFlow): Holding => holdings.at(`motif ${motif.index}`, OPEN);

/** Ways of value besides movements: through wrapped-native contracts and through motifs. */
function addLinks(holdings: HoldingFlow, view: SubjectView): void {
  // Wrapping: native goes into the token contract and the same amount appears from the zero address, or back.
  const minted = holdings.at(ZERO_ADDRESS, NATIVE_ASSET);
  for (const wrapped of view.flow.wrappedNative) {
    const native = holdings.at(wrapped, NATIVE_ASSET);
    holdings.link(native, minted);
    holdings.link(minted, native);
  }
  for (const motif of view.input.motifs) {
    const [paid, got] = [endsOf(view, holdings, motif, 'to'), endsOf(view, holdings, motif, 'from')];
    if (!isSwap(motif) && (paid.size === 0 || got.size === 0)) continue;
    const step = inside(motif, holdings);
    for (const end of paid) holdings.link(end, step);
    for (const end of got) holdings.link(step, end);
  }
}

/** Holdings at which the motif's counterparty paid in (`to`) or was paid out (`from`). */
function endsOf(view: SubjectView, holdings: HoldingFlow, motif: Motif, end: 'to' | 'from'): Set<Holding> {
  const assets = view.assetsMoved(motif, end === 'to');
  const ends = new Set<Holding>();
  for (const asset of assets) ends.add(holdings.at(motif.venue, asset));
  for (const movement of view.movementsIn(motif, assets))
    ends.add(holdings.at(movement[end], view.mergedAsset(movement.asset)));
  if (isSwap(motif) && assets.size === 0) ends.add(holdings.at(motif.venue, OPEN));
  return ends;
}
