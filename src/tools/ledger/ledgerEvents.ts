import { formatAmount } from '../../value/amount.ts';
import type { Asset, DisplayMoney, TxReport } from '../../model/generated/report.ts';

/** An amount that entered or left the account, always positive. */
export interface LedgerLeg {
  readonly asset: Asset;
  readonly raw: bigint;
  /** Exact decimal text; the raw integer where the token states no decimals. */
  readonly amount: string;
  /** Plain dollar amount without the sign, null where there is no price. */
  readonly usd: string | null;
}

/** One transaction's effect on one account. */
export interface LedgerEvent {
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly txHash: string;
  readonly account: string;
  readonly intentKind: string;
  readonly label: string;
  readonly sent: readonly LedgerLeg[];
  readonly received: readonly LedgerLeg[];
  /** The transaction fee, where this account paid it. */
  readonly fee: { readonly amount: string; readonly usd: string | null } | null;
  /** Net amounts by counterparty: signed from the account's view, zero left out. */
  readonly flows: readonly { readonly counterparty: string; readonly asset: Asset; readonly raw: bigint }[];
  /** Positions of this account that changed, such as `open lending_supply aave-v3`. */
  readonly positions: readonly string[];
}

/** A report that cannot be written into a ledger. */
export class LedgerError extends Error {}

/** Dollar amount of a money text, without dollar sign and minus. */
function dollars(money: DisplayMoney): string | null {
  return money.available ? money.text.replace(/^\$-?/, '') : null;
}

/** Exact decimal text of a positive or negative amount; the raw integer where the decimals are unknown. */
export const exactAmount = (raw: bigint, decimals: number | null): string => formatAmount(raw, decimals ?? 0);

function legs(report: TxReport, account: string, sign: 1n | -1n): LedgerLeg[] {
  return report.inventory_deltas
    .filter(({ subject, delta_raw }) => subject === account && BigInt(delta_raw) * sign > 0n)
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
  const texts = report.position_effects
    .filter(({ owner }) => owner === account)
    .map(({ effect, category, protocol }) => [effect, category, protocol?.slug].filter(Boolean).join(' '));
  return [...new Set(texts)];
}

/**
 * An account's event in a report; null where it gained and lost nothing, paid no fee and owns no position.
 * @throws LedgerError for a report without `tx.timestamp`, as earlier versions wrote it
 */
export function ledgerEvent(report: TxReport, account: string): LedgerEvent | null {
  const { tx, execution, attribution, classification } = report;
  if (!tx.timestamp) throw new LedgerError(`the report of ${tx.hash} has no tx.timestamp: analyze it again`);
  const sent = legs(report, account, -1n);
  const received = legs(report, account, 1n);
  const positions = positionsOf(report, account);
  const fee =
    attribution.fee_payer === account
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
    positions,
  };
}
