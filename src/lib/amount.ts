/** ERC-20 `decimals()` is a uint8 (EIP-20); anything else a contract answers is no usable statement. */
const MAX_DECIMALS = 255;

/** The decimals to count with, or null where the contract states none that make sense. */
export function usableDecimals(decimals: number | null | undefined): number | null {
  return typeof decimals === 'number' && Number.isInteger(decimals) && decimals >= 0 && decimals <= MAX_DECIMALS ? decimals : null;
}

/**
 * `raw / 10^decimals` as an exact decimal string: no exponent, no separators, trailing zeros cut, `-` before negatives
 * and never before zero. `decimals` must be `usableDecimals`.
 */
export function formatAmount(raw: bigint, decimals: number): string {
  const digits = (raw < 0n ? -raw : raw).toString().padStart(decimals + 1, '0');
  const cut = digits.length - decimals;
  const fraction = digits.slice(cut).replace(/0+$/, '');
  return `${raw < 0n ? '-' : ''}${digits.slice(0, cut)}${fraction === '' ? '' : `.${fraction}`}`;
}
