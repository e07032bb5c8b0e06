import { NATIVE_ASSET } from '../../value/asset.ts';
import type { Attribution, AttributionMode } from '../../model/attribution.ts';
import type { Address } from '../../model/hex.ts';
import type { Movement, ValueFlow } from '../../model/valueFlow.ts';

/** Modes in which somebody else submits for the actor and may be repaid by it. */
const SUBMITTED_FOR: ReadonlySet<AttributionMode> = new Set([
  'safe',
  'smart_account_4337',
  'delegated_7702',
  'meta_transaction',
  'permit_pull',
]);

/** A relayer's premium: a refund of more than this many times the gas is a payment of its own. */
const REFUND_LIMIT = 3n;

/** Payments of the actor's accounts for execution by another's transaction, among the movements. */
export interface ExecutionPayments {
  /** Native amount, less refunds; never below zero. */
  readonly native: bigint;
  /** Indexes of the native movements it is the sum of. */
  readonly movements: ReadonlySet<number>;
  /** A paymaster or submitter was paid in a token. */
  readonly inTokens: boolean;
}

const NONE: ExecutionPayments = { native: 0n, movements: new Set(), inTokens: false };

/**
 * Payments of `group` for gas that the signer, none of them, paid: to the ERC-4337 entry point and back, to
 * the paymaster, and refunds to the signer. `gas` is the gas cost in wei, which bounds a native refund.
 */
export function executionPayments(
  { movements, outgoing, incoming }: Pick<ValueFlow, 'movements' | 'outgoing' | 'incoming'>,
  group: ReadonlySet<Address>,
  { signer, mode, entryPoint, paymaster }: Attribution,
  gas: bigint,
): ExecutionPayments {
  if (group.has(signer) || !SUBMITTED_FOR.has(mode)) return NONE;
  const between = (from: readonly Address[], index: typeof outgoing): Movement[] =>
    from.flatMap((account) => (index.get(account) ?? []).map((i) => movements[i]!));
  const isNative = ({ asset }: Movement): boolean => asset === NATIVE_ASSET;
  const own = [...group];
  const sent = between(own, outgoing);
  const refunds = sent.filter((m) => m.to === signer);
  const native = refunds.filter(isNative);
  const refunded = native.reduce((sum, { amount }) => sum + amount, 0n);
  const counted = refunded <= gas * REFUND_LIMIT ? native : [];
  const prefunds = sent.filter((m) => m.to === entryPoint && isNative(m));
  const returned = between(own, incoming).filter((m) => m.from === entryPoint && isNative(m));
  const total = (list: readonly Movement[]): bigint => list.reduce((sum, { amount }) => sum + amount, 0n);
  const net = total(prefunds) + total(counted) - total(returned);
  // More back than in is a withdrawal of the deposit, no payment.
  const paid = net > 0n ? [...prefunds, ...returned, ...counted] : [];
  return {
    native: net > 0n ? net : 0n,
    movements: new Set(paid.map(({ index }) => index)),
    inTokens: sent.some((m) => !isNative(m) && m.to === paymaster),
  };
}
