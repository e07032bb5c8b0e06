import { ZERO_ADDRESS } from '../../lib/hex.ts';
import { GAVE_ROLES } from '../../lib/legRoles.ts';
import { Bindings } from './bindings.ts';
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
  const { ends, owner } = endsOf(primitive, tracing);
  const bindings = new Bindings();
  if (owner !== null && primitive.basis !== 'structure' && !primitive.roles.some((r) => r.role === 'owner')) bindings.add({ role: 'owner', account: owner });
  for (const binding of primitive.roles) bindings.add(binding);
  for (const binding of ends) bindings.add(binding);
  const venue = venueRole(primitive);
  if (venue) bindings.add(venue);
  return bindings.all;
}

/** Who paid and who received, leg by leg; and the one account that all legs lead to in the end, null where they lead to none or several. */
function endsOf({ venue, roles, legs }: Primitive, tracing: Tracing): { ends: readonly RoleBinding[]; owner: Address | null } {
  const venues = new Set([venue]);
  for (const { role, account } of roles) if (role === 'venue') venues.add(account);
  const ends: RoleBinding[] = [];
  const final = new Set<Address>();
  legs.forEach((leg, i) => {
    const { account } = leg;
    if (account === null || account === venue) return;
    const gave = GAVE_ROLES.has(leg.role);
    const role = gave ? 'payer' : 'recipient';
    // A manager beside the venue takes and pays for somebody who stands behind it.
    if (!venues.has(account)) ends.push({ role, account });
    if (i >= MAX_TRACED_LEGS) return;
    const behind: Address[] = [];
    for (const far of (gave ? tracing.origins : tracing.destinations)(account, leg.asset)) if (far !== ZERO_ADDRESS && !venues.has(far)) behind.push(far);
    for (const far of behind) final.add(far);
    if (behind.length === 1) ends.push({ role, account: behind[0]! });
  });
  return { ends, owner: final.size === 1 ? final.values().next().value! : null };
}
