import { fromNumber } from 'ox/Hex';
import { lowerAddress, wordOf } from '../../evm/hex.ts';
import { isRecord, itemsOf } from '../../lib/shape.ts';
import type { ChainReader, Range } from './chainReader.ts';
import type { Hash, Hex } from '../../model/hex.ts';

const HASH = /^0x[0-9a-f]{64}$/;
type Chain = Pick<ChainReader, 'send' | 'ranged' | 'statesOf'>;

/**
 * Transactions of accounts: by logs that name one in a topic, and by traces where the node filters those,
 * else by bisection of nonce and ether. `blocks`: an account's ether changed there by a call inside some
 * transaction. `unseen`: kinds of transactions that the node has no means to find.
 */
export async function findTransactions(chain: Chain, accounts: readonly string[], range: Range) {
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
  const unread = accounts.filter((_, i) => changed[i] === null);
  unseen.push(...unread.map((one) => `ether of ${one}: the node has neither trace_filter nor old state`));
  for (const block of new Set(changed.flatMap((found) => found ?? []))) {
    const own = await ownHashes(chain, block, accounts);
    for (const hash of own) hashes.add(hash);
    if (own.length === 0) blocks.push(block);
  }
  return { hashes, blocks, unseen };
}

/**
 * Blocks in which an account's nonce or ether changed; null where the node has no state of one. Ranges that
 * changed are halved together, so that a step is one group of requests.
 */
async function changedBlocksOf(
  chain: Chain,
  account: string,
  [first, last]: Range,
): Promise<number[] | null> {
  const states = new Map<number, string>();
  const read = async (blocks: readonly number[]): Promise<boolean> => {
    const found = await chain.statesOf(account, blocks);
    for (const [i, block] of blocks.entries()) states.set(block, String(found[i]));
    return !found.includes(null);
  };
  if (!(await read([first - 1, last]))) return null;
  const changed: number[] = [];
  for (let open: Range[] = [[first - 1, last]]; open.length > 0; ) {
    const moved = open.filter(([low, high]) => states.get(low) !== states.get(high));
    changed.push(...moved.flatMap(([low, high]) => (high - low === 1 ? high : [])));
    const halves = moved.flatMap(([low, high]) => (high - low > 1 ? [[low, (low + high) >> 1, high]] : []));
    if (halves.length > 0 && !(await read(halves.map(([, middle]) => middle!)))) return null;
    open = halves.flatMap(([low, middle, high]): Range[] => [
      [low!, middle!],
      [middle!, high!],
    ]);
  }
  return changed;
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
