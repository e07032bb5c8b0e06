import { keccak256 } from 'ox/Hash';
import { digestsOf, packed, struct, type Field } from './signing.ts';
import { NONCES_TRIED, type Claim, type Reader } from './signedCalls.ts';
import type { Address, Hex } from '../model/hex.ts';

const REQUEST = 'address from,address to,uint256 value,uint256 gas';
/** Domain names of the forwarders of OpenZeppelin's library. */
export const FORWARDERS = ['MinimalForwarder', 'ERC2771Forwarder'];

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
export const FORWARDED: readonly (readonly [signature: string, read: Reader])[] = [
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
