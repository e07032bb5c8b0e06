import { ZERO_ADDRESS } from '../evm/hex.ts';
import { MAX_RECOVERIES } from '../evm/signing.ts';
import { hasTag } from '../lib/motifKinds.ts';
import { memoizeFor } from '../lib/memo.ts';
import type { Delegation } from '../model/attribution.ts';
import type { CanonicalTx } from '../model/canonicalTx.ts';
import type { Address } from '../model/hex.ts';
import type { Rulebook } from '../model/rulebook.ts';
import type { RawContext } from '../model/upstream.ts';

/** A transaction and the nodes' answers about code that accounts delegate to. */
export type Delegating = Pick<RawContext, 'delegations' | 'redelegated' | 'nonces'> & {
  readonly tx: CanonicalTx;
};

/** EIP-7702 delegations: those of the transaction's list in its order, then those that only code shows. */
export const delegationsOf = memoizeFor((input: Delegating, _: void): readonly Delegation[] => {
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
function effectsOf({ tx, nonces, delegations }: Delegating): readonly (boolean | null)[] {
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

/**
 * Anybody may have code act that an account delegates to (EIP-7702), unless the rules say otherwise. Where
 * the block may have changed that code, this transaction has to have set it: else other code may have run.
 */
export function asksOwner(account: Address, input: Delegating & { readonly rulebook: Rulebook }): boolean {
  const isSet = (one: Delegation): boolean => one.tookEffect === true && one.authority === account;
  const mayBeOther = account !== input.tx.from && input.redelegated?.has(account) === true;
  if (mayBeOther && !delegationsOf(input).some(isSet)) return false;
  const code = input.delegations.get(account);
  return code === undefined || hasTag(input.rulebook, code, 'account_code');
}
