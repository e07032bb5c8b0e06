import type { ElectionContext } from '../electionContext.ts';
import type { Proposal } from '../proposal.ts';
import { roleOf } from '../../../lib/roles.ts';

/**
 * ERC-4337: `UserOperationEvent` names the sender of every operation. Logs decide, not `tx.to`, because a
 * bundle can be handled inside another call. One bundle may carry operations of many senders: equals, so
 * none of them is elected.
 */
export function userOperations(context: ElectionContext): Proposal[] {
  const found: Proposal[] = [];
  for (const motif of context.executions('operation')) {
    const account = roleOf(motif, 'owner');
    if (account)
      found.push({
        account,
        mode: 'smart_account_4337',
        submitterRole: 'bundler',
        ground: context.isListed(motif) && context.isCalledBy(account, motif.venue) ? 'listed' : 'claimed',
        reason: 'user_operation_sender',
        evidence: motif.evidence,
        claimedBy: context.strangerOf(motif, account),
      });
  }
  return found;
}
