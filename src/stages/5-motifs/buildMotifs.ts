import { NATIVE_ASSET } from '../../value/asset.ts';
import { laneFollower } from '../../value/laneFollower.ts';
import { passThroughAccounts, wrappedLanes } from '../../value/lanes.ts';
import { batchTransfers } from './batchTransfers.ts';
import { compositesOf } from './composites.ts';
import type { MotifDraft } from './draftMotif.ts';
import { hopOf, type Hop } from './hops.ts';
import { partsOfActs } from './partsOfActs.ts';
import type { Tracing } from './routes.ts';
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
export function buildMotifs(
  tx: CanonicalTx,
  flow: ValueFlow,
  primitives: readonly Primitive[],
  rulebook: Rulebook,
  extra: MotifExtra,
): Motif[] {
  const wrapped = wrappedLanes(rulebook.wrappedNative);
  const passThrough = passThroughAccounts(flow, rulebook.wrappedNative);
  const tracing: Tracing = {
    origins: laneFollower(flow, rulebook.wrappedNative, passThrough, 'incoming'),
    destinations: laneFollower(flow, rulebook.wrappedNative, passThrough, 'outgoing'),
  };
  const single: MotifDraft[] = [];
  const hops: Hop[] = [];
  for (const primitive of primitives) {
    const seen = paysBuilder(primitive, tx, extra.coinbase)
      ? { ...primitive, kind: 'builder_payment', tags: [] }
      : primitive;
    const draft = standAlone(seen, tx, rulebook, tracing);
    single.push(draft);
    const hop = hopOf(seen, draft, flow, wrapped);
    if (hop) hops.push(hop);
  }
  const composites = compositesOf(hops, single, {
    tx,
    flow,
    wrappedNative: rulebook.wrappedNative,
    tracing,
    coinbase: extra.coinbase,
  });
  const batches = batchTransfers(
    single.filter((d) => d.kind === 'transfer'),
    tx,
    flow,
  );
  // Primitives come in execution order.
  const drafts =
    composites.length + batches.length === 0 ? single : [...composites, ...batches, ...single].sort(inOrder);
  return placed(drafts, partsOfActs(single));
}

const PAYING: ReadonlySet<string> = new Set(['transfer', 'protocol_fee', 'refund']);

/** Ether sent to the block's fee recipient, other than by a plain transfer to it. */
function paysBuilder(primitive: Primitive, tx: CanonicalTx, coinbase: Address | null): boolean {
  if (coinbase === null || primitive.basis !== 'structure' || !PAYING.has(primitive.kind)) return false;
  const toBuilder = primitive.roles.some((r) => r.role === 'recipient' && r.account === coinbase);
  return toBuilder && tx.to !== coinbase && primitive.legs.every((leg) => leg.asset === NATIVE_ASSET);
}

/** By execution, composites before their parts. */
function inOrder(a: MotifDraft, b: MotifDraft): number {
  return a.seq - b.seq || b.children.length - a.children.length;
}

/** Gives each its number and points parts at the first composite they are of, or at the act. */
function placed(drafts: MotifDraft[], wholes: ReadonlyMap<MotifDraft, MotifDraft>): Motif[] {
  drafts.forEach((draft, index) => {
    draft.index = index;
    for (const child of draft.children) child.parent ??= index;
  });
  for (const [part, whole] of wholes) part.parent ??= whole.index;
  return drafts;
}
