/** An exact non-negative fraction. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Digits kept of a quotient that does not end: beyond the precision of any amount on the chain. */
const SIGNIFICANT_DIGITS = 30;

export const whole = (numerator: bigint): Fraction => ({ numerator, denominator: 1n });
export const NOTHING = whole(0n);

export function sum(a: Fraction, b: Fraction): Fraction {
  return {
    numerator: a.numerator * b.denominator + b.numerator * a.denominator,
    denominator: a.denominator * b.denominator,
  };
}

/** True when the larger exceeds the smaller by more than so many parts in ten thousand. */
export function farApart(a: Fraction, b: Fraction, bps: bigint): boolean {
  const [left, right] = [a.numerator * b.denominator, b.numerator * a.denominator];
  const [low, high] = left < right ? [left, right] : [right, left];
  return high * 10_000n > low * (10_000n + bps);
}

export function isLess(a: Fraction, b: Fraction): boolean {
  return a.numerator * b.denominator < b.numerator * a.denominator;
}

/**
 * The fraction as a decimal: exact where it ends (a vault's rate), else thirty significant digits, half up
 * (a share of a pool). From then on everything is computed from this decimal, which the report shows in
 * full.
 */
export function toDecimal({ numerator, denominator }: Fraction): { numerator: bigint; scale: number } {
  if (numerator === 0n) return { numerator: 0n, scale: 0 };
  let scale = denominator.toString().length;
  let value = numerator * 10n ** BigInt(scale);
  if (value % denominator === 0n) value /= denominator;
  else {
    scale = Math.max(0, SIGNIFICANT_DIGITS - (numerator.toString().length - scale));
    value = (numerator * 10n ** BigInt(scale) * 2n + denominator) / (denominator * 2n);
  }
  for (; scale > 0 && value % 10n === 0n; scale--) value /= 10n;
  return { numerator: value, scale };
}
