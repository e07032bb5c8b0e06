import { mergeNative, NATIVE } from './asset.ts';
import type { Address } from '../model/hex.ts';
import type { Asset, AssetId, Movement, ValueFlow } from '../model/valueFlow.ts';

/** A group's sent and received amounts of one asset, across the group's border. */
export interface Balance {
  /** The native asset's id for wrapped native too, where these are merged. */
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
  /** Wrapped-native token contracts to count as the native asset; without them every asset stays apart. */
  readonly mergeWrapped?: ReadonlySet<Address>;
  /** `drop` leaves out assets that net to zero or to a rounding remainder. Default `keep`. */
  readonly dust?: 'keep' | 'drop';
  /** Movements to leave out. */
  readonly exclude?: (movement: Movement) => boolean;
}

/** Rebasing and share tokens leave a few base units behind by rounding. */
const ROUNDING_UNITS = 10n;
/** An asset with less than a millionth kept was only forwarded. */
const PASSED_ON_PARTS = 1_000_000n;

interface Sum {
  readonly id: AssetId;
  asset: Asset;
  sent: bigint;
  received: bigint;
  net: bigint;
  readonly outgoing: Movement[];
  readonly incoming: Movement[];
}

/**
 * Amounts an account, or several taken as one, sent and received per asset, in smallest units, ordered by
 * first movement. Movements inside the group do not count. Gas is not included.
 */
export function balances(
  flow: ValueFlow,
  group: Address | ReadonlySet<Address>,
  { mergeWrapped, dust = 'keep', exclude }: BalanceOptions = {},
): ReadonlyMap<AssetId, Balance> {
  const accounts: ReadonlySet<Address> = typeof group === 'string' ? new Set([group]) : group;
  const sums = new Map<AssetId, Sum>();
  for (const index of movementsOf(flow, accounts)) {
    const movement = flow.movements[index]!;
    if (accounts.has(movement.from) === accounts.has(movement.to) || exclude?.(movement)) continue;
    const asset = flow.assets.get(movement.asset)!;
    const id = mergeWrapped ? mergeNative(asset.id, mergeWrapped) : asset.id;
    let sum = sums.get(id);
    if (!sum)
      sums.set(id, (sum = { id, asset, sent: 0n, received: 0n, net: 0n, outgoing: [], incoming: [] }));
    if (sum.asset !== asset) sum.asset = NATIVE;
    add(sum, movement, accounts.has(movement.from));
  }
  for (const sum of sums.values()) {
    sum.net = sum.received - sum.sent;
    if (dust === 'drop' && isDust(sum)) sums.delete(sum.id);
  }
  return sums;
}

function add(sum: Sum, movement: Movement, leaves: boolean): void {
  if (leaves) sum.sent += movement.amount;
  else sum.received += movement.amount;
  (leaves ? sum.outgoing : sum.incoming).push(movement);
}

/** Indexes of the movements that any of the accounts sent or received, in order. */
function movementsOf({ outgoing, incoming }: ValueFlow, accounts: ReadonlySet<Address>): Iterable<number> {
  const found = new Set<number>();
  for (const account of accounts)
    for (const list of [outgoing.get(account), incoming.get(account)])
      for (const index of list ?? []) found.add(index);
  return [...found].sort((a, b) => a - b);
}

function isDust({ asset, sent, received, net }: Sum): boolean {
  if (net === 0n) return true;
  const fungible = asset.kind === 'native' || asset.kind === 'erc20';
  if (!fungible || received === 0n || sent === 0n) return false;
  const [left, larger] = net > 0n ? [net, received] : [-net, sent];
  return left <= ROUNDING_UNITS || left * PASSED_ON_PARTS < larger;
}

/** Which way value went: `both` is a trade or an exchange into a position, the others are one-sided. */
export type Sides = 'none' | 'sent' | 'received' | 'both';

export function sidesOf(group: Iterable<Balance>): Sides {
  let sent = false;
  let received = false;
  for (const { net } of group) {
    if (net < 0n) sent = true;
    if (net > 0n) received = true;
  }
  return sent && received ? 'both' : sent ? 'sent' : received ? 'received' : 'none';
}
