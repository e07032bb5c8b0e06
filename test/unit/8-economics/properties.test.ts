import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { erc20Id, NATIVE_ASSET } from '../../../src/value/asset.ts';
import { addUsd, compareUsd, subtractUsd, worth } from '../../../src/value/money.ts';
import type { Economics, Money, Usd } from '../../../src/model/economics.ts';
import { computeEconomics } from '../../../src/stages/8-economics/computeEconomics.ts';
import { liquidityAmounts, squareRoot } from '../../../src/stages/8-economics/nftPrices.ts';
import { sqrtRatioAtTick } from '../../../src/value/tickPrice.ts';
import type { Address } from '../../../src/model/hex.ts';
import type { Motif } from '../../../src/model/motif.ts';
import type { PriceRate, RawContext } from '../../../src/model/upstream.ts';
import {
  account,
  attribution,
  blockHeader,
  canonicalTx,
  motif,
  quote,
  rawContext,
  rulebook,
  SIGNER,
  token,
  valueFlow,
  verdict,
  type MovementSketch,
} from '../../support/builders.ts';

const TOKENS = ['01', '02', '03'].map(account);
const UNPRICED = account('0f');
const ACCOUNTS = [SIGNER, account('d1'), account('d2')];
const PRICES = [
  quote('native', '2500.123'),
  quote(TOKENS[0]!, '0.9995'),
  quote(TOKENS[1]!, '64000'),
  quote(TOKENS[2]!, '0.00000123'),
];
const CONTEXT = rawContext({
  prices: PRICES,
  tokens: [...TOKENS, UNPRICED].map((address, index) => token(address, { decimals: [6, 8, 18, 0][index]! })),
});

const movement = (assets: readonly string[]): fc.Arbitrary<MovementSketch> =>
  fc
    .record({
      ends: fc.shuffledSubarray(ACCOUNTS, { minLength: 2, maxLength: 2 }),
      asset: fc.constantFrom(...assets),
      amount: fc.bigInt(1n, 10n ** 30n),
    })
    .map(({ ends, asset, amount }) => ({ from: ends[0]!, to: ends[1]!, asset, amount }));
const priced = fc.array(movement([NATIVE_ASSET, ...TOKENS.map(erc20Id)]), { maxLength: 12 });

const SHARES = ['51', '52', '53'].map(account);
const CYCLE = [motif({ index: 0, kind: 'cycle', venue: account('d1') })];

function derived(
  asset: Address,
  terms: readonly (readonly [Address | 'native', bigint, bigint])[],
): PriceRate {
  return {
    asset,
    method: 'wrapper',
    source: asset,
    terms: terms.map(([base, numerator, denominator]) => ({ asset: base, numerator, denominator })),
    after: null,
    vouched: true,
    asOf: null,
    heartbeat: null,
    pool: null,
    market: null,
  };
}

function economics(
  movements: readonly MovementSketch[],
  motifs: readonly Motif[] = [],
  context: RawContext = CONTEXT,
): Economics {
  return computeEconomics({
    tx: canonicalTx({ logs: [] }),
    header: blockHeader(),
    flow: valueFlow(movements),
    context,
    attribution: attribution(),
    motifs,
    verdict:
      motifs.length > 0 ? verdict({ kind: 'AtomicArbitrage', category: 'mev', motifs: [0] }) : verdict(),
    rulebook: rulebook(),
  });
}

function sum(movements: readonly MovementSketch[], end: 'from' | 'to', { book }: Economics): Usd {
  return movements
    .filter((m) => m[end] === SIGNER)
    .map((m) => worth(m.amount, book.prices.get(m.asset!)!.unit))
    .reduce((a, b) => subtractUsd(a, { numerator: -b.numerator, scale: b.scale }), {
      numerator: 0n,
      scale: 0,
    });
}

const same = (a: Usd, b: Usd) => compareUsd(a, b) === 0;

