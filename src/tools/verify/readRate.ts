import { encodeFunctionData, parseAbi, parseAbiItem, type AbiFunction, type Hex } from 'viem';
import type { RawPosition, RawRate } from '../../model/generated/rules.ts';
import type { PriceRules, FeedRule } from './ruleFacts.ts';
import { askView, type ReadContract } from './fetchRawAnswers.ts';
import { isSame } from './rawChain.ts';

/** Dollars as a fraction. */
export interface Ratio {
  readonly over: bigint;
  readonly under: bigint;
}

/** ERC-7528. */
const NATIVE_ADDRESS = `0x${'e'.repeat(40)}`;

/** Rules that may have priced a token: those that list it, else those of its method for any token. */
export function rulesFor(token: string, method: string, { rates }: PriceRules): readonly RawRate[] {
  const priced = rates.filter((rule) => rule.method === method && rule.refuse === undefined);
  const listing = priced.filter(
    ({ tokens }) => typeof tokens !== 'string' && tokens.some((one) => isSame(one, token)),
  );
  return listing.length > 0 ? listing : priced.filter(({ tokens }) => typeof tokens === 'string');
}

/** Dollars per smallest unit of a token by a rule; null where the token does not answer as the rule says. */
export async function readRate(
  token: string,
  rule: RawRate,
  read: ReadContract,
  valueOf: (asset: string) => Promise<Ratio | null>,
): Promise<Ratio | null> {
  // A listed token counts at the block, any other in the state before it.
  const before = typeof rule.tokens === 'string';
  const per = await readNumber(rule.per, { token, at: token, before }, read);
  if (!per) return null;
  let total: Ratio = { over: 0n, under: 1n };
  for (const { asset, amount, word, at = token } of rule.terms) {
    const base = await readAsset(asset, { token, at }, read);
    const units = await readNumber(amount, { token, at, word, before }, read);
    const value = base === null ? null : await valueOf(base);
    if (units === null || value === null) return null;
    const part = { over: units * value.over, under: per * value.under };
    total = { over: total.over * part.under + part.over * total.under, under: total.under * part.under };
  }
  return total;
}

interface Asked {
  readonly token: string;
  readonly at: string;
  readonly word?: number | undefined;
  readonly before?: boolean;
}

async function readAsset(text: string, asked: Asked, read: ReadContract): Promise<string | null> {
  if (text === 'native') return text;
  if (text.startsWith('0x')) return text.toLowerCase();
  const word = await readNumber(text, asked, read);
  const address = word === null ? null : `0x${word.toString(16).padStart(40, '0')}`;
  return address === NATIVE_ADDRESS ? 'native' : address;
}

async function readNumber(text: string, asked: Asked, read: ReadContract): Promise<bigint | null> {
  if (/^\d+$/.test(text)) return BigInt(text);
  if (text.startsWith('10**')) {
    const exponent = await readNumber(text.slice(4), asked, read);
    return exponent === null ? null : 10n ** exponent;
  }
  const answer = await read(asked.at, calldata(text, asked.token), asked.before);
  return answer && wordOf(answer, asked.word ?? 0);
}

/** Calldata of a call as the rules write it: `balances(0)`, `markets(token)`, `f(0x…, uint32 900)`. */
function calldata(text: string, token: string): Hex {
  const [, name, list = ''] = /^(\w+)\((.*)\)$/.exec(text) ?? [];
  const values = list.split(',').flatMap((part) => part.trim() || []);
  const typed = values.map((value): [type: string, value: unknown] => {
    const [, type = 'uint256', number] = /^(?:(\w+) )?(\d+)$/.exec(value) ?? [];
    if (number !== undefined) return [type, BigInt(number)];
    const bytes = value === 'token' ? token : value.toLowerCase();
    return [bytes.length === 42 ? 'address' : 'bytes32', bytes];
  });
  const signature = `function ${name}(${typed.map(([type]) => type).join(',')}) view returns (uint256)`;
  const abi = [parseAbiItem(signature) as AbiFunction];
  return encodeFunctionData({ abi, args: typed.map(([, value]) => value) } as never);
}

/** Dollars per smallest unit, in floating point; null without a price. */
type UnitDollars = (asset: string) => Promise<number | null>;

