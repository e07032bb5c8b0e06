import { isIssuance } from '../../../value/asset.ts';
import { distance } from '../../../value/amount.ts';
import { ROUNDING, issueClaim, guessedLeg, structural } from '../../../value/claims.ts';
import { around, contractOf, counterFlow, endOf, isFungible, only } from './context.ts';
import type { StructureContext } from './context.ts';
import type { Movement } from '../../../model/valueFlow.ts';
import type { DraftPrimitive } from '../../../model/primitive.ts';

/**
 * Loans without a known event: a token is minted to an account that receives as much of another, or burnt
 * from one that pays as much of another. A share goes the other way, and rewards are not equal.
 */
export function findDebtTokens(context: StructureContext): DraftPrimitive[] {
  return context.flow.movements.filter(isIssuance).flatMap((debt) => loanOf(context, debt) ?? []);
}

function loanOf(context: StructureContext, debt: Movement): DraftPrimitive | null {
  const { flow, explained, wrappedNative } = context;
  const issuer = contractOf(flow, debt.asset);
  if (explained.has(debt.index) || issuer === null || wrappedNative.has(issuer)) return null;
  if (!isFungible(flow, debt.asset)) return null;
  const borrows = debt.kind === 'mint';
  const holder = endOf(context, debt, borrows ? 'to' : 'from');
  if (holder === null) return null;
  const near = counterFlow(context, debt, borrows ? 'incoming' : 'outgoing', holder);
  const lent = only(near.filter(({ amount }) => distance(amount, debt.amount) <= ROUNDING));
  if (lent === null) return null;
  // Value passed on before the mint is a deposit, and value given for the burn is a withdrawal.
  const [first, last] = [Math.min(lent.seq, debt.seq), Math.max(lent.seq, debt.seq)];
  const others = around(flow, borrows ? 'outgoing' : 'incoming', holder, debt.seq);
  if (others.some(({ asset, seq }) => asset === lent.asset && seq > first && seq < last)) return null;
  return structural({
    kind: borrows ? 'borrow' : 'repay',
    seq: debt.seq,
    venue: issuer,
    roles: [{ role: 'owner', account: holder }],
    legs: [
      guessedLeg(borrows ? 'borrowed' : 'repaid', [lent], holder),
      guessedLeg(borrows ? 'debt_share_out' : 'debt_share_in', [debt], holder),
    ],
    invariants: [issueClaim(flow, [debt.index])],
    tags: ['structural'],
    evidence: [debt.evidence, lent.evidence],
  });
}
