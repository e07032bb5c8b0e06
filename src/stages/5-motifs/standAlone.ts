import { kindOf } from '../../lib/motifKinds.ts';
import { SENT_ROLES } from '../../lib/roles.ts';
import { commonFrame, joinMovements, type MotifDraft, type MotifInput } from './draftMotif.ts';
import { participantsOf } from './participants.ts';
import type { Tracing } from './routes.ts';
import type { AssetAmount, Confidence, Status } from '../../model/motif.ts';
import type { Leg, Primitive } from '../../model/primitive.ts';
import type { Rulebook } from '../../model/rulebook.ts';

/** A primitive as a motif of its own. */
export function standAlone(primitive: Primitive, { tx, rulebook }: MotifInput, tracing: Tracing): MotifDraft {
  const { legs } = primitive;
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
    status: statusOf(primitive),
    confidence: confidenceOf(primitive, rulebook),
    movements: joinMovements(legs),
    evidence: primitive.evidence,
    position: primitive.position ?? null,
    portions: primitive.portions ?? NOTHING,
    children: NOTHING,
  };
}

/** What the venue's counterparty sent, or received. */
function amountsOf(legs: readonly Leg[], sent: boolean): readonly AssetAmount[] {
  return legs
    .filter(({ role }) => SENT_ROLES.has(role) === sent)
    .map(({ asset, amount, role }) => ({ asset, amount, role }));
}

const NOTHING: readonly never[] = [];

/** Structure that only suggests an act; plain movements (transfers, mints, wraps) are what they are and carry no such tag. */
function isGuess(primitive: Primitive): boolean {
  return primitive.tags.includes('structural');
}

/**
 * Proven needs every invariant, and either a plain movement, or an event or call that movements bear out, or one from a
 * contract known by its address: anybody can log an event that moves nothing.
 */
function statusOf(primitive: Primitive): Status {
  const { basis, invariants, tags, legs, protocol } = primitive;
  if (isGuess(primitive) || tags.includes('experimental') || invariants.some((i) => !i.holds))
    return 'Suspected';
  if (basis === 'structure') return 'Proven';
  const carried = legs.some((leg) => leg.movements.length > 0);
  return carried || (protocol !== null && protocol.matchedBy !== 'family') ? 'Proven' : 'Suspected';
}

function confidenceOf(primitive: Primitive, rulebook: Rulebook): Confidence {
  const { basis, protocol, shape } = primitive;
  if (basis === 'structure') return isGuess(primitive) ? 'Low' : 'High';
  if (protocol !== null && protocol.matchedBy !== 'family') return 'High';
  return shape === null ? 'Low' : (rulebook.prepared.familyConfidence.get(shape) ?? 'Low');
}
