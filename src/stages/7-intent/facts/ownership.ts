import { isParty } from '../../../lib/roles.ts';
import { isIntermediary } from './intermediaries.ts';
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
  const isOurs = (account: Address): boolean => view.entity.has(account);
  const isBetween = (account: Address): boolean => isIntermediary(view, account);
  return motifs.filter((motif) => {
    if (!namesAnother(motif) && (!shared || (subject.elected && motif.movements.length === 0))) return true;
    // Intermediaries last: most motifs name or move the subject's own value.
    return isOurs(motif.venue) || takesPart(view, motif, isOurs) || takesPart(view, motif, isBetween);
  });
}

function takesPart({ flow }: SubjectView, motif: Motif, counts: (account: Address) => boolean): boolean {
  for (const { role, account } of motif.participants) if (isParty(role) && counts(account)) return true;
  for (const index of motif.movements) {
    const { from, to } = flow.movements[index]!;
    if (counts(from) || counts(to)) return true;
  }
  return false;
}

function namesAnother({ participants, venue }: Motif): boolean {
  return participants.some(({ role, account }) => account !== venue && isParty(role));
}
