import { mergeNative } from '../../../value/asset.ts';
import { balances } from '../../../value/balances.ts';
import { SENT_ROLES } from '../../../lib/roles.ts';
import type { Binding } from './bindLegs.ts';
import type { Candidate } from './applyMapping.ts';
import type { Address } from '../../../model/hex.ts';
import type { ValueFlow } from '../../../model/valueFlow.ts';

/** Whether some stated amount was carried by no movement of its own. */
export function isNetted({ legs, unresolved }: Binding): boolean {
  return unresolved.length > 0 || legs.some(({ leg }) => leg.movements.length === 0);
}

/**
 * For contracts that settle several pools by net amounts: checks that their events add up to the contract's
 * net amounts over the whole transaction. Amounts of an unnamed asset must cancel exactly (the second hop
 * takes the first one's output). Native and wrapped native are one: such contracts wrap for their
 * customers.
 */
export function nettedVenues(
  candidates: readonly Candidate[],
  flow: ValueFlow,
  wrappedNative: ReadonlySet<Address>,
): ReadonlyMap<Address, boolean> {
  const sums = new Map<Address, { assets: Map<string, bigint>; open: Map<bigint, bigint> }>();
  for (const { venue, binding } of candidates)
    if (isNetted(binding)) sums.set(venue, { assets: new Map(), open: new Map() });
  for (const { venue, binding } of candidates) {
    const sum = sums.get(venue);
    if (!sum) continue;
    for (const { leg } of binding.legs) {
      const id = mergeNative(leg.asset, wrappedNative);
      sum.assets.set(id, (sum.assets.get(id) ?? 0n) + signOf(leg.role) * leg.amount);
    }
    for (const { role, amount } of binding.unresolved)
      sum.open.set(amount, (sum.open.get(amount) ?? 0n) + signOf(role));
  }
  return new Map(
    [...sums].map(([venue, { assets, open }]) => {
      const own = balances(flow, venue, { mergeWrapped: wrappedNative });
      const agrees = [...assets].every(([id, sum]) => sum === (own.get(id)?.net ?? 0n));
      return [venue, agrees && [...open.values()].every((n) => n === 0n)];
    }),
  );
}

function signOf(role: string): bigint {
  return SENT_ROLES.has(role) ? 1n : -1n;
}
