import { NATIVE_ASSET } from '../../value/asset.ts';
import { ZERO_ADDRESS } from '../../evm/hex.ts';
import type { Address } from '../../model/hex.ts';
import type { Asset, AssetId, Movement, ValueFlow } from '../../model/valueFlow.ts';

/** What a group of accounts paid and received in one lane, across its border. Native and wrapped native share a lane. */
export interface EntityLane {
  readonly lane: AssetId;
  /** Payments to the block builder not included. */
  paid: bigint;
  received: bigint;
  toBuilder: bigint;
  readonly movements: Movement[];
}

interface Lanes {
  readonly wrapped: ReadonlySet<Address>;
  readonly assets: ReadonlyMap<AssetId, Asset>;
}

function laneOf(asset: AssetId, { wrapped, assets }: Lanes): AssetId {
  const address = assets.get(asset)?.address;
  return address && wrapped.has(address) ? NATIVE_ASSET : asset;
}

/** Turning native into wrapped native or back changes nothing in their common lane. */
function isConversion(movement: Movement, { wrapped, assets }: Lanes): boolean {
  const address = assets.get(movement.asset)?.address ?? null;
  const far = [movement.from, movement.to];
  return address === null
    ? movement.asset === NATIVE_ASSET && far.some((account) => wrapped.has(account))
    : wrapped.has(address) && far.some((account) => account === ZERO_ADDRESS || account === address);
}

/** Helpers that handed on to the builder all that the group sent them in the lane. */
function payingHelpers(
  flow: ValueFlow,
  group: ReadonlySet<Address>,
  builder: Address,
  lanes: Lanes,
): Set<Address> {
  const helpers = new Set<Address>();
  for (const index of flow.incoming.get(builder) ?? []) {
    const payment = flow.movements[index]!;
    if (group.has(payment.from) || helpers.has(payment.from)) continue;
    const lane = laneOf(payment.asset, lanes);
    const inLane = (list: readonly number[] | undefined) =>
      (list ?? [])
        .map((i) => flow.movements[i]!)
        .filter((m) => laneOf(m.asset, lanes) === lane && !isConversion(m, lanes));
    const incoming = inLane(flow.incoming.get(payment.from));
    const outgoing = inLane(flow.outgoing.get(payment.from));
    const total = (list: readonly Movement[]) => list.reduce((sum, m) => sum + m.amount, 0n);
    if (
      incoming.length > 0 &&
      incoming.every((m) => group.has(m.from)) &&
      outgoing.every((m) => m.to === builder) &&
      total(incoming) === total(outgoing)
    )
      helpers.add(payment.from);
  }
  return helpers;
}

/**
 * Flows across the border of a group of accounts seen as one entity. What went to the block builder, directly or through
 * a helper that only handed it on, is kept apart from other payments. Ordered by first movement.
 */
export function entityFlows(
  flow: ValueFlow,
  group: ReadonlySet<Address>,
  builder: Address,
  wrapped: ReadonlySet<Address>,
): EntityLane[] {
  const lanes: Lanes = { wrapped, assets: flow.assets };
  const builders = group.has(builder)
    ? new Set<Address>()
    : new Set([builder, ...payingHelpers(flow, group, builder, lanes)]);
  const found = new Map<AssetId, EntityLane>();
  for (const movement of flow.movements) {
    const leaves = group.has(movement.from);
    if (leaves === group.has(movement.to) || isConversion(movement, lanes)) continue;
    const id = laneOf(movement.asset, lanes);
    let lane = found.get(id);
    if (!lane) found.set(id, (lane = { lane: id, paid: 0n, received: 0n, toBuilder: 0n, movements: [] }));
    lane.movements.push(movement);
    if (!leaves) lane.received += movement.amount;
    else if (builders.has(movement.to)) lane.toBuilder += movement.amount;
    else lane.paid += movement.amount;
  }
  return [...found.values()];
}
