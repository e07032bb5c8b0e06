import { describe, expect, it } from 'vitest';
import { erc20Id, NATIVE_ASSET, nftId } from '../../../src/value/asset.ts';
import { displayMoney, usdText } from '../../../src/value/money.ts';
import { computeEconomics, type EconomicsInput } from '../../../src/stages/8-economics/computeEconomics.ts';
import {
  account,
  attribution,
  blockHeader,
  canonicalTx,
  ETHER,
  motif,
  quote,
  rawContext,
  rulebook,
  SIGNER,
  token,
  valueFlow,
  verdict,
  WRAPPED,
  wrappedId,
} from '../../support/builders.ts';

const POOL = account('d0');
const DOLLAR = account('0d');
const OTHER = account('0e');
const dollarId = erc20Id(DOLLAR);
const otherId = erc20Id(OTHER);
const TOKENS = [
  token(DOLLAR, { symbol: 'USDC', decimals: 6 }),
  token(OTHER, { symbol: 'OTH', decimals: 2 }),
  token(WRAPPED, { symbol: 'WETH' }),
];
const PRICES = [quote('native', '2500'), quote(DOLLAR, '0.9995')];

function economics(over: Partial<EconomicsInput> = {}) {
  return computeEconomics({
    tx: canonicalTx(),
    header: blockHeader(),
    flow: valueFlow([]),
    context: rawContext({ tokens: TOKENS, prices: PRICES }),
    attribution: attribution(),
    motifs: [],
    verdict: verdict(),
    rulebook: rulebook(),
    ...over,
  });
}
const swap = valueFlow([
  { from: SIGNER, to: POOL, amount: ETHER },
  { from: POOL, to: SIGNER, asset: dollarId, amount: 2_500_000_000n },
  { from: POOL, to: SIGNER, amount: ETHER / 10n },
]);
const withUnpriced = valueFlow([
  { from: SIGNER, to: POOL, amount: ETHER },
  { from: POOL, to: SIGNER, asset: otherId, amount: 150n },
]);

describe('gas', () => {
  it('adds blob gas, and splits the price into base fee and tip', () => {
    const { gas } = economics({ tx: canonicalTx({ blobGasUsed: 131_072n, blobGasPrice: 1_000_000_000n }) });
    expect(gas).toMatchObject({
      baseFee: 20_000_000_000n,
      priorityFee: 10_000_000_000n,
      cost: 3_000_000_000_000_000n + 131_072_000_000_000n,
    });
    expect(displayMoney(gas.usd)).toEqual({ text: '$7.83', available: true });
  });

  it('is unavailable, with what rests on it, when the native asset has no price', () => {
    const result = economics({ context: rawContext({ tokens: TOKENS }) });
    expect(displayMoney(result.gas.usd)).toEqual({
      text: '\u2014',
      available: false,
      reason: `unpriced_asset: ${NATIVE_ASSET} (no_source)`,
    });
    expect(result.netAfterGas.usd).toBeNull();
    expect(result.netBeforeGas.usd).not.toBeNull();
    expect(result.valuation).toMatchObject({
      snapshotId: null,
      pricedAssets: 0,
      totalAssets: 0,
      unpricedAssets: [],
    });
    expect(result.warnings).toEqual(['PartialValuation']);
  });
});

