import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { erc20Id } from '../../../src/value/asset.ts';
import { ZERO_ADDRESS } from '../../../src/evm/hex.ts';
import { formatAmount } from '../../../src/value/amount.ts';
import { priceChooser, type ChooserInput } from '../../../src/stages/8-economics/priceAssets.ts';
import type { Address } from '../../../src/model/hex.ts';
import type { PriceRate, RateTerm } from '../../../src/model/upstream.ts';
import {
  account,
  ETHER,
  motif,
  quote,
  rawContext,
  rulebook,
  SIGNER,
  token,
  valueFlow,
  WRAPPED,
} from '../../support/builders.ts';

const NOW = 1_700_000_000;
const [SHARE, DOLLAR, OTHER, POOL] = ['05', '0d', '0e', 'd0'].map(account) as [
  Address,
  Address,
  Address,
  Address,
];
const TOKENS = [token(SHARE), token(DOLLAR, { decimals: 6 }), token(OTHER)];
const dollarTerm = (numerator: bigint, denominator = 10n ** 18n): RateTerm => ({
  asset: DOLLAR,
  numerator,
  denominator,
});

const rate = (over: Partial<PriceRate> = {}): PriceRate => ({
  asset: SHARE,
  method: 'wrapper',
  source: SHARE,
  terms: [dollarTerm(1_250_000n)],
  after: null,
  vouched: true,
  asOf: null,
  heartbeat: null,
  pool: null,
  market: null,
  ...over,
});
function choose(
  asset: Address | 'native',
  over: Partial<ChooserInput['context']> & {
    touched?: readonly Address[];
    motifs?: ChooserInput['motifs'];
    flow?: ChooserInput['flow'];
    tokens?: never;
  } = {},
) {
  const { touched = [], motifs = [], flow = valueFlow([]), ...context } = over;
  const input = {
    context: {
      ...rawContext({ tokens: TOKENS, prices: [quote('native', '2000'), quote(DOLLAR, '0.5')] }),
      ...context,
    },
    timestamp: NOW,
    touched: new Set(touched),
    motifs,
    flow,
    rulebook: rulebook(),
  };
  const { chosen, refused } = priceChooser(input).choiceFor(asset);
  return {
    price: chosen && formatAmount(chosen.quote.numerator, chosen.quote.scale),
    chosen,
    codes: refused.map(({ code }) => code),
    refused,
  };
}

