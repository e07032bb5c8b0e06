import { bfsFromNode } from 'graphology-traversal';
import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import { isParty } from '../../../lib/roles.ts';
import { tokensOf } from '../../../value/parties.ts';
import type { SubjectView } from './subjectView.ts';
import type { Address } from '../../../model/hex.ts';
import type { Motif } from '../../../model/motif.ts';

/**
 * The subject's motifs. The driver of a transaction causes everything in it, except acts that plainly
 * belong to another account: it is named and none of the subject's value takes part. In a settlement shared
 * by several accounts only motifs that name or touch the subject are its own, or those that name and move
 * nothing. An act without value of an account between is its own only where it signed: a relayer's contract
 * may do anything beside the act it relays.
 */
export function ownership(view: SubjectView): readonly Motif[] {
  const { subject, motifs } = view.input;
  const shared = subject.mode === 'solver_settlement' || !subject.elected;
  const isOurs = (account: Address): boolean => view.entity.has(account);
  const isBetween = (account: Address): boolean => isIntermediary(view, account);
  return motifs.filter((motif) => {
    if (!namesAnother(motif) && (!shared || (subject.elected && motif.movements.length === 0))) return true;
    // Intermediaries last: most motifs name or move the subject's own value.
    if (isOurs(motif.venue) || takesPart(view, motif, isOurs)) return true;
    return (motif.movements.length > 0 || isOurs(view.tx.from)) && takesPart(view, motif, isBetween);
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

/**
 * Whether the account acts between the entity and its counterparties: one it reaches along movements through
 * accounts that hand value on, or the contract it called. Unlike carriers, they may keep part of the value.
 */
export function isIntermediary(view: SubjectView, account: Address): boolean {
  return isCalledFor(view, account) || (handsOn(view, account) && view.reachable.has(account));
}

function isCalledFor(view: SubjectView, account: Address): boolean {
  const { tx, entity, input } = view;
  const calledForIt = entity.has(tx.from) || input.subject.mode !== 'solver_settlement';
  return calledForIt && account === tx.to && isBetween(view, account);
}

/** Not a venue, a token or the zero address, and it both received and paid. */
function handsOn(view: SubjectView, account: Address): boolean {
  const { outgoing, incoming } = view.flow;
  return (
    account !== ZERO_ADDRESS && outgoing.has(account) && incoming.has(account) && isBetween(view, account)
  );
}

function isBetween(view: SubjectView, account: Address): boolean {
  return !view.entity.has(account) && !view.isVenue(account) && !tokensOf(view.flow).has(account);
}

/** Accounts reached from the entity along movements, through accounts that hand value on. */
export function reachableOf(view: SubjectView): ReadonlySet<Address> {
  const { flow, entity } = view;
  const found = new Set<Address>();
  for (const start of entity) {
    if (!flow.graph().hasNode(start)) continue;
    const stopsAt = (node: string): boolean => {
      if (node === start) return false;
      const account = node as Address;
      if (found.has(account)) return true;
      found.add(account);
      return !handsOn(view, account);
    };
    bfsFromNode(flow.graph(), start, stopsAt, { mode: 'directed' });
  }
  return found;
}
