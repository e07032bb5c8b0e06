import { fromNumber } from 'ox/Hex';
import { lowerAddress, wordOf } from '../../evm/hex.ts';
import { isRecord, itemsOf } from '../../lib/shape.ts';
import { createUpstream } from '../../stages/1-fetch/rpc/upstream.ts';
import { failureOf } from '../../lib/errors.ts';
import { analyzeOneBlock } from '../cli/blocks/oneBlock.ts';
import { openAnalyzer, readCliConfig } from '../cli/openAnalyzer.ts';
import { chainReader, type ChainReader, type HoldingChange, type Range } from './chainReader.ts';
import { observe, type Observing } from './observedBalances.ts';
import type { LedgerEvent } from './ledgerEvent.ts';
import type { Address, Hash, Hex } from '../../model/hex.ts';
import type { TxReport } from '../../model/generated/report.ts';

/** A node as ledgers use it. */
export type Chain = Awaited<ReturnType<typeof openChain>>;

/** A period by days or blocks, and whether every token is compared. */
export interface PeriodOptions {
  readonly from?: string;
  readonly to?: string;
  readonly balances?: boolean;
}

type Say = (text: string) => void;

/** Transactions analyzed at once. */
const AT_ONCE = 8;

/** Opens the configured node. Throws `CliError` where there is none. */
export async function openChain() {
  const upstream = createUpstream(readCliConfig());
  const chain = chainReader(upstream);

  /** Blocks of a period: a day ends before its first block, a block is included. */
  async function period({ from, to }: PeriodOptions, known: Range): Promise<Range> {
    const isDay = (text: string): boolean => text.includes('-');
    const first = from === undefined ? known[0] : isDay(from) ? await chain.firstBlock(from) : Number(from);
    const end = to === undefined ? known[1] : isDay(to) ? (await chain.firstBlock(to)) - 1 : Number(to);
    return [Math.max(first, 1), Math.min(end, (await chain.blockTime('latest')).block)];
  }

  /** Says where an account's nonce rose by another number than it has transactions. */
  async function compareNonce(account: string, own: number, [first, last]: Range, say: Say) {
    const [before, after] = await chain.statesOf(account, [first - 1, last]);
    const rise = before && after && Number(after[0] - before[0]);
    if (rise !== own)
      say(`${account}: its nonce rose by ${rise ?? 'an unknown number'}, ${own} own transactions are booked`);
  }

  return {
    [Symbol.asyncDispose]: () => upstream.close(),
    /** Accounts and assets with a change that the balances around a transaction bear out. */
    async confirmed(hash: string, disputed: readonly HoldingChange[]): Promise<ReadonlySet<string>> {
      const changes = disputed.length === 0 ? [] : await chain.changesBy(hash, disputed);
      const found = disputed.filter(({ raw }, i) => changes[i] === raw);
      return new Set(found.map(({ account, asset }) => `${account} ${asset.id}`));
    },

    /** Reports of the accounts' transactions in a period, found by the node; `fail` names those without. */
    async *find(accounts: readonly string[], options: PeriodOptions, say: Say, fail: Say) {
      const range = await period(options, [1, Infinity]);
      const { hashes, blocks, unseen } = await findTransactions(chain, accounts, range);
      say(`found ${hashes.size} transactions in blocks ${range.join(' to ')}`);
      for (const kind of unseen) say(`not looked for: ${kind}`);
      const signed = new Map(accounts.map((account) => [account, 0]));
      const counted = (json: string): TxReport => {
        const report = JSON.parse(json) as TxReport;
        signed.set(report.tx.signer, (signed.get(report.tx.signer) ?? 0) + 1);
        return report;
      };
      const lower = accounts.map((account) => account.toLowerCase() as Address);
      for (const block of blocks) {
        const { reports, failures } = await analyzeOneBlock(String(block), lower);
        for (const { tx_hash: hash, error } of failures) fail(`${hash}: ${error}`);
        for (const json of reports) yield counted(json);
      }
      await using analyzer = await openAnalyzer();
      const all = [...hashes];
      for (let at = 0; at < all.length; at += AT_ONCE) {
        const group = all.slice(at, at + AT_ONCE);
        const results = await Promise.allSettled(group.map((hash) => analyzer.analyze(hash)));
        for (const [i, result] of results.entries())
          if (result.status === 'fulfilled') yield counted(result.value);
          else fail(`${group[i]!}: ${failureOf(result.reason).error}`);
      }
      for (const account of accounts) await compareNonce(account, signed.get(account)!, range, say);
    },

    /** Events with the balances of the node beside them; says which differences neither explains. */
    async observe(events: readonly LedgerEvent[], options: PeriodOptions, request: Observing) {
      if (events.length === 0) return { events, closing: undefined };
      const range = await period(options, [events[0]!.block, events.at(-1)!.block]);
      return observe(chain, events, { ...request, range });
    },
  };
}

const HASH = /^0x[0-9a-f]{64}$/;
type Finder = Pick<ChainReader, 'send' | 'ranged' | 'statesOf'>;

/**
 * Transactions of accounts: by logs that name one in a topic, and by traces where the node filters those,
 * else by bisection of nonce and ether. `blocks`: an account's ether changed there by a call inside some
 * transaction. `unseen`: kinds of transactions that the node has no means to find.
 */
export async function findTransactions(chain: Finder, accounts: readonly string[], range: Range) {
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
async function changedBlocksOf(chain: Finder, account: string, range: Range): Promise<number[] | null> {
  const [first, last] = [range[0] - 1, range[1]];
  const states = new Map<number, string>();
  const read = async (blocks: readonly number[]): Promise<boolean> => {
    const found = await chain.statesOf(account, blocks);
    for (const [i, block] of blocks.entries()) states.set(block, String(found[i]));
    return !found.includes(null);
  };
  if (!(await read([first, last]))) return null;
  const changed: number[] = [];
  for (let open: Range[] = [[first, last]]; open.length > 0; ) {
    const moved = open.filter(([low, high]) => states.get(low) !== states.get(high));
    changed.push(...moved.flatMap(([low, high]) => (high - low === 1 ? high : [])));
    const halves = moved.flatMap(([low, high]) => (high - low > 1 ? [[low, (low + high) >> 1, high]] : []));
    if (halves.length > 0 && !(await read(halves.map(([, middle]) => middle!)))) return null;
    open = halves.flatMap(([low, middle, high]) => [[low!, middle!] as const, [middle!, high!] as const]);
  }
  return changed;
}

/** Transactions of a block that one of the accounts sent, or that went to it. */
async function ownHashes({ send }: Finder, block: number, accounts: readonly string[]): Promise<string[]> {
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
