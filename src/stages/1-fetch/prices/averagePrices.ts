import { create2Address, pairSalt } from '../../../evm/address.ts';
import { intOfWord, uintOfWord, wordAt, wordOf } from '../../../evm/hex.ts';
import { BALANCE_OF } from '../../../evm/tokenCalls.ts';
import { Q96, Q192, sqrtRatioAtTick } from '../../../value/tickPrice.ts';
import { wordWithin, type ViewCall } from '../context/multicall.ts';
import { refuseAll } from './planPricing.ts';
import type { PriceSource } from './priceSources.ts';
import type { Address, Hex } from '../../../model/hex.ts';
import type { AverageSpec } from '../../../model/pricing.ts';
import type { PriceRate } from '../../../model/upstream.ts';

/** Selector of `observe(uint32[] secondsAgos)`, which answers `(int56[], uint160[])`. */
const OBSERVE = '0x883bdbfd';
const READS_PER_POOL = 3;
/** More tokens than this in one transaction are not looked up: each is a dozen pools. */
const MAX_TOKENS = 20;

interface Pool {
  readonly token: Address;
  readonly base: Address;
  readonly address: Address;
  readonly spec: AverageSpec;
}

/**
 * Time-weighted average prices of tokens in pools that keep them, against the bases the rules name. An
 * average at the end of a block gives no weight to acts within it. The pool's depth is the lesser of its
 * holdings and its average liquidity in range, so that neither idle nor fleeting liquidity counts.
 */
export function averagePrices(tokens: readonly Address[], averages: readonly AverageSpec[]): PriceSource {
  const asked = tokens.slice(0, MAX_TOKENS);
  const pools: Pool[] = [];
  for (const token of asked)
    for (const spec of averages)
      for (const base of spec.bases)
        for (const fee of base === token ? [] : spec.create2.fees)
          pools.push({ token, base, spec, address: poolAddress(spec, token, base, fee) });
  return {
    calls: pools.flatMap(({ token, base, address, spec }): ViewCall[] => [
      { to: address, data: `${OBSERVE}${[32, 2, spec.window, 0].map(wordOf).join('')}` },
      ...[token, base].map((asset) => ({ to: asset, data: `${BALANCE_OF}${wordOf(address)}` as Hex })),
    ]),
    read(answers, { timestamp }) {
      const rates = pools.flatMap((pool, i) => {
        const own = answers.slice(READS_PER_POOL * i, READS_PER_POOL * (i + 1));
        return readPool(pool, own, timestamp) ?? [];
      });
      const found = new Set<string>(rates.map(({ asset }) => asset));
      const none = 'no pool keeps an average of its price over the window';
      const most = 'more tokens in one transaction than averages of pools are asked about';
      const limit = { observed: String(tokens.length), threshold: String(MAX_TOKENS) };
      const refusals = [
        ...refuseAll(
          asked.filter((asset) => !found.has(asset)),
          none,
        ),
        ...refuseAll(tokens.slice(MAX_TOKENS), most, limit),
      ];
      return { quotes: [], rates, refusals };
    },
  };
}

function readPool(
  { token, base, address, spec }: Pool,
  [observed, ...balances]: readonly (Hex | null)[],
  timestamp: number,
): PriceRate | null {
  const averages = observed == null ? null : readAverages(observed, BigInt(spec.window));
  const [tokenWord, baseWord] = balances.map((answer) => (answer === null ? null : wordAt(answer, 0)));
  if (averages === null || tokenWord == null || baseWord == null) return null;
  const { sqrt, liquidity } = averages;
  const first = token < base;
  const amount0 = (liquidity * Q96) / sqrt;
  const amount1 = (liquidity * sqrt) / Q96;
  const [ofToken, ofBase] = first ? [amount0, amount1] : [amount1, amount0];
  const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
  const price = sqrt * sqrt;
  return {
    asset: token,
    method: 'pool_twap',
    source: address,
    after: null,
    vouched: true,
    asOf: timestamp,
    heartbeat: spec.window,
    pool: address,
    terms: [{ asset: base, numerator: first ? price : Q192, denominator: first ? Q192 : price }],
    market: {
      sides: [
        { asset: token, amount: least(ofToken, uintOfWord(tokenWord)) },
        { asset: base, amount: least(ofBase, uintOfWord(baseWord)) },
      ],
      minSideUsd: spec.minSideUsd,
    },
  };
}

/** The square root of the mean price and the mean liquidity over the window, from `observe`'s answer. */
function readAverages(observed: Hex, window: bigint): { sqrt: bigint; liquidity: bigint } | null {
  const [ticks, seconds] = [0, 32].map((head) => twoWords(observed, head));
  if (!ticks || !seconds) return null;
  const elapsed = intOfWord(ticks[1]) - intOfWord(ticks[0]);
  // Towards minus infinity, as the pools' own library rounds.
  const tick = elapsed / window - (elapsed < 0n && elapsed % window !== 0n ? 1n : 0n);
  const sqrt = tick > -(1n << 53n) && tick < 1n << 53n ? sqrtRatioAtTick(Number(tick)) : null;
  const perLiquidity = BigInt.asUintN(160, uintOfWord(seconds[1]) - uintOfWord(seconds[0]));
  if (sqrt === null || perLiquidity === 0n) return null;
  // Harmonic mean over the window: seconds per liquidity are Q128.
  return { sqrt, liquidity: (window << 128n) / perLiquidity };
}

/** Both words of a two-element array with its offset at `head`. */
function twoWords(data: Hex, head: number): [string, string] | null {
  const size = (data.length - 2) / 2;
  const start = wordWithin(data, head, size - 32);
  if (start === null || wordWithin(data, start, size) !== 2) return null;
  const [a, b] = [wordAt(data, start + 32), wordAt(data, start + 64)];
  return a === null || b === null ? null : [a, b];
}

function poolAddress({ create2 }: AverageSpec, a: Address, b: Address, fee: number): Address {
  const salt = a < b ? pairSalt(a, b, fee) : pairSalt(b, a, fee);
  return create2Address(create2.deployer, salt, create2.initCodeHash);
}
