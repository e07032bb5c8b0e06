import type { Address } from '../model/hex.ts';
import type { Motif } from '../model/motif.ts';

/** The account a motif gives a role, or null. */
export function roleOf(motif: Motif, role: string): Address | null {
  for (const participant of motif.participants) if (participant.role === role) return participant.account;
  return null;
}

/** Every account that takes part in a motif, with a role or at the end of a leg's movement. */
export function accountsOf(motif: Motif): Address[] {
  return motif.participants.map((p) => p.account);
}
