import { NOTHING } from '../../lib/lists.ts';
import { distinctEvidence } from '../../lib/evidence.ts';
import { lowestOf, proveWhole, type ProofInput } from '../../value/prove.ts';
import type { Evidence } from '../../model/canonicalTx.ts';
import type { Motif } from '../../model/motif.ts';
import type { Address } from '../../model/hex.ts';
import type { JoinReason, Leg, OtherTrigger, Primitive, ProtocolRef } from '../../model/primitive.ts';

/** Inputs of motif building. */
export interface MotifInput extends ProofInput {
  readonly primitives: readonly Primitive[];
  /** The block's fee recipient, from its header; null where unknown. */
  readonly coinbase: Address | null;
}

/** A motif before it has its place (`index` is -1). `children`: the drafts a composite is made of. */
export interface MotifDraft extends Motif {
  index: number;
  parent: number | null;
  evidence: readonly Evidence[];
  readonly children: readonly MotifDraft[];
  /** The act that this is a part of. */
  whole: MotifDraft | null;
  reason?: JoinReason | undefined;
  named?: ProtocolRef | undefined;
  others?: readonly OtherTrigger[] | undefined;
  /** Empty for composites. */
  readonly legs: readonly Leg[];
}

/** The fields a composite states itself; the rest follows from its parts. */
type Summary = Pick<
  MotifDraft,
  'traits' | 'venue' | 'participants' | 'assetsIn' | 'assetsOut' | 'claims' | 'scopeFrame'
>;

type Optional = 'poolId' | 'tags' | 'position' | 'portions' | 'others' | 'legs' | 'children';
type Placing = 'index' | 'parent' | 'whole' | 'reason' | 'named' | 'count';

/**
 * A draft that has no place yet. Written out: objects of one shape are read faster than copies, and all
 * later stages read the fields of any draft.
 */
export function draftOf(
  own: Omit<MotifDraft, 'kind' | Optional | Placing> & Partial<MotifDraft>,
): MotifDraft {
  return {
    index: -1,
    parent: null,
    kind: own.traits.kind,
    traits: own.traits,
    protocol: own.protocol,
    named: undefined,
    basis: own.basis,
    venue: own.venue,
    poolId: own.poolId ?? null,
    seq: own.seq,
    scopeFrame: own.scopeFrame,
    participants: own.participants,
    assetsIn: own.assetsIn,
    assetsOut: own.assetsOut,
    claims: own.claims,
    tags: own.tags ?? NOTHING,
    status: own.status,
    doubt: own.doubt,
    confidence: own.confidence,
    movements: own.movements,
    evidence: own.evidence,
    position: own.position ?? null,
    portions: own.portions ?? NOTHING,
    count: undefined,
    children: own.children ?? NOTHING,
    whole: null,
    reason: undefined,
    legs: own.legs ?? NOTHING,
    others: own.others ?? NOTHING,
  };
}

/** A composite: Proven where its claims hold, and known no better than the least known of its parts. */
export function composite(summary: Summary, parts: readonly MotifDraft[]): MotifDraft {
  const doubt = proveWhole(summary, parts);
  return draftOf({
    traits: summary.traits,
    venue: summary.venue,
    participants: summary.participants,
    assetsIn: summary.assetsIn,
    assetsOut: summary.assetsOut,
    claims: summary.claims,
    scopeFrame: summary.scopeFrame,
    protocol: sharedProtocol(parts),
    basis: parts.every((part) => part.basis !== 'structure') ? 'event' : 'structure',
    seq: parts.reduce((first, part) => Math.min(first, part.seq), Infinity),
    status: statusOf(doubt),
    doubt,
    confidence: lowestOf(parts.map((part) => part.confidence)),
    movements: joinMovements(parts),
    evidence: joinEvidence(parts),
    children: parts,
  });
}

export const statusOf = (doubt: Motif['doubt']): Motif['status'] => (doubt === null ? 'Proven' : 'Suspected');

/** The protocol all parts have in common, else none. */
function sharedProtocol(parts: readonly MotifDraft[]): ProtocolRef | null {
  const first = parts[0]!.protocol;
  return first && parts.every((part) => part.protocol?.slug === first.slug) ? first : null;
}

/** Several motifs' evidence without repetition. */
export function joinEvidence(drafts: readonly MotifDraft[]): readonly Evidence[] {
  return distinctEvidence(drafts.flatMap(({ evidence }) => evidence));
}

/** Movements of several drafts or legs, each once, in order. */
export function joinMovements(
  parts: readonly { readonly movements: readonly number[] }[],
): readonly number[] {
  if (parts.length === 1 && parts[0]!.movements.length < 2) return parts[0]!.movements;
  const joined = new Set<number>();
  for (const { movements } of parts) for (const index of movements) joined.add(index);
  return [...joined].sort((a, b) => a - b);
}

/** The act that a draft is part of in the end, or itself. */
export function topOf(draft: MotifDraft): MotifDraft {
  let top = draft;
  while (top.whole !== null) top = top.whole;
  return top;
}

export function unique<T>(items: readonly T[]): T[] {
  return [...new Set(items)];
}
