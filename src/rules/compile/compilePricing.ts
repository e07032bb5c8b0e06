import type { ProtocolSpec } from '../../model/rulebook.ts';
import type {
  AverageSpec,
  FeedRegistrySpec,
  PositionSpec,
  PriceApiSpec,
  PricingRules,
  RateSpec,
} from '../../model/pricing.ts';
import { camel } from './camel.ts';
import { readRuleAddress, readRuleAddresses } from './compileProtocols.ts';
import { compilePosition, compileRate } from './compileRate.ts';
import type { RawEntityFile, RawPriceApi } from '../../model/generated/rules.ts';

import { Spot, type RuleItem } from './ruleItem.ts';

/** Compiles the pricing parts of entity files except plain feeds. */
export function compilePricing(
  items: readonly RuleItem<RawEntityFile>[],
  protocols: readonly ProtocolSpec[],
): PricingRules {
  let registry: FeedRegistrySpec | null = null;
  const rates: RateSpec[] = [];
  const positions: PositionSpec[] = [];
  const averages: AverageSpec[] = [];
  const apis: PriceApiSpec[] = [];
  for (const item of items) {
    const spot = new Spot(item);
    const { value } = item;
    if (value.registry) {
      if (registry) spot.at('registry').report('duplicate_feed', 'a second registry');
      registry = compileRegistry(spot.at('registry'), value.registry);
    }
    for (const [raw, at] of spot.each('rates', value.rates)) {
      const rate = compileRate(at, raw, protocols);
      if (rate) addRate(at.at('tokens'), rate, rates);
    }
    for (const [raw, at] of spot.each('positions', value.positions)) {
      const position = compilePosition(at, raw);
      if (position) positions.push(position);
    }
    for (const [raw, at] of spot.each('price_apis', value.price_apis)) {
      if (apis.some(({ name }) => name === raw.name)) at.at('name').report('duplicate_feed', raw.name);
      apis.push(compilePriceApi(raw));
    }
    averages.push(...compileAverages(spot, value, protocols));
  }
  return { registry, rates, positions, averages, apis };
}

/** A token may be listed in one rate only. */
function addRate(spot: Spot, rate: RateSpec, rates: RateSpec[]): void {
  const known = new Set(rates.flatMap(({ tokens }) => [...(tokens ?? [])]));
  const listed = [...(rate.tokens ?? [])].find((token) => known.has(token));
  if (listed) spot.report('duplicate_feed', listed);
  rates.push(rate);
}

function compileAverages(spot: Spot, raws: RawEntityFile, protocols: readonly ProtocolSpec[]): AverageSpec[] {
  return spot.each('averages', raws.averages).flatMap(([raw, at]) => {
    const create2 = protocols.find(({ slug }) => slug === raw.protocol)?.create2;
    if (create2?.salt !== 'abi_fee') {
      at.at('protocol').report('bad_rate', `${raw.protocol} has no pools by create2 with salt abi_fee`);
      return [];
    }
    return {
      create2: { deployer: create2.deployer, initCodeHash: create2.initCodeHash, fees: create2.fees },
      window: raw.window,
      bases: readRuleAddresses(at.at('bases'), raw.bases),
      minSideUsd: BigInt(raw.min_side_usd),
    };
  });
}

function compilePriceApi(raw: RawPriceApi): PriceApiSpec {
  const { answer, ...own } = raw;
  const { price, time, time_unit: timeUnit = 's', confidence } = answer;
  return {
    nativePath: raw.path,
    coinsPerRequest: 1,
    window: 0,
    ...camel(own),
    price: price.split('.'),
    time: time.split('.'),
    timeUnit,
    confidence: confidence?.split('.') ?? null,
  };
}

function compileRegistry(
  spot: Spot,
  { address: text, heartbeat, quotes: raws }: NonNullable<RawEntityFile['registry']>,
): FeedRegistrySpec | null {
  const address = readRuleAddress(spot.at('address'), text);
  const quotes = spot.each('quotes', raws).flatMap(([quote, at]) => {
    const denomination = readRuleAddress(at.at('denomination'), quote.denomination);
    return denomination ? [{ denomination, in: quote.in }] : [];
  });
  return address && { address, heartbeat, quotes };
}
