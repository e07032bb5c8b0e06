import { formatAmount, parseAmount } from '../../value/amount.ts';
import { plainLine, type Commodities } from './commodities.ts';
import { ETHER, exactAmount, isPaid, type LedgerChange, type LedgerEvent } from './ledgerEvent.ts';
import { accountOf, fill, rowsOf, timeText, type Book, type Values } from './rowValues.ts';
import type { LedgerFormat } from './ledgerFormat.ts';

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
export function journal(events: readonly LedgerEvent[], book: JournalBook): string {
  const { format, closing } = book;
  if (events.length === 0) return '';
  const times = events.map(({ time }) => time).sort();
  const last = closing?.time ?? times.at(-1)!;
  const dates = {
    first_time: timeText(times[0]!, format.date),
    time: timeText(last, format.date),
    next_time: timeText(dayAfter(last), format.date),
  };
  const before = previousFiles(book.previous ?? [], format);
  const lines = [
    ...templated(format.journal!.head, [dates]),
    ...declarationLines(events, book, { dates, written: before.lines }),
    ...templated(format.journal!.left_out, leftOutValues(book)),
    ...templated(format.journal!.price, pricesOf(events, book)),
    ...events.flatMap((event) => transactionLines(event, book)),
    '',
    ...templated(format.journal!.balances, [dates]),
    ...balanceLines(
      closing?.changes ?? holdingsOf([...(book.earlier ?? []), ...events], book, before.amounts),
      book,
      dates,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

const templated = (template: string | undefined, values: readonly Values[]): string[] =>
  template === undefined ? [] : values.map((one) => fill(template, one));

const leftOutValues = ({ leftOut = [], commodity }: JournalBook): Values[] =>
  leftOut.flatMap(({ txHash, flows }) =>
    flows.map(({ asset, raw }) => ({
      tx_hash: txHash,
      currency: commodity(asset),
      amount: exactAmount(raw, asset),
    })),
  );

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

function balanceLines(
  changes: readonly LedgerChange[],
  { format, commodity }: Book,
  dates: Values,
): string[] {
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

/** Declarations that these events need and no earlier file has. */
function declarationLines(
  events: readonly LedgerEvent[],
  book: JournalBook,
  { dates, written }: { readonly dates: Values; readonly written: ReadonlySet<string> },
): string[] {
  const { commodity = '', account = '' } = book.format.journal!;
  const known = declarations(book.earlier ?? [], book);
  const { assets, accounts } = declarations([...(book.earlier ?? []), ...events], book);
  const texts = [
    ...[...assets].map(([currency, id]) =>
      known.assets.has(currency) ? '' : fill(commodity, { ...dates, currency, asset_id: id }),
    ),
    ...[...accounts].map((name) =>
      known.accounts.has(name) ? '' : fill(account, { ...dates, account: name }),
    ),
  ];
  return texts.filter((text) => text !== '' && !written.has(undated(text.split('\n')[0]!)));
}

const undated = (line: string): string => line.replace(/^\d[\d-]* /, '');

/** Names a holding in a journal. */
export const holdingName = (change: LedgerChange, format: LedgerFormat, commodity: Commodities): string =>
  `${accountOf(change, format)} ${commodity(change.asset)}`;

/** Lines of earlier files without dates, and the balances they assert. */
export function previousFiles(texts: readonly string[], { journal: templates }: LedgerFormat) {
  const lines = texts.flatMap((text) => text.split('\n')).map(undated);
  const parts: Readonly<Record<string, string>> = {
    account: '(\\S+)',
    currency: '(.+)',
    amount: '(-?[\\d.]+)',
  };
  const names: string[] = [];
  const pattern = undated((templates?.balance ?? '').replace(/^\{next_time\} /, ''))
    .replaceAll(/[$()*+.?[\\\]^|]/g, '\\$&')
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      if (!(name in parts) || names.includes(name)) return '.+';
      names.push(name);
      return parts[name]!;
    });
  const amounts = new Map<string, string>();
  for (const line of lines) {
    const found = new RegExp(`^${pattern}$`).exec(line);
    if (!found) continue;
    const [account, currency, amount] = ['account', 'currency', 'amount'].map(
      (name) => found[names.indexOf(name) + 1],
    );
    amounts.set(`${account} ${currency}`, amount!);
  }
  return { lines: new Set(lines), amounts };
}

/** Commodities with their assets, and accounts that a journal of these events declares. */
function declarations(events: readonly LedgerEvent[], book: Book) {
  const assets = new Map<string, string>();
  if (events.length === 0) return { assets, accounts: new Set<string>() };
  assets.set(book.commodity(ETHER), ETHER.id);
  if (pricesOf(events, book).length > 0) assets.set(DOLLAR.currency, DOLLAR.asset_id);
  for (const { flows, changes } of events)
    for (const { asset } of [...flows, ...changes]) assets.set(book.commodity(asset), asset.id);
  const posted = events.flatMap((event) => rowsOf(event, book).map((row) => row['account']!));
  const held = holdingsOf(events, book).map((change) => accountOf(change, book.format));
  return { assets, accounts: new Set([...posted, ...held]) };
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

/**
 * Holdings of each account after all events, by the reports' balance changes and the fees, and before them.
 */
function holdingsOf(
  events: readonly LedgerEvent[],
  { format, commodity }: Book,
  before: ReadonlyMap<string, string> = new Map(),
): LedgerChange[] {
  const sums = new Map<string, LedgerChange>();
  const add = (change: LedgerChange): void => {
    const key = holdingName(change, format, commodity);
    const sum = sums.get(key)?.raw ?? parseAmount(before.get(key) ?? '0', change.asset.decimals ?? 0);
    sums.set(key, { ...change, raw: change.raw + sum });
  };
  for (const { changes, fee } of events) {
    for (const change of changes) add(change);
    if (isPaid(fee))
      add({ account: fee.account, asset: ETHER, raw: -parseAmount(fee.amount, 18), debt: false });
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

function dayAfter(iso: string): string {
  return new Date(Date.parse(iso) + 86_400_000).toISOString();
}
