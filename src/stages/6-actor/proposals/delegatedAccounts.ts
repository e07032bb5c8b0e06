import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import { MAX_RECOVERIES } from '../../../evm/signing.ts';
import { frameEvidence } from '../../../lib/evidence.ts';
import { memoizeFor } from '../../../lib/memo.ts';
import { isListedAddress } from '../../../value/tokenCall.ts';
import type { ElectionContext, ElectionInput } from '../electionContext.ts';
import type { Proposal } from '../proposal.ts';
import type { Delegation } from '../../../model/attribution.ts';
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

/** EIP-7702 delegations: those of the transaction's list in its order, then those that only code shows. */
export const delegationsOf = memoizeFor((input: ElectionInput, _: void): readonly Delegation[] => {
  const { tx, delegations } = input;
  const effects = effectsOf(input);
  const listed = tx.authorizations.map(({ authority, address: delegate }, i) => {
    return { authority, delegate, source: 'authorization_list' as const, tookEffect: effects[i]! };
  });
  const known = new Set(listed.map((d) => d.authority));
  const fromCode = [...delegations]
    .filter(([authority]) => !known.has(authority))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([authority, delegate]) => ({ authority, delegate, source: 'code' as const, tookEffect: null }));
  return [...listed, ...fromCode];
});

/**
 * Whether each authorisation took effect: its nonce was the account's next one. The sender's is known. Of
 * others the block shows it where these alone raised the nonce and the code is that of the last of them; else
 * null. Anybody may bring one that does nothing: an old one, one for another chain, or for a taken nonce.
 */
function effectsOf({ tx, nonces, delegations }: ElectionInput): readonly (boolean | null)[] {
  const next = new Map<Address, bigint>([[tx.from, tx.nonce + 1n]]);
  const code = new Map<Address, Address>();
  const fits = tx.authorizations.map(({ authority, address, nonce }) => {
    if (authority === null || nonce !== (next.get(authority) ?? nonces?.get(authority)?.before)) return false;
    next.set(authority, nonce + 1n);
    code.set(authority, address);
    return true;
  });
  const isShown = (account: Address): boolean =>
    next.get(account) === nonces!.get(account)!.after &&
    code.get(account) === (delegations.get(account) ?? ZERO_ADDRESS);
  return tx.authorizations.map(({ authority, nonce }, index) => {
    if (authority === null) return index < MAX_RECOVERIES ? false : null;
    if (authority === tx.from) return fits[index]!;
    const span = nonces?.get(authority);
    if (span === undefined) return null;
    if (nonce < span.before || nonce >= span.after) return false;
    return isShown(authority) ? fits[index]! : null;
  });
}
