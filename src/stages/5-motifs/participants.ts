import { ZERO_ADDRESS } from '../../evm/hex.ts';
import { accountsWith, distinctRoles, placesOf, SENT_ROLES } from '../../lib/roles.ts';
import { only } from '../../lib/lists.ts';
import { mergeNative } from '../../value/asset.ts';
import { balances } from '../../value/balances.ts';
import { kindOf } from '../../lib/motifKinds.ts';
import { tracingOf } from '../../value/parties.ts';
import type { MotifInput } from './draftMotif.ts';
import type { Address } from '../../model/hex.ts';
import type { Leg, Primitive, RoleBinding } from '../../model/primitive.ts';

/** Legs with far ends to follow; an act of hundreds of legs names enough accounts without. */
const MAX_TRACED_LEGS = 64;

/**
 * Roles the event gives, then the far end of each leg and the account behind the routers there, then the
 * venue. Where no role names an owner and one account paid and received, that account is the owner.
 */
export function participantsOf(primitive: Primitive, input: MotifInput): readonly RoleBinding[] {
  const bindings = [...primitive.roles];
  const owner = primitive.legs.length === 0 ? null : addEnds(primitive, input, bindings);
  const role = venueRole(primitive, input);
  if (role !== null) bindings.push({ role, account: primitive.venue });
  const unnamed =
    owner !== null &&
    primitive.basis !== 'structure' &&
    !primitive.roles.some(({ role }) => role === 'owner');
  const roles = withBuyer(bindings, primitive, input);
  return distinctRoles(unnamed ? [{ role: 'owner', account: owner }, ...roles] : roles);
}

/** A buyer is the account that paid: the recipient, where it gave as much, else the only payer. */
function withBuyer(
  bindings: readonly RoleBinding[],
  { legs }: Primitive,
  { flow, rulebook: { wrappedNative } }: MotifInput,
): readonly RoleBinding[] {
  const [named] = accountsWith(bindings, 'buyer');
  if (named === undefined) return bindings;
  const payers = [...new Set(accountsWith(bindings, 'payer'))];
  if (payers.length === 0 || payers.includes(named)) return bindings;
  const given = balances(flow, named, { mergeWrapped: wrappedNative });
  const hasPaid = ({ role, asset, amount }: Leg): boolean =>
    SENT_ROLES.has(role) && -(given.get(mergeNative(asset, wrappedNative))?.net ?? 0n) >= amount;
  if (legs.some(hasPaid)) return bindings;
  const { carriers } = tracingOf(flow, wrappedNative);
  const buyer = only(payers.filter((account) => !carriers.has(account)));
  return bindings.flatMap((one) => (one.role !== 'buyer' ? one : buyer ? { ...one, account: buyer } : []));
}

/** Adds payers and recipients by leg. Returns the one account all legs lead to; null for none or several. */
function addEnds(primitive: Primitive, input: MotifInput, bindings: RoleBinding[]): Address | null {
  const [{ venue, legs }, all] = [primitive, input.flow.movements];
  const tracing = tracingOf(input.flow, input.rulebook.wrappedNative);
  // The venue and the managers beside it, which take and pay for the account behind them.
  const managers = placesOf(primitive);
  const isEnd = (account: Address): boolean => account !== ZERO_ADDRESS && !managers.includes(account);
  // An amount that the venue paid on, such as a fee, belongs to its recipient.
  const isGiven = ({ role, movements, account }: Leg): boolean =>
    SENT_ROLES.has(role) && !movements.some((at) => all[at]!.from === venue && all[at]!.to === account);
  const ends = new Set<Address>();
  for (const [i, { account, asset, role: legRole }] of legs.entries()) {
    // The accounts from which shares came that the venue burns itself.
    if (account === venue && legRole === 'share_in')
      for (const holder of tracing.origins(venue, asset)) ends.add(holder);
    // The venue paid on assets of the account behind it.
    if (account === null || (account === venue && legRole !== 'in')) continue;
    const sent = isGiven(legs[i]!);
    const role = sent ? 'payer' : 'recipient';
    if (!managers.includes(account)) bindings.push({ role, account });
    if (i >= MAX_TRACED_LEGS) continue;
    const behind = (sent ? tracing.origins : tracing.destinations)(account, asset).filter(isEnd);
    for (const far of behind) ends.add(far);
    if (behind.length === 1) bindings.push({ role, account: behind[0]! });
  }
  return ends.size === 1 ? [...ends][0]! : null;
}

/** The role that the venue has as a participant; null where there is none. */
function venueRole({ venue, kind, roles }: Primitive, { rulebook }: MotifInput): string | null {
  const { plain, venue: part, allowance } = kindOf(rulebook, kind);
  if (plain || venue === ZERO_ADDRESS || (allowance && roles.some(({ role }) => role === part))) return null;
  return part === 'account' ? 'venue' : part;
}
