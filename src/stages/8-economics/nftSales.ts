import { known, subtractMoney, unknown, worthTogether } from '../../value/money.ts';
import type { Money, NftSale, NftTrade, PriceBook, TradeMoney } from '../../model/economics.ts';
import { toDecimal } from './fraction.ts';

/** Reason for an unknown amount: the account did more than this sale in the transaction. */
const MIXED = 'mixed_with_other_flows';

/** Amounts of each NFT sale: the buyer's price, the seller's proceeds and the fees between them. */
export function nftSales(trades: readonly NftTrade[], book: PriceBook): NftSale[] {
  return trades.map((trade) => {
    const price = moneyOf(trade.paid, book);
    const proceeds = moneyOf(trade.received, book);
    return { trade, price, proceeds, fees: subtractMoney(price, proceeds) };
  });
}

function moneyOf(part: TradeMoney | null, book: PriceBook): Money {
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
