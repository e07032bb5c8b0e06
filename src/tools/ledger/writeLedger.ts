import { stringify } from 'csv-stringify/sync';
import { formatAmount } from '../../value/amount.ts';
import { positionTitle } from '../wording/sentences.ts';
import type { Asset, DisplayMoney, TxReport } from '../../model/generated/report.ts';

/** An amount that entered or left the account, always positive. */
interface LedgerLeg {
  readonly asset: Asset;
  readonly raw: bigint;
  /** Exact decimal text; the raw integer where the token states no decimals. */
  readonly amount: string;
  /** Plain dollar amount without the sign, null where there is no price. */
  readonly usd: string | null;
}

/** One transaction's effect on one account. */
interface LedgerEvent {
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly txHash: string;
  readonly account: string;
  readonly intentKind: string;
  readonly label: string;
  readonly sent: readonly LedgerLeg[];
  readonly received: readonly LedgerLeg[];
  /** The transaction fee, where this account sent it: the signer. What repays it is among the flows. */
  readonly fee: { readonly amount: string; readonly usd: string | null } | null;
  /** Net amounts by counterparty: signed from the account's view, zero left out. */
  readonly flows: readonly { readonly counterparty: string; readonly asset: Asset; readonly raw: bigint }[];
  /** Assets of the flows that are debts of this account. */
  readonly debts: ReadonlySet<string>;
  /** Positions of this account that changed, such as `Supplies to Aave V3`. */
  readonly positions: readonly string[];
}

/** A report that cannot be written into a ledger. */
export class LedgerError extends Error {}

/** Dollar amount of a money text, without dollar sign and minus. */
function dollars(money: DisplayMoney): string | null {
  return money.available ? money.text.replace(/^\$-?/, '') : null;
}

/** Exact decimal text of a positive or negative amount; the raw integer where the decimals are unknown. */
const exactAmount = (raw: bigint, decimals: number | null): string => formatAmount(raw, decimals ?? 0);

/** Tokens of the account's debts: liabilities, not assets received. */
function debtsOf({ position_effects: effects }: TxReport, account: string): ReadonlySet<string> {
  const own = effects.filter(({ owner, category }) => owner === account && category === 'lending_debt');
  return new Set(own.flatMap(({ position_asset: token }) => token?.id ?? []));
}

function legs(report: TxReport, account: string, sign: 1n | -1n): LedgerLeg[] {
  const debts = debtsOf(report, account);
  return report.inventory_deltas
    .filter(({ subject, delta_raw }) => subject === account && BigInt(delta_raw) * sign > 0n)
    .filter(({ asset }) => !debts.has(asset.id))
    .map(({ asset, delta_raw, usd }) => {
      const raw = BigInt(delta_raw) * sign;
      return { asset, raw, amount: exactAmount(raw, asset.decimals), usd: dollars(usd) };
    });
}

function flowsOf(report: TxReport, account: string): LedgerEvent['flows'] {
  const assets = new Map(report.inventory_deltas.map(({ asset }) => [asset.id, asset]));
  const nets = new Map<string, { counterparty: string; asset: Asset; raw: bigint }>();
  for (const { from, to, asset_id: id, amount_raw } of report.movements ?? []) {
    if (from !== account && to !== account) continue;
    const counterparty = from === account ? to : from;
    const key = `${counterparty} ${id}`;
    const net = nets.get(key) ?? { counterparty, asset: assets.get(id)!, raw: 0n };
    nets.set(key, { ...net, raw: net.raw + (to === account ? 1n : -1n) * BigInt(amount_raw) });
  }
  return [...nets.values()].filter(({ raw }) => raw !== 0n);
}

function positionsOf(report: TxReport, account: string): string[] {
  const own = report.position_effects.filter(({ owner }) => owner === account);
  return [...new Set(own.map(positionTitle))];
}

/**
 * An account's event in a report; null where it gained and lost nothing, paid no fee and owns no position.
 * @throws LedgerError for a report without `tx.timestamp`, as earlier versions wrote it
 */
export function ledgerEvent(report: TxReport, account: string): LedgerEvent | null {
  const { tx, execution, classification } = report;
  if (!tx.timestamp) throw new LedgerError(`the report of ${tx.hash} has no tx.timestamp: analyze it again`);
  const sent = legs(report, account, -1n);
  const received = legs(report, account, 1n);
  const positions = positionsOf(report, account);
  const fee =
    tx.signer === account
      ? { amount: execution.gas_cost_native, usd: dollars(execution.gas_cost_usd) }
      : null;
  if (sent.length + received.length + positions.length === 0 && fee === null) return null;
  return {
    time: tx.timestamp,
    txHash: tx.hash,
    account,
    intentKind: classification.intent_kind,
    label: classification.intent_label,
    sent,
    received,
    fee,
    flows: flowsOf(report, account),
    debts: debtsOf(report, account),
    positions,
  };
}

