import { usableDecimals } from '../../../value/amount.ts';
import { HIGH_BYTES } from '../../../evm/hex.ts';
import { decodeDecimals, type ViewCall } from '../context/multicall.ts';
import { readRound } from './feedPrices.ts';
import type { PriceSource } from './priceSource.ts';
import type { Address } from '../../../model/hex.ts';
import type { FeedRegistrySpec } from '../../../model/pricing.ts';
import type { PriceQuote, PriceRate, PriceRefusal } from '../../../model/upstream.ts';

/**
 * Selectors of `latestRoundData(address base, address quote)`, which answers `(uint80, int256, uint256,
 * uint256, uint80)`, and `decimals(address base, address quote)`:
 * https://docs.chain.link/data-feeds/feed-registry/feed-registry-functions
 */
const READS = ['0xbcfd032d', '0x58e2d3a8'] as const;

/**
 * Prices by the feeds that a registry contract holds for a token, in dollars or in ether, as of the block. A
 * token it has no feed for gets none; that is no refusal worth telling, most tokens have none.
 */
export function registryPrices(
  registry: { readonly spec: FeedRegistrySpec; readonly tokens: readonly Address[] } | null,
): PriceSource {
  if (!registry) return { calls: [], read: () => ({ quotes: [], refusals: [] }) };
  const { address, heartbeat, quotes: denominations } = registry.spec;
  const denominated = denominations.map((quote) => ({ quote, word: word(quote.denomination) }));
  const pairs: { token: Address; quote: FeedRegistrySpec['quotes'][number] }[] = [];
  const calls: ViewCall[] = [];
  for (const token of registry.tokens) {
    const ofToken = word(token);
    for (const { quote, word: inQuote } of denominated) {
      pairs.push({ token, quote });
      for (const selector of READS) calls.push({ to: address, data: `${selector}${ofToken}${inQuote}` });
    }
  }
  return {
    calls,
    read(answers, { timestamp, tokens }) {
      const quotes: PriceQuote[] = [];
      const rates: PriceRate[] = [];
      const refusals: PriceRefusal[] = [];
      pairs.forEach(({ token: asset, quote }, i) => {
        const scale = decodeDecimals(answers[2 * i + 1] ?? null);
        if (answers[2 * i] == null || scale === null) return;
        const round = readRound(answers[2 * i]!, timestamp);
        if (typeof round === 'string') {
          refusals.push({
            asset,
            code: 'no_source',
            reason: `the feed in registry ${address} ${round}`,
            observed: null,
            threshold: null,
          });
        } else if (quote.in === 'usd') {
          quotes.push({
            asset,
            ...round,
            scale,
            method: 'chainlink',
            source: address,
            heartbeat,
            pool: null,
            confidenceBps: null,
          });
        } else {
          const decimals = usableDecimals(tokens.get(asset)?.decimals);
          if (decimals === null) return;
          rates.push({
            asset,
            method: 'chainlink',
            source: address,
            after: null,
            vouched: true,
            asOf: round.asOf,
            heartbeat,
            pool: null,
            market: null,
            terms: [
              {
                asset: 'native',
                numerator: round.numerator * 10n ** 18n,
                denominator: 10n ** BigInt(scale + decimals),
              },
            ],
          });
        }
      });
      return { quotes, rates, refusals };
    },
  };
}

function word(address: Address): string {
  return HIGH_BYTES + address.slice(2);
}
