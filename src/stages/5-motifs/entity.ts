import { ZERO_ADDRESS } from '../../evm/hex.ts';
import { mergedLane, netLanes, wrappedLanes } from '../../value/lanes.ts';
import type { Address } from '../../model/hex.ts';
import type { CanonicalTx } from '../../model/canonicalTx.ts';
import type { AssetId, ValueFlow } from '../../model/valueFlow.ts';

/** The signer and the contract it called, taken as one trader. */
export interface Entity {
  readonly accounts: ReadonlySet<Address>;
  /** What the entity gained or lost per lane, payments to the block builder added back. */
  readonly lanes: ReadonlyMap<AssetId, bigint>;
  /** The one further account that received the lane from the entity and sent nothing: a wallet for its gains. Null for none or several. */
  readonly walletOf: (lane: AssetId) => Address | null;
  /** As `lanes`, with another account counted in. */
  readonly lanesWith: (account: Address) => ReadonlyMap<AssetId, bigint>;
}

/** `venues`: contracts at which trades happened, which are nobody's wallet. `coinbase` is null where unknown. */
export function entityOf(
  tx: CanonicalTx,
  flow: ValueFlow,
  wrappedNative: ReadonlySet<Address>,
  coinbase: Address | null,
  venues: ReadonlySet<Address>,
): Entity {
  const accounts = new Set<Address>(tx.to === null ? [tx.from] : [tx.from, tx.to]);
  const wrapped = wrappedLanes(wrappedNative);
  const lanesOf = (group: ReadonlySet<Address>): Map<AssetId, bigint> => {
    const net = netLanes(flow, group, { mergeWrapped: wrappedNative });
    if (coinbase === null || group.has(coinbase)) return net;
    for (const index of flow.incoming.get(coinbase) ?? []) {
      const m = flow.movements[index]!;
      if (!group.has(m.from)) continue;
      const lane = mergedLane(m.asset, wrapped);
      net.set(lane, (net.get(lane) ?? 0n) + m.amount);
    }
    for (const [lane, amount] of net) if (amount === 0n) net.delete(lane);
    return net;
  };

  const wallets = new Map<AssetId, Set<Address>>();
  for (const account of accounts)
    for (const index of flow.outgoing.get(account) ?? []) {
      const m = flow.movements[index]!;
      const other =
        accounts.has(m.to) ||
        venues.has(m.to) ||
        wrappedNative.has(m.to) ||
        m.to === coinbase ||
        m.to === ZERO_ADDRESS;
      if (other || flow.outgoing.get(m.to)?.length) continue;
      const lane = mergedLane(m.asset, wrapped);
      wallets.set(lane, (wallets.get(lane) ?? new Set()).add(m.to));
    }
  const extended = new Map<Address, ReadonlyMap<AssetId, bigint>>();
  return {
    accounts,
    lanes: lanesOf(accounts),
    walletOf: (lane) => {
      const found = wallets.get(lane);
      return found?.size === 1 ? [...found][0]! : null;
    },
    lanesWith: (account) => {
      let lanes = extended.get(account);
      if (!lanes) extended.set(account, (lanes = lanesOf(new Set([...accounts, account]))));
      return lanes;
    },
  };
}
