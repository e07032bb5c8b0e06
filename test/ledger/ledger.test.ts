import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { getAddress } from 'viem/utils';
import { describe, expect, it } from 'vitest';
import { analyzeRaw } from '../../src/analyze.ts';
import type { TxReport } from '../../src/model/generated/report.ts';
import { allRecordings } from '../../src/tools/cli/rules/recordings.ts';
import { corpus, REPLAY_AVAILABLE, warnIfAbsent } from '../support/replayNode.ts';
import { ledgerEvents, placeOf, type LedgerEvent } from '../../src/tools/ledger/ledgerEvent.ts';
import { commoditiesOf } from '../../src/tools/ledger/commodities.ts';
import { readFormat, type LedgerFormat } from '../../src/tools/ledger/ledgerFormat.ts';
import { writeLedger } from '../../src/tools/ledger/writeLedger.ts';
import { embeddedReports, rulebook } from './recordedReports.ts';

warnIfAbsent('the ledger against state differences');

const FOLDER = join(import.meta.dirname, '../recordings');
const reports = await embeddedReports();
const KOINLY = readFormat('koinly');
const DOUBLE_ENTRY = readFormat('double-entry');

/** Exact sum of decimal texts, in units of 10^-40. */
const exact = (text: string): bigint => {
  const [whole, fraction = ''] = text.replace('-', '').split('.');
  const units = BigInt(whole + fraction.padEnd(40, '0'));
  return text.startsWith('-') ? -units : units;
};

const ledgerEvent = (report: TxReport, ...accounts: string[]): LedgerEvent | null =>
  ledgerEvents(report, new Set(accounts), rulebook).event;

/** The file's rows without their header, empty cells as null. */
const rowsOf = (format: LedgerFormat, ...events: (LedgerEvent | null)[]): (string | null)[][] => {
  const told = events.flatMap((event) => event ?? []);
  const cells = [...textOf(format, told).matchAll(/("(?:[^"]|"")*"|[^",\n]*)([,\n])/g)];
  const rows: (string | null)[][] = [[]];
  for (const [, cell, end] of cells) {
    const text = cell!.startsWith('"') ? cell!.slice(1, -1).replaceAll('""', '"') : cell!;
    rows.at(-1)!.push(text === '' ? null : text);
    if (end === '\n') rows.push([]);
  }
  return rows.slice(1, -1);
};

const textOf = (format: LedgerFormat, told: readonly LedgerEvent[]): string =>
  writeLedger(told, { format, rules: rulebook, commodity: commoditiesOf(told, rulebook, format) });

/** Checks the double entry of every account of every report; returns how many balance changes it compared. */
function balanced(all: ReadonlyMap<string, TxReport>): number {
  let checked = 0;
  for (const [name, report] of all) {
    for (const account of new Set(report.inventory_deltas.map(({ subject }) => subject))) {
      const { event, doubtful } = ledgerEvents(report, new Set([account]), rulebook);
      const rows = rowsOf(DOUBLE_ENTRY, event, doubtful);
      const sums = new Map<string, bigint>();
      const own = new Map<string, bigint>();
      for (const row of rows) {
        const [, , , , posted, asset, , amount] = row as string[];
        sums.set(asset!, (sums.get(asset!) ?? 0n) + exact(amount!));
        if (posted === `assets:${account}` || posted === `liabilities:${account}`)
          own.set(asset!, (own.get(asset!) ?? 0n) + exact(amount!));
      }
      for (const [asset, sum] of sums) expect(sum, `${name} ${account} ${asset}`).toBe(0n);
      const fee = event?.fee ? -exact(event.fee.amount) : 0n;
      for (const { subject, asset, delta, delta_raw: raw } of report.inventory_deltas) {
        if (subject !== account) continue;
        const expected = exact(delta ?? raw) + (asset.kind === 'native' ? fee : 0n);
        expect(own.get(asset.id) ?? 0n, `${name} ${account} ${asset.id}`).toBe(expected);
        checked++;
      }
    }
  }
  return checked;
}

const NONE_KNOWN = { knownTokens: new Map() };

