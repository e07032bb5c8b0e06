import { erc20Id, NATIVE_ASSET } from './asset.ts';
import { ZERO_ADDRESS } from '../evm/hex.ts';
import type { Address } from '../model/hex.ts';
import type { AssetId, Ledger, ValueFlow } from '../model/valueFlow.ts';

export interface LaneOptions {
  /** Wrapped-native token contracts to count as the native asset; null keeps every asset apart. */
  readonly mergeWrapped: ReadonlySet<Address> | null;
}

/** Lane ids of wrapped-native tokens, for `mergedLane`. */
export function wrappedLanes(wrappedNative: ReadonlySet<Address>): ReadonlySet<AssetId> {
  let lanes = WRAPPED.get(wrappedNative);
  if (!lanes) WRAPPED.set(wrappedNative, (lanes = new Set([...wrappedNative].map(erc20Id))));
  return lanes;
}

const WRAPPED = new WeakMap<ReadonlySet<Address>, ReadonlySet<AssetId>>();

/** The lane an asset counts in when native and wrapped native are one. */
export function mergedLane(asset: AssetId, wrapped: ReadonlySet<AssetId>): AssetId {
  return wrapped.has(asset) ? NATIVE_ASSET : asset;
}

/**
 * What an account, or several taken as one, gained (positive) or lost per asset; lanes that net to zero are left out.
 * Movements between the accounts cancel. Gas is not in it.
 */
export function netLanes(
  flow: ValueFlow,
  accounts: Address | Iterable<Address>,
  options: LaneOptions,
): Map<AssetId, bigint> {
  const wrapped = wrappedLanes(options.mergeWrapped ?? new Set());
  const net = new Map<AssetId, bigint>();
  for (const account of typeof accounts === 'string' ? [accounts as Address] : new Set(accounts))
    for (const [asset, lane] of flow.ledgers.get(account) ?? []) {
      const key = mergedLane(asset, wrapped);
      net.set(key, (net.get(key) ?? 0n) + lane.inflow - lane.outflow);
    }
  for (const [asset, amount] of net) if (amount === 0n) net.delete(asset);
  return net;
}

/**
 * Accounts that passed on everything they received (routers, proxies, settlement contracts): no lane keeps or loses
 * anything, native and wrapped native being one lane. The zero address and the wrapped-native contracts are never among them.
 */
export function passThroughAccounts(flow: ValueFlow, wrappedNative: ReadonlySet<Address>): Set<Address> {
  const wrapped = wrappedLanes(wrappedNative);
  const found = new Set<Address>();
  for (const [account, ledger] of flow.ledgers) {
    if (passesAllOn(ledger, wrapped) && account !== ZERO_ADDRESS && !wrappedNative.has(account))
      found.add(account);
  }
  return found;
}

function passesAllOn(ledger: Ledger, wrapped: ReadonlySet<AssetId>): boolean {
  let native = 0n;
  for (const [asset, { inflow, outflow }] of ledger) {
    if (inflow === outflow) continue;
    if (mergedLane(asset, wrapped) !== NATIVE_ASSET) return false;
    native += inflow - outflow;
  }
  return native === 0n;
}
