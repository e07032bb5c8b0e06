import { isSwap } from '../../lib/motifKinds.ts';
import { mergeNative, NATIVE } from '../../value/asset.ts';
import type { Balance } from '../../value/balances.ts';
import { memoizeFor } from '../../lib/memo.ts';
import { accountsWith, roleOf } from '../../lib/roles.ts';
import type { SubjectView } from './facts/subjectView.ts';
import { carriersOf } from '../../value/parties.ts';
import { paymentsBeside } from './paymentsBeside.ts';
import { amountsOf, isShare, namedHolder, sidesOf, statedOwner } from '../../value/sides.ts';
import type { Address } from '../../model/hex.ts';
import type { StatedAmount } from '../../model/intent.ts';
import type { Motif } from '../../model/motif.ts';
import type { Side, SideAmount } from '../../model/scene.ts';
import type { AssetId } from '../../model/valueFlow.ts';

export type ActAmount = Pick<Balance, 'id' | 'asset'> & { readonly amount: bigint };

/** The net amount without its sign. */
export function netOf({ id, asset, net }: Balance): ActAmount {
  return { id, asset, amount: net < 0n ? -net : net };
}

/**
 * What the actor gave or got, as a label states it. Where the headline is about positions, what went into
 * them or came out, without the tokens that represent a position: the actor's own, unless the acts state
 * others for these assets.
 */
export const actAmounts = memoizeFor((motifs: readonly Motif[], view: SubjectView) => ({
  sent: amountsOn(view, motifs, 'sent'),
  received: amountsOn(view, motifs, 'received'),
}));

function amountsOn(view: SubjectView, motifs: readonly Motif[], side: 'sent' | 'received'): ActAmount[] {
  const own = ownAmounts(view, motifs, side);
  if (motifs.length === 0 || !motifs.every(movesPosition)) return own;
  // Sent shares paid for the act, unless they are the position itself.
  const shares = sharesOf(side === 'received' ? view.own : motifs);
  const besides = own.filter(({ id }) => !shares.has(id));
  if (motifs.length > 1 && !areApart(view, motifs)) return firstFilled(besides, own);
  const act = sumsOf(view, motifs, side);
  const related = besides.filter(({ id }) => act.has(id));
  if (related.length === 0) {
    const stated = [...act.values()];
    if (side === 'sent' && motifs.every(isBridged)) return firstFilled(stated, besides, own);
    const paidByOthers = side === 'sent' && besides.every(({ id }) => isFee(view, id, act));
    return paidByOthers ? firstFilled(stated, besides, own) : firstFilled(besides, stated, own);
  }
  // A part was bought or sold on the way: the position says how much went in or came out.
  if (related.length < act.size)
    return related.every(({ id, amount }) => act.get(id)!.amount === amount) ? related : [...act.values()];
  return related.map((net) => {
    const { asset, amount } = act.get(net.id)!;
    // Not one that was wrapped on the way.
    const isOwn = [...view.entity].some((account) => view.flow.ledgers.get(account)?.has(asset.id));
    return { ...net, amount, asset: isOwn ? asset : net.asset };
  });
}

/** The actor's amounts without debts; of a trade, those that an act took or paid out. */
function ownAmounts(view: SubjectView, motifs: readonly Motif[], side: 'sent' | 'received'): ActAmount[] {
  const whole = side === 'sent' ? withoutPayments(view, motifs) : view[side].map(netOf);
  const debts = sharesOf(motifs, true);
  const own = whole.filter(({ id }) => !debts.has(id));
  const ends = side === 'sent' ? view.takers : view.payers;
  const traded = isTrade(motifs) ? own.filter(({ id }) => ends.get(id)?.size) : [];
  return firstFilled(traded, own);
}

/** Whether the acts are swaps and orders alone. */
export const isTrade = (motifs: readonly Motif[]): boolean =>
  motifs.length > 0 && motifs.every((motif) => isSwap(motif) || motif.traits.trade === 'order');

