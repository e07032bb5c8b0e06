import { groupBy } from '../../lib/lists.ts';
import { formatAmount, parseAmount } from '../../value/amount.ts';
import type { TxReport } from './report.ts';

const DECIMAL = /^-?\d+(\.\d+)?$/;

/** The exact sum of decimal texts, trailing zeros cut. Throws `RangeError` for one that is no decimal. */
export function sumExact(amounts: readonly string[]): string {
  const places = Math.max(0, ...amounts.map((text) => text.split('.')[1]?.length ?? 0));
  let sum = 0n;
  for (const text of amounts) {
    if (!DECIMAL.test(text)) throw new RangeError(`${text} is not a decimal number`);
    sum += parseAmount(text, places);
  }
  return formatAmount(sum, places);
}

/** Sums over all accounts by asset, where they are not zero; empty when the books balance. */
export function unbalancedAssets(report: Pick<TxReport, 'inventory_deltas'>): Map<string, string> {
  const byAsset = groupBy(report.inventory_deltas, ({ asset }) => asset.id);
  const sums = [...byAsset].map(([id, list]) => [id, sumExact(list.map((one) => one.delta_raw))] as const);
  return new Map(sums.filter(([, sum]) => sum !== '0'));
}
