import { createUpstream } from '../../stages/1-fetch/rpc/upstream.ts';
import { failureOf } from '../../lib/errors.ts';
import { analyzeOneBlock } from '../cli/blocks/oneBlock.ts';
import { openAnalyzer, readCliConfig } from '../cli/openAnalyzer.ts';
import { chainReader, type HoldingChange, type Range } from './chainReader.ts';
import { findTransactions } from './findTransactions.ts';
import { observe, type Observing } from './observedBalances.ts';
import type { LedgerEvent } from './ledgerEvent.ts';
import type { Address } from '../../model/hex.ts';
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
