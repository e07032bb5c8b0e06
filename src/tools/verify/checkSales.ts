import type { DisplayMoney, TxReport } from '../../model/generated/report.ts';
import { parseDecimal, roundsTo, type Decimal } from './checkMoney.ts';
import type { Report } from './finding.ts';

type Sale = NonNullable<TxReport['economics']['nft_sales']>[number];

/** NFT sales against the balances of buyers and sellers that took part in one sale only. */
export function checkSales(report: TxReport, find: Report): void {
  const { nft_sales: sales = [] } = report.economics;
  const alone = (sale: Sale, side: 'buyer' | 'seller'): boolean =>
    sales.filter((other) => other[side] === sale[side]).length === 1;
  const compare = (at: string, shown: DisplayMoney, exact: Decimal | null): void => {
    const stated = shown.available ? parseDecimal(shown.text) : null;
    if (stated && exact && !roundsTo(stated, exact))
      find('sales', at, `${shown.text} is not what balances and prices give`);
  };
  for (const [i, sale] of sales.entries()) {
    const at = `/economics/nft_sales/${i}`;
    if (alone(sale, 'buyer')) compare(`${at}/price_usd`, sale.price_usd, moneyOf(report, sale.buyer, -1n));
    if (alone(sale, 'seller'))
      compare(`${at}/proceeds_usd`, sale.proceeds_usd, moneyOf(report, sale.seller, 1n));
    const [price, proceeds, fees] = [sale.price_usd, sale.proceeds_usd, sale.fees_usd].map((money) =>
      money.available ? parseDecimal(money.text) : null,
    );
    if (price && proceeds && fees && Math.abs(value(price) - value(proceeds) - value(fees)) > 0.0151)
      find('sales', `${at}/fees_usd`, `${sale.fees_usd.text} is not price less proceeds`);
    const moved = (account: string, sign: bigint): boolean =>
      report.inventory_deltas.some(
        (d) => d.subject === account && d.asset.id === sale.asset.id && BigInt(d.delta_raw) * sign > 0n,
      );
    const [bought, sold] = [moved(sale.buyer, 1n), moved(sale.seller, -1n)];
    if (!bought && alone(sale, 'buyer') && sale.price_usd.available)
      find('sales', `${at}/buyer`, `${sale.buyer} did not gain it`);
    if (!sold && alone(sale, 'seller') && sale.proceeds_usd.available)
      find('sales', `${at}/seller`, `${sale.seller} did not give it`);
  }
}

const value = ({ units, places }: Decimal): number => Number(units) / 10 ** places;

/** Dollars of an account's changes in money, NFTs left out; null where a part has no price. */
function moneyOf(report: TxReport, account: string, sign: bigint): Decimal | null {
  const prices = new Map((report.economics.valuation.prices ?? []).map((p) => [p.asset_id, p.price_exact]));
  let total: Decimal = { units: 0n, places: 0 };
  for (const { subject, asset, delta_raw: raw } of report.inventory_deltas) {
    if (subject !== account || (asset.kind !== 'native' && asset.kind !== 'erc20') || raw === '0') continue;
    const price = parseDecimal(prices.get(asset.id) ?? '');
    if (!price || asset.decimals === null) return null;
    const part = { units: sign * BigInt(raw) * price.units, places: asset.decimals + price.places };
    const places = Math.max(total.places, part.places);
    const at = (d: Decimal): bigint => d.units * 10n ** BigInt(places - d.places);
    total = { units: at(total) + at(part), places };
  }
  return total;
}
