import { formatAmount } from '../../value/amount.ts';
import { compareUsd, worth } from '../../value/money.ts';
import { isSwap } from '../../lib/motifKinds.ts';
import type { ChosenPrice, Usd } from '../../model/economics.ts';
import type { Motif } from '../../model/motif.ts';
import type { SideAmount } from '../../model/scene.ts';
import type { AssetId } from '../../model/valueFlow.ts';
import { amountsOf } from '../../value/sides.ts';
import { refusal, type RefusalReason } from './choosePrice.ts';

type Prices = ReadonlyMap<AssetId, ChosenPrice>;

/** A side of a trade that is worth less than half of the other contradicts it: 2 × lower < 1 × higher. */
const CONTRADICTED = [2n, 1n] as const;
/** A trade that won or lost half of its smaller side. */
export const DEVIATING = [3n, 2n] as const;
/** Below a cent rounding decides the sides. */
const LEAST_USD = { numerator: 1n, scale: 2 };

/** Two values of one trade lie too far apart for both prices to be right, unless somebody lost by it. */
export function isApart(a: Usd, b: Usd, [lower, higher]: readonly [bigint, bigint] = CONTRADICTED): boolean {
  const [low, high] = compareUsd(a, b) < 0 ? [a, b] : [b, a];
  const times = (usd: Usd, factor: bigint): Usd => ({ ...usd, numerator: usd.numerator * factor });
  return compareUsd(high, LEAST_USD) > 0 && compareUsd(times(low, lower), times(high, higher)) < 0;
}

/**
 * Prices sent by an API that the other side of a proven trade contradicts by an on-chain price. Between
 * sources of equal strength nothing says which is wrong: the trade itself may be a loss.
 */
export function contradictedPrices(
  prices: Prices,
  motifs: readonly Motif[],
): ReadonlyMap<AssetId, RefusalReason> {
  const refused = new Map<AssetId, RefusalReason>();
  for (const motif of motifs) {
    if (motif.status !== 'Proven' || !isSwap(motif)) continue;
    const amounts = amountsOf(motif).filter(({ role }) => role !== 'fee');
    const both = [amounts.filter(({ gave }) => !gave), amounts.filter(({ gave }) => gave)];
    const sides = both.flatMap((side) => sideOf(side, prices) ?? []);
    const [weak, strong] = [sides.find((side) => side.isSent), sides.find((side) => !side.isSent)];
    if (!weak || !strong || !isApart(weak.usd, strong.usd)) continue;
    const observed = `$${textOf(weak)} for $${textOf(strong)}`;
    refused.set(weak.id, refusal('price_deviation', 'a trade here contradicts the price', observed, 'half'));
  }
  for (const { asset, restsOn } of prices.values()) {
    const reason = restsOn.map((base) => refused.get(base)).find(Boolean);
    if (reason && !refused.has(asset)) refused.set(asset, reason);
  }
  return refused;
}

const textOf = ({ usd }: { readonly usd: Usd }): string => formatAmount(usd.numerator, usd.scale);

/** The one priced asset of a side. */
function sideOf([one, ...more]: readonly SideAmount[], prices: Prices) {
  const price = one && more.length === 0 ? prices.get(one.asset) : undefined;
  if (!one || !price) return null;
  return { id: one.asset, usd: worth(one.amount, price.unit), isSent: isSent(price, prices) };
}

/** Whether the price, or one that it rests on, came from an API. */
function isSent({ quote, restsOn }: ChosenPrice, prices: Prices): boolean {
  return quote.method === 'http' || restsOn.some((base) => prices.get(base)?.quote.method === 'http');
}
