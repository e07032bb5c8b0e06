import { roleOf } from '../../../lib/roles.ts';
import type { SubjectView } from './subjectView.ts';
import type { Address } from '../../../model/hex.ts';
import type { Motif } from '../../../model/motif.ts';
import type { AssetId } from '../../../model/valueFlow.ts';
import type { MotifTraits } from '../../../model/vocabulary.ts';

/**
 * Motifs that directly took what the subject sent (`into`), or paid what it received (`outOf`), behind routers and proxies
 * that only carried it. They tell the purpose of a transaction from the means: in a zap the value goes into a swap and
 * comes out of a vault. Per lane of the subject.
 */
export function motifsAtEnd(
  view: SubjectView,
  side: 'into' | 'outOf',
): ReadonlyMap<AssetId, ReadonlySet<Motif>> {
  const { flow, entity } = view;
  const into = side === 'into';
  const ends = new Map<AssetId, Set<Motif>>();
  const lanes = into ? view.sent : view.received;
  if (lanes.length === 0) return ends;
  const told = toldOf(view, into);
  for (const { lane, outgoing, incoming } of lanes) {
    const found = new Set<Motif>();
    ends.set(lane, found);
    // What is added on the way is looked at in its turn.
    const movements = new Set(into ? outgoing : incoming);
    for (const movement of movements) {
      const carrier = into ? movement.to : movement.from;
      const here = told.byMovement.get(movement.index) ?? told.byVenue.get(carrier)?.get(lane);
      if (here) {
        for (const motif of here) found.add(motif);
        continue;
      }
      if (!view.agents.has(carrier)) continue;
      for (const index of (into ? flow.outgoing : flow.incoming).get(carrier) ?? []) {
        const next = flow.movements[index]!;
        if (view.laneOf(next.asset) === lane && !entity.has(into ? next.to : next.from)) movements.add(next);
      }
    }
  }
  return ends;
}

/** Kinds that say how value was packed, who ordered it or that it moved, not where it went; composites repeat their parts. */
function saysNotWhere({ carries, executes, allowance, plain, composite }: MotifTraits): boolean {
  return carries || executes !== null || allowance || plain || composite;
}

interface Told {
  readonly byMovement: ReadonlyMap<number, readonly Motif[]>;
  readonly byVenue: ReadonlyMap<Address, ReadonlyMap<AssetId, readonly Motif[]>>;
}

/** The motifs that say where value went, or came from: by the movements they tell, and by what they say their venue took or paid. */
function toldOf(view: SubjectView, into: boolean): Told {
  const byMovement = new Map<number, Motif[]>();
  const byVenue = new Map<Address, Map<AssetId, Motif[]>>();
  for (const motif of view.input.motifs) {
    if (saysNotWhere(view.kind(motif))) continue;
    const lanes = view.lanesOf(into ? motif.assetsOut : motif.assetsIn);
    if (lanes.size > 0) {
      let ofVenue = byVenue.get(motif.venue);
      if (!ofVenue) byVenue.set(motif.venue, (ofVenue = new Map()));
      for (const lane of lanes) add(ofVenue, lane, motif);
    }
    // A trade between two parties is told from one's view; the other's movements are part of it all the same.
    const mutual = roleOf(motif, 'seller') !== null || roleOf(motif, 'maker') !== null;
    for (const index of motif.movements)
      if (mutual || lanes.has(view.laneOf(view.flow.movements[index]!.asset))) add(byMovement, index, motif);
  }
  return { byMovement, byVenue };
}

function add<K>(map: Map<K, Motif[]>, key: K, motif: Motif): void {
  const known = map.get(key);
  if (known) known.push(motif);
  else map.set(key, [motif]);
}
