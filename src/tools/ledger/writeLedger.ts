import { stringify } from 'csv-stringify/sync';
import { formatAmount } from '../../value/amount.ts';
import { plainLine } from './commodities.ts';
import { ETHER, exactAmount, type LedgerChange, type LedgerEvent } from './ledgerEvent.ts';
import { accountOf, fill, rowsOf, timeText, type Book, type Values } from './rowValues.ts';

/** The file of these events. Pure. */
export function writeLedger(events: readonly LedgerEvent[], book: JournalBook): string {
  const { format } = book;
  if (format.shape === 'journal') return journal(events, book);
  const { columns = {}, quoting = 'needed', delimiter = ',' } = format;
  const cells = events
    .flatMap((event) => rowsOf(event, book))
    .map((row) => Object.values(columns).map((template) => cellOf(template, row)));
  return stringify([Object.keys(columns), ...cells], {
    record_delimiter: '\n',
    delimiter,
    quoted: quoting === 'all',
  });
}

/** Null where there is no value. A formula (OWASP, CSV injection) gets a leading apostrophe. */
function cellOf(template: string, values: Values): string | null {
  const alone = /^\{([a-z_]+)\}$/.exec(template)?.[1];
  if (alone === undefined) return fill(template, values);
  const value = values[alone] ?? null;
  const isFormula = value !== null && /^[=+\-@\t\r]/.test(value) && !/^-?\d+(\.\d+)?$/.test(value);
  return isFormula ? `'${value}` : value;
}

export type JournalBook = Book & JournalFiles;

/** The files before a journal, and its end. */
export interface JournalFiles {
  /** In an earlier file: they count for balances and declarations, and are not written again. */
  readonly earlier?: readonly LedgerEvent[];
  /** Texts of earlier files of the same book. */
  readonly previous?: readonly string[];
  /** Holdings at the end by the node; left out: by the events. */
  readonly closing?: { readonly time: string; readonly changes: readonly LedgerChange[] };
  /** Named in comments. */
  readonly leftOut?: readonly LedgerEvent[];
}

const DOLLAR = { currency: 'USD', asset_id: 'iso4217:USD' };

/** A journal: commodities and accounts, the transactions, and at the end every account's holdings. */
function journal(events: readonly LedgerEvent[], book: JournalBook): string {
  const { format, closing } = book;
  if (events.length === 0) return '';
  const times = events.map(({ time }) => time).sort();
  const last = closing?.time ?? times.at(-1)!;
  const dates = {
    first_time: timeText(times[0]!, format.date),
    time: timeText(last, format.date),
    next_time: timeText(new Date(Date.parse(last) + 86_400_000).toISOString(), format.date),
  };
  const { earlier = [], previous = [], leftOut = [] } = book;
  const all = [...earlier, ...events];
  const known = new Set(declarations(earlier, book, dates));
  const written = new Set(previous.flatMap((text) => text.split('\n').map(undated)));
  const isNew = (text: string): boolean => !known.has(text) && !written.has(undated(text.split('\n')[0]!));
  const lines = [
    ...templated(format.journal!.head, [dates]),
    ...declarations(all, book, dates).filter(isNew),
    ...templated(
      format.journal!.left_out,
      leftOut.flatMap(({ txHash, flows }) =>
        flows.map(({ asset, raw }) => {
          return { tx_hash: txHash, currency: book.commodity(asset), amount: exactAmount(raw, asset) };
        }),
      ),
    ),
    ...templated(format.journal!.price, pricesOf(events, book)),
    ...events.flatMap((event) => transactionLines(event, book)),
    '',
    ...templated(format.journal!.balances, [dates]),
    ...balanceLines(closing?.changes ?? holdingsOf(all, book), book, dates),
  ];
  return `${lines.join('\n')}\n`;
}

const templated = (template: string | undefined, values: readonly Values[]): string[] =>
  template === undefined ? [] : values.map((one) => fill(template, one));

function transactionLines(event: LedgerEvent, book: JournalBook): string[] {
  const { digits = Infinity, journal: templates } = book.format;
  const rows = rowsOf(event, book);
  if (rows.length === 0) return [];
  const postings = rows.map((row) => {
    const cost = row['usd_exact'] == null ? '' : fill(templates!.cost ?? '', row);
    return fill(templates!.posting, { ...row, amount: shortened(row['amount']!, digits), cost });
  });
  const description = plainLine(rows[0]!['description']!);
  return ['', fill(templates!.transaction, { ...rows[0], description }), ...postings];
}

