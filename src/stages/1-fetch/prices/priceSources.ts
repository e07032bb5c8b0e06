import { feedPrices, registryPrices } from './feedPrices.ts';
import { positionReads } from './positionReads.ts';
import { ratePrices } from './ratePrices.ts';
import type { PricingPlan } from './planPricing.ts';
import type { PriceSource } from './priceSource.ts';
import type { RateSpec } from '../../../model/pricing.ts';

/** Every source there is, by the name the configuration gives it. */
export const PRICE_SOURCE_NAMES = ['chainlink', 'vault', 'wrapper', 'lp', 'twap', 'http'] as const;
export type PriceSourceName = (typeof PRICE_SOURCE_NAMES)[number];

/** Sources asked by default: all that fit the second round trip. */
export const STANDARD_PRICE_SOURCES: readonly PriceSourceName[] = ['chainlink', 'vault', 'wrapper', 'lp'];

/** Name of the source that reads rates of a method. */
const RATE_SOURCES: Readonly<Record<RateSpec['method'], PriceSourceName>> = {
  erc4626: 'vault',
  wrapper: 'wrapper',
  lp_share: 'lp',
};

/** The sources that read contracts in the second round trip. */
export function contractSources(plan: PricingPlan, names: ReadonlySet<PriceSourceName>): PriceSource[] {
  const sources = names.has('chainlink')
    ? [feedPrices([...plan.feeds, ...plan.usualBases]), registryPrices(plan.registry)]
    : [];
  // One source for all families: a token is asked once for all of them.
  const planned = plan.rates.filter(({ spec }) => names.has(RATE_SOURCES[spec.method]));
  if (planned.length > 0) sources.push(ratePrices(planned));
  if (plan.positions.length > 0 && names.has('lp')) sources.push(positionReads(plan.positions));
  return sources;
}
