import { lowerAddress, quantity, readHash, readQuantity } from '../../../evm/hex.ts';
import { authoritiesOf } from '../../../evm/authorities.ts';
import { planPricing, type PricingPlan } from '../prices/planPricing.ts';
import { NO_REGISTRIES, planRegistries, type RegistryPlan } from './registryReads.ts';
import { isRecord } from '../../../lib/shape.ts';
import { tokensInLogs, type TokensInLogs } from './tokensInLogs.ts';
import type { Address, Hash } from '../../../model/hex.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import type { RawTransaction } from '../../../model/upstream.ts';

/** Inputs of the second round trip. */
export interface ContextPlan {
  readonly blockHash: Hash;
  readonly blockNumber: bigint;
  /** Wei per gas paid; null where the node does not say. */
  readonly gasPrice: bigint | null;
  /** Unix seconds where the first round trip already gave the block's time; else null. */
  readonly timestamp: number | null;
  /** Tokens to ask for their metadata, at most the limit given. */
  readonly tokens: readonly Address[];
  /** Tokens over that limit. */
  readonly tokensBeyondLimit: readonly Address[];
  readonly tokenLimit: number;
  readonly pricing: PricingPlan;
  /** Left out: no registry is asked. */
  readonly registries?: RegistryPlan;
  /** Multicall3 contract, null where it did not exist yet. */
  readonly multicall: Address | null;
  /** Accounts that may have an EIP-7702 delegation as code. */
  readonly accounts: readonly Address[];
  /** Signers of the transaction's EIP-7702 authorisations, in their order; null where none was recovered. */
  readonly authorities: readonly (Address | null)[];
}

export type PlanVocabulary = Pick<Rulebook, 'wrappedNative' | 'tokenEvents' | 'feeds' | 'multicall'> &
  Partial<Pick<Rulebook, 'pricing' | 'events' | 'calls' | 'prepared' | 'knownTokens'>>;

/**
 * Plans the second round trip. No I/O. `signers`: those of the authorisations, where they are recovered already.
 * Throws `receipt_malformed` when the receipt names no block.
 */
export function planContext(
  raw: RawTransaction,
  vocabulary: PlanVocabulary,
  tokenLimit: number,
  signers?: readonly (Address | null)[],
): ContextPlan {
  const receipt = isRecord(raw.receipt) ? raw.receipt : {};
  const tx = isRecord(raw.tx) ? raw.tx : {};
  const blockNumber = readQuantity(receipt['blockNumber'], 'receipt_malformed', 'blockNumber');
  const found = tokensInLogs(receipt, vocabulary);
  const tooMany = found.seen.length > tokenLimit;
  const tokens = tooMany
    ? found.seen.slice(0, tokenLimit)
    : [...found.seen, ...calledToken(tx, found, vocabulary)];
  const authorities = signers ?? authoritiesOf(tx['authorizationList']);
  const multicall = blockNumber >= vocabulary.multicall.sinceBlock ? vocabulary.multicall.address : null;
  return {
    blockHash: readHash(receipt['blockHash'], 'receipt_malformed', 'blockHash'),
    blockNumber,
    gasPrice: quantity(receipt['effectiveGasPrice']),
    timestamp: knownTimestamp(tx, receipt),
    tokens,
    tokensBeyondLimit: tooMany ? found.seen.slice(tokenLimit) : [],
    tokenLimit,
    pricing: planPricing(found, tokens, vocabulary, multicall !== null),
    registries: registriesToAsk(tx, receipt, vocabulary, multicall === null ? null : blockNumber),
    multicall,
    accounts: accountsToLookAt(tx, authorities),
    authorities,
  };
}

/** A listed token that was called without an event: a failed transfer's amount is written in its units. */
function calledToken(
  { to }: Record<string, unknown>,
  { seen }: TokensInLogs,
  { knownTokens }: PlanVocabulary,
): Address[] {
  const called = lowerAddress(to);
  if (called === null || knownTokens === undefined || seen.length > 0) return [];
  return [...knownTokens.values()].some((addresses) => addresses.has(called)) ? [called] : [];
}

/** None where every read is a request of its own (`at` null). */
function registriesToAsk(
  tx: Record<string, unknown>,
  receipt: Record<string, unknown>,
  { events, calls, prepared }: PlanVocabulary,
  at: bigint | null,
): RegistryPlan {
  if (at === null || !events || !calls || !prepared) return NO_REGISTRIES;
  return planRegistries(tx, receipt, { events, calls, prepared }, at);
}

/** Newer nodes put `blockTimestamp` on transactions, receipts or logs. */
function knownTimestamp(tx: Record<string, unknown>, receipt: Record<string, unknown>): number | null {
  const firstLog: unknown = Array.isArray(receipt['logs']) ? receipt['logs'][0] : null;
  return timestampOf(tx) ?? timestampOf(receipt) ?? timestampOf(firstLog);
}

function timestampOf(holder: unknown): number | null {
  if (!isRecord(holder) || holder['blockTimestamp'] === undefined) return null;
  const value = readTimestamp(holder['blockTimestamp']);
  // Some answer zero for a time they do not know.
  return value === 0 ? null : value;
}

/** The signer, the target and the signers of the transaction's authorisations (EIP-7702), each once. */
function accountsToLookAt(
  { from, to }: Record<string, unknown>,
  authorities: readonly (Address | null)[],
): Address[] {
  const accounts = [lowerAddress(from), lowerAddress(to), ...authorities];
  return [...new Set(accounts.filter((account) => account !== null))];
}

const LATEST = BigInt(Number.MAX_SAFE_INTEGER);

/** A time in seconds, as nodes give it; null for anything else. */
export function readTimestamp(value: unknown): number | null {
  const seconds = quantity(value);
  return seconds !== null && seconds <= LATEST ? Number(seconds) : null;
}
