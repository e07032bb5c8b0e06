import { fromNumber } from 'ox/Hex';
import { lowerAddress, quantity, wordOf } from '../../evm/hex.ts';
import { isRecord, itemsOf } from '../../lib/shape.ts';
import type { ChainReader, Range } from './chainReader.ts';
import type { Hash, Hex } from '../../model/hex.ts';

const HASH = /^0x[0-9a-f]{64}$/;
type Chain = Pick<ChainReader, 'send' | 'ranged'>;

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
  const unseen: string[] = [];
  const add = (items: readonly unknown[]): void => {
    for (const item of items)
      if (isRecord(item) && HASH.test(String(item['transactionHash'])))
        hashes.add(String(item['transactionHash']));
  };
  const words = accounts.map((account): Hash => `0x${wordOf(account.toLowerCase() as Hex)}`);
  for (const before of [[null], [null, null], [null, null, null]]) {
    const logs = await chain.ranged(range, (fromBlock, toBlock) => ({
      method: 'eth_getLogs',
      params: [{ fromBlock, toBlock, topics: [...before, words] as (Hash[] | null)[] }],
    }));
    if (logs) add(logs);
    else unseen.push(`tokens in transactions of others: the node gives no logs by topic ${before.length}`);
  }
  const blocks: number[] = [];
  for (const side of ['fromAddress', 'toAddress']) {
    const traces = await chain.ranged(range, (fromBlock, toBlock) => ({
      method: 'trace_filter',
      params: [{ fromBlock, toBlock, [side]: accounts }],
    }));
    if (traces) {
      add(traces);
      continue;
    }
    for (const account of accounts) {
      const changed = await changedBlocks(chain, account, range);
      if (changed === null)
        unseen.push(`ether of ${account}: the node has neither trace_filter nor old state`);
      else blocks.push(...changed);
    }
    unseen.push('ether that came and went between two blocks asked for: the node has no trace_filter');
    break;
  }
  const inner: number[] = [];
  for (const block of new Set(blocks)) {
    const own = await ownHashes(chain, block, accounts);
    for (const hash of own) hashes.add(hash);
    if (own.length === 0) inner.push(block);
  }
  return { hashes, blocks: inner, unseen };
}

/** Blocks in which an account's nonce or ether changed; null where the node has no state of them. */
async function changedBlocks(chain: Chain, account: string, [first, last]: Range): Promise<number[] | null> {
  const states = new Map<number, string>();
  const read = async (blocks: readonly number[]): Promise<boolean> => {
    const answers = await chain.send(
      blocks.flatMap((block) => {
        const params = [account as Hex, fromNumber(block)] as const;
        return [
          { method: 'eth_getTransactionCount', params },
          { method: 'eth_getBalance', params },
        ] as const;
      }),
    );
    for (const [i, block] of blocks.entries())
      states.set(block, JSON.stringify(answers.slice(2 * i, 2 * i + 2)));
    return answers.every(({ ok }) => ok);
  };
  const changed: number[] = [];
  if (!(await read([first - 1, last]))) return null;
  for (let open: Range[] = [[first - 1, last]]; open.length > 0; ) {
    const moved = open.filter(([low, high]) => states.get(low) !== states.get(high));
    const wide = moved.filter(([low, high]) => high - low > 1);
    for (const [low, high] of moved) if (high - low === 1) changed.push(high);
    const middle = ([low, high]: Range): number => (low + high) >> 1;
    if (wide.length > 0 && !(await read(wide.map(middle)))) return null;
    open = wide.flatMap((one): Range[] => [
      [one[0], middle(one)],
      [middle(one), one[1]],
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
    isRecord(tx) && typeof tx['hash'] === 'string' && (isOwn(tx['from']) || isOwn(tx['to']))
      ? tx['hash']
      : [],
  );
}

/** By how much an account's nonce rose; null where the node does not answer. */
export async function nonceRise(
  { send }: Chain,
  account: string,
  [first, last]: Range,
): Promise<number | null> {
  const answers = await send(
    [first - 1, last].map((block) => ({
      method: 'eth_getTransactionCount',
      params: [account as Hex, fromNumber(block)],
    })),
  );
  const [before, after] = answers.map((answer) => (answer.ok ? quantity(answer.result) : null));
  return before == null || after == null ? null : Number(after - before);
}
