import { fromNumber } from 'ox/Hex';
import { lowerAddress, wordOf } from '../../evm/hex.ts';
import { isRecord, itemsOf } from '../../lib/shape.ts';
import type { ChainReader, Range } from './chainReader.ts';
import type { Hash, Hex } from '../../model/hex.ts';

const HASH = /^0x[0-9a-f]{64}$/;
type Chain = Pick<ChainReader, 'send' | 'ranged' | 'stateOf'>;

export interface Found {
  readonly hashes: ReadonlySet<string>;
  /** Blocks in which an account's ether changed by a call inside some transaction. */
  readonly blocks: readonly number[];
  /** Kinds of transactions that the node has no means to find. */
  readonly unseen: readonly string[];
}

/**
 * Transactions of accounts: by logs that name one in a topic, and by traces where the node filters those,
 * else by bisection of nonce and ether.
 */
export async function findTransactions(
  chain: Chain,
  accounts: readonly string[],
  range: Range,
): Promise<Found> {
  const hashes = new Set<string>();
  const [blocks, unseen]: [number[], string[]] = [[], []];
  const isAdded = (items: readonly unknown[] | null): boolean => {
    for (const item of items ?? [])
      if (isRecord(item) && HASH.test(String(item['transactionHash'])))
        hashes.add(String(item['transactionHash']));
    return items !== null;
  };
  const words = accounts.map((account): Hash => `0x${wordOf(account.toLowerCase() as Hex)}`);
  for (const before of [[null], [null, null], [null, null, null]]) {
    const topics = [...before, words];
    const logs = await chain.ranged(range, 'eth_getLogs', { topics });
    if (!isAdded(logs))
      unseen.push(`tokens in transactions of others: the node gives no logs by topic ${before.length}`);
  }
  const sent = await chain.ranged(range, 'trace_filter', { fromAddress: accounts });
  const received = sent && (await chain.ranged(range, 'trace_filter', { toAddress: accounts }));
  if (isAdded(sent) && isAdded(received)) return { hashes, blocks, unseen };
  unseen.push('ether that came and went between two blocks asked for: the node has no trace_filter');
  const changed = await Promise.all(accounts.map((account) => changedBlocksOf(chain, account, range)));
  for (const [i, account] of accounts.entries())
    if (changed[i] === null)
      unseen.push(`ether of ${account}: the node has neither trace_filter nor old state`);
  for (const block of new Set(changed.flatMap((found) => found ?? []))) {
    const own = await ownHashes(chain, block, accounts);
    for (const hash of own) hashes.add(hash);
    if (own.length === 0) blocks.push(block);
  }
  return { hashes, blocks, unseen };
}

/** Blocks in which an account's nonce or ether changed; null where the node has no state of them. */
async function changedBlocksOf(chain: Chain, account: string, range: Range): Promise<number[] | null> {
  const stateAt: StateAt = async (block) => (await chain.stateOf(account, block))?.join() ?? null;
  const ends: Range = [range[0] - 1, range[1]];
  return changedBlocks(stateAt, ends, await Promise.all(ends.map(stateAt)));
}

type State = string | null;
type StateAt = (block: number) => Promise<State>;

/** Blocks of a range with another state than the one before; null where the node has no state of one. */
async function changedBlocks(
  stateAt: StateAt,
  [low, high]: Range,
  [before, after]: readonly State[],
): Promise<number[] | null> {
  if (before === null || after === null) return null;
  if (before === after) return [];
  if (high - low === 1) return [high];
  const middle = (low + high) >> 1;
  const state = await stateAt(middle);
  const [lower, upper] = await Promise.all([
    changedBlocks(stateAt, [low, middle], [before!, state]),
    changedBlocks(stateAt, [middle, high], [state, after!]),
  ]);
  return lower && upper ? [...lower, ...upper] : null;
}

/** Transactions of a block that one of the accounts sent, or that went to it. */
async function ownHashes({ send }: Chain, block: number, accounts: readonly string[]): Promise<string[]> {
  const [answer] = await send([{ method: 'eth_getBlockByNumber', params: [fromNumber(block), true] }]);
  const transactions = answer!.ok && isRecord(answer!.result) ? answer!.result['transactions'] : [];
  const own = new Set<string>(accounts.map((account) => account.toLowerCase()));
  const isOwn = (value: unknown): boolean => own.has(lowerAddress(value) ?? '');
  return itemsOf(transactions).flatMap((tx) =>
    isRecord(tx) && HASH.test(String(tx['hash'])) && (isOwn(tx['from']) || isOwn(tx['to']))
      ? String(tx['hash'])
      : [],
  );
}
