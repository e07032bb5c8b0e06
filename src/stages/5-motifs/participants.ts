import { ZERO_ADDRESS } from '../../lib/hex.ts';
import { GAVE_ROLES } from '../../lib/legRoles.ts';
import type { Tracing } from './routes.ts';
import { venueRole } from './venueRole.ts';
import type { Address } from '../../model/hex.ts';
import type { Primitive, RoleBinding } from '../../model/primitive.ts';

/** Ends of one leg followed; an act of hundreds of legs names enough accounts without. */
const MAX_TRACED_LEGS = 64;

/**
 * Roles the event gives, then who stands at the far end of each leg and behind the routers there, then the venue by what
 * it is. Where no role says whose act it was and one account paid and received, that account is the owner.
 */
export function participantsOf(primitive: Primitive, tracing: Tracing): RoleBinding[] {
  const venues = new Set<Address>([primitive.venue, ...primitive.roles.filter((r) => r.role === 'venue').map((r) => r.account)]);
  const ends: RoleBinding[] = [];
  const final = new Set<Address>();
  for (const [i, leg] of primitive.legs.entries()) {
    if (leg.account === null || leg.account === primitive.venue) continue;
    const gave = GAVE_ROLES.has(leg.role);
    const role = gave ? 'payer' : 'recipient';
    // A manager beside the venue takes and pays for somebody who stands behind it.
    if (!venues.has(leg.account)) ends.push({ role, account: leg.account });
    if (i >= MAX_TRACED_LEGS) continue;
    const behind = [...(gave ? tracing.origins : tracing.destinations)(leg.account, leg.asset)].filter((a) => a !== ZERO_ADDRESS && !venues.has(a));
    for (const account of behind) final.add(account);
    if (behind.length === 1) ends.push({ role, account: behind[0]! });
  }
  const owned = primitive.roles.some((r) => r.role === 'owner');
  const owner: RoleBinding[] = !owned && primitive.basis !== 'structure' && final.size === 1 ? [{ role: 'owner', account: [...final][0]! }] : [];
  const all = [...owner, ...primitive.roles, ...ends, ...venueRole(primitive)];
  return [...new Map(all.map((r) => [`${r.role}|${r.account}`, r])).values()];
}
