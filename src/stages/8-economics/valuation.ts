import { hash } from 'node:crypto';
import { formatAmount } from '../../value/amount.ts';
import type { ChosenPrice, Valuation } from '../../model/economics.ts';
import type { AssetId, ValueFlow } from '../../model/valueFlow.ts';
import type { Pricing } from './priceAssets.ts';

/** Digest of the priced assets with source, time and price: equal prices at the same block, equal id. */
function snapshotId(prices: readonly ChosenPrice[], block: bigint): string | null {
  if (prices.length === 0) return null;
  let text = block.toString();
  // Lines of JSON. Only a source's name may need escapes.
  for (const { asset, unit, quote } of prices) {
    text +=
      `\n["${asset}","${quote.method}",${JSON.stringify(quote.source)},"` +
      `${formatAmount(unit.usd.numerator, unit.usd.scale)}",${quote.asOf}]`;
  }
  return `sha256:${hash('sha256', text)}`;
}

function count(n: number, one: string): string {
  return `${n} ${one}${n === 1 ? '' : 's'}`;
}

function warningText(stale: number, doubted: number): string | null {
  const parts: string[] = [];
  if (stale > 0) parts.push(`${count(stale, 'price')} outside the freshness threshold`);
  if (doubted > 0) parts.push(`for ${count(doubted, 'priced asset')} another source was set aside`);
  return parts.length > 0 ? parts.join('; ') : null;
}

/** Which assets moved, how many of them have a price, and the prices and refusals behind every figure. */
export function valuation(flow: ValueFlow, pricing: Pricing, block: bigint): Valuation {
  const { prices, refusals } = pricing.book;
  const { assets } = flow;
  // Refusals are in the order of the ids.
  const unpriced: AssetId[] = [];
  for (const asset of refusals.keys()) if (assets.has(asset)) unpriced.push(asset);
  const used = [...prices.values()];
  return {
    snapshotId: snapshotId(used, block),
    pricedAssets: assets.size - unpriced.length,
    totalAssets: assets.size,
    unpricedAssets: unpriced,
    priceWarning: warningText(used.filter((price) => price.stale).length, pricing.doubted.length),
    refusals: [...refusals.values()],
    prices: used,
  };
}
