import { usdText } from '../../value/money.ts';
import { ZERO_ADDRESS } from '../../evm/hex.ts';
import { distance, sumOf } from '../../value/amount.ts';
import { erc20Id, isIssuance } from '../../value/asset.ts';
import { amountsMoved } from '../../value/sides.ts';
import type { Scene, SideAmount } from '../../model/scene.ts';
import type { PriceQuote, PriceRate, RateTerm } from '../../model/upstream.ts';
import type { AssetId } from '../../model/valueFlow.ts';
import type { PriceChoice, RefusalReason } from './choosePrice.ts';
import { DEFAULT_FRESHNESS_S, isRefusal, MAX_DEVIATION_BPS, refusal } from './choosePrice.ts';
import { farApart, isLess, NOTHING, sum, toDecimal, whole, type Fraction } from './fraction.ts';

export type PriceKey = PriceQuote['asset'];

/** Inputs for resolving a rate: prices chosen for other assets, and the transaction's exchanges. */
export interface RateSituation extends Pick<Scene, 'flow' | 'motifs'> {
  readonly choiceFor: (asset: PriceKey) => PriceChoice;
  /** Native for wrapped native. */
  readonly keyOf: (asset: PriceKey) => PriceKey;
  /** Null where the contract states none. */
  readonly decimalsOf: (asset: PriceKey) => number | null;
  readonly keyOfId: (asset: AssetId) => PriceKey | null;
  readonly timestamp: number;
}

const THRESHOLD = `${MAX_DEVIATION_BPS} bps`;

/** Dollars as they read in a refusal. */
const shown = (value: Fraction): string => usdText(toDecimal(value));

/** Value of a number of smallest units of an asset at its chosen price; a refusal without one. */
export function valueOfUnits(
  asset: PriceKey,
  units: Fraction,
  { choiceFor, decimalsOf }: RateSituation,
): Fraction | RefusalReason {
  const { chosen, refused } = choiceFor(asset);
  if (!chosen) {
    const reason = `rests on ${asset}, which has no price`;
    return { ...(refused[0] ?? refusal('no_source', reason)), reason };
  }
  const decimals = decimalsOf(asset);
  if (decimals === null) return refusal('unknown_decimals', `rests on ${asset}, which states no decimals`);
  return {
    numerator: units.numerator * chosen.quote.numerator,
    denominator: units.denominator * 10n ** BigInt(chosen.quote.scale + decimals),
  };
}

/** Values of the terms of `units` smallest units of the asset they are of. */
export function termValues(
  terms: readonly RateTerm[],
  units: bigint,
  situation: RateSituation,
): Fraction[] | RefusalReason {
  const values: Fraction[] = [];
  for (const { asset, numerator, denominator } of terms) {
    const value = valueOfUnits(asset, { numerator: numerator * units, denominator }, situation);
    if (isRefusal(value)) return value;
    values.push(value);
  }
  return values;
}

/** A rate with the price that its terms give. */
interface Rated {
  readonly rate: PriceRate;
  /** Smallest units of a whole token. */
  readonly unit: bigint;
  readonly values: readonly Fraction[];
  readonly price: Fraction;
  /** Null where more than the token's own word vouches for the rate. */
  readonly exchanges: readonly Exchange[] | null;
}

/** A pool with halves of unequal worth has another price than the market: it was moved, or is one-sided. */
function unbalanced(rate: PriceRate, values: readonly Fraction[]): boolean {
  return (
    rate.method === 'lp_share' &&
    rate.uneven !== true &&
    values.some((value) => farApart(value, values[0]!, MAX_DEVIATION_BPS))
  );
}

type Exchange = ReturnType<typeof exchangesOf>[number];

/**
 * Exchanges of other assets for the token in this transaction, or back: not with its own contract, nor where
 * it is issued or redeemed. Composites repeat the same value, and stated amounts alone move nothing.
 */
