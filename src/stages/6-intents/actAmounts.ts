import { erc20Id } from '../../lib/asset.ts';
import { mergedLane } from '../../lib/lanes.ts';
import { SHARE_ROLES } from '../../lib/legRoles.ts';
import type { SubjectView } from './facts/subjectView.ts';
import type { Motif } from '../../model/motif.ts';
import type { Asset, AssetId } from '../../model/valueFlow.ts';

export interface Told { readonly asset: Asset; readonly amount: bigint }

/**
 * What the actor gave, or got, as a label tells it: all of it, except where the headline speaks of positions. Then it is
 * what went into them or came out: not what the transaction did besides, nor the tokens that stand for a position. Amounts
 * are the actor's own, unless one act alone says otherwise of just these assets.
 */
export function actAmounts(view: SubjectView, motifs: readonly Motif[], side: 'gave' | 'got'): Told[] {
  const own = new Map(view[side].map((l) => [l.lane, { asset: l.asset, amount: l.net < 0n ? -l.net : l.net }]));
  const { motifKinds } = view.input.rulebook;
  if (motifs.length === 0 || motifs.some((m) => !motifKinds.get(m.kind)?.position || m.status !== 'Proven')) return [...own.values()];
  const act = sumsOf(view, motifs, side);
  // What was given in shares was paid with them, unless they are the position itself.
  const shares = new Set((side === 'got' ? view.own : motifs).flatMap((m) => [...m.assetsIn, ...m.assetsOut]).filter((leg) => SHARE_ROLES.has(leg.role)).map((leg) => leg.asset));
  const besides = [...own].filter(([lane]) => !shares.has(lane));
  if (motifs.length > 1) return (besides.length > 0 ? besides : [...own]).map(([, told]) => told);
  const related = besides.filter(([lane]) => act.has(lane));
  if (related.length === 0) return besides.length > 0 ? besides.map(([, told]) => told) : act.size > 0 ? [...act.values()] : [...own.values()];
  if (related.length < act.size) return related.map(([, told]) => told);
  return related.map(([lane, told]) => (act.get(lane)!.amount === told.amount ? told : act.get(lane)!));
}

/** What the acts moved on that side, native and wrapped native as one. */
function sumsOf({ input: { flow, rulebook } }: SubjectView, motifs: readonly Motif[], side: 'gave' | 'got'): Map<AssetId, Told> {
  const wrapped = new Set([...rulebook.wrappedNative].map(erc20Id));
  const sums = new Map<AssetId, Told>();
  for (const motif of motifs) for (const { asset, amount, role } of side === 'gave' ? motif.assetsOut : motif.assetsIn) {
    const known = flow.assets.get(asset);
    if (SHARE_ROLES.has(role) || !known) continue;
    const lane = mergedLane(asset, wrapped);
    const sum = sums.get(lane);
    sums.set(lane, { asset: sum?.asset ?? known, amount: (sum?.amount ?? 0n) + amount });
  }
  return sums;
}
