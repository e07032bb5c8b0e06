import { mergeNative, NATIVE_ASSET } from '../../value/asset.ts';
import { balances, type Balance } from '../../value/balances.ts';
import { ZERO_ADDRESS } from '../../evm/hex.ts';
import type { Address } from '../../model/hex.ts';
import type { AssetId, Movement, ValueFlow } from '../../model/valueFlow.ts';

/** Balance of a group of accounts taken as one entity, native and wrapped native as one asset. */
export interface EntityBalance extends Balance {
  /** Sent to the block builder, directly or through a helper that only forwarded it. */
  readonly toBuilder: bigint;
  /** Sent to everybody else. */
  readonly paid: bigint;
}

/**
 * Turning native into wrapped native or back moves nothing across an entity's border once both are one asset.
 */
function isConversion(
  { asset, from, to }: Movement,
  { assets }: ValueFlow,
  wrapped: ReadonlySet<Address>,
): boolean {
  if (asset === NATIVE_ASSET) return wrapped.has(from) || wrapped.has(to);
  if (mergeNative(asset, wrapped) !== NATIVE_ASSET) return false;
  const token = assets.get(asset)!.address;
  return [from, to].some((account) => account === ZERO_ADDRESS || account === token);
}

export interface BorderOptions {
  /** The block's fee recipient. */
  readonly builder: Address;
  /** The wrapped-native token contracts. */
  readonly mergeWrapped: ReadonlySet<Address>;
  /** Indexes of movements that are counted elsewhere. */
  readonly leaveOut: ReadonlySet<number>;
}

/** An entity's sent and received amounts across its border, ordered by first movement. */
export function entityBalances(
  flow: ValueFlow,
  group: ReadonlySet<Address>,
  { builder, mergeWrapped, leaveOut }: BorderOptions,
): ReadonlyMap<AssetId, EntityBalance> {
  const exclude = (m: Movement): boolean => leaveOut.has(m.index) || isConversion(m, flow, mergeWrapped);
  const balancesOf = (accounts: Address | ReadonlySet<Address>): ReadonlyMap<AssetId, Balance> =>
    balances(flow, accounts, { mergeWrapped, exclude });
  const builders = group.has(builder)
    ? new Set<Address>()
    : new Set([builder, ...forwardersTo(builder, flow, group, balancesOf)]);
  const found = new Map<AssetId, EntityBalance>();
  for (const [id, own] of balancesOf(group)) {
    let toBuilder = 0n;
    for (const { to, amount } of own.outgoing) if (builders.has(to)) toBuilder += amount;
    found.set(id, { ...own, toBuilder, paid: own.sent - toBuilder });
  }
  return found;
}

/** Accounts that received an asset from the group alone and sent all of it to the builder. */
function forwardersTo(
  builder: Address,
  { incoming, movements }: ValueFlow,
  group: ReadonlySet<Address>,
  balancesOf: (account: Address) => ReadonlyMap<AssetId, Balance>,
): Address[] {
  const payers = new Set((incoming.get(builder) ?? []).map((index) => movements[index]!.from));
  return [...payers].filter(
    (payer) =>
      !group.has(payer) &&
      [...balancesOf(payer).values()].some(
        (own) =>
          own.net === 0n &&
          own.incoming.every(({ from }) => group.has(from)) &&
          own.outgoing.every(({ to }) => to === builder),
      ),
  );
}
