import * as AbiFunction from 'ox/AbiFunction';
import type { Hex } from '../../model/hex.ts';
import {
  TOKEN_ARGUMENT,
  type AverageSpec,
  type FeedRegistrySpec,
  type PositionSpec,
  type PriceApiSpec,
  type PricingRules,
  type RateCall,
  type RateIdentity,
  type RateNumber,
  type RateSpec,
} from '../../model/pricing.ts';
import type { ProtocolSpec } from '../../model/rulebook.ts';
import type {
  RawEntityFile,
  RawPosition,
  RawPriceApi,
  RawProof,
  RawRate,
  RawTerm,
} from '../../model/generated/rules.ts';
import { Spot, camel, type RuleItem } from './ruleItem.ts';
import { checkAddress, isFault } from './signature.ts';

type Protocols = readonly ProtocolSpec[];

/** Compiles the pricing parts of entity files except plain feeds. */
export function compilePricing(
  items: readonly RuleItem<RawEntityFile>[],
  protocols: Protocols,
): PricingRules {
  let registry: FeedRegistrySpec | null = null;
  const rates: RateSpec[] = [];
  const positions: PositionSpec[] = [];
  const averages: AverageSpec[] = [];
  const apis: PriceApiSpec[] = [];
  for (const item of items) {
    const { value } = item;
    const spot = new Spot(item);
    if (value.registry) {
      if (registry) spot.at('registry').report('duplicate_feed', 'a second registry');
      registry = compileRegistry(spot.at('registry'), value.registry);
    }
    for (const [raw, at] of spot.each('rates', value.rates)) {
      const rate = compileRate(at, raw, protocols);
      const known = new Set(rates.flatMap(({ tokens }) => [...(tokens ?? [])]));
      const listed = [...(rate.tokens ?? [])].find((token) => known.has(token));
      if (listed) at.at('tokens').report('duplicate_feed', listed);
      rates.push(rate);
    }
    for (const [raw, at] of spot.each('positions', value.positions)) positions.push(compilePosition(at, raw));
    for (const [raw, at] of spot.each('price_apis', value.price_apis)) {
      if (apis.some(({ name }) => name === raw.name)) at.at('name').report('duplicate_feed', raw.name);
      apis.push(compilePriceApi(raw));
    }
    averages.push(...compileAverages(spot, value, protocols));
  }
  return { registry, rates, positions, averages, apis };
}

function compileRegistry(
  spot: Spot,
  { address, heartbeat, quotes }: NonNullable<RawEntityFile['registry']>,
): FeedRegistrySpec {
  return {
    address: spot.at('address').address(address),
    heartbeat,
    quotes: spot.each('quotes', quotes).map(([quote, at]) => ({
      denomination: at.at('denomination').address(quote.denomination),
      in: quote.in,
    })),
  };
}

/** Compiles the words of a position NFT's answer. */
function compilePosition(spot: Spot, { name: _, nft, call, ...words }: RawPosition): PositionSpec {
  const selector = AbiFunction.getSelector(`function ${call}`);
  return { nft: spot.at('nft').address(nft), selector, ...camel(words) };
}

function compileAverages(spot: Spot, raws: RawEntityFile, protocols: Protocols): AverageSpec[] {
  return spot.each('averages', raws.averages).flatMap(([raw, at]) => {
    const create2 = protocols.find(({ slug }) => slug === raw.protocol)?.create2;
    if (create2?.salt !== 'abi_fee') {
      at.at('protocol').report('bad_rate', `${raw.protocol} has no pools by create2 with salt abi_fee`);
      return [];
    }
    return {
      create2: { deployer: create2.deployer, initCodeHash: create2.initCodeHash, fees: create2.fees },
      window: raw.window,
      bases: at.at('bases').addresses(raw.bases),
      minSideUsd: BigInt(raw.min_side_usd),
    };
  });
}

function compilePriceApi({ answer, ...own }: RawPriceApi): PriceApiSpec {
  const { price, time, time_unit: timeUnit = 's', confidence } = answer;
  return {
    nativePath: own.path,
    coinsPerRequest: 1,
    window: 0,
    ...camel(own),
    price: price.split('.'),
    time: time.split('.'),
    timeUnit,
    confidence: confidence?.split('.') ?? null,
  };
}