describe('the ledger of an account', () => {
  it('double entry adds up to zero per asset, and to the balance change of every account', () => {
    expect(balanced(reports)).toBeGreaterThan(300);
  });

  it.skipIf(!REPLAY_AVAILABLE)('so it does for recorded mainnet transactions', async () => {
    const recorded = new Map<string, TxReport>();
    for (const { raw, context } of allRecordings([corpus('labelled-defi.ndjson.gz')])) {
      recorded.set(raw.hash, await analyzeRaw(raw, context, rulebook));
    }
    expect(recorded.size).toBeGreaterThan(300);
    expect(balanced(recorded)).toBeGreaterThan(1_500);
  });

  it('a swap is one Koinly row with both sides, fee and time', () => {
    const report = reports.get('swap-v2-eth-usdc')!;
    const event = ledgerEvent(report, report.tx.signer)!;
    const block = JSON.parse(readFileSync(join(FOLDER, 'swap-v2-eth-usdc.json'), 'utf8')).rpc.block;
    const time = new Date(Number(block.timestamp) * 1000).toISOString();
    expect(rowsOf(KOINLY, event)).toEqual([
      [
        `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`,
        '1',
        'ETH',
        '3388.111026',
        'USDC',
        report.execution.gas_cost_native,
        'ETH',
        null,
        null,
        null,
        report.classification.intent_label,
        report.tx.hash,
      ],
    ]);
  });

  it('a claim is labelled, a failed transaction is its cost, an unconcerned account has no row', () => {
    const claim = reports.get('airdrop-claim')!;
    const rows = rowsOf(KOINLY, ledgerEvent(claim, claim.classification.actor!));
    expect(rows.map((row) => row[9])).toContain('reward');
    const failed = reports.get('reverted-string')!;
    const cost = rowsOf(KOINLY, ledgerEvent(failed, failed.tx.signer));
    expect(cost).toHaveLength(1);
    expect(cost[0]!.slice(1, 3)).toEqual([failed.execution.gas_cost_native, 'ETH']);
    expect(cost[0]![9]).toBe('cost');
    expect(ledgerEvent(failed, '0x0000000000000000000000000000000000000001')).toBeNull();
  });

  it('text that a spreadsheet would run is disarmed', () => {
    const report = structuredClone(reports.get('swap-v2-eth-usdc')!) as TxReport;
    report.classification.intent_label = '=HYPERLINK("http://evil")';
    const text = textOf(KOINLY, [ledgerEvent(report, report.tx.signer)!]);
    expect(text).toContain(`"'=HYPERLINK(""http://evil"")"`);
  });

  it("gas is the signer's alone: of a user operation the bundler has a row, the sender none for gas", () => {
    const report = reports.get('userop-swap')!;
    const { signer } = report.tx;
    const actor = report.classification.actor!;
    expect(actor).not.toBe(signer);
    expect(ledgerEvent(report, actor)!.fee).toBeNull();
    const bundler = ledgerEvent(report, signer)!;
    expect(bundler.fee!.amount).toBe(report.execution.gas_cost_native);
    expect(bundler.label).toBeNull();
    const together = rowsOf(DOUBLE_ENTRY, ledgerEvent(report, actor, signer));
    expect(together.filter((row) => row[4] === 'expenses:gas')).toHaveLength(1);
  });

  it('a transfer between own accounts is no gain or loss', () => {
    const report = reports.get('token-transfer')!;
    const { from, to, asset_id: id, amount_raw: raw } = report.movements![0]!;
    const event = ledgerEvent(report, from, to)!;
    expect(event.rows).toEqual([]);
    const rows = rowsOf(KOINLY, event);
    expect(rows.map((row) => [row[1], row[3], row[9]])).toEqual([
      [report.execution.gas_cost_native, null, 'cost'],
    ]);
    const postings = rowsOf(DOUBLE_ENTRY, event).filter((row) => row[5] === id);
    expect(new Set(postings.map((row) => row[4]))).toEqual(new Set([`assets:${from}`, `assets:${to}`]));
    const { asset } = event.flows[0]!;
    const moved = postings.find((row) => row[4] === `assets:${to}`)!;
    expect(exact(moved[7]!) * 10n ** BigInt(asset.decimals!)).toBe(BigInt(raw) * 10n ** 40n);
  });

  it('what a stranger can forge is left out: unverified transfers, imitations, spam', () => {
    const report = structuredClone(reports.get('token-transfer')!) as TxReport;
    const { from, to } = report.movements![0]!;
    expect(ledgerEvent(report, to)!.rows).toHaveLength(1);
    report.movements![0]!.flags = ['unverified_source'];
    for (const account of [from, to]) {
      const { event, doubtful, concerned } = ledgerEvents(report, new Set([account]), rulebook);
      expect(event?.flows ?? []).toEqual([]);
      expect(doubtful!.flows).toHaveLength(1);
      expect(doubtful!.fee).toBeNull();
      expect([...concerned]).toContain(account);
    }
    for (const flag of ['impersonates', 'suspected_spam']) {
      const fake = structuredClone(reports.get('token-transfer')!) as TxReport;
      for (const delta of fake.inventory_deltas) {
        if (flag === 'impersonates') delta.asset.flags = [flag];
        else delta.flags.push(flag);
      }
      expect(ledgerEvent(fake, to)).toBeNull();
      expect(ledgerEvents(fake, new Set([to]), rulebook).doubtful!.rows).toHaveLength(1);
    }
  });

  it('what takes back no more than the same transaction surely gave is booked', () => {
    const report = reports.get('token-transfer')!;
    const given = report.movements![0]!;
    const doubted = (amount: bigint) => {
      const back = { ...given, from: given.to, to: given.from, flags: ['unverified_source'] };
      const movements = [given, { ...back, amount_raw: String(amount) }];
      return ledgerEvents({ ...report, movements }, new Set([given.to]), rulebook).doubtful;
    };
    expect(doubted(BigInt(given.amount_raw))).toBeNull();
    expect(doubted(BigInt(given.amount_raw) + 1n)!.flows).toHaveLength(1);
  });

  it('a symbol alone names listed tokens only; no two tokens are one commodity', () => {
    const report = structuredClone(reports.get('usdt-transfer')!) as TxReport;
    const { to, asset_id: id } = report.movements![0]!;
    const { asset } = report.inventory_deltas[0]!;
    const address = asset.address!;
    const names = (accounts: TxReport['accounts']) => {
      const event = ledgerEvent({ ...report, accounts: accounts! }, to)!;
      return event.flows.map((flow) => commoditiesOf([event], NONE_KNOWN)(flow.asset));
    };
    expect(id).toBe(asset.id);
    expect(names({ [address]: { name: 'Tether', kind: 'token', source: 'rules' } })).toEqual(['USDT']);
    expect(names({ [address]: { name: 'Tether', kind: 'token', source: 'contract' } })).toEqual([
      `USDT ${address}`,
    ]);
    const event = ledgerEvent(
      { ...report, accounts: { [address]: { name: 'Tether', kind: 'token', source: 'rules' } } },
      to,
    )!;
    const twin = {
      ...asset,
      address: '0x1111111111111111111111111111111111111111',
      id: 'twin',
      symbol: 'usdt',
    };
    const other = {
      ...event,
      flows: [{ ...event.flows[0]!, asset: twin }],
      names: new Map([[twin.address, 'Tether']]),
    };
    const commodity = commoditiesOf([event, other], NONE_KNOWN);
    expect([commodity(asset), commodity(twin)]).toEqual([`USDT ${address}`, `usdt ${twin.address}`]);
  });

  it('descriptions are from the own side, counterparties by name', () => {
    const report = structuredClone(reports.get('usdt-transfer')!) as TxReport;
    const { from, to } = report.movements![0]!;
    const { asset } = report.inventory_deltas[0]!;
    report.accounts = {
      [asset.address!]: { name: 'Tether', kind: 'token', source: 'rules' },
      [from]: { name: 'An Exchange', kind: 'exchange', source: 'address_book' },
    };
    const [row] = rowsOf(KOINLY, ledgerEvent(report, to));
    expect(row![10]).toMatch(/^Received [\d.,]+ USDT from An Exchange$/);
    report.accounts[from]!.source = 'contract';
    const [unlisted] = rowsOf(KOINLY, ledgerEvent(report, to));
    expect(unlisted![10]).toContain(`USDT from ${from}`);
    expect(rowsOf(KOINLY, ledgerEvent(report, from))[0]![10]).toBe(report.classification.intent_label);
  });

  it('tokens of a debt are liabilities, with their value beside every posting', () => {
    const report = reports.get('aave-borrow')!;
    const debt = report.position_effects.find(({ category }) => category === 'lending_debt')!;
    const event = ledgerEvent(report, debt.owner)!;
    expect(event.rows.map(({ received }) => received?.asset.id)).not.toContain(debt.position_asset!.id);
    const owed = rowsOf(DOUBLE_ENTRY, event).filter((row) => row[4] === `liabilities:${debt.owner}`);
    expect(owed.map((row) => row[5])).toEqual([debt.position_asset!.id]);
  });

  it('a place is the block, then the position in it, then the nonce', () => {
    const { tx } = reports.get('swap-v2-eth-usdc')!;
    const recorded = JSON.parse(readFileSync(join(FOLDER, 'swap-v2-eth-usdc.json'), 'utf8')).rpc.receipt;
    const place = [recorded.blockNumber, recorded.transactionIndex, recorded.nonce ?? tx.nonce].map(Number);
    expect(placeOf(reports.get('swap-v2-eth-usdc')!)).toEqual(place);
    const older = structuredClone(reports.get('swap-v2-eth-usdc')!) as TxReport;
    delete older.tx.index;
    expect(placeOf(older)).toEqual([place[0], Infinity, place[2]]);
  });

  it.skipIf(!REPLAY_AVAILABLE)(
    'equals the state difference of the node for every account of recorded blocks',
    async () => {
      const counts = { accounts: 0, senders: 0, derivedSenders: 0, feeRecipients: 0, transactions: 0 };
      for (const file of ['whole-blocks', 'blocks-2024'])
        await reconcile(file, (kind) => void counts[kind]++);
      expect(counts).toEqual(RECONCILED);
    },
  );
});

