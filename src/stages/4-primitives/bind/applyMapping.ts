import { NOTHING } from '../../../lib/lists.ts';
import { frameEvidence } from '../../../lib/evidence.ts';
import { bindLegs } from './bindLegs.ts';
import { NATIVE_REF, evaluateAccount, testsHold, assetIdOf, evaluateAsset } from '../../../value/resolver.ts';
import type { BindScope } from '../../../value/resolver.ts';
import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import type { BoundLeg } from './legOptions.ts';
import type { EnclosingCalls } from '../match/enclosingCalls.ts';
import type { HolderAt } from '../match/holders.ts';
import { askedBy } from '../match/askedBy.ts';
import type { MovementIndex, ClaimedMovements } from './movementIndex.ts';
import type { KnownContracts, Create2Proofs } from '../match/provenProtocol.ts';
import type { EncodedArguments } from '../../../evm/readArgument.ts';
import type { PreparedMapping } from '../match/triggers.ts';
import type { Frame, Evidence } from '../../../model/canonicalTx.ts';
import type { Address } from '../../../model/hex.ts';
import { FurthestFailure, whyConditions } from './whyMissed.ts';
import type {
  MappingMiss,
  MissReason,
  ProtocolRef,
  RoleBinding,
  DraftPortion,
} from '../../../model/primitive.ts';
import type { AssetId } from '../../../model/valueFlow.ts';
import type { Scene } from '../../../model/scene.ts';
import { nftId } from '../../../value/asset.ts';

/** An event or call that the rulebook has mappings for. */
export interface Trigger {
  readonly basis: 'event' | 'call';
  readonly seq: number;
  /** Emitter of the log, or target of the call. */
  readonly contract: Address;
  readonly caller: Address | null;
  readonly value: bigint | null;
  readonly args: EncodedArguments;
  /** A call's return data; null for events. */
  readonly output: EncodedArguments | null;
  readonly evidence: Evidence;
}

/** A trigger with the mapping that its movements bear out, before duplicates are merged. */
export type Candidate = Readonly<NonNullable<ReturnType<typeof applyMapping>>>;

/** State shared by all events and calls of one transaction. */
export interface RecognitionRun extends Omit<Scene, 'motifs'> {
  readonly index: MovementIndex;
  readonly proofs: Create2Proofs;
  readonly known: KnownContracts;
  readonly holderAt: HolderAt;
  readonly enclosing: EnclosingCalls;
  /** Contracts with NFTs that represent positions kept elsewhere. */
  readonly positionTokens: ReadonlySet<Address>;
  readonly claimed: ClaimedMovements;
  /** For explanations: called for every mapping that made nothing of an event or call. */
  readonly missed?: ((miss: MappingMiss) => void) | undefined;
}

/**
 * The first mapping of a trigger that its movements confirm. Mappings of a protocol that lists the
 * contract's address come first and exclude those of mere families; each group is tried in the rulebook's
 * order.
 */
export function recognise(
  mappings: readonly PreparedMapping[],
  trigger: Trigger,
  run: RecognitionRun,
): Candidate | null {
  const listed = mappings.filter((mapping) => run.known.protocolAt(mapping, trigger.contract) !== undefined);
  const candidates = listed.length > 0 ? listed : mappings.filter(({ open }) => open);
  let found: Candidate | null = null;
  let tried = 0;
  while (found === null && tried < candidates.length)
    found = applyMapping(candidates[tried++]!, trigger, run);
  if (run.missed)
    for (const mapping of mappings)
      if (!candidates.slice(0, tried).includes(mapping))
        run.missed({ trigger, shape: mapping.shape, reason: whyUntried(mapping, candidates, listed, found) });
  return found;
}

/** The one that fits came first, or only those of protocols that list the contract were tried. */
function whyUntried(
  mapping: PreparedMapping,
  candidates: readonly PreparedMapping[],
  [first]: readonly PreparedMapping[],
  found: Candidate | null,
): MissReason {
  if (candidates.includes(mapping)) return { why: 'shadowed', by: found!.mapping.shape, listed: false };
  if (!first || first.shape === mapping.shape) return { why: 'emitter' };
  return { why: 'shadowed', by: first.shape, listed: true };
}

