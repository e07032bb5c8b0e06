import { laneNets } from '../../../value/laneNets.ts';
import type { SubjectView } from './subjectView.ts';
import type { Address } from '../../../model/hex.ts';

/** Accounts that kept something of what the subject sent: direct recipients, or those behind forwarders that kept nothing. */
export function payees(view: SubjectView): ReadonlySet<Address> {
  const { flow, entity } = view;
  const found = new Set<Address>();
  const seen = new Set<Address>(entity);
  const givenLanes = new Set(view.sent.map((l) => l.lane));
  const queue = view.sent.flatMap((l) => l.outgoing.map((m) => m.to));
  for (let account = queue.pop(); account !== undefined; account = queue.pop()) {
    if (seen.has(account)) continue;
    seen.add(account);
    const kept = laneNets(flow, view.input.rulebook.wrappedNative, new Set([account])).some(
      (l) => l.net > 0n && givenLanes.has(l.lane),
    );
    if (kept) {
      found.add(account);
      continue;
    }
    const onward = (flow.outgoing.get(account) ?? [])
      .map((i) => flow.movements[i]!)
      .filter((m) => givenLanes.has(view.laneOf(m.asset)));
    if (onward.length === 0) found.add(account);
    for (const movement of onward) queue.push(movement.to);
  }
  return found;
}