function balanceLines(changes: readonly LedgerChange[], book: Book, dates: Values): string[] {
  const { format, commodity } = book;
  const { digits = Infinity } = format;
  return changes.map((change) => {
    const exact = exactAmount(change.raw, change.asset);
    return fill(format.journal!.balance, {
      ...dates,
      account: accountOf(change, format),
      currency: commodity(change.asset),
      amount: shortened(exact, digits),
      tolerance: toleranceOf(exact, digits),
    });
  });
}

/** Lines that declare the commodities and accounts of these events. */
function declarations(events: readonly LedgerEvent[], book: Book, dates: Values): string[] {
  if (events.length === 0) return [];
  const { format, commodity } = book;
  const assets = new Map([[commodity(ETHER), ETHER.id]]);
  if (pricesOf(events, book).length > 0) assets.set(DOLLAR.currency, DOLLAR.asset_id);
  for (const { flows, changes } of events)
    for (const { asset } of [...flows, ...changes]) assets.set(commodity(asset), asset.id);
  const posted = events.flatMap((event) => rowsOf(event, book).map((row) => row['account']!));
  const held = holdingsOf(events, book).map((change) => accountOf(change, format));
  const commodities = [...assets].map(([currency, id]) => ({ ...dates, currency, asset_id: id }));
  const accounts = [...new Set([...posted, ...held])].map((account) => ({ ...dates, account }));
  const { commodity: named, account: opened } = format.journal!;
  return [...templated(named, commodities), ...templated(opened, accounts)];
}

const undated = (line: string): string => line.replace(/^\d[\d-]* /, '');

/** Whether earlier files name a holding: its balance goes on from them. */
export function namesHolding(
  files: readonly string[],
  change: LedgerChange,
  { format, commodity }: Pick<Book, 'format' | 'commodity'>,
): boolean {
  const words = [accountOf(change, format), commodity(change.asset)];
  const lines = files.flatMap((text) => text.split('\n'));
  return lines.some((line) => words.every((word) => ` ${line} `.includes(` ${word} `)));
}

/** The last price of each day and asset. */
function pricesOf(events: readonly LedgerEvent[], { format, commodity }: Book): Values[] {
  const found = new Map<string, Values>();
  if (format.journal!.price === undefined) return [];
  for (const { time, flows, prices } of events)
    for (const { asset } of flows) {
      const price = prices.get(asset.id)?.unit.usd;
      if (!price) continue;
      const values = { time: timeText(time, format.date), currency: commodity(asset) };
      found.set(`${values.time} ${values.currency}`, {
        ...values,
        price: formatAmount(price.numerator, price.scale),
      });
    }
  return [...found.values()];
}

/** Holdings of each account after all events, by the reports' balance changes. */
function holdingsOf(events: readonly LedgerEvent[], { format, commodity }: Book): LedgerChange[] {
  const sums = new Map<string, LedgerChange>();
  for (const { changes } of events)
    for (const change of changes) {
      const key = `${accountOf(change, format)} ${commodity(change.asset)}`;
      sums.set(key, { ...change, raw: change.raw + (sums.get(key)?.raw ?? 0n) });
    }
  return [...sums.values()];
}

/** An amount with at most so many digits; those beyond become zeros. */
function shortened(amount: string, digits: number): string {
  let left = digits;
  return amount.replaceAll(/\d/g, (digit, at: number) => {
    if (digit === '0' && left === digits) return digit;
    return left-- > 0 ? amount[at]! : '0';
  });
}

/** Zero; for an amount of more digits, some units of the last that is held: sums are rounded, too. */
function toleranceOf(amount: string, digits: number): string {
  const [whole = '', fraction = ''] = amount.replace('-', '').split('.');
  const lost = (whole + fraction).replace(/^0+/, '').length - digits;
  return lost <= 0 ? '0' : exactAmount(10n ** BigInt(lost + 1), { ...ETHER, decimals: fraction.length });
}
