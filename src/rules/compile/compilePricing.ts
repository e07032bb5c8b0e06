import type { Address } from '../../model/hex.ts';
import type { ProtocolSpec } from '../../model/rulebook.ts';
import type {
  AverageSpec,
  FeedRegistrySpec,
  PositionSpec,
  PriceApiSpec,
  PricingRules,
  RateSpec,
} from '../../model/pricing.ts';
import { readRuleAddress } from './compileProtocols.ts';
import { compilePosition, compileRate } from './compileRate.ts';
import type { RawEntityFile, RawPriceApi } from '../../model/generated/rules.ts';

import { Spot, type ProblemSink, type RuleItem } from './ruleItem.ts';

type Item = RuleItem<RawEntityFile>;
type Path = readonly (string | number)[];

/** Compiles the pricing parts of entity files except plain feeds. */
export function compilePricing(
  items: readonly Item[],
  protocols: readonly ProtocolSpec[],
  sink: ProblemSink,
): PricingRules {
  let registry: FeedRegistrySpec | null = null;
  const rates: RateSpec[] = [];
  const positions: PositionSpec[] = [];
  const averages: AverageSpec[] = [];
  const apis: PriceApiSpec[] = [];
  for (const item of items) {
    if (item.value.registry) {
      if (registry) sink.add(item, ['registry'], 'duplicate_feed', 'a second registry');
      registry = compileRegistry(item, sink);
    }
    for (const [i, raw] of (item.value.rates ?? []).entries()) {
      const spot = new Spot(item, sink, ['rates', i]);
      const rate = compileRate(spot, raw, protocols);
      if (rate) addRate(spot.at('tokens'), rate, rates);
    }
    for (const [i, raw] of (item.value.positions ?? []).entries()) {
      const position = compilePosition(new Spot(item, sink, ['positions', i]), raw);
      if (position) positions.push(position);
    }
    for (const [i, raw] of (item.value.price_apis ?? []).entries()) {
      if (apis.some(({ name }) => name === raw.name)) {
        sink.add(item, ['price_apis', i, 'name'], 'duplicate_feed', raw.name);
      }
      apis.push(compilePriceApi(raw));
    }
    averages.push(...compileAverages(item, protocols, sink));
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

function compileAverages(item: Item, protocols: readonly ProtocolSpec[], sink: ProblemSink): AverageSpec[] {
  const averages: AverageSpec[] = [];
  for (const [i, raw] of (item.value.averages ?? []).entries()) {
    const create2 = protocols.find(({ slug }) => slug === raw.protocol)?.create2;
    if (!create2 || create2.salt !== 'abi_fee') {
      sink.add(
        item,
        ['averages', i, 'protocol'],
        'bad_rate',
        `${raw.protocol} has no pools by create2 with salt abi_fee`,
      );
      continue;
    }
    const bases = addresses(item, ['averages', i, 'bases'], raw.bases, sink);
    averages.push({
      create2: { deployer: create2.deployer, initCodeHash: create2.initCodeHash, fees: create2.fees },
      window: raw.window,
      bases,
      minSideUsd: BigInt(raw.min_side_usd),
    });
  }
  return averages;
}

function compilePriceApi(raw: RawPriceApi): PriceApiSpec {
  const { price, time, time_unit: timeUnit = 's', confidence } = raw.answer;
  return {
    name: raw.name,
    base: raw.base,
    path: raw.path,
    nativePath: raw.native_path ?? raw.path,
    token: raw.token,
    native: raw.native,
    coinsPerRequest: raw.coins_per_request ?? 1,
    window: raw.window ?? 0,
    price: price.split('.'),
    time: time.split('.'),
    timeUnit,
    confidence: confidence?.split('.') ?? null,
    heartbeat: raw.heartbeat,
  };
}

function compileRegistry(item: Item, sink: ProblemSink): FeedRegistrySpec | null {
  const raw = item.value.registry!;
  const address = readRuleAddress(new Spot(item, sink, ['registry', 'address']), raw.address);
  const quotes = raw.quotes.flatMap((quote, i) => {
    const denomination = readRuleAddress(
      new Spot(item, sink, ['registry', 'quotes', i, 'denomination']),
      quote.denomination,
    );
    return denomination ? [{ denomination, in: quote.in }] : [];
  });
  return address && { address, heartbeat: raw.heartbeat, quotes };
}

function addresses(item: Item, at: Path, list: readonly string[], sink: ProblemSink): Address[] {
  return list.flatMap((text, i) => readRuleAddress(new Spot(item, sink, [...at, i]), text) ?? []);
}
