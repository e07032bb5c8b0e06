import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addUsd,
  compareUsd,
  displayMoney,
  known,
  subtractUsd,
  unknown,
  usdText,
  worth,
  worthOf,
  worthTogether,
} from '../../../src/value/money.ts';
import type { PriceBook } from '../../../src/model/economics.ts';

const usd = fc.record({
  numerator: fc.bigInt(-(10n ** 60n), 10n ** 60n),
  scale: fc.integer({ min: 0, max: 40 }),
});

describe('usdText', () => {
  it.each([
    [1234n, 2, '$12.34'],
    [-1234n, 2, '$-12.34'],
    [0n, 9, '$0.00'],
    [5n, 0, '$5.00'],
    [42n, 4, '$0.0042'],
    [-42n, 4, '$-0.0042'],
    [4217n, 8, '$0.000042'],
    [4n, 3, '$0.004'],
    [4999n, 6, '$0.005'],
    [49_996n, 7, '$0.005'],
    [1n, 18, '$0.000000000000000001'],
    // Half away from zero, both ways.
    [1005n, 3, '$1.01'],
    [-1005n, 3, '$-1.01'],
    [1004_999n, 6, '$1.00'],
    [5n, 3, '$0.01'],
    [-5n, 3, '$-0.01'],
    [4_999_999n, 9, '$0.005'],
    [99_999n, 5, '$1.00'],
    [10n ** 40n, 2, `$1${'0'.repeat(38)}.00`],
    [999_999_999_999_999_999_999_995n, 3, '$1000000000000000000000.00'],
  ])('%s / 10^%s is %s', (numerator, scale, text) => expect(usdText({ numerator, scale })).toBe(text));

  it('always has the form the schema promises, shows zero only for zero, and is off by half a last digit at most', () => {
    fc.assert(
      fc.property(usd, (value) => {
        const text = usdText(value);
        expect(text).toMatch(/^\$-?(0|[1-9]\d*)\.\d{2,}$/);
        const digits = text.replace(/[$.-]/g, '');
        const places = text.length - text.indexOf('.') - 1;
        expect(BigInt(digits) === 0n).toBe(value.numerator === 0n);
        const shown = { numerator: (text.includes('-') ? -1n : 1n) * BigInt(digits), scale: places };
        const off = subtractUsd(shown, value);
        const magnitude = off.numerator < 0n ? -off.numerator : off.numerator;
        expect(magnitude * 2n * 10n ** BigInt(places) <= 10n ** BigInt(off.scale)).toBe(true);
      }),
    );
  });
});

describe('exact dollars', () => {
  it('adds and subtracts without loss', () => {
    fc.assert(
      fc.property(usd, usd, (a, b) => {
        expect(compareUsd(subtractUsd(addUsd(a, b), b), a)).toBe(0);
      }),
    );
  });

  it('values an amount exactly', () => {
    expect(worth(1_000_001n, { usd: { numerator: 99_995n, scale: 5 }, decimals: 6 })).toEqual({
      numerator: 99_995_099_995n,
      scale: 11,
    });
  });

  it('shows the dash and the reason where there is no value', () => {
    expect(displayMoney(unknown('unpriced_asset'))).toEqual({
      text: '\u2014',
      available: false,
      reason: 'unpriced_asset',
    });
    expect(displayMoney(known({ numerator: 1n, scale: 0 }))).toEqual({ text: '$1.00', available: true });
  });

  it('never understates a sum: one amount without a price makes it unavailable and is named', () => {
    const book: PriceBook = {
      prices: new Map(),
      refusals: new Map([
        ['a', { asset: 'a', code: 'spam_asset', reason: 'r', observed: null, threshold: null }],
      ]),
    };
    expect(
      worthTogether(
        [
          ['a', 1n],
          ['b', 0n],
        ],
        book,
      ),
    ).toEqual(unknown('unpriced_asset: a (spam_asset), b (no_source)'));
    expect(
      worthTogether(
        ['a', 'b', 'c', 'd', 'e'].map((id) => [id, 1n]),
        book,
      ).reason,
    ).toMatch(/^unpriced_asset: a .*, c \(no_source\) and 2 more$/);
    expect(worthTogether([], book).usd).not.toBeNull();
    expect(worthOf('a', 1n, book)).toEqual(unknown('unpriced_asset (spam_asset)'));
    expect(worthOf('b', 1n, book)).toEqual(unknown('unpriced_asset (no_source)'));
  });
});
