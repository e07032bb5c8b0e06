import { intOfWord, smallUintOfWord, uintOfWord, wordAt } from '../../../evm/hex.ts';
import type { PriceSource } from './priceSource.ts';
import type { Hex } from '../../../model/hex.ts';
import type { PriceFeedSpec } from '../../../model/pricing.ts';
import type { PriceQuote, PriceRefusal } from '../../../model/upstream.ts';

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
export function readRound(
  answer: Hex | null,
  timestamp: number,
): { numerator: bigint; asOf: number } | string {
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
