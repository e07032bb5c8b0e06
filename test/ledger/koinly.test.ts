// Koinly's published rules over the rows of every account of every recorded transaction: none is broken.
// https://support.koinly.io/en/articles/9489976-how-to-create-a-custom-csv-file-with-your-data (columns, dates),
// https://support.koinly.io/en/articles/9490022-what-are-transactions-in-koinly ("A deposit in Koinly can not have any fee"),
// https://support.koinly.io/en/articles/9490023-what-are-tags (tags by the kind of row).
import { expect, it } from 'vitest';
import type { TxReport } from '../../src/model/generated/report.ts';
import { commoditiesOf, readCurrencyMap } from '../../src/tools/ledger/commodities.ts';
import { ledgerEvents, type LedgerEvent } from '../../src/tools/ledger/ledgerEvent.ts';
import { readFormat } from '../../src/tools/ledger/ledgerFormat.ts';
import { writeLedger } from '../../src/tools/ledger/writeLedger.ts';
import { REPLAY_AVAILABLE, warnIfAbsent } from '../support/replayNode.ts';
import { embeddedReports, mainnetReports, rulebook } from './recordedReports.ts';

warnIfAbsent("Koinly's rules over recorded mainnet transactions");

const BOTH = ['stake', 'realized gain'];
const DEPOSIT_TAGS =
  'airdrop,fork,mining,reward,salary,income,lending interest,cashback,fee refund,loan,margin loan'.split(',');
const WITHDRAWAL_TAGS =
  'gift,lost,donation,cost,tax,loan fee,margin fee,loan repayment,margin repayment'.split(',');
const TAGS = {
  deposit: [...DEPOSIT_TAGS, ...BOTH],
  withdrawal: [...WITHDRAWAL_TAGS, ...BOTH],
  trade: ['swap'],
};
const KOINLY = readFormat('koinly');

interface Row {
  readonly [column: string]: string;
}

/** What a row breaks. */
function faults(row: Row): string[] {
  const sent = row['Sent Amount'] !== '';
  const received = row['Received Amount'] !== '';
  const kind = sent && received ? 'trade' : sent ? 'withdrawal' : 'deposit';
  const label = row['Label']!;
  const found: string[] = [];
  const must = (holds: boolean, what: string): void => void (holds || found.push(`${kind} ${what}`));
  must(sent || received, 'has no amount');
  must(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/.test(row['Koinly Date']!), 'date');
  for (const side of ['Sent', 'Received', 'Fee', 'Net Worth']) {
    const [amount, currency] = [row[`${side} Amount`]!, row[`${side} Currency`]!];
    must((amount === '') === (currency === ''), `${side} without its currency`);
    must(currency === '' || /^(?!0x)[\w.$-]+$/.test(currency), `${side} in ${currency}`);
    must(amount === '' || (/^\d+(\.\d+)?$/.test(amount) && Number(amount) >= 0), `${side} amount ${amount}`);
  }
  must(!sent || Number(row['Sent Amount']) > 0, 'sends nothing');
  must(!received || Number(row['Received Amount']) > 0, 'receives nothing');
  must(kind !== 'deposit' || row['Fee Amount'] === '', 'carries a fee');
  must(label === '' || TAGS[kind].includes(label), `is tagged ${label}`);
  return found;
}

const EARNED = new Set(['reward', 'interest']);

/** What rows of a report break: one act per row, and nothing but what the account gained and lost. */
function broken({ rows, flows }: LedgerEvent, report: TxReport, account: string): string[] {
  const sums = new Map<string, bigint>();
  const add = (id: string, raw: bigint): void => void sums.set(id, (sums.get(id) ?? 0n) + raw);
  for (const { asset, raw, debt } of flows) if (!debt) add(asset.id, raw);
  for (const { sent, received } of rows) {
    if (sent) add(sent.asset.id, sent.raw);
    if (received) add(received.asset.id, -received.raw);
  }
  const found = [...sums].filter(([, rest]) => rest !== 0n).map(([id, rest]) => `${rest} of ${id} too few`);
  const effects = report.position_effects.filter(({ owner }) => owner === account);
  const borrowed = effects.filter(({ category }) => category === 'lending_debt');
  const owed = new Set(borrowed.flatMap(({ underlying }) => underlying.map(({ asset }) => asset.id)));
  for (const { sent, received, purpose } of rows.filter((row) => row.sent && row.received)) {
    if (purpose === null && owed.has(received!.asset.id) && !isTraded(report, received!.asset.id))
      found.push(`a loan of ${received!.asset.id} is a purchase`);
    if (purpose !== 'shares') continue;
    const ids = [sent!.asset.id, received!.asset.id];
    const isOne = effects.some(
      ({ position_asset: share, effect }) => effect === 'migrate' || ids.includes(share?.id ?? ''),
    );
    if (!isOne) found.push(`${ids.join(' and ')} are of no position`);
  }
  return found;
}

const isTraded = ({ motifs }: TxReport, id: string): boolean =>
  motifs.some(
    ({ kind, assets_out: given }) => /swap|route/.test(kind) && given.some(({ asset }) => asset.id === id),
  );