/** Payments of others beside the actor's batch, to recipients of that. */
export function paidBeside(view: SubjectView, motifs: readonly Motif[]): ActAmount[] {
  const { entity, recipients, sent } = view;
  const isBatch = (motif: Motif): boolean =>
    motif.traits.composite && view.assetsMoved(motif, false).size === 0;
  if (!motifs.some(isBatch)) return [];
  const beside = view.input.motifs.filter((motif) => {
    const [payer, paid] = [roleOf(motif, 'owner'), accountsWith(motif.participants, 'recipient')];
    return isBatch(motif) && payer && !entity.has(payer) && paid.every((one) => recipients.has(one));
  });
  const own = new Map(sent.map((balance) => [balance.id, netOf(balance)]));
  return moreThan(sumsOf(view, beside, 'sent').values(), own);
}

/** A bridge's principal is the asset that leaves the chain, also where the actor paid with another. */
const isBridged = (motif: Motif): boolean => motif.traits.position?.category === 'bridge_claim';

/** Amounts paid beside a trade or for a bridge's message; all where the acts put in others than stated. */
export const paidInstead = memoizeFor((motifs: readonly Motif[], view: SubjectView): readonly ActAmount[] => {
  const stated = actAmounts(motifs, view).sent;
  if (stated.length === 0 || motifs.length === 0) return [];
  const gave = view.sent.map(netOf);
  const others = gave.filter(({ id }) => !stated.some((one) => one.id === id));
  if (isTrade(motifs)) return others;
  if (others.length === gave.length) return motifs.every(movesPosition) ? gave : [];
  if (!motifs.every(isBridged)) return [];
  const act = sumsOf(view, motifs, 'sent');
  return others.filter(({ id }) => isFee(view, id, act));
});

/** Amounts that the actor got beside a trade, or claimed beside an act on a position. */
export function gotBeside(view: SubjectView, motifs: readonly Motif[]): ActAmount[] {
  const stated = new Set(actAmounts(motifs, view).received.map(({ id }) => id));
  if (isTrade(motifs))
    return view.received.filter((got) => !stated.has(got.id) && !view.isAdded(got)).map(netOf);
  const collects = (motif: Motif): boolean => motif.traits.position?.effect === 'collect';
  if (motifs.length === 0 || motifs.some((motif) => !movesPosition(motif) || collects(motif))) return [];
  const isClaim = (motif: Motif): boolean => collects(motif) || amountsOf(motif)[0]?.leg === 'reward';
  const claims = view.own.filter((motif) => motif.parent === null && isClaim(motif));
  const gained = [...sumsOf(view, claims, 'received').values()];
  return gained.filter(({ id }) => !stated.has(id) && view.payers.has(id));
}

/** The owner of the positions that the acts change, where it is neither the actor nor a carrier. */
export function otherOwner(view: SubjectView, motifs: readonly Motif[]): Address | null {
  const { entity, input } = view;
  const [stated, ...more] = new Set(motifs.map((motif) => statedOwner(motif, input.rulebook)));
  if (!input.subject.elected) return null;
  if (stated && more.length === 0) return entity.has(stated) ? null : stated;
  const named = (motif: Motif) =>
    motif.traits.position && !motif.traits.position.owner ? namedHolder(motif, view.flow) : null;
  return anotherOf(view, motifs.map(named));
}

/** The owner of the positions that the acts change; null where one of them changes none. */
export function ownerOf(view: SubjectView, motifs: readonly Motif[]): Address | null {
  const isAbout = motifs.length > 0 && motifs.every(movesPosition);
  return isAbout ? (otherOwner(view, motifs) ?? view.input.subject.account) : null;
}

