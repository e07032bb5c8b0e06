import { intOfWord, smallUintOfWord, uintOfWord, wordAt, wordOf } from '../../../evm/hex.ts';
import { refusePrice } from './planPricing.ts';
import type { PriceAnswers, PriceSource } from './priceSources.ts';
import type { Hex, Address } from '../../../model/hex.ts';
import type { PriceFeedSpec, FeedRegistrySpec } from '../../../model/pricing.ts';
import type { PriceQuote, PriceRefusal, PriceRate } from '../../../model/upstream.ts';
import { usableDecimals } from '../../../value/amount.ts';
import { decodeDecimals, type ViewCall } from '../context/multicall.ts';

/**
 * Selector of `latestRoundData()`: `(uint80 round, int256 answer, uint256 started, uint256 updated, uint80)`.
 */
const LATEST_ROUND_DATA = '0xfeaf968c' as Hex;

/** Prices by on-chain feeds as of the block. A senseless answer counts as none; its age is judged later. */
export function feedPrices(feeds: readonly PriceFeedSpec[]): PriceSource {
  const calls = feeds.map(({ feed }): ViewCall => ({ to: feed, data: LATEST_ROUND_DATA }));
  return {
    calls,
    read(answers, { timestamp }) {
      const asked = feeds.map(({ asset, feed: source, heartbeat, decimals: scale }, i): AskedFeed => {
        const read = { call: calls[i]!, answer: answers[i] ?? null, name: `feed ${source}` };
        return { asset, source, heartbeat, scale, decimals: null, ...read };
      });
      return pricesOf(asked, timestamp);
    },
  };
}

/** A round's answer and time, and the answer before the block where that had to be read. */
interface Round {
  readonly numerator: bigint;
  readonly asOf: number;
  readonly before: bigint | null;
}

interface AskedFeed extends Pick<PriceQuote, 'asset' | 'scale'> {
  readonly source: Address;
  readonly heartbeat: number;
  /** Of the asset, where the feed answers in ether; null where it answers in dollars. */
  readonly decimals: number | null;
  readonly call: ViewCall;
  readonly answer: Hex | null;
  /** As refusals name it. */
  readonly name: string;
}

/** Prices of rounds. One finished in this very block may be a change within it and waits for the last. */
function pricesOf(feeds: readonly AskedFeed[], timestamp: number): PriceAnswers {
  const prices: (PriceQuote | PriceRate)[] = [];
  const refusals: PriceRefusal[] = [];
  const anew: (AskedFeed & { readonly round: Round })[] = [];
  for (const feed of feeds) {
    const round = readRound(feed.answer, timestamp);
    if (typeof round === 'string') refusals.push(refusePrice(feed.asset, `${feed.name} ${round}`));
    else if (round.asOf < timestamp) prices.push(priceOf(feed, round));
    else anew.push({ ...feed, round });
  }
  const found = byKind(prices, refusals);
  if (anew.length === 0) return found;
  const later: PriceSource = {
    calls: anew.map(({ call: { to, data } }) => ({ to, data, before: true })),
    read: (answers) =>
      byKind(
        anew.map(({ round, ...feed }, i) => {
          const last = readRound(answers[i] ?? null, timestamp);
          return priceOf(feed, typeof last === 'string' ? round : { ...round, before: last.numerator });
        }),
        [],
      ),
  };
  return { later, ...found };
}

const isRate = (price: PriceQuote | PriceRate): price is PriceRate => 'terms' in price;

function byKind(prices: readonly (PriceQuote | PriceRate)[], refusals: PriceRefusal[]): PriceAnswers {
  const quotes = prices.filter((price): price is PriceQuote => !isRate(price));
  return { quotes, rates: prices.filter(isRate), refusals };
}

function priceOf(
  { asset, source, heartbeat, scale, decimals }: AskedFeed,
  { numerator, asOf, before }: Round,
): PriceQuote | PriceRate {
  const stated = { asset, method: 'chainlink', source, heartbeat, asOf, pool: null } as const;
  if (decimals === null) {
    const quote = { numerator, scale, confidenceBps: null, ...stated };
    return before === null ? quote : { before, ...quote };
  }
  const denominator = 10n ** BigInt(scale + decimals);
  const inEther = (one: bigint) => [{ asset: 'native', numerator: one * 10n ** 18n, denominator }] as const;
  const earlier = before === null ? null : inEther(before);
  const rate = { terms: inEther(numerator), after: null, before: earlier, vouched: true, market: null };
  // Ether itself has its feed in dollars.
  return { ...rate, ...stated, asset: asset as Address };
}

/** Price and time of a round, or the fault in the answer. */
function readRound(answer: Hex | null, timestamp: number): Round | string {
  const price = answer === null ? null : wordAt(answer, 32);
  const updated = answer === null ? null : wordAt(answer, 96);
  if (price === null || updated === null) return 'did not answer at this block';
  const numerator = intOfWord(price);
  if (numerator <= 0n) return 'answered without a positive price';
  const asOf = smallUintOfWord(updated) ?? Number(uintOfWord(updated));
  if (asOf === 0) return 'has no finished round at this block';
  if (asOf > timestamp) return 'answered from after the block';
  return { numerator, asOf, before: null };
}

/**
 * Selectors of a registry's `latestRoundData(address,address)` and `decimals(address,address)`:
 * https://docs.chain.link/data-feeds/feed-registry/feed-registry-functions
 */
const READS = ['0xbcfd032d', '0x58e2d3a8'] as const;

/** Prices in dollars or ether by the feeds a registry holds; most tokens have none, which is no refusal. */
export function registryPrices(
  registry: { readonly spec: FeedRegistrySpec; readonly tokens: readonly Address[] } | null,
): PriceSource {
  if (!registry) return { calls: [], read: () => ({ quotes: [], refusals: [] }) };
  const { address, heartbeat, quotes: denominations } = registry.spec;
  const denominated = denominations.map((quote) => ({ quote, word: wordOf(quote.denomination) }));
  const pairs: { token: Address; quote: FeedRegistrySpec['quotes'][number] }[] = [];
  const calls: ViewCall[] = [];
  for (const token of registry.tokens) {
    const ofToken = wordOf(token);
    for (const { quote, word: inQuote } of denominated) {
      pairs.push({ token, quote });
      for (const selector of READS) calls.push({ to: address, data: `${selector}${ofToken}${inQuote}` });
    }
  }
  return {
    calls,
    read(answers, { timestamp, tokens }) {
      const asked = pairs.flatMap(({ token: asset, quote }, i): AskedFeed[] => {
        const [answer, scale] = [answers[2 * i], decodeDecimals(answers[2 * i + 1] ?? null)];
        const decimals = quote.in === 'usd' ? null : usableDecimals(tokens.get(asset)?.decimals);
        if (answer == null || scale === null || (quote.in !== 'usd' && decimals === null)) return [];
        const read = { call: calls[2 * i]!, answer, name: `the feed in registry ${address}` };
        return [{ asset, source: address, heartbeat, scale, decimals, ...read }];
      });
      return pricesOf(asked, timestamp);
    },
  };
}
