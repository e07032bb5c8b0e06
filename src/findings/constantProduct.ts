import { groupBy } from '../lib/lists.ts';
import type { Act, Block } from './blockFacts.ts';
import type { Hex } from '../model/hex.ts';

/** A trader's loss because of the first act, or the reason why it is not computed. */
export type Loss = { readonly act: Act } & (
  | { readonly asset: string; readonly raw: bigint }
  | { readonly reason: string }
);

/** A constant-product pool at which the first act moved the price. */
export interface MovedPool {
  readonly first: Act;
  readonly victims: readonly Act[];
  /** Position in the block of the last transaction looked at. */
  readonly until: number;
  /** Part of the input that the pool keeps, in millionths; null: unknown. */
  readonly feePpm: number | null;
}

interface PoolState {
  readonly pool: MovedPool;
  /** Asset ids in the order of the pool's reserves: that of the token addresses. */
  readonly assets: readonly [string, string];
  /** As the chain had them. */
  actual: [bigint, bigint];
  /** As they would be without the first act. */
  without: [bigint, bigint];
  broken: string | null;
}

/** What the trades of one transaction took out so far, by asset. */
type Carried = Map<string, { readonly actual: bigint; readonly without: bigint }>;

interface Step {
  readonly tx: number;
  readonly log: number;
  readonly state: PoolState;
  readonly reserves: [bigint, bigint];
}

const MILLION = 1_000_000n;

/**
 * Amount out of a constant-product pool, as `getAmountOut` of Uniswap V2 computes it
 * (https://docs.uniswap.org/contracts/v2/reference/smart-contracts/library).
 */
function amountOut(input: bigint, reserveIn: bigint, reserveOut: bigint, feePpm: number): bigint {
  const kept = input * (MILLION - BigInt(feePpm));
  return (kept * reserveOut) / (reserveIn * MILLION + kept);
}

/** Whether a trade took all its input gives, or gave the least input for its output (rounded up). */
function isOnCurve(
  input: bigint,
  output: bigint,
  ...pool: readonly [reserveIn: bigint, reserveOut: bigint, feePpm: number]
): boolean {
  const most = amountOut(input, ...pool);
  return output === most || (output < most && amountOut(input - 1n, ...pool) < output);
}

/**
 * Victims' losses: every trade after the first act replayed in order, with its exact input, on the reserves
 * as they were before that act. Exact where each trade got just the curve's amount; otherwise not computed.
 * `topic0`: that of the event with the pool's two reserves after each change.
 */
export function lossesOf(block: Block, pools: readonly MovedPool[], topic0: string): Loss[] {
  const states = pools.map((pool) => stateBefore(block, pool, topic0));
  const steps = states
    .flatMap((state) => stepsOf(block, state, topic0))
    .sort((a, b) => a.tx - b.tx || a.log - b.log);
  const carried = new Map(steps.map(({ tx }): [number, Carried] => [tx, new Map()]));
  for (const step of steps) replay(step, carried.get(step.tx)!);
  const traded = states.flatMap((state) => state.pool.victims.map((act) => ({ act, state })));
  return [...groupBy(traded, ({ act }) => act.tx.index).values()].flatMap((trades): Loss[] => {
    const { act } = trades[0]!;
    const reason = trades.find(({ state }) => state.broken !== null)?.state.broken;
    if (reason) return [{ act, reason }];
    const sums = [...(carried.get(act.tx.index) ?? [])];
    return sums.map(([asset, { actual, without }]) => ({ act, asset, raw: without - actual }));
  });
}

/** One trade on the reserves without the first act; its output is the input of the next trade. */
function replay({ state, reserves }: Step, carried: Carried): void {
  const before = state.actual;
  state.actual = reserves;
  if (state.broken !== null) return;
  const changes = [reserves[0] - before[0], reserves[1] - before[1]] as const;
  if (!(changes[0] * changes[1] < 0n)) {
    state.broken = 'the pool changed in another way than by a trade';
    return;
  }
  const [from, to] = changes[0] > 0n ? ([0, 1] as const) : ([1, 0] as const);
  const input = changes[from];
  const actual = -changes[to];
  const fee = state.pool.feePpm!;
  if (!isOnCurve(input, actual, before[from], before[to], fee)) {
    state.broken = 'a trade did not take what the curve gives';
    return;
  }
  const passed = carried.get(state.assets[from]);
  const isPassed = passed?.actual === input;
  if (isPassed) carried.delete(state.assets[from]);
  const given = isPassed ? passed.without : input;
  const without = amountOut(given, state.without[from], state.without[to], fee);
  state.without[from] += given;
  state.without[to] -= without;
  const sum = carried.get(state.assets[to]) ?? { actual: 0n, without: 0n };
  carried.set(state.assets[to], { actual: sum.actual + actual, without: sum.without + without });
}

/** The reserves after the first act as its event states them, less its own amounts. */
function stateBefore(block: Block, pool: MovedPool, topic0: string): PoolState {
  const { first, feePpm } = pool;
  const assets = [...new Set([...first.gave.keys(), ...first.got.keys()])].sort() as [string, string];
  const stated = statesOf(block, first, topic0);
  const actual = stated.at(-1)?.reserves ?? [0n, 0n];
  const before = assets.map(
    (asset, i) => actual[i as 0 | 1] - (first.gave.get(asset) ?? 0n) + (first.got.get(asset) ?? 0n),
  ) as [bigint, bigint];
  return { pool, assets, actual, without: before, broken: whyNot() };

  function whyNot(): string | null {
    if (feePpm === null) return 'the rules know no constant-product fee of the pool';
    if (assets.length !== 2 || stated.length !== first.motifs.length)
      return 'the pool does not state its reserves after each trade';
    const [gave, got] = [...first.gave.keys(), ...first.got.keys()] as [string, string];
    const from = assets.indexOf(gave) as 0 | 1;
    const most = amountOut(first.gave.get(gave)!, before[from], before[1 - from]!, feePpm);
    const took = first.got.get(got)!;
    // Tokens with a tax move other amounts than they state.
    return took <= most && took * 1_000n >= most * 999n ? null : 'the first trade is not one of the curve';
  }
}

function stepsOf(block: Block, state: PoolState, topic0: string): Step[] {
  const { first, until } = state.pool;
  return block.txs
    .filter(({ index }) => index > first.tx.index && index < until)
    .flatMap((tx) => {
      const stated = statesOf(block, { tx, venue: first.venue }, topic0);
      return stated.map((one) => ({ tx: tx.index, state, ...one }));
    });
}

/** The reserves a pool stated in one transaction. */
function statesOf(
  block: Block,
  { tx, venue }: Pick<Act, 'tx' | 'venue'>,
  topic0: string,
): { log: number; reserves: [bigint, bigint] }[] {
  const pool = venue?.toLowerCase();
  return block
    .logsOf(tx.report.tx.hash)
    .filter(
      ({ address, topics, data }) =>
        topics[0] === topic0 && address.toLowerCase() === pool && data.length === 2 + 128,
    )
    .map(({ data, logIndex }) => ({
      log: Number(logIndex),
      reserves: [BigInt(data.slice(0, 66)), BigInt(`0x${data.slice(66)}` as Hex)],
    }));
}
