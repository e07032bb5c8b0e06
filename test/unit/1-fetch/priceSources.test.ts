import {
  encodeAbiParameters,
  encodeFunctionResult,
  parseAbi,
  parseAbiParameters,
  toFunctionSelector,
} from 'viem';
import { describe, expect, it } from 'vitest';
import { averagePrices } from '../../../src/stages/1-fetch/prices/averagePrices.ts';
import { planPricing, type PricingVocabulary } from '../../../src/stages/1-fetch/prices/planPricing.ts';
import {
  contractSources,
  type PriceSourceName,
  type PriceSource,
} from '../../../src/stages/1-fetch/prices/priceSources.ts';
import { ratePrices } from '../../../src/stages/1-fetch/prices/ratePrices.ts';
import { registryPrices } from '../../../src/stages/1-fetch/prices/feedPrices.ts';
import { tokensInLogs } from '../../../src/stages/1-fetch/context/tokensInLogs.ts';
import { groupReads } from '../../../src/stages/1-fetch/context/viewReads.ts';
import type { ViewCall } from '../../../src/stages/1-fetch/context/multicall.ts';
import type { Address, Hash, Hex } from '../../../src/model/hex.ts';
import type { AverageSpec, RateSpec } from '../../../src/model/pricing.ts';
import { account, token } from '../../support/builders.ts';

const TIMESTAMP = 1_700_000_000;
const [SHARE, BASE, OTHER, FEED, REGISTRY, WETH] = ['05', '0b', '0e', 'fe', '4e', 'ee'].map(account) as [
  Address,
  Address,
  Address,
  Address,
  Address,
  Address,
];
const word = (value: bigint | Address): string => BigInt(value).toString(16).padStart(64, '0');
const words = (...values: (bigint | Address)[]): Hex => `0x${values.map(word).join('')}`;
const selector = (text: string): Hex => toFunctionSelector(`function ${text}`);
const situation = {
  timestamp: TIMESTAMP,
  tokens: new Map([SHARE, BASE, OTHER].map((address) => [address, token(address)])),
  quotes: [],
};
const call = (text: string, position = 0) => ({ data: selector(text), word: position });

/** Reads a source with the answers a table gives, by contract, selector and state. */
function read(source: PriceSource, table: Readonly<Record<string, Hex>>) {
  return source.read(
    source.calls.map(
      ({ to, data, before }) => table[`${to} ${data.slice(0, 10)}${before ? ' before' : ''}`] ?? null,
    ),
    situation,
  );
}
const key = (to: Address, text: string, before = false): string =>
  `${to} ${selector(text)}${before ? ' before' : ''}`;

const VAULT: RateSpec = {
  method: 'erc4626',
  tokens: null,
  terms: [{ asset: call('asset()'), amount: call('rate()') }],
  per: 1_000n,
  answers: [],
  refuse: null,
};
const PAIR: RateSpec = {
  method: 'lp_share',
  tokens: null,
  terms: [
    { asset: call('token0()'), amount: call('getReserves()') },
    { asset: call('token1()'), amount: call('getReserves()', 1) },
  ],
  per: call('totalSupply()'),
  answers: [],
  refuse: null,
};
const LISTED: RateSpec = {
  method: 'wrapper',
  tokens: new Set([SHARE]),
  terms: [{ asset: BASE, amount: call('rate()') }],
  per: 10n,
  answers: [],
  refuse: null,
};
const DEPOSIT: RateSpec = {
  method: 'wrapper',
  tokens: null,
  terms: [{ asset: call('asset()'), amount: 1n }],
  per: 1n,
  answers: [selector('treasury()')],
  refuse: null,
};

