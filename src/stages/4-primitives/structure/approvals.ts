import { structural } from '../../../value/claims.ts';
import type { StructureContext } from './context.ts';
import type { CanonicalTx } from '../../../model/canonicalTx.ts';
import type { Allowance } from '../../../model/valueFlow.ts';
import type { DraftPrimitive } from '../../../model/primitive.ts';

/** Allowances that tokens log as granted, lowered by their owner or revoked. */
export function findApprovals({ tx, flow }: StructureContext): DraftPrimitive[] {
  const transfers = new Map(
    flow.movements.map(({ evidence, from }) => [evidence.log, [evidence.contract, from]]),
  );
  // Many tokens log an allowance again when `transferFrom` used it up, next to the transfer that it paid for.
  const isUsed = (index: number, { token, owner }: Allowance): boolean => {
    const beside = transfers.get(index);
    return beside?.[0] === token && beside[1] === owner;
  };
  const isSpent = ({ token, owner, kind }: Allowance): boolean =>
    kind === 'decreased' && !tx.frames.some(({ from, to }) => from === owner && to === token);
  const approves = (one: Allowance): boolean => {
    const { log, contract } = one.evidence;
    if (contract !== one.token || one.isCredit || isSpent(one)) return false;
    return !isUsed(log! - 1, one) && !isUsed(log! + 1, one);
  };
  return flow.allowances.filter(approves).map((one) => approvalOf(one, tx));
}

function approvalOf({ token, owner, spender, kind, evidence }: Allowance, tx: CanonicalTx): DraftPrimitive {
  return structural({
    kind: 'approval',
    seq: tx.logs[evidence.log!]!.seq,
    venue: token,
    roles: [
      { role: 'owner', account: owner },
      { role: 'spender', account: spender },
    ],
    tags: [kind === 'revoked' ? kind : 'granted'],
    evidence: [evidence],
  });
}
