import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAmount, usableDecimals } from '../../../src/value/amount.ts';

/** Reads a formatted amount back without any float. */
function parse(text: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const magnitude = BigInt(whole + fraction.padEnd(decimals, '0'));
  return text.startsWith('-') ? -magnitude : magnitude;
}

describe('formatAmount', () => {
  it.each([
    [0n, 18, '0'],
    [1n, 18, '0.000000000000000001'],
    [-1n, 0, '-1'],
    [1_500_000n, 6, '1.5'],
    [10n ** 18n, 18, '1'],
    [-(10n ** 17n), 18, '-0.1'],
    [123n, 0, '123'],
    [100n, 1, '10'],
    [2n ** 256n - 1n, 18, '115792089237316195423570985008687907853269984665640564039457.584007913129639935'],
  ])('%s with %s decimals is %s', (raw, decimals, text) => expect(formatAmount(raw, decimals)).toBe(text));

  it('loses nothing and has one form per value', () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 256n), 2n ** 256n), fc.integer({ min: 0, max: 255 }), (raw, decimals) => {
        const text = formatAmount(raw, decimals);
        expect(text).toMatch(/^(0|-?(0|[1-9]\d*)(\.\d*[1-9])?)$/);
        expect(parse(text, decimals)).toBe(raw);
      }),
    );
  });
});

describe('usableDecimals', () => {
  it.each([
    [18, 18],
    [0, 0],
    [255, 255],
    [256, null],
    [-1, null],
    [1.5, null],
    [Number.NaN, null],
    [1e9, null],
    [null, null],
    [undefined, null],
  ])('%s → %s', (given, kept) => expect(usableDecimals(given)).toBe(kept));
});
