import { lowerAddress, lowerHex } from '../../../evm/hex.ts';
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
import { isRecord, itemsOf } from '../../../lib/shape.ts';
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
const WORD = /^0x[0-9a-fA-F]{64}$/;
const ZERO_TOPIC = `0x${'0'.repeat(64)}`;

export type TokenVocabulary = Pick<Rulebook, 'wrappedNative' | 'tokenEvents'>;

/** Each in order of appearance. */
export interface TokensInLogs {
  /** Emitters of token events (ERC-20, ERC-721, ERC-1155, the rules'): asked for symbol and decimals. */
  readonly seen: readonly Address[];
  /** Tokens that moved as ERC-20 tokens do. */
  readonly moved: readonly Address[];
  /** Those among them that were minted or burnt: they may be shares of a vault or pool. */
  readonly issued: readonly Address[];
  /** NFTs that moved as ERC-721 tokens do, each once. */
  readonly nfts: readonly { readonly nft: Address; readonly id: bigint }[];
}

interface ReadLog {
  readonly address: Address;
  readonly topics: readonly [string, ...unknown[]];
  readonly data: unknown;
}

/** Reads an unchecked receipt. Malformed logs are skipped: stage 2 refuses them. */
export function tokensInLogs(receipt: unknown, vocabulary: TokenVocabulary): TokensInLogs {
  const seen = new Set<Address>();
  const moved = new Set<Address>();
  const issued = new Set<Address>();
  const nfts = new Map<string, TokensInLogs['nfts'][number]>();
  for (const log of isRecord(receipt) ? itemsOf(receipt['logs']) : []) {
    const read = readLog(log);
    if (!read) continue;
    const { address, topics, data } = read;
    const topic0 = topics[0].toLowerCase();
    if (isTokenEvent(address, topic0, topics.length, vocabulary)) seen.add(address);
    const held = heldToken(topic0, topics, data);
    if (held !== null) seen.add(held);
    if (topic0 !== TRANSFER) continue;
    const id = nftIdOf(topics);
    if (id !== null) nfts.set(`${address} ${id}`, { nft: address, id });
    const parties = fungibleParties(topics);
    if (parties === null) continue;
    moved.add(address);
    if (parties.includes(ZERO_TOPIC)) issued.add(address);
  }
  return { seen: [...seen], moved: [...moved], issued: [...issued], nfts: [...nfts.values()] };
}

/** Sender and receiver of an ERC-20 transfer, which indexes two arguments; ERC-721 indexes three. */
function fungibleParties(topics: readonly unknown[]): readonly string[] | null {
  const [, from, to] = topics;
  return topics.length === 3 && typeof from === 'string' && typeof to === 'string' ? [from, to] : null;
}

function nftIdOf(topics: readonly unknown[]): bigint | null {
  const [, , , id] = topics;
  return topics.length === 4 && typeof id === 'string' && WORD.test(id) ? BigInt(id) : null;
}

/** The token of an allowance that another contract keeps and reports. */
function heldToken(topic0: string, topics: readonly unknown[], data: unknown): Address | null {
  const word = topic0 === HELD_LOCKDOWN ? data : HELD_TOPICS.has(topic0) ? topics[2] : null;
  return typeof word === 'string' && word.length >= 66 ? lowerHex(`0x${word.slice(26, 66)}`) : null;
}

function readLog(log: unknown): ReadLog | null {
  const { address: emitter, topics, data } = isRecord(log) ? log : {};
  if (!Array.isArray(topics) || typeof topics[0] !== 'string') return null;
  const address = lowerAddress(emitter);
  return address === null ? null : { address, topics: topics as [string, ...unknown[]], data };
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