describe('economics of any movements', () => {
  it('net is inflow less outflow less fee, exactly, when everything is priced', () => {
    fc.assert(
      fc.property(priced, (movements) => {
        const result = economics(movements);
        const before = subtractUsd(sum(movements, 'to', result), sum(movements, 'from', result));
        expect(same(result.inflow.usd!, sum(movements, 'to', result))).toBe(true);
        expect(same(result.netBeforeGas.usd!, before)).toBe(true);
        expect(same(result.netAfterGas.usd!, subtractUsd(before, result.gas.usd.usd!))).toBe(true);
        expect(result.valuation.pricedAssets).toBe(result.valuation.totalAssets);
      }),
    );
  });

  it('an asset without a price changes the availability of figures, never their value', () => {
    fc.assert(
      fc.property(
        priced,
        fc.array(movement([erc20Id(UNPRICED)]), { minLength: 1, maxLength: 3 }),
        (movements, strange) => {
          const plain = economics(movements);
          const mixed = economics([...movements, ...strange]);
          const figures = (e: Economics): Money[] => [
            e.gas.usd,
            e.inflow,
            e.netBeforeGas,
            e.netAfterGas,
            e.structuralProfit,
          ];
          figures(mixed).forEach((money, index) => {
            if (money.usd !== null) expect(same(money.usd, figures(plain)[index]!.usd!)).toBe(true);
            else expect(money.reason).toContain(erc20Id(UNPRICED));
          });
          expect(mixed.inflow.usd === null).toBe(strange.some((m) => m.to === SIGNER));
          expect(mixed.warnings).toContain('PartialValuation');
          expect(mixed.valuation.snapshotId).not.toBeNull();
        },
      ),
    );
  });

  it('the same holds for realised profit, which an asset without a price may only make unsupported', () => {
    fc.assert(
      fc.property(priced, fc.array(movement([erc20Id(UNPRICED)]), { maxLength: 3 }), (movements, strange) => {
        const run = (list: readonly MovementSketch[]): Economics => economics(list, CYCLE);
        const [plain, mixed] = [run(movements), run([...movements, ...strange])];
        const pnl = mixed.realizedPnl;
        if (pnl.supported) {
          const [entry] = pnl.entries;
          expect(same(pnl.net, subtractUsd(subtractUsd(pnl.gross, entry!.gasUsd), entry!.builderUsd))).toBe(
            true,
          );
          expect(entry!.gross).toBe(entry!.proceeds - entry!.cost);
          expect(mixed.book.prices.has(entry!.asset)).toBe(true);
          if (plain.realizedPnl.supported && plain.realizedPnl.entries[0]!.asset === entry!.asset)
            expect(same(pnl.gross, plain.realizedPnl.gross)).toBe(true);
        }
        if (mixed.structuralProfit.usd !== null && plain.structuralProfit.usd !== null)
          expect(same(mixed.structuralProfit.usd, plain.structuralProfit.usd)).toBe(true);
      }),
    );
  });

  it('net is inflow less outflow less fee where prices rest on other prices too', () => {
    const rates: PriceRate[] = [
      derived(SHARES[0]!, [[TOKENS[0]!, 3n, 7n * 10n ** 6n]]),
      derived(SHARES[1]!, [
        ['native', 1n, 3n],
        [TOKENS[1]!, 1n, 10n ** 12n],
      ]),
      derived(SHARES[2]!, [[SHARES[1]!, 11n, 10n]]),
    ];
    const context = {
      ...CONTEXT,
      rates,
      tokens: new Map([...CONTEXT.tokens, ...SHARES.map((address) => [address, token(address)] as const)]),
    };
    fc.assert(
      fc.property(
        fc.array(movement([NATIVE_ASSET, ...[...TOKENS, ...SHARES].map(erc20Id)]), { maxLength: 12 }),
        (movements) => {
          const result = economics(movements, [], context);
          const before = subtractUsd(sum(movements, 'to', result), sum(movements, 'from', result));
          expect(same(result.netAfterGas.usd!, subtractUsd(before, result.gas.usd.usd!))).toBe(true);
          expect(result.valuation.unpricedAssets).toEqual([]);
          // Every price in the list that rests on others rests on prices in the list.
          for (const price of result.valuation.prices)
            for (const base of price.restsOn) expect(result.book.prices.has(base)).toBe(true);
        },
      ),
    );
  });

  it('one set of prices at one block has one id, any change another', () => {
    fc.assert(
      fc.property(priced, fc.constantFrom(...PRICES), fc.bigInt(1n, 10n ** 9n), (movements, changed, by) => {
        const id = economics(movements).valuation.snapshotId;
        expect(economics([...movements].reverse()).valuation.snapshotId).toBe(id);
        const prices = PRICES.map((price) =>
          price === changed ? { ...price, numerator: price.numerator + by } : price,
        );
        const used =
          changed.asset === 'native' || movements.some((m) => m.asset === erc20Id(changed.asset as Address));
        expect(economics(movements, [], { ...CONTEXT, prices }).valuation.snapshotId === id).toBe(!used);
      }),
    );
  });
});

