/** ERC-20 `decimals()` is a uint8 (EIP-20); anything else a contract answers is no usable statement. */
const MAX_DECIMALS = 255;

/** The decimals to count with, or null where the contract states none that make sense. */
export function usableDecimals(decimals: number | null | undefined): number | null {
  return typeof decimals === 'number' &&
    Number.isInteger(decimals) &&
    decimals >= 0 &&
    decimals <= MAX_DECIMALS
    ? decimals
    : null;
}

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
