import { isRecord } from '../../../lib/shape.ts';
import { timeLimit } from '../rpc/timeLimit.ts';
import type { PriceAnswers } from './priceSource.ts';
import type { Address } from '../../../model/hex.ts';
import type { PriceQuote, PriceRefusal, UpstreamCallEvent } from '../../../model/upstream.ts';

/**
 * An HTTP source of historical prices with the shape of DefiLlama's coins API: `GET
 * /prices/historical/{timestamp}/{coins}`.
 */
export interface PriceApi {
  /** Never throws: an outage leaves assets unpriced, it does not fail an analysis. */
  prices(
    assets: readonly (Address | 'native')[],
    timestamp: number,
    scope: { signal: AbortSignal; timeLeft: () => number; onCall: (event: UpstreamCallEvent) => void },
  ): Promise<PriceAnswers>;
}

export interface PriceApiOptions {
  /** Base URL, possibly with a key in its path: never shown. */
  readonly url: string;
  readonly timeoutMs: number;
  readonly fetch: (input: string, init?: RequestInit) => Promise<Response>;
}

/** Name of the source in reports and logs. */
const SOURCE = 'price-api';
const COINS_PER_REQUEST = 50;
const MAX_REQUESTS = 4;
const MAX_BYTES = 1_000_000;
const NATIVE_COIN = 'coingecko:ethereum';
/** Age after which the API's own search window (four hours) would have given another price. */
const HEARTBEAT_S = 14_400;

export function createPriceApi({ url, timeoutMs, fetch }: PriceApiOptions): PriceApi {
  const base = url.replace(/\/+$/, '');

  async function ask(
    coins: readonly string[],
    timestamp: number,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> {
    const response = await fetch(
      `${base}/prices/historical/${timestamp}/${coins.map(encodeURIComponent).join(',')}`,
      { signal },
    );
    if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MAX_BYTES) throw new Error('too large');
    }
    const body: unknown = JSON.parse(text);
    if (!isRecord(body) || !isRecord(body['coins'])) throw new Error('malformed');
    return body['coins'];
  }

  return {
    async prices(assets, timestamp, { signal, timeLeft, onCall }) {
      const limit = timeLimit(signal, Math.min(timeoutMs, timeLeft()));
      const groups: (Address | 'native')[][] = [];
      for (let i = 0; i < assets.length && groups.length < MAX_REQUESTS; i += COINS_PER_REQUEST)
        groups.push(assets.slice(i, i + COINS_PER_REQUEST));
      const asked = new Set(groups.flat());
      const found = await Promise.all(
        groups.map(async (group): Promise<Record<string, unknown>> => {
          const start = performance.now();
          const report = (outcome: string): void =>
            onCall({
              upstream: SOURCE,
              methods: ['prices/historical'],
              ms: performance.now() - start,
              outcome,
              note: null,
            });
          try {
            const coins = await ask(group.map(coinOf), timestamp, limit.signal);
            report('ok');
            return coins;
          } catch {
            report('upstream_http');
            return {};
          }
        }),
      );
      limit.release();
      const coins = new Map(
        found.flatMap((group) => Object.entries(group)).map(([coin, value]) => [coin.toLowerCase(), value]),
      );
      const quotes: PriceQuote[] = [];
      const refusals: PriceRefusal[] = [];
      for (const asset of assets) {
        const quote = readCoin(asset, coins.get(coinOf(asset)));
        if (quote) quotes.push(quote);
        else if (asked.has(asset))
          refusals.push({
            asset,
            code: 'no_source',
            reason: `${SOURCE} sent no price`,
            observed: null,
            threshold: null,
          });
        else
          refusals.push({
            asset,
            code: 'no_source',
            reason: `more assets in one transaction than ${SOURCE} is asked about`,
            observed: String(assets.length),
            threshold: String(asked.size),
          });
      }
      return { quotes, refusals };
    },
  };
}

function coinOf(asset: Address | 'native'): string {
  return asset === 'native' ? NATIVE_COIN : `ethereum:${asset}`;
}

function readCoin(asset: Address | 'native', coin: unknown): PriceQuote | null {
  if (!isRecord(coin)) return null;
  const price = exactDecimal(coin['price']);
  const asOf = coin['timestamp'];
  if (!price || typeof asOf !== 'number' || !Number.isSafeInteger(asOf) || asOf <= 0) return null;
  const confidence = coin['confidence'];
  const confidenceBps =
    typeof confidence === 'number' && confidence >= 0 && confidence <= 1
      ? Math.round(confidence * 10_000)
      : null;
  return {
    asset,
    ...price,
    method: 'http',
    source: SOURCE,
    asOf,
    heartbeat: HEARTBEAT_S,
    pool: null,
    confidenceBps,
  };
}

/**
 * A JSON number as the exact decimal it was written as (shortest form), e.g. 1.5e-7 → 15 / 10^8. Positive
 * ones only.
 */
export function exactDecimal(value: unknown): { numerator: bigint; scale: number } | null {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) return null;
  const match = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  if (!match) return null;
  const fraction = match[2] ?? '';
  const scale = fraction.length - Number(match[3] ?? 0);
  const digits = BigInt(match[1]! + fraction);
  return scale >= 0 ? { numerator: digits, scale } : { numerator: digits * 10n ** BigInt(-scale), scale: 0 };
}
