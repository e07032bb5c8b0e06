import { assetIdOf } from './evaluateBind.ts';
import type { AssetRef, LegEnds } from './bindWord.ts';
import type { ReadyLeg } from '../match/meaning.ts';
import { farEnd } from '../../../lib/roles.ts';
import type { MovementIndex } from './movementIndex.ts';
import type { Address } from '../../../model/hex.ts';
import type { Leg } from '../../../model/primitive.ts';
import type { Movement } from '../../../model/valueFlow.ts';

export interface BoundLeg {
  readonly leg: Leg;
  readonly ends: LegEnds;
  readonly spec: ReadyLeg;
  /** The amount the event states for it, if it states one. */
  readonly stated: bigint | null;
}

/** A stated amount of an asset that neither event nor flow names. */
export interface Unresolved {
  readonly role: string;
  readonly amount: bigint;
}

/** One way to bind a leg. */
export interface Option {
  readonly movements: readonly Movement[];
  readonly legs: readonly BoundLeg[];
  readonly unresolved: readonly Unresolved[];
}

interface LegContext {
  readonly index: MovementIndex;
  readonly venue: Address | null;
}

/** Legs carried by movements, one per asset. */
export function carried(
  spec: ReadyLeg,
  movements: readonly Movement[],
  amount: bigint | null,
  context: LegContext,
): Option {
  if (movements.length === 1)
    return { movements, legs: [legOf(spec, movements, amount, context)], unresolved: [] };
  const byAsset = new Map<string, Movement[]>();
  for (const m of movements) {
    const group = byAsset.get(m.asset);
    if (group) group.push(m);
    else byAsset.set(m.asset, [m]);
  }
  return {
    movements,
    legs: [...byAsset.values()].map((group) => legOf(spec, group, amount, context)),
    unresolved: [],
  };
}

/** A leg carried by movements of one asset. */
function legOf(
  spec: ReadyLeg,
  group: readonly Movement[],
  amount: bigint | null,
  context: LegContext,
): BoundLeg {
  const first = group[0]!;
  const sum = group.length === 1 ? first.amount : group.reduce((total, m) => total + m.amount, 0n);
  return {
    spec,
    stated: amount,
    ends: { from: first.from, to: first.to, asset: context.index.assetRef(first) },
    leg: {
      role: spec.role,
      asset: first.asset,
      amount: sum,
      account: farEnd(spec.role, first, context.venue),
      movements: group.length === 1 ? [first.index] : group.map((m) => m.index).sort((a, b) => a - b),
      exact: amount !== null && amount === sum,
    },
  };
}

/** A leg that no single movement carries: settled by net deltas inside the venue. */
export function stated(
  spec: ReadyLeg,
  asset: AssetRef | null,
  amount: bigint,
  from: Address | null,
  to: Address | null,
): Option {
  if (asset === null) return { movements: [], legs: [], unresolved: [{ role: spec.role, amount }] };
  const leg: Leg = {
    role: spec.role,
    asset: assetIdOf(asset),
    amount,
    account: null,
    movements: [],
    exact: true,
  };
  return { movements: [], legs: [{ spec, stated: amount, ends: { from, to, asset }, leg }], unresolved: [] };
}
