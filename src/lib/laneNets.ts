import { NATIVE, NATIVE_ASSET } from './asset.ts';
import type { Address } from '../model/hex.ts';
import type { Asset, AssetId, Movement, ValueFlow } from '../model/valueFlow.ts';

/** What a group of accounts gained or lost of one asset, with the movements across the group's border that did it. */
export interface LaneNet {
  /** Native and wrapped native share the native lane. */
  readonly lane: AssetId;
  /** The one asset that moved in the lane; the native one where both did. */
  readonly asset: Asset;
  readonly inflow: bigint;
  readonly outflow: bigint;
  /** inflow − outflow. */
  readonly net: bigint;
  readonly incoming: readonly Movement[];
  readonly outgoing: readonly Movement[];
}

/** Rebasing and share tokens leave a few base units behind by rounding; that is nobody's intent. */
const ROUNDING_UNITS = 10n;
/** A lane that came and went and kept less than a millionth was only passed on. */
const PASSED_ON_PARTS = 1_000_000n;

function isDust(inflow: bigint, outflow: bigint, fungible: boolean): boolean {
  const net = inflow > outflow ? inflow - outflow : outflow - inflow;
  if (net === 0n) return true;
  if (!fungible || inflow === 0n || outflow === 0n) return false;
  return net <= ROUNDING_UNITS || net * PASSED_ON_PARTS < (inflow > outflow ? inflow : outflow);
}

const NOTHING: ReadonlySet<number> = new Set();

/**
 * Net lanes of a group of accounts seen as one: movements inside the group do not count, native and wrapped native are
 * one lane (so wrapping is no trade), and lanes that only passed through are dropped. Ordered by first movement. `skip`
 * names movements to leave out.
 */
export function laneNets(flow: ValueFlow, wrappedNative: ReadonlySet<Address>, group: ReadonlySet<Address>, skip: ReadonlySet<number> = NOTHING): LaneNet[] {
  interface Open { lane: AssetId; asset: Asset; inflow: bigint; outflow: bigint; incoming: Movement[]; outgoing: Movement[] }
  const touched = new Set<number>();
  for (const account of group) {
    for (const index of flow.outgoing.get(account) ?? []) touched.add(index);
    for (const index of flow.incoming.get(account) ?? []) touched.add(index);
  }
  const open = new Map<AssetId, Open>();
  for (const index of [...touched].sort((a, b) => a - b)) {
    const movement = flow.movements[index]!;
    if (skip.has(index)) continue;
    const leaves = group.has(movement.from);
    if (leaves === group.has(movement.to)) continue;
    const own = flow.assets.get(movement.asset);
    if (!own) continue;
    const native = own.kind === 'native' || (own.kind === 'erc20' && wrappedNative.has(own.address!));
    const lane = native ? NATIVE_ASSET : own.id;
    let entry = open.get(lane);
    if (!entry) open.set(lane, (entry = { lane, asset: own, inflow: 0n, outflow: 0n, incoming: [], outgoing: [] }));
    else if (entry.asset !== own) entry.asset = NATIVE;
    if (leaves) { entry.outflow += movement.amount; entry.outgoing.push(movement); }
    else { entry.inflow += movement.amount; entry.incoming.push(movement); }
  }
  return [...open.values()]
    .filter((e) => !isDust(e.inflow, e.outflow, e.asset.kind === 'native' || e.asset.kind === 'erc20'))
    .map(({ lane, asset, inflow, outflow, incoming, outgoing }) => ({ lane, asset, inflow, outflow, incoming, outgoing, net: inflow - outflow }));
}

/** Which way value went: `both` is a trade or an exchange into a position, the others are one-sided. */
export type Sides = 'none' | 'gave' | 'got' | 'both';

export function sidesOf(lanes: readonly LaneNet[]): Sides {
  const gave = lanes.some((l) => l.net < 0n);
  const got = lanes.some((l) => l.net > 0n);
  return gave && got ? 'both' : gave ? 'gave' : got ? 'got' : 'none';
}