/** The report with all value and all positions in the other direction: what was entered is left, and the reverse. */
function reversed(report: TxReport): TxReport {
  const turned = structuredClone(report) as TxReport;
  const negative = (raw: string): string => String(-BigInt(raw));
  for (const one of turned.movements!) [one.from, one.to] = [one.to, one.from];
  for (const delta of turned.inventory_deltas) delta.delta_raw = negative(delta.delta_raw);
  for (const motif of turned.motifs)
    [motif.assets_in, motif.assets_out] = [motif.assets_out, motif.assets_in];
  for (const effect of turned.position_effects) {
    if (effect.position_delta_raw !== null) effect.position_delta_raw = negative(effect.position_delta_raw);
    for (const part of effect.underlying) part.delta_raw = negative(part.delta_raw);
  }
  return turned;
}

/** Rows as amounts per asset, in the account's direction or in the other. */
const amountsOf = ({ rows }: LedgerEvent, sign: bigint): string[] =>
  rows
    .map(({ sent, received }) =>
      [
        sent && `${-sign * sent.raw} ${sent.asset.id}`,
        received && `${sign * received.raw} ${received.asset.id}`,
      ]
        .filter(Boolean)
        .sort()
        .join(' for '),
    )
    .sort();

/** Rows of a CSV with quoted cells. */
function rowsOf(text: string): Row[] {
  const lines: string[][] = [[]];
  for (const [, cell, end] of text.matchAll(/("(?:[^"]|"")*"|[^",\n]*)([,\n])/g)) {
    lines.at(-1)!.push(cell!.startsWith('"') ? cell!.slice(1, -1).replaceAll('""', '"') : cell!);
    if (end === '\n') lines.push([]);
  }
  const [header, ...rows] = lines.slice(0, -1);
  return rows.map((row) => Object.fromEntries(row.map((cell, i) => [header![i]!, cell])));
}

it('a broken row is found', () => {
  const row = {
    'Koinly Date': '2024-01-01 00:00:00 UTC',
    'Sent Amount': '',
    'Sent Currency': '',
    'Received Amount': '1',
    'Received Currency': 'ETH',
    'Fee Amount': '0.1',
    'Fee Currency': 'ETH',
    'Net Worth Amount': '',
    'Net Worth Currency': '',
    Label: 'cost',
  };
  expect(faults(row)).toEqual(['deposit carries a fee', 'deposit is tagged cost']);
});

it('no row of any account breaks one', async () => {
  const reports: TxReport[] = [
    ...(await embeddedReports()).values(),
    ...(await mainnetReports(['labelled-defi', 'whole-blocks', 'block-10m', 'blocks-2024'])).values(),
  ];
  const faulty: string[] = [];
  const map = readCurrencyMap(undefined);
  let positions = 0;
  const tags = new Map<string, number>();
  let rows = 0;
  for (const report of reports)
    for (const account of new Set([
      report.tx.signer,
      ...report.inventory_deltas.map(({ subject }) => subject),
    ])) {
      const { event } = ledgerEvents(report, new Set([account]), rulebook);
      if (event === null) continue;
      const commodity = commoditiesOf([event], rulebook, KOINLY, map);
      const own = rowsOf(writeLedger([event], { format: KOINLY, rules: rulebook, commodity }));
      for (const row of own) {
        rows++;
        tags.set(row['Label']!, (tags.get(row['Label']!) ?? 0) + 1);
        faulty.push(...faults(row).map((fault) => `${report.tx.hash} ${account}: ${fault}`));
      }
      faulty.push(...broken(event, report, account).map((fault) => `${report.tx.hash} ${account}: ${fault}`));
      // Entering a position and leaving it as it was entered sum to nothing, row by row: what is left over is interest.
      const effects = report.position_effects.filter(({ owner }) => owner === account);
      const isPlain = effects.every(({ underlying }) => underlying.every(({ role }) => !EARNED.has(role)));
      if (effects.length > 0 && isPlain && !event.rows.some(({ purpose }) => EARNED.has(purpose ?? ''))) {
        positions++;
        const left = ledgerEvents(reversed(report), new Set([account]), rulebook).event!;
        expect(amountsOf(left, -1n), `${report.tx.hash} ${account}`).toEqual(amountsOf(event, 1n));
      }
      // A fee is booked once, in a row that may carry it or in one of its own.
      const paid = event.rows.filter(({ purpose }) => purpose === 'fee').length;
      const costs = own.filter((row) => row['Label'] === 'cost').length - paid;
      const fees = own.filter((row) => row['Fee Amount'] !== '').length + costs;
      expect(fees, `${report.tx.hash} ${account}`).toBe(event.fee && Number(event.fee.amount) > 0 ? 1 : 0);
    }
  console.warn(
    `${rows} rows, ${positions} positions entered and left, of ${reports.length} transactions; tags ${JSON.stringify([...tags])}`,
  );
  expect(faulty).toEqual([]);
  expect(positions).toBeGreaterThan(REPLAY_AVAILABLE ? 150 : 25);
  expect(rows).toBeGreaterThan(REPLAY_AVAILABLE ? 2_500 : 300);
  const wanted = ['reward', 'loan', 'loan repayment', 'stake', 'cost', 'swap', 'fee refund'];
  for (const tag of REPLAY_AVAILABLE ? [...wanted, 'airdrop', 'lending interest'] : wanted)
    expect(tags.has(tag), tag).toBe(true);
});
