import { stringify } from 'csv-stringify/sync';
import { shownAmount } from '../../value/amount.ts';
import { NATIVE_ASSET } from '../../value/asset.ts';
import { ZERO_ADDRESS } from '../../evm/hex.ts';
import { exactAmount, type LedgerEvent, type LedgerFlow, type LedgerLeg } from './ledgerEvent.ts';
import type { Address } from '../../model/hex.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { Asset } from '../../model/generated/report.ts';

type Cell = string | null;

/** The commodity an asset is booked as. */
type Commodities = (asset: Asset) => string;

/** One way to write events as CSV. */
export interface LedgerFormat {
  readonly columns: readonly string[];
  rows(event: LedgerEvent, commodity: Commodities): Cell[][];
}

/** Text that a spreadsheet would run as a formula (OWASP, CSV injection) gets a leading apostrophe. */
function plainText(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

/**
 * Commodities of a ledger: the symbol of ether and of listed tokens, symbol and address of all others and of
 * listed ones that share a symbol; NFTs with their id. No two tokens have the same.
 */
export function commoditiesOf(
  events: readonly LedgerEvent[],
  { knownTokens }: Pick<Rulebook, 'knownTokens'>,
): Commodities {
  const isKnown = (symbol: string, address: string): boolean =>
    knownTokens.get(symbol)?.has(address.toLowerCase() as Address) ?? false;
  const holders = new Map([['ETH', new Set([''])]]);
  const listed = new Set<string>();
  for (const event of events)
    for (const { asset } of event.flows) {
      if (asset.address === null || asset.symbol === null) continue;
      if (!event.listed.has(asset.id) && !isKnown(asset.symbol, asset.address)) continue;
      listed.add(asset.address);
      const symbol = asset.symbol.toUpperCase();
      holders.set(symbol, (holders.get(symbol) ?? new Set()).add(asset.address));
    }
  return ({ symbol, address, token_id: id }) => {
    if (address === null) return 'ETH';
    const alone = symbol !== null && listed.has(address) && holders.get(symbol.toUpperCase())?.size === 1;
    const name = alone ? symbol : symbol === null ? address : `${symbol} ${address}`;
    return plainText(id === null ? name : `${name} #${id}`);
  };
}

/** `2023-04-18 11:08:23 UTC` from ISO 8601. */
const koinlyDate = (time: string): string => `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;

/** Koinly's word for an event that is not an ordinary trade, deposit or withdrawal, by intent kind. */
type KoinlyLabels = ReadonlyMap<string, string>;

/**
 * Koinly's universal format. An event with one amount in and one out is one row, any other a row per
 * amount. The fee is in the first row that sends something; without such a row it is a row labelled `cost`.
 */
export function koinly(labels: KoinlyLabels): LedgerFormat {
  return {
    columns: KOINLY_COLUMNS,
    rows: (event, commodity) => {
      const text = plainText(description(event, commodity));
      const fee = isPaid(event.fee) ? event.fee : null;
      // The label is that of the actor's act: it says nothing about anybody else's receipts.
      const label = event.label === null ? '' : (labels.get(event.intentKind) ?? '');
      const rows = pairs(event.sent, event.received).map(([out, into], i): Cell[] => [
        koinlyDate(event.time),
        ...legCells(out, commodity),
        ...legCells(into, commodity),
        ...(fee && out && i === 0 ? [fee.amount, 'ETH'] : [null, null]),
        ...usdCells(into?.usd ?? out?.usd ?? null),
        label,
        text,
        event.txHash,
      ]);
      return fee && event.sent.length === 0 ? [...rows, costRow(event, fee, text)] : rows;
    },
  };
}

type Fee = NonNullable<LedgerEvent['fee']>;

const isPaid = (fee: Fee | null): fee is Fee => fee !== null && !/^0(\.0*)?$/.test(fee.amount);

/** What happened from the accounts' side; the report's label where one of them is its actor. */
function description(event: LedgerEvent, commodity: Commodities): string {
  const texts = event.label === null ? sideTexts(event, commodity) : [event.label];
  const told = [...texts, ...event.positions];
  return told.length > 0 ? told.join('; ') : `Paid the gas for ${event.actor ?? 'others'}`;
}

/** More flows than this are counted. */
const MOST_TOLD = 4;

function sideTexts({ flows, names }: LedgerEvent, commodity: Commodities): string[] {
  const texts = flows.slice(0, MOST_TOLD).map(({ account, counterparty, asset, raw, own, debt }) => {
    const amount = `${shownAmount(exactAmount(raw < 0n ? -raw : raw, asset))} ${commodity(asset)}`;
    if (own) {
      const [from, to] = raw < 0n ? [account, counterparty] : [counterparty, account];
      return `Moved ${amount} from ${from} to ${to}`;
    }
    if (debt) return `${raw < 0n ? 'Owed less' : 'Owed more'}: ${amount}`;
    if (counterparty === ZERO_ADDRESS) return `${raw < 0n ? 'Burned' : 'Minted'} ${amount}`;
    return `${raw < 0n ? 'Sent' : 'Received'} ${amount} ${raw < 0n ? 'to' : 'from'} ${names.get(counterparty) ?? counterparty}`;
  });
  const more = flows.length - texts.length;
  return more > 0 ? [...texts, `${more} more`] : texts;
}

/** Amount and currency of a leg; empty cells without one. */
const legCells = (leg: LedgerLeg | null, commodity: Commodities): Cell[] =>
  leg ? [leg.amount, commodity(leg.asset)] : [null, null];

const usdCells = (usd: string | null): Cell[] => (usd === null ? [null, null] : [usd, 'USD']);

function costRow(event: LedgerEvent, fee: Fee, text: string): Cell[] {
  const empty = [null, null, null, null];
  const words = ['cost', text, event.txHash];
  return [koinlyDate(event.time), fee.amount, 'ETH', ...empty, ...usdCells(fee.usd), ...words];
}

type Pair = readonly [LedgerLeg | null, LedgerLeg | null];

function pairs(sent: readonly LedgerLeg[], received: readonly LedgerLeg[]): Pair[] {
  if (sent.length === 1 && received.length === 1) return [[sent[0]!, received[0]!]];
  return [...sent.map((leg): Pair => [leg, null]), ...received.map((leg): Pair => [null, leg])];
}

const KOINLY_COLUMNS = [
  'Koinly Date',
  'Sent Amount',
  'Sent Currency',
  'Received Amount',
  'Received Currency',
  'Fee Amount',
  'Fee Currency',
  'Net Worth Amount',
  'Net Worth Currency',
  'Label',
  'Description',
  'TxHash',
];

/**
 * Double entry: per transaction and asset the postings add up to zero. The accounts' gains and losses are
 * posted against the counterparties, tokens of debts as `liabilities:`, the fee against `expenses:gas`.
 */
export const DOUBLE_ENTRY: LedgerFormat = {
  columns: [
    'time',
    'tx_hash',
    'intent_kind',
    'description',
    'ledger_account',
    'asset_id',
    'currency',
    'amount',
    'positions',
    'counterparty',
    'usd',
  ],
  rows(event, commodity) {
    const text = plainText(description(event, commodity));
    const positions = event.positions.join('; ');
    const posting = ({ account, id, currency, amount, counterparty, usd }: Posting): Cell[] => [
      event.time,
      event.txHash,
      event.intentKind,
      text,
      account,
      id,
      currency,
      amount,
      positions,
      counterparty,
      usd !== null && amount.startsWith('-') ? `-${usd}` : usd,
    ];
    return postingsOf(event, commodity).map(posting);
  },
};

interface Posting {
  readonly account: string;
  /** Asset id. */
  readonly id: string;
  readonly currency: string;
  /** Signed. */
  readonly amount: string;
  /** Name, else address. */
  readonly counterparty: string;
  /** Of the magnitude. */
  readonly usd: string | null;
}

function postingsOf({ flows, fee, names }: LedgerEvent, commodity: Commodities): Posting[] {
  const postings = flows.flatMap((flow) => {
    const { asset, raw, usd, account } = flow;
    const counterparty = plainText(names.get(flow.counterparty) ?? flow.counterparty);
    const currency = commodity(asset);
    const [ours, theirs] = bookedTo(flow);
    return [
      { account: ours, id: asset.id, currency, amount: exactAmount(raw, asset), counterparty, usd },
      {
        account: theirs,
        id: asset.id,
        currency,
        amount: exactAmount(-raw, asset),
        counterparty: flow.own ? account : counterparty,
        usd,
      },
    ];
  });
  if (!isPaid(fee)) return postings;
  const { amount, usd } = fee;
  const gas = { id: NATIVE_ASSET, currency: 'ETH', counterparty: 'gas', usd };
  return [
    ...postings,
    { ...gas, account: `assets:${fee.account}`, amount: `-${amount}` },
    { ...gas, account: 'expenses:gas', amount },
  ];
}

/** Ledger accounts of a flow's two sides. */
function bookedTo({ account, counterparty, own, debt }: LedgerFlow): readonly [string, string] {
  const side = debt ? 'liabilities' : 'assets';
  return [`${side}:${account}`, own ? `${side}:${counterparty}` : `external:${counterparty}`];
}

/** CSV (RFC 4180) of these rows. */
export function csv(rows: readonly (readonly Cell[])[]): string {
  return stringify(rows as Cell[][], { record_delimiter: '\n' });
}
