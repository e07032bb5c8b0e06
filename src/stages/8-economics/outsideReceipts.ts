import { isCycle, kindOf } from '../../lib/motifKinds.ts';
import { isConversion } from '../../value/balances.ts';
import { movementsOfActs, othersInPools } from '../../value/poolPayments.ts';
import { carriersOf } from '../../value/parties.ts';
import type { Address } from '../../model/hex.ts';
import type { Motif } from '../../model/motif.ts';
import type { Movement } from '../../model/valueFlow.ts';
import type { ClosedOf } from './pnlEntity.ts';

/**
 * Receipts of the entity that its closed flow does not explain: no hop, loan, refund or part of another act
 * paid them. A pull from a bystander, or own funds handed in, would pass for profit. So would a helper's
 * money in a pool of the flow, beside its trades, before them or as part of one.
 */
export function outsideReceipts(of: ClosedOf): Movement[] {
  const { group, closed, flow, motifs, rulebook } = of;
  const cycles = closed.motifs.filter(({ kind }) => isCycle(kindOf(rulebook, kind)));
  const own =
    cycles.length > 0
      ? new Set(motifs.filter((m) => isOfCycle(m, cycles, rulebook)).flatMap(({ movements }) => movements))
      : movementsOfActs(of);
  const carried = withCarriers(of);
  const received = [...carried].flatMap((account) =>
    (flow.incoming.get(account) ?? []).map((index) => flow.movements[index]!),
  );
  return [
    ...received.filter(
      (m) => !carried.has(m.from) && !own.has(m.index) && !isConversion(m, flow, rulebook.wrappedNative),
    ),
    ...othersInPools(closed.motifs, group, of),
  ];
}

/** The group and the carriers that paid it, directly or over others: receipts of these are for it. */
function withCarriers({ group, flow, rulebook }: ClosedOf): ReadonlySet<Address> {
  const carriers = carriersOf(flow, rulebook.wrappedNative);
  const found = new Set(group);
  // A set also yields elements added during iteration.
  for (const account of found)
    for (const index of flow.incoming.get(account) ?? []) {
      const { from } = flow.movements[index]!;
      if (carriers.has(from)) found.add(from);
    }
  return found;
}

/** The cycles, their loans, and refunds. */
function isOfCycle(motif: Motif, cycles: readonly Motif[], rulebook: ClosedOf['rulebook']): boolean {
  const { plain, dependent, closedFlow } = kindOf(rulebook, motif.kind);
  return cycles.includes(motif) || closedFlow === 'possible' || (plain && dependent);
}
