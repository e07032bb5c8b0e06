import { addressOfWord, quantity } from '../../../evm/hex.ts';
import { planPricing } from '../prices/planPricing.ts';
import { planHolders } from './holderReads.ts';
import { NO_REGISTRIES, planRegistries } from './registryReads.ts';
import { hasTag } from '../../../lib/motifKinds.ts';
import { NOTHING } from '../../../lib/lists.ts';
import { isRecord, itemsOf } from '../../../lib/shape.ts';
import { actsOnOrders, APPROVED } from '../../../value/signed.ts';
import { holderOf } from '../../../value/tokenCall.ts';
import { knownSymbols } from '../../../value/labelFormat.ts';
import { tokensInLogs, type TokensInLogs } from './tokensInLogs.ts';
import type { CanonicalTx, Frame } from '../../../model/canonicalTx.ts';
import type { Address, Hash } from '../../../model/hex.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import type { RawTransaction } from '../../../model/upstream.ts';

/** Inputs of the second round trip. */
export type ContextPlan = Readonly<ReturnType<typeof planContext>>;

type Needed = 'wrappedNative' | 'tokenEvents' | 'feeds' | 'multicall' | 'entities';
export type PlanVocabulary = Pick<Rulebook, Needed> & Partial<Rulebook>;

/** Plans the second round trip. No I/O. `raw`: only for the time that newer nodes give with their answers. */
export function planContext(
  tx: CanonicalTx,
  raw: RawTransaction,
  vocabulary: PlanVocabulary,
  tokenLimit: number,
) {
  const { blockNumber, blockHash, effectiveGasPrice } = tx;
  const found = tokensInLogs(tx.logs, vocabulary);
  const tooMany = found.seen.length > tokenLimit;
  const tokens = tooMany
    ? found.seen.slice(0, tokenLimit)
    : [...found.seen, ...calledToken(tx, found, vocabulary)];
  const authorities = tx.authorizations.map(({ authority }) => authority);
  const asked = [tx.from, tx.to, ...authorities, ...executors(tx, vocabulary)];
  const all = [...new Set(asked)].filter((account) => account !== null);
  const accounts = all.slice(0, MAX_ACCOUNTS);
  const watched = new Set([...authorities, ...ranUnlisted(accounts, tx, vocabulary)]);
  const multicall = blockNumber >= vocabulary.multicall.sinceBlock ? vocabulary.multicall.address : null;
  return {
    blockHash,
    blockNumber,
    effectiveGasPrice,
    /** Unix seconds where the first round trip already gave the block's time; else null. */
    timestamp: knownTimestamp(raw),
    /** Tokens to ask for their metadata, at most the limit given. */
    tokens,
    /** Metadata of tokens that the rules state. */
    tokenFacts: vocabulary.tokenFacts ?? new Map(),
    /** Tokens over that limit. */
    tokensBeyondLimit: tooMany ? found.seen.slice(tokenLimit) : [],
    tokenLimit,
    pricing: planPricing(found, tokens, vocabulary, multicall !== null),
    registries: multicall === null ? NO_REGISTRIES : planRegistries(tx, vocabulary),
    holders: planHolders(tx, vocabulary),
    /** Multicall3 contract, null where it did not exist yet. */
    multicall,
    /** Accounts that may have an EIP-7702 delegation as code. */
    accounts,
    /** There are more of them. */
    accountsCut: all.length > MAX_ACCOUNTS,
    /** Signers of the transaction's EIP-7702 authorisations in order; null where none was recovered. */
    authorities,
    /** These, and unlisted accounts that ran code: nonces show whether the block may have changed it. */
    watched: accounts.filter((one) => watched.has(one)),
  };
}

/** Those of the accounts that no rule lists, and whose code ran and did something, or answered. */
function ranUnlisted(
  accounts: readonly Address[],
  { from: signer, frames, logs }: CanonicalTx,
  rules: PlanVocabulary,
) {
  const isListed = (one: Address): boolean =>
    rules.entities.has(one) || rules.prepared?.protocolOf(one) !== undefined;
  const unlisted = accounts.filter((one) => one !== signer && !isListed(one));
  if (unlisted.length === 0) return unlisted;
  const ran = new Set(logs.map(({ address }) => address));
  for (const { from, to, parent, output } of frames) {
    if (parent !== null) ran.add(from);
    if (to !== null && to !== from && output !== '0x') ran.add(to);
  }
  return unlisted.filter((one) => ran.has(one));
}

/** A listed token that was called without an event: a failed transfer's amount is written in its units. */
function calledToken(
  { to }: CanonicalTx,
  { seen }: TokensInLogs,
  { knownTokens }: PlanVocabulary,
): Address[] {
  if (to === null || knownTokens === undefined || seen.length > 0) return [];
  return knownSymbols(knownTokens).has(to) ? [to] : [];
}

/** A transaction of a stranger may ask thousands of accounts about signatures, at little cost. */
const MAX_ACCOUNTS = 200;

const LATEST = BigInt(Number.MAX_SAFE_INTEGER);

/** Newer nodes put `blockTimestamp` on transactions, receipts or logs. */
function knownTimestamp({ tx, receipt }: RawTransaction): number | null {
  const [firstLog] = isRecord(receipt) ? itemsOf(receipt['logs']) : [];
  for (const holder of [tx, receipt, firstLog]) {
    const time = isRecord(holder) ? quantity(holder['blockTimestamp']) : null;
    // Some answer zero for a time they do not know.
    if (time !== null && time > 0n && time <= LATEST) return Number(time);
  }
  return null;
}

/** First topics of events by which accounts log that they executed. */
const executionTopics = ({ events, motifKinds }: Rulebook): ReadonlySet<Hash> => {
  const specs = [...events.values()].filter(({ mappings }) =>
    mappings.some(({ kind }) => motifKinds.get(kind)?.executes === 'account'),
  );
  return new Set(specs.map(({ topic0 }) => topic0));
};

/**
 * Senders of user operations (ERC-4337), emitters that log executions, those asked about a signature, and
 * owners of orders: a later fill of one asks no more.
 */
function executors({ logs, frames }: CanonicalTx, rulebook: PlanVocabulary): (Address | null)[] {
  const asked: (Address | null)[] = frames.flatMap((frame) => askedIn(frame, rulebook) ?? NOTHING);
  const known = rulebook.prepared?.derive(executionTopics);
  for (const { address, topics } of logs) {
    if (topics[3] && hasTag(rulebook, address, 'entry_point')) asked.push(addressOfWord(topics[2]!));
    else if (known?.has(topics[0]!)) asked.push(address);
  }
  return asked;
}

/** The account that a call asks for a signature, or an order's owner whose token it takes. */
function askedIn(call: Frame, vocabulary: PlanVocabulary): Address | null {
  const { selector, from, to } = call;
  if (selector === null || selector === APPROVED) return selector && to;
  const spec = vocabulary.tokenCalls?.get(selector);
  return spec?.holder != null && actsOnOrders(vocabulary, from) ? holderOf(call, spec) : null;
}
