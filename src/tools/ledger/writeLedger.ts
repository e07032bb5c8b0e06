import { stringify } from 'csv-stringify/sync';
import { parseAmount } from '../../value/amount.ts';
import { NATIVE_ASSET } from '../../value/asset.ts';
import { ZERO_ADDRESS } from '../../evm/hex.ts';
import { digitsText } from '../wording/amounts.ts';
import { plainLine, type Commodities } from './commodities.ts';
import {
  exactAmount,
  type LedgerChange,
  type LedgerEvent,
  type LedgerFlow,
  type LedgerLeg,
} from './ledgerEvent.ts';
import type { LedgerFormat, RowKind, Word } from './ledgerFormat.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { Asset } from '../../model/generated/report.ts';

type Cell = string | null;
const ETHER: Asset = {
  id: NATIVE_ASSET,
  kind: 'native',
  address: null,
  token_id: null,
  symbol: 'ETH',
  name: 'Ether',
  decimals: 18,
};

/** Values for the placeholders of one row or line. */
type Values = Readonly<Record<string, Cell>>;

/** The file of these events. Pure. */
export function writeLedger(events: readonly LedgerEvent[], book: Book): string {
  const { format } = book;
  if (format.shape === 'journal') return journal(events, book);
  const rows = events.filter(({ time }) => time >= (book.from ?? '')).flatMap((event) => rowsOf(event, book));
  const { columns = {}, quoting = 'needed', delimiter = ',' } = format;
  const cells = rows.map((row) => Object.values(columns).map((template) => cellOf(template, row)));
  return stringify([Object.keys(columns), ...cells], {
    record_delimiter: '\n',
    delimiter,
    quoted: quoting === 'all',
  });
}

/** A format, the rules, and names of commodities that hold for all files of a ledger. */
export interface Book {
  readonly format: LedgerFormat;
  /** The rules' words of intents that are no ordinary trade. */
  readonly rules: Pick<Rulebook, 'intentKinds'>;
  readonly commodity: Commodities;
  /** Events before this day are in an earlier file: they count for balances, and are not written again. */
  readonly from?: string | undefined;
  /** Names of assets for descriptions; the commodities where left out. */
  readonly nameOf?: Commodities;
}

/** Values of an event's rows, by placeholder. */
function rowsOf(event: LedgerEvent, book: Book): Values[] {
  const common = {
    time: timeText(event.time, book.format.date),
    tx_hash: event.txHash,
    intent_kind: event.intentKind,
    description: description(event, book.nameOf ?? book.commodity),
    positions: event.positions.join('; '),
  };
  return (book.format.shape === 'trades' ? trades(event, book) : postings(event, book)).map((row) => ({
    ...common,
    ...row,
  }));
}

const PLACEHOLDER = /\{([a-z_]+)\}/g;

/** Null where a cell is a placeholder without a value. Text that a spreadsheet would run is disarmed. */
function cellOf(template: string, values: Values): Cell {
  const alone = /^\{([a-z_]+)\}$/.exec(template)?.[1];
  if (alone === undefined) return fill(template, values);
  const value = values[alone] ?? null;
  return value === null || /^-?\d+(\.\d+)?$/.test(value) ? value : disarmed(value);
}

const fill = (template: string, values: Values): string =>
  template.replaceAll(PLACEHOLDER, (_, name: string) => values[name] ?? '');

/** Text that a spreadsheet would run as a formula (OWASP, CSV injection) gets a leading apostrophe. */
const disarmed = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

/** An ISO 8601 time in the format's form. */
function timeText(iso: string, form: string): string {
  const [, YYYY, MM, DD, hh, mm, ss] = /^(\d+)-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)/.exec(iso)!;
  const parts: Record<string, string> = { YYYY: YYYY!, MM: MM!, DD: DD!, hh: hh!, mm: mm!, ss: ss! };
  return form.replaceAll(/YYYY|MM|DD|hh|mm|ss/g, (part) => parts[part]!);
}

type Fee = NonNullable<LedgerEvent['fee']>;

const isPaid = (fee: Fee | null): fee is Fee => fee !== null && !/^0(\.0*)?$/.test(fee.amount);

