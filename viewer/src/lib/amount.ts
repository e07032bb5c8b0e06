/** An integer amount in whole units, exact: `decimal(1234500n, 6)` is `1.2345`. */
export function decimal(raw: bigint, decimals: number): string {
  const negative = raw < 0n;
  const digits = (negative ? -raw : raw).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = decimals === 0 ? '' : digits.slice(-decimals).replace(/0+$/, '');
  return `${negative ? '-' : ''}${whole}${fraction && `.${fraction}`}`;
}

const SUPERSCRIPT = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const superscript = (n: number): string =>
  (n < 0 ? '⁻' : '') + [...String(Math.abs(n))].map((d) => SUPERSCRIPT[Number(d)]).join('');

/** Digits between the units and where rounding starts, so that about seven digits are seen. */
const SEEN = 7;

/** Thousands apart: `1234567.89` as `1,234,567.89`. */
export function grouped(exact: string): string {
  const [whole = '', fraction] = exact.split('.');
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${fraction === undefined ? '' : `.${fraction}`}`;
}

/**
 * A decimal amount short enough for a label, rounded half away from zero to about seven digits; very large and very
 * small ones as a power of ten. Works on the digits: no amount passes through a float.
 */
export function shortAmount(exact: string): string {
  const negative = exact.startsWith('-');
  const [whole = '0', fraction = ''] = exact.replace('-', '').split('.');
  const sign = negative ? '-' : '';
  if (whole.length > 12) return `${sign}${power(whole + fraction, whole.length - 1)}`;
  if (whole !== '0')
    return (
      sign +
      grouped(
        rounded(
          whole,
          fraction,
          Math.max(whole.length > 4 ? 2 : 4, SEEN - whole.length) - (whole.length > 6 ? 2 : 0),
        ),
      )
    );
  const zeros = /^0*/.exec(fraction)![0].length;
  if (zeros === fraction.length) return '0';
  if (zeros >= 6) return `${sign}${power(fraction.slice(zeros), -zeros - 1)}`;
  return sign + rounded(whole, fraction, zeros + 4);
}

function rounded(whole: string, fraction: string, places: number): string {
  const kept = Math.max(0, places);
  if (fraction.length <= kept) return fraction === '' ? whole : `${whole}.${fraction}`;
  const up = fraction.charCodeAt(kept) >= 53 ? 1n : 0n;
  return decimal(BigInt(whole + fraction.slice(0, kept)) + up, kept);
}

/** `1.23 × 10¹⁸` of digits whose first stands for the given power of ten. */
function power(digits: string, exponent: number): string {
  const shown = rounded(digits[0]!, digits.slice(1, 5), 2);
  return shown.startsWith('10')
    ? `1 × 10${superscript(exponent + 1)}`
    : `${shown} × 10${superscript(exponent)}`;
}
