import { formatAmount, parseAmount } from '../../value/amount.ts';
import { groupBy } from '../../lib/lists.ts';
import { NATIVE_ASSET } from '../../value/asset.ts';
import { usdText, worth, type PriceBook } from '../../value/money.ts';
import { bookOf } from '../client/seenBy.ts';
import type { TxReport as ClientReport } from '../client/report.ts';
import { CliError } from '../cli/cliIo.ts';
import { isDebt } from '../wording/amounts.ts';
import { positionTitle } from '../wording/positions.ts';
import { doubtsOf, movingOf } from './tokenFlags.ts';
import { actRows, type LedgerRow, type LedgerRules, type Purpose } from './ledgerRows.ts';
import type { Asset, TxReport } from '../../model/generated/report.ts';

/** By how much an account's holding of an asset changed, as the report's balance changes state it. */
export interface LedgerChange {
  readonly account: string;
  readonly asset: Asset;
  /** Signed from the account's view. */
  readonly raw: bigint;
  /** A debt of the account, as its debt tokens count it. */
  readonly debt: boolean;
}

/** The net of one asset between an account and another. */
export interface LedgerFlow extends LedgerChange {
  readonly counterparty: string;
  /** Both are accounts of this ledger: no gain or loss. */
  readonly own: boolean;
  /** Its purpose, where the rows do not state it: debts have no row. */
  readonly purpose?: Purpose;
}

/** One transaction's effect on the accounts of a ledger. */
export interface LedgerEvent {
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly block: number;
  /** Empty where a balance changed without a transaction. */
  readonly txHash: string;
  readonly intentKind: string;
  /** The report's label where one of the accounts is its actor, else null: it describes another account. */
  readonly label: string | null;
  readonly actor: string | null;
  /** Gains and losses, without debts and own transfers. */
  readonly rows: readonly LedgerRow[];
  /** The transaction fee, where one of the accounts signed. Repayments of it are among the flows. */
  readonly fee: { readonly account: string; readonly amount: string; readonly usd: string | null } | null;
  readonly flows: readonly LedgerFlow[];
  /** Independent of the flows and the fee, which must add up to them. */
  readonly changes: readonly LedgerChange[];
  /** Positions of these accounts that changed, such as `Supplies to Aave V3`. */
  readonly positions: readonly string[];
  /** Names of counterparties and tokens by the rules or the address book, not only by themselves. */
  readonly names: ReadonlyMap<string, string>;
  readonly prices: PriceBook['prices'];
  /** Assets with balances that are known to change without an event, and the purpose. */
  readonly moving: ReadonlyMap<string, Purpose>;
}

export const ETHER: Asset = {
  id: NATIVE_ASSET,
  kind: 'native',
  address: null,
  token_id: null,
  symbol: 'ETH',
  name: 'Ether',
  decimals: 18,
};

export type Fee = NonNullable<LedgerEvent['fee']>;

/** Whether there is a fee that is not zero. */
export const isPaid = (fee: Fee | null): fee is Fee => fee !== null && !/^0(\.0*)?$/.test(fee.amount);

/** A fee as the change of its payer's ether; none where nothing is paid. */
export const feeChanges = (fee: Fee | null): LedgerChange[] =>
  isPaid(fee) ? [{ account: fee.account, asset: ETHER, raw: -parseAmount(fee.amount, 18), debt: false }] : [];

/** Exact decimal text of a positive or negative amount; the raw integer where the decimals are unknown. */
export const exactAmount = (raw: bigint, { decimals }: Asset): string => formatAmount(raw, decimals ?? 0);

/** Dollars of the magnitude of an amount, without the sign; null where there is no price. */
export function dollars(raw: bigint, asset: Asset, { prices }: Pick<PriceBook, 'prices'>): string | null {
  const price = prices.get(asset.id);
  return price ? usdText(worth(raw < 0n ? -raw : raw, price.unit)).slice(1) : null;
}

/**
 * A report's event for accounts taken as one: transfers among them are neither gain nor loss. Of transfers
 * that nothing in the transaction shows to be real, those with a change in `confirmed` are booked.
 * @throws CliError for a report without `tx.timestamp` or `movements`, as earlier versions wrote it
 */
