// Money worked out with fractions, and nothing of the product's own arithmetic: what a report says is held against this.

/** An exact amount of US dollars. */
export class Dollars {
  readonly n: bigint;
  readonly d: bigint;
  constructor(n: bigint, d = 1n) {
    this.n = n;
    this.d = d;
  }

  /** `'1234.5'` dollars. */
  static of(text: string): Dollars {
    const [whole, fraction = ''] = text.split('.');
    return new Dollars(BigInt(whole! + fraction), 10n ** BigInt(fraction.length));
  }

  plus = (o: Dollars): Dollars => new Dollars(this.n * o.d + o.n * this.d, this.d * o.d);
  minus = (o: Dollars): Dollars => new Dollars(this.n * o.d - o.n * this.d, this.d * o.d);
  times = (n: bigint, d = 1n): Dollars => new Dollars(this.n * n, this.d * d);
  /** What `raw` smallest units are worth when this is the price of a whole one. */
  for = (raw: bigint, decimals = 18): Dollars => this.times(raw, 10n ** BigInt(decimals));

  /** As the report writes money: cents, half away from zero; below half a cent, two significant digits. */
  get text(): string {
    const sign = this.n < 0n ? '-' : '';
    const n = this.n < 0n ? -this.n : this.n;
    if (n === 0n) return '$0.00';
    const rounded = (places: bigint): bigint => (2n * n * 10n ** places + this.d) / (2n * this.d);
    let places = 2n;
    if (rounded(2n) === 0n) while (rounded(places).toString().length < 2) places += 1n;
    let digits = rounded(places)
      .toString()
      .padStart(Number(places) + 1, '0');
    if (places > 2n)
      while (digits.endsWith('0')) {
        digits = digits.slice(0, -1);
        places -= 1n;
      }
    return `$${sign}${digits.slice(0, -Number(places))}.${digits.slice(-Number(places))}`;
  }
}

/** Exact decimal string of raw units, without trailing zeros. */
export function units(raw: bigint, decimals: number): string {
  const digits = (raw < 0n ? -raw : raw).toString().padStart(decimals + 1, '0');
  const text =
    decimals === 0
      ? digits
      : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, '');
  return `${raw < 0n ? '-' : ''}${text}`;
}

/** What a constant-product pair pays for an input, after its fee of 0.3 %. */
export function pairPays(amountIn: bigint, reserveIn: bigint, reserveOut: bigint): bigint {
  return (amountIn * 997n * reserveOut) / (reserveIn * 1000n + amountIn * 997n);
}

export function minimum(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