/** The amounts that a label with these placeholders states. */
export function statedBy(view: SubjectView, motifs: readonly Motif[], label: string): StatedAmount[] {
  const on = (side: StatedAmount['side'], amounts: readonly ActAmount[]): StatedAmount[] =>
    amounts.map(({ id, amount }) => ({ asset: id, amount, side }));
  const gave = label.includes('{gave}')
    ? [...actAmounts(motifs, view).sent, ...paidInstead(motifs, view)]
    : [];
  const got = label.includes('{got}') ? actAmounts(motifs, view).received : [];
  return [...on('sent', gave), ...on('received', got)];
}

/** The account that positions of the actor were paid out to, where it is another. */
export function paidTo(view: SubjectView, motifs: readonly Motif[]): Address | null {
  // A bridge's recipient is an account of another chain.
  const isPaid = (motif: Motif): boolean => movesPosition(motif) && !isBridged(motif);
  const recipientOf = ({ participants }: Motif) =>
    accountsWith(participants, 'recipient').find((account) => !view.entity.has(account)) ?? null;
  const paid = motifs.map((motif) => (isPaid(motif) ? recipientOf(motif) : null));
  const debts = sharesOf(motifs, true);
  return view.received.some(({ id }) => !debts.has(id)) ? null : anotherOf(view, paid);
}

/** The only one of these accounts, unless it is the actor, a venue or one that passes all on. */
function anotherOf(view: SubjectView, accounts: readonly (Address | null)[]): Address | null {
  const [one = null, ...others] = new Set(accounts);
  if (one === null || others.length > 0 || view.entity.has(one) || view.venues.has(one)) return null;
  return carriersOf(view.flow).has(one) ? null : one;
}

/** Whether no act took the asset, and nothing the act took can have been made of it. */
export function isFee(view: SubjectView, id: AssetId, act: ReadonlyMap<AssetId, ActAmount>): boolean {
  const issuers = new Set([...act.values()].map(({ asset }) => asset.address));
  const made = view.flow.movements.some(
    ({ kind, asset, to }) =>
      (kind === 'mint' && act.has(view.mergedAsset(asset))) ||
      (view.mergedAsset(asset) === id && issuers.has(to)),
  );
  return !made && view.takersOf(id, true).length === 0;
}

/** An act without movements of its own says nothing of amounts. */
const movesPosition = ({ traits, movements }: Motif): boolean =>
  movements.length > 0 && traits.position !== null;

/** Assets that the acts moved more of that way than back, native and wrapped native as one. */
export function gainsOf(view: SubjectView, motifs: readonly Motif[], side: 'sent' | 'received'): ActAmount[] {
  const back = sumsOf(view, motifs, side === 'sent' ? 'received' : 'sent');
  return moreThan(sumsOf(view, motifs, side).values(), back);
}

function moreThan(sums: Iterable<ActAmount>, others: ReadonlyMap<AssetId, ActAmount>): ActAmount[] {
  return [...sums]
    .map((sum) => ({ ...sum, amount: sum.amount - (others.get(sum.id)?.amount ?? 0n) }))
    .filter(({ amount }) => amount > 0n);
}

const firstFilled = (...lists: ActAmount[][]): ActAmount[] => lists.find(({ length }) => length > 0) ?? [];

/** Whether several acts are the actor's own and share no movement, so that their amounts add up. */
function areApart({ entity }: SubjectView, motifs: readonly Motif[]): boolean {
  const seen = new Set<number>();
  return motifs.every((motif) => {
    const apart = motif.movements.every((m) => !seen.has(m));
    for (const m of motif.movements) seen.add(m);
    const owner = roleOf(motif, 'owner');
    return apart && owner !== null && entity.has(owner);
  });
}

/** The actor's sent amounts without payments beside the act. */
function withoutPayments(view: SubjectView, motifs: readonly Motif[]): ActAmount[] {
  const own = view.sent.map(netOf);
  return firstFilled(moreThan(own, sumsOf(view, paymentsBeside(motifs, view), 'sent')), own);
}

