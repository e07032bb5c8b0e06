import { mergeNative } from '../../value/asset.ts';
import type { Balance } from '../../value/balances.ts';
import { SHARE_ROLES } from '../../lib/roles.ts';
import type { SubjectView } from './facts/subjectView.ts';
import type { Motif } from '../../model/motif.ts';
import type { Asset, AssetId } from '../../model/valueFlow.ts';

export interface ActAmount {
  /** Native where the asset is wrapped native. */
  readonly id: AssetId;
  readonly asset: Asset;
  readonly amount: bigint;
}

/** The net amount without its sign. */
export function netOf({ id, asset, net }: Balance): ActAmount {
  return { id, asset, amount: net < 0n ? -net : net };
}

/**
 * The actor's sent or received amounts for a label: all of them, except where the headline is about
 * positions. Then the amounts that went into them or came out: without other acts and without the tokens
 * that represent a position. Amounts are the actor's own, unless one act alone states others for these
 * assets.
 */
export function actAmounts(
  view: SubjectView,
  motifs: readonly Motif[],
  side: 'sent' | 'received',
): ActAmount[] {
  const own = view[side].map(netOf);
  const { motifKinds } = view.input.rulebook;
  // An act without movements of its own says nothing of amounts.
  if (
    motifs.length === 0 ||
    motifs.some((m) => !motifKinds.get(m.kind)?.position || m.movements.length === 0)
  )
    return own;
  // Sent shares paid for the act, unless they are the position itself.
  const shares = sharesOf(side === 'received' ? view.own : motifs);
  const besides = shares.size === 0 ? own : own.filter(({ id }) => !shares.has(id));
  if (motifs.length > 1) return besides.length > 0 ? besides : own;
  const act = sumsOf(view, motifs, side);
  const related = besides.filter(({ id }) => act.has(id));
  if (related.length === 0) return besides.length > 0 ? besides : act.size > 0 ? [...act.values()] : own;
  if (related.length < act.size) return related;
  return related.map((net) => (act.get(net.id)!.amount === net.amount ? net : act.get(net.id)!));
}

function sharesOf(motifs: readonly Motif[]): ReadonlySet<AssetId> {
  const shares = new Set<AssetId>();
  for (const { assetsIn, assetsOut } of motifs) {
    for (const { role, asset } of assetsIn) if (SHARE_ROLES.has(role)) shares.add(asset);
    for (const { role, asset } of assetsOut) if (SHARE_ROLES.has(role)) shares.add(asset);
  }
  return shares;
}

/** The acts' movements on that side, native and wrapped native as one. */
function sumsOf(
  { input: { flow, rulebook } }: SubjectView,
  motifs: readonly Motif[],
  side: 'sent' | 'received',
): Map<AssetId, ActAmount> {
  const sums = new Map<AssetId, ActAmount>();
  for (const motif of motifs)
    for (const { asset, amount, role } of side === 'sent' ? motif.assetsOut : motif.assetsIn) {
      const known = flow.assets.get(asset);
      if (SHARE_ROLES.has(role) || !known) continue;
      const id = mergeNative(asset, rulebook.wrappedNative);
      const sum = sums.get(id);
      sums.set(id, { id, asset: sum?.asset ?? known, amount: (sum?.amount ?? 0n) + amount });
    }
  return sums;
}
