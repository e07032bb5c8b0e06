// Koinly's published rules over the rows of every account of every recorded transaction: none is broken.
// https://support.koinly.io/en/articles/9489976-how-to-create-a-custom-csv-file-with-your-data (columns, dates),
// https://support.koinly.io/en/articles/9490022-what-are-transactions-in-koinly ("A deposit in Koinly can not have any fee"),
// https://support.koinly.io/en/articles/9490023-what-are-tags (tags by the kind of row).
import { expect, it } from 'vitest';
import type { TxReport } from '../../src/model/generated/report.ts';
import { commoditiesOf } from '../../src/tools/ledger/commodities.ts';
import { ledgerEvents } from '../../src/tools/ledger/ledgerEvent.ts';
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
    must(amount === '' || (/^\d+(\.\d+)?$/.test(amount) && Number(amount) >= 0), `${side} amount ${amount}`);
  }
  must(!sent || Number(row['Sent Amount']) > 0, 'sends nothing');
  must(!received || Number(row['Received Amount']) > 0, 'receives nothing');
  must(kind !== 'deposit' || row['Fee Amount'] === '', 'carries a fee');
  must(label === '' || TAGS[kind].includes(label), `is tagged ${label}`);
  return found;
}

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
  const broken: string[] = [];
  const tags = new Map<string, number>();
  let rows = 0;
  for (const report of reports)
    for (const account of new Set([
      report.tx.signer,
      ...report.inventory_deltas.map(({ subject }) => subject),
    ])) {
      const { event } = ledgerEvents(report, new Set([account]));
      if (event === null) continue;
      const commodity = commoditiesOf([event], rulebook, KOINLY);
      const own = rowsOf(writeLedger([event], { format: KOINLY, rules: rulebook, commodity }));
      for (const row of own) {
        rows++;
        tags.set(row['Label']!, (tags.get(row['Label']!) ?? 0) + 1);
        broken.push(...faults(row).map((fault) => `${report.tx.hash} ${account}: ${fault}`));
      }
      // A fee is booked once, in a row that may carry it or in one of its own.
      const fees = own.filter((row) => row['Fee Amount'] !== '' || row['Label'] === 'cost');
      expect(fees.length, `${report.tx.hash} ${account}`).toBe(
        event.fee && Number(event.fee.amount) > 0 ? 1 : 0,
      );
    }
  console.warn(`${rows} rows of ${reports.length} transactions; tags ${JSON.stringify([...tags])}`);
  expect(broken).toEqual([]);
  expect(rows).toBeGreaterThan(REPLAY_AVAILABLE ? 2_500 : 300);
  for (const tag of ['reward', 'loan', 'loan repayment', 'stake', 'cost', 'swap'])
    expect(tags.has(tag)).toBe(true);
});
