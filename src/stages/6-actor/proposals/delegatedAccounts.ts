import { frameEvidence } from '../../../lib/evidence.ts';
import { delegationsOf } from '../../../value/delegations.ts';
import { isListedAddress } from '../../../value/tokenCall.ts';
import type { ElectionContext } from '../electionContext.ts';
import type { Proposal } from '../proposal.ts';
import type { CanonicalTx, Evidence } from '../../../model/canonicalTx.ts';
import type { Address } from '../../../model/hex.ts';

/**
 * EIP-7702: a delegated account, called by another account, acts for itself. The delegation shows in a
 * type-4 transaction's authorisation list or in the account's code, for any transaction type. To delegate
 * is no consent to a call of that code: only listed code that asks the owner for each call shows that.
 */
export function delegatedAccounts(context: ElectionContext): Proposal[] {
  const { tx, delegations } = context.input;
  const signed = new Set(tx.authorizations.flatMap(({ authority }) => authority ?? []));
  const authorities = new Set<Address>([...delegations.keys(), ...signed]);
  authorities.delete(context.signer);
  if (authorities.size === 0) return [];
  const called = firstCalls(tx, authorities);
  const direct = called.filter((c) => c.account === tx.to);
  const signerTrades = context.sides(context.signer) !== 'none';
  const moved = called.filter((c) => context.sides(c.account) !== 'none');
  const others = signerTrades ? [] : moved;
  const chosen = direct.length > 0 && (!signerTrades || moved.includes(direct[0]!)) ? direct : others;
  const set = delegationsOf(context.input);
  return chosen.map(({ account, evidence, by }) => {
    const acts = context.madeCalls(account);
    const isSet = set.some((d) => d.tookEffect && d.authority === account);
    // A stranger's contract can call the account's code; that alone makes it do nothing.
    const known = acts || by === context.signer || isListedAddress(by, context.input.rulebook);
    return {
      account,
      mode: 'delegated_7702',
      submitterRole: 'relayer',
      ground: acts && isSet && context.asksOwner(account) ? 'authorised' : 'claimed',
      reason: 'delegated_account_called',
      evidence: [evidence],
      claimedBy: known ? null : by,
    };
  });
}

/** The first effective call with data of each of the accounts, and its caller. */
function firstCalls(
  { frames }: CanonicalTx,
  accounts: ReadonlySet<Address>,
): { account: Address; evidence: Evidence; by: Address }[] {
  const calls = new Map<Address, { account: Address; evidence: Evidence; by: Address }>();
  for (const frame of frames) {
    const { from, to, effective, static: reads, input } = frame;
    if (effective && !reads && input !== '0x' && to !== null && accounts.has(to) && !calls.has(to))
      calls.set(to, { account: to, evidence: frameEvidence(frame, to), by: from });
  }
  return [...calls.values()];
}