const RECONCILED = { accounts: 792, senders: 9, derivedSenders: 295, feeRecipients: 301, transactions: 304 };

type Counted = 'accounts' | 'senders' | 'derivedSenders' | 'feeRecipients' | 'transactions';

interface Balances {
  readonly [account: string]: { readonly balance?: string };
}

/** Wei by which each account's balance differs, as `prestateTracer` with `diffMode` states it. */
function stateDifference({ pre, post }: { pre: Balances; post: Balances }): Map<string, bigint> {
  const changes = new Map<string, bigint>();
  for (const account of new Set([...Object.keys(pre), ...Object.keys(post)])) {
    const before = BigInt(pre[account]?.balance ?? '0x0');
    // Without an entry a destroyed account holds nothing; without the key the balance stays.
    const after = post[account] === undefined ? 0n : BigInt(post[account].balance ?? before);
    changes.set(account, after - before);
  }
  return changes;
}

/** The ledger's change of ether, gas included, in wei. */
function bookedEther(report: TxReport, account: string): bigint {
  const { event, doubtful } = ledgerEvents(report, new Set([account]), rulebook);
  expect((doubtful?.flows ?? []).filter(({ asset }) => asset.kind === 'native')).toEqual([]);
  return rowsOf(DOUBLE_ENTRY, event)
    .filter((row) => row[4] === `assets:${account}` && row[5] === 'eip155:1/slip44:60')
    .reduce((sum, row) => sum + exact(row[7]!) / 10n ** 22n, 0n);
}

