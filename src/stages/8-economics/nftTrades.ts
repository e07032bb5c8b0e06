import { isNft, NATIVE, parseAssetId } from '../../value/asset.ts';
import { balances } from '../../value/balances.ts';
import { kindOf } from '../../lib/motifKinds.ts';
import { roleOf } from '../../lib/roles.ts';
import type { NftTrade, Money, NftSale, PriceBook, TradeMoney } from '../../model/economics.ts';
import type { Address } from '../../model/hex.ts';
import type { Motif } from '../../model/motif.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { AssetId, ValueFlow } from '../../model/valueFlow.ts';
import { amountsOf } from '../../value/sides.ts';
import { known, subtractMoney, unknown, worthTogether } from '../../value/money.ts';
import { toDecimal } from './fraction.ts';

interface TradeInput {
  readonly motifs: readonly Motif[];
  readonly flow: ValueFlow;
  readonly rulebook: Pick<Rulebook, 'motifKinds' | 'wrappedNative'>;
}

type Side = 'buyer' | 'seller';
type Sold = Omit<NftTrade, 'paid' | 'received'>;
type Scene = TradeInput & { readonly sold: readonly Sold[] };

/**
 * Sales of single NFTs at marketplaces, with the buyer's payment and the seller's proceeds. Both are read
 * from balances, because events of marketplaces leave out fees: they are known for an account that did
 * nothing else in the transaction. Several trades of one account share its amount as their stated prices do.
 */
export function nftTrades(input: TradeInput): NftTrade[] {
  const sold = input.motifs.map((motif) => soldBy(motif, input)).filter((sale) => sale !== null);
  if (sold.length === 0) return [];
  const scene = { ...input, sold };
  return sold.map((trade) => {
    return { ...trade, paid: shareOf(trade, 'buyer', scene), received: shareOf(trade, 'seller', scene) };
  });
}

const isNftId = (id: AssetId): boolean => isNft(parseAssetId(id) ?? NATIVE);

/** Null for any act but the proven sale of NFTs of one id. */
function soldBy(motif: Motif, { rulebook }: TradeInput): Sold | null {
  const { venue, composite } = kindOf(rulebook, motif.kind);
  if (venue !== 'marketplace' || composite || motif.status !== 'Proven') return null;
  if (motif.claims.some(({ holds }) => !holds)) return null;
  const [buyer, seller] = [roleOf(motif, 'buyer'), roleOf(motif, 'seller')];
  const nfts = amountsOf(motif, rulebook).filter(({ asset }) => isNftId(asset));
  const [nft] = nfts;
  if (!buyer || !seller || buyer === seller || !nft || nfts.length > 1) return null;
  return { motif, asset: nft.asset, units: nft.amount, buyer, seller };
}

/** A trade's share of all its account paid or received; null where unclear. */
function shareOf(trade: Sold, side: Side, scene: Scene): NftTrade['paid'] {
  const own = scene.sold.filter((other) => other[side] === trade[side]);
  const amounts = moneyOf(trade[side], side, scene);
  if (!amounts) return null;
  if (own.length === 1) return { amounts, share: { numerator: 1n, denominator: 1n } };
  const stated = own.map((other) => statedPrice(other, scene) ?? soleProceeds(other, scene));
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
function soleProceeds({ seller }: Sold, scene: Scene): Amount | null {
  const own = scene.sold.filter((other) => other.seller === seller);
  const money = own.length === 1 ? moneyOf(seller, 'seller', scene) : null;
  return money?.length === 1 ? { asset: money[0]![0], amount: money[0]![1] } : null;
}

/** The one fungible amount a trade's event or movements state. */
function statedPrice({ motif }: Sold, { rulebook }: TradeInput): Amount | null {
  const money = amountsOf(motif, rulebook).filter(({ asset }) => !isNftId(asset));
  return money.length === 1 ? money[0]! : null;
}

/**
 * An account's payments or proceeds for its trades; null where it had both, or where NFTs of these trades or
 * others moved differently.
 */
function moneyOf(
  account: Address,
  side: Side,
  { flow, rulebook, sold }: Scene,
): readonly (readonly [AssetId, bigint])[] | null {
  const sign = side === 'buyer' ? 1n : -1n;
  const units = (nft: AssetId): bigint =>
    sold.reduce((sum, one) => (one[side] === account && one.asset === nft ? sum + one.units : sum), 0n);
  const own = balances(flow, account, { mergeWrapped: rulebook.wrappedNative });
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
