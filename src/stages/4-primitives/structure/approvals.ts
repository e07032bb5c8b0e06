import { structural } from '../../../value/claims.ts';
import { smallUintAt } from '../../../evm/hex.ts';
import type { StructureContext } from './context.ts';
import type { Address } from '../../../model/hex.ts';
import type { Evidence, Log } from '../../../model/canonicalTx.ts';
import type { Movement } from '../../../model/valueFlow.ts';
import type { DraftPrimitive } from '../../../model/primitive.ts';

/**
 * Allowances granted or revoked. Many tokens log an approval again whenever `transferFrom` uses one up: such
 * a log is next to the transfer it paid for and grants nothing.
 */
export function findApprovals(context: StructureContext): DraftPrimitive[] {
  const { tx, flow } = context;
  const approvals = flow.nonEconomic.filter(({ kind }) => kind === 'approval');
  if (approvals.length === 0) return [];
  const transfers = new Map<number, Movement>();
  for (const m of flow.movements) if (m.evidence.log !== null) transfers.set(m.evidence.log, m);

  const found: DraftPrimitive[] = [];
  for (const item of approvals) {
    const log = item.evidence.log === null ? undefined : tx.logs[item.evidence.log];
    const { from, to } = item;
    if (!log || !from || !to) continue;
    const neighbours = [transfers.get(log.index - 1), transfers.get(log.index + 1)];
    if (!neighbours.some((transfer) => transfer && isUsage(log, from, transfer)))
      found.push(approvalOf(log, item.evidence, from, to));
  }
  return found;
}

function approvalOf(log: Log, evidence: Evidence, owner: Address, spender: Address): DraftPrimitive {
  return structural({
    kind: 'approval',
    seq: log.seq,
    venue: log.address,
    roles: [
      { role: 'owner', account: owner },
      { role: 'spender', account: spender },
    ],
    tags: grantsNothing(log) ? ['revoked'] : ['granted'],
    evidence: [evidence],
  });
}

/** Whether the transfer next to an approval used it up. */
function isUsage(log: Log, owner: Address, transfer: Movement): boolean {
  return transfer.evidence.contract === log.address && transfer.from === owner;
}

/**
 * Every approval event has the allowance (or a flag) in the first word of its data; the NFT one has no data.
 */
function grantsNothing(log: Log): boolean {
  return smallUintAt(log.data, 0) === 0;
}
