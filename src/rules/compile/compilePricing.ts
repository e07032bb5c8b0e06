import { encodeFunctionData, parseAbiItem, type AbiFunction } from 'viem';
import type { Address, Hex } from '../../model/hex.ts';
import type { ProtocolSpec } from '../../model/rulebook.ts';
import type {
  AverageSpec,
  FeedRegistrySpec,
  PriceApiSpec,
  PricingRules,
  RateNumber,
  RateSpec,
} from '../../model/pricing.ts';
import { frozenSet } from './freeze.ts';
import { readRuleAddress } from './compileProtocols.ts';
import type { RawEntityFile, RawPriceApi, RawRate } from '../read/rawRules.ts';
import { Spot, type ProblemSink, type RuleItem } from './ruleItem.ts';

type Item = RuleItem<RawEntityFile>;
type Path = readonly (string | number)[];

/** A function without arguments, or with one number: `totalSupply()`, `convertToAssets(1000)`. */
const CALL = /^([A-Za-z_]\w*)\((\d*)\)$/;

/**
 * Compiles the pricing parts of entity files other than plain feeds: the feed registry, rates and averages.
 */
export function compilePricing(
  items: readonly Item[],
  protocols: readonly ProtocolSpec[],
  sink: ProblemSink,
): PricingRules {
  let registry: FeedRegistrySpec | null = null;
  const rates: RateSpec[] = [];
  const averages: AverageSpec[] = [];
  const apis: PriceApiSpec[] = [];
  for (const item of items) {
    if (item.value.registry) {
      if (registry) sink.add(item, ['registry'], 'duplicate_feed', 'a second registry');
      registry = compileRegistry(item, sink);
    }
    for (const [i, raw] of (item.value.rates ?? []).entries()) {
      const rate = compileRate(item, ['rates', i], raw, sink);
      if (!rate) continue;
      const listed =
        rate.tokens && [...rate.tokens].find((token) => rates.some((other) => other.tokens?.has(token)));
      if (listed) sink.add(item, ['rates', i, 'tokens'], 'duplicate_feed', listed);
      rates.push(rate);
    }
    for (const [i, raw] of (item.value.price_apis ?? []).entries()) {
      if (apis.some(({ name }) => name === raw.name)) {
        sink.add(item, ['price_apis', i, 'name'], 'duplicate_feed', raw.name);
      }
      apis.push(compilePriceApi(raw));
    }
    averages.push(...compileAverages(item, protocols, sink));
  }
  return { registry, rates, averages, apis };
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

function compileRate(item: Item, at: Path, raw: RawRate, sink: ProblemSink): RateSpec | null {
  const number = (path: Path, text: string, word = 0): RateNumber | null => {
    if (/^\d+$/.test(text)) {
      if (BigInt(text) > 0n) return BigInt(text);
      sink.add(item, path, 'bad_rate', 'zero');
      return null;
    }
    const data = callData(text);
    if (data === null) sink.add(item, path, 'bad_rate', `${text} is no call that can be made`);
    return data && { data, word };
  };
  const terms = raw.terms.map((term, i) => {
    const path = [...at, 'terms', i];
    const amount = number([...path, 'amount'], term.amount, term.word);
    if (term.word !== undefined && typeof amount === 'bigint')
      sink.add(item, [...path, 'word'], 'bad_rate', 'a number has no words');
    const asset =
      term.asset === 'native'
        ? 'native'
        : term.asset.startsWith('0x') || term.asset.startsWith('0X')
          ? readRuleAddress(new Spot(item, sink, [...path, 'asset']), term.asset)
          : number([...path, 'asset'], term.asset);
    return amount === null || asset === null || typeof asset === 'bigint' ? null : { asset, amount };
  });
  const per = number([...at, 'per'], raw.per);
  const answers = (raw.answers ?? []).map((text, i) => number([...at, 'answers', i], text));
  const tokens =
    raw.tokens === 'issued' ? null : frozenSet(addresses(item, [...at, 'tokens'], raw.tokens, sink));
  if (per === null || terms.includes(null)) return null;
  return {
    name: raw.name,
    method: raw.method,
    tokens,
    terms: terms as RateSpec['terms'],
    per,
    answers: answers.flatMap((answer) =>
      answer !== null && typeof answer === 'object' ? [answer.data] : [],
    ),
    refuse: raw.refuse ?? null,
  };
}

function addresses(item: Item, at: Path, list: readonly string[], sink: ProblemSink): Address[] {
  return list.flatMap((text, i) => readRuleAddress(new Spot(item, sink, [...at, i]), text) ?? []);
}

/** Calldata of a call as the rules write it; null where it cannot be one. */
function callData(text: string): Hex | null {
  const match = CALL.exec(text);
  if (!match) return null;
  const [, name, argument] = match;
  try {
    const abi = parseAbiItem(
      `function ${name}(${argument ? 'uint256' : ''}) view returns (uint256)`,
    ) as AbiFunction;
    return encodeFunctionData({ abi: [abi], args: argument ? [BigInt(argument)] : [] });
  } catch {
    return null;
  }
}
