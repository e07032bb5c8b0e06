import type { Address } from '../model/hex.ts';
import type { Movement } from '../model/valueFlow.ts';

/** Leg roles whose asset the venue's counterparty handed over; every other role is something it received. */
export const GAVE_ROLES: ReadonlySet<string> = new Set([
  'in',
  'share_in',
  'repaid',
  'debt',
  'paid',
  'fee',
  'debt_share_in',
  'collateral_share_in',
]);

/** Legs that are the position itself, not what is in it: its token created, returned or taken away. */
export const SHARE_ROLES: ReadonlySet<string> = new Set([
  'share_out',
  'share_in',
  'debt_share_out',
  'debt_share_in',
  'collateral_share_in',
]);

/** The party across from the venue: by direction where the venue is an end of the movement, else by the leg's role. */
export function farEnd(role: string, movement: Movement, venue: Address | null): Address {
  if (movement.kind === 'mint') return movement.to;
  if (movement.kind === 'burn') return movement.from;
  if (movement.to === venue) return movement.from;
  if (movement.from === venue) return movement.to;
  return GAVE_ROLES.has(role) ? movement.from : movement.to;
}
