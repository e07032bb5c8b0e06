import { isRecognised, kindOf } from '../../lib/motifKinds.ts';
import { isParty } from '../../lib/roles.ts';
import { recognise, type Candidate, type RecognitionRun } from './bind/applyMapping.ts';
import { bindingClaims } from './bind/bindingClaims.ts';
import { EnclosingCalls } from './match/enclosingCalls.ts';
import { distinctEvidence } from '../../lib/evidence.ts';
import { withImpliedLegs } from './bind/impliedLegs.ts';
import { MovementIndex } from './bind/movementIndex.ts';
import { nettedVenues } from './bind/namedDifference.ts';
import { holdersIn } from './match/holders.ts';
import { Create2Proofs, knownContracts, type RegisteredContracts } from './match/provenProtocol.ts';
import { joinTriggers } from './join/joinTriggers.ts';
import { findApprovals } from './structure/approvals.ts';
import { StructureContext } from './structure/context.ts';
import { findBusMessages } from './structure/busMessages.ts';
import { findDeployments, findIssuance } from './structure/issuance.ts';
import { NamedActs } from './structure/namedActs.ts';
import { asPaidActs } from './structure/payments.ts';
import { findLiquidityExchanges, findShareExchanges } from './structure/shares.ts';
import { findStructuralSwaps } from './structure/swaps.ts';
import { findTransfers } from './structure/transfers.ts';
import { findWraps } from './structure/wraps.ts';
import { ClaimedMovements } from './bind/bucket.ts';
import { findTriggers, indexTriggers } from './match/triggers.ts';
import type { CanonicalTx, Evidence } from '../../model/canonicalTx.ts';
import type { Address } from '../../model/hex.ts';
import type { DraftPrimitive, MappingMiss, Primitive, ProtocolRef } from '../../model/primitive.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { RawContext } from '../../model/upstream.ts';
import type { ValueFlow } from '../../model/valueFlow.ts';

interface FindOptions {
  /** Called for every mapping that made nothing of an event or call. */
  readonly missed?: ((miss: MappingMiss) => void) | undefined;
  readonly registered?: RegisteredContracts | undefined;
  readonly holders?: RawContext['holders'];
}

/**
 * Finds the smallest recognised acts of a transaction, in execution order: events and calls mapped by a
 * rule and confirmed by the value flow, those of one act joined, then acts the flow alone shows. Pure. Never
 * reads a log's frame: only one trace dialect names it.
 */
export function findPrimitives(
  tx: CanonicalTx,
  flow: ValueFlow,
  rulebook: Rulebook,
  options: FindOptions = {},
): Primitive[] {
  if (!tx.succeeded) return [];
  const known = knownContracts(rulebook, options.registered ?? new Map());
  return joinTriggers(findDrafts({ tx, flow, rulebook, known }, options), tx, flow, known);
}

/** The acts of each event and call, and those that the flow alone shows. */
function findDrafts(
  { tx, flow, rulebook, known }: Pick<RecognitionRun, 'tx' | 'flow' | 'rulebook' | 'known'>,
  { missed, holders }: FindOptions,
): DraftPrimitive[] {
  const found = findDeclared({ tx, flow, rulebook, known, missed, holderAt: holdersIn(flow, holders, tx) });
  const context = new StructureContext(tx, flow, rulebook, found);
  const take = (more: readonly DraftPrimitive[]): void => {
    for (const item of more) {
      context.explain(item);
      found.push(item);
    }
  };
  // Detectors over unexplained movements, in order: each narrows the input of the next.
  const mayExchange = flow.movements.length > 1;
  const named = new NamedActs(context);
  take(findWraps(context));
  if (mayExchange) take(findLiquidityExchanges(context));
  if (flow.movements.length > 0) take(named.withAmounts());
  if (mayExchange) {
    take(findShareExchanges(context));
    take(findStructuralSwaps(context));
  }
  take(findBusMessages(context));
  take(named.withoutAmounts());
  take(findIssuance(context));
  take(findDeployments(context));
  take(findApprovals(context));
  // Nothing that follows needs the movements of these.
  for (const paid of asPaidActs(findTransfers(context), context, known)) found.push(paid);
  // The sort is stable: primitives of one moment keep the order in which they were found.
  return found.sort((a, b) => a.seq - b.seq);
}

