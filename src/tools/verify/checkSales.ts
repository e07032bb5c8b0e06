import type { DisplayMoney, TxReport } from '../../model/generated/report.ts';
import { parseDecimal, roundsTo, type Decimal } from './checkMoney.ts';
import type { Report } from './finding.ts';

type Sale = NonNullable<TxReport['economics']['nft_sales']>[number];

/** The parties of a sale: the sign of the NFT's change, and the money that pays for it. */
const PARTIES = [
  { side: 'buyer', money: 'price_usd', sign: 1n, fault: 'did not gain it' },
  { side: 'seller', money: 'proceeds_usd', sign: -1n, fault: 'did not give it' },
] as const;

/** NFT sales against the balances of buyers and sellers that took part in one sale only. */
export function checkSales(report: TxReport, find: Report): void {
  const { nft_sales: sales = [] } = report.economics;
  for (const [i, sale] of sales.entries()) {
    const at = `/economics/nft_sales/${i}`;
    const parties = PARTIES.filter(
      ({ side }) => sales.filter((other) => other[side] === sale[side]).length === 1,
    );
    for (const { side, money, sign } of parties) {
      const [stated, exact] = [amountOf(sale[money]), moneyOf(report, sale[side], -sign)];
      if (stated && exact && !roundsTo(stated, exact))
        find('sales', `${at}/${money}`, `${sale[money].text} is not what balances and prices give`);
    }
    checkFees(sale, at, find);
    for (const { side, money, sign, fault } of parties) {
      const moved = report.inventory_deltas.some(
        (d) => d.subject === sale[side] && d.asset.id === sale.asset.id && BigInt(d.delta_raw) * sign > 0n,
      );
      if (!moved && sale[money].available) find('sales', `${at}/${side}`, `${sale[side]} ${fault}`);
    }
  }
}

function checkFees({ price_usd, proceeds_usd, fees_usd }: Sale, at: string, find: Report): void {
  const [price, proceeds, fees] = [price_usd, proceeds_usd, fees_usd].map(amountOf);
  if (price && proceeds && fees && Math.abs(value(price) - value(proceeds) - value(fees)) > 0.0151)
    find('sales', `${at}/fees_usd`, `${fees_usd.text} is not price less proceeds`);
}

const amountOf = ({ available, text }: DisplayMoney): Decimal | null =>
  available ? parseDecimal(text) : null;

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
