import { mergedLane, wrappedLanes } from '../../value/lanes.ts';
import type { LaneNet } from '../../value/laneNets.ts';
import { SHARE_ROLES } from '../../lib/roles.ts';
import type { SubjectView } from './facts/subjectView.ts';
import type { Motif } from '../../model/motif.ts';
import type { Asset, AssetId } from '../../model/valueFlow.ts';

export interface Told {
  readonly lane: AssetId;
  readonly asset: Asset;
  readonly amount: bigint;
}

/** All of a lane, whichever way it went. */
export function netOf({ lane, asset, net }: LaneNet): Told {
  return { lane, asset, amount: net < 0n ? -net : net };
}

/**
 * What the actor sent, or received, as a label tells it: all of it, except where the headline speaks of positions. Then it is
 * what went into them or came out: not what the transaction did besides, nor the tokens that stand for a position. Amounts
 * are the actor's own, unless one act alone says otherwise of just these assets.
 */
export function actAmounts(view: SubjectView, motifs: readonly Motif[], side: 'sent' | 'received'): Told[] {
  const own = view[side].map(netOf);
  const { motifKinds } = view.input.rulebook;
  if (motifs.length === 0 || motifs.some((m) => !motifKinds.get(m.kind)?.position || m.status !== 'Proven'))
    return own;
  // What was given in shares was paid with them, unless they are the position itself.
  const shares = sharesOf(side === 'received' ? view.own : motifs);
  const besides = shares.size === 0 ? own : own.filter(({ lane }) => !shares.has(lane));
  if (motifs.length > 1) return besides.length > 0 ? besides : own;
  const act = sumsOf(view, motifs, side);
  const related = besides.filter(({ lane }) => act.has(lane));
  if (related.length === 0) return besides.length > 0 ? besides : act.size > 0 ? [...act.values()] : own;
  if (related.length < act.size) return related;
  return related.map((told) => (act.get(told.lane)!.amount === told.amount ? told : act.get(told.lane)!));
}

function sharesOf(motifs: readonly Motif[]): ReadonlySet<AssetId> {
  const shares = new Set<AssetId>();
  for (const { assetsIn, assetsOut } of motifs) {
    for (const { role, asset } of assetsIn) if (SHARE_ROLES.has(role)) shares.add(asset);
    for (const { role, asset } of assetsOut) if (SHARE_ROLES.has(role)) shares.add(asset);
  }
  return shares;
}

/** What the acts moved on that side, native and wrapped native as one. */
function sumsOf(
  { input: { flow, rulebook } }: SubjectView,
  motifs: readonly Motif[],
  side: 'sent' | 'received',
): Map<AssetId, Told> {
  const wrapped = wrappedLanes(rulebook.wrappedNative);
  const sums = new Map<AssetId, Told>();
  for (const motif of motifs)
    for (const { asset, amount, role } of side === 'sent' ? motif.assetsOut : motif.assetsIn) {
      const known = flow.assets.get(asset);
      if (SHARE_ROLES.has(role) || !known) continue;
      const lane = mergedLane(asset, wrapped);
      const sum = sums.get(lane);
      sums.set(lane, { lane, asset: sum?.asset ?? known, amount: (sum?.amount ?? 0n) + amount });
    }
  return sums;
}
