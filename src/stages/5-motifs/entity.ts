import { ZERO_ADDRESS } from '../../evm/hex.ts';
import { mergedLane, netLanes, wrappedLanes } from '../../value/lanes.ts';
import type { Address } from '../../model/hex.ts';
import type { MotifInput } from './draftMotif.ts';
import type { AssetId, Movement, ValueFlow } from '../../model/valueFlow.ts';

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

/** `venues`: contracts at which trades happened, which are nobody's wallet. */
export function entityOf(input: MotifInput, venues: ReadonlySet<Address>): Entity {
  const { tx, flow, rulebook, coinbase } = input;
  const accounts = new Set<Address>(tx.to === null ? [tx.from] : [tx.from, tx.to]);
  const wrapped = wrappedLanes(rulebook.wrappedNative);
  const wallets = new Map<AssetId, Set<Address>>();
  for (const movement of sentBy(accounts, flow)) {
    const { to, asset } = movement;
    const known = accounts.has(to) || venues.has(to) || rulebook.wrappedNative.has(to);
    if (known || to === coinbase || to === ZERO_ADDRESS || flow.outgoing.get(to)?.length) continue;
    const lane = mergedLane(asset, wrapped);
    wallets.set(lane, (wallets.get(lane) ?? new Set()).add(to));
  }
  return {
    accounts,
    lanes: lanesOf(accounts, input),
    walletOf: (lane) => {
      const found = wallets.get(lane);
      return found?.size === 1 ? [...found][0]! : null;
    },
    lanesWith: (account) => lanesOf(new Set([...accounts, account]), input),
  };
}

/** Net amounts per lane, payments to the block builder added back. */
function lanesOf(
  group: ReadonlySet<Address>,
  { flow, rulebook: { wrappedNative }, coinbase }: MotifInput,
): Map<AssetId, bigint> {
  const net = netLanes(flow, group, { mergeWrapped: wrappedNative });
  if (coinbase === null || group.has(coinbase)) return net;
  const wrapped = wrappedLanes(wrappedNative);
  for (const { to, asset, amount } of sentBy(group, flow)) {
    const lane = mergedLane(asset, wrapped);
    if (to === coinbase) net.set(lane, (net.get(lane) ?? 0n) + amount);
  }
  for (const [lane, amount] of net) if (amount === 0n) net.delete(lane);
  return net;
}

function sentBy(accounts: ReadonlySet<Address>, { outgoing, movements }: ValueFlow): Movement[] {
  return [...accounts].flatMap((account) => (outgoing.get(account) ?? []).map((index) => movements[index]!));
}
