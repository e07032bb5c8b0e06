/** ERC-20 `decimals()` is a uint8 (EIP-20); anything else a contract answers is no usable statement. */
const MAX_DECIMALS = 255;

/** The decimals to count with, or null where the contract states none that make sense. */
export function usableDecimals(decimals: number | null | undefined): number | null {
  return typeof decimals === 'number' && Number.isInteger(decimals) && decimals >= 0 && decimals <= MAX_DECIMALS ? decimals : null;
}

const POWERS: bigint[] = [1n];

/** `10^exponent`, for scales and decimals: small numbers that recur all the time. */
export function powerOfTen(exponent: number): bigint {
  for (let last = POWERS.length - 1; last < exponent; last++) POWERS.push(POWERS[last]! * 10n);
  return POWERS[exponent]!;
}

const ZERO_DIGIT = 48;

/**
 * `raw / 10^decimals` as an exact decimal string: no exponent, no separators, trailing zeros cut, `-` before negatives
 * and never before zero. `decimals` must be `usableDecimals`.
 */
export function formatAmount(raw: bigint, decimals: number): string {
  const sign = raw < 0n ? '-' : '';
  const digits = (raw < 0n ? -raw : raw).toString().padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  let end = digits.length;
  while (end > point && digits.charCodeAt(end - 1) === ZERO_DIGIT) end--;
  return end === point ? sign + digits.slice(0, point) : `${sign}${digits.slice(0, point)}.${digits.slice(point, end)}`;
}