/** Dollars per smallest unit of a token by a pool's average over seconds; null without an answer. */
export async function readAverage(
  { token, pool, window }: { readonly token: string; readonly pool: string; readonly window: number },
  read: ReadContract,
  valueOf: UnitDollars,
): Promise<number | null> {
  const observe = 'function observe(uint32[]) view returns (int56[], uint160[])';
  const [token0, token1, observed] = [
    (await askView(read, pool, 'function token0() view returns (address)')) as string | null,
    (await askView(read, pool, 'function token1() view returns (address)')) as string | null,
    (await askView(read, pool, observe, { args: [[window, 0]] })) as readonly (readonly bigint[])[] | null,
  ];
  if (!token0 || !token1 || !observed) return null;
  const [ticks] = observed;
  const tick = Math.floor(Number(ticks![1]! - ticks![0]!) / window);
  const first = isSame(token0, token);
  const base = await valueOf((first ? token1 : token0).toLowerCase());
  return base === null ? null : base * 1.0001 ** (first ? tick : -tick);
}

/**
 * Dollars of a position NFT at the prices of its tokens, and of one smallest unit of both: whole units are
 * held. Null without an answer or a price.
 */
export async function readPosition(id: bigint, rule: RawPosition, read: ReadContract, valueOf: UnitDollars) {
  const [name] = rule.call.split('(');
  const abi = parseAbi([`function ${name}(uint256) view`]);
  const data = encodeFunctionData({ abi, args: [id] } as never);
  const now = await read(rule.nft, data);
  const held = [rule.liquidity, rule.owed0, rule.owed1];
  const isHeld = now !== null && held.some((word) => (wordOf(now, word) ?? 0n) > 0n);
  const answer = isHeld ? now : ((await read(rule.nft, data, true)) ?? now);
  if (answer === null) return null;
  const number = (word: number): number => Number(BigInt.asIntN(256, wordOf(answer, word)!));
  const address = (word: number): string => `0x${answer.slice(2 + 64 * word + 24, 2 + 64 * word + 64)}`;
  const [value0, value1] = [await valueOf(address(rule.token0)), await valueOf(address(rule.token1))];
  if (value0 === null || value1 === null) return null;
  // Floating point is exact enough: prices compared differ in their first nine digits or not at all.
  const root = (word: number): number => Math.sqrt(1.0001 ** number(word));
  const [low, high] = [root(rule.tick_lower), root(rule.tick_upper)];
  const at = Math.min(Math.max(Math.sqrt(value0 / value1), low), high);
  const [liquidity, owed0, owed1] = held.map((word) => Number(wordOf(answer, word))) as [
    number,
    number,
    number,
  ];
  const dollars =
    (liquidity * (1 / at - 1 / high) + owed0) * value0 + (liquidity * (at - low) + owed1) * value1;
  return { dollars, slack: value0 + value1 };
}

/** A word of an answer; null where it is too short. */
function wordOf(answer: Hex, word: number): bigint | null {
  const digits = answer.slice(2 + 64 * word, 2 + 64 * (word + 1));
  return digits.length < 64 ? null : BigInt(`0x${digits}`);
}

/** A price this old beyond its feed's promise is refused, in seconds. */
export const STALE_GRACE = 86_400;

/** `()` of a feed, `(address,address)` of a registry, which is asked for a pair. */
export const inputs = (args: readonly string[]): string => `(${args.map(() => 'address').join()})`;

/** A feed's or registry's latest round, the answer second, its time fourth; null without one. */
export async function askRound(read: ReadContract, to: string, args: readonly string[] = [], before = false) {
  const round = 'uint80, int256, uint256, uint256, uint80';
  const signature = `function latestRoundData${inputs(args)} view returns (${round})`;
  return (await askView(read, to, signature, { args, before })) as readonly bigint[] | null;
}

/** The feeds that the rules list of an asset. */
export function feedsOf(asset: string, { feeds, wrappedNative }: PriceRules): readonly FeedRule[] {
  const key = wrappedNative.has(asset) ? 'native' : asset;
  return feeds.filter((rule) => isSame(rule.asset, key));
}

/** Not more than 5 % apart. */
export const near = (a: bigint, b: bigint): boolean => (a < b ? b : a) * 10_000n <= (a < b ? a : b) * 10_500n;