describe('ratePrices', () => {
  it('reads an unlisted token before the block and at it', () => {
    const source = ratePrices([{ spec: VAULT, token: SHARE }]);
    expect(source.calls.map(({ before, apart }) => [before, apart])).toEqual([
      [false, SHARE],
      [false, SHARE],
      [true, SHARE],
    ]);
    const { rates } = read(source, {
      [key(SHARE, 'asset()')]: words(BASE),
      [key(SHARE, 'rate()')]: words(1_200n),
      [key(SHARE, 'rate()', true)]: words(1_100n),
    });
    expect(rates).toEqual([
      {
        asset: SHARE,
        method: 'erc4626',
        source: SHARE,
        vouched: false,
        asOf: null,
        heartbeat: null,
        pool: null,
        market: null,
        terms: [{ asset: BASE, numerator: 1_100n, denominator: 1_000n }],
        after: [{ asset: BASE, numerator: 1_200n, denominator: 1_000n }],
      },
    ]);
  });

  it('takes a listed token at the block, beside its rate before it', () => {
    const source = ratePrices([{ spec: LISTED, token: SHARE }]);
    expect(source.calls.map(({ before }) => before)).toEqual([false, true]);
    const at = { asset: BASE, numerator: 12n, denominator: 10n };
    expect(read(source, { [key(SHARE, 'rate()')]: words(12n) }).rates).toMatchObject([
      { vouched: true, after: null, before: null, terms: [at] },
    ]);
    expect(
      read(source, { [key(SHARE, 'rate()')]: words(12n), [key(SHARE, 'rate()', true)]: words(11n) }).rates,
    ).toMatchObject([{ terms: [at], before: [{ asset: BASE, numerator: 11n, denominator: 10n }] }]);
    expect(read(source, {})).toMatchObject({ rates: [], refusals: [{ asset: SHARE, code: 'no_source' }] });
  });

  it('asks a token once what several families want to know, and keeps those it answers as', () => {
    const source = ratePrices([
      { spec: VAULT, token: SHARE },
      { spec: PAIR, token: SHARE },
      { spec: DEPOSIT, token: SHARE },
    ]);
    const asked = source.calls.map(({ data, before }) => `${data}${before}`);
    expect(new Set(asked).size).toBe(asked.length);
    const reserves = words(5n, 7n, 1n);
    const table = {
      [key(SHARE, 'token0()')]: words(BASE),
      [key(SHARE, 'token1()')]: words(OTHER),
      [key(SHARE, 'getReserves()')]: reserves,
      [key(SHARE, 'totalSupply()')]: words(3n),
      [key(SHARE, 'getReserves()', true)]: reserves,
      [key(SHARE, 'totalSupply()', true)]: words(2n),
    };
    expect(read(source, table)).toMatchObject({
      rates: [
        {
          method: 'lp_share',
          terms: [
            { asset: BASE, numerator: 5n, denominator: 2n },
            { asset: OTHER, numerator: 7n, denominator: 2n },
          ],
        },
      ],
      refusals: [],
    });
    // A debt token tells its asset and has no treasury: none of the family.
    expect(read(source, { [key(SHARE, 'asset()')]: words(BASE) })).toEqual({
      quotes: [],
      rates: [],
      refusals: [],
    });
    expect(
      read(source, { [key(SHARE, 'asset()')]: words(BASE), [key(SHARE, 'treasury()')]: words(OTHER) }).rates,
    ).toMatchObject([{ method: 'wrapper', terms: [{ asset: BASE, numerator: 1n, denominator: 1n }] }]);
  });

  it('refuses a family that looks like an asset and is none', () => {
    const source = ratePrices([
      { spec: DEPOSIT, token: SHARE },
      { spec: { ...DEPOSIT, answers: [selector('revision()')], refuse: 'a debt' }, token: SHARE },
    ]);
    expect(
      read(source, { [key(SHARE, 'asset()')]: words(BASE), [key(SHARE, 'revision()')]: words(1n) }),
    ).toMatchObject({ rates: [], refusals: [{ code: 'nonstandard_supply', reason: 'wrapper: a debt' }] });
  });

  it('refuses a share of nothing, and one that did not exist before', () => {
    const source = ratePrices([{ spec: PAIR, token: SHARE }]);
    const at = {
      [key(SHARE, 'token0()')]: words(BASE),
      [key(SHARE, 'token1()')]: words(OTHER),
      [key(SHARE, 'getReserves()')]: words(5n, 7n),
      [key(SHARE, 'totalSupply()')]: words(3n),
    };
    expect(read(source, at)).toMatchObject({ rates: [], refusals: [{ code: 'no_source' }] });
    expect(
      read(source, {
        ...at,
        [key(SHARE, 'getReserves()', true)]: words(0n, 0n),
        [key(SHARE, 'totalSupply()', true)]: words(0n),
      }),
    ).toMatchObject({ rates: [], refusals: [{ code: 'nonstandard_supply' }] });
  });

  it.each<[string, Hex]>([
    ['short answers', '0x01'],
    ['an address that is none', words(2n ** 200n)],
  ])('takes %s for no answer', (_, answer) => {
    expect(
      read(ratePrices([{ spec: VAULT, token: SHARE }]), {
        [key(SHARE, 'asset()')]: answer,
        [key(SHARE, 'rate()')]: words(1n),
      }).rates,
    ).toEqual([]);
  });
});

