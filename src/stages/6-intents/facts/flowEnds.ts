import { COMPOSITES, PLAIN_MOVEMENTS } from '../../../lib/motifKinds.ts';
import type { SubjectView } from './subjectView.ts';
import type { Motif } from '../../../model/motif.ts';
import type { AssetId, Movement } from '../../../model/valueFlow.ts';

/**
 * Motifs that directly took what the subject gave (`into`), or paid what it got (`outOf`), behind routers and proxies
 * that only carried it. They tell the purpose of a transaction from the means: in a zap the value goes into a swap and
 * comes out of a vault. Per lane of the subject.
 */
export function motifsAtEnd(view: SubjectView, side: 'into' | 'outOf'): ReadonlyMap<AssetId, ReadonlySet<Motif>> {
  const takers = takersOf(view, side);
  const ends = new Map<AssetId, Set<Motif>>();
  const seen = new Set<number>();
  const lanes = side === 'into' ? view.gave : view.got;
  for (const lane of lanes) {
    const found = new Set<Motif>();
    ends.set(lane.lane, found);
    const queue = [...(side === 'into' ? lane.outgoing : lane.incoming)];
    for (let movement = queue.pop(); movement !== undefined; movement = queue.pop()) {
      if (seen.has(movement.index)) continue;
      seen.add(movement.index);
      const here = takers(movement, lane.lane);
      if (here.length > 0) { for (const motif of here) found.add(motif); continue; }
      const carrier = side === 'into' ? movement.to : movement.from;
      if (!view.agents.has(carrier)) continue;
      for (const index of (side === 'into' ? view.flow.outgoing : view.flow.incoming).get(carrier) ?? []) {
        const next = view.flow.movements[index]!;
        if (view.laneOf(next.asset) === lane.lane && !view.entity.has(side === 'into' ? next.to : next.from)) queue.push(next);
      }
    }
  }
  return ends;
}

/** Kinds that say how value was packed or who ordered it, not where it went. */
const CARRYING: ReadonlySet<string> = new Set(['wrap', 'unwrap', 'approval', 'user_operation', 'account_execution', 'account_execution_failed']);

function takersOf(view: SubjectView, side: 'into' | 'outOf'): (movement: Movement, lane: AssetId) => readonly Motif[] {
  const byMovement = new Map<number, Motif[]>();
  const byVenue = new Map<string, Motif[]>();
  const add = <K>(map: Map<K, Motif[]>, key: K, motif: Motif): void => {
    const known = map.get(key);
    if (known) known.push(motif); else map.set(key, [motif]);
  };
  for (const motif of view.input.motifs) {
    if (CARRYING.has(motif.kind) || PLAIN_MOVEMENTS.has(motif.kind) || COMPOSITES.has(motif.kind)) continue;
    const lanes = new Set((side === 'into' ? motif.assetsOut : motif.assetsIn).map((a) => view.laneOf(a.asset)));
    for (const lane of lanes) add(byVenue, `${motif.venue}|${lane}`, motif);
    // A trade between two parties is told from one's view; the other's movements are part of it all the same.
    const mutual = motif.participants.some((p) => p.role === 'seller' || p.role === 'maker');
    for (const index of motif.movements) if (mutual || lanes.has(view.laneOf(view.flow.movements[index]!.asset))) add(byMovement, index, motif);
  }
  return (movement, lane) => byMovement.get(movement.index)
    ?? byVenue.get(`${side === 'into' ? movement.to : movement.from}|${lane}`) ?? [];
}
