import { cycleOf, type CycleContext } from './cycles.ts';
import type { MotifDraft } from './draftMotif.ts';
import { entityOf, type Entity } from './entity.ts';
import { connectedHops, tradeBalance, type Hop } from './hops.ts';
import { routeOf, type Tracing } from './routes.ts';
import type { Address } from '../../model/hex.ts';
import type { CanonicalTx } from '../../model/canonicalTx.ts';
import type { ValueFlow } from '../../model/valueFlow.ts';

export interface CompositeContext {
  readonly tx: CanonicalTx;
  readonly flow: ValueFlow;
  readonly wrappedNative: ReadonlySet<Address>;
  readonly tracing: Tracing;
  /** Null where unknown. */
  readonly coinbase: Address | null;
}

/** Closed cycles and routes that hops form; it takes hops at two pools to form one. */
export function compositesOf(
  hops: readonly Hop[],
  drafts: readonly MotifDraft[],
  { tx, flow, wrappedNative, tracing, coinbase }: CompositeContext,
): MotifDraft[] {
  if (hops.length < 2) return [];
  let entity: Entity | null = null;
  const context: CycleContext = {
    tx,
    flow,
    wrappedNative,
    entity: () =>
      (entity ??= entityOf(tx, flow, wrappedNative, coinbase, new Set(hops.map((hop) => hop.motif.venue)))),
  };
  const feeTakers = new Set<Address>();
  for (const { kind, participants } of drafts)
    if (kind === 'protocol_fee')
      for (const { role, account } of participants) if (role === 'recipient') feeTakers.add(account);
  const composites: MotifDraft[] = [];
  for (const group of connectedHops(hops)) {
    if (group.length < 2 || poolsOf(group) < 2) continue;
    const balance = tradeBalance(group);
    const composite = cycleOf(group, balance, context) ?? routeOf(group, balance, tracing, feeTakers);
    if (composite) composites.push(composite);
  }
  return composites;
}

function poolsOf(hops: readonly Hop[]): number {
  return new Set(hops.map((hop) => hop.pool)).size;
}