/** The position's own tokens among the assets of these acts; `debts`: of debts alone. */
function sharesOf(motifs: readonly Motif[], debts = false) {
  const amounts = motifs.flatMap((motif) => amountsOf(motif));
  const shares = amounts.filter((one) => (debts ? one.role === 'debt_share' : isShare(one)));
  return new Set(shares.map(({ asset }) => asset));
}

/** A fee that an act on a position states apart from its principal. */
export interface ActFee extends ActAmount {
  /** Paid on the sent side, earned on the received side, added to a debt (then the whole), or left open. */
  readonly side: 'sent' | 'received' | 'owed' | 'paid' | 'short';
}

/** The fees of these acts, where the amounts stated of them leave these out. */
export function feesBeside(view: SubjectView, motifs: readonly Motif[]): ActFee[] {
  if (motifs.length > 1 && !areApart(view, motifs)) return [];
  return motifs.flatMap((motif) =>
    feesOf(view, motif).flatMap((fee) => {
      const side = fee.side === 'sent' ? 'sent' : 'received';
      const stated = actAmounts(motifs, view)[side].find(({ id }) => id === fee.id);
      if (sumsOf(view, motifs, side).get(fee.id)?.amount !== stated?.amount) return [];
      return { ...fee, asset: stated?.asset ?? fee.asset };
    }),
  );
}

/** Those of one act. */
function feesOf(view: SubjectView, motif: Motif): ActFee[] {
  return sidesOf(motif).flatMap((side) =>
    side.amounts.flatMap((one): ActFee | never[] => {
      const asset = view.flow.assets.get(one.asset);
      const owed = one.role === 'debt' && !one.gave && one.delta > one.amount;
      if (!asset || !(owed || isFeeApart(one, side))) return [];
      const id = view.mergedAsset(one.asset);
      if (owed) return { id, asset, amount: one.delta, side: 'owed' };
      return { id, asset, amount: one.amount, side: one.gave ? 'sent' : 'received' };
    }),
  );
}

/** Whether the amount is a fee beside a principal. */
function isFeeApart({ role, amount }: SideAmount, { position }: Side): boolean {
  return role === 'fee' && amount > 0n && position !== null && position.effect !== 'collect';
}

/** Whether it moved, as no share of a position and no fee beside its principal. */
const isStated = (one: SideAmount, own: Side): boolean =>
  one.amount !== 0n && !isShare(one) && !isFeeApart(one, own);

/** The acts' legs on that side without the fees of positions. */
export const sumsOf = (view: SubjectView, motifs: readonly Motif[], side: 'sent' | 'received') =>
  (side === 'sent' ? sumsGiven : sumsGot)(motifs, view);

const summing = (gave: boolean) =>
  memoizeFor((motifs: readonly Motif[], view: SubjectView) =>
    totals(view, motifs, (one, own) => one.gave === gave && isStated(one, own)),
  );
const [sumsGiven, sumsGot] = [summing(true), summing(false)];

/** Those amounts of the acts, parts of another of them left out, native and wrapped native as one. */
export function totals(
  { input: { flow } }: SubjectView,
  motifs: readonly Motif[],
  counts: (one: SideAmount, side: Side) => boolean,
): Map<AssetId, ActAmount> {
  const sums = new Map<AssetId, ActAmount>();
  const whole = new Set(motifs.map(({ index }) => index));
  for (const motif of motifs.filter(({ parent }) => parent === null || !whole.has(parent)))
    for (const own of sidesOf(motif))
      for (const one of own.amounts) {
        const known = flow.assets.get(one.asset);
        if (!known || !counts(one, own)) continue;
        const id = mergeNative(one.asset, flow);
        const { asset, amount } = sums.get(id) ?? { asset: known, amount: 0n };
        sums.set(id, { id, asset: asset.id === known.id ? asset : NATIVE, amount: amount + one.amount });
      }
  return sums;
}
