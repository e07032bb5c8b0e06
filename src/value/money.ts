import { parseAmount, powerOfTen } from './amount.ts';
import type { DisplayMoney } from '../model/generated/report.ts';
import type { Money, UnitPrice, Usd } from '../model/economics.ts';
import type { AssetId } from '../model/valueFlow.ts';

/** Prices and refusals by asset, as far as sums need them. */
export interface PriceBook {
  readonly prices: ReadonlyMap<AssetId, { readonly unit: UnitPrice }>;
  readonly refusals: ReadonlyMap<AssetId, { readonly code: string }>;
}

export const ZERO_USD: Usd = { numerator: 0n, scale: 0 };
/** Placeholder where there is no number; must not be parsed. */
const UNAVAILABLE_TEXT = '—';
/** Small amounts show this many digits that are not leading zeros. */
const SIGNIFICANT_DIGITS = 2;

/** The numerator of an amount at a scale that is no smaller than its own. */
function numeratorAt(scale: number, usd: Usd): bigint {
  return usd.scale === scale ? usd.numerator : usd.numerator * powerOfTen(scale - usd.scale);
}

export function addUsd(a: Usd, b: Usd): Usd {
  const scale = Math.max(a.scale, b.scale);
  return { numerator: numeratorAt(scale, a) + numeratorAt(scale, b), scale };
}

export function subtractUsd(a: Usd, b: Usd): Usd {
  return addUsd(a, { numerator: -b.numerator, scale: b.scale });
}

/** Negative, zero or positive, as sort wants it. */
export function compareUsd(a: Usd, b: Usd): number {
  const { numerator } = subtractUsd(a, b);
  return numerator < 0n ? -1 : numerator > 0n ? 1 : 0;
}

/** Value of `raw` smallest units, exact: a decimal price times a decimal amount is a decimal again. */
export function worth(raw: bigint, unit: UnitPrice): Usd {
  return { numerator: raw * unit.usd.numerator, scale: unit.usd.scale + unit.decimals };
}

/** Dollars as reports state prices: an exact decimal. */
export function exactUsd(text: string): Usd {
  const scale = text.split('.')[1]?.length ?? 0;
  return { numerator: parseAmount(text, scale), scale };
}

export const known = (usd: Usd): Money => ({ usd, reason: null });
export const unknown = (reason: string): Money => ({ usd: null, reason });

export function subtractMoney(a: Money, b: Money): Money {
  return a.usd === null ? a : b.usd === null ? b : known(subtractUsd(a.usd, b.usd));
}

/** Value of an amount; without a price, the reason (the asset is in the report beside it). */
export function worthOf(asset: AssetId, raw: bigint, book: PriceBook): Money {
  const price = book.prices.get(asset);
  return price ? known(worth(raw, price.unit)) : unknown(`unpriced_asset ${refusalIn(book, asset)}`);
}

function refusalIn(book: PriceBook, asset: AssetId): string {
  return `(${book.refusals.get(asset)?.code ?? 'no_source'})`;
}

/** Amounts that have no price make every sum they are part of unavailable; naming this many is enough. */
const NAMED_REASONS = 3;

/** Value of several amounts together; if any has no price, the reason. A sum is never understated. */
export function worthTogether(amounts: Iterable<readonly [AssetId, bigint]>, book: PriceBook): Money {
  let sum: Usd | null = null;
  let unpriced: AssetId[] | null = null;
  for (const [asset, raw] of amounts) {
    const price = book.prices.get(asset);
    if (!price) (unpriced ??= []).push(asset);
    else {
      const value = worth(raw, price.unit);
      sum = sum ? addUsd(sum, value) : value;
    }
  }
  return unpriced ? unpricedMoney(unpriced, book) : known(sum ?? ZERO_USD);
}

function unpricedMoney(assets: readonly AssetId[], book: PriceBook): Money {
  const ids = [...new Set(assets)].sort();
  const named = ids
    .slice(0, NAMED_REASONS)
    .map((id) => `${id} ${refusalIn(book, id)}`)
    .join(', ');
  const more = ids.length > NAMED_REASONS ? ` and ${ids.length - NAMED_REASONS} more` : '';
  return unknown(`unpriced_asset: ${named}${more}`);
}

/** `numerator / 10^scale` to `places` decimals, half away from zero, as the magnitude's integer. */
function roundedMagnitude(magnitude: bigint, scale: number, places: number): bigint {
  if (scale <= places) return magnitude * powerOfTen(places - scale);
  // The digit after the last one shown decides.
  return (magnitude / powerOfTen(scale - places - 1) + 5n) / 10n;
}

/** Decimals at which the first significant digits of an amount below half a cent show. */
function smallPlaces(magnitude: bigint, scale: number): number {
  return scale - magnitude.toString().length + SIGNIFICANT_DIGITS;
}

/**
 * The display text of an amount: `$12.34`, `$-12.34`; two decimals, and where two would show zero for an
 * amount that is not zero, as many as show its first two significant digits (`$0.0042`). Rounded half away
 * from zero. No separators.
 */
export function usdText(usd: Usd): string {
  const negative = usd.numerator < 0n;
  const magnitude = negative ? -usd.numerator : usd.numerator;
  if (magnitude === 0n) return '$0.00';
  let places = 2;
  let rounded = roundedMagnitude(magnitude, usd.scale, places);
  if (rounded === 0n) {
    places = smallPlaces(magnitude, usd.scale);
    rounded = roundedMagnitude(magnitude, usd.scale, places);
    for (; rounded % 10n === 0n; places--) rounded /= 10n;
  }
  const digits = rounded.toString().padStart(places + 1, '0');
  return `$${negative ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

export function displayUsd(usd: Usd): DisplayMoney {
  return { text: usdText(usd), available: true };
}

export function displayMoney(money: Money): DisplayMoney {
  return money.usd === null
    ? { text: UNAVAILABLE_TEXT, available: false, reason: money.reason }
    : displayUsd(money.usd);
}
