import { isParty } from '../../../lib/roles.ts';
import type { SubjectView } from './subjectView.ts';
import type { Address } from '../../../model/hex.ts';
import type { Motif } from '../../../model/motif.ts';

/**
 * The subject's motifs. The driver of a transaction causes everything in it, except acts that plainly
 * belong to another account: it is named and none of the subject's value takes part. In a settlement shared
 * by several accounts only motifs that name or touch the subject are its own, or those that name and move
 * nothing.
 */
export function ownership(view: SubjectView): readonly Motif[] {
  const { subject, motifs } = view.input;
  const shared = subject.mode === 'solver_settlement' || !subject.elected;
  const ours: Motif[] = [];
  for (const motif of motifs) {
    const unclaimed = !namesAnother(motif) && (!shared || (subject.elected && motif.movements.length === 0));
    if (unclaimed || touches(view, motif)) ours.push(motif);
  }
  return ours;
}

/**
 * Carriers are looked up only where the subject itself has no part: most motifs name or move its own value.
 */
function touches(view: SubjectView, motif: Motif): boolean {
  return (
    view.entity.has(motif.venue) ||
    takesPart(view, motif, view.entity) ||
    takesPart(view, motif, view.intermediaries)
  );
}

function takesPart({ flow }: SubjectView, motif: Motif, accounts: ReadonlySet<Address>): boolean {
  for (const { role, account } of motif.participants) if (isParty(role) && accounts.has(account)) return true;
  for (const index of motif.movements) {
    const { from, to } = flow.movements[index]!;
    if (accounts.has(from) || accounts.has(to)) return true;
  }
  return false;
}

function namesAnother(motif: Motif): boolean {
  for (const { role, account } of motif.participants)
    if (account !== motif.venue && isParty(role)) return true;
  return false;
}
