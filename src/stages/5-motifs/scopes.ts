import { Components } from '../../lib/components.ts';
import { isParty } from '../../lib/roles.ts';
import { venuesOf } from '../../value/parties.ts';
import type { Address } from '../../model/hex.ts';
import type { CanonicalTx } from '../../model/canonicalTx.ts';
import type { Motif } from '../../model/motif.ts';

/** A coherent part of the transaction: the indexes of its motifs that are part of no other one, in order. */
export type Scope = readonly number[];

/**
 * Splits a transaction into its coherent parts: the connected components of its acts by shared movement or
 * party. Strangers meet at venues: a venue connects its customers' acts to its own, not to one another. Acts
 * without a participant belong to the first one.
 */
export function findScopes(tx: CanonicalTx, motifs: readonly Motif[]): Scope[] {
  if (!tx.succeeded) return [];
  const acts = motifs.filter(({ parent }) => parent === null);
  if (acts.length < 2) return tx.frames.length === 0 ? [] : [acts.map(({ index }) => index)];
  const venues = venuesOf(acts);
  const groups = new Components<Motif>();
  const seen = new Map<Address | number, Motif>();
  for (const motif of motifs) {
    let act = motif;
    while (act.parent !== null) act = motifs[act.parent]!;
    for (const index of motif.movements) groups.link(seen, index, act);
    const parties = partiesOf(motif);
    const customers = parties.filter((account) => !venues.has(account));
    for (const account of customers) groups.link(seen, account, act);
    if (customers.length > 0) continue;
    const [behind] = parties.flatMap((account) => venues.get(account) ?? []);
    groups.join(behind ?? acts[0]!, act);
  }
  return groups.of(acts).map((scope) => scope.map(({ index }) => index));
}

/** The parties, and the account that was made. */
function partiesOf({ participants, venue }: Motif): Address[] {
  const isOne = (role: string, account: Address): boolean => isParty(role) && account !== venue;
  return participants.flatMap((p) => (p.role === 'created' || isOne(p.role, p.account) ? p.account : []));
}
