import { from, getSelector, type AbiFunction } from 'ox/AbiFunction';
import { decode } from 'ox/AbiParameters';
import { FORWARDED, FORWARDERS } from './forwardRequests.ts';
import { domainsOf, recover } from './signing.ts';
import { SIGNATURES, type Reader, type SignedCall } from './signedCalls.ts';
import type { Address, Hex } from '../model/hex.ts';

/**
 * Recovers the EIP-712 signer carried by a call, where it equals the account the call names. Null without a
 * signature, for an unknown domain, or for another signer. Reads permits (EIP-2612, also with a stated
 * nonce), transfers with authorisation (EIP-3009), signature transfers and permissions of one token or
 * several, and forwarded requests (ERC-2771). `names` are the domain names the contract may sign with.
 */
export function typedSigner(call: SignedCall, names: readonly string[]): Address | null {
  const entry = READERS.get(call.input.slice(0, 10));
  if (!entry) return null;
  try {
    const values = decode(entry.abi.inputs, `0x${call.input.slice(10)}`);
    const domains = [...names, ...entry.names].flatMap((name) => domainsOf(name, call.to));
    const { owner, digests, signature } = entry.read(values, call, domains);
    if (signature === null) return null;
    return digests.some((digest) => recover(digest, signature) === owner.toLowerCase())
      ? (owner.toLowerCase() as Address)
      : null;
  } catch {
    return null; // Calldata that does not decode as its selector promises.
  }
}

/** The calldata's first four bytes that `typedSigner` reads. */
export function carriesSignature(selector: Hex | null): boolean {
  return selector !== null && READERS.has(selector);
}

interface Entry {
  readonly abi: AbiFunction;
  readonly read: Reader;
  /** Domain names that contracts with this call use by default. */
  readonly names: readonly string[];
}

const READERS: ReadonlyMap<string, Entry> = new Map(
  [...SIGNATURES, ...FORWARDED].map(([signature, read], index) => {
    const abi: AbiFunction = from(`function ${signature}` as 'function f()');
    const names = index < SIGNATURES.length ? [] : FORWARDERS;
    return [getSelector(abi), { abi, read, names }];
  }),
);
