import { bfsFromNode } from 'graphology-traversal';
import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import type { SubjectView } from './subjectView.ts';
import { tokensOf } from '../../../value/parties.ts';
import type { Address } from '../../../model/hex.ts';

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
