import { nftId } from '../../value/asset.ts';
import type { NftTrade } from '../../model/economics.ts';
import type { PositionRead, PriceQuote } from '../../model/upstream.ts';
import type { AssetId } from '../../model/valueFlow.ts';
import { choosePrice, type PriceChoice, type RefusalReason } from './choosePrice.ts';
import { NOTHING, sum, toDecimal, type Fraction } from './fraction.ts';
import { positionQuote } from './positionValue.ts';
import type { PriceChooser } from './priceChooser.ts';
import { isRefusal, valueOfUnits, weakest, type PriceKey } from './ratedQuote.ts';

export interface NftChooser {
  readonly choiceFor: (nft: AssetId) => PriceChoice;
  /** Assets with prices that a quote was computed from. */
  readonly basesOf: (quote: PriceQuote) => readonly PriceKey[];
}

interface NftInput {
  readonly chooser: PriceChooser;
  readonly trades: readonly NftTrade[];
  readonly positions: readonly PositionRead[];
}

/** No state of theirs can have set a price of these sources. */
const NONE_TOUCHED = { has: () => false };
const NO_FLOOR: RefusalReason = {
  code: 'nft_no_floor',
  reason: 'it was not sold for a known price in this transaction, and NFTs have no other price',
  observed: null,
  threshold: null,
};

/**
 * Chooses prices of NFTs: a liquidity position's from its holdings, any other's from its sale in this very
 * transaction. There are no floor prices.
 */
export function nftChooser({ chooser, trades, positions }: NftInput): NftChooser {
  const { situation, keyOf } = chooser;
  const bases = new Map<PriceQuote, readonly PriceKey[]>();
  const held = new Map(positions.map((position) => [nftId('erc721', position.nft, position.id), position]));

  const quoteOf = (trade: NftTrade): PriceQuote | RefusalReason => {
    const { paid, units, motif } = trade;
    if (!paid) return NO_FLOOR;
    const keys = paid.amounts.flatMap(([asset]) => situation.keyOfId(asset) ?? []);
    const value = valueOfTrade(paid, chooser);
    if (isRefusal(value)) return value;
    const each = { numerator: value.numerator, denominator: value.denominator * units };
    const quote: PriceQuote = {
      asset: keys[0]!,
      ...toDecimal(each),
      method: 'pool_spot',
      source: motif.venue,
      ...weakest(keys, situation),
      pool: null,
      confidenceBps: null,
    };
    bases.set(quote, [...new Set(keys.map(keyOf))]);
    return quote;
  };

  const quotesOf = (nft: AssetId): (PriceQuote | RefusalReason)[] => {
    const position = held.get(nft);
    if (!position) return trades.filter(({ asset }) => asset === nft).map(quoteOf);
    const quote = positionQuote(position, situation);
    if (!isRefusal(quote)) bases.set(quote, [...new Set([position.token0, position.token1].map(keyOf))]);
    return [quote];
  };

  return {
    choiceFor(nft) {
      const found = quotesOf(nft);
      const quotes = found.filter((quote): quote is PriceQuote => !isRefusal(quote));
      const choice = choosePrice(quotes, situation.timestamp, NONE_TOUCHED);
      return { chosen: choice.chosen, refused: [...choice.refused, ...found.filter(isRefusal), NO_FLOOR] };
    },
    basesOf: (quote) => bases.get(quote) ?? [],
  };
}

/** Value of a trade's share of an account's payments or proceeds. */
function valueOfTrade(
  { amounts, share }: NonNullable<NftTrade['paid']>,
  { situation }: PriceChooser,
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
