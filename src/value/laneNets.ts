import { NATIVE, NATIVE_ASSET } from './asset.ts';
import type { Address } from '../model/hex.ts';
import type { Asset, AssetId, Ledger, Movement, ValueFlow } from '../model/valueFlow.ts';

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
  if (inflow === outflow) return true;
  if (!fungible || inflow === 0n || outflow === 0n) return false;
  const [larger, smaller] = inflow > outflow ? [inflow, outflow] : [outflow, inflow];
  const net = larger - smaller;
  return net <= ROUNDING_UNITS || net * PASSED_ON_PARTS < larger;
}

/** A lane while it is being summed up; a result once `net` is told. */
interface OpenLane extends LaneNet {
  asset: Asset;
  inflow: bigint;
  outflow: bigint;
  net: bigint;
  readonly incoming: Movement[];
  readonly outgoing: Movement[];
}

const NOTHING: ReadonlySet<number> = new Set();

/**
 * Net lanes of a group of accounts seen as one: movements inside the group do not count, native and wrapped native are
 * one lane (so wrapping is no trade), and lanes that only passed through are dropped. Ordered by first movement. `skip`
 * names movements to leave out.
 */
export function laneNets(
  flow: ValueFlow,
  wrappedNative: ReadonlySet<Address>,
  group: ReadonlySet<Address>,
  skip: ReadonlySet<number> = NOTHING,
): LaneNet[] {
  const open = new Map<AssetId, OpenLane>();
  for (const index of touching(flow, group)) {
    if (skip.has(index)) continue;
    const movement = flow.movements[index]!;
    const leaves = group.has(movement.from);
    if (leaves === group.has(movement.to)) continue;
    const own = flow.assets.get(movement.asset);
    if (!own) continue;
    const lane = isNative(own, wrappedNative) ? NATIVE_ASSET : own.id;
    let entry = open.get(lane);
    if (!entry)
      open.set(
        lane,
        (entry = { lane, asset: own, inflow: 0n, outflow: 0n, net: 0n, incoming: [], outgoing: [] }),
      );
    else if (entry.asset !== own) entry.asset = NATIVE;
    if (leaves) {
      entry.outflow += movement.amount;
      entry.outgoing.push(movement);
    } else {
      entry.inflow += movement.amount;
      entry.incoming.push(movement);
    }
  }
  const kept: LaneNet[] = [];
  for (const entry of open.values()) {
    if (isDust(entry.inflow, entry.outflow, isFungible(entry.asset))) continue;
    entry.net = entry.inflow - entry.outflow;
    kept.push(entry);
  }
  return kept;
}

function isNative({ kind, address }: Asset, wrappedNative: ReadonlySet<Address>): boolean {
  return kind === 'native' || (kind === 'erc20' && wrappedNative.has(address!));
}

const isFungible = ({ kind }: Asset): boolean => kind === 'native' || kind === 'erc20';

/** Indexes of the movements that any account of a group sent or received, in order. Groups are of few accounts. */
function touching({ outgoing, incoming }: ValueFlow, group: ReadonlySet<Address>): readonly number[] {
  let found: readonly number[] = NO_MOVEMENTS;
  for (const account of group) {
    found = merged(found, outgoing.get(account) ?? NO_MOVEMENTS);
    found = merged(found, incoming.get(account) ?? NO_MOVEMENTS);
  }
  return found;
}

const NO_MOVEMENTS: readonly number[] = [];

/** Two lists of ascending numbers as one; what is in both is there once. */
function merged(a: readonly number[], b: readonly number[]): readonly number[] {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const all: number[] = [];
  let i = 0,
    j = 0;
  while (i < a.length && j < b.length) {
    const [left, right] = [a[i]!, b[j]!];
    all.push(Math.min(left, right));
    if (left <= right) i++;
    if (right <= left) j++;
  }
  while (i < a.length) all.push(a[i++]!);
  while (j < b.length) all.push(b[j++]!);
  return all;
}

/** Which way value went: `both` is a trade or an exchange into a position, the others are one-sided. */
export type Sides = 'none' | 'sent' | 'received' | 'both';

export function sidesOf(lanes: readonly LaneNet[]): Sides {
  let sent = false,
    received = false;
  for (const { net } of lanes)
    if (net < 0n) sent = true;
    else received = true;
  return sidesWhere(sent, received);
}

function sidesWhere(sent: boolean, received: boolean): Sides {
  return sent && received ? 'both' : sent ? 'sent' : received ? 'received' : 'none';
}

/** `sidesOf` the net lanes of one account, from its ledger alone. */
export function sidesOfAccount(
  flow: ValueFlow,
  wrappedNative: ReadonlySet<Address>,
  account: Address,
): Sides {
  let sent = false,
    received = false;
  let nativeIn = 0n,
    nativeOut = 0n;
  for (const [id, { inflow, outflow }] of flow.ledgers.get(account) ?? NO_LEDGER) {
    const asset = flow.assets.get(id);
    if (!asset) continue;
    if (isNative(asset, wrappedNative)) {
      nativeIn += inflow;
      nativeOut += outflow;
    } else if (isDust(inflow, outflow, isFungible(asset))) continue;
    else if (inflow > outflow) received = true;
    else sent = true;
  }
  if (!isDust(nativeIn, nativeOut, true)) {
    if (nativeIn > nativeOut) received = true;
    else sent = true;
  }
  return sidesWhere(sent, received);
}

const NO_LEDGER: Ledger = new Map();
