import { formatAmount, powerOfTen } from '../../value/amount.ts';
import type { ChosenPrice } from '../../model/economics.ts';
import type { Address } from '../../model/hex.ts';
import type { PriceQuote, PriceRefusal } from '../../model/upstream.ts';

/** Best first: a trusted oracle, rates that follow from it by contract, then markets, spot prices last. */
const METHODS = ['chainlink', 'erc4626', 'wrapper', 'lp_share', 'pool_twap', 'http', 'own_trade'];
const MAX_SCALE = 255;
/** Freshness threshold of a source that declares none: Chainlink's ETH/USD heartbeat. */
export const DEFAULT_FRESHNESS_S = 3600;
/** A price older than its threshold is used with a warning for a day more, then refused. */
const STALE_GRACE_S = 86_400;
/** A price from later than this reflects later events. */
const MOST_LATER_S = 3600;
/** Two sources further apart than this cannot both be right, and neither can be preferred. */
export const MAX_DEVIATION_BPS = 500n;
export const isRefusal = (value: object | null): value is RefusalReason => value !== null && 'code' in value;

/** Below this the source itself doubts its price. */
const MIN_CONFIDENCE_BPS = 5000;

export type RefusalReason = Omit<PriceRefusal, 'asset'>;

export function refusal(
  code: RefusalReason['code'],
  reason: string,
  observed: string | null = null,
  threshold: string | null = null,
): RefusalReason {
  return { code, reason, observed, threshold };
}

/** Accounts with state this transaction moved; no price may rest on them. */
export type TouchedAccounts = Pick<ReadonlySet<Address>, 'has'>;

export interface PriceChoice {
  readonly chosen: Pick<ChosenPrice, 'quote' | 'ageSeconds' | 'stale'> | null;
  /** Why quotes were set aside, best quote first. */
  readonly refused: readonly RefusalReason[];
}

function freshness(quote: PriceQuote): number {
  return quote.heartbeat ?? DEFAULT_FRESHNESS_S;
}

/** Either way: a price from long after the block says as little about it as one from long before. */
function distance(quote: PriceQuote, timestamp: number): number {
  return Math.abs(timestamp - quote.asOf);
}

function isPositivePrice({ numerator, scale, asOf }: PriceQuote): boolean {
  const written = Number.isInteger(scale) && scale >= 0 && scale <= MAX_SCALE;
  return written && numerator > 0n && Number.isSafeInteger(asOf);
}

function refusalOf(quote: PriceQuote, timestamp: number, touched: TouchedAccounts): RefusalReason | null {
  const { method, pool, confidenceBps, before, asOf } = quote;
  if (!isPositivePrice(quote)) return refusal('no_source', `${method} answered no positive price`);
  if (pool !== null && touched.has(pool)) {
    const reason = `the ${method} price is set by a pool this transaction moved`;
    return refusal('self_referential', reason, pool);
  }
  if (confidenceBps !== null && confidenceBps < MIN_CONFIDENCE_BPS) {
    const reason = `${method} has little confidence in its own price`;
    return refusal('low_liquidity', reason, `${confidenceBps} bps`, `${MIN_CONFIDENCE_BPS} bps`);
  }
  const moved = before == null ? null : deviation([quote, { ...quote, numerator: before }]);
  if (moved)
    return { ...moved, code: 'self_referential', reason: `the ${method} price moved within the block` };
  if (asOf - timestamp > MOST_LATER_S) {
    const reason = `the ${method} price is from after the block`;
    return refusal('stale_price', reason, `${asOf - timestamp} s`, `${MOST_LATER_S} s`);
  }
  const [age, limit] = [distance(quote, timestamp), freshness(quote) + STALE_GRACE_S];
  if (age <= limit) return null;
  const reason = `the ${method} price is too far from the block in time`;
  return refusal('stale_price', reason, `${age} s`, `${limit} s`);
}

/** The lowest is best; of equal ones the next key decides. */
function ranksOf({ method, depthUsd, order, asOf, source, numerator, scale }: PriceQuote) {
  return [METHODS.indexOf(method), -(depthUsd ?? 0n), order ?? 0, -asOf, source, numerator, scale];
}

function compareQuotes(a: PriceQuote, b: PriceQuote): number {
  const [left, right] = [ranksOf(a), ranksOf(b)];
  const at = left.findIndex((rank, i) => rank !== right[i]);
  return at < 0 ? 0 : left[at]! < right[at]! ? -1 : 1;
}

/** Refusal when two quotes lie further apart than the threshold. */
function deviation(quotes: readonly PriceQuote[]): RefusalReason | null {
  if (quotes.length < 2) return null;
  const scale = Math.max(...quotes.map((quote) => quote.scale));
  const values = quotes.map((quote) => quote.numerator * powerOfTen(scale - quote.scale));
  const low = values.reduce((a, b) => (b < a ? b : a));
  const high = values.reduce((a, b) => (b > a ? b : a));
  if (high * 10_000n <= low * (10_000n + MAX_DEVIATION_BPS)) return null;
  const observed = `${formatAmount(low, scale)} to ${formatAmount(high, scale)}`;
  return refusal('price_deviation', 'sources disagree about the price', observed, `${MAX_DEVIATION_BPS} bps`);
}

/**
 * Chooses a price among all quotes for one asset, independent of their order: fresh before stale, then by
 * method, then the deepest market, then the newest. No price may rest on a pool among `touched`.
 */
export function choosePrice(
  quotes: readonly PriceQuote[],
  timestamp: number,
  touched: TouchedAccounts,
): PriceChoice {
  const refused: RefusalReason[] = [];
  const usable: PriceQuote[] = [];
  for (const quote of quotes.length < 2 ? quotes : [...quotes].sort(compareQuotes)) {
    const refusal = refusalOf(quote, timestamp, touched);
    if (refusal) refused.push(refusal);
    else usable.push(quote);
  }
  const fresh = usable.filter((quote) => distance(quote, timestamp) <= freshness(quote));
  const pool = fresh.length > 0 ? fresh : usable;
  const best = pool[0];
  if (!best) return { chosen: null, refused };
  const apart = deviation(pool);
  if (apart) return { chosen: null, refused: [apart, ...refused] };
  return { chosen: { quote: best, ageSeconds: timestamp - best.asOf, stale: fresh.length === 0 }, refused };
}