/** The event from the accounts' side; the report's label where one of them is its actor. */
function description(event: LedgerEvent, commodity: Commodities): string {
  const texts = event.label === null ? sideTexts(event, commodity) : [event.label];
  const told = [...texts, ...event.positions];
  return told.length > 0 ? told.join('; ') : `Paid the gas for ${event.actor ?? 'others'}`;
}

/** More flows than this are counted. */
const MOST_TOLD = 4;

function sideTexts({ flows, names }: LedgerEvent, commodity: Commodities): string[] {
  const texts = flows.slice(0, MOST_TOLD).map(({ account, counterparty, asset, raw, own, debt }) => {
    const amount = `${digitsText(raw, asset)} ${commodity(asset)}`;
    if (own) {
      const [from, to] = raw < 0n ? [account, counterparty] : [counterparty, account];
      return `Moved ${amount} from ${from} to ${to}`;
    }
    if (debt) return `${raw < 0n ? 'Owed less' : 'Owed more'}: ${amount}`;
    if (counterparty === ZERO_ADDRESS) return `${raw < 0n ? 'Burned' : 'Minted'} ${amount}`;
    const party = names.get(counterparty) ?? counterparty;
    return raw < 0n ? `Sent ${amount} to ${party}` : `Received ${amount} from ${party}`;
  });
  const more = flows.length - texts.length;
  return more > 0 ? [...texts, `${more} more`] : texts;
}

/** One row per act; the first that may carries the fee. */
function trades(event: LedgerEvent, { format, rules, commodity }: Book): Values[] {
  const { tags = {}, fee_with: feeWith = ['withdrawal', 'trade'] } = format;
  // The word is that of the actor's act: it says nothing about anybody else's receipts.
  const word = event.label === null ? null : rules.intentKinds.get(event.intentKind)?.ledgerLabel;
  const tagOf = (row: RowKind, purpose: Word | null): string =>
    tags[row]?.[purpose ?? (word as Word | null | undefined) ?? 'other'] ?? tags[row]?.other ?? '';
  let fee = isPaid(event.fee) ? event.fee : null;
  const rows = event.rows.map(({ sent, received, purpose }): Values => {
    const row = sent && received ? 'trade' : sent ? 'withdrawal' : 'deposit';
    const carried = fee && feeWith.includes(row) ? fee : null;
    if (carried) fee = null;
    return {
      row,
      ...sideCells('sent', sent, commodity),
      ...sideCells('received', received, commodity),
      fee: carried && carried.amount,
      fee_currency: carried && 'ETH',
      ...usdCells(received?.usd ?? sent?.usd ?? null),
      tag: tagOf(row, purpose),
    };
  });
  return fee ? [...rows, costRow(fee, tagOf('withdrawal', 'cost'))] : rows;
}

const sideCells = (side: 'sent' | 'received', leg: LedgerLeg | null, commodity: Commodities): Values => ({
  [side]: leg && leg.amount,
  [`${side}_currency`]: leg && commodity(leg.asset),
});

const usdCells = (usd: string | null): Values => ({ usd, usd_currency: usd === null ? null : 'USD' });

const costRow = ({ amount, usd }: Fee, tag: string): Values => ({
  row: 'withdrawal',
  sent: amount,
  sent_currency: 'ETH',
  ...usdCells(usd),
  tag,
});

/**
 * Double entry: per transaction and asset the postings add up to zero. The accounts' gains and losses are
 * posted against the counterparties, tokens of debts as liabilities, the fee against gas.
 */
