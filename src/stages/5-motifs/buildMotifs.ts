import { NATIVE_ASSET } from '../../value/asset.ts';
import { kindOf } from '../../lib/motifKinds.ts';
import { passThroughAccounts, valueEnds } from '../../value/follow.ts';
import { batchTransfers, compositesOf } from './composites.ts';
import type { MotifDraft, MotifInput } from './draftMotif.ts';
import { hopOf, type Hop } from './hops.ts';
import { partsOfActs } from './acts.ts';
import type { Tracing } from './routes.ts';
import { standAlone } from './standAlone.ts';
import type { Motif } from '../../model/motif.ts';
import type { Primitive } from '../../model/primitive.ts';

/**
 * Building blocks of intents, in execution order: every primitive as a motif, and the composites they form
 * (a route, a closed cycle, a batch), which precede their parts. Pure.
 */
export function buildMotifs(input: MotifInput): Motif[] {
  const { tx, flow, rulebook } = input;
  const passThrough = passThroughAccounts(flow, rulebook.wrappedNative);
  const tracing: Tracing = {
    origins: valueEnds(flow, rulebook.wrappedNative, passThrough, 'back'),
    destinations: valueEnds(flow, rulebook.wrappedNative, passThrough, 'onward'),
  };
  const single: MotifDraft[] = [];
  const hops: Hop[] = [];
  for (const found of input.primitives) {
    const primitive = paysBuilder(found, input) ? { ...found, kind: BUILDER_PAYMENT, tags: [] } : found;
    const draft = standAlone(primitive, input, tracing);
    single.push(draft);
    const hop = hopOf(primitive, draft, input);
    if (hop) hops.push(hop);
  }
  const composites = compositesOf(hops, single, input, tracing);
  const payments = single.filter(({ kind }) => {
    const { plain, serves } = kindOf(rulebook, kind);
    return plain && serves === null;
  });
  const batches = batchTransfers(payments, tx, flow);
  // Primitives come in execution order.
  const drafts =
    composites.length + batches.length === 0 ? single : [...composites, ...batches, ...single].sort(inOrder);
  return placed(drafts, partsOfActs(single));
}

const BUILDER_PAYMENT = 'builder_payment';

/** Ether sent to the block's fee recipient, other than by a plain transfer to it. */
function paysBuilder(
  { kind, basis, roles, legs }: Primitive,
  { tx, rulebook, coinbase }: MotifInput,
): boolean {
  if (coinbase === null || basis !== 'structure' || !kindOf(rulebook, kind).plain) return false;
  const toBuilder = roles.some(({ role, account }) => role === 'recipient' && account === coinbase);
  return toBuilder && tx.to !== coinbase && legs.every(({ asset }) => asset === NATIVE_ASSET);
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
