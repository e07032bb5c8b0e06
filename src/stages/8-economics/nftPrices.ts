import { nftId, isNft, NATIVE, parseAssetId } from '../../value/asset.ts';
import type { NftTrade, Money, NftSale, PriceBook, TradeMoney } from '../../model/economics.ts';
import type { PositionRead, PriceQuote } from '../../model/upstream.ts';
import type { AssetId } from '../../model/valueFlow.ts';
import { isRefusal, choosePrice, refusal, type PriceChoice, type RefusalReason } from './choosePrice.ts';
import { NOTHING, sum, whole, type Fraction, toDecimal } from './fraction.ts';
import { computedQuote, termValues, valueOfUnits, type RateSituation } from './ratedQuote.ts';
import { Q192, Q96, sqrtRatioAtTick } from '../../value/tickPrice.ts';
import { balances } from '../../value/balances.ts';
import { roleOf } from '../../lib/roles.ts';
import type { Address } from '../../model/hex.ts';
import type { Motif } from '../../model/motif.ts';
import type { Scene } from '../../model/scene.ts';
import { amountsOf } from '../../value/sides.ts';
import { known, subtractMoney, unknown, worthTogether } from '../../value/money.ts';

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

/** Prices of NFTs: a liquidity position's from its holdings, any other's from its sale here. No floors. */
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

type Side = 'buyer' | 'seller';
type Sold = Omit<NftTrade, 'paid' | 'received'>;
type Sales = Pick<Scene, 'flow'> & { readonly sold: readonly Sold[] };

/**
 * Sales of single NFTs at marketplaces, with the buyer's payment and the seller's proceeds. Both are read
 * from balances, because events of marketplaces leave out fees: they are known for an account that did
 * nothing else in the transaction. Several trades of one account share its amount as their stated prices do.
 */
export function nftTrades(input: Pick<Scene, 'flow' | 'motifs'>): NftTrade[] {
  const sold = input.motifs.map(soldBy).filter((sale) => sale !== null);
  if (sold.length === 0) return [];
  const sales = { flow: input.flow, sold };
  return sold.map((trade) => {
    return { ...trade, paid: shareOf(trade, 'buyer', sales), received: shareOf(trade, 'seller', sales) };
  });
}

const isNftId = (id: AssetId): boolean => isNft(parseAssetId(id) ?? NATIVE);

/** Null for any act but the proven sale of NFTs of one id. */
function soldBy(motif: Motif): Sold | null {
  const { venue, composite } = motif.traits;
  if (venue !== 'marketplace' || composite || motif.status !== 'Proven') return null;
  if (motif.claims.some(({ holds }) => !holds)) return null;
  const [buyer, seller] = [roleOf(motif, 'buyer'), roleOf(motif, 'seller')];
  const nfts = amountsOf(motif).filter(({ asset }) => isNftId(asset));
  const [nft] = nfts;
  if (!buyer || !seller || buyer === seller || !nft || nfts.length > 1) return null;
  return { motif, asset: nft.asset, units: nft.amount, buyer, seller };
}

/** A trade's share of all its account paid or received; null where unclear. */
function shareOf(trade: Sold, side: Side, sales: Sales): NftTrade['paid'] {
  const own = sales.sold.filter((other) => other[side] === trade[side]);
  const amounts = moneyOf(trade[side], side, sales);
  if (!amounts) return null;
  if (own.length === 1) return { amounts, share: { numerator: 1n, denominator: 1n } };
  const stated = own.map((other) => statedPrice(other) ?? soleProceeds(other, sales));
  const weight = stated[own.indexOf(trade)]!;
  if (!weight || stated.some((price) => price === null || price.asset !== weight.asset)) return null;
  const denominator = stated.reduce((total, price) => total + price!.amount, 0n);
  return denominator === 0n ? null : { amounts, share: { numerator: weight.amount, denominator } };
}

interface Amount {
  readonly asset: AssetId;
  readonly amount: bigint;
}

/** The seller's proceeds, where it sold nothing else; the buyer's fees are shared alike. */
function soleProceeds({ seller }: Sold, sales: Sales): Amount | null {
  const own = sales.sold.filter((other) => other.seller === seller);
  const money = own.length === 1 ? moneyOf(seller, 'seller', sales) : null;
  return money?.length === 1 ? { asset: money[0]![0], amount: money[0]![1] } : null;
}

/** The one fungible amount a trade's event or movements state. */
function statedPrice({ motif }: Sold): Amount | null {
  const money = amountsOf(motif).filter(({ asset }) => !isNftId(asset));
  return money.length === 1 ? money[0]! : null;
}

/** An account's payments or proceeds for its trades; null where it had both or other NFTs moved. */
function moneyOf(
  account: Address,
  side: Side,
  { flow, sold }: Sales,
): readonly (readonly [AssetId, bigint])[] | null {
  const sign = side === 'buyer' ? 1n : -1n;
  const units = (nft: AssetId): bigint =>
    sold.reduce((sum, one) => (one[side] === account && one.asset === nft ? sum + one.units : sum), 0n);
  const own = balances(flow, account);
  if (sold.some((one) => one[side] === account && !own.has(one.asset))) return null;
  const money: (readonly [AssetId, bigint])[] = [];
  for (const { id, net } of own.values()) {
    const paid = -sign * net;
    if (isNftId(id) ? paid !== -units(id) : paid < 0n) return null;
    if (!isNftId(id) && paid > 0n) money.push([id, paid]);
  }
  return money.length > 0 ? money : null;
}

/** Reason for an unknown amount: the account did more than this sale in the transaction. */
const MIXED = 'mixed_with_other_flows';

/** Amounts of each NFT sale: the buyer's price, the seller's proceeds and the fees between them. */
export function nftSales(trades: readonly NftTrade[], book: PriceBook): NftSale[] {
  return trades.map((trade) => {
    const price = usdOf(trade.paid, book);
    const proceeds = usdOf(trade.received, book);
    return { trade, price, proceeds, fees: subtractMoney(price, proceeds) };
  });
}

function usdOf(part: TradeMoney | null, book: PriceBook): Money {
  if (!part) return unknown(MIXED);
  const { usd, reason } = worthTogether(part.amounts, book);
  const { numerator, denominator } = part.share;
  if (usd === null) return unknown(reason);
  if (numerator === denominator) return known(usd);
  return known(
    toDecimal({
      numerator: usd.numerator * numerator,
      denominator: 10n ** BigInt(usd.scale) * denominator,
    }),
  );
}
