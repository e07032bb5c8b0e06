import { commonFrame } from './commonFrame.ts';
import { firstSeq, joinEvidence, joinMovements, type MotifDraft } from './draftMotif.ts';
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
  const byPayer = new Map<Address, MotifDraft[]>();
  for (const draft of transfers) {
    const payer = draft.participants.find((p) => p.role === 'payer')?.account;
    if (!payer) continue;
    const list = byPayer.get(payer);
    if (list) list.push(draft);
    else byPayer.set(payer, [draft]);
  }
  return [...byPayer].flatMap(([payer, list]) => {
    const recipients = [
      ...new Set(list.map((d) => d.participants.find((p) => p.role === 'recipient')!.account)),
    ];
    const gained = [...(flow.ledgers.get(payer)?.values() ?? [])].some((lane) => lane.inflow > lane.outflow);
    return recipients.length < 2 || gained ? [] : [batchOf(payer, recipients, list, tx)];
  });
}

function batchOf(
  payer: Address,
  recipients: readonly Address[],
  list: readonly MotifDraft[],
  tx: CanonicalTx,
): MotifDraft {
  const sums = new Map<string, bigint>();
  for (const draft of list)
    for (const { asset, amount } of draft.assetsOut) sums.set(asset, (sums.get(asset) ?? 0n) + amount);
  const evidence = joinEvidence(list);
  return {
    index: -1,
    parent: null,
    kind: 'batch_transfer',
    protocol: null,
    basis: 'structure',
    venue: payer,
    poolId: null,
    seq: firstSeq(list),
    scopeFrame: commonFrame(tx, evidence),
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
    tags: [],
    status: 'Proven',
    confidence: 'High',
    movements: joinMovements(list),
    evidence,
    children: list,
  };
}