describe('flows of the subject', () => {
  it('counts inflow gross, lists net, and takes the fee off once', () => {
    const result = economics({ flow: swap });
    expect(
      [result.inflow, result.netBeforeGas, result.netAfterGas].map((money) => usdText(money.usd!)),
    ).toEqual(['$2748.75', '$248.75', '$241.25']);
    expect([result.tokenIn, result.tokenOut]).toEqual(['2500 USDC', '0.9 ETH']);
  });

  it('describes the actor and says so where the signer is another', () => {
    const result = economics({ flow: swap, attribution: attribution({ actor: POOL }) });
    expect(result.subject).toBe(POOL);
    expect([result.tokenIn, result.tokenOut]).toEqual(['0.9 ETH', '2500 USDC']);
    expect(result.warnings).toEqual(['IntentActorDiffersFromSigner', 'FeeNotPaidBySubject']);
  });

  it('orders by value, then by id, with what has no price last', () => {
    const NFT = account('01');
    const result = economics({
      flow: valueFlow([
        { from: POOL, to: SIGNER, asset: otherId, amount: 12345n },
        { from: POOL, to: SIGNER, asset: nftId('erc721', NFT, 9n), amount: 1n },
        { from: POOL, to: SIGNER, amount: ETHER },
        { from: POOL, to: SIGNER, asset: dollarId, amount: 9_000_000_000n },
      ]),
    });
    expect(result.tokenIn).toBe('9000 USDC, 1 ETH, 123.45 OTH, 1 0x0101…0101#9');
  });

  it('states the price of a trade by its side in ether, without pricing the other one', () => {
    const trade = verdict({ category: 'trade' });
    const tip = { from: SIGNER, to: blockHeader().coinbase, amount: ETHER / 4n };
    const bought = valueFlow([
      { from: SIGNER, to: POOL, amount: ETHER },
      { from: POOL, to: SIGNER, asset: otherId, amount: 150n },
      tip,
    ]);
    const result = economics({ flow: bought, verdict: trade });
    expect(displayMoney(result.consideration!)).toEqual({ text: '$2500.00', available: true });
    expect(result.netBeforeGas.usd).toBeNull();
    expect(result.book.prices.has(otherId)).toBe(false);
    // Neither a payment nor a swap between two other tokens has one.
    expect(economics({ flow: bought }).consideration).toBeNull();
    expect(economics({ flow: valueFlow([tip]), verdict: trade }).consideration).toBeNull();
  });

  it('never understates: one asset without a price makes the sums it is part of unavailable', () => {
    const result = economics({ flow: withUnpriced });
    expect(result.inflow.reason).toBe(`unpriced_asset: ${otherId} (no_source)`);
    expect([result.netBeforeGas.usd, result.netAfterGas.usd]).toEqual([null, null]);
    expect(result.gas.usd.usd).not.toBeNull();
    expect(result.valuation).toMatchObject({ pricedAssets: 1, totalAssets: 2, unpricedAssets: [otherId] });
    expect(result.warnings).toEqual(['PartialValuation']);
  });
});

