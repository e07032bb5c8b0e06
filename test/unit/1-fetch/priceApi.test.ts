import { afterEach, describe, expect, it } from 'vitest';
import { createPriceApi, exactDecimal } from '../../../src/stages/1-fetch/prices/priceApi.ts';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PriceAnswers } from '../../../src/stages/1-fetch/prices/priceSource.ts';
import type { Address } from '../../../src/model/hex.ts';

const TOKEN: Address = `0x${'70'.repeat(20)}`;
let server: Server | undefined;
afterEach(() => void server?.close().closeAllConnections());

async function ask(
  assets: readonly (Address | 'native')[],
  listener: RequestListener,
  timeoutMs = 500,
): Promise<PriceAnswers & { paths: string[] }> {
  const paths: string[] = [];
  server = createServer((request, response) => {
    paths.push(decodeURIComponent(request.url!));
    listener(request, response);
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  const api = createPriceApi({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/KEY/`,
    timeoutMs,
    fetch,
  });
  return {
    ...(await api.prices(assets, 1_700_000_000, {
      signal: new AbortController().signal,
      timeLeft: () => 5_000,
      onCall: () => {},
    })),
    paths,
  };
}

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
      },
    ]);
  });

  it.each<[string, RequestListener]>([
    ['fails', (_, response) => void response.writeHead(500).end()],
    ['hangs', () => {}],
    ['answers nonsense', (_, response) => void response.end('<html>')],
    ['answers another shape', (_, response) => void response.end('{"coins":[1]}')],
    ['floods', (_, response) => void response.end(`{"coins":{"x":"${'y'.repeat(2_000_000)}"}}`)],
    [
      'has senseless prices',
      (_, response) =>
        void response.end(JSON.stringify({ coins: { [`ethereum:${TOKEN}`]: { price: -1, timestamp: 5 } } })),
    ],
  ])('leaves assets unpriced when it %s', async (_, listener) => {
    const { quotes, refusals } = await ask([TOKEN], listener, 200);
    expect(quotes).toEqual([]);
    expect(refusals).toMatchObject([{ asset: TOKEN, code: 'no_source' }]);
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