describe('registryPrices', () => {
  const spec = {
    address: REGISTRY,
    heartbeat: 86_400,
    quotes: [
      { denomination: account('48'), in: 'usd' as const },
      { denomination: account('ef'), in: 'native' as const },
    ],
  };
  const round = (answer: bigint, at = TIMESTAMP - 5): Hex => words(1n, answer, BigInt(at), BigInt(at), 1n);

  it('gives a quote in dollars and a rate in ether', () => {
    const source = registryPrices({ spec, tokens: [BASE] });
    expect(source.calls).toHaveLength(4);
    const { quotes, rates } = source.read([round(123n), words(2n), round(5n), words(18n)], situation);
    expect(quotes).toMatchObject([
      { asset: BASE, numerator: 123n, scale: 2, method: 'chainlink', source: REGISTRY, heartbeat: 86_400 },
    ]);
    expect(rates).toMatchObject([
      {
        asset: BASE,
        terms: [{ asset: 'native', numerator: 5n * 10n ** 18n, denominator: 10n ** 36n }],
        vouched: true,
        asOf: TIMESTAMP - 5,
      },
    ]);
  });

  it('gives nothing where there is no feed, and tells what is wrong with one', () => {
    const source = registryPrices({ spec, tokens: [BASE] });
    expect(source.read([null, null, null, words(18n)], situation)).toEqual({
      quotes: [],
      rates: [],
      refusals: [],
    });
    expect(source.read([round(1n, TIMESTAMP + 9), words(8n), null, null], situation)).toMatchObject({
      quotes: [],
      refusals: [{ code: 'no_source' }],
    });
    expect(registryPrices(null)).toMatchObject({ calls: [] });
  });
});

describe('averagePrices', () => {
  const spec: AverageSpec = {
    create2: { deployer: account('fa'), initCodeHash: `0x${'ab'.repeat(32)}` as Hash, fees: [500, 3000] },
    window: 1800,
    bases: [WETH, BASE],
    minSideUsd: 1n,
  };
  const observe = (ticks: readonly [bigint, bigint], seconds: readonly [bigint, bigint]): Hex =>
    encodeFunctionResult({
      abi: parseAbi(['function observe(uint32[]) view returns (int56[], uint160[])']),
      result: [ticks, seconds],
    } as never);
  const source = averagePrices([SHARE], [spec]);
  /** In Q128 seconds per liquidity: 1800 seconds at a liquidity of 10^18. */
  const STEADY = (1800n << 128n) / 10n ** 18n;
  const answersOf = (observed: Hex | null): (Hex | null)[] =>
    source.calls.map((_, i) => (i === 0 ? observed : i < 3 ? words(10n ** 30n) : null));

  it('asks every pool of a token and a base for its average and its balances', () => {
    expect(source.calls).toHaveLength(2 * 2 * 3);
    expect(new Set(source.calls.filter((_, i) => i % 3 === 0).map(({ to }) => to)).size).toBe(4);
    expect(averagePrices([BASE], [spec]).calls).toHaveLength(2 * 3);
  });

  it('says which tokens are too many to be asked about', () => {
    const many = Array.from({ length: 22 }, (_, i) => account((i + 16).toString(16)));
    const { calls, read } = averagePrices(many, [spec]);
    expect(calls).toHaveLength(20 * 2 * 2 * 3);
    expect(
      read(
        calls.map(() => null),
        situation,
      )
        .refusals.filter(({ threshold }) => threshold === '20')
        .map(({ asset }) => asset),
    ).toEqual(many.slice(20));
  });

  it('averages the tick, towards minus infinity, and the liquidity', () => {
    const [rate] = source.read(
      answersOf(observe([1_000n, 1_000n - 1_800n * 3n + 1n], [5n, 5n + STEADY])),
      situation,
    ).rates!;
    // −5399/1800 is −3 rounded down; SHARE is the lower address, so the price is token1 per token0.
    const price = Number((rate!.terms[0]!.numerator * 10n ** 12n) / rate!.terms[0]!.denominator) / 1e12;
    expect(price).toBeCloseTo(1.0001 ** -3, 10);
    expect(rate).toMatchObject({
      asset: SHARE,
      method: 'pool_twap',
      asOf: TIMESTAMP,
      heartbeat: 1800,
      terms: [{ asset: WETH }],
    });
    for (const { amount } of rate!.market!.sides) expect(Number(amount) / 1e18).toBeCloseTo(1, 3);
  });

  it.each<[string, Hex | null]>([
    ['no pool', null],
    ['half an answer', words(64n)],
    ['an offset out of bounds', words(2n ** 255n, 0n, 0n)],
    ['three observations', words(64n, 64n, 3n, 0n, 0n, 0n)],
    ['a tick no pool has', observe([0n, 1_800n * 900_000n], [0n, STEADY])],
    ['no time passed', observe([0n, 1n], [7n, 7n])],
  ])('has no price from %s', (_, observed) => {
    expect(source.read(answersOf(observed), situation)).toMatchObject({
      rates: [],
      refusals: [{ asset: SHARE, code: 'no_source' }],
    });
  });

  it('survives the wrap of both counters', () => {
    const wrapped = encodeAbiParameters(parseAbiParameters('int56[], uint160[]'), [
      [-5n, 1_800n - 5n],
      [2n ** 160n - 10n, STEADY - 10n],
    ]);
    expect(source.read(answersOf(wrapped), situation).rates).toHaveLength(1);
  });
});

