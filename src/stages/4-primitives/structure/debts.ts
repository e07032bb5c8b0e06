import { distance } from '../../../value/amount.ts';
import { claim, ROUNDING } from '../../../value/claims.ts';
import { NATIVE_ASSET } from '../../../value/asset.ts';
import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import { legOf } from './acts.ts';
import { around, contractOf, isFungible, isIssuance, only, structural } from './context.ts';
import type { StructureContext } from './context.ts';
import type { Movement } from '../../../model/valueFlow.ts';
import type { DraftPrimitive } from '../../../model/primitive.ts';

/** Movements of one account examined on either side of the mint or burn. */
const MAX_NEAR = 32;

/**
 * Loans without a known event: a token is minted to an account that receives as much of another, or burnt from one that
 * pays as much of another. A share goes the other way, and rewards are not equal.
 */
export function findDebtTokens(context: StructureContext): DraftPrimitive[] {
  return context.flow.movements.filter(isIssuance).flatMap((debt) => loanOf(context, debt) ?? []);
}

function loanOf(context: StructureContext, debt: Movement): DraftPrimitive | null {
  const { flow, explained, wrappedNative, origins, destinations } = context;
  const issuer = contractOf(flow, debt.asset);
  if (explained.has(debt.index) || issuer === null || wrappedNative.has(issuer)) return null;
  if (!isFungible(flow, debt.asset)) return null;
  const borrows = debt.kind === 'mint';
  const endOf = (m: Movement) => only(borrows ? destinations(m.to, m.asset) : origins(m.from, m.asset));
  const holder = endOf(debt);
  if (holder === null || holder === ZERO_ADDRESS) return null;
  const near = around(flow, flow[borrows ? 'incoming' : 'outgoing'].get(holder), debt.seq, MAX_NEAR);
  const lent = only(
    near.filter(
      (m) =>
        m.kind === 'transfer' &&
        m.asset !== debt.asset &&
        !explained.has(m.index) &&
        (m.asset === NATIVE_ASSET || isFungible(flow, m.asset)) &&
        distance(m.amount, debt.amount) <= ROUNDING,
    ),
  );
  if (lent === null) return null;
  // What a holder passes on before the mint is a deposit, and what the burn gave it is a withdrawal.
  const [first, last] = [Math.min(lent.seq, debt.seq), Math.max(lent.seq, debt.seq)];
  const others = around(flow, flow[borrows ? 'outgoing' : 'incoming'].get(holder), debt.seq, MAX_NEAR);
  if (others.some(({ asset, seq }) => asset === lent.asset && seq > first && seq < last)) return null;
  return structural({
    kind: borrows ? 'borrow' : 'repay',
    seq: debt.seq,
    venue: issuer,
    roles: [{ role: 'owner', account: holder }],
    legs: [
      legOf(borrows ? 'borrowed' : 'repaid', [lent], holder),
      legOf(borrows ? 'debt_share_out' : 'debt_share_in', [debt], holder),
    ],
    invariants: [claim(borrows ? 'minted_from_zero' : 'burnt_to_zero', flow, [debt.index])],
    tags: ['structural'],
    evidence: [debt.evidence, lent.evidence],
  });
}