/** Events and calls that a rule maps and the value flow confirms. */
function findDeclared(
  scene: Pick<RecognitionRun, 'tx' | 'flow' | 'rulebook' | 'known' | 'holderAt' | 'missed'>,
): DraftPrimitive[] {
  const { tx, flow, rulebook, known, holderAt, missed } = scene;
  const matches = findTriggers(tx, rulebook.prepared.derive(indexTriggers));
  if (matches.length === 0) return [];
  const run: RecognitionRun = {
    tx,
    flow,
    rulebook,
    known,
    holderAt,
    missed,
    index: new MovementIndex(flow),
    proofs: new Create2Proofs(),
    claimed: new ClaimedMovements(),
    enclosing: new EnclosingCalls(tx),
    positionTokens: rulebook.prepared.derive(positionTokens),
  };
  const candidates: Candidate[] = [];
  for (const { mappings, trigger } of matches) {
    const candidate = recognise(mappings.all(), trigger, run);
    if (candidate) candidates.push(candidate);
  }
  const netted = nettedVenues(candidates, run);
  const bound = candidates.map((candidate) => primitiveOf(candidate, run, netted));
  return withImpliedLegs(bound, run);
}

/** Position managers: their NFTs represent positions kept elsewhere. */
function positionTokens({ entities }: Rulebook): ReadonlySet<Address> {
  const managers = [...entities].filter(([, { tags }]) => tags.includes('position_manager'));
  return new Set(managers.map(([address]) => address));
}

function primitiveOf(
  candidate: Candidate,
  run: RecognitionRun,
  netted: ReadonlyMap<Address, boolean>,
): DraftPrimitive {
  const { trigger, mapping, binding, detail } = candidate;
  const family: ProtocolRef = { slug: mapping.shape, version: 1, matchedBy: 'family' };
  const protocol = candidate.protocol ?? confirmed(candidate, run) ?? family;
  const onTrial =
    mapping.status === 'experimental' ||
    (mapping.unconfirmed && !(isRecognised(protocol) && showsItself(candidate, run)));
  return {
    kind: mapping.kind,
    seq: trigger.seq,
    basis: trigger.basis,
    shape: mapping.shape,
    protocol,
    venue: candidate.venue,
    poolId: candidate.poolId,
    roles: candidate.roles,
    legs: binding.legs.map((b) => b.leg),
    claims: bindingClaims(candidate, run, netted),
    tags: onTrial ? [...mapping.tags, 'experimental'] : mapping.tags,
    evidence: evidenceOf(candidate, run),
    about: detail.about,
    position: detail.position,
    portions: detail.portions,
  };
}

/**
 * A log on chain confirms its own signature: topic 0 is the hash of its name and types. Movements have to
 * confirm the meaning of its arguments: each amount moved as stated, and each account named signed or is an
 * end of them. Without amounts, and where no position changes, the signer is named and called the contract.
 */
function showsItself(
  { trigger, mapping, binding, roles, venue }: Candidate,
  { tx, flow, rulebook }: RecognitionRun,
): boolean {
  const { legs } = binding;
  const parties = roles.filter(({ role }) => isParty(role));
  const isOwnCall =
    venue === tx.to &&
    kindOf(rulebook, mapping.kind).position === null &&
    parties.some(({ account }) => account === tx.from);
  if (trigger.basis !== 'event' || (legs.length === 0 && !isOwnCall)) return false;
  const ends = new Set([tx.from, venue]);
  for (const { leg, stated } of legs) {
    if (leg.movements.length === 0 || (stated !== null && !leg.exact)) return false;
    for (const m of leg.movements) ends.add(flow.movements[m]!.from).add(flow.movements[m]!.to);
  }
  return parties.every(({ account }) => ends.has(account));
}

/**
 * A listed contract's event of a family that its protocol does not name: the contract is no stranger's, and
 * the stated amount moved exactly to or from it, so it has the family's meaning.
 */
function confirmed(
  { trigger, venue, binding }: Candidate,
  { flow, known }: RecognitionRun,
): ProtocolRef | undefined {
  const { basis, contract } = trigger;
  if (basis !== 'event' || venue !== contract) return undefined;
  const moved = binding.legs.some(
    ({ leg, stated }) =>
      stated !== null &&
      leg.exact &&
      leg.movements.some((m) => [flow.movements[m]!.from, flow.movements[m]!.to].includes(contract)),
  );
  const protocol = moved ? known.listing(contract) : undefined;
  return isRecognised(protocol ?? null) ? protocol : undefined;
}

function evidenceOf({ trigger, within, binding }: Candidate, { flow }: RecognitionRun): readonly Evidence[] {
  const evidence = within ? [trigger.evidence, within] : [trigger.evidence];
  for (const { leg } of binding.legs)
    for (const m of leg.movements) evidence.push(flow.movements[m]!.evidence);
  return distinctEvidence(evidence);
}
