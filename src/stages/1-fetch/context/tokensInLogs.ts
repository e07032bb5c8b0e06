import { keyOfLog } from '../../../evm/signatures.ts';
import {
  APPROVAL,
  APPROVAL_FOR_ALL,
  CREDIT_APPROVAL,
  DEPOSIT,
  HELD_APPROVAL,
  HELD_LOCKDOWN,
  HELD_PERMIT,
  TRANSFER,
  TRANSFER_BATCH,
  TRANSFER_SINGLE,
  WITHDRAWAL,
} from '../../../evm/tokenTopics.ts';
import type { Log } from '../../../model/canonicalTx.ts';
import type { Address, Hash, Hex } from '../../../model/hex.ts';
import type { Rulebook } from '../../../model/rulebook.ts';

const STANDARD_TOPICS: ReadonlySet<string> = new Set([
  TRANSFER,
  APPROVAL,
  APPROVAL_FOR_ALL,
  CREDIT_APPROVAL,
  TRANSFER_SINGLE,
  TRANSFER_BATCH,
]);
const HELD_TOPICS: ReadonlySet<string> = new Set([HELD_APPROVAL, HELD_PERMIT]);
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

export function tokensInLogs(
  logs: readonly Pick<Log, 'address' | 'topics' | 'data'>[],
  vocabulary: TokenVocabulary,
): TokensInLogs {
  const seen = new Set<Address>();
  const moved = new Set<Address>();
  const issued = new Set<Address>();
  const nfts = new Map<string, TokensInLogs['nfts'][number]>();
  for (const { address, topics, data } of logs) {
    const [topic0, from, to, id] = topics;
    if (topic0 === undefined) continue;
    if (isTokenEvent({ address, topics }, vocabulary)) seen.add(address);
    const held = heldToken(topics, data);
    if (held !== null) seen.add(held);
    if (topic0 !== TRANSFER) continue;
    // ERC-20 indexes two arguments, ERC-721 three.
    if (topics.length === 4) nfts.set(`${address} ${id}`, { nft: address, id: BigInt(id!) });
    if (topics.length !== 3) continue;
    moved.add(address);
    if (from === ZERO_TOPIC || to === ZERO_TOPIC) issued.add(address);
  }
  return { seen: [...seen], moved: [...moved], issued: [...issued], nfts: [...nfts.values()] };
}

/** The token of an allowance that another contract keeps and reports. */
function heldToken([topic0, , token]: readonly Hash[], data: Hex): Address | null {
  const word = topic0 === HELD_LOCKDOWN ? data : HELD_TOPICS.has(topic0!) ? token : undefined;
  return word !== undefined && word.length >= 66 ? `0x${word.slice(26, 66)}` : null;
}

function isTokenEvent({ address, topics }: Pick<Log, 'address' | 'topics'>, rules: TokenVocabulary): boolean {
  const topic0 = topics[0]!;
  if (STANDARD_TOPICS.has(topic0)) return true;
  // Of the wrapped native token: many other contracts emit them too.
  if ((topic0 === DEPOSIT || topic0 === WITHDRAWAL) && rules.wrappedNative.has(address)) return true;
  const specs = rules.tokenEvents.get(keyOfLog({ topics }));
  return specs !== undefined && specs.some(({ emitters }) => emitters.size === 0 || emitters.has(address));
}
