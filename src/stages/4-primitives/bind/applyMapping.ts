import { bindLegs, type Binding } from './bindLegs.ts';
import { NATIVE_REF, type BindScope } from './bindWord.ts';
import { evaluateAccount, testsHold } from './evaluateBind.ts';
import { readDetail, type PositionDetail } from './positionDetail.ts';
import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import type { BoundLeg } from './boundLeg.ts';
import type { EnclosingCalls } from '../match/enclosingCalls.ts';
import type { MovementIndex } from './movementIndex.ts';
import type { Create2Proofs } from '../match/provenProtocol.ts';
import type { EncodedArguments } from '../../../evm/readArgument.ts';
import type { Meaning } from '../match/meaning.ts';
import type { Taken, TakenMovements } from './takenMovements.ts';
import type { Address } from '../../../model/hex.ts';
import type { Evidence } from '../../../model/evidence.ts';
import type { ProtocolRef, RoleBinding } from '../../../model/primitive.ts';
import type { EventMapping } from '../../../model/rulebook.ts';

/** One event or call that a meaning is tried on. */
export interface Utterance {
  readonly basis: 'event' | 'call';
  readonly seq: number;
  /** Emitter of the log, or target of the call. */
  readonly contract: Address;
  readonly caller: Address | null;
  readonly value: bigint | null;
  readonly args: EncodedArguments;
  /** What a call returned; null for events. */
  readonly output: EncodedArguments | null;
  readonly evidence: Evidence;
}

/** What one event or call came to, before it is checked against the others. */
export interface Draft {
  readonly utterance: Utterance;
  readonly meaning: EventMapping;
  readonly protocol: ProtocolRef | null;
  readonly venue: Address;
  readonly poolId: string | null;
  readonly roles: readonly RoleBinding[];
  readonly binding: Binding;
  readonly detail: PositionDetail;
  /** The call an event was made in, where its words count. */
  readonly within: Evidence | null;
}

/** State shared by all events and calls of one transaction. */
export interface RecognitionRun {
  readonly signer: Address;
  readonly txTo: Address | null;
  readonly index: MovementIndex;
  readonly proofs: Create2Proofs;
  readonly wrappedNative: ReadonlySet<Address>;
  readonly enclosing: EnclosingCalls;
  /** Contracts whose NFTs stand for positions elsewhere. */
  readonly positionTokens: ReadonlySet<Address>;
  readonly taken: TakenMovements;
}

/**
 * The first of the event's meanings that its movements bear out. Meanings whose protocol lists the contract's address
 * come first and shut out mere family meanings; among those all are tried in the rulebook's order.
 */
export function recognise(
  meanings: readonly Meaning[],
  utterance: Utterance,
  run: RecognitionRun,
): Draft | null {
  let listed = false;
  for (const meaning of meanings) {
    if (!meaning.listed.has(utterance.contract)) continue;
    listed = true;
    const draft = applyMapping(meaning, utterance, run);
    if (draft) return draft;
  }
  if (listed) return null;
  for (const meaning of meanings) {
    const draft = meaning.open ? applyMapping(meaning, utterance, run) : null;
    if (draft) return draft;
  }
  return null;
}

function applyMapping(meaning: Meaning, utterance: Utterance, run: RecognitionRun): Draft | null {
  const { shape, within } = meaning;
  const { contract } = utterance;
  const { log } = utterance.evidence;
  const call = within === null || log === null ? null : run.enclosing.of(log, within);
  const legs: BoundLeg[] = [];
  const scope = {
    args: utterance.args,
    contract,
    caller: utterance.caller,
    value: utterance.value,
    signer: run.signer,
    txTo: run.txTo,
    legs,
    callArgs: call && { topics: [], data: call.input, base: 4 },
    outputArgs: call ? { topics: [], data: call.output, base: 0 } : utterance.output,
  };
  if (!testsHold(meaning.when, scope)) return null;
  const taken = (role: string): Taken => run.taken.of(shape, role);
  const early = evaluateAccount(meaning.venue, scope);
  const binding = bindLegs(meaning.legs, scope, {
    index: run.index,
    seq: utterance.seq,
    wrappedNative: run.wrappedNative,
    taken,
    venue: early,
  });
  if (!binding) return null;

  const venue = early ?? evaluateAccount(meaning.venue, scope);
  const protocol =
    meaning.listed.get(contract) ?? run.proofs.protocolOf(meaning, contract, () => tokensOf(legs));
  if (!venue || (!protocol && !meaning.anyEmitter)) return null;
  for (const { leg } of legs) for (const m of leg.movements) taken(leg.role).add(m);
  return {
    utterance,
    meaning: meaning.spec,
    protocol,
    venue,
    binding,
    poolId: poolIdOf(meaning, scope),
    roles: rolesOf(meaning, scope),
    detail: readDetail(meaning, scope, run.positionTokens),
    within: call && { kind: 'frame', frame: call.index, log: null, contract },
  };
}

function tokensOf(legs: readonly BoundLeg[]): Address[] {
  const tokens: Address[] = [];
  for (const { leg, ends } of legs)
    if ((leg.role === 'in' || leg.role === 'out') && ends.asset !== null && ends.asset !== NATIVE_REF)
      tokens.push(ends.asset);
  return tokens;
}

function poolIdOf({ poolId }: Meaning, scope: BindScope): string | null {
  const value = poolId && poolId(scope);
  return value === null ? null : String(value);
}

function rolesOf(meaning: Meaning, scope: BindScope): RoleBinding[] {
  const roles: RoleBinding[] = [];
  for (const { role, account: word } of meaning.roles) {
    const account = evaluateAccount(word, scope);
    if (account !== null && account !== ZERO_ADDRESS) roles.push({ role, account });
  }
  return roles;
}