describe('valuation', () => {
  it('prices wrapped native as native', () => {
    const { book } = economics({
      flow: valueFlow([{ from: SIGNER, to: POOL, asset: wrappedId, amount: 1n }]),
    });
    expect(book.prices.get(wrappedId)!.unit.usd).toEqual(book.prices.get(NATIVE_ASSET)!.unit.usd);
  });

  it('refuses to price without decimals, by a pool that moved, or what is listed as spam', () => {
    const SPAM = account('66');
    const { book } = economics({
      flow: valueFlow([
        { from: SIGNER, to: POOL, asset: otherId, amount: 1n },
        { from: SIGNER, to: POOL, asset: dollarId, amount: 1n },
        { from: SIGNER, to: POOL, asset: erc20Id(SPAM), amount: 1n },
      ]),
      context: rawContext({
        tokens: [token(OTHER, { decimals: null }), token(DOLLAR)],
        prices: [
          quote(OTHER, '1'),
          quote(DOLLAR, '1', { pool: POOL, method: 'own_trade' }),
          quote(SPAM, '1'),
        ],
      }),
      rulebook: rulebook({ entities: { [SPAM]: ['spam'] } }),
    });
    expect([otherId, dollarId, erc20Id(SPAM), NATIVE_ASSET].map((id) => book.refusals.get(id)!.code)).toEqual(
      ['unknown_decimals', 'self_referential', 'spam_asset', 'no_source'],
    );
  });

  it('hands on why a source declined, and warns where another source priced the asset after all', () => {
    const refusals = [
      {
        asset: DOLLAR,
        code: 'low_liquidity',
        reason: 'thin pool',
        observed: '69',
        threshold: '10000',
      } as const,
    ];
    const flow = valueFlow([{ from: SIGNER, to: POOL, asset: dollarId, amount: 1n }]);
    expect(
      economics({ flow, context: rawContext({ tokens: TOKENS, refusals }) }).book.refusals.get(dollarId),
    ).toMatchObject({ code: 'low_liquidity', observed: '69' });
    const priced = economics({
      flow,
      context: rawContext({ tokens: TOKENS, prices: PRICES, refusals }),
    }).valuation;
    expect(priced.priceWarning).toBe('for 1 priced asset another source was set aside');
    expect(priced.refusals).toEqual([]);
  });

  it('warns of stale prices', () => {
    const result = economics({
      context: rawContext({ prices: [quote('native', '2500', { asOf: 1_700_000_000 - 3601 })] }),
    });
    expect(result.warnings).toEqual(['StalePrice']);
    expect(result.valuation.priceWarning).toBe('1 price outside the freshness threshold');
  });

  it('identifies a snapshot by its prices and block alone', () => {
    const id = (over: Partial<EconomicsInput> = {}) =>
      economics({ flow: swap, ...over }).valuation.snapshotId;
    expect(id()).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(
      id({
        context: rawContext({ tokens: TOKENS, prices: [...PRICES].reverse() }),
        verdict: verdict({ kind: 'Unknown' }),
      }),
    ).toBe(id());
    expect(
      id({ context: rawContext({ tokens: TOKENS, prices: [quote('native', '2500.01'), PRICES[1]!] }) }),
    ).not.toBe(id());
    expect(id({ tx: canonicalTx({ blockNumber: 1n }) })).not.toBe(id());
    expect(
      id({ context: rawContext({ tokens: TOKENS, prices: [quote('native', '2500.00'), PRICES[1]!] }) }),
    ).toBe(id());
  });

  it('prices what a motif states although it never moved, without counting it among the assets that did', () => {
    const result = economics({
      flow: swap,
      motifs: [motif({ venue: POOL, assetsIn: [{ asset: otherId, amount: 1n, role: 'out' }] })],
    });
    expect(result.book.refusals.has(otherId)).toBe(true);
    expect(result.valuation).toMatchObject({ totalAssets: 2, unpricedAssets: [] });
    expect(result.warnings).toEqual([]);
  });

  describe('where the two sides of a proven swap are worth very different sums', () => {
    // An ether of $2,500 for 100 OTH.
    const flow = valueFlow([
      { from: SIGNER, to: POOL, amount: ETHER },
      { from: POOL, to: SIGNER, asset: otherId, amount: 10_000n },
    ]);
    const exchange = motif({
      venue: POOL,
      assetsIn: [{ asset: otherId, amount: 10_000n, role: 'out' }],
      assetsOut: [{ asset: NATIVE_ASSET, amount: ETHER, role: 'in' }],
    });
    const traded = (method: 'http' | 'chainlink', price: string, over: Partial<EconomicsInput> = {}) => {
      const other = quote(OTHER, price, { method, source: 'a source' });
      const context = rawContext({ tokens: TOKENS, prices: [...PRICES, other] });
      return economics({
        flow,
        context,
        motifs: [exchange],
        verdict: verdict({ category: 'trade' }),
        ...over,
      });
    };

    it('refuses the price of an API that an on-chain price contradicts', () => {
      const { book, netBeforeGas, warnings } = traded('http', '0.75');
      expect(book.refusals.get(otherId)).toMatchObject({
        code: 'price_deviation',
        observed: '$75 for $2500',
      });
      expect(netBeforeGas.usd).toBeNull();
      expect(warnings).toEqual(['PartialValuation']);
      // Half of the other side, and a swap that is not proven, contradict nothing.
      expect(traded('http', '12.5').book.prices.has(otherId)).toBe(true);
      const suspected = traded('http', '0.75', { motifs: [{ ...exchange, status: 'Suspected' }] });
      expect([suspected.book.prices.has(otherId), suspected.warnings]).toEqual([true, ['PriceDeviation']]);
    });

    it('keeps a true loss of 70 % and warns where the sources are of equal strength', () => {
      const { netBeforeGas, warnings } = traded('chainlink', '7.5');
      expect(displayMoney(netBeforeGas)).toEqual({ text: '$-1750.00', available: true });
      expect(warnings).toEqual(['PriceDeviation']);
      expect(traded('chainlink', '24').warnings).toEqual([]);
      // $1,600 for $2,500: more than half of the smaller side.
      expect(traded('chainlink', '16').warnings).toEqual(['PriceDeviation']);
    });
  });

  it('needs a price of what was received and sent again', () => {
    const { netBeforeGas } = economics({
      flow: valueFlow([
        { from: SIGNER, to: POOL, asset: otherId, amount: 5n },
        { from: POOL, to: SIGNER, asset: otherId, amount: 5n },
        { from: POOL, to: SIGNER, amount: ETHER },
      ]),
    });
    expect(netBeforeGas.reason).toBe(`unpriced_asset: ${otherId} (no_source)`);
  });

  it('states the price of a wrap', () => {
    const { consideration } = economics({
      flow: valueFlow([
        { from: SIGNER, to: WRAPPED, amount: ETHER },
        { from: WRAPPED, to: SIGNER, asset: wrappedId, amount: ETHER },
      ]),
      verdict: verdict({ category: 'trade' }),
    });
    expect(displayMoney(consideration!)).toEqual({ text: '$2500.00', available: true });
  });
});
