import { bfsFromNode } from 'graphology-traversal';
import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import type { SubjectView } from './subjectView.ts';
import type { Address } from '../../../model/hex.ts';

/**
 * Accounts reached from the subject along movements, through accounts that both received and paid and are
 * not a venue, a token or the zero address. They carry value for the subject and are not its
 * counterparties.
 */
export function passThroughAccounts(view: SubjectView): ReadonlySet<Address> {
  const { flow, venues, entity, tx, input } = view;
  const tokens = new Set<Address | null>();
  for (const { address } of flow.assets.values()) tokens.add(address);
  const mayCarry = (account: Address): boolean =>
    !entity.has(account) && !venues.has(account) && !tokens.has(account);
  const carries = (account: Address): boolean =>
    account !== ZERO_ADDRESS && flow.outgoing.has(account) && flow.incoming.has(account) && mayCarry(account);
  const agents = new Set<Address>();
  const anyCarrier = [...flow.outgoing.keys()].some(carries);
  for (const start of entity) {
    if (!anyCarrier || !flow.graph.hasNode(start)) continue;
    const stopsAt = (node: string): boolean => {
      if (node === start) return false;
      const account = node as Address;
      if (agents.has(account) || !carries(account)) return true;
      agents.add(account);
      return false;
    };
    bfsFromNode(flow.graph, start, stopsAt, { mode: 'directed' });
  }
  const drives = entity.has(tx.from) || input.subject.mode !== 'solver_settlement';
  if (drives && tx.to !== null && mayCarry(tx.to)) agents.add(tx.to);
  return agents;
}