describe('economics of several owners', () => {
  it('sum up to all that moved, and the deltas of each to its net', () => {
    fc.assert(
      fc.property(priced, (movements) => {
        const [first, second, third] = ACCOUNTS as [Address, Address, Address];
        const result = computeEconomics({
          tx: canonicalTx({ logs: [] }),
          header: blockHeader(),
          flow: valueFlow(movements),
          context: CONTEXT,
          attribution: attribution({ actor: null, owners: [first, second, third] }),
          motifs: [],
          verdict: verdict(),
          rulebook: rulebook(),
        });
        const total = result.owners.reduce(
          (sumOfAll, { netBeforeGas }) => addUsd(sumOfAll, netBeforeGas.usd!),
          {
            numerator: 0n,
            scale: 0,
          },
        );
        // Every movement is between two of the owners.
        expect(same(total, { numerator: 0n, scale: 0 })).toBe(true);
        for (const { owner, netBeforeGas } of result.owners) {
          const deltas = movements
            .map((m) => {
              const sign = m.to === owner ? 1n : m.from === owner ? -1n : 0n;
              return worth(sign * m.amount, result.book.prices.get(m.asset!)!.unit);
            })
            .reduce(addUsd, { numerator: 0n, scale: 0 });
          expect(same(netBeforeGas.usd!, deltas)).toBe(true);
        }
      }),
    );
  });
});

describe('liquidity between two ticks', () => {
  const tick = fc.integer({ min: -300_000, max: 300_000 });
  it('holds at every price what its parts hold', () => {
    fc.assert(
      fc.property(
        fc.tuple(tick, tick, tick, tick).filter((ticks) => new Set(ticks).size === 4),
        fc.bigInt(1n, 10n ** 24n),
        (ticks, liquidity) => {
          const [low, middle, high] = ticks
            .slice(0, 3)
            .sort((a, b) => a - b)
            .map(sqrtRatioAtTick) as [bigint, bigint, bigint];
          const at = sqrtRatioAtTick(ticks[3])!;
          const whole = liquidityAmounts(liquidity, at, low, high);
          const [a, b] = [
            liquidityAmounts(liquidity, at, low, middle),
            liquidityAmounts(liquidity, at, middle, high),
          ];
          // Each part is rounded down to whole units.
          for (const side of ['amount0', 'amount1'] as const) {
            const lost = whole[side] - a[side] - b[side];
            expect(lost >= 0n && lost <= 1n).toBe(true);
          }
        },
      ),
    );
  });

  it('takes square roots that are right to the last digit', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 1n << 400n), (value) => {
        const root = squareRoot(value);
        expect(root * root <= value && (root + 1n) * (root + 1n) > value).toBe(true);
      }),
    );
  });
});
