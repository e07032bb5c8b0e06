import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import { roleOf } from '../../../lib/roles.ts';
import { isListedAddress } from '../../../value/tokenCall.ts';
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

/**
 * A listed contract paid the account that it names first: by a call with ether, or with a listed token that
 * it held or that was made for it. A filler states the order it fills, and may make it up.
 */
function isReleased(context: ElectionContext, motif: Motif, account: Address): boolean {
  const { flow, rulebook } = context.input;
  if (!context.isListed(motif) || roleOf(motif, 'filler') !== null) return false;
  if ((roleOf(motif, 'owner') ?? roleOf(motif, 'caller') ?? account) !== account) return false;
  if (context.isCalledBy(account, motif.venue)) return true;
  if (context.sides(account) !== 'received') return false;
  return motif.movements.some((index) => {
    const { from, to, asset } = flow.movements[index]!;
    const token = flow.assets.get(asset)!.address;
    if (to !== account || (from !== motif.venue && from !== ZERO_ADDRESS)) return false;
    return token !== null && isListedAddress(token, rulebook);
  });
}

function beneficiaryOf(context: ElectionContext, motif: Motif): Proposal['account'] | null {
  const gained = (a: Address): boolean => context.sides(a) === 'received' || context.sides(a) === 'both';
  const named = [roleOf(motif, 'owner'), roleOf(motif, 'recipient')];
  return named.find((a) => a !== null && gained(a) && context.neverElect(a) === null) ?? null;
}