function postings({ flows, fee, names }: LedgerEvent, { format, commodity }: Book): Values[] {
  const name = (kind: AccountKind, address: string): string =>
    format.accounts![kind].replace('{address}', address);
  const posting = (asset: Asset, raw: bigint, usd: string | null) => ({
    asset_id: asset.id,
    currency: commodity(asset),
    amount: exactAmount(raw, asset),
    usd: usd !== null && raw < 0n ? `-${usd}` : usd,
  });
  const rows = flows.flatMap((flow): Values[] => {
    const { asset, raw, usd, account, own } = flow;
    const counterparty = names.get(flow.counterparty) ?? flow.counterparty;
    const side = sideOf(flow);
    return [
      { ...posting(asset, raw, usd), account: name(side, account), counterparty },
      {
        ...posting(asset, -raw, usd),
        account: name(own ? side : 'external', flow.counterparty),
        counterparty: own ? account : counterparty,
      },
    ];
  });
  if (!isPaid(fee)) return rows;
  const wei = parseAmount(fee.amount, 18);
  return [
    ...rows,
    { ...posting(ETHER, -wei, fee.usd), account: name('asset', fee.account), counterparty: 'gas' },
    { ...posting(ETHER, wei, fee.usd), account: name('gas', ''), counterparty: 'gas' },
  ];
}

type AccountKind = 'asset' | 'liability' | 'external' | 'gas';

const sideOf = ({ debt }: Pick<LedgerFlow, 'debt'>): AccountKind => (debt ? 'liability' : 'asset');

/** A journal: commodities and accounts, the transactions, and at the end every account's holdings. */
function journal(all: readonly LedgerEvent[], book: Book): string {
  const { format, from = '' } = book;
  const { digits = Infinity } = format;
  const { head, commodity, account, transaction, posting, balances, balance } = format.journal!;
  const events = all.filter(({ time }) => time >= from);
  if (events.length === 0) return '';
  const times = events.map(({ time }) => time).sort();
  const last = times.at(-1)!;
  const dates = {
    first_time: timeText(times[0]!, format.date),
    time: timeText(last, format.date),
    next_time: timeText(dayAfter(last), format.date),
  };
  const lines: string[] = [];
  const line = (template: string | undefined, values: Values): void => {
    if (template !== undefined) lines.push(fill(template, values));
  };
  line(head, dates);
  const earlier = declarations(
    all.filter(({ time }) => time < from),
    book,
  );
  const { assets, accounts } = declarations(all, book);
  for (const [currency, { id }] of assets)
    if (!earlier.assets.has(currency)) line(commodity, { ...dates, currency, asset_id: id });
  for (const name of accounts) if (!earlier.accounts.has(name)) line(account, { ...dates, account: name });
  for (const rows of events.map((event) => rowsOf(event, book))) {
    if (rows.length === 0) continue;
    lines.push('');
    line(transaction, { ...rows[0], description: plainLine(rows[0]!['description']!) });
    for (const row of rows) line(posting, { ...row, amount: shortened(row['amount']!, digits) });
  }
  lines.push('');
  line(balances, dates);
  for (const change of holdingsOf(all, book.commodity)) {
    const exact = exactAmount(change.raw, change.asset);
    const values = { account: accountOf(change, format), currency: book.commodity(change.asset) };
    const tolerance = toleranceOf(exact, digits);
    line(balance, { ...dates, ...values, amount: shortened(exact, digits), tolerance });
  }
  return `${lines.join('\n')}\n`;
}

const accountOf = (change: LedgerChange, { accounts }: LedgerFormat): string =>
  accounts![sideOf(change)].replace('{address}', change.account);

/** Commodities and accounts that a journal of these events declares. */
function declarations(events: readonly LedgerEvent[], book: Book) {
  if (events.length === 0) return { assets: new Map<string, Asset>(), accounts: new Set<string>() };
  const assets = new Map([[book.commodity(ETHER), ETHER]]);
  for (const { flows, changes } of events)
    for (const { asset } of [...flows, ...changes]) assets.set(book.commodity(asset), asset);
  const posted = events.flatMap((event) => rowsOf(event, book).map((row) => row['account']!));
  const held = holdingsOf(events, book.commodity).map((change) => accountOf(change, book.format));
  return { assets, accounts: new Set([...posted, ...held]) };
}

/** Holdings of each account after all events, by the reports' balance changes and the fees. */
function holdingsOf(events: readonly LedgerEvent[], commodity: Commodities): LedgerChange[] {
  const sums = new Map<string, LedgerChange>();
  const add = (change: LedgerChange): void => {
    const key = `${change.account} ${change.debt} ${commodity(change.asset)}`;
    sums.set(key, { ...change, raw: change.raw + (sums.get(key)?.raw ?? 0n) });
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
