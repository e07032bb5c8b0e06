import { ZERO_ADDRESS, addressOfWord } from '../../lib/hex.ts';
import { isRecord } from './rpcMessages.ts';
import type { Address } from '../../model/hex.ts';

/** `Transfer(address,address,uint256)`; with two indexed arguments it is ERC-20's, with three ERC-721's. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

export interface FungibleTokens {
  /** Tokens that moved as ERC-20 tokens do, in order of appearance. */
  readonly moved: readonly Address[];
  /** Those among them that were minted or burnt: shares of something, as often as not. */
  readonly issued: readonly Address[];
}

/** Reads an unchecked receipt; malformed logs are skipped, stage 2 refuses them. */
export function fungibleTokens(receipt: unknown): FungibleTokens {
  const logs = isRecord(receipt) && Array.isArray(receipt['logs']) ? (receipt['logs'] as unknown[]) : [];
  const moved = new Set<Address>();
  const issued = new Set<Address>();
  for (const log of logs) {
    if (!isRecord(log) || typeof log['address'] !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(log['address'])) continue;
    const topics: unknown = log['topics'];
    if (!Array.isArray(topics) || topics.length !== 3 || !topics.every((topic) => typeof topic === 'string')) continue;
    const [topic0, from, to] = (topics as string[]).map((topic) => topic.toLowerCase());
    if (topic0 !== TRANSFER) continue;
    const address = log['address'].toLowerCase() as Address;
    moved.add(address);
    if (addressOfWord(from!) === ZERO_ADDRESS || addressOfWord(to!) === ZERO_ADDRESS) issued.add(address);
  }
  return { moved: [...moved], issued: [...issued] };
}
