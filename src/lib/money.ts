import type { DisplayMoney } from '../model/report.ts';
import type { Money, PriceBook, UnitPrice, Usd } from '../model/economics.ts';
import type { AssetId } from '../model/valueFlow.ts';

export const ZERO_USD: Usd = { numerator: 0n, scale: 0 };
/** Stands where no number can; must not be parsed as one. */
const UNAVAILABLE_TEXT = '—';
/** Small amounts show this many digits that are not leading zeros. */
const SIGNIFICANT_DIGITS = 2;

function aligned(a: Usd, b: Usd): readonly [bigint, bigint, number] {
  const scale = Math.max(a.scale, b.scale);
  return [a.numerator * 10n ** BigInt(scale - a.scale), b.numerator * 10n ** BigInt(scale - b.scale), scale];
}

export function addUsd(a: Usd, b: Usd): Usd {
  const [left, right, scale] = aligned(a, b);
  return { numerator: left + right, scale };
}

export function subtractUsd(a: Usd, b: Usd): Usd {
  const [left, right, scale] = aligned(a, b);
  return { numerator: left - right, scale };
}

/** Negative, zero or positive, as sort wants it. */
export function compareUsd(a: Usd, b: Usd): number {
  const [left, right] = aligned(a, b);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Value of `raw` smallest units, exact: a decimal price times a decimal amount is a decimal again. */
export function worth(raw: bigint, unit: UnitPrice): Usd {
  return { numerator: raw * unit.usd.numerator, scale: unit.usd.scale + unit.decimals };
}

export const known = (usd: Usd): Money => ({ usd, reason: null });
export const unknown = (reason: string): Money => ({ usd: null, reason });

export function subtractMoney(a: Money, b: Money): Money {
  return a.usd === null ? a : b.usd === null ? b : known(subtractUsd(a.usd, b.usd));
}

/** Amounts that have no price make every sum they are part of unavailable; naming this many is enough. */
const NAMED_REASONS = 3;

/** What several amounts are worth together; if any of them has no price, why. An understated sum is never given. */
export function worthTogether(amounts: Iterable<readonly [AssetId, bigint]>, book: PriceBook): Money {
  let sum = ZERO_USD;
  const unpriced = new Set<AssetId>();
  for (const [asset, raw] of amounts) {
    const price = book.prices.get(asset);
    if (price) sum = addUsd(sum, worth(raw, price.unit));
    else unpriced.add(asset);
  }
  if (unpriced.size === 0) return known(sum);
  const ids = [...unpriced].sort();
  const named = ids.slice(0, NAMED_REASONS).map((id) => `${id} (${book.refusals.get(id)?.code ?? 'no_source'})`).join(', ');
  return unknown(`unpriced_asset: ${named}${ids.length > NAMED_REASONS ? ` and ${ids.length - NAMED_REASONS} more` : ''}`);
}

/** `numerator / 10^scale` to `places` decimals, half away from zero, as the magnitude's integer. */
function roundedMagnitude(magnitude: bigint, scale: number, places: number): bigint {
  if (scale <= places) return magnitude * 10n ** BigInt(places - scale);
  const unit = 10n ** BigInt(scale - places);
  return (magnitude + unit / 2n) / unit;
}

/** Decimals at which the first significant digits of an amount below half a cent show. */
function smallPlaces(magnitude: bigint, scale: number): number {
  return scale - magnitude.toString().length + SIGNIFICANT_DIGITS;
}

/**
 * The display text of an amount: `$12.34`, `$-12.34`; two decimals, and where two would show zero for an amount that is
 * not zero, as many as show its first two significant digits (`$0.0042`). Rounded half away from zero. No separators.
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
  return money.usd === null ? { text: UNAVAILABLE_TEXT, available: false, reason: money.reason } : displayUsd(money.usd);
}