describe('prices in terms of other assets', () => {
  it('follow from the price chosen for the base, exact where they end', () => {
    expect(choose(SHARE, { rates: [rate()] })).toMatchObject({
      price: '0.625',
      codes: [],
      chosen: { quote: { method: 'wrapper', source: SHARE, asOf: NOW - 60, heartbeat: 3600 } },
    });
    expect(
      choose(SHARE, {
        rates: [
          rate({ terms: [dollarTerm(1_250_000n), { asset: 'native', numerator: 1n, denominator: 1000n }] }),
        ],
      }).price,
    ).toBe('2.625');
    expect(
      choose(SHARE, { rates: [rate({ terms: [{ asset: WRAPPED, numerator: 3n, denominator: 2n }] })] }).price,
    ).toBe('3000');
  });

  it('keep thirty digits where they do not end', () => {
    expect(
      choose(SHARE, { rates: [rate({ terms: [{ asset: 'native', numerator: 1n, denominator: 3n }] })] })
        .price,
    ).toBe('666.666666666666666666666666667');
    expect(
      choose(SHARE, {
        rates: [rate({ terms: [{ asset: 'native', numerator: 1n, denominator: 3n * 10n ** 9n }] })],
      }).price,
    ).toBe('0.000000666666666666666666666666666667');
  });

  it('are refused with the base, for its reason, and never fall back to a quote set aside', () => {
    const apart = {
      prices: [
        quote('native', '2000'),
        quote(DOLLAR, '0.5'),
        quote(DOLLAR, '0.9', { method: 'http', source: 's' }),
      ],
    };
    expect(choose(SHARE, { ...apart, rates: [rate()] })).toMatchObject({
      price: null,
      codes: ['price_deviation'],
      refused: [{ reason: expect.stringContaining(`rests on ${DOLLAR}`) as string }],
    });
    expect(choose(SHARE, { prices: [], rates: [rate()] })).toMatchObject({
      price: null,
      codes: ['no_source'],
    });
    expect(
      choose(SHARE, {
        rates: [rate()],
        tokens: new Map([
          [SHARE, token(SHARE)],
          [DOLLAR, token(DOLLAR, { decimals: null })],
        ]) as never,
      }),
    ).toMatchObject({ price: null, codes: ['unknown_decimals'] });
    expect(
      choose(SHARE, {
        rates: [rate()],
        tokens: new Map([
          [SHARE, token(SHARE, { decimals: null })],
          [DOLLAR, token(DOLLAR)],
        ]) as never,
      }),
    ).toMatchObject({ price: null, codes: ['unknown_decimals'] });
    expect(choose(SHARE, { rates: [rate({ terms: [dollarTerm(0n)] })] })).toMatchObject({
      price: null,
      codes: ['no_source'],
    });
  });

  it('are as old as the oldest thing they rest on', () => {
    const prices = [
      quote('native', '2000', { asOf: NOW - 5000 }),
      quote(DOLLAR, '0.5', { asOf: NOW - 7000, heartbeat: 86_400 }),
    ];
    const both = rate({ terms: [dollarTerm(1n), { asset: 'native', numerator: 1n, denominator: 1n }] });
    expect(choose(SHARE, { prices, rates: [both] }).chosen).toMatchObject({ stale: true, ageSeconds: 5000 });
    expect(choose(SHARE, { prices, rates: [rate()] }).chosen).toMatchObject({
      stale: false,
      ageSeconds: 7000,
    });
    expect(choose(SHARE, { rates: [rate({ asOf: NOW - 4000, heartbeat: 3600 })] }).chosen).toMatchObject({
      stale: true,
      ageSeconds: 4000,
    });
  });

  it('do not rest on themselves, whoever is asked first', () => {
    const rates = [
      rate({ terms: [{ asset: OTHER, numerator: 1n, denominator: 1n }] }),
      rate({ asset: OTHER, terms: [{ asset: SHARE, numerator: 1n, denominator: 1n }] }),
    ];
    expect(choose(SHARE, { rates })).toMatchObject({ price: null, codes: ['self_referential'] });
    const prices = [quote(OTHER, '7')];
    expect(choose(SHARE, { rates, prices })).toMatchObject({ price: '7' });
    const context = rawContext({ tokens: TOKENS, prices, rates });
    const chooser = priceChooser({
      context,
      timestamp: NOW,
      touched: new Set(),
      motifs: [],
      flow: valueFlow([]),
      rulebook: rulebook(),
    });
    expect(
      [chooser.choiceFor(OTHER), chooser.choiceFor(SHARE), chooser.choiceFor(OTHER)].map(
        ({ chosen }) => chosen?.quote.numerator,
      ),
    ).toEqual([7n, 7n, 7n]);
    const self = rate({ terms: [{ asset: SHARE, numerator: 1n, denominator: 1n }] });
    expect(choose(SHARE, { rates: [self] })).toMatchObject({ price: null, codes: ['self_referential'] });
  });

  it('do not rest on too many others', () => {
    const chain = ['11', '12', '13', '14', '15'].map(account);
    const rates = chain.map((asset, i) =>
      rate({ asset, terms: [{ asset: chain[i + 1] ?? 'native', numerator: 1n, denominator: 1n }] }),
    );
    const tokens = new Map(chain.map((address) => [address, token(address)])) as never;
    expect(choose(chain[0]!, { rates, tokens })).toMatchObject({ price: null, codes: ['no_source'] });
    expect(choose(chain[2]!, { rates, tokens })).toMatchObject({ price: '2000' });
  });

  it('answer the same whatever order the sources answered in', () => {
    const rates = [
      rate(),
      rate({ method: 'erc4626', terms: [dollarTerm(1_260_000n)] }),
      rate({
        terms: [{ asset: 'native', numerator: 1n, denominator: 3_200n }],
        asOf: NOW - 90_000,
        heartbeat: 60,
      }),
      rate({ asset: OTHER, terms: [{ asset: SHARE, numerator: 1n, denominator: 1n }] }),
    ];
    const prices = [
      quote('native', '2000'),
      quote(DOLLAR, '0.5'),
      quote(DOLLAR, '0.51', { source: account('fa') }),
      quote(SHARE, '0.63', { method: 'http', source: 's' }),
    ];
    const expected = choose(OTHER, { rates, prices });
    expect(expected.price).toBe('0.6426');
    fc.assert(
      fc.property(
        fc.shuffledSubarray(rates, { minLength: 4 }),
        fc.shuffledSubarray(prices, { minLength: 4 }),
        (mixedRates, mixedPrices) => {
          expect(choose(OTHER, { rates: mixedRates, prices: mixedPrices })).toEqual(expected);
        },
      ),
    );
  });
});