async function reconcile(file: string, count: (kind: Counted) => void): Promise<void> {
  const lines = gunzipSync(readFileSync(corpus(`${file}.ndjson.gz`)))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  const recordings = new Map(allRecordings([corpus(`${file}.ndjson.gz`)]).map((r) => [r.raw.hash, r]));
  for (const { hash, rpc } of lines) {
    const { raw, context } = recordings.get(hash)!;
    const report = await analyzeRaw(raw, context, rulebook);
    const differences = stateDifference(rpc.prestateDiff);
    for (const account of report.inventory_deltas.map(({ subject }) => subject.toLowerCase()))
      if (!differences.has(account)) differences.set(account, 0n);
    count('transactions');
    for (const [account, difference] of differences) {
      const isMiner = account === rpc.block.miner;
      // Priority fees reach the block's fee recipient outside of the transaction's calls.
      const tip = BigInt(rpc.receipt.effectiveGasPrice) - BigInt(rpc.block.baseFeePerGas);
      const fees = isMiner ? tip * BigInt(rpc.receipt.gasUsed) : 0n;
      expect(bookedEther(report, getAddress(account)) + fees, `${hash} ${account}`).toBe(difference);
      const isSender = account === rpc.tx.from;
      const sender = file === 'whole-blocks' ? 'derivedSenders' : 'senders';
      count(isSender ? sender : isMiner ? 'feeRecipients' : 'accounts');
    }
  }
}
