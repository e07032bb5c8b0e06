import { intOfWord, smallUintOfWord, uintOfWord, wordAt, HIGH_BYTES } from '../../../evm/hex.ts';
import type { PriceSource } from './priceSources.ts';
import type { Hex, Address } from '../../../model/hex.ts';
import type { PriceFeedSpec, FeedRegistrySpec } from '../../../model/pricing.ts';
import type { PriceQuote, PriceRefusal, PriceRate } from '../../../model/upstream.ts';
import { usableDecimals } from '../../../value/amount.ts';
import { decodeDecimals, type ViewCall } from '../context/multicall.ts';

/**
 * Selector of `latestRoundData()`: `(uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt,
 * uint80 answeredInRound)`.
 */
const LATEST_ROUND_DATA = '0xfeaf968c' as Hex;

/**
 * Prices by on-chain aggregator feeds as of the block. A feed that does not answer, or answers senselessly,
 * counts as no source for its asset; whether an answer is too old is judged later, against `heartbeat`.
 */
export function feedPrices(feeds: readonly PriceFeedSpec[]): PriceSource {
  return {
    calls: feeds.map(({ feed }) => ({ to: feed, data: LATEST_ROUND_DATA })),
    read(answers, { timestamp }) {
      const quotes: PriceQuote[] = [];
      const refusals: PriceRefusal[] = [];
      feeds.forEach((spec, i) => {
        const read = readRound(answers[i] ?? null, timestamp);
        if (typeof read === 'string')
          refusals.push({
            asset: spec.asset,
            code: 'no_source',
            reason: `feed ${spec.feed} ${read}`,
            observed: null,
            threshold: null,
          });
        else
          quotes.push({
            numerator: read.numerator,
            asOf: read.asOf,
            asset: spec.asset,
            scale: spec.decimals,
            method: 'chainlink',
            source: spec.feed,
            heartbeat: spec.heartbeat,
            pool: null,
            confidenceBps: null,
          });
      });
      // Feeds of one asset succeed each other over the years: one that answers is enough.
      if (refusals.length === 0) return { quotes, refusals };
      const quoted = new Set(quotes.map((quote) => quote.asset));
      return { quotes, refusals: refusals.filter((refusal) => !quoted.has(refusal.asset)) };
    },
  };
}

/** Price and time of a round, or the fault in the answer. */
function readRound(answer: Hex | null, timestamp: number): { numerator: bigint; asOf: number } | string {
  const price = answer === null ? null : wordAt(answer, 32);
  const updated = answer === null ? null : wordAt(answer, 96);
  if (price === null || updated === null) return 'did not answer at this block';
  const numerator = intOfWord(price);
  if (numerator <= 0n) return 'answered without a positive price';
  const asOf = smallUintOfWord(updated) ?? Number(uintOfWord(updated));
  if (asOf === 0) return 'has no finished round at this block';
  if (asOf > timestamp) return 'answered from after the block';
  return { numerator, asOf };
}

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