type Cell = string | null;

/** One way to write events as CSV. */
export interface LedgerFormat {
  readonly columns: readonly string[];
  rows(event: LedgerEvent): Cell[][];
}

/** Text that a spreadsheet would run as a formula (OWASP, CSV injection) gets a leading apostrophe. */
function plainText(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

/** Name of an asset in a ledger: its symbol, its address without one; NFTs with their id. */
function currency({ symbol, address, token_id: id }: Asset): string {
  const name = plainText(symbol ?? address ?? 'ETH');
  return id === null ? name : `${name} #${id}`;
}

/** `2023-04-18 11:08:23 UTC` from ISO 8601. */
const koinlyDate = (time: string): string => `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;

/** Koinly's word for an event that is not an ordinary trade, deposit or withdrawal, by intent kind. */
type KoinlyLabels = ReadonlyMap<string, string>;

/**
 * Koinly's universal format. An event with one amount in and one out is one row, any other a row per
 * amount; the fee is in the first row. A transaction with only a fee is a withdrawal labelled `cost`.
 */
export function koinly(labels: KoinlyLabels): LedgerFormat {
  return {
    columns: KOINLY_COLUMNS,
    rows: (event) => {
      if (event.sent.length + event.received.length === 0)
        return isPaid(event.fee) ? [costRow(event, event.fee)] : [];
      const label = labels.get(event.intentKind) ?? '';
      return pairs(event.sent, event.received).map((pair, i) => legRow(event, pair, label, i === 0));
    },
  };
}

type Fee = NonNullable<LedgerEvent['fee']>;

const isPaid = (fee: Fee | null): fee is Fee => fee !== null && !/^0(\.0*)?$/.test(fee.amount);

const description = (event: LedgerEvent): string => plainText([event.label, ...event.positions].join('; '));

/** Amount and currency of a leg; empty cells without one. */
const legCells = (leg: LedgerLeg | null): Cell[] => (leg ? [leg.amount, currency(leg.asset)] : [null, null]);

const usdCells = (usd: string | null): Cell[] => (usd === null ? [null, null] : [usd, 'USD']);

function legRow(event: LedgerEvent, [out, into]: Pair, label: string, withFee: boolean): Cell[] {
  const fee = withFee && event.fee ? [event.fee.amount, 'ETH'] : [null, null];
  const worth = usdCells((into ?? out)!.usd);
  const words = [label, description(event), event.txHash];
  return [koinlyDate(event.time), ...legCells(out), ...legCells(into), ...fee, ...worth, ...words];
}

function costRow(event: LedgerEvent, fee: Fee): Cell[] {
  const words = ['cost', description(event), event.txHash];
  return [koinlyDate(event.time), fee.amount, 'ETH', null, null, null, null, ...usdCells(fee.usd), ...words];
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
 * Double entry: per transaction and asset the postings add up to zero. The account's gains and losses are
 * posted against the counterparties, tokens of its debts as `liabilities:`, the fee against `expenses:gas`.
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
  ],
  rows(event) {
    const posting = (account: string, asset: Pick<Asset, 'id'>, name: string, amount: string): Cell[] => [
      event.time,
      event.txHash,
      event.intentKind,
      plainText(event.label),
      account,
      asset.id,
      name,
      amount,
      event.positions.join('; '),
    ];
    const own = `assets:${event.account}`;
    const owed = `liabilities:${event.account}`;
    const rows = event.flows.flatMap(({ counterparty, asset, raw }) => [
      posting(
        event.debts.has(asset.id) ? owed : own,
        asset,
        currency(asset),
        exactAmount(raw, asset.decimals),
      ),
      posting(`external:${counterparty}`, asset, currency(asset), exactAmount(-raw, asset.decimals)),
    ]);
    if (isPaid(event.fee)) {
      rows.push(posting(own, NATIVE, 'ETH', `-${event.fee.amount}`));
      rows.push(posting('expenses:gas', NATIVE, 'ETH', event.fee.amount));
    }
    return rows;
  },
};

/** CAIP-19 id of ether (SLIP-44 coin type 60). */
const NATIVE = { id: 'eip155:1/slip44:60' };

/** CSV (RFC 4180) of these rows. */
export function csv(rows: readonly (readonly Cell[])[]): string {
  return stringify(rows as Cell[][], { record_delimiter: '\n' });
}
