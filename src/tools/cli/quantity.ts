import { shownAmount } from '../../value/shownAmount.ts';

/** A report's exact amount, rounded for reading; smallest units where the decimals are unknown. */
export function quantity(exact: string | null, raw: string): string {
  return exact === null ? `${raw} (raw)` : shownAmount(exact);
}
