import { loadRules } from '../../../src/service/loadRules.ts';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createPriceApi,
  exactDecimal,
  oncePerAsset,
  readPriceApis,
} from '../../../src/stages/1-fetch/prices/priceApi.ts';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PriceAnswers } from '../../../src/stages/1-fetch/prices/priceSources.ts';
import type { Address } from '../../../src/model/hex.ts';

const specs = loadRules().pricing.apis;
const TOKEN: Address = `0x${'70'.repeat(20)}`;
let server: Server | undefined;
afterEach(() => void server?.close().closeAllConnections());

async function ask(
  assets: readonly (Address | 'native')[],
  listener: RequestListener,
  timeoutMs = 500,
  setting = (url: string) => url,
): Promise<PriceAnswers & { paths: string[] }> {
  const paths: string[] = [];
  server = createServer((request, response) => {
    paths.push(decodeURIComponent(request.url!));
    listener(request, response);
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/KEY/`;
  const api = createPriceApi({ setting: setting(url), timeoutMs, fetch });
  return {
    ...(await api.prices(
      { assets, timestamp: 1_700_000_000, specs },
      { signal: new AbortController().signal, timeLeft: () => 5_000, onCall: () => {} },
    )),
    paths,
  };
}

const COIN = `ethereum:${TOKEN}`;
const answering =
  (body: unknown): RequestListener =>
  (_, response) =>
    void response.end(JSON.stringify(body));

describe('price API', () => {
  it('reads exact prices at the timestamp', async () => {
    const coins = {
      [`ethereum:${TOKEN.toUpperCase().replace('0X', '0x')}`]: {
        price: 0.99871,
        timestamp: 1_699_999_990,
        confidence: 0.99,
        symbol: 'X',
      },
      'coingecko:ethereum': { price: 2001.5, timestamp: 1_699_999_000 },
    };
    const { quotes, refusals, paths } = await ask(
      ['native', TOKEN],
      (_, response) => void response.end(JSON.stringify({ coins })),
    );
    expect(paths).toEqual([`/KEY/prices/historical/1700000000/coingecko:ethereum,ethereum:${TOKEN}`]);
    expect(refusals).toEqual([]);
    expect(quotes).toEqual([
      {
        asset: 'native',
        numerator: 20015n,
        scale: 1,
        method: 'http',
        source: 'price-api',
        asOf: 1_699_999_000,
        heartbeat: 14_400,
        pool: null,
        confidenceBps: null,
        order: 0,
      },
      {
        asset: TOKEN,
        numerator: 99871n,
        scale: 5,
        method: 'http',
        source: 'price-api',
        asOf: 1_699_999_990,
        heartbeat: 14_400,
        pool: null,
        confidenceBps: 9900,
        order: 0,
      },
    ]);
  });

  it.each<[string, RequestListener, string?]>([
    ['fails', (_, response) => void response.writeHead(500).end(), 'source_unavailable'],
    ['hangs', () => {}, 'source_unavailable'],
    ['answers nonsense', (_, response) => void response.end('<html>'), 'source_unavailable'],
    ['answers another shape', (_, response) => void response.end('{"coins":[1]}'), 'source_malformed'],
    [
      'answers with texts',
      answering({ coins: { [COIN]: { price: '1.5', timestamp: 5 } } }),
      'source_malformed',
    ],
    ['does not know the coin', answering({ coins: {} })],
    [
      'floods',
      (_, response) => void response.end(`{"coins":{"x":"${'y'.repeat(2_000_000)}"}}`),
      'source_unavailable',
    ],
    ['has senseless prices', answering({ coins: { [COIN]: { price: -1, timestamp: 5 } } })],
  ])('leaves assets unpriced when it %s', async (_, listener, code = 'no_source') => {
    const { quotes, refusals } = await ask([TOKEN], listener, 200);
    expect(quotes).toEqual([]);
    expect(refusals).toMatchObject([{ asset: TOKEN, code }]);
  });

  it('asks a named source in its own way: a request per token, prices in a list, times in milliseconds', async () => {
    const { quotes, paths } = await ask(
      ['native', TOKEN],
      (_, response) => void response.end('{"prices":[[1700000123456,1.25],[1700003600000,2]]}'),
      500,
      (url) => `coingecko=${url}`,
    );
    const query = 'vs_currency=usd&from=1700000000&to=1700007200';
    expect(paths.sort()).toEqual([
      `/KEY/coins/ethereum/contract/${TOKEN}/market_chart/range?${query}`,
      `/KEY/coins/ethereum/market_chart/range?${query}`,
    ]);
    expect(quotes).toHaveLength(2);
    expect(quotes[1]).toMatchObject({
      asset: TOKEN,
      numerator: 125n,
      scale: 2,
      source: 'coingecko',
      asOf: 1_700_000_123,
      confidenceBps: null,
    });
  });

  it('says when the rules describe no source of that name', async () => {
    const { refusals } = await ask(
      [TOKEN],
      () => {},
      200,
      () => 'nosuch',
    );
    expect(refusals).toMatchObject([
      { code: 'no_source', reason: 'the rules describe no price source nosuch' },
    ]);
  });

  it('reads the setting', () => {
    expect(readPriceApis('defillama, coingecko=https://pro.example/v3, http://127.0.0.1:9/')).toEqual([
      { adapter: 'defillama', name: 'defillama', url: null },
      { adapter: 'coingecko', name: 'coingecko', url: 'https://pro.example/v3' },
      { adapter: 'defillama', name: 'price-api', url: 'http://127.0.0.1:9/' },
    ]);
    expect(readPriceApis('ftp://x')).toBeNull();
    expect(readPriceApis('defillama,,')).toBeNull();
  });

  it('bounds the number of requests', async () => {
    const many = Array.from({ length: 500 }, (_, i) => `0x${i.toString(16).padStart(40, '0')}` as Address);
    const { paths, refusals } = await ask(many, (_, response) => void response.end('{"coins":{}}'));
    expect(paths).toHaveLength(4);
    expect(refusals).toHaveLength(500);
    expect(
      refusals.filter(({ observed, threshold }) => observed === '500' && threshold === '200'),
    ).toHaveLength(300);
  });
});

it('asks for each asset of a block once', async () => {
  const asked: string[][] = [];
  const quote = (asset: Address | 'native') => ({ asset }) as never;
  const api = oncePerAsset({
    prices: ({ assets }) => {
      asked.push([...assets]);
      return Promise.resolve({ quotes: assets.map(quote), refusals: [] });
    },
  });
  const scope = { signal: new AbortController().signal, timeLeft: () => 1, onCall: () => {} };
  const other: Address = `0x${'71'.repeat(20)}`;
  const prices = (assets: readonly (Address | 'native')[]) =>
    api.prices({ assets, timestamp: 1, specs }, scope);
  const both = await Promise.all([prices(['native', TOKEN]), prices(['native', other, TOKEN])]);
  expect(asked).toEqual([['native', TOKEN], [other]]);
  expect(both[0]!.quotes).toEqual([quote('native'), quote(TOKEN)]);
  expect(new Set(both[1]!.quotes.map(({ asset }) => asset))).toEqual(new Set(['native', TOKEN, other]));
  expect((await prices([other])).quotes).toEqual([quote(other)]);
});

describe('exactDecimal', () => {
  it.each([
    [1, '1', 0],
    [0.1, '1', 1],
    [1.5e-7, '15', 8],
    [1e21, `1${'0'.repeat(21)}`, 0],
    [2.5e22, `25${'0'.repeat(21)}`, 0],
    [64123.45, '6412345', 2],
  ])('%s', (value, numerator, scale) => {
    expect(exactDecimal(value)).toEqual({ numerator: BigInt(numerator), scale });
  });
  it.each([0, -1, NaN, Infinity, '1', null])('refuses %s', (value) => {
    expect(exactDecimal(value)).toBeNull();
  });
});
