import { isRecognised, kindOf } from '../../lib/motifKinds.ts';
import { isParty } from '../../lib/roles.ts';
import { recognise, type Candidate, type RecognitionRun } from './bind/applyMapping.ts';
import { EnclosingCalls } from './match/enclosingCalls.ts';
import { distinctEvidence } from '../../lib/evidence.ts';
import { withImpliedLegs } from './bind/impliedLegs.ts';
import { MovementIndex, ClaimedMovements } from './bind/movementIndex.ts';
import { nettedVenues, isNetted } from './bind/namedDifference.ts';
import { holdersIn } from './match/holders.ts';
import { Create2Proofs, knownContracts, type RegisteredContracts } from './match/provenProtocol.ts';
import { joinTriggers } from './join/joinTriggers.ts';
import { findApprovals, findDeployments, findIssuance, findWraps } from './structure/plainActs.ts';
import { StructureContext } from './structure/context.ts';
import { findBusMessages } from './structure/busMessages.ts';
import { NamedActs } from './structure/namedActs.ts';
import { asPaidActs, findTransfers } from './structure/transfers.ts';
import { findLiquidityExchanges, findShareExchanges } from './structure/shares.ts';
import { findStructuralSwaps } from './structure/swaps.ts';
import { findTriggers, indexTriggers } from './match/triggers.ts';
import type { CanonicalTx, Evidence } from '../../model/canonicalTx.ts';
import type { Address } from '../../model/hex.ts';
import type { DraftPrimitive, MappingMiss, Primitive, ProtocolRef, Claim } from '../../model/primitive.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { RawContext } from '../../model/upstream.ts';
import type { ValueFlow } from '../../model/valueFlow.ts';
import { claim, evaluate, issueClaim } from '../../value/claims.ts';
import type { BoundLeg } from './bind/legOptions.ts';
import type { ProofInput } from '../../value/prove.ts';

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
  const { missed, holders } = options;
  const scene = { tx, flow, rulebook, known, missed, holderAt: holdersIn(flow, holders, tx) };
  return joinTriggers(findDrafts(scene), tx, flow, known);
}

type Recognition = Pick<RecognitionRun, 'tx' | 'flow' | 'rulebook' | 'known' | 'holderAt' | 'missed'>;

/** The acts of each event and call, and those that the flow alone shows. */
function findDrafts(scene: Recognition): DraftPrimitive[] {
  const { tx, flow, rulebook, known } = scene;
  const found = findDeclared(scene);
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
function findDeclared(scene: Recognition): DraftPrimitive[] {
  const { tx, flow, rulebook } = scene;
  const matches = findTriggers(tx, rulebook.prepared.derive(indexTriggers));
  if (matches.length === 0) return [];
  const run: RecognitionRun = {
    index: new MovementIndex(flow),
    proofs: new Create2Proofs(),
    claimed: new ClaimedMovements(),
    enclosing: new EnclosingCalls(tx),
    positionTokens: rulebook.prepared.derive(positionTokens),
    ...scene,
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
  const { trigger, mapping, binding } = candidate;
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
    about: candidate.about,
    position: candidate.position,
    portions: candidate.portions,
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

/** Checks one event's claim against the movements it was bound to. */
function bindingClaims(
  candidate: Candidate,
  { flow, tx }: Pick<ProofInput, 'flow' | 'tx'>,
  netted: ReadonlyMap<Address, boolean>,
): Claim[] {
  const { venue, binding, mapping, protocol } = candidate;
  const { legs, unresolved } = binding;
  if (mapping.legs.length === 0) return [];
  const indexes = (counts: (of: BoundLeg) => boolean): number[] =>
    legs.filter(counts).flatMap(({ leg }) => leg.movements);
  const all = indexes(() => true);
  const minted = indexes(({ spec }) => spec.movementKind === 'mint');
  const burnt = indexes(({ spec }) => spec.movementKind === 'burn');
  // Ins and outs with the account at the venue's end in the mapping.
  const to = indexes(({ leg, spec }) => leg.role === 'in' && spec.to !== null);
  const from = indexes(({ leg, spec }) => leg.role === 'out' && spec.from !== null);
  const stated = all.length > 0 ? [] : [...legs.map(({ leg }) => leg), ...unresolved];
  const operands = all.length > 0 ? all : stated.map(({ amount }) => ({ word: amount }));
  const claims: Claim[] = [evaluate('value_moved', operands, operands)];
  if (isNetted(binding)) claims.push(evaluate('netted_at_venue', netted.get(venue), [venue]));
  // An unknown contract's event counts only for value that it sent or received, or in a token it had made.
  if (!isRecognised(protocol) && legs.length > 0) {
    const own = all.map((index) => flow.movements[index]!);
    claims.push(evaluate('venue_involved', { own, flow, venue, tx }, [venue], all));
  }
  for (const issued of [minted, burnt]) if (issued.length > 0) claims.push(issueClaim(flow, issued));
  if (to.length + from.length > 1) claims.push(claim('single_venue', flow, to, from));
  return claims;
}
