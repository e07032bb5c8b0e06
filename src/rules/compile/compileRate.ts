import * as AbiFunction from 'ox/AbiFunction';
import type { Address, Hex } from '../../model/hex.ts';
import {
  TOKEN_ARGUMENT,
  type PositionSpec,
  type RateCall,
  type RateIdentity,
  type RateNumber,
  type RateSpec,
} from '../../model/pricing.ts';
import type { ProtocolSpec } from '../../model/rulebook.ts';
import { checkAddress, isFault } from './signature.ts';
import { camel } from './camel.ts';
import { readRuleAddress, readRuleAddresses } from './compileProtocols.ts';
import type { Spot } from './ruleItem.ts';
import type { RawPosition, RawProof, RawRate, RawTerm } from '../../model/generated/rules.ts';

/** `totalSupply()`, `convertToAssets(1000)`, `markets(token)`, `getPtToAssetRate(0x…, uint32 900)`. */
const CALL = /^([A-Za-z_]\w*)\(([^()]*)\)$/;
/** A number, an address, 32 bytes or the token itself, with a type where the number is no uint256. */
const ARGUMENT = /^(?:(u?int\d{1,3}) )?(\d{1,78}|0[xX][0-9a-fA-F]{40}|0x[0-9a-f]{64}|token)$/;
const POWER = /^10\*\*(.*)$/;

/** Compiles one rate; null where a part of it is wrong, which `spot` reports. */
export function compileRate(spot: Spot, raw: RawRate, protocols: readonly ProtocolSpec[]): RateSpec | null {
  const terms = raw.terms.map((term, i) => compileTerm(spot.at('terms', i), term));
  const per = readNumber(spot.at('per'), raw.per);
  const calls = (key: 'answers' | 'silent'): Hex[] =>
    (raw[key] ?? []).flatMap((text, i) => readCall(spot.at(key, i), text)?.data ?? []);
  const identity = compileProof(spot, raw, protocols);
  const tokens =
    typeof raw.tokens === 'string' ? null : new Set(readRuleAddresses(spot.at('tokens'), raw.tokens));
  if (per === null || terms.includes(null)) return null;
  return {
    method: raw.method,
    tokens,
    identity,
    terms: terms as RateSpec['terms'],
    per,
    answers: calls('answers'),
    silent: calls('silent'),
    uneven: raw.uneven ?? false,
    refuse: raw.refuse ?? null,
  };
}

/** Compiles the words of a position NFT's answer; null where its address or call is wrong. */
export function compilePosition(spot: Spot, raw: RawPosition): PositionSpec | null {
  const { name: _, nft: text, call, ...words } = raw;
  const nft = readRuleAddress(spot.at('nft'), text);
  return nft && { nft, selector: AbiFunction.getSelector(`function ${call}`), ...camel(words) };
}

function compileTerm(spot: Spot, term: RawTerm): RateSpec['terms'][number] | null {
  const to = term.at === undefined ? null : readRuleAddress(spot.at('at'), term.at);
  if (term.at !== undefined && to === null) return null;
  const amount = readNumber(spot.at('amount'), term.amount, term.word);
  if (amount === null) return null;
  if (typeof amount === 'bigint' && term.word !== undefined)
    spot.at('word').report('bad_rate', 'a number has no words');
  const asked = (call: RateCall): RateCall => (to === null ? call : { ...call, to });
  const asset = readAsset(spot.at('asset'), term.asset);
  if (asset === null) return null;
  return {
    asset: typeof asset === 'string' ? asset : asked(asset),
    amount: typeof amount === 'bigint' ? amount : asked(amount),
  };
}

function readAsset(spot: Spot, text: string): Address | 'native' | RateCall | null {
  if (text === 'native') return text;
  return /^0x/i.test(text) ? readRuleAddress(spot, text) : readCall(spot, text);
}

function readNumber(spot: Spot, text: string, word = 0): RateNumber | null {
  if (/^\d+$/.test(text)) {
    if (BigInt(text) > 0n) return BigInt(text);
    spot.report('bad_rate', 'zero');
    return null;
  }
  const power = POWER.exec(text);
  const call = readCall(spot, power ? power[1]! : text, word);
  return call && (power ? { ...call, power: true } : call);
}

/** Proof that tokens that moved belong to a family. */
function compileProof(spot: Spot, raw: RawRate, protocols: readonly ProtocolSpec[]): RateIdentity | null {
  const proof: RawProof = raw.proof ?? {};
  if ((raw.tokens === 'moved') !== (raw.proof !== undefined)) {
    spot.at('tokens').report('bad_rate', 'moved and a proof of what the token is belong together');
  }
  if (proof.create2) {
    const factories = proof.create2.flatMap((slug, i) => {
      const create2 = protocols.find((protocol) => protocol.slug === slug)?.create2;
      if (create2?.salt === 'packed') return [create2];
      spot.at('proof', 'create2', i).report('bad_rate', `${slug} has no pools by create2 with salt packed`);
      return [];
    });
    return { kind: 'create2', factories };
  }
  if (!proof.registry) return null;
  const calls = proof.registry.flatMap(({ at, call }, i): RateCall[] => {
    const here = spot.at('proof', 'registry', i);
    const to = readRuleAddress(here.at('at'), at);
    const asked = readCall(here.at('call'), call);
    return to && asked ? [{ ...asked, to }] : [];
  });
  return { kind: 'registry', calls, open: proof.open ?? false };
}

/** A call as the rules write it; null, and a report, where it cannot be made. */
function readCall(spot: Spot, text: string, word = 0): RateCall | null {
  const data = callData(text);
  if (data === null) spot.report('bad_rate', `${text} is no call that can be made`);
  return data && { data, word };
}

function callData(text: string): Hex | null {
  const match = CALL.exec(text);
  if (!match) return null;
  const [, name, list] = match;
  const args = list ? list.split(',').map((argument) => ARGUMENT.exec(argument.trim())) : [];
  const read = args.flatMap((argument) => (argument && readArgument(argument[2]!, argument[1])) ?? []);
  if (read.length < args.length) return null;
  try {
    const types = read.map(({ type }) => type).join(',');
    const abi = AbiFunction.from(
      `function ${name}(${types}) view returns (uint256)` as 'function f(uint256)',
    );
    return AbiFunction.encodeData(abi, read.map(({ value }) => value) as [bigint]);
  } catch {
    return null;
  }
}

/** Null for an address with a wrong checksum. */
function readArgument(text: string, type = 'uint256'): { type: string; value: unknown } | null {
  if (text === 'token') return { type: 'address', value: `0x${TOKEN_ARGUMENT}` };
  if (!/^0x/i.test(text)) return { type, value: BigInt(text) };
  if (text.length > 42) return { type: 'bytes32', value: text };
  const address = checkAddress(text);
  return isFault(address) ? null : { type: 'address', value: address.address };
}
