import { formatAmount, parseAmount, usableDecimals } from '../../../value/amount.ts';
import { NATIVE_ASSET } from '../../../value/asset.ts';
import { exactUsd, subtractUsd, usdText, worth } from '../../../value/money.ts';
import { exactSums } from '../../client/seenBy.ts';
import type { TxReport as ClientReport } from '../../client/report.ts';
import type { Asset, DisplayMoney, TxReport } from '../../../model/generated/report.ts';
import type { Usd } from '../../../model/economics.ts';

/** Assets and exact prices of one report. */
export type Book = ReturnType<typeof bookOf>;

export function bookOf({ inventory_deltas: deltas, economics }: TxReport) {
  const assets = new Map<string, Asset>(deltas.map(({ asset }) => [asset.id, asset]));
  const prices = new Map(
    economics.valuation.prices?.flatMap(({ asset_id: id, price_exact: price }) =>
      price === undefined ? [] : [[id, Number(price)] as const],
    ),
  );
  return {
    asset: (id: string): Asset | undefined => assets.get(id),
    /** Exact whole units; null where the decimals are unknown. */
    amount(id: string, raw: string): string | null {
      const decimals = usableDecimals(assets.get(id)?.decimals);
      return decimals === null ? null : formatAmount(BigInt(raw), decimals);
    },
    /** Dollars, not rounded to cents; null without a price. */
    worth(id: string, amount: string | null): number | null {
      const price = prices.get(id);
      return price === undefined || amount === null ? null : Number(amount) * price;
    },
  };
}

/** `$-12.34` as a number; null where it is unavailable. */
function dollars(money: DisplayMoney): number | null {
  return money.available ? Number(money.text.slice(1)) : null;
}

/** Dollars of a figure that a report may leave out. */
const stated = (money: DisplayMoney | null | undefined): number | null => (money ? dollars(money) : null);

/** Exact dollars of an amount at the report's price; null without one. */
function exactWorth({ economics }: TxReport, id: string, raw: bigint, decimals: number): Usd | null {
  const price = economics.valuation.prices?.find(({ asset_id }) => asset_id === id)?.price_exact;
  return price === undefined ? null : worth(raw, { usd: exactUsd(price), decimals });
}

/** A total not rounded to cents, where it is the report's; else the report's figure. */
function total(money: DisplayMoney, exact: Usd | null): { usd: number | null; exact: string | null } {
  if (!money.available || exact === null || usdText(exact) !== money.text)
    return { usd: dollars(money), exact: null };
  const text = formatAmount(exact.numerator, exact.scale);
  return { usd: Number(text), exact: text };
}

/** The cost of gas and the nets of a report, exact where they are known so. */
export function sumsOf(report: TxReport) {
  const { execution, economics } = report;
  const wei = parseAmount(execution.gas_cost_native, 18);
  const gasUsd = exactWorth(report, NATIVE_ASSET, wei, 18);
  const { net: netUsd } = exactSums(report as ClientReport, economics.subject);
  return {
    wei,
    gas: total(execution.gas_cost_usd, gasUsd),
    net: total(economics.net_usd_before_gas, netUsd),
    netAfter: total(economics.net_usd_after_gas, netUsd && gasUsd && subtractUsd(netUsd, gasUsd)),
    netAfterOwn: stated(economics.net_usd_after_own_gas),
    withPositions: stated(economics.net_usd_with_positions),
    consideration: stated(economics.consideration_usd),
  };
}

/** The profits of a report's cycles, exact where they are known so. */
export function profitsOf(report: TxReport) {
  return report.economics.realized_pnl.entries.map((entry) => {
    const { asset } = entry;
    const [grossUsd, feesUsd] = [entry.gross_raw, entry.fees_raw ?? '0'].map((raw) =>
      asset.decimals === null ? null : exactWorth(report, asset.id, BigInt(raw), asset.decimals),
    );
    const [gasUsd, paidUsd] = [entry.gas_raw ?? '0', entry.builder_payment_raw].map((raw) =>
      exactWorth(report, NATIVE_ASSET, BigInt(raw), 18),
    );
    const net = [gasUsd!, paidUsd!, feesUsd!].reduce(
      (left, cost) => left && cost && subtractUsd(left, cost),
      grossUsd!,
    );
    return {
      entry,
      gross: total(entry.gross_usd, grossUsd!),
      gas: total(entry.gas_usd, gasUsd!),
      paid: entry.builder_payment_usd && total(entry.builder_payment_usd, paidUsd!),
      net: total(entry.net_usd, net),
    };
  });
}

/** Gains of the owners of a settlement's orders. */
export function ownersOf(report: TxReport) {
  return (report.economics.by_owner ?? []).map((sums) => {
    const exact = exactSums(report as ClientReport, sums.owner, sums.accounts);
    return {
      sums,
      inflow: total(sums.inflow_usd, exact.inflow),
      net: total(sums.net_usd_before_gas, exact.net),
    };
  });
}
