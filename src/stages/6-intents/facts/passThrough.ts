import { ZERO_ADDRESS } from '../../../lib/hex.ts';
import type { SubjectView } from './subjectView.ts';
import type { Address } from '../../../model/hex.ts';

/**
 * Accounts reached from the subject along movements, through accounts that both received and paid and are neither a
 * venue, a token nor the zero address. They carry value for the subject but are nobody it deals with.
 */
export function passThroughAccounts(view: SubjectView): ReadonlySet<Address> {
  const { flow, venues, entity, tx, input } = view;
  const tokens = new Set([...flow.assets.values()].map((a) => a.address));
  const agents = new Set<Address>();
  const mayPass = (account: Address): boolean =>
    account !== ZERO_ADDRESS && !entity.has(account) && !venues.has(account) && !tokens.has(account)
    && (flow.outgoing.get(account)?.length ?? 0) > 0 && (flow.incoming.get(account)?.length ?? 0) > 0;
  const queue = [...entity];
  for (let account = queue.pop(); account !== undefined; account = queue.pop()) {
    const next = [
      ...(flow.outgoing.get(account) ?? []).map((i) => flow.movements[i]!.to),
      ...(flow.incoming.get(account) ?? []).map((i) => flow.movements[i]!.from),
    ];
    for (const other of next) {
      if (agents.has(other) || !mayPass(other)) continue;
      agents.add(other);
      queue.push(other);
    }
  }
  const drives = entity.has(tx.from) || input.subject.mode !== 'solver_settlement';
  if (drives && tx.to !== null && !venues.has(tx.to) && !entity.has(tx.to) && !tokens.has(tx.to)) agents.add(tx.to);
  return agents;
}
