import type { Address, Hex } from '../model/hex.ts';

/** A call that may carry a signature. */
export interface SignedCall {
  readonly from: Address;
  readonly to: Address;
  readonly input: Hex;
}

/** The amount another may take by a signature; without a spender, the signed call itself takes it. */
export interface SignedGrant {
  readonly token: Address | null;
  readonly spender: Address | null;
  readonly amount: bigint;
}

/** A call's claim that `owner` signed one of the structs, and the grants in it. */
export interface SignedStruct {
  readonly owner: unknown;
  /** EIP-712 hashes of the structs; one was signed. */
  readonly hashes: () => Iterable<Hex>;
  readonly grants: readonly SignedGrant[];
  /** The call that a forwarder was signed to make. */
  readonly forwards?: { readonly to: Address; readonly data: Hex };
}

/** All there is. */
export const ANY_AMOUNT = (1n << 256n) - 1n;

const low = (address: unknown): Address => (address as Address).toLowerCase() as Address;
export const grant = (token: unknown, spender: unknown, amount: unknown): SignedGrant => ({
  token: low(token),
  spender: spender === null ? null : low(spender),
  amount: BigInt(amount as bigint),
});

/** Decoded arguments by name. */
export type Values = Readonly<Record<string, unknown>>;
/** A call's signature, and how to read its struct. The signature is `signature`, or `v`, `r` and `s`. */
export type SignedForm = readonly [call: string, read: (values: Values, call: SignedCall) => SignedStruct];
