import { addTo } from './lists.ts';
import type { Address } from '../model/hex.ts';
import type { Motif } from '../model/motif.ts';
import type { Leg, Primitive, RoleBinding } from '../model/primitive.ts';
import type { Movement } from '../model/valueFlow.ts';

/** Leg roles of assets sent by the venue's counterparty; all other roles are received. */
export const SENT_ROLES: ReadonlySet<string> = new Set([
  'in',
  'share_in',
  'repaid',
  'debt',
  'paid',
  'fee',
  'debt_share_in',
  'collateral_share_in',
]);

/** Legs that move the position token itself rather than its content. */
export const SHARE_ROLES: ReadonlySet<string> = new Set([
  'share_out',
  'share_in',
  'debt_share_out',
  'debt_share_in',
  'collateral_share_in',
]);

/** Legs that move the token of a debt: it is neither given nor received value. */
export const DEBT_SHARE_ROLES: ReadonlySet<string> = new Set(['debt_share_out', 'debt_share_in']);

/** Roles of the accounts that decide an act: they own, sign, pay or owe. */
const principals: ReadonlySet<string> = new Set([
  'owner',
  'maker',
  'taker',
  'buyer',
  'seller',
  'borrower',
  'liquidator',
  'payer',
]);
const parties: ReadonlySet<string> = new Set([...principals, 'recipient', 'caller', 'beneficiary']);

/** True for roles that own the act; other roles name venues or accounts merely involved. */
export function isParty(role: string): boolean {
  return parties.has(role);
}

/** Like `isParty`, without mere callers and recipients. */
export function isPrincipal(role: string): boolean {
  return principals.has(role);
}

/** The owner of the changed position: the first of these roles that the motif binds. */
export const POSITION_OWNER_ROLES: readonly string[] = [
  'owner',
  'borrower',
  'recipient',
  'payer',
  'maker',
  'caller',
];

/** The party across from the venue: the movement's other end where the venue is one, else the leg's role. */
export function farEnd(role: string, movement: Movement, venue: Address | null): Address {
  if (movement.kind === 'mint') return movement.to;
  if (movement.kind === 'burn') return movement.from;
  if (movement.to === venue) return SENT_ROLES.has(role) ? movement.from : venue;
  if (movement.from === venue) return role === 'in' ? venue : movement.to;
  return SENT_ROLES.has(role) ? movement.from : movement.to;
}

/** The account a motif gives a role, or null. */
export function roleOf(motif: Motif, role: string): Address | null {
  for (const participant of motif.participants) if (participant.role === role) return participant.account;
  return null;
}

/** The accounts that an event or call gives a role. */
export function accountsWith(roles: readonly RoleBinding[], wanted: string): Address[] {
  return roles.filter(({ role }) => role === wanted).map(({ account }) => account);
}

/** The venue, and the managers beside it that events name. */
export function placesOf({ venue, roles }: Pick<Primitive, 'venue' | 'roles'>): Address[] {
  return [venue, ...accountsWith(roles, 'venue')];
}

/** Keys of the sides of movements that a leg has: each movement is sent by one act and received by one. */
export function sideKeys({ role, movements }: Pick<Leg, 'role' | 'movements'>): number[] {
  return movements.map((index) => 2 * index + (SENT_ROLES.has(role) ? 1 : 0));
}

/** Each role of each account once, in order. */
export function distinctRoles(roles: readonly RoleBinding[]): RoleBinding[] {
  const known = new Map<Address, string[]>();
  return roles.filter(({ role, account }) => {
    if (known.get(account)?.includes(role)) return false;
    addTo(known, account, role);
    return true;
  });
}

/** Every account that takes part in a motif. */
export function accountsOf(motif: Motif): Address[] {
  return motif.participants.map((p) => p.account);
}
