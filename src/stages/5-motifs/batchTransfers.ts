import { groupBy } from '../../lib/lists.ts';
import { balances } from '../../value/balances.ts';
import { roleOf } from '../../lib/roles.ts';
import { commonFrame, composite, joinEvidence, unique, type MotifDraft } from './draftMotif.ts';
import type { Address } from '../../model/hex.ts';
import type { CanonicalTx } from '../../model/canonicalTx.ts';
import type { ValueFlow } from '../../model/valueFlow.ts';

/** One payer, two or more recipients, and nothing that came back for it. */
export function batchTransfers(
  transfers: readonly MotifDraft[],
  tx: CanonicalTx,
  flow: ValueFlow,
): MotifDraft[] {
  if (transfers.length < 2) return [];
  const byPayer = groupBy(transfers, (draft) => roleOf(draft, 'payer'));
  return [...byPayer].flatMap(([payer, list]) => {
    const recipients = unique(list.map((draft) => roleOf(draft, 'recipient')!));
    const gained = [...balances(flow, payer).values()].some((b) => b.net > 0n);
    return recipients.length < 2 || gained ? [] : [batchOf(payer, recipients, list, tx)];
  });
}

function batchOf(
  payer: Address,
  recipients: readonly Address[],
  payments: readonly MotifDraft[],
  tx: CanonicalTx,
): MotifDraft {
  const sums = new Map<string, bigint>();
  for (const { assetsOut } of payments)
    for (const { asset, amount } of assetsOut) sums.set(asset, (sums.get(asset) ?? 0n) + amount);
  return composite(
    {
      kind: 'batch_transfer',
      venue: payer,
      scopeFrame: commonFrame(tx, joinEvidence(payments)),
      participants: [
        { role: 'owner', account: payer },
        { role: 'payer', account: payer },
        ...recipients.map((account) => ({ role: 'recipient', account })),
      ],
      assetsIn: [],
      assetsOut: [...sums].map(([asset, amount]) => ({ asset, amount, role: 'paid' })),
      invariants: [
        { name: 'one_payer', holds: true },
        { name: 'no_counter_flow', holds: true },
      ],
    },
    payments,
  );
}
