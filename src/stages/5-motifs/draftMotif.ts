import { distinctEvidence } from '../../lib/evidence.ts';
import { proveWhole, type ProofInput } from '../../value/prove.ts';
import type { Evidence } from '../../model/canonicalTx.ts';
import type { Confidence, Motif } from '../../model/motif.ts';
import type { Address } from '../../model/hex.ts';
import type { JoinReason, Leg, OtherTrigger, Primitive, ProtocolRef } from '../../model/primitive.ts';

/** Inputs of motif building. */
export interface MotifInput extends ProofInput {
  readonly primitives: readonly Primitive[];
  /** The block's fee recipient, from its header; null where unknown. */
  readonly coinbase: Address | null;
}

/**
 * A motif before it has its place; `index` is -1 until then. `children` are the drafts a composite is made
 * of.
 */
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

/** The fields of a new draft; index, parent, name and whole are set later, status follows from doubt. */
type Draftable = Omit<MotifDraft, 'index' | 'parent' | 'status' | 'whole' | 'reason' | 'named'>;

/** Every draft has the same fields in the same order: all later stages read them, of any act. */
export function draftMotif(from: Draftable): MotifDraft {
  return {
    index: -1,
    parent: null,
    kind: from.kind,
    protocol: from.protocol,
    named: undefined,
    basis: from.basis,
    venue: from.venue,
    poolId: from.poolId,
    seq: from.seq,
    scopeFrame: from.scopeFrame,
    participants: from.participants,
    assetsIn: from.assetsIn,
    assetsOut: from.assetsOut,
    claims: from.claims,
    tags: from.tags,
    status: from.doubt === null ? 'Proven' : 'Suspected',
    doubt: from.doubt,
    confidence: from.confidence,
    movements: from.movements,
    evidence: from.evidence,
    position: from.position ?? null,
    portions: from.portions ?? [],
    count: from.count,
    children: from.children,
    whole: null,
    reason: undefined,
    legs: from.legs,
    others: from.others ?? [],
  };
}

/** The fields a composite states itself; the rest follows from its parts. */
type Summary = Pick<
  MotifDraft,
  'kind' | 'venue' | 'participants' | 'assetsIn' | 'assetsOut' | 'claims' | 'scopeFrame'
>;

/**
 * A composite motif: Proven where its claims hold, and never better known than the least known of its
 * parts.
 */
export function composite(summary: Summary, parts: readonly MotifDraft[]): MotifDraft {
  const { kind, venue, participants, assetsIn, assetsOut, claims, scopeFrame } = summary;
  return draftMotif({
    kind,
    venue,
    participants,
    assetsIn,
    assetsOut,
    claims,
    scopeFrame,
    protocol: sharedProtocol(parts),
    basis: parts.every((part) => part.basis !== 'structure') ? 'event' : 'structure',
    poolId: null,
    seq: parts.reduce((first, part) => Math.min(first, part.seq), Infinity),
    tags: [],
    doubt: proveWhole(summary, parts),
    confidence: CONFIDENCES.find((level) => parts.some((part) => part.confidence === level)) ?? 'Low',
    movements: joinMovements(parts),
    evidence: joinEvidence(parts),
    children: parts,
    legs: [],
  });
}

/** Lowest first. */
const CONFIDENCES: readonly Confidence[] = ['Low', 'Medium', 'High'];

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
