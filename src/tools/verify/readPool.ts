import { encodeFunctionData, decodeFunctionResult, parseAbi, type Hex } from 'viem';
import type { PositionRule } from './priceRules.ts';
import type { ReadContract } from './readContracts.ts';

const ABI = parseAbi([
  'function token0() view returns (address)',
  'function token1() view returns (address)',
  'function observe(uint32[]) view returns (int56[], uint160[])',
]);

/**
 * Floating point is exact enough here: the prices compared differ in their first nine digits or not
 * at all.
 */
const root = (tick: number): number => Math.sqrt(1.0001 ** tick);

/** Dollars per smallest unit, in floating point; null without a price. */
export type UnitDollars = (asset: string) => Promise<number | null>;

export interface Average {
  readonly token: string;
  readonly pool: string;
  /** Seconds. */
  readonly window: number;
}

/** Dollars per smallest unit of a token by a pool's average; null without an answer. */
export async function readAverage(
  { token, pool, window }: Average,
  read: ReadContract,
  valueOf: UnitDollars,
): Promise<number | null> {
  const ask = async (functionName: 'token0' | 'token1' | 'observe', args: unknown[]): Promise<unknown> => {
    const data = await read(pool, encodeFunctionData({ abi: ABI, functionName, args } as never));
    return data === null || data === '0x' ? null : decodeFunctionResult({ abi: ABI, functionName, data });
  };
  const [token0, token1, observed] = [
    (await ask('token0', [])) as string | null,
    (await ask('token1', [])) as string | null,
    (await ask('observe', [[window, 0]])) as readonly (readonly bigint[])[] | null,
  ];
  if (!token0 || !token1 || !observed) return null;
  const [ticks] = observed;
  const tick = Math.floor(Number(ticks![1]! - ticks![0]!) / window);
  const first = token0.toLowerCase() === token;
  const base = await valueOf((first ? token1 : token0).toLowerCase());
  return base === null ? null : base * 1.0001 ** (first ? tick : -tick);
}

export interface PositionWorth {
  readonly dollars: number;
  /** One smallest unit of both tokens: whole units are held. */
  readonly slack: number;
}

/** Worth of a position NFT at the prices of its tokens; null without an answer or a price. */
export async function readPosition(
  id: bigint,
  rule: PositionRule,
  read: ReadContract,
  valueOf: UnitDollars,
): Promise<PositionWorth | null> {
  const [name] = rule.call.split('(');
  const abi = parseAbi([`function ${name}(uint256) view`]);
  const data = encodeFunctionData({ abi, args: [id] } as never);
  const now = await read(rule.nft, data);
  const answer =
    now !== null && holdsSomething(now, rule) ? now : ((await read(rule.nft, data, true)) ?? now);
  if (answer === null) return null;
  const address = (word: number): string => `0x${answer.slice(2 + 64 * word + 24, 2 + 64 * word + 64)}`;
  const [value0, value1] = [await valueOf(address(rule.token0)), await valueOf(address(rule.token1))];
  if (value0 === null || value1 === null) return null;
  const tick = (word: number): number => Number(BigInt.asIntN(256, wordOf(answer, word)));
  const [low, high] = [root(tick(rule.tick_lower)), root(tick(rule.tick_upper))];
  const at = Math.min(Math.max(Math.sqrt(value0 / value1), low), high);
  const liquidity = Number(wordOf(answer, rule.liquidity));
  const dollars =
    (liquidity * (1 / at - 1 / high) + Number(wordOf(answer, rule.owed0))) * value0 +
    (liquidity * (at - low) + Number(wordOf(answer, rule.owed1))) * value1;
  return { dollars, slack: value0 + value1 };
}

const wordOf = (answer: Hex, word: number): bigint =>
  BigInt(`0x${answer.slice(2 + 64 * word, 2 + 64 * (word + 1))}`);

function holdsSomething(answer: Hex, { liquidity, owed0, owed1 }: PositionRule): boolean {
  return [liquidity, owed0, owed1].some((word) => wordOf(answer, word) > 0n);
}
