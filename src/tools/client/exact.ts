import type { TxReport } from './report.ts';

const DECIMAL = /^-?\d+(\.\d+)?$/;

/**
 * The exact sum of decimal strings such as `delta` or `delta_raw`, trailing zeros cut.
 * Throws `RangeError` for a text that is no decimal number.
 */
export function sumExact(amounts: readonly string[]): string {
  const places = Math.max(0, ...amounts.map((text) => text.split('.')[1]?.length ?? 0));
  let sum = 0n;
  for (const text of amounts) {
    if (!DECIMAL.test(text)) throw new RangeError(`${text} is not a decimal number`);
    const [whole = '', fraction = ''] = text.split('.');
    sum += BigInt(whole + fraction.padEnd(places, '0'));
  }
  const digits = (sum < 0n ? -sum : sum).toString().padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
  return `${sum < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Sums over all accounts by asset, where they are not zero; empty when the books balance. */
export function unbalancedAssets(report: Pick<TxReport, 'inventory_deltas'>): Map<string, string> {
  const amounts = new Map<string, string[]>();
  for (const { asset, delta_raw: raw } of report.inventory_deltas)
    amounts.set(asset.id, [...(amounts.get(asset.id) ?? []), raw]);
  const sums = [...amounts].map(([id, list]) => [id, sumExact(list)] as const);
  return new Map(sums.filter(([, sum]) => sum !== '0'));
}
