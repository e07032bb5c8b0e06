import { erc20Id, NATIVE_ASSET } from '../../value/asset.ts';
import { composite, unique, type MotifDraft, type MotifInput } from './draftMotif.ts';
import type { Entity } from './entity.ts';
import { assetOfLane, type Hop, type LaneBalance } from './hops.ts';
import type { AssetId } from '../../model/valueFlow.ts';

/** A lane of the entity counts as flat up to one part in ten thousand of what went through it: bots leave dust behind. */
const DUST_DIVISOR = 10_000n;

export interface CycleContext extends MotifInput {
  /** Worked out when first asked for. */
  readonly entity: () => Entity;
}

/**
 * Trades at two pools or more that end in the asset they began with and leave more of it: every lane between chains within
 * 1 %, not in and out of the same pool. The signer and the contract it called count as one entity, and what they paid the
 * block builder as part of the residual. `balance` is that of the hops.
 */
export function cycleOf(
  hops: readonly Hop[],
  balance: readonly LaneBalance[],
  context: CycleContext,
): MotifDraft | null {
  const entity = context.entity;
  const base = baseOf(hops, balance, entity);
  if (!base || isRoundTripAtOnePool(hops, base.lane)) return null;
  const { tx } = context;
  // A bot may keep its gains in a third account, which only receives.
  const wallet = gained(entity().lanes, base.lane) ? null : entity().walletOf(base.lane);
  const net = wallet ? entity().lanesWith(wallet) : entity().lanes;
  const motifs = hops.map((h) => h.motif);
  const pools = unique(hops.filter((h) => h.trade).map((h) => h.motif.venue));
  return composite(
    {
      kind: 'cycle',
      venue: motifs[0]!.venue,
      scopeFrame: null,
      participants: [
        { role: 'owner', account: tx.from },
        ...(tx.to ? [{ role: 'caller', account: tx.to }] : []),
        ...(wallet ? [{ role: 'beneficiary', account: wallet }] : []),
        ...pools.map((account) => ({ role: 'pool', account })),
      ],
      assetsIn: [{ asset: assetOfLane(hops, 'received', base.lane), amount: base.received, role: 'out' }],
      assetsOut: [{ asset: assetOfLane(hops, 'sent', base.lane), amount: base.sent, role: 'in' }],
      invariants: [
        { name: 'closed', holds: true },
        { name: 'amounts_chain', holds: hops.every((h) => h.sent !== null && h.received !== null) },
        { name: 'distinct_pools', holds: true },
        { name: 'positive_residual', holds: gained(net, base.lane) },
        {
          name: 'other_lanes_flat',
          holds: [...net].every(
            ([lane, amount]) => lane === base.lane || isDust(lane, amount, entity(), context),
          ),
        },
        { name: 'hops_proven', holds: motifs.every((m) => m.status === 'Proven') },
      ],
    },
    motifs,
  );
}

function gained(lanes: ReadonlyMap<AssetId, bigint>, lane: AssetId): boolean {
  return (lanes.get(lane) ?? 0n) > 0n;
}

/** The asset a cycle begins and ends in: the only one the hops gained beyond slack. Null where there is none such. */
function baseOf(
  hops: readonly Hop[],
  balance: readonly LaneBalance[],
  entity: () => Entity,
): LaneBalance | null {
  if (!hops.some((hop) => hop.trade)) return null;
  const gainful = balance.filter((lane) => lane.sent > 0n && lane.received > lane.sent);
  if (gainful.length === 0 || balance.some((lane) => !lane.flat && !gainful.includes(lane))) return null;
  const clear = gainful.filter((lane) => !lane.flat);
  if (clear.length > 0) return clear.length === 1 ? clear[0]! : null;
  const kept = gainful.find(({ lane }) => gained(entity().lanes, lane));
  return kept ?? (gainful.length === 1 ? gainful[0]! : null);
}

function isRoundTripAtOnePool(hops: readonly Hop[], lane: AssetId): boolean {
  const start = unique(hops.filter((h) => h.sent?.lane === lane).map((h) => h.pool));
  const end = unique(hops.filter((h) => h.received?.lane === lane).map((h) => h.pool));
  return start.length === 1 && end.length === 1 && start[0] === end[0];
}

function isDust(
  lane: AssetId,
  amount: bigint,
  entity: Entity,
  { flow, rulebook: { wrappedNative } }: CycleContext,
): boolean {
  const assets = lane === NATIVE_ASSET ? [lane, ...[...wrappedNative].map(erc20Id)] : [lane];
  let through = 0n;
  for (const account of entity.accounts)
    for (const asset of assets) through += flow.ledgers.get(account)?.get(asset)?.inflow ?? 0n;
  return (amount < 0n ? -amount : amount) * DUST_DIVISOR <= through;
}
