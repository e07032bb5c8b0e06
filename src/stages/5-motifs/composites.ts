import { cycleOf, type CycleContext } from './cycles.ts';
import { kindOf } from '../../lib/motifKinds.ts';
import type { MotifDraft, MotifInput } from './draftMotif.ts';
import { entityOf, traderBehind, type Entity } from './entity.ts';
import { connectedHops, tradeBalance, type Hop } from './hops.ts';
import { routeOf, type Tracing } from './routes.ts';
import type { Address } from '../../model/hex.ts';

/** Closed cycles and routes that hops form; it takes hops at two pools to form one. */
export function compositesOf(
  hops: readonly Hop[],
  drafts: readonly MotifDraft[],
  input: MotifInput,
  tracing: Tracing,
): MotifDraft[] {
  if (hops.length < 2) return [];
  const venues = new Set(hops.map((hop) => hop.motif.venue));
  const entities = new Map<Address | null, Entity>();
  const entity = (group: readonly Hop[]): Entity => {
    const trader = traderBehind(group, input, venues);
    const known = entities.get(trader) ?? entityOf(input, venues, trader);
    entities.set(trader, known);
    return known;
  };
  const context: CycleContext = { ...input, entity };
  const feeTakers = new Set(
    drafts
      .filter(({ kind }) => kindOf(input.rulebook, kind).fee)
      .flatMap(({ participants }) => participants.filter(({ role }) => role === 'recipient'))
      .map(({ account }) => account),
  );
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
