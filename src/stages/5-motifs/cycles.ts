import { erc20Id, NATIVE_ASSET } from '../../value/asset.ts';
import { lowestConfidence } from './confidence.ts';
import { firstSeq, joinEvidence, joinMovements, type MotifDraft } from './draftMotif.ts';
import type { Entity } from './entity.ts';
import { assetOfLane, type Hop } from './hops.ts';
import { sharedProtocol, unique } from './routes.ts';
import type { LaneBalance } from './tradeBalance.ts';
import type { Address } from '../../model/hex.ts';
import type { CanonicalTx } from '../../model/canonicalTx.ts';
import type { AssetId, ValueFlow } from '../../model/valueFlow.ts';

/** A lane of the entity counts as flat up to one part in ten thousand of what went through it: bots leave dust behind. */
const DUST_DIVISOR = 10_000n;

export interface CycleContext {
  readonly tx: CanonicalTx;
  readonly flow: ValueFlow;
  readonly wrappedNative: ReadonlySet<Address>;
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
  if (!hops.some((hop) => hop.trade)) return null;
  const gainful = balance.filter((lane) => lane.sent > 0n && lane.received > lane.sent);
  if (gainful.length === 0 || balance.some((lane) => !lane.flat && !gainful.includes(lane))) return null;
  const entity = context.entity();
  const { lanes } = entity;
  const base =
    gainful.find((lane) => !lane.flat) ??
    gainful.find((lane) => (lanes.get(lane.lane) ?? 0n) > 0n) ??
    (gainful.length === 1 ? gainful[0]! : null);
  if (!base || gainful.some((lane) => !lane.flat && lane !== base)) return null;
  // A bot may keep its gains in a third account, which only receives.
  const wallet = (lanes.get(base.lane) ?? 0n) > 0n ? null : entity.walletOf(base.lane);
  const net = wallet ? entity.lanesWith(wallet) : lanes;

  const start = unique(hops.filter((h) => h.sent?.lane === base.lane).map((h) => h.pool));
  const end = unique(hops.filter((h) => h.received?.lane === base.lane).map((h) => h.pool));
  if (start.length === 1 && end.length === 1 && start[0] === end[0]) return null;

  const motifs = hops.map((h) => h.motif);
  const invariants = [
    { name: 'closed', holds: true },
    { name: 'amounts_chain', holds: hops.every((h) => h.sent !== null && h.received !== null) },
    { name: 'distinct_pools', holds: true },
    { name: 'positive_residual', holds: (net.get(base.lane) ?? 0n) > 0n },
    {
      name: 'other_lanes_flat',
      holds: [...net].every(([lane, amount]) => lane === base.lane || isDust(lane, amount, entity, context)),
    },
    { name: 'hops_proven', holds: motifs.every((m) => m.status === 'Proven') },
  ];
  return {
    index: -1,
    parent: null,
    kind: 'cycle',
    protocol: sharedProtocol(motifs),
    basis: motifs.every((m) => m.basis !== 'structure') ? 'event' : 'structure',
    venue: motifs[0]!.venue,
    poolId: null,
    seq: firstSeq(motifs),
    scopeFrame: null,
    participants: [
      { role: 'owner', account: context.tx.from },
      ...(context.tx.to ? [{ role: 'caller', account: context.tx.to }] : []),
      ...(wallet ? [{ role: 'beneficiary', account: wallet }] : []),
      ...unique(hops.filter((h) => h.trade).map((h) => h.motif.venue)).map((account) => ({
        role: 'pool',
        account,
      })),
    ],
    assetsIn: [{ asset: assetOfLane(hops, 'received', base.lane), amount: base.received, role: 'out' }],
    assetsOut: [{ asset: assetOfLane(hops, 'sent', base.lane), amount: base.sent, role: 'in' }],
    invariants,
    tags: [],
    status: invariants.every((i) => i.holds) ? 'Proven' : 'Suspected',
    confidence: lowestConfidence(motifs.map((m) => m.confidence)),
    movements: joinMovements(motifs),
    evidence: joinEvidence(motifs),
    children: motifs,
  };
}

function isDust(
  lane: AssetId,
  amount: bigint,
  entity: Entity,
  { flow, wrappedNative }: CycleContext,
): boolean {
  const assets = lane === NATIVE_ASSET ? [lane, ...[...wrappedNative].map(erc20Id)] : [lane];
  let through = 0n;
  for (const account of entity.accounts)
    for (const asset of assets) through += flow.ledgers.get(account)?.get(asset)?.inflow ?? 0n;
  return (amount < 0n ? -amount : amount) * DUST_DIVISOR <= through;
}