describe('markets', () => {
  const twap = (over: Partial<PriceRate> = {}): PriceRate =>
    rate({
      asset: OTHER,
      method: 'pool_twap',
      source: POOL,
      pool: POOL,
      asOf: NOW,
      heartbeat: 1800,
      terms: [{ asset: WRAPPED, numerator: 1n, denominator: 4n }],
      market: {
        sides: [
          { asset: OTHER, amount: 400n * ETHER },
          { asset: WRAPPED, amount: 100n * ETHER },
        ],
        minSideUsd: 50_000n,
      },
      ...over,
    });

  it('price a token where enough lies on both sides', () => {
    expect(choose(OTHER, { rates: [twap()] })).toMatchObject({
      price: '500',
      chosen: { quote: { depthUsd: 200_000n } },
    });
  });

  it.each([
    [1n, 100n],
    [400n, 1n],
    [400n, 0n],
  ])('refuse with %s of the token and %s ether', (ofToken, ofBase) => {
    const market = {
      sides: [
        { asset: OTHER, amount: ofToken * ETHER },
        { asset: WRAPPED, amount: ofBase * ETHER },
      ],
      minSideUsd: 50_000n,
    };
    expect(choose(OTHER, { rates: [twap({ market })] })).toMatchObject({
      price: null,
      codes: ['low_liquidity'],
      refused: [{ threshold: '$50000.00' }],
    });
  });

  it('never price by a pool the transaction moved, and prefer the deeper of two', () => {
    expect(choose(OTHER, { rates: [twap()], touched: [POOL] })).toMatchObject({
      price: null,
      codes: ['self_referential'],
      refused: [{ observed: POOL }],
    });
    const deeper = twap({
      source: account('d9'),
      pool: account('d9'),
      terms: [{ asset: WRAPPED, numerator: 26n, denominator: 100n }],
      market: { sides: [{ asset: WRAPPED, amount: 200n * ETHER }], minSideUsd: 1n },
    });
    expect(choose(OTHER, { rates: [twap(), deeper] }).price).toBe('520');
    const apart = { ...deeper, terms: [{ asset: WRAPPED, numerator: 27n, denominator: 100n }] };
    expect(choose(OTHER, { rates: [twap(), apart] })).toMatchObject({
      price: null,
      codes: ['price_deviation'],
    });
  });
});

