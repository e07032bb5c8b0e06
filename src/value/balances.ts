import { NOTHING } from '../lib/lists.ts';
import { memoizeFor } from '../lib/memo.ts';
import { isFungible, mergeNative, NATIVE, NATIVE_ASSET } from './asset.ts';
import { ZERO_ADDRESS } from '../evm/hex.ts';
import type { Address } from '../model/hex.ts';
import type { Asset, AssetId, Movement, ValueFlow } from '../model/valueFlow.ts';

/** A group's sent and received amounts of one asset, across the group's border. */
export interface Balance {
  /** The native asset's id for wrapped native too, unless these are apart. */
  readonly id: AssetId;
  /** The one asset that moved; native where both native and wrapped native did. */
  readonly asset: Asset;
  readonly sent: bigint;
  readonly received: bigint;
  /** received − sent. */
  readonly net: bigint;
  readonly outgoing: readonly Movement[];
  readonly incoming: readonly Movement[];
}

export interface BalanceOptions {
  /** Native and wrapped native as two assets; else they are one. */
  readonly apart?: boolean;
  /** `drop` leaves out assets that net to zero or to a rounding remainder. Default `keep`. */
  readonly dust?: 'keep' | 'drop';
  /** Movements to leave out. */
  readonly exclude?: ((movement: Movement) => boolean) | undefined;
}

/** Rebasing and share tokens leave a few base units behind by rounding. */
const ROUNDING_UNITS = 10n;
/** An asset with less than a millionth kept was only forwarded. */
const PASSED_ON_PARTS = 1_000_000n;

/** While it is summed up. */
type Sum = { -readonly [K in keyof Balance]: Balance[K] } & Record<'outgoing' | 'incoming', Movement[]>;

/**
 * Amounts an account, or several taken as one, sent and received per asset, in smallest units, ordered by
 * first movement. Movements inside the group do not count. Gas is not included.
 */
export function balances(
  flow: ValueFlow,
  group: Address | ReadonlySet<Address>,
  { apart, dust, exclude }: BalanceOptions = {},
): ReadonlyMap<AssetId, Balance> {
  // Several stages ask for one account, with native and wrapped native as one.
  const account = apart || exclude ? null : onlyAccount(group);
  const known = account === null ? null : byAccount(flow, undefined);
  let sums = known?.get(account!);
  if (!sums) {
    sums = sumsOf(flow, typeof group === 'string' ? new Set([group]) : group, apart, exclude);
    known?.set(account!, sums);
  }
  return dust === 'drop' ? withoutDust(sums) : sums;
}

const byAccount = memoizeFor((_flow: ValueFlow, _: void) => new Map<Address, ReadonlyMap<AssetId, Sum>>());

/** The account of a group of one; null for several. */
function onlyAccount(group: Address | ReadonlySet<Address>): Address | null {
  if (typeof group === 'string') return group;
  const [account = null] = group;
  return group.size === 1 ? account : null;
}

function sumsOf(
  flow: ValueFlow,
  accounts: ReadonlySet<Address>,
  apart: BalanceOptions['apart'],
  exclude: BalanceOptions['exclude'],
): ReadonlyMap<AssetId, Sum> {
  const sums = new Map<AssetId, Sum>();
  for (const index of touching(flow, accounts)) {
    const movement = flow.movements[index]!;
    const leaves = accounts.has(movement.from);
    if (leaves === accounts.has(movement.to) || exclude?.(movement)) continue;
    const asset = flow.assets.get(movement.asset)!;
    const id = apart ? asset.id : mergeNative(asset.id, flow);
    let sum = sums.get(id);
    if (!sum)
      sums.set(id, (sum = { id, asset, sent: 0n, received: 0n, net: 0n, outgoing: [], incoming: [] }));
    if (sum.asset !== asset) sum.asset = NATIVE;
    add(sum, movement, leaves);
  }
  return sums;
}

function add(sum: Sum, movement: Movement, leaves: boolean): void {
  if (leaves) sum.sent += movement.amount;
  else sum.received += movement.amount;
  sum.net = sum.received - sum.sent;
  (leaves ? sum.outgoing : sum.incoming).push(movement);
}

function withoutDust(sums: ReadonlyMap<AssetId, Sum>): ReadonlyMap<AssetId, Sum> {
  for (const sum of sums.values())
    if (isDust(sum)) return new Map([...sums].filter(([, one]) => !isDust(one)));
  return sums;
}

/** Movements from or to the accounts, in order. */
function touching({ outgoing, incoming }: ValueFlow, accounts: ReadonlySet<Address>): readonly number[] {
  const found: number[] = [];
  for (const account of accounts) {
    for (const index of outgoing.get(account) ?? NOTHING) found.push(index);
    for (const index of incoming.get(account) ?? NOTHING) found.push(index);
  }
  return (accounts.size > 1 ? [...new Set(found)] : found).sort((a, b) => a - b);
}

/** Whether an asset nets to zero or to a rounding remainder. */
export function isDust(sum: Omit<Balance, 'id' | 'outgoing' | 'incoming'>): boolean {
  const { asset, sent, received, net } = sum;
  if (net === 0n) return true;
  if (!isFungible(asset) || received === 0n || sent === 0n) return false;
  const [left, larger] = net > 0n ? [net, received] : [-net, sent];
  return left <= ROUNDING_UNITS || left * PASSED_ON_PARTS < larger;
}

/** Which way value went: `both` is a trade or an exchange into a position, the others are one-sided. */
export type Sides = 'none' | 'sent' | 'received' | 'both';

export function netSides(group: Iterable<Balance>): Sides {
  let sent = false;
  let received = false;
  for (const { net } of group) {
    if (net < 0n) sent = true;
    if (net > 0n) received = true;
  }
  return sent && received ? 'both' : sent ? 'sent' : received ? 'received' : 'none';
}

/** Turning native into wrapped native or back changes no balance once both are one asset. */
export function isConversion({ asset, from, to }: Movement, flow: ValueFlow): boolean {
  const { wrappedNative } = flow;
  if (asset === NATIVE_ASSET) return wrappedNative.has(from) || wrappedNative.has(to);
  if (mergeNative(asset, flow) !== NATIVE_ASSET) return false;
  const token = flow.assets.get(asset)!.address;
  return [from, to].some((account) => account === ZERO_ADDRESS || account === token);
}