function exchangesOf(rate: PriceRate, { motifs, flow }: RateSituation) {
  const own = erc20Id(rate.asset);
  return motifs.flatMap((motif) => {
    if (motif.traits.composite || motif.venue === rate.asset) return [];
    if (motif.claims.some(({ holds }) => !holds)) return [];
    const moved = motif.movements.map((index) => flow.movements[index]!);
    if (moved.some((movement) => movement.asset === own && isIssuance(movement))) return [];
    // `got`: whether the venue's counterparty got the token.
    return [true, false].flatMap((got) => {
      const units = sumOf(amountsMoved(motif, !got).filter(({ asset }) => asset === own));
      const against = amountsMoved(motif, got).filter(({ asset }) => asset !== own);
      const isCarried = ({ asset, amount }: SideAmount): boolean =>
        sumOf(moved.filter((movement) => movement.asset === asset)) >= amount;
      return units > 0n && against.length > 0 && against.every(isCarried)
        ? [{ units, got, movements: motif.movements, against }]
        : [];
    });
  });
}

/**
 * Doubt about a rate stated only by the token's own contract: the transaction must have exchanged the token
 * at about this price. All its exchanges count together, so that one fair one cannot cover for the rest.
 */
function contradiction(
  { rate, unit, price, exchanges }: Rated,
  situation: RateSituation,
): RefusalReason | null {
  if (exchanges === null) return null;
  let units = 0n;
  let paid: Fraction = NOTHING;
  for (const exchange of exchanges) {
    units += exchange.units;
    for (const { asset, amount } of exchange.against) {
      const key = situation.keyOfId(asset);
      const value = key === null ? null : valueOfUnits(key, whole(amount), situation);
      if (value === null || isRefusal(value))
        return refusal(
          'own_word',
          'only the token itself tells its rate, and it was exchanged for assets without a price',
        );
      paid = sum(paid, value);
    }
  }
  const perWhole = { numerator: paid.numerator * unit, denominator: paid.denominator * units };
  if (!farApart(perWhole, price, MAX_DEVIATION_BPS)) return unexchanged(rate, exchanges, situation);
  return refusal(
    'price_deviation',
    'the transaction exchanged the token at another rate than it tells',
    `${shown(perWhole)} beside ${shown(price)}`,
    THRESHOLD,
  );
}

/**
 * Doubt about shares that changed hands without being exchanged: only the token's word makes them
 * worth as much as the others. Shares bought and sold again say nothing of them.
 */
function unexchanged(
  { asset }: PriceRate,
  exchanges: readonly Exchange[],
  { flow }: RateSituation,
): RefusalReason | null {
  const id = erc20Id(asset);
  const seen = new Set<number>();
  let bought = 0n;
  for (const { units, got, movements } of exchanges) {
    if (movements.every((index) => seen.has(index))) continue;
    for (const index of movements) seen.add(index);
    bought += got ? units : -units;
  }
  const exchanged = distance(bought, 0n);
  const changes = [...flow.ledgers].flatMap(([account, ledger]) => {
    const own = account === ZERO_ADDRESS ? undefined : ledger.get(id);
    return own ? own.inflow - own.outflow : [];
  });
  const gained = changes.reduce((sum, change) => (change > 0n ? sum + change : sum), 0n);
  const lost = gained - changes.reduce((sum, change) => sum + change, 0n);
  const moved = gained > lost ? gained : lost;
  if (moved <= exchanged) return null;
  const reason = 'only the token itself tells its rate, and more of it changed hands than was exchanged';
  return refusal('own_word', reason, `${moved} units`, `${exchanged} units`);
}

/**
 * A quote in US dollars that rests on the prices of other assets. It is as old as the oldest observation
 * among them, each measured against its own source's heartbeat.
 */
export function computedQuote(
  { asset, method, source, asOf, heartbeat }: ComputedFrom,
  price: Fraction,
  bases: readonly PriceKey[],
  { choiceFor, keyOf, timestamp }: RateSituation,
): PriceQuote {
  const slack = (one: Observed): number =>
    (one.heartbeat ?? DEFAULT_FRESHNESS_S) - Math.abs(timestamp - one.asOf);
  const observed: Observed[] = bases.map((base) => choiceFor(base).chosen!.quote);
  if (asOf !== null) observed.push({ asOf, heartbeat });
  const oldest = observed.reduce((worst, one) => (slack(one) < slack(worst) ? one : worst));
  return {
    asset,
    ...toDecimal(price),
    method,
    source,
    asOf: oldest.asOf,
    heartbeat: oldest.heartbeat,
    pool: null,
    confidenceBps: null,
    bases: [...new Set(bases.map(keyOf))],
  };
}

