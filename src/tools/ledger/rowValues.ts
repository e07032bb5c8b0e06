import { ZERO_ADDRESS } from '../../evm/hex.ts';
import { formatAmount } from '../../value/amount.ts';
import { worth } from '../../value/money.ts';
import { digitsText } from '../wording/amounts.ts';
import {
  dollars,
  ETHER,
  exactAmount,
  feeChanges,
  isPaid,
  type LedgerChange,
  type LedgerEvent,
  type LedgerFlow,
} from './ledgerEvent.ts';
import type { Commodities } from './commodities.ts';
import type { LedgerRow } from './ledgerRows.ts';
import type { LedgerFormat, RowKind, Word } from './ledgerFormat.ts';
import type { Asset } from '../../model/generated/report.ts';
import type { Rulebook } from '../../model/rulebook.ts';

/** Values for the placeholders of one row or line. */
export type Values = Readonly<Record<string, string | null>>;

/** A format, the rules, and names of commodities that hold for all files of a ledger. */
export interface Book {
  readonly format: LedgerFormat;
  /** The rules' words of intents that are no ordinary trade. */
  readonly rules: Pick<Rulebook, 'intentKinds'>;
  readonly commodity: Commodities;
  /** Names of assets for descriptions; the commodities where left out. */
  readonly nameOf?: Commodities;
}

/** Values of an event's rows, by placeholder. */
export function rowsOf(event: LedgerEvent, book: Book): Values[] {
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

/** A template with values in place of its `{placeholders}`. */
export const fill = (template: string, values: Values): string =>
  template.replaceAll(PLACEHOLDER, (_, name: string) => values[name] ?? '');

/** Where the parts of a time are in ISO 8601. */
const PLACES: Readonly<Record<string, number>> = { YYYY: 0, MM: 5, DD: 8, hh: 11, mm: 14, ss: 17 };

/** An ISO 8601 time in the format's form. */
export const timeText = (iso: string, form: string): string =>
  form.replaceAll(/YYYY|MM|DD|hh|mm|ss/g, (part) => iso.slice(PLACES[part]!).slice(0, part.length));

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
  const worthOf = (leg: Leg): string | null => leg && dollars(leg.raw, leg.asset, event);
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
      ...usdCells(worthOf(received) ?? worthOf(sent)),
      tag: tagOf(row, purpose),
    };
  });
  if (!fee) return rows;
  const cost = { sent: fee.amount, sent_currency: 'ETH', ...usdCells(fee.usd) };
  return [...rows, { row: 'withdrawal', ...cost, tag: tagOf('withdrawal', 'cost') }];
}

type Leg = LedgerRow['sent'];

const sideCells = (side: 'sent' | 'received', leg: Leg, commodity: Commodities): Values => ({
  [side]: leg && exactAmount(leg.raw, leg.asset),
  [`${side}_currency`]: leg && commodity(leg.asset),
});

const usdCells = (usd: string | null): Values => ({ usd, usd_currency: usd === null ? null : 'USD' });

/** The account of a flow or change by the format. */
export const accountOf = (one: Pick<LedgerFlow, 'account' | 'debt'>, { accounts }: LedgerFormat): string =>
  accounts![one.debt ? 'liability' : 'asset'].replace('{address}', one.account);

/**
 * Double entry: per transaction and asset the postings add up to zero. The accounts' gains and losses are
 * posted against their purposes, else against the counterparties; tokens of debts are liabilities.
 */
function postings(event: LedgerEvent, { format, commodity }: Book): Values[] {
  const { flows, fee, names, prices } = event;
  const posting = (asset: Asset, raw: bigint, account: string, counterparty: string) => {
    const usd = dollars(raw, asset, event);
    const price = prices.get(asset.id);
    const cost = price && worth(raw < 0n ? -raw : raw, price.unit);
    return {
      asset_id: asset.id,
      currency: commodity(asset),
      amount: exactAmount(raw, asset),
      usd: usd !== null && raw < 0n ? `-${usd}` : usd,
      usd_exact: cost && cost.numerator > 0n ? formatAmount(cost.numerator, cost.scale) : null,
      account,
      counterparty,
    };
  };
  const shares = sharesOf(event, format);
  const { external, gas, purposes = {} } = format.accounts!;
  const rows = flows.flatMap((flow) => {
    const { asset, raw, own, debt, purpose } = flow;
    const counterparty = names.get(flow.counterparty) ?? flow.counterparty;
    const side = posting(asset, raw, accountOf(flow, format), counterparty);
    if (own) {
      const other = accountOf({ account: flow.counterparty, debt }, format);
      return [side, posting(asset, -raw, other, flow.account)];
    }
    const stated = purpose && purposes[purpose];
    const rest = stated ?? external.replace('{address}', flow.counterparty);
    const parts = split(raw, stated === undefined ? shares.filter(({ id }) => id === asset.id) : []);
    return [side, ...parts.map((part) => posting(asset, -part.raw, part.account ?? rest, counterparty))];
  });
  if (!isPaid(fee)) return rows;
  const [{ raw, ...payer }] = feeChanges(fee) as [LedgerChange];
  return [
    ...rows,
    { ...posting(ETHER, raw, accountOf(payer, format), 'gas'), usd: fee.usd === null ? null : `-${fee.usd}` },
    { ...posting(ETHER, -raw, gas, 'gas'), usd: fee.usd },
  ];
}

/** Amounts of rows with a purpose that has an account of its own, and how much of each is left to post. */
function sharesOf({ rows }: LedgerEvent, { accounts, digits = Infinity }: LedgerFormat) {
  return rows.flatMap(({ sent, received, purpose }) => {
    const account = purpose && accounts!.purposes?.[purpose];
    const legs = account == null ? [] : [sent, received].filter((leg) => leg !== null);
    // Parts of an amount that the program must round would not add up to it.
    return legs
      .filter(({ raw }) => String(raw).length <= digits)
      .map((leg) => ({ account: account!, id: leg.asset.id, left: leg === sent ? -leg.raw : leg.raw }));
  });
}

/** A net amount in parts of the shares with its sign; the rest, if any, with no account. */
function split(raw: bigint, shares: ReturnType<typeof sharesOf>): { account: string | null; raw: bigint }[] {
  const parts: { account: string | null; raw: bigint }[] = [];
  let rest = raw;
  for (const share of shares) {
    if (rest === 0n || share.left === 0n || share.left < 0n !== rest < 0n) continue;
    const part = share.left < 0n === share.left < rest ? rest : share.left;
    parts.push({ account: share.account, raw: part });
    share.left -= part;
    rest -= part;
  }
  return rest === 0n ? parts : [...parts, { account: null, raw: rest }];
}
