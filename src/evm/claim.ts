import type { Signature } from './signing.ts';
import type { Address, Hex } from '../model/hex.ts';

/** A call that may carry a signature. */
export interface SignedCall {
  readonly from: Address;
  readonly to: Address;
  readonly input: Hex;
}

/** What a signature lets another take; without a spender, the signed call itself takes it. */
export interface SignedGrant {
  readonly token: Address | null;
  readonly spender: Address | null;
  readonly amount: bigint;
}

/** A call's claim that `owner` signed one of the digests, and what it thereby grants. */
export interface Claim {
  readonly owner: Address;
  readonly digests: readonly Hex[];
  readonly signature: Signature | null;
  readonly grants: readonly SignedGrant[];
  /** The call that a forwarder was signed to make. */
  readonly forwards?: { readonly to: Address; readonly data: Hex };
}

/** All there is. */
export const ANY_AMOUNT = (1n << 256n) - 1n;

const low = (address: Address): Address => address.toLowerCase() as Address;
export const grant = (token: Address, spender: Address | null, amount: bigint): SignedGrant => ({
  token: low(token),
  spender: spender && low(spender),
  amount: BigInt(amount),
});

export type Values = readonly unknown[];
export type Reader = (values: Values, call: SignedCall, domains: readonly Hex[]) => Claim;