export function ledgerEvents(
  report: TxReport,
  accounts: ReadonlySet<string>,
  rules: LedgerRules,
  confirmed: ReadonlySet<string> = new Set(),
) {
  const { tx, movements } = report;
  const missing = !tx.timestamp ? 'tx.timestamp' : movements === undefined ? 'movements' : null;
  if (missing !== null) throw new CliError(`the report of ${tx.hash} has no ${missing}: analyze it again`);
  const { spam, disputed } = doubtsOf(report);
  const concerning = movements!.filter(
    ({ from, to }) => from !== to && (accounts.has(from) || accounts.has(to)),
  );
  const unsure = concerning.filter((movement) => {
    const { from, to, asset_id: id } = movement;
    const isOpen = (one: string): boolean => accounts.has(one) && !confirmed.has(`${one} ${id}`);
    return spam.has(id) || (disputed.has(movement) && [from, to].some(isOpen));
  });
  const sure = concerning.filter((one) => !unsure.includes(one));
  // Gas is the signer's: payments to a bundler or relayer are among the flows of both.
  const { gas_cost_native: amount, gas_cost_usd: cost } = report.execution;
  const usd = cost.available ? cost.text.replace(/^\$-?/, '') : null;
  const fee = accounts.has(tx.signer) ? { account: tx.signer, amount, usd } : null;
  const own = report.position_effects.filter(({ owner }) => accounts.has(owner));
  const positions = [...new Set(own.map((one) => positionTitle(one, report)))];
  const present = [tx.signer, ...own.map((one) => one.owner), ...concerning.flatMap((m) => [m.from, m.to])];
  const named = Object.entries(report.accounts ?? {}).filter(([, { source }]) => source !== 'contract');
  const names = new Map(named.map(([address, { name }]) => [address, name]));
  const eventOf = (booked: Movements, leftOut: Movements): LedgerEvent | null => {
    const isWhole = booked === sure;
    const flows = flowsOf(report, booked, accounts);
    if (flows.length === 0 && !(isWhole && (fee || positions.length > 0))) return null;
    const { actor, intent_kind: intentKind, intent_label: label } = report.classification;
    const debts = new Set(flows.flatMap(({ asset, debt }) => (debt ? asset.id : [])));
    const assets = booked.filter(({ asset_id: id }) => !debts.has(id));
    const paid = isWhole ? fee : null;
    return {
      time: tx.timestamp!,
      block: tx.block_number,
      txHash: tx.hash,
      intentKind,
      label: actor !== null && accounts.has(actor) ? label : null,
      actor,
      rows: actRows(report, assets, { accounts, rules }),
      fee: paid,
      flows,
      changes: [...changesOf(report, accounts, leftOut), ...feeChanges(paid)],
      positions: isWhole ? positions : [],
      names,
      prices: bookOf(report as ClientReport).prices,
      moving: movingOf(report, rules),
    };
  };
  return {
    /** Null where the accounts gained and lost nothing, paid no fee and own no position. */
    event: eventOf(sure, unsure),
    /** The same of flows left out as doubtful, without fee and positions; null without any. */
    doubtful: eventOf(unsure, sure),
    /** Those of the accounts that the report concerns. */
    concerned: new Set(present.filter((account) => accounts.has(account))),
  };
}

export type Movements = NonNullable<TxReport['movements']>;

function flowsOf(report: TxReport, movements: Movements, accounts: ReadonlySet<string>): LedgerFlow[] {
  // Between own accounts, both directions are one flow.
  const isOurs = ({ from, to }: Movements[number]): boolean =>
    accounts.has(from) && (!accounts.has(to) || from < to);
  const sides = groupBy(movements, (one) => {
    const ends = isOurs(one) ? [one.from, one.to] : [one.to, one.from];
    return `${ends.join(' ')} ${one.asset_id}`;
  });
  const deltas = new Map(report.inventory_deltas.map((one) => [`${one.subject} ${one.asset.id}`, one]));
  return [...sides].flatMap(([key, group]) => {
    const [account, counterparty, id] = key.split(' ') as [string, string, string];
    const raw = group.reduce((sum, one) => sum + BigInt(one.amount_raw) * (isOurs(one) ? -1n : 1n), 0n);
    const delta = deltas.get(`${account} ${id}`);
    if (raw === 0n || !delta) return [];
    const own = accounts.has(counterparty);
    const purpose = isDebt(report, delta) ? { debt: true, purpose: 'loan' as const } : { debt: false };
    return { account, counterparty, own, asset: delta.asset, raw, ...purpose };
  });
}

/** The balance changes of the accounts, less those by these movements. */
function changesOf(report: TxReport, accounts: ReadonlySet<string>, leftOut: Movements): LedgerChange[] {
  return report.inventory_deltas.flatMap((delta) => {
    const { subject: account, asset } = delta;
    if (!accounts.has(account)) return [];
    let raw = BigInt(delta.delta_raw);
    for (const { from, to, asset_id: id, amount_raw } of leftOut) {
      if (id !== asset.id) continue;
      if (from === account) raw += BigInt(amount_raw);
      if (to === account) raw -= BigInt(amount_raw);
    }
    return { account, asset, raw, debt: isDebt(report, delta) };
  });
}

/** Place of a report in the chain. Reports of earlier versions lack the index: the nonce orders those. */
export const placeOf = ({ tx }: TxReport): readonly [block: number, index: number, nonce: number] => [
  tx.block_number,
  tx.index ?? Infinity,
  tx.nonce ?? 0,
];
