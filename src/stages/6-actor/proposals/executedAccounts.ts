import { NATIVE_ASSET } from '../../../value/asset.ts';
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

/**
 * Contract accounts that executed a call for their owners (Safe `ExecutionSuccess`, `ExecutionFailure`,
 * module executions): the account acts, the signer only executes. An account reached through others counts
 * only if the signer itself sent and received nothing but a gas refund; else the signer deals with it, as
 * with the Safe behind a protocol's module.
 */
export function contractWallets(context: ElectionContext): Proposal[] {
  const executed = context
    .executions('account')
    // A forwarder executes for authors of requests: accounts, not contract wallets.
    .filter(({ tags }) => !tags.includes('relayed'))
    .map((motif) => ({ motif, account: roleOf(motif, 'owner') ?? motif.venue }));
  if (executed.length === 0) return [];
  const moved = executed.filter((e) => context.sides(e.account) !== 'none');
  const deals = signerDeals(context);
  // A called contract that only passed the signer's own assets on is no account of it.
  const called = executed.filter((e) => e.account === context.input.tx.to && (!deals || moved.includes(e)));
  // Of nested accounts those with moved assets; where none has, the last to report is the outermost.
  const others = moved.length > 0 ? moved : executed.slice(-1);
  const chosen = called.length > 0 ? called : deals ? [] : others;
  return chosen.map(({ motif, account }) => ({
    account,
    mode: 'safe',
    submitterRole: 'safe_executor',
    ground: account === motif.venue && context.acted(account) ? 'own_contract' : 'claimed',
    reason: motif.kind,
    evidence: motif.evidence,
    claimedBy: context.strangerOf(motif, account),
  }));
}

function signerDeals(context: ElectionContext): boolean {
  const sides = context.sides(context.signer);
  if (sides !== 'received') return sides !== 'none';
  return [...context.balances(context.signer)].some(([asset, { net }]) => net > 0n && asset !== NATIVE_ASSET);
}
