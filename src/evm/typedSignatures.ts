import { from, getSelector, type AbiFunction } from 'ox/AbiFunction';
import { decode } from 'ox/AbiParameters';
import { keccak256 } from 'ox/Hash';
import { domainsOf, recover, digestsOf, packed, struct, type Field } from './signing.ts';
import { SIGNATURES, NONCES_TRIED, type Reader, type SignedCall, type Claim } from './signedCalls.ts';
import type { Address, Hex } from '../model/hex.ts';

/**
 * Recovers the EIP-712 signer carried by a call, where it equals the account the call names. Null without a
 * signature, for an unknown domain, or for another signer. Reads permits (EIP-2612, also with a stated
 * nonce), transfers with authorisation (EIP-3009), signature transfers and permissions of one token or
 * several, and forwarded requests (ERC-2771). `names` are the domain names the contract may sign with.
 */
export function typedSigner(call: SignedCall, names: readonly string[]): Address | null {
  const entry = readersBySelector().get(call.input.slice(0, 10));
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
  return selector !== null && readersBySelector().has(selector);
}

interface Entry {
  readonly abi: AbiFunction;
  readonly read: Reader;
  /** Domain names that contracts with this call use by default. */
  readonly names: readonly string[];
}

const REQUEST = 'address from,address to,uint256 value,uint256 gas';
/** Domain names of the forwarders of OpenZeppelin's library. */
const FORWARDERS = ['MinimalForwarder', 'ERC2771Forwarder'];

interface ForwardRequest {
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint;
  readonly gas: bigint;
  readonly nonce?: bigint;
  readonly deadline?: number;
  readonly data: Hex;
}

/** ERC-2771 as OpenZeppelin's forwarders sign it: with a stated nonce, or with a deadline and without. */
function forwardHashes({ from, to, value, gas, nonce, deadline, data }: ForwardRequest): Hex[] {
  const head = 'ForwardRequest(address from,address to,uint256 value,uint256 gas,uint256 nonce,';
  const hash = (n: bigint, until: readonly Field[]): Hex =>
    struct(`${head}${until.length > 0 ? 'uint48 deadline,' : ''}bytes data)`, [
      ['address', from],
      ['address', to],
      ['uint256', value],
      ['uint256', gas],
      ['uint256', n],
      ...until,
      ['bytes32', keccak256(data)],
    ]);
  if (nonce !== undefined) return [hash(nonce, [])];
  const nonces = Array.from({ length: Number(NONCES_TRIED) }, (_, n) => BigInt(n));
  return nonces.map((n) => hash(n, [['uint48', deadline]]));
}

/** Requests that forwarders execute for their authors. */
const FORWARDED: readonly (readonly [signature: string, read: Reader])[] = [
  [
    `execute((${REQUEST},uint256 nonce,bytes data) req,bytes signature)`,
    ([request, signature], _, domains) => forwarded(request as ForwardRequest, signature, domains),
  ],
  [
    `execute((${REQUEST},uint48 deadline,bytes data,bytes signature) request)`,
    ([request], _, domains) =>
      forwarded(request as ForwardRequest, (request as { signature: Hex }).signature, domains),
  ],
];

function forwarded(request: ForwardRequest, signature: unknown, domains: readonly Hex[]): Claim {
  const digests = digestsOf(domains, ...forwardHashes(request));
  return { owner: request.from, digests, signature: packed(signature) };
}

/** By selector; read from the signatures' texts once the first transaction asks. */
let readers: ReadonlyMap<string, Entry> | null = null;

function readersBySelector(): ReadonlyMap<string, Entry> {
  return (readers ??= new Map(
    [...SIGNATURES, ...FORWARDED].map(([signature, read], index) => {
      const abi: AbiFunction = from(`function ${signature}` as 'function f()');
      const names = index < SIGNATURES.length ? [] : FORWARDERS;
      return [getSelector(abi), { abi, read, names }];
    }),
  ));
}
