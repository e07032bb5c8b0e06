import { mergeNative } from '../../value/asset.ts';
import type { Balance } from '../../value/balances.ts';
import { DEBT_SHARE_ROLES, roleOf, SHARE_ROLES } from '../../lib/roles.ts';
import type { SubjectView } from './facts/subjectView.ts';
import type { Motif } from '../../model/motif.ts';
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
export function actAmounts(
  view: SubjectView,
  motifs: readonly Motif[],
  side: 'sent' | 'received',
): ActAmount[] {
  const whole = side === 'sent' ? withoutPayments(view, motifs) : view[side].map(netOf);
  const debts = sharesOf(motifs, DEBT_SHARE_ROLES);
  const own = whole.filter(({ id }) => !debts.has(id));
  if (motifs.length === 0 || !motifs.every((motif) => movesPosition(view, motif))) return own;
  // Sent shares paid for the act, unless they are the position itself.
  const shares = sharesOf(side === 'received' ? view.own : motifs);
  const besides = own.filter(({ id }) => !shares.has(id));
  if (motifs.length > 1 && !areApart(view, motifs)) return firstFilled(besides, own);
  const act = sumsOf(view, motifs, side);
  const related = besides.filter(({ id }) => act.has(id));
  if (related.length === 0) {
    const stated = [...act.values()];
    const paidByOthers = side === 'sent' && besides.every(({ id }) => isFee(view, id, act));
    return paidByOthers ? firstFilled(stated, besides, own) : firstFilled(besides, stated, own);
  }
  if (related.length < act.size) return related;
  return related.map((net) => (act.get(net.id)!.amount === net.amount ? net : act.get(net.id)!));
}

/** Whether no act took the asset, and nothing the act took can have been made of it. */
function isFee(view: SubjectView, id: AssetId, act: ReadonlyMap<AssetId, ActAmount>): boolean {
  const issuers = new Set([...act.values()].map(({ asset }) => asset.address));
  const made = view.flow.movements.some(
    ({ kind, asset, to }) =>
      (kind === 'mint' && act.has(view.mergedAsset(asset))) ||
      (view.mergedAsset(asset) === id && issuers.has(to)),
  );
  return !made && view.takersOf(id, true).length === 0;
}

/** An act without movements of its own says nothing of amounts. */
function movesPosition({ input: { rulebook } }: SubjectView, { kind, movements }: Motif): boolean {
  return movements.length > 0 && Boolean(rulebook.motifKinds.get(kind)?.position);
}

/** Assets that the acts gave more of than they took, native and wrapped native as one. */
export function gainsOf(view: SubjectView, motifs: readonly Motif[]): ActAmount[] {
  return moreThan(sumsOf(view, motifs, 'received').values(), sumsOf(view, motifs, 'sent'));
}

export function moreThan(sums: Iterable<ActAmount>, others: ReadonlyMap<AssetId, ActAmount>): ActAmount[] {
  return [...sums]
    .map((sum) => ({ ...sum, amount: sum.amount - (others.get(sum.id)?.amount ?? 0n) }))
    .filter(({ amount }) => amount > 0n);
}

function firstFilled(...lists: ActAmount[][]): ActAmount[] {
  return lists.find(({ length }) => length > 0) ?? [];
}

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

/**
 * The actor's sent amounts without payments beside the act. Only accounts that batch calls of their own
 * make any; amounts that others forward are part of the act's price.
 */
function withoutPayments(view: SubjectView, motifs: readonly Motif[]): ActAmount[] {
  const own = view.sent.map(netOf);
  const batches = view.own.some((motif) => view.kind(motif).executes !== null);
  if (!batches || motifs.length === 0 || motifs.some((motif) => view.kind(motif).plain)) return own;
  const payments = view.own.filter((motif) => isOwnPayment(view, motif));
  return firstFilled(moreThan(own, sumsOf(view, payments, 'sent')), own);
}

/** A plain payment straight from the actor's accounts that serves no other act. */
function isOwnPayment(view: SubjectView, motif: Motif): boolean {
  const { plain, composite, serves } = view.kind(motif);
  const direct = motif.movements.every((m) => view.entity.has(view.flow.movements[m]!.from));
  return plain && !composite && serves === null && direct;
}

function sharesOf(motifs: readonly Motif[], roles = SHARE_ROLES): ReadonlySet<AssetId> {
  const shares = new Set<AssetId>();
  for (const { assetsIn, assetsOut } of motifs) {
    for (const { role, asset } of assetsIn) if (roles.has(role)) shares.add(asset);
    for (const { role, asset } of assetsOut) if (roles.has(role)) shares.add(asset);
  }
  return shares;
}

/** The acts' legs on that side, parts of another of them left out, native and wrapped native as one. */
export function sumsOf(
  { input: { flow, rulebook } }: SubjectView,
  motifs: readonly Motif[],
  side: 'sent' | 'received',
): Map<AssetId, ActAmount> {
  const sums = new Map<AssetId, ActAmount>();
  const whole = new Set(motifs.map(({ index }) => index));
  for (const motif of motifs.filter(({ parent }) => parent === null || !whole.has(parent)))
    for (const { asset, amount, role } of side === 'sent' ? motif.assetsOut : motif.assetsIn) {
      const known = flow.assets.get(asset);
      if (SHARE_ROLES.has(role) || !known) continue;
      const id = mergeNative(asset, rulebook.wrappedNative);
      const sum = sums.get(id);
      sums.set(id, { id, asset: sum?.asset ?? known, amount: (sum?.amount ?? 0n) + amount });
    }
  return sums;
}