function applyMapping(mapping: PreparedMapping, trigger: Trigger, run: RecognitionRun) {
  const { contract } = trigger;
  const call = run.enclosing.of(trigger.evidence.log, mapping.within);
  const scope = scopeOf(trigger, run, call);
  const { legs } = scope;
  const miss = (why: () => MissReason): null => {
    run.missed?.({ trigger, shape: mapping.shape, reason: why() });
    return null;
  };
  if (!testsHold(mapping.when, scope)) return miss(() => whyConditions(mapping.when, scope));
  const early = evaluateAccount(mapping.venue, scope);
  const failure = run.missed && new FurthestFailure();
  const context = { run, trigger, shape: mapping.shape, venue: early, failed: failure?.note };
  const binding = bindLegs(mapping.legs, scope, context);
  if (!binding) return miss(() => failure!.why(mapping.legs, scope, context));

  const venue = early ?? evaluateAccount(mapping.venue, scope);
  if (!venue) return miss(() => ({ why: 'venue' }));
  const protocol = protocolOf(mapping, { contract, venue }, legs, run);
  if (!protocol && !mapping.anyEmitter) return miss(() => ({ why: 'emitter' }));
  run.claimed.add(mapping.shape, legs);
  return {
    trigger,
    mapping: mapping.spec,
    protocol,
    venue,
    binding,
    poolId: poolIdOf(mapping, scope),
    roles: rolesOf(mapping, scope),
    about: readAbout(mapping, scope),
    position: readPosition(mapping, scope, run.positionTokens),
    portions: readPortions(mapping, scope),
    /** The call an event was emitted in, where its arguments count. */
    within: call && frameEvidence(call, contract),
  };
}

/**
 * The protocol that lists the contract, else the one that its CREATE2 address proves. A venue that the event
 * only names, like the sender of a message anybody may send, must be of the protocol as well.
 */
function protocolOf(
  mapping: PreparedMapping,
  { contract, venue }: { readonly contract: Address; readonly venue: Address },
  legs: readonly BoundLeg[],
  { known, proofs }: RecognitionRun,
): ProtocolRef | null {
  if (venue !== contract && !known.protocolAt(mapping, venue)) return null;
  return known.protocolAt(mapping, contract) ?? proofs.protocolOf(mapping, contract, () => tokensOf(legs));
}

function scopeOf(
  { seq, args, contract, caller, value, output, evidence }: Trigger,
  { tx, holderAt, rulebook }: RecognitionRun,
  call: Frame | null,
): BindScope & { readonly legs: BoundLeg[] } {
  return {
    args,
    contract,
    caller,
    value,
    signer: tx.from,
    askedBy: () => askedBy(evidence, tx, rulebook),
    txTo: tx.to,
    holderOf: (nft, id) => holderAt(nft, id, seq),
    legs: [],
    callArgs: call && { topics: [], data: call.input, base: 4 },
    outputArgs: call ? { topics: [], data: call.output, base: 0 } : output,
  };
}

function tokensOf(legs: readonly BoundLeg[]): Address[] {
  const exchanged = legs.filter(({ leg: { role } }) => role === 'in' || role === 'out');
  return exchanged.flatMap(({ ends: { asset } }) => (asset === NATIVE_REF ? [] : (asset ?? [])));
}

function poolIdOf({ poolId }: PreparedMapping, scope: BindScope): string | null {
  const value = poolId && poolId(scope);
  return value === null ? null : String(value);
}

function rolesOf(mapping: PreparedMapping, scope: BindScope): RoleBinding[] {
  return mapping.roles.flatMap(({ role, account: resolver }) => {
    const account = evaluateAccount(resolver, scope);
    return account === null || account === ZERO_ADDRESS ? [] : { role, account };
  });
}

function readAbout({ about, shape }: PreparedMapping, scope: BindScope): readonly string[] {
  if (about.length === 0) return NOTHING;
  const values = about.map((resolve) => resolve(scope));
  return values.every((v) => v !== null) ? [`${shape}|${scope.contract}|${values.join('|')}`] : NOTHING;
}

/** An NFT is the position's only where its own contract emits, or the rules tag it a position manager. */
function readPosition(
  { position }: PreparedMapping,
  scope: BindScope,
  positionTokens: ReadonlySet<Address>,
): AssetId | null {
  if (!position) return null;
  const token = evaluateAccount(position.token, scope);
  const id = position.id(scope);
  const known = token !== null && id !== null && (token === scope.contract || positionTokens.has(token));
  return known ? nftId('erc721', token, BigInt.asUintN(256, BigInt(id))) : null;
}

function readPortions({ portions }: PreparedMapping, scope: BindScope): readonly DraftPortion[] {
  return portions.flatMap(({ role, asset, amount }) => {
    const value = amount(scope);
    const ref = asset && evaluateAsset(asset, scope);
    return typeof value !== 'bigint' || value < 0n || (asset && !ref)
      ? []
      : [{ role, asset: ref && assetIdOf(ref), amount: value }];
  });
}
