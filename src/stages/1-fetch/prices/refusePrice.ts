import type { PriceRefusal } from '../../../model/upstream.ts';

/** A refusal of a source; `no_source` unless it says otherwise. */
export function refusePrice(
  asset: PriceRefusal['asset'],
  reason: string,
  { code = 'no_source', observed = null, threshold = null }: Partial<PriceRefusal> = {},
): PriceRefusal {
  return { asset, code, reason, observed, threshold };
}