describe('planPricing', () => {
  const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
  const log = (address: Address, from: Address, to: Address, more: string[] = []) => ({
    address,
    topics: [TRANSFER, `0x${word(from)}`, `0x${word(to)}`, ...more] as Hash[],
    data: '0x' as const,
  });
  const ZERO = account('00');
  const vocabulary: PricingVocabulary = {
    feeds: [
      { asset: 'native', feed: FEED, decimals: 8, heartbeat: 1 },
      { asset: BASE, feed: FEED, decimals: 8, heartbeat: 1 },
      { asset: OTHER, feed: FEED, decimals: 8, heartbeat: 1 },
    ],
    wrappedNative: new Set([WETH]),
    pricing: {
      registry: { address: REGISTRY, heartbeat: 1, quotes: [] },
      rates: [VAULT, LISTED],
      averages: [],
      apis: [],
    },
  };

  const found = (receipt: { logs: Parameters<typeof tokensInLogs>[0] }) =>
    tokensInLogs(receipt.logs, { ...vocabulary, tokenEvents: new Map() });

  it('asks for what a listed token rests on, though it did not move', () => {
    const plan = planPricing(found({ logs: [log(SHARE, FEED, WETH)] }), [SHARE], vocabulary, true);
    expect(plan.rates).toEqual([{ spec: LISTED, token: SHARE }]);
    expect(plan.bases).toEqual([BASE]);
    expect(plan.feeds.map(({ asset }) => asset)).toEqual(['native', BASE]);
    expect(plan.registry!.tokens).toEqual([SHARE]);
  });

  it('asks a minted or burnt token whether it is a share, unless its price is known otherwise', () => {
    const minted = account('77');
    const logs = [
      log(minted, ZERO, FEED),
      log(OTHER, FEED, ZERO),
      log(WETH, ZERO, FEED),
      log(account('78'), ZERO, FEED, [`0x${word(1n)}`]),
      log(account('79'), FEED, WETH),
    ];
    const tokens = [minted, OTHER, WETH, account('78'), account('79')];
    const plan = planPricing(found({ logs }), tokens, vocabulary, true);
    expect(plan.rates).toEqual([{ spec: VAULT, token: minted }]);
    expect(plan.registry!.tokens).toEqual([minted, account('79')]);
    expect(plan.fungible).toEqual([minted, OTHER, account('79')]);
    expect(planPricing(found({ logs }), tokens, vocabulary, false).registry).toBeNull();
  });

  it('keeps the batch small whatever the transaction minted', () => {
    const many = Array.from(
      { length: 40 },
      (_, i) => `0x${(i + 4096).toString(16).padStart(40, '0')}` as Address,
    );
    const logs = many.map((address) => log(address, ZERO, FEED));
    expect(planPricing(found({ logs }), many, vocabulary, true).rates).toHaveLength(12);
    expect(planPricing(found({ logs }), many, vocabulary, false).rates).toHaveLength(2);
  });

  it('composes the sources that are asked for', () => {
    const plan = planPricing(
      found({ logs: [log(SHARE, FEED, WETH), log(account('77'), ZERO, FEED)] }),
      [SHARE, account('77')],
      vocabulary,
      true,
    );
    const calls = (...names: PriceSourceName[]) =>
      contractSources(plan, new Set(names)).flatMap((source) => source.calls).length;
    expect([
      calls(),
      calls('chainlink'),
      calls('vault'),
      calls('wrapper'),
      calls('vault', 'wrapper'),
      calls('http', 'twap'),
    ]).toEqual([0, 2, 3, 2, 5, 0]);
  });
});

describe('groupReads', () => {
  const reads: ViewCall[] = [
    { to: BASE, data: '0x01' },
    { to: SHARE, data: '0x02', apart: SHARE },
    { to: SHARE, data: '0x03', apart: SHARE, before: true },
    { to: OTHER, data: '0x04' },
    { to: OTHER, data: '0x05', apart: OTHER },
  ];

  it('sets apart what could spoil the rest, and what is read in another state', () => {
    const groups = groupReads(reads, { blockNumber: 5n, multicall: REGISTRY });
    expect(groups.map(({ positions, before, dispensable }) => [positions, before, dispensable])).toEqual([
      [[0, 3], false, false],
      [[1], false, true],
      [[2], true, true],
      [[4], false, true],
    ]);
  });

  it('reads singly where nothing aggregates', () => {
    expect(groupReads(reads, { blockNumber: 5n, multicall: null }).map(({ positions }) => positions)).toEqual(
      [[0], [1], [2], [3], [4]],
    );
  });
});
