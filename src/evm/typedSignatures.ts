import { from, getSelector, type AbiFunction } from 'ox/AbiFunction';
import { decode } from 'ox/AbiParameters';
import { digestsOf, domainOf, packed, recover, vrs, type Signature } from './signing.ts';
import { FORWARDED, SIGNATURES } from './signedCalls.ts';
import type { SignedStruct, SignedCall, SignedForm, SignedGrant, Values } from './signedCalls.ts';
import { attempt } from '../lib/attempt.ts';
import { lazy } from '../lib/lazy.ts';
import type { Address, Hex } from '../model/hex.ts';

/** An account's signature on a call, and its effect. */
export interface SignedWord {
  readonly account: Address;
  readonly grants: readonly SignedGrant[];
  readonly forwards: NonNullable<SignedStruct['forwards']> | null;
  /** Whether the signature is the account's: recovered when first asked for. */
  readonly isSigned: () => boolean;
}

/** Recoveries left; `cut` once one was asked for beyond them. */
export interface Recoveries {
  left: number;
  cut: boolean;
}

/**
 * Reads the EIP-712 signature that a call carries of the account it names: permits (EIP-2612, also with a
 * stated nonce), transfers with authorisation (EIP-3009), signature transfers, permissions, forwarded
 * requests (ERC-2771). Null without one. `names`: domain names the contract may sign with; none fits an
 * unknown one.
 */
export function readSignedCall(
  call: SignedCall,
  names: readonly string[],
  budget: Recoveries,
): SignedWord | null {
  const entry = readersBySelector().get(call.input.slice(0, 10));
  if (!entry) return null;
  try {
    const values = decode(entry.abi.inputs, `0x${call.input.slice(10)}`, { as: 'Object' }) as Values;
    const { owner, hashes, grants, forwards = null } = entry.read(values, call);
    const account = (owner as Address).toLowerCase() as Address;
    const { v, r, s, signature = (values['request'] as Values | undefined)?.['signature'] } = values;
    const signed = signature === undefined ? vrs(v, r, s) : packed(signature);
    if (signed === null) return null;
    const matches = (name: string): boolean =>
      VERSIONS.some((versions) => {
        const domains = versions.map((version) => domainOf(name, version, call.to));
        return signedBy(account, signed, digestsOf(domains, hashes()), budget);
      });
    const isSigned = lazy(() => attempt(() => [...names, ...entry.names].some(matches)) === true);
    return { account, grants, forwards, isSigned };
  } catch {
    return null; // Calldata that does not decode as its selector promises.
  }
}

/** The usual versions of a domain are tried first, over all nonces; then the rare ones, and none. */
const VERSIONS = [
  ['1', '2'],
  ['0.0.1', null],
];

function signedBy(
  account: Address,
  signature: Signature,
  digests: Iterable<Hex>,
  budget: Recoveries,
): boolean {
  for (const digest of digests) {
    budget.cut ||= budget.left === 0;
    if (budget.left === 0) return false;
    budget.left--;
    if (recover(digest, signature) === account) return true;
  }
  return false;
}

/** The calldata's first four bytes that `readSignedCall` reads. */
export function carriesSignature(selector: Hex | null): boolean {
  return selector !== null && readersBySelector().has(selector);
}

/** By selector; read from the signatures' texts once the first transaction asks. */
const readersBySelector = lazy(
  (): ReadonlyMap<string, Reader> =>
    new Map(
      [...SIGNATURES, ...FORWARDED].map(([signature, read, name]) => {
        const abi: AbiFunction = from(`function ${signature}` as 'function f()');
        return [getSelector(abi), { abi, read, names: name === undefined ? [] : [name] }];
      }),
    ),
);

interface Reader {
  readonly abi: AbiFunction;
  readonly read: SignedForm[1];
  /** Domain names that contracts with this call use by default. */
  readonly names: readonly string[];
}
