import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import type { SubjectView } from './subjectView.ts';
import type { Address } from '../../../model/hex.ts';

/**
 * Accounts reached from the subject along movements, through accounts that both received and paid and are neither a
 * venue, a token nor the zero address. They carry value for the subject but are nobody it deals with.
 */
export function passThroughAccounts(view: SubjectView): ReadonlySet<Address> {
  const { flow, venues, entity, tx, input } = view;
  const tokens = new Set<Address | null>();
  for (const { address } of flow.assets.values()) tokens.add(address);
  const mayCarry = (account: Address): boolean =>
    !entity.has(account) && !venues.has(account) && !tokens.has(account);
  const agents = new Set<Address>();
  const visit = (account: Address): void => {
    if (
      account !== ZERO_ADDRESS &&
      flow.outgoing.has(account) &&
      flow.incoming.has(account) &&
      mayCarry(account)
    )
      agents.add(account);
  };
  const visitNext = (account: Address): void => {
    for (const index of flow.outgoing.get(account) ?? NONE) visit(flow.movements[index]!.to);
    for (const index of flow.incoming.get(account) ?? NONE) visit(flow.movements[index]!.from);
  };
  for (const account of entity) visitNext(account);
  // What is added on the way is visited in its turn.
  for (const account of agents) visitNext(account);
  const drives = entity.has(tx.from) || input.subject.mode !== 'solver_settlement';
  if (drives && tx.to !== null && mayCarry(tx.to)) agents.add(tx.to);
  return agents;
}

const NONE: readonly number[] = [];
