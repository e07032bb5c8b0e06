import { lowerHex } from '../../../evm/hex.ts';
import {
  APPROVAL,
  APPROVAL_FOR_ALL,
  DEPOSIT,
  HELD_APPROVAL,
  HELD_LOCKDOWN,
  HELD_PERMIT,
  TRANSFER,
  TRANSFER_BATCH,
  TRANSFER_SINGLE,
  WITHDRAWAL,
} from '../../../evm/tokenTopics.ts';
import { isRecord } from '../rpc/rpcMessages.ts';
import type { Address } from '../../../model/hex.ts';
import type { Rulebook } from '../../../model/rulebook.ts';

const STANDARD_TOPICS: ReadonlySet<string> = new Set([
  TRANSFER,
  APPROVAL,
  APPROVAL_FOR_ALL,
  TRANSFER_SINGLE,
  TRANSFER_BATCH,
]);
const HELD_TOPICS: ReadonlySet<string> = new Set([HELD_APPROVAL, HELD_PERMIT]);
const ZERO_TOPIC = `0x${'0'.repeat(64)}`;

export type TokenVocabulary = Pick<Rulebook, 'wrappedNative' | 'tokenEvents'>;

/** Each in order of appearance. */
export interface TokensInLogs {
  /** Addresses that the logs show to be tokens, by events of ERC-20, ERC-721 or ERC-1155 or of the rules: which contracts to ask for symbol and decimals. */
  readonly seen: readonly Address[];
  /** Tokens that moved as ERC-20 tokens do. */
  readonly moved: readonly Address[];
  /** Those among them that were minted or burnt: shares of something, as often as not. */
  readonly issued: readonly Address[];
}

/** Reads an unchecked receipt. Too many tokens are harmless, malformed logs are skipped: stage 2 refuses them. */
export function tokensInLogs(receipt: unknown, vocabulary: TokenVocabulary): TokensInLogs {
  const logs = isRecord(receipt) && Array.isArray(receipt['logs']) ? (receipt['logs'] as unknown[]) : [];
  const seen = new Set<Address>();
  const moved = new Set<Address>();
  const issued = new Set<Address>();
  let emitter: unknown;
  let address: Address | null = null;
  for (const log of logs) {
    if (!isRecord(log)) continue;
    // Logs often come from the emitter of the one before them.
    if (log['address'] !== emitter) {
      emitter = log['address'];
      address = typeof emitter === 'string' && emitter.length === 42 ? lowerHex(emitter) : null;
    }
    const topics = log['topics'];
    if (address === null || !Array.isArray(topics) || typeof topics[0] !== 'string') continue;
    const topic0 = topics[0] === TRANSFER ? TRANSFER : topics[0].toLowerCase();
    if (isTokenEvent(address, topic0, topics.length, vocabulary)) seen.add(address);
    const held = heldToken(topic0, topics, log['data']);
    if (held !== null) seen.add(held);
    // With two indexed arguments it is ERC-20's, with three ERC-721's.
    if (
      topic0 !== TRANSFER ||
      topics.length !== 3 ||
      typeof topics[1] !== 'string' ||
      typeof topics[2] !== 'string'
    )
      continue;
    moved.add(address);
    if (topics[1] === ZERO_TOPIC || topics[2] === ZERO_TOPIC) issued.add(address);
  }
  return { seen: [...seen], moved: [...moved], issued: [...issued] };
}

/** The token of an allowance that another contract keeps, and tells of. */
function heldToken(topic0: string, topics: readonly unknown[], data: unknown): Address | null {
  const word = topic0 === HELD_LOCKDOWN ? data : HELD_TOPICS.has(topic0) ? topics[2] : null;
  return typeof word === 'string' && word.length >= 66 ? lowerHex(`0x${word.slice(26, 66)}`) : null;
}

function isTokenEvent(
  emitter: Address,
  topic0: string,
  topicCount: number,
  vocabulary: TokenVocabulary,
): boolean {
  if (STANDARD_TOPICS.has(topic0)) return true;
  // Of the wrapped native token: many other contracts emit them too.
  if ((topic0 === DEPOSIT || topic0 === WITHDRAWAL) && vocabulary.wrappedNative.has(emitter)) return true;
  const specs = vocabulary.tokenEvents.get(`${topic0}:${topicCount}`);
  return specs !== undefined && specs.some((spec) => spec.emitters.size === 0 || spec.emitters.has(emitter));
}
