import type { Balance } from '../../value/balances.ts';
import { composite, unique, type MotifDraft, type MotifInput } from './draftMotif.ts';
import type { Entity } from './entity.ts';
import { movedAsset, type Hop, type TradeBalance } from './hops.ts';
import type { AssetId } from '../../model/valueFlow.ts';

/**
 * An asset of the entity counts as flat up to one part in ten thousand of its turnover: bots leave dust
 * behind.
 */
const DUST_DIVISOR = 10_000n;

export interface CycleContext extends MotifInput {
  /** Worked out when first asked for. */
  readonly entity: () => Entity;
}

/**
 * Finds trades at two pools or more that end in their first asset with more of it: every asset between
 * chains within 1 %, not in and out of the same pool. The signer and the contract it called count as one
 * entity, and their payment to the block builder as part of the residual. `balance` is that of the hops.
 */
export function cycleOf(
  hops: readonly Hop[],
  balance: readonly TradeBalance[],
  context: CycleContext,
): MotifDraft | null {
  const entity = context.entity;
  const base = baseOf(hops, balance, entity);
  if (!base || isRoundTripAtOnePool(hops, base.id)) return null;
  const { tx } = context;
  // A bot may keep its gains in a third account, which only receives.
  const wallet = gained(entity().balances, base.id) ? null : entity().walletOf(base.id);
  const own = wallet ? entity().balancesWith(wallet) : entity().balances;
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
      assetsIn: [{ asset: movedAsset(hops, 'received', base.id), amount: base.received, role: 'out' }],
      assetsOut: [{ asset: movedAsset(hops, 'sent', base.id), amount: base.sent, role: 'in' }],
      invariants: [
        { name: 'closed', holds: true },
        { name: 'amounts_chain', holds: hops.every((h) => h.sent !== null && h.received !== null) },
        { name: 'distinct_pools', holds: true },
        { name: 'positive_residual', holds: gained(own, base.id) },
        {
          name: 'other_lanes_flat',
          holds: [...own.values()].every((b) => b.id === base.id || isDust(b, entity())),
        },
        { name: 'hops_proven', holds: motifs.every((m) => m.status === 'Proven') },
      ],
    },
    motifs,
  );
}

function gained(own: ReadonlyMap<AssetId, Balance>, id: AssetId): boolean {
  return (own.get(id)?.net ?? 0n) > 0n;
}

/**
 * The asset a cycle begins and ends in: the only one the hops gained beyond slack. Null where there is none
 * such.
 */
function baseOf(
  hops: readonly Hop[],
  balance: readonly TradeBalance[],
  entity: () => Entity,
): TradeBalance | null {
  if (!hops.some((hop) => hop.trade)) return null;
  const gainful = balance.filter((b) => b.sent > 0n && b.received > b.sent);
  if (gainful.length === 0 || balance.some((b) => !b.flat && !gainful.includes(b))) return null;
  const clear = gainful.filter((b) => !b.flat);
  if (clear.length > 0) return clear.length === 1 ? clear[0]! : null;
  const kept = gainful.find(({ id }) => gained(entity().balances, id));
  return kept ?? (gainful.length === 1 ? gainful[0]! : null);
}

function isRoundTripAtOnePool(hops: readonly Hop[], id: AssetId): boolean {
  const start = unique(hops.filter((h) => h.sent?.id === id).map((h) => h.pool));
  const end = unique(hops.filter((h) => h.received?.id === id).map((h) => h.pool));
  return start.length === 1 && end.length === 1 && start[0] === end[0];
}

function isDust({ id, net }: Balance, entity: Entity): boolean {
  return net === 0n || (net < 0n ? -net : net) * DUST_DIVISOR <= entity.through(id);
}
