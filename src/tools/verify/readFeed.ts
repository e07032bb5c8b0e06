import type { FeedRule, PriceRules } from './priceRules.ts';
import { isSame } from './rawChain.ts';
import { askView, type ReadContract } from './readContracts.ts';

/** A price this old beyond its feed's promise is refused, in seconds. */
export const STALE_GRACE = 86_400;

/** `latestRoundData()`: the answer second, the time of its update fourth. */
type Round = readonly bigint[];

/** `()` of a feed, `(address,address)` of a registry, which is asked for a pair. */
const inputs = (args: readonly string[]): string => `(${args.map(() => 'address').join()})`;

/** A feed's or registry's latest round; null without one. */
export async function askRound(
  read: ReadContract,
  to: string,
  args: readonly string[] = [],
  before = false,
): Promise<Round | null> {
  const round = 'uint80, int256, uint256, uint256, uint80';
  const signature = `function latestRoundData${inputs(args)} view returns (${round})`;
  return (await askView(read, to, signature, { args, before })) as Round | null;
}

/** Decimals of a feed's or registry's answers; null without an answer. */
export async function askDecimals(
  read: ReadContract,
  to: string,
  args: readonly string[],
): Promise<number | null> {
  const signature = `function decimals${inputs(args)} view returns (uint8)`;
  return (await askView(read, to, signature, { args })) as number | null;
}

/** The feeds that the rules list of an asset. */
export function feedsOf(asset: string, { feeds, wrappedNative }: PriceRules): readonly FeedRule[] {
  const key = wrappedNative.has(asset) ? 'native' : asset;
  return feeds.filter((rule) => isSame(rule.asset, key));
}

/** The first of these feeds with an answer in time at `since`, in Unix seconds. */
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

/** Not more than 5 % apart. */
export const near = (a: bigint, b: bigint): boolean => (a < b ? b : a) * 10_000n <= (a < b ? a : b) * 10_500n;
