import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem';
import type { FeedRule, PriceRules } from './priceRules.ts';
import type { ReadContract } from './readContracts.ts';

const FEED_ABI = parseAbi([
  'function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)',
  'function decimals() view returns (uint8)',
  'function latestRoundData(address, address) view returns (uint80, int256, uint256, uint256, uint80)',
  'function decimals(address, address) view returns (uint8)',
]);
/** A price this old beyond its feed's promise is refused, in seconds. */
export const STALE_GRACE = 86_400;

/** `latestRoundData()`: the answer second, the time of its update fourth. */
type Round = readonly bigint[];

interface Ask {
  readonly name: 'latestRoundData' | 'decimals';
  /** A registry is asked for a pair. */
  readonly args?: readonly string[];
  readonly before?: boolean;
}

/** A feed's or registry's answer; null without one. */
export async function askFeed(
  read: ReadContract,
  to: string,
  { name, args = [], before }: Ask,
): Promise<unknown> {
  const abi = FEED_ABI.filter((item) => item.name === name && item.inputs.length === args.length);
  const data = await read(to, encodeFunctionData({ abi, functionName: name, args } as never), before);
  if (data === null || data === '0x') return null;
  return decodeFunctionResult({ abi, functionName: name, data } as never);
}

export async function askRound(
  read: ReadContract,
  to: string,
  ask: Omit<Ask, 'name'> = {},
): Promise<Round | null> {
  return (await askFeed(read, to, { ...ask, name: 'latestRoundData' })) as Round | null;
}

/** The feeds that the rules list of an asset. */
export function feedsOf(asset: string, { feeds, wrappedNative }: PriceRules): readonly FeedRule[] {
  const key = wrappedNative.has(asset) ? 'native' : asset;
  return feeds.filter((rule) => isSame(rule.asset, key));
}

/** The first of these feeds whose answer was in time at `since`, in Unix seconds. */
export async function answerOfFeed(
  feeds: readonly FeedRule[],
  read: ReadContract,
  since: number,
): Promise<{ readonly rule: FeedRule; readonly round: Round } | null> {
  for (const rule of feeds) {
    const round = await askRound(read, rule.feed);
    if (round && round[1]! > 0n && since - Number(round[3]) <= rule.heartbeat) return { rule, round };
  }
  return null;
}

export const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Not more than 5 % apart. */
export const near = (a: bigint, b: bigint): boolean => (a < b ? b : a) * 10_000n <= (a < b ? a : b) * 10_500n;
