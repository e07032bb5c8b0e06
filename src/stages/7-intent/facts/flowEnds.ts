import { follow, isWrapping } from '../../../value/follow.ts';
import { isIntermediary } from './ownership.ts';
import { addTo } from '../../../lib/lists.ts';
import { roleOf } from '../../../lib/roles.ts';
import type { SubjectView } from './subjectView.ts';
import type { Address } from '../../../model/hex.ts';
import type { Motif } from '../../../model/motif.ts';
import type { MotifTraits } from '../../../model/vocabulary.ts';
import type { AssetId, Movement } from '../../../model/valueFlow.ts';
import { balances } from '../../../value/balances.ts';
import { indexesOf } from '../../../value/claims.ts';

/**
 * Motifs that directly took the subject's payments (`into`) or paid its receipts (`outOf`), behind routers
 * and proxies. They separate the purpose from the means: in a zap the value goes into a swap and comes out
 * of a vault. Per asset of the subject.
 */
export function motifsAtEnd(
  view: SubjectView,
  side: 'into' | 'outOf',
): ReadonlyMap<AssetId, ReadonlySet<Motif>> {
  const { flow, entity } = view;
  const into = side === 'into';
  const reached = new Map<AssetId, Set<Motif>>();
  const sides = into ? view.sent : view.received;
  if (sides.length === 0) return reached;
  const ends = endsOf(view, into);
  for (const { id, outgoing, incoming } of sides) {
    const found = new Set<Motif>();
    reached.set(id, found);
    const visit = (movement: Movement, carrier: Address): boolean => {
      if (view.mergedAsset(movement.asset) !== id || entity.has(carrier)) return false;
      const here = ends.byMovement.get(movement.index) ?? ends.byVenue.get(carrier)?.get(id);
      for (const motif of here ?? []) found.add(motif);
      return here === undefined && isIntermediary(view, carrier);
    };
    const carriers: Address[] = [];
    for (const movement of into ? outgoing : incoming) {
      const carrier = into ? movement.to : movement.from;
      if (visit(movement, carrier)) carriers.push(carrier);
    }
    follow(flow, carriers, into ? 'onward' : 'back', visit);
  }
  return reached;
}

/** Kinds about wrapping, ordering or mere movement, not destination; composites repeat their parts. */
function saysNotWhere({ carries, executes, allowance, plain, composite }: MotifTraits): boolean {
  return carries || executes !== null || allowance || plain || composite;
}

/** The motifs that show where value went or came from: by movement, and by the assets of their venue. */
function endsOf(view: SubjectView, into: boolean) {
  const byMovement = new Map<number, Motif[]>();
  const byVenue = new Map<Address, Map<AssetId, Motif[]>>();
  for (const motif of view.input.motifs) {
    if (saysNotWhere(motif.traits)) continue;
    const assets = view.assetsMoved(motif, into);
    const ofVenue = byVenue.get(motif.venue) ?? new Map<AssetId, Motif[]>();
    if (assets.size > 0) byVenue.set(motif.venue, ofVenue);
    for (const asset of assets) addTo(ofVenue, asset, motif);
    const moved = hasTwoParties(motif) ? motif.movements : indexesOf(view.movementsIn(motif, assets));
    for (const index of moved) addTo(byMovement, index, motif);
  }
  return { byMovement, byVenue };
}

/** A trade between two parties is recorded from one side; the other side's movements are part of it too. */
function hasTwoParties(motif: Motif): boolean {
  return roleOf(motif, 'seller') !== null || roleOf(motif, 'maker') !== null;
}

/** Accounts that kept part of the payments, also behind forwarders; wrapping is no payment. */
export function recipientsOf(view: SubjectView): ReadonlySet<Address> {
  const { flow, entity, sent } = view;
  const given = new Set(sent.map((b) => b.id));
  const carries = (m: Movement): boolean => !isWrapping(m) && given.has(view.mergedAsset(m.asset));
  const found = new Set<Address>();
  const forwards = (account: Address): boolean => {
    const own = [...balances(flow, account, { dust: 'drop' })];
    const kept = own.some(([id, { net }]) => net > 0n && given.has(id));
    const onward = (flow.outgoing.get(account) ?? []).some((index) => carries(flow.movements[index]!));
    if (kept || !onward) found.add(account);
    return !kept && onward;
  };
  const seen = new Set<Address>(entity);
  const visit = (movement: Movement, account: Address): boolean => {
    if (!carries(movement) || seen.has(account)) return false;
    seen.add(account);
    return forwards(account);
  };
  const direct = sent.flatMap(({ outgoing }) => outgoing).filter((m) => visit(m, m.to));
  const starts = direct.map(({ to }) => to);
  follow(flow, starts, 'onward', visit);
  return found;
}

/** Whether a receipt surely came from outside the calls of the subject's accounts. */
export function addedBeside({ tx, entity }: SubjectView): SubjectView['isAdded'] {
  const calls = tx.frames.filter(({ from, effective }) => effective && entity.has(from));
  if (calls.length === 0 || entity.has(tx.from)) return () => false;
  return ({ incoming }) =>
    incoming.every(({ evidence: { log, frame } }) => {
      const { index, end } = tx.frames[(log === null ? frame : tx.logs[log]!.within) ?? 0]!;
      return calls.every((call) => end <= call.index || call.end <= index);
    });
}
