import { from, getSelector, type AbiFunction } from 'ox/AbiFunction';
import { decode } from 'ox/AbiParameters';
import { keccak256 } from 'ox/Hash';
import { domainsOf, recover, digestsOf, packed, struct, type Field } from './signing.ts';
import type { Claim, Reader, SignedCall, SignedGrant } from './claim.ts';
import { NONCES_TRIED, SIGNATURES } from './signedCalls.ts';
import type { Address, Hex } from '../model/hex.ts';

/** An account's signature on a call, and what it let happen. */
export interface SignedWord {
  readonly account: Address;
  readonly grants: readonly SignedGrant[];
  readonly forwards: NonNullable<Claim['forwards']> | null;
}

/** Recoveries left; `cut` once one was asked for beyond them. */
export interface Recoveries {
  left: number;
  cut: boolean;
  /** Whose signatures need no recovery: the signer of the transaction asked for all of it. */
  readonly signer: Address;
}

/**
 * Recovers the EIP-712 signer carried by a call, where it equals the account the call names. Null without a
 * signature, for an unknown domain, or for another signer. Reads permits (EIP-2612, also with a stated
 * nonce), transfers with authorisation (EIP-3009), signature transfers and permissions of one token or
 * several, and forwarded requests (ERC-2771). `names` are the domain names the contract may sign with.
 */
export function readSignedCall(
  call: SignedCall,
  names: readonly string[],
  budget: Recoveries,
): SignedWord | null {
  const entry = readersBySelector().get(call.input.slice(0, 10));
  if (!entry) return null;
  try {
    const values = decode(entry.abi.inputs, `0x${call.input.slice(10)}`);
    const owner = (name: string): SignedWord | null => {
      // The usual versions first, over all nonces; then the rare forms.
      const domains = domainsOf(name, call.to);
      for (const forms of [domains.slice(0, USUAL_FORMS), domains.slice(USUAL_FORMS)]) {
        const claim = entry.read(values, call, forms);
        if (isSigned(claim, budget)) return wordOfClaim(claim);
      }
      return null;
    };
    for (const name of [...names, ...entry.names]) {
      const word = owner(name);
      if (word !== null) return word;
    }
    return null;
  } catch {
    return null; // Calldata that does not decode as its selector promises.
  }
}

/** Domain forms in front of `domainsOf`: versions 1 and 2. */
const USUAL_FORMS = 2;

function isSigned({ owner, digests, signature }: Claim, budget: Recoveries): boolean {
  if (signature === null || owner.toLowerCase() === budget.signer) return false;
  for (const digest of digests) {
    if (budget.left === 0) {
      budget.cut = true;
      return false;
    }
    budget.left--;
    if (recover(digest, signature) === owner.toLowerCase()) return true;
  }
  return false;
}

const wordOfClaim = ({ owner, grants, forwards }: Claim): SignedWord => ({
  account: owner.toLowerCase() as Address,
  grants,
  forwards: forwards ?? null,
});

/** The calldata's first four bytes that `readSignedCall` reads. */
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

/** Requests that forwarders of OpenZeppelin's library execute for their authors, with the domain's name. */
const FORWARDED: readonly (readonly [signature: string, read: Reader, name: string])[] = [
  [
    `execute((${REQUEST},uint256 nonce,bytes data) req,bytes signature)`,
    ([request, signature], _, domains) => forwarded(request as ForwardRequest, signature, domains),
    'MinimalForwarder',
  ],
  [
    `execute((${REQUEST},uint48 deadline,bytes data,bytes signature) request)`,
    ([request], _, domains) =>
      forwarded(request as ForwardRequest, (request as { signature: Hex }).signature, domains),
    'ERC2771Forwarder',
  ],
];

function forwarded(request: ForwardRequest, signature: unknown, domains: readonly Hex[]): Claim {
  const digests = digestsOf(domains, ...forwardHashes(request));
  const forwards = { to: request.to.toLowerCase() as Address, data: request.data };
  return { owner: request.from, digests, signature: packed(signature), grants: [], forwards };
}

/** By selector; read from the signatures' texts once the first transaction asks. */
let readers: ReadonlyMap<string, Entry> | null = null;

function readersBySelector(): ReadonlyMap<string, Entry> {
  return (readers ??= new Map(
    [...SIGNATURES, ...FORWARDED].map(([signature, read, name]) => {
      const abi: AbiFunction = from(`function ${signature}` as 'function f()');
      return [getSelector(abi), { abi, read, names: name === undefined ? [] : [name] }];
    }),
  ));
}
