import { ZERO_ADDRESS } from '../../evm/hex.ts';
import { SENT_ROLES } from '../../lib/roles.ts';
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
export function participantsOf(primitive: Primitive, tracing: Tracing): readonly RoleBinding[] {
  const bindings = new Bindings();
  for (const binding of primitive.roles) bindings.take(binding);
  const owner = addEnds(primitive, tracing, bindings);
  const role = venueRole(primitive);
  if (role !== null) bindings.add(role, primitive.venue);
  const unnamed = owner !== null && primitive.basis !== 'structure' && !namesOwner(primitive);
  return unnamed ? [{ role: 'owner', account: owner }, ...bindings.all] : bindings.list(primitive.roles);
}

function namesOwner({ roles }: Primitive): boolean {
  for (const { role } of roles) if (role === 'owner') return true;
  return false;
}

/** Adds who paid and who received, leg by leg. Hands back the one account that all legs lead to in the end, null where they lead to none or several. */
function addEnds(primitive: Primitive, tracing: Tracing, bindings: Bindings): Address | null {
  const { venue, legs } = primitive;
  const managers = managersOf(primitive);
  let owner: Address | null = null;
  let several = false;
  for (let i = 0; i < legs.length; i++) {
    const { account, asset, role: legRole } = legs[i]!;
    if (account === null || account === venue) continue;
    const sent = SENT_ROLES.has(legRole);
    const role = sent ? 'payer' : 'recipient';
    // A manager beside the venue takes and pays for somebody who stands behind it.
    if (!managers.has(account)) bindings.add(role, account);
    if (i >= MAX_TRACED_LEGS) continue;
    let behind: Address | null = null;
    let count = 0;
    for (const far of sent ? tracing.origins(account, asset) : tracing.destinations(account, asset)) {
      if (far === ZERO_ADDRESS || far === venue || managers.has(far)) continue;
      behind = far;
      count++;
      several ||= owner !== null && owner !== far;
      owner ??= far;
    }
    if (behind !== null && count === 1 && behind !== account) bindings.add(role, behind);
  }
  return several ? null : owner;
}

/** What else the roles call a venue; few acts have more than one. */
function managersOf({ roles }: Primitive): ReadonlySet<Address> {
  let managers: Set<Address> | null = null;
  for (const { role, account } of roles) if (role === 'venue') (managers ??= new Set()).add(account);
  return managers ?? NOBODY;
}

const NOBODY: ReadonlySet<Address> = new Set();
