import { isRecognised } from '../../lib/motifKinds.ts';
import { accountsWith } from '../../lib/roles.ts';
import { sumOf } from '../amount.ts';
import { NATIVE_ASSET } from '../asset.ts';
import type { AttributionMode, ExecutionReason } from '../../model/attribution.ts';
import type { CanonicalTx } from '../../model/canonicalTx.ts';
import type { Address } from '../../model/hex.ts';
import type { Motif } from '../../model/motif.ts';
import type { Movement, ValueFlow } from '../../model/valueFlow.ts';
import type { Scene } from '../../model/scene.ts';
import { balances, isConversion } from '../balances.ts';
import { makesOwnCalls } from '../signed.ts';
import type { Suspects } from '../suspectTokens.ts';

/** Modes in which another account submits for the actor, which may repay it. */
const SUBMITTED_FOR: ReadonlySet<AttributionMode> = new Set([
  'safe',
  'smart_account_4337',
  'delegated_7702',
  'meta_transaction',
  'permit_pull',
]);

/** A relayer's premium: ether beyond this many times the gas is a payment of its own. */
const REFUND_LIMIT = 3n;

export interface ExecutionInput extends Scene {
  /** Left out: the accounts themselves repay the submitter. */
  readonly suspects?: Pick<Suspects, 'consent'>;
}

/** User operations at listed entry points: any contract can log one. */
const operationsOf = ({ motifs }: Pick<Scene, 'motifs'>): Motif[] =>
  motifs.filter((m) => isRecognised(m.protocol) && m.traits.executes === 'operation');

/** The account's, else the first of others. */
export function operationOf(acts: Pick<Scene, 'motifs'>, account: Address | null): Motif | undefined {
  const all = operationsOf(acts);
  return all.find(({ participants }) => accountsWith(participants, 'owner').includes(account!)) ?? all[0];
}

/** Wei of execution gas at the price paid (EIP-1559) plus blob gas (EIP-4844). */
export function gasCostOf(tx: CanonicalTx): bigint {
  return tx.effectiveGasPrice * tx.gasUsed + tx.blobGasPrice * tx.blobGasUsed;
}

/** Movements by which a group pays for execution by another's transaction, each with its reason. */
export function executionPayments(
  input: ExecutionInput,
  group: ReadonlySet<Address>,
  mode: AttributionMode,
): ReadonlyMap<number, ExecutionReason> {
  const found = new Map<number, ExecutionReason>();
  const operations = operationsOf(input);
  if (operations.length > 0) {
    for (const { index } of prefunds(operations, input.flow)) found.set(index, 'prefund');
    for (const { index } of charges(operations, input, group)) found.set(index, 'charge');
  }
  if (!group.has(input.tx.from) && SUBMITTED_FOR.has(mode))
    for (const m of compensation(input, group))
      found.set(m.index, isPull(m, input, group) ? 'pull' : 'compensation');
  return found;
}

/** Wei that the group paid for execution, less refunds; never below zero. */
export function executionCost(
  payments: ReadonlyMap<number, ExecutionReason>,
  { movements }: ValueFlow,
  group: ReadonlySet<Address>,
): bigint {
  let net = 0n;
  for (const index of payments.keys()) {
    const { from, to, asset, amount } = movements[index]!;
    if (asset !== NATIVE_ASSET || group.has(from) === group.has(to)) continue;
    net += group.has(from) ? amount : -amount;
  }
  return net > 0n ? net : 0n;
}

function prefunds(operations: readonly Motif[], { movements, outgoing, incoming }: ValueFlow): Movement[] {
  const entryPoints = new Set(operations.map(({ venue }) => venue));
  return [...entryPoints]
    .flatMap((account) => [...(outgoing.get(account) ?? []), ...(incoming.get(account) ?? [])])
    .map((index) => movements[index]!)
    .filter(({ asset }) => asset === NATIVE_ASSET);
}

function charges(
  operations: readonly Motif[],
  { flow, motifs }: ExecutionInput,
  group: ReadonlySet<Address>,
): Movement[] {
  const paymasters = new Set(
    operations.flatMap(({ participants }) => accountsWith(participants, 'paymaster')),
  );
  if (paymasters.size === 0) return [];
  const fees = motifs.filter(({ traits, status }) => status === 'Proven' && traits.fee);
  const charged = new Set(fees.flatMap(({ movements }) => movements));
  return flow.movements.filter(
    ({ index, from, to }) =>
      (group.has(from) && charged.has(index)) || (group.has(to) && paymasters.has(from)),
  );
}

function compensation({ flow, tx }: ExecutionInput, group: ReadonlySet<Address>): Movement[] {
  const repaid = (flow.incoming.get(tx.from) ?? [])
    .map((index) => flow.movements[index]!)
    .filter(({ from }) => group.has(from));
  const isEther = ({ asset }: Movement): boolean => asset === NATIVE_ASSET;
  const ether = sumOf(repaid.filter(isEther));
  return ether <= gasCostOf(tx) * REFUND_LIMIT ? repaid : repaid.filter((m) => !isEther(m));
}

/** Whether the submitter of the transaction was paid. */
export const isToSubmitter = (why: ExecutionReason): boolean => why === 'compensation' || why === 'pull';

/** An unlisted contract outside the group made the token move it, by an allowance that names no purpose. */
const isPull = (m: Movement, { suspects, rulebook }: ExecutionInput, group: ReadonlySet<Address>): boolean =>
  suspects?.consent
    .handedIn(m)
    .some(({ context }) => !group.has(context!) && !makesOwnCalls(rulebook, context!)) === true;

/**
 * Indexes of the movements by which accounts paid the block builder: directly, or through a helper that had
 * all of it from them and sent all of it on. None where the builder is one of the accounts.
 */
export function builderPayments(
  flow: ValueFlow,
  group: ReadonlySet<Address>,
  builder: Address,
): ReadonlySet<number> {
  const { movements, incoming, outgoing } = flow;
  const found = new Set<number>();
  const toBuilder = incoming.get(builder);
  if (toBuilder === undefined || group.has(builder)) return found;
  const payers = new Set(toBuilder.map((index) => movements[index]!.from));
  const exclude = (m: Movement): boolean => isConversion(m, flow);
  const forwards = (account: Address): boolean =>
    [...balances(flow, account, { exclude }).values()].some(
      ({ net, incoming: from, outgoing: onward }) =>
        net === 0n && from.every((m) => group.has(m.from)) && onward.every((m) => m.to === builder),
    );
  const ends = new Set([builder, ...[...payers].filter((payer) => !group.has(payer) && forwards(payer))]);
  for (const account of group)
    for (const index of outgoing.get(account) ?? []) if (ends.has(movements[index]!.to)) found.add(index);
  return found;
}

/** Gas of one blob (EIP-4844, GAS_PER_BLOB). */
export const GAS_PER_BLOB = 131_072n;

/** Blobs a transaction carries, by the gas they cost. */
export function blobsOf({ blobGasUsed }: CanonicalTx): bigint {
  return blobGasUsed / GAS_PER_BLOB;
}
