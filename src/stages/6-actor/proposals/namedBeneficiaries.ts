import { roleOf } from '../../../lib/roles.ts';
import type { ElectionContext } from '../electionContext.ts';
import type { Proposal } from '../proposal.ts';
import type { Address } from '../../../model/hex.ts';
import type { Motif } from '../../../model/motif.ts';

/**
 * Bridge deliveries, claims and withdrawals that a signer without any stake of its own completed for the
 * account the event names. Only where that account gained something.
 */
export function namedBeneficiaries(context: ElectionContext): Proposal[] {
  if (context.sides(context.signer) !== 'none') return [];
  const found: Proposal[] = [];
  for (const motif of context.input.motifs) {
    const submitterRole = context.kindOf(motif).completedBy;
    if (!submitterRole || motif.parent !== null) continue;
    const account = beneficiaryOf(context, motif);
    if (account === null || account === context.signer) continue;
    found.push({
      account,
      mode: 'none',
      submitterRole,
      ground: isReleased(context, motif, account) ? 'listed' : 'claimed',
      reason: `${motif.kind}_beneficiary`,
      evidence: motif.evidence,
      claimedBy: context.strangerOf(motif, account),
    });
  }
  return found;
}

/** A listed contract paid it of its own; a filler states the order it fills, and may make it up. */
function isReleased(context: ElectionContext, motif: Motif, account: Address): boolean {
  return (
    context.isListed(motif) && context.isCalledBy(account, motif.venue) && roleOf(motif, 'filler') === null
  );
}

function beneficiaryOf(context: ElectionContext, motif: Motif): Proposal['account'] | null {
  const gained = (a: Address): boolean => context.sides(a) === 'received' || context.sides(a) === 'both';
  const named = [roleOf(motif, 'owner'), roleOf(motif, 'recipient')];
  return named.find((a) => a !== null && gained(a) && context.neverElect(a) === null) ?? null;
}
