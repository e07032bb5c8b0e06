import { balances, isConversion } from '../balances.ts';
import type { Address } from '../../model/hex.ts';
import type { Movement, ValueFlow } from '../../model/valueFlow.ts';

/**
 * Indexes of the movements by which accounts paid the block builder: directly, or through a helper that had
 * all of it from them and sent all of it on. None where the builder is one of the accounts.
 */
export function builderPayments(
  flow: ValueFlow,
  group: ReadonlySet<Address>,
  builder: Address,
  mergeWrapped: ReadonlySet<Address>,
): ReadonlySet<number> {
  const { movements, incoming, outgoing } = flow;
  const found = new Set<number>();
  const toBuilder = incoming.get(builder);
  if (toBuilder === undefined || group.has(builder)) return found;
  const payers = new Set(toBuilder.map((index) => movements[index]!.from));
  const exclude = (m: Movement): boolean => isConversion(m, flow, mergeWrapped);
  const forwards = (account: Address): boolean =>
    [...balances(flow, account, { mergeWrapped, exclude }).values()].some(
      ({ net, incoming: from, outgoing: onward }) =>
        net === 0n && from.every((m) => group.has(m.from)) && onward.every((m) => m.to === builder),
    );
  const ends = new Set([builder, ...[...payers].filter((payer) => !group.has(payer) && forwards(payer))]);
  for (const account of group)
    for (const index of outgoing.get(account) ?? []) if (ends.has(movements[index]!.to)) found.add(index);
  return found;
}