describe('rates that only the token itself tells', () => {
  const shareId = erc20Id(SHARE);
  const dollarId = erc20Id(DOLLAR);
  const MARKET = account('d0');
  /** Ten shares for so many dollars. */
  const deposit = (dollars: bigint, over: Partial<Parameters<typeof motif>[0]> = {}) => {
    const flow = valueFlow([
      { from: SIGNER, to: MARKET, asset: dollarId, amount: dollars },
      { from: MARKET, to: SIGNER, asset: shareId, amount: 10n * ETHER },
    ]);
    const motifs = [
      motif({
        kind: 'vault_deposit',
        venue: MARKET,
        movements: [0, 1],
        assetsIn: [{ asset: shareId, amount: 10n * ETHER, role: 'share_out' }],
        assetsOut: [{ asset: dollarId, amount: dollars, role: 'in' }],
        ...over,
      }),
    ];
    return { flow, motifs };
  };
  const own = rate({ method: 'erc4626', vouched: false, after: [dollarTerm(1_250_000n)] });

  it('count where the transaction exchanged it at that rate, within 5 %', () => {
    expect(choose(SHARE, { rates: [own], ...deposit(12_500_000n) }).price).toBe('0.625');
    expect(choose(SHARE, { rates: [own], ...deposit(13_100_000n) }).price).toBe('0.625');
    expect(choose(SHARE, { rates: [own], ...deposit(13_200_000n) })).toMatchObject({
      price: null,
      codes: ['price_deviation'],
      refused: [{ observed: '$0.66 beside $0.63', threshold: '500 bps' }],
    });
    expect(choose(SHARE, { rates: [own], ...deposit(10n) }).codes).toEqual(['price_deviation']);
  });

  it('do not count without an exchange that moved value', () => {
    expect(choose(SHARE, { rates: [own] })).toMatchObject({ price: null, codes: ['own_word'] });
    for (const over of [
      { movements: [1] },
      { claims: [{ name: 'amounts_agree', holds: false, operands: [] }] },
      { kind: 'route' },
      // Its own contract may hand back what it took.
      { venue: SHARE },
      { assetsOut: [] },
    ])
      expect(choose(SHARE, { rates: [own], ...deposit(12_500_000n, over) }).codes).toEqual(['own_word']);
    // Issued for the deposit, by whatever contract: its issuer set that rate.
    const { flow, motifs } = deposit(12_500_000n);
    const minted = valueFlow([
      flow.movements[0]!,
      { ...flow.movements[1]!, from: ZERO_ADDRESS, kind: 'mint' },
    ]);
    expect(choose(SHARE, { rates: [own], flow: minted, motifs }).codes).toEqual(['own_word']);
  });

  it('do not let one fair exchange cover for another', () => {
    const { flow, motifs } = deposit(12_500_000n);
    const gift = motif({
      index: 1,
      kind: 'vault_deposit',
      venue: MARKET,
      movements: [0, 1],
      assetsIn: [{ asset: shareId, amount: 90n * ETHER, role: 'share_out' }],
      assetsOut: [{ asset: dollarId, amount: 1n, role: 'in' }],
    });
    expect(choose(SHARE, { rates: [own], flow, motifs: [...motifs, gift] }).codes).toEqual([
      'price_deviation',
    ]);
  });

  it.each([
    ['minted beside', { from: ZERO_ADDRESS, to: account('99'), amount: 1n }],
    ['moved beside', { from: account('98'), to: account('99'), amount: 10n * ETHER }],
  ])('price no more than was exchanged: %s', (_, gift) => {
    const { flow, motifs } = deposit(12_500_000n);
    const more = valueFlow([...flow.movements, { asset: shareId, ...gift }]);
    expect(choose(SHARE, { rates: [own], flow: more, motifs })).toMatchObject({
      price: null,
      codes: ['own_word'],
      refused: [{ threshold: `${10n * ETHER} units` }],
    });
  });

  it('price nothing by what was exchanged there and back, or told twice', () => {
    const { flow, motifs } = deposit(12_500_000n);
    const back = { ...motifs[0]!, assetsIn: motifs[0]!.assetsOut, assetsOut: motifs[0]!.assetsIn };
    const more = valueFlow([
      ...flow.movements,
      { from: SIGNER, to: MARKET, asset: shareId, amount: 10n * ETHER },
      { from: MARKET, to: SIGNER, asset: dollarId, amount: 12_500_000n },
      { from: ZERO_ADDRESS, to: account('99'), asset: shareId, amount: 10n * ETHER },
    ]);
    const turned = [motifs[0]!, { ...back, movements: [2, 3] }];
    expect(choose(SHARE, { rates: [own], flow: more, motifs: turned }).codes).toEqual(['own_word']);
    const gift = valueFlow([
      ...flow.movements,
      { from: ZERO_ADDRESS, to: account('99'), asset: shareId, amount: 10n * ETHER },
    ]);
    const twice = [motifs[0]!, { ...motifs[0]!, index: 1 }];
    expect(choose(SHARE, { rates: [own], flow: gift, motifs: twice }).codes).toEqual(['own_word']);
  });

  it('do not count where the rate moved within the block', () => {
    expect(
      choose(SHARE, { rates: [{ ...own, after: [dollarTerm(1_320_000n)] }], ...deposit(12_500_000n) }),
    ).toMatchObject({ price: null, codes: ['self_referential'], refused: [{ observed: '$0.63 to $0.66' }] });
    expect(
      choose(SHARE, { rates: [{ ...own, after: [dollarTerm(1_300_000n)] }], ...deposit(12_500_000n) }).price,
    ).toBe('0.625');
  });

  it('of a pool: its halves must be worth the same by other sources', () => {
    // Per share: one dollar's worth of dollars, and a two-thousandth of an ether.
    const half = { asset: 'native' as const, numerator: 1n, denominator: 2_000n };
    const pool = (dollars: bigint, after = dollars) => ({
      ...own,
      method: 'lp_share' as const,
      terms: [dollarTerm(dollars), half],
      after: [dollarTerm(after), half],
    });
    const paid = deposit(40_000_000n);
    expect(choose(SHARE, { rates: [pool(2_000_000n)], ...paid }).price).toBe('2');
    expect(choose(SHARE, { rates: [pool(2_000_000n, 2_090_000n)], ...paid }).price).toBe('2');
    expect(choose(SHARE, { rates: [pool(2_200_000n)], ...paid })).toMatchObject({
      price: null,
      codes: ['price_deviation'],
      refused: [{ observed: '$1.10 beside $1.00' }],
    });
    expect(choose(SHARE, { rates: [pool(0n)], ...paid }).codes).toEqual(['price_deviation']);
    // Moved by less than what changes the sum, more than what leaves the halves alike.
    expect(choose(SHARE, { rates: [pool(2_000_000n, 2_110_000n)], ...paid })).toMatchObject({
      price: null,
      codes: ['self_referential'],
      refused: [{ observed: '$1.06 beside $1.00' }],
    });
  });

  it('keep spam unpriced, whatever is quoted for it', () => {
    const listed = { ...rulebook({ entities: { [SHARE]: ['spam'] } }) };
    const chooser = priceChooser({
      context: rawContext({ tokens: TOKENS, prices: [quote(SHARE, '1')] }),
      timestamp: NOW,
      touched: new Set(),
      motifs: [],
      flow: valueFlow([]),
      rulebook: listed,
    });
    expect(chooser.choiceFor(SHARE)).toMatchObject({ chosen: null, refused: [{ code: 'spam_asset' }] });
  });
});
