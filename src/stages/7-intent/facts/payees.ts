import { balances } from '../../../value/balances.ts';
import { follow } from '../../../value/follow.ts';
import type { SubjectView } from './subjectView.ts';
import type { Address } from '../../../model/hex.ts';
import type { Movement } from '../../../model/valueFlow.ts';

/**
 * Accounts that kept part of the subject's payments: direct recipients, or those behind forwarders that
 * kept nothing.
 */
export function payees(view: SubjectView): ReadonlySet<Address> {
  const { flow, entity, sent, input } = view;
  const given = new Set(sent.map((b) => b.id));
  const carries = (m: Movement): boolean => given.has(view.mergedAsset(m.asset));
  const found = new Set<Address>();
  const forwards = (account: Address): boolean => {
    const own = [...balances(flow, account, { mergeWrapped: input.rulebook.wrappedNative, dust: 'drop' })];
    const kept = own.some(([id, { net }]) => net > 0n && given.has(id));
    const onward = (flow.outgoing.get(account) ?? []).some((index) => carries(flow.movements[index]!));
    if (kept || !onward) found.add(account);
    return !kept && onward;
  };
  const seen = new Set<Address>(entity);
  const visit = (movement: Movement, account: Address): boolean => {
    if (!carries(movement) || seen.has(account)) return false;
    seen.add(account);
    return forwards(account);
  };
  const direct = sent.flatMap(({ outgoing }) => outgoing).filter((m) => visit(m, m.to));
  follow(
    flow,
    direct.map(({ to }) => to),
    'onward',
    visit,
  );
  return found;
}
