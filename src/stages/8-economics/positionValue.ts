import { Q192, Q96, sqrtRatioAtTick } from '../../value/tickPrice.ts';
import type { PositionRead, PriceQuote } from '../../model/upstream.ts';
import { refusal, type RefusalReason } from './choosePrice.ts';
import { sum, toDecimal } from './fraction.ts';
import { isRefusal, valueOfUnits, weakest, type RateSituation } from './ratedQuote.ts';

/** Amounts of both tokens, in smallest units. */
export interface PositionAmounts {
  readonly amount0: bigint;
  readonly amount1: bigint;
}

/**
 * The value of a position NFT: the holdings of its liquidity at the tokens' prices from other sources, plus
 * fees owed. The pool's own price is not used: a transaction can move it.
 */
export function positionQuote(position: PositionRead, situation: RateSituation): PriceQuote | RefusalReason {
  const { nft, token0, token1, owed0, owed1 } = position;
  const amounts = amountsAtMarket(position, situation);
  if (isRefusal(amounts)) return amounts;
  const value0 = valueOfUnits(token0, whole(amounts.amount0 + owed0), situation);
  const value1 = valueOfUnits(token1, whole(amounts.amount1 + owed1), situation);
  if (isRefusal(value0)) return value0;
  if (isRefusal(value1)) return value1;
  const price = sum(value0, value1);
  if (price.numerator === 0n) {
    return refusal('no_source', 'the position holds nothing');
  }
  return {
    asset: nft,
    ...toDecimal(price),
    method: 'lp_share',
    source: nft,
    ...weakest([token0, token1], situation),
    pool: null,
    confidenceBps: null,
  };
}

const whole = (numerator: bigint): { numerator: bigint; denominator: bigint } => ({
  numerator,
  denominator: 1n,
});

function amountsAtMarket(position: PositionRead, situation: RateSituation): PositionAmounts | RefusalReason {
  const [lower, upper] = [position.tickLower, position.tickUpper].map(sqrtRatioAtTick);
  if (lower == null || upper == null || lower >= upper) return refusal('no_source', 'no pool has its ticks');
  const one0 = valueOfUnits(position.token0, whole(1n), situation);
  const one1 = valueOfUnits(position.token1, whole(1n), situation);
  if (isRefusal(one0)) return one0;
  if (isRefusal(one1)) return one1;
  const sqrt = squareRoot((one0.numerator * one1.denominator * Q192) / (one0.denominator * one1.numerator));
  return liquidityAmounts(position.liquidity, sqrt, lower, upper);
}

/** Holdings of liquidity between two prices at a price; all three are square roots as Q64.96. */
export function liquidityAmounts(
  liquidity: bigint,
  sqrt: bigint,
  lower: bigint,
  upper: bigint,
): PositionAmounts {
  const at = sqrt < lower ? lower : sqrt > upper ? upper : sqrt;
  return {
    amount0: (liquidity * Q96 * (upper - at)) / (upper * at),
    amount1: (liquidity * (at - lower)) / Q96,
  };
}

/** Integer square root, rounded down (Newton). */
export function squareRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
