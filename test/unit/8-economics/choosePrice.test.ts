import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { choosePrice } from '../../../src/stages/8-economics/choosePrice.ts';
import type { PriceQuote } from '../../../src/model/upstream.ts';
import { account, quote } from '../../support/builders.ts';

const NOW = 1_700_000_000;
const TOKEN = account('0d');
const POOL = account('d0');
const choose = (quotes: readonly PriceQuote[], touched: ReadonlySet<`0x${string}`> = new Set()) =>
  choosePrice(quotes, NOW, touched);

describe('choosePrice', () => {
  it('prefers the better method, then the newer observation', () => {
    const spot = quote(TOKEN, '1.01', { method: 'own_trade', source: POOL });
    const older = quote(TOKEN, '1.00', { asOf: NOW - 900 });
    const newer = quote(TOKEN, '1.02', { asOf: NOW - 30, source: account('ff') });
    expect(choose([spot, older, newer]).chosen).toEqual({ quote: newer, ageSeconds: 30, stale: false });
  });

  it('takes a fresh lesser source before a stale better one', () => {
    const stale = quote(TOKEN, '1', { asOf: NOW - 4000 });
    const fresh = quote(TOKEN, '1.2', { method: 'http', source: 'some-service' });
    expect(choose([stale, fresh]).chosen!.quote).toBe(fresh);
  });

  it('uses a price up to its heartbeat as fresh, a day more as stale, and refuses it after that', () => {
    const at = (age: number) => choose([quote(TOKEN, '1', { asOf: NOW - age, heartbeat: 86_400 })]);
    expect(at(86_400).chosen!.stale).toBe(false);
    expect(at(86_401).chosen!.stale).toBe(true);
    expect(at(172_800).chosen!.stale).toBe(true);
    expect(at(172_801)).toEqual({
      chosen: null,
      refused: [
        { code: 'stale_price', reason: expect.any(String), observed: '172801 s', threshold: '172800 s' },
      ],
    });
  });

  it('does not take a price from long after the block for the price at the block', () => {
    expect(
      choose([quote(TOKEN, '1', { asOf: NOW + 10_000_000, method: 'http', source: 's', heartbeat: null })])
        .refused[0]!.code,
    ).toBe('stale_price');
    const later = (s: number) => choose([quote(TOKEN, '1', { asOf: NOW + s, heartbeat: 86_400 })]);
    expect(later(3600).chosen).not.toBeNull();
    expect(later(3601).refused).toMatchObject([{ observed: '3601 s', threshold: '3600 s' }]);
  });

  it('never prices from a pool the transaction moved', () => {
    const spot = quote(TOKEN, '999999', { method: 'own_trade', source: POOL, pool: POOL });
    expect(choose([spot], new Set([POOL]))).toMatchObject({
      chosen: null,
      refused: [{ code: 'self_referential', observed: POOL }],
    });
    expect(choose([spot]).chosen!.quote).toBe(spot);
    const feed = quote(TOKEN, '1');
    expect(choose([spot, feed], new Set([POOL])).chosen!.quote).toBe(feed);
  });

  it('refuses when sources lie more than 5 % apart', () => {
    const at = (price: string) =>
      choose([quote(TOKEN, '1'), quote(TOKEN, price, { method: 'pool_twap', source: POOL })]);
    expect(at('1.05').chosen).not.toBeNull();
    expect(at('1.0501')).toMatchObject({
      chosen: null,
      refused: [{ code: 'price_deviation', observed: '1 to 1.0501', threshold: '500 bps' }],
    });
    expect(at('0.9')).toMatchObject({ chosen: null });
  });

  it('does not let a stale source veto a fresh one', () => {
    expect(choose([quote(TOKEN, '1'), quote(TOKEN, '2', { asOf: NOW - 50_000 })]).chosen!.stale).toBe(false);
  });

  it.each([['0'], ['-5']])('takes %s for no price', (price) => {
    expect(choose([{ ...quote(TOKEN, '1'), numerator: BigInt(price) }])).toMatchObject({
      chosen: null,
      refused: [{ code: 'no_source' }],
    });
  });

  it('refuses what the source itself doubts', () => {
    expect(choose([quote(TOKEN, '1', { method: 'http', source: 's', confidenceBps: 4999 })])).toMatchObject({
      chosen: null,
      refused: [{ code: 'low_liquidity' }],
    });
  });

  it('answers the same whatever order the quotes came in', () => {
    const some = fc
      .record({
        price: fc.integer({ min: 1, max: 5 }),
        method: fc.constantFrom('chainlink', 'pool_twap', 'http', 'own_trade'),
        source: fc.constantFrom('a', 'b', 'c'),
        age: fc.integer({ min: -10, max: 200_000 }),
        touched: fc.boolean(),
      })
      .map(({ price, method, source, age, touched }) =>
        quote(TOKEN, String(price), {
          method: method as PriceQuote['method'],
          source,
          asOf: NOW - age,
          pool: touched ? POOL : null,
        }),
      );
    fc.assert(
      fc.property(
        fc
          .array(some, { maxLength: 5 })
          .chain((list) =>
            fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
          ),
        ([list, shuffled]) => {
          expect(choose(shuffled, new Set([POOL]))).toEqual(choose(list, new Set([POOL])));
        },
      ),
    );
  });
});