function compileRate(spot: Spot, raw: RawRate, protocols: Protocols): RateSpec {
  const calls = (key: 'answers' | 'silent'): Hex[] =>
    spot.each(key, raw[key]).map(([text, at]) => readCall(at, text).data);
  return {
    method: raw.method,
    tokens: typeof raw.tokens === 'string' ? null : new Set(spot.at('tokens').addresses(raw.tokens)),
    identity: compileProof(spot, raw.tokens === 'moved', raw.proof, protocols),
    terms: spot.each('terms', raw.terms).map(([term, at]) => compileTerm(at, term)),
    per: readNumber(spot.at('per'), raw.per),
    answers: calls('answers'),
    silent: calls('silent'),
    uneven: raw.uneven ?? false,
    refuse: raw.refuse ?? null,
  };
}

/** Proof that tokens that moved belong to a family. */
function compileProof(
  spot: Spot,
  areMoved: boolean,
  proof: RawProof | undefined,
  protocols: Protocols,
): RateIdentity | null {
  if (areMoved !== (proof !== undefined))
    spot.at('tokens').report('bad_rate', 'moved and a proof of what the token is belong together');
  const here = spot.at('proof');
  if (proof?.create2) {
    const factories = here.each('create2', proof.create2).flatMap(([slug, at]) => {
      const create2 = protocols.find((protocol) => protocol.slug === slug)?.create2;
      if (create2?.salt === 'packed') return [create2];
      at.report('bad_rate', `${slug} has no pools by create2 with salt packed`);
      return [];
    });
    return { kind: 'create2', factories };
  }
  if (!proof?.registry) return null;
  const calls = here
    .each('registry', proof.registry)
    .map(([{ at, call }, one]) => ({ ...readCall(one.at('call'), call), to: one.at('at').address(at) }));
  return { kind: 'registry', calls, open: proof.open ?? false };
}

function compileTerm(spot: Spot, { asset, amount, word, at }: RawTerm): RateSpec['terms'][number] {
  const to = at === undefined ? {} : { to: spot.at('at').address(at) };
  const number = readNumber(spot.at('amount'), amount, word);
  if (typeof number === 'bigint' && word !== undefined)
    spot.at('word').report('bad_rate', 'a number has no words');
  const here = spot.at('asset');
  const isCall = asset !== 'native' && !/^0x/i.test(asset);
  return {
    asset: isCall ? { ...readCall(here, asset), ...to } : asset === 'native' ? asset : here.address(asset),
    amount: typeof number === 'bigint' ? number : { ...number, ...to },
  };
}

const POWER = /^10\*\*(.*)$/;

function readNumber(spot: Spot, text: string, word = 0): RateNumber {
  if (/^0+$/.test(text)) spot.report('bad_rate', 'zero');
  if (/^\d+$/.test(text)) return BigInt(text);
  const [, power] = POWER.exec(text) ?? [];
  return power === undefined ? readCall(spot, text, word) : { ...readCall(spot, power, word), power: true };
}

/** A call as the rules write it; reports one that cannot be made. */
function readCall(spot: Spot, text: string, word = 0): RateCall {
  const data = callData(text);
  if (data === null) spot.report('bad_rate', `${text} is no call that can be made`);
  return { data: data ?? '0x', word };
}

/** `totalSupply()`, `convertToAssets(1000)`, `markets(token)`, `getPtToAssetRate(0x…, uint32 900)`. */
const CALL = /^([A-Za-z_]\w*)\(([^()]*)\)$/;
/** A number, an address, 32 bytes or the token itself, with a type where the number is no uint256. */
const ARGUMENT = /^(?:(u?int\d{1,3}) )?(\d{1,78}|0[xX][0-9a-fA-F]{40}|0x[0-9a-f]{64}|token)$/;

function callData(text: string): Hex | null {
  const [, name, list] = CALL.exec(text) ?? [];
  if (name === undefined) return null;
  try {
    const args = list ? list.split(',').map(readArgument) : [];
    const types = args.map(({ type }) => type).join(',');
    const abi = AbiFunction.from(
      `function ${name}(${types}) view returns (uint256)` as 'function f(uint256)',
    );
    return AbiFunction.encodeData(abi, args.map(({ value }) => value) as [bigint]);
  } catch {
    return null;
  }
}

/** @throws Error for another form, or an address with a wrong checksum */
function readArgument(argument: string): { type: string; value: unknown } {
  const [, type = 'uint256', text] = ARGUMENT.exec(argument.trim()) ?? [];
  if (text === undefined) throw new Error('no argument');
  if (text === 'token') return { type: 'address', value: `0x${TOKEN_ARGUMENT}` };
  if (!/^0x/i.test(text)) return { type, value: BigInt(text) };
  if (text.length > 42) return { type: 'bytes32', value: text };
  const address = checkAddress(text);
  if (isFault(address)) throw new Error(address.message);
  return { type: 'address', value: address.address };
}
