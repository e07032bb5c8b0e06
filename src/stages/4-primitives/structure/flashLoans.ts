import { claim, guessedLeg, structural } from '../../../value/claims.ts';
import { lowerBound } from '../../../lib/lists.ts';
import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import { around, isFungible, type StructureContext } from './context.ts';
import type { Address } from '../../../model/hex.ts';
import type { Movement, ValueFlow } from '../../../model/valueFlow.ts';
import type { DraftPrimitive } from '../../../model/primitive.ts';

/** A lender asks at most this much on top, in parts per hundred. */
const MAX_FEE_PERCENT = 1n;
/** A repayment is sought among this many later movements of the borrower to the lender. */
const MAX_LOOKAHEAD = 16;

/**
 * Loans repaid inside the transaction without a known event: value out to an account, then as much or
 * slightly more of the same asset back from it, with the borrower active in between.
 */
export function findFlashLoans(context: StructureContext): DraftPrimitive[] {
  const { flow } = context;
  const used = new Set<number>();
  const found: DraftPrimitive[] = [];
  for (const out of flow.movements) {
    if (used.has(out.index) || !mayBeLent(context, out) || !mayLend(context, out.from)) continue;
    const returns = context.between(out.to, out.from, out.asset);
    if (returns.length === 0) continue;
    const next = lowerBound(returns, (m) => m.seq > out.seq);
    const repaid = returns
      .slice(next, next + MAX_LOOKAHEAD)
      .find(
        (m) =>
          m.asset === out.asset &&
          !used.has(m.index) &&
          !context.explained.has(m.index) &&
          m.amount >= out.amount &&
          (m.amount - out.amount) * 100n <= out.amount * MAX_FEE_PERCENT,
      );
    if (!repaid || !activeBetween(context, out, repaid)) continue;
    used.add(out.index).add(repaid.index);
    found.push(loanOf(flow, out, repaid));
  }
  return found;
}

function mayBeLent({ flow, explained }: StructureContext, m: Movement): boolean {
  return m.kind === 'transfer' && !explained.has(m.index) && isFungible(flow, m.asset);
}

function mayLend({ tx, wrappedNative, carriers }: StructureContext, account: Address): boolean {
  const isOwn = account === ZERO_ADDRESS || account === tx.from;
  return !isOwn && !wrappedNative.has(account) && !carriers.has(account);
}

/** Without anything done in between it is change or a mistake, not a loan. */
function activeBetween(context: StructureContext, out: Movement, repaid: Movement): boolean {
  return around(context.flow, 'outgoing', out.to, out.seq).some(
    (m) => m.seq > out.seq && m.seq < repaid.seq && m.to !== out.from,
  );
}

function loanOf(flow: ValueFlow, out: Movement, repaid: Movement): DraftPrimitive {
  return structural({
    kind: 'flash_loan',
    seq: repaid.seq,
    venue: out.from,
    roles: [{ role: 'borrower', account: out.to }],
    legs: [guessedLeg('borrowed', [out], out.to), guessedLeg('repaid', [repaid], repaid.from)],
    invariants: [claim('repaid_in_full', flow, [out.index], [repaid.index])],
    tags: ['structural'],
    evidence: [out.evidence, repaid.evidence],
  });
}
