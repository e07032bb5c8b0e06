import { isRecognised, kindOf } from '../../lib/motifKinds.ts';
import { SENT_ROLES } from '../../lib/roles.ts';
import { commonFrame, joinMovements, type MotifDraft, type MotifInput } from './draftMotif.ts';
import { participantsOf } from './participants.ts';
import type { Tracing } from './routes.ts';
import type { AssetAmount, Confidence, Status } from '../../model/motif.ts';
import type { Leg, Primitive } from '../../model/primitive.ts';
import type { Suspects } from '../../value/suspectTokens.ts';
import type { Rulebook } from '../../model/rulebook.ts';

/** A primitive as a motif of its own. */
export function standAlone(
  primitive: Primitive,
  { tx, rulebook, suspects }: MotifInput,
  tracing: Tracing,
): MotifDraft {
  const { legs } = primitive;
  const suspect = suspects !== undefined && legs.some((leg) => isSuspect(leg, suspects));
  const confidence = confidenceOf(primitive, rulebook);
  return {
    index: -1,
    parent: null,
    kind: primitive.kind,
    protocol: primitive.protocol,
    basis: primitive.basis,
    venue: primitive.venue,
    poolId: primitive.poolId,
    seq: primitive.seq,
    scopeFrame: commonFrame(tx, primitive.evidence),
    participants: participantsOf(primitive, kindOf(rulebook, primitive.kind), tracing),
    assetsIn: amountsOf(legs, false),
    assetsOut: amountsOf(legs, true),
    invariants: primitive.invariants,
    tags: primitive.tags,
    status: suspect ? 'Suspected' : statusOf(primitive, rulebook),
    confidence: suspect && confidence === 'High' ? 'Medium' : confidence,
    movements: joinMovements(legs),
    evidence: primitive.evidence,
    position: primitive.position ?? null,
    portions: primitive.portions ?? NOTHING,
    children: NOTHING,
  };
}

/**
 * A token under another's name, or a movement its source shows no part in: a stranger's contract can make up
 * either.
 */
function isSuspect({ asset, movements }: Leg, { impersonating, unverified }: Suspects): boolean {
  return impersonating.has(asset) || movements.some((index) => unverified.has(index));
}

/** Amounts that the venue's counterparty sent, or received. */
function amountsOf(legs: readonly Leg[], sent: boolean): readonly AssetAmount[] {
  return legs
    .filter(({ role }) => SENT_ROLES.has(role) === sent)
    .map(({ asset, amount, role }) => ({ asset, amount, role }));
}

const NOTHING: readonly never[] = [];

/** Structure that only suggests an act; plain movements (transfers, mints, wraps) carry no such tag. */
function isGuess(primitive: Primitive): boolean {
  return primitive.tags.includes('structural');
}

/**
 * Proven needs every invariant, and a plain movement, a contract known by its address, or an unknown
 * contract with movements that show the act by themselves: any contract can log an event, and only the
 * event states the purpose of a one-sided payment.
 */
function statusOf(primitive: Primitive, rulebook: Rulebook): Status {
  const { basis, invariants, tags, protocol } = primitive;
  if (isGuess(primitive) || tags.includes('experimental') || invariants.some((i) => !i.holds))
    return 'Suspected';
  if (basis === 'structure') return 'Proven';
  if (isRecognised(protocol)) return 'Proven';
  return showsItself(primitive, rulebook) ? 'Proven' : 'Suspected';
}

/** Whether movements carry both sides of an exchange that leaves no position behind. */
function showsItself({ kind, legs }: Primitive, rulebook: Rulebook): boolean {
  const carries = (sent: boolean): boolean =>
    legs.some(({ role, movements }) => movements.length > 0 && SENT_ROLES.has(role) === sent);
  return kindOf(rulebook, kind).position === null && carries(true) && carries(false);
}

function confidenceOf(primitive: Primitive, rulebook: Rulebook): Confidence {
  const { basis, protocol, shape } = primitive;
  if (basis === 'structure') return isGuess(primitive) ? 'Low' : 'High';
  if (isRecognised(protocol)) return 'High';
  return shape === null ? 'Low' : (rulebook.prepared.familyConfidence.get(shape) ?? 'Low');
}
