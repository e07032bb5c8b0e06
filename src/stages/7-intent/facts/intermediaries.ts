import { bfsFromNode } from 'graphology-traversal';
import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import type { SubjectView } from './subjectView.ts';
import { tokensOf } from '../../../value/parties.ts';
import type { Address } from '../../../model/hex.ts';

/**
 * Accounts reached from the entity along movements, through accounts that both received and paid and are
 * not a venue, a token or the zero address, and the contract it called. They act between it and its
 * counterparties. Unlike carriers, they may keep part of the value.
 */
export function intermediariesOf(view: SubjectView): ReadonlySet<Address> {
  const { tx, flow, entity, input } = view;
  const calledForIt = entity.has(tx.from) || input.subject.mode !== 'solver_settlement';
  const tokens = tokensOf(flow);
  const isBetween = (account: Address): boolean =>
    !entity.has(account) && !view.isVenue(account) && !tokens.has(account);
  const handsOn = (account: Address): boolean =>
    account !== ZERO_ADDRESS &&
    flow.outgoing.has(account) &&
    flow.incoming.has(account) &&
    isBetween(account);
  const found = new Set<Address>();
  const any = [...flow.outgoing.keys()].some(handsOn);
  for (const start of entity) {
    if (!any || !flow.graph().hasNode(start)) continue;
    const stopsAt = (node: string): boolean => {
      if (node === start) return false;
      const account = node as Address;
      if (found.has(account) || !handsOn(account)) return true;
      found.add(account);
      return false;
    };
    bfsFromNode(flow.graph(), start, stopsAt, { mode: 'directed' });
  }
  if (calledForIt && tx.to !== null && isBetween(tx.to)) found.add(tx.to);
  return found;
}
