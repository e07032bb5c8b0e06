import { isHex, lowerAddress, quantity, readHash, readQuantity } from '../../../evm/hex.ts';
import { recoverAuthority } from '../../../evm/signing.ts';
import { planPricing, type PricingPlan } from '../prices/planPricing.ts';
import { NO_REGISTRIES, planRegistries, type RegistryPlan } from './registryReads.ts';
import { isRecord } from '../../../lib/shape.ts';
import { tokensInLogs } from './tokensInLogs.ts';
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
}

export type PlanVocabulary = Pick<Rulebook, 'wrappedNative' | 'tokenEvents' | 'feeds' | 'multicall'> &
  Partial<Pick<Rulebook, 'pricing' | 'events' | 'calls' | 'prepared'>>;

/** As stage 2, which refuses longer lists: no block's gas pays for more (EIP-7702). */
const MAX_AUTHORIZATIONS = 4_096;

/** Plans the second round trip. No I/O. Throws `receipt_malformed` when the receipt names no block. */
export function planContext(
  raw: RawTransaction,
  vocabulary: PlanVocabulary,
  tokenLimit: number,
): ContextPlan {
  const receipt = isRecord(raw.receipt) ? raw.receipt : {};
  const tx = isRecord(raw.tx) ? raw.tx : {};
  const blockNumber = readQuantity(receipt['blockNumber'], 'receipt_malformed', 'blockNumber');
  const found = tokensInLogs(receipt, vocabulary);
  const tooMany = found.seen.length > tokenLimit;
  const tokens = tooMany ? found.seen.slice(0, tokenLimit) : found.seen;
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
    accounts: accountsToLookAt(tx),
  };
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
function accountsToLookAt(tx: Record<string, unknown>): Address[] {
  const accounts: Address[] = [];
  const from = lowerAddress(tx['from']);
  const to = lowerAddress(tx['to']);
  if (from !== null) accounts.push(from);
  if (to !== null && to !== from) accounts.push(to);
  if (!Array.isArray(tx['authorizationList'])) return accounts;
  for (const item of (tx['authorizationList'] as unknown[]).slice(0, MAX_AUTHORIZATIONS)) {
    const authority = authorityOf(item);
    if (authority !== null) accounts.push(authority);
  }
  return [...new Set(accounts)];
}

function authorityOf(item: unknown): Address | null {
  if (!isRecord(item)) return null;
  const { address } = item;
  const fields = ['chainId', 'nonce', 'r', 's'].map((name) => item[name]);
  const numbers = [...fields, item['yParity'] ?? item['v']].map(quantity);
  if (numbers.some((number) => number == null)) return null;
  if (typeof address !== 'string' || address.length !== 42 || !isHex(address)) return null;
  const [chainId, nonce, r, s, yParity] = numbers as [bigint, bigint, bigint, bigint, bigint];
  return recoverAuthority({ chainId, address: address.toLowerCase() as Address, nonce, r, s, yParity });
}

const LATEST = BigInt(Number.MAX_SAFE_INTEGER);

/** A time in seconds, as nodes give it; null for anything else. */
export function readTimestamp(value: unknown): number | null {
  const seconds = quantity(value);
  return seconds !== null && seconds <= LATEST ? Number(seconds) : null;
}