type Observed = Pick<PriceQuote, 'asOf' | 'heartbeat'>;
type ComputedFrom = Pick<PriceRate, 'asOf' | 'heartbeat'> & Pick<PriceQuote, 'asset' | 'method' | 'source'>;

/**
 * The quote in US dollars of a rate, or a refusal: a base without a price, a thin or one-sided market, a rate
 * that moved within the block, or one that only the token's own word supports.
 */
export function ratedQuote(rate: PriceRate, situation: RateSituation): PriceQuote | RefusalReason {
  const quote = quoteOf(rate, situation);
  return isRefusal(quote) ? { ...quote, reason: `${rate.method}: ${quote.reason}` } : quote;
}

function quoteOf(rate: PriceRate, situation: RateSituation): PriceQuote | RefusalReason {
  const decimals = situation.decimalsOf(rate.asset);
  if (decimals === null) return refusal('unknown_decimals', 'the token states no decimals');
  const exchanges = rate.vouched ? null : exchangesOf(rate, situation);
  if (exchanges?.length === 0)
    return refusal(
      'own_word',
      'only the token itself tells its rate, and no exchange elsewhere in this transaction bears it out',
    );
  const unit = 10n ** BigInt(decimals);
  const values = termValues(rate.terms, unit, situation);
  if (isRefusal(values)) return values;
  const price = values.reduce(sum, NOTHING);
  if (price.numerator === 0n) return refusal('no_source', 'it is worth nothing by its own account');
  const rated = { rate, unit, values, price, exchanges };
  const depth = depthOf(rated, situation);
  if (isRefusal(depth)) return depth;
  const doubt = doubtOf(rated, situation);
  if (doubt) return doubt;
  const bases = rate.terms.map(({ asset }) => asset);
  const depthUsd = depth && depth.numerator / depth.denominator;
  return { ...computedQuote(rate, price, bases, situation), pool: rate.pool, depthUsd };
}

/** A market that is one-sided or was moved; or the token's word, where nothing else vouches for the rate. */
const doubtOf = (rated: Rated, situation: RateSituation): RefusalReason | null =>
  imbalance(rated) ?? changeInBlock(rated, situation) ?? contradiction(rated, situation);

/** Holdings of the market's smallest side, in US dollars; null without a market. */
function depthOf({ rate, price, unit }: Rated, situation: RateSituation): Fraction | RefusalReason | null {
  const { market } = rate;
  if (!market) return null;
  let depth: Fraction | null = null;
  for (const { asset, amount } of market.sides) {
    const value =
      asset === rate.asset
        ? { numerator: amount * price.numerator, denominator: unit * price.denominator }
        : valueOfUnits(asset, whole(amount), situation);
    if (isRefusal(value)) return value;
    if (depth === null || isLess(value, depth)) depth = value;
  }
  return depth && isLess(depth, whole(market.minSideUsd))
    ? refusal('low_liquidity', 'too little lies in the pool', shown(depth), `$${market.minSideUsd}.00`)
    : depth;
}

function imbalance({ rate, values }: Rated): RefusalReason | null {
  if (!unbalanced(rate, values)) return null;
  const observed = values.map(shown).join(' beside ');
  return refusal(
    'price_deviation',
    'the halves of the pool are not worth the same by other sources',
    observed,
    THRESHOLD,
  );
}

/** The rate before the block and at its end must be the same, or transactions of the block moved it. */
function changeInBlock({ rate, price, unit }: Rated, situation: RateSituation): RefusalReason | null {
  const other = rate.after ?? rate.before;
  if (!other) return null;
  const later = termValues(other, unit, situation);
  if (isRefusal(later)) return later;
  const then = later.reduce(sum, NOTHING);
  if (farApart(then, price, MAX_DEVIATION_BPS)) {
    const observed = (rate.after ? [price, then] : [then, price]).map(shown).join(' to ');
    return refusal('self_referential', 'the rate moved within the block', observed, THRESHOLD);
  }
  const observed = later.map(shown).join(' beside ');
  return unbalanced(rate, later)
    ? refusal('self_referential', 'the pool was moved within the block', observed, THRESHOLD)
    : null;
}
