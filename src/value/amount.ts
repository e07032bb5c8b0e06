import type { AssetAmount } from '../model/motif.ts';

/** ERC-20 `decimals()` is a uint8 (EIP-20); anything else a contract answers is no usable statement. */
const MAX_DECIMALS = 255;

/** The decimals to count with, or null where the contract states none that make sense. */
export function usableDecimals(decimals: number | null | undefined): number | null {
  const isCount = typeof decimals === 'number' && Number.isInteger(decimals);
  return isCount && decimals >= 0 && decimals <= MAX_DECIMALS ? decimals : null;
}

/** By how much two amounts differ, in raw units. */
export function distance(a: bigint, b: bigint): bigint {
  return a > b ? a - b : b - a;
}

export function sumOf(list: readonly { readonly amount: bigint }[]): bigint {
  return list.reduce((sum, { amount }) => sum + amount, 0n);
}

/** The sum under each key. */
export function sumsBy<K>(amounts: Iterable<readonly [key: K, amount: bigint]>): Map<K, bigint> {
  const sums = new Map<K, bigint>();
  for (const [key, amount] of amounts) sums.set(key, (sums.get(key) ?? 0n) + amount);
  return sums;
}

/** One for each key, with the sum of the amounts. */
export function joined<T extends { readonly amount: bigint }>(all: Iterable<T>, keyOf: (one: T) => string) {
  const sums = new Map<string, T>();
  for (const one of all) {
    const key = keyOf(one);
    const before = sums.get(key);
    sums.set(key, before === undefined ? one : { ...one, amount: one.amount + before.amount });
  }
  return [...sums.values()];
}

/** One amount per role and asset. */
export const summed = (amounts: readonly AssetAmount[]): AssetAmount[] =>
  joined(amounts, ({ role, asset }) => `${role} ${asset}`);

const POWERS: bigint[] = [1n];

/** `10^exponent`, for scales and decimals: small numbers that recur all the time. */
export function powerOfTen(exponent: number): bigint {
  for (let last = POWERS.length - 1; last < exponent; last++) POWERS.push(POWERS[last]! * 10n);
  return POWERS[exponent]!;
}

const MINUS = 45;
const ZERO = 48;

/**
 * `raw / 10^decimals` as an exact decimal string: no exponent, no separators, trailing zeros cut, `-` before
 * negatives and never before zero. `decimals` must be `usableDecimals`.
 */
export function formatAmount(raw: bigint, decimals: number): string {
  return placePoint(raw.toString(), decimals);
}

/** Smallest units of an exact decimal, which has at most `decimals` places. */
export function parseAmount(exact: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = exact.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

/** `formatAmount` of an integer that is a text already. */
export function placePoint(integer: string, decimals: number): string {
  const start = integer.charCodeAt(0) === MINUS ? 1 : 0;
  const point = integer.length - decimals;
  let end = integer.length;
  while (end > start && end > point && integer.charCodeAt(end - 1) === ZERO) end--;
  if (end === start) return '0';
  if (end <= point) return integer.slice(0, point);
  if (point > start) return `${integer.slice(0, point)}.${integer.slice(point, end)}`;
  return `${integer.slice(0, start)}0.${'0'.repeat(start - point)}${integer.slice(start, end)}`;
}

/** Significant digits that people are shown of an amount; reports hold the exact figure. */
const SHOWN_DIGITS = 6;
/** Beyond these powers of ten, more zeros than digits would be read. */
const HIGHEST_PLAIN = 14;
const LOWEST_PLAIN = -9;

/**
 * An exact decimal amount as labels, tables and the viewer show it: six significant digits, half rounded up,
 * all digits before the point kept, thousands apart: `1234.56789` is `1,234.57`. Very large and very small
 * ones are a power of ten, unless `plain`. A nonzero amount never reads as zero.
 */
export function shownAmount(exact: string, plain = false): string {
  const sign = exact.startsWith('-') ? '-' : '';
  const [whole = '0', fraction = ''] = exact.slice(sign.length).split('.');
  const digits = whole + fraction;
  const first = digits.search(/[1-9]/);
  if (first < 0) return '0';
  const power = whole.length - 1 - first;
  const kept = first + SHOWN_DIGITS;
  if (!plain && (power > HIGHEST_PLAIN || power < LOWEST_PLAIN)) {
    const rounded = roundedAt(digits, kept);
    const carried = rounded.toString().length - SHOWN_DIGITS;
    return `${sign}${formatAmount(rounded, SHOWN_DIGITS - 1 + carried)} × 10${superscript(power + carried)}`;
  }
  const places = Math.max(0, kept - whole.length);
  if (fraction.length <= places) return sign + grouped(placePoint(digits, fraction.length));
  return sign + grouped(formatAmount(roundedAt(digits, whole.length + places), places));
}

/** The first `count` digits as a number, half rounded up. */
function roundedAt(digits: string, count: number): bigint {
  const up = (digits[count] ?? '0') >= '5' ? 1n : 0n;
  return BigInt(digits.slice(0, count).padEnd(count, '0')) + up;
}

/** Thousands apart: `1234567.89` as `1,234,567.89`. */
export function grouped(exact: string): string {
  const [whole = '', fraction] = exact.split('.');
  if (whole.length < 4) return exact;
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${fraction === undefined ? '' : `.${fraction}`}`;
}

const SUPERSCRIPT = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function superscript(n: number): string {
  return (n < 0 ? '⁻' : '') + [...String(Math.abs(n))].map((digit) => SUPERSCRIPT[Number(digit)]).join('');
}
