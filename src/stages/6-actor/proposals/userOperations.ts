import type { ElectionContext } from '../electionContext.ts';
import type { Proposal } from '../proposal.ts';
import { roleOf } from '../../../lib/roles.ts';

/**
 * ERC-4337: `UserOperationEvent` names the sender of every operation. Logs decide, not `tx.to`, because a
 * bundle can be handled inside another call. One bundle may carry operations of many senders: equals, so
 * none of them is elected.
 */
export function userOperations(context: ElectionContext): Proposal[] {
  return context.executions('operation').flatMap((motif): Proposal[] => {
    const account = roleOf(motif, 'owner');
    if (account === null) return [];
    const isCalled = context.isListed(motif) && context.isCalledBy(account, motif.venue);
    const ground = isCalled && context.asksOwner(account) ? 'listed' : 'claimed';
    const claimedBy = context.strangerOf(motif, account);
    const { evidence } = motif;
    const [mode, reason] = ['smart_account_4337', 'user_operation_sender'] as const;
    return [{ account, mode, submitterRole: 'bundler', ground, reason, evidence, claimedBy }];
  });
}
