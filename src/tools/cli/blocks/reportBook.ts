import { formatAmount, usableDecimals } from '../../../value/amount.ts';
import { exactUsd, usdText, worth } from '../../../value/money.ts';
import type { Asset, DisplayMoney, TxReport } from '../../../model/generated/report.ts';
import type { Usd } from '../../../model/economics.ts';

/** Assets and exact prices of one report. */
export class Book {
  readonly #assets = new Map<string, Asset>();
  readonly #prices = new Map<string, number>();

  constructor({ inventory_deltas: deltas, economics }: TxReport) {
    for (const { asset } of deltas) this.#assets.set(asset.id, asset);
    for (const { asset_id: id, price_exact: price } of economics.valuation.prices ?? [])
      if (price !== undefined) this.#prices.set(id, Number(price));
  }

  asset(id: string): Asset | undefined {
    return this.#assets.get(id);
  }

  /** Exact whole units; null where the decimals are unknown. */
  amount(id: string, raw: string): string | null {
    const decimals = usableDecimals(this.#assets.get(id)?.decimals);
    return decimals === null ? null : formatAmount(BigInt(raw), decimals);
  }

  /** Dollars, not rounded to cents; null without a price. */
  worth(id: string, amount: string | null): number | null {
    const price = this.#prices.get(id);
    return price === undefined || amount === null ? null : Number(amount) * price;
  }
}

/** `$-12.34` as a number; null where it is unavailable. */
function dollars(money: DisplayMoney): number | null {
  return money.available ? Number(money.text.slice(1)) : null;
}

/** Exact dollars of an amount at the report's price; null without one. */
export function exactWorth({ economics }: TxReport, id: string, raw: bigint, decimals: number): Usd | null {
  const price = economics.valuation.prices?.find(({ asset_id }) => asset_id === id)?.price_exact;
  return price === undefined ? null : worth(raw, { usd: exactUsd(price), decimals });
}

/** A total not rounded to cents, where it is the one the report shows; else what it shows. */
export function total(money: DisplayMoney, exact: Usd | null): { usd: number | null; exact: string | null } {
  if (!money.available || exact === null || usdText(exact) !== money.text)
    return { usd: dollars(money), exact: null };
  const text = formatAmount(exact.numerator, exact.scale);
  return { usd: Number(text), exact: text };
}
