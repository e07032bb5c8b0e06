import { nftId } from '../../value/asset.ts';
import type { NftTrade } from '../../model/economics.ts';
import type { PositionRead, PriceQuote } from '../../model/upstream.ts';
import type { AssetId } from '../../model/valueFlow.ts';
import { isRefusal, choosePrice, refusal, type PriceChoice, type RefusalReason } from './choosePrice.ts';
import { NOTHING, sum, whole, type Fraction } from './fraction.ts';
import { computedQuote, termValues, valueOfUnits, type RateSituation } from './ratedQuote.ts';
import { Q192, Q96, sqrtRatioAtTick } from '../../value/tickPrice.ts';

interface NftInput {
  readonly situation: RateSituation;
  readonly trades: readonly NftTrade[];
  readonly positions: readonly PositionRead[];
}

/** No state of theirs can have set a price of these sources. */
const NONE_TOUCHED = { has: () => false };
const UNDATED = { asOf: null, heartbeat: null };
const NO_FLOOR = refusal(
  'nft_no_floor',
  'it was not sold for a known price in this transaction, and NFTs have no other price',
);

/**
 * Chooses prices of NFTs: a liquidity position's from its holdings, any other's from its sale in this very
 * transaction. There are no floor prices.
 */
export function nftChooser({ situation, trades, positions }: NftInput): (nft: AssetId) => PriceChoice {
  const held = new Map(positions.map((position) => [nftId('erc721', position.nft, position.id), position]));
  return (nft) => {
    const position = held.get(nft);
    const found = position
      ? [positionQuote(position, situation)]
      : trades.filter(({ asset }) => asset === nft).map((trade) => saleQuote(trade, situation));
    const quotes = found.filter((quote): quote is PriceQuote => !isRefusal(quote));
    const choice = choosePrice(quotes, situation.timestamp, NONE_TOUCHED);
    return { chosen: choice.chosen, refused: [...choice.refused, ...found.filter(isRefusal), NO_FLOOR] };
  };
}

function saleQuote({ paid, units, motif }: NftTrade, situation: RateSituation): PriceQuote | RefusalReason {
  if (!paid) return NO_FLOOR;
  const value = valueOfTrade(paid, situation);
  if (isRefusal(value)) return value;
  const keys = paid.amounts.flatMap(([asset]) => situation.keyOfId(asset) ?? []);
  const each = { numerator: value.numerator, denominator: value.denominator * units };
  const sale = { asset: keys[0]!, method: 'own_trade', source: motif.venue, ...UNDATED } as const;
  return computedQuote(sale, each, keys, situation);
}

/** Value of a trade's share of an account's payments or proceeds. */
function valueOfTrade(
  { amounts, share }: NonNullable<NftTrade['paid']>,
  situation: RateSituation,
): Fraction | RefusalReason {
  let total = NOTHING;
  for (const [asset, amount] of amounts) {
    const key = situation.keyOfId(asset);
    if (key === null) return NO_FLOOR;
    const units = { numerator: amount * share.numerator, denominator: share.denominator };
    const value = valueOfUnits(key, units, situation);
    if (isRefusal(value)) return value;
    total = sum(total, value);
  }
  return total;
}

/** Amounts of both tokens, in smallest units. */
interface PositionAmounts {
  readonly amount0: bigint;
  readonly amount1: bigint;
}

/**
 * The value of a position NFT: the holdings of its liquidity at the tokens' prices from other sources, plus
 * fees owed. The pool's own price is not used: a transaction can move it.
 */
function positionQuote(read: PositionRead, situation: RateSituation): PriceQuote | RefusalReason {
  const { nft, token0, token1, owed0, owed1 } = read;
  const amounts = amountsAtMarket(read, situation);
  if (isRefusal(amounts)) return amounts;
  const held = [
    { asset: token0, ...whole(amounts.amount0 + owed0) },
    { asset: token1, ...whole(amounts.amount1 + owed1) },
  ];
  const values = termValues(held, 1n, situation);
  if (isRefusal(values)) return values;
  const price = values.reduce(sum);
  if (price.numerator === 0n) return refusal('no_source', 'the position holds nothing');
  const position = { asset: nft, method: 'lp_share', source: nft, ...UNDATED } as const;
  return computedQuote(position, price, [token0, token1], situation);
}

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
