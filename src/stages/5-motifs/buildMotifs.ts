import { NATIVE_ASSET } from '../../lib/asset.ts';
import { laneFollower } from '../../lib/laneFollower.ts';
import { passThroughAccounts, wrappedLanes } from '../../lib/lanes.ts';
import { batchTransfers } from './batchTransfers.ts';
import { cycleOf, type CycleContext } from './cycles.ts';
import { entityOf } from './entity.ts';
import type { MotifDraft } from './draftMotif.ts';
import { connectedHops, hopOf, type Hop } from './hops.ts';
import { partsOfActs } from './partsOfActs.ts';
import { routeOf, type Tracing } from './routes.ts';
import { standAlone } from './standAlone.ts';
import type { Address } from '../../model/hex.ts';
import type { CanonicalTx } from '../../model/canonicalTx.ts';
import type { Motif } from '../../model/motif.ts';
import type { Primitive } from '../../model/primitive.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { ValueFlow } from '../../model/valueFlow.ts';

export interface MotifExtra {
  /** The block's fee recipient, from its header; null where unknown. */
  readonly coinbase: Address | null;
}

/**
 * Building blocks of intents, in execution order: every primitive as a motif, and the composites they form (a route, a
 * closed cycle, a batch), which stand before their parts. Pure.
 */
export function buildMotifs(tx: CanonicalTx, flow: ValueFlow, primitives: readonly Primitive[], rulebook: Rulebook, extra: MotifExtra): Motif[] {
  const wrapped = wrappedLanes(rulebook.wrappedNative);
  const passThrough = passThroughAccounts(flow, rulebook.wrappedNative);
  const tracing: Tracing = {
    origins: laneFollower(flow, rulebook.wrappedNative, passThrough, 'incoming'),
    destinations: laneFollower(flow, rulebook.wrappedNative, passThrough, 'outgoing'),
  };
  const single: MotifDraft[] = [];
  const hops: Hop[] = [];
  for (const primitive of primitives) {
    const seen = paysBuilder(primitive, tx, extra.coinbase) ? { ...primitive, kind: 'builder_payment', tags: [] } : primitive;
    const draft = standAlone(seen, tx, rulebook, tracing);
    single.push(draft);
    const hop = hopOf(seen, draft, flow, wrapped);
    if (hop) hops.push(hop);
  }
  const feeTakers = new Set(single.filter((d) => d.kind === 'protocol_fee').flatMap((d) => d.participants.filter((p) => p.role === 'recipient').map((p) => p.account)));
  const entity = entityOf(tx, flow, rulebook.wrappedNative, extra.coinbase, new Set(hops.map((hop) => hop.motif.venue)));
  const context: CycleContext = { tx, flow, wrappedNative: rulebook.wrappedNative, entity };
  const composites = connectedHops(hops).flatMap((group) => {
    const composite = cycleOf(group, context) ?? routeOf(group, tracing, feeTakers);
    return composite ? [composite] : [];
  });
  const batches = batchTransfers(single.filter((d) => d.kind === 'transfer'), tx, flow);
  return arrange([...composites, ...batches, ...single], partsOfActs(single));
}

/** Ether sent to the block's fee recipient, other than by a plain transfer to it. */
function paysBuilder(primitive: Primitive, tx: CanonicalTx, coinbase: Address | null): boolean {
  if (coinbase === null || primitive.basis !== 'structure' || !['transfer', 'protocol_fee', 'refund'].includes(primitive.kind)) return false;
  const toBuilder = primitive.roles.some((r) => r.role === 'recipient' && r.account === coinbase);
  return toBuilder && tx.to !== coinbase && primitive.legs.every((leg) => leg.asset === NATIVE_ASSET);
}

/** Numbers the motifs in execution order, composites before their parts, and points parts at the composite. */
function arrange(drafts: readonly MotifDraft[], wholes: ReadonlyMap<MotifDraft, MotifDraft>): Motif[] {
  const order = drafts.map((draft, i) => ({ draft, i }))
    .sort((a, b) => a.draft.seq - b.draft.seq || b.draft.children.length - a.draft.children.length || a.i - b.i);
  const places = new Map(order.map(({ draft }, index) => [draft, index]));
  const parents = new Map<MotifDraft, number>();
  order.forEach(({ draft }, index) => {
    for (const child of draft.children) if (!parents.has(child)) parents.set(child, index);
  });
  return order.map(({ draft }, index) => {
    const whole = wholes.get(draft);
    return {
      kind: draft.kind, protocol: draft.protocol, basis: draft.basis, venue: draft.venue, poolId: draft.poolId, seq: draft.seq,
      scopeFrame: draft.scopeFrame, participants: draft.participants, assetsIn: draft.assetsIn, assetsOut: draft.assetsOut,
      invariants: draft.invariants, tags: draft.tags, status: draft.status, confidence: draft.confidence, movements: draft.movements,
      evidence: draft.evidence, position: draft.position, portions: draft.portions,
      index, parent: parents.get(draft) ?? (whole ? places.get(whole)! : null),
    };
  });
}
