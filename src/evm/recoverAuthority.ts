import { secp256k1 } from '@noble/curves/secp256k1';
import { keccak } from './keccak.ts';
import { memoize } from '../lib/memo.ts';
import type { Address } from '../model/hex.ts';

/** An EIP-7702 authorisation tuple as it was signed; integers of any size. */
export interface SignedAuthorization {
  readonly chainId: bigint;
  readonly address: Address;
  readonly nonce: bigint;
  readonly r: bigint;
  readonly s: bigint;
  readonly yParity: bigint;
}

/** Recovering takes longer than anything else, and two stages ask about the same tuples. */
const REMEMBERED = 1_024;
const NOBODY = 'nobody';

/**
 * Who signed an authorisation (EIP-7702: over `keccak256(0x05 ‖ rlp([chain_id, address, nonce]))`); null where nobody can
 * have: the protocol skips such a tuple too.
 */
export function recoverAuthority({
  chainId,
  address,
  nonce,
  r,
  s,
  yParity,
}: SignedAuthorization): Address | null {
  if (yParity > 1n) return null;
  const items = integer(chainId) + item(address.slice(2)) + integer(nonce);
  const authority = recovered(`05${prefix(0xc0, items.length / 2)}${items}|${r}|${s}|${yParity}`);
  return authority === NOBODY ? null : (authority as Address);
}

const recovered = memoize((key) => {
  const [message, r, s, bit] = key.split('|') as [string, string, string, string];
  try {
    const signature = new secp256k1.Signature(BigInt(r), BigInt(s)).addRecoveryBit(Number(bit));
    // EIP-2: the high half of s is not a valid signature.
    if (signature.hasHighS()) return NOBODY;
    const publicKey = signature.recoverPublicKey(keccak(Buffer.from(message, 'hex'))).toRawBytes(false);
    return `0x${keccak(publicKey.subarray(1)).slice(24)}`;
  } catch {
    return NOBODY; // Not a point on the curve.
  }
}, REMEMBERED);

/** RLP of bytes given as hex digits, fewer than 56 of them. */
function item(digits: string): string {
  return digits.length === 2 && parseInt(digits, 16) < 0x80
    ? digits
    : prefix(0x80, digits.length / 2) + digits;
}

/** RLP of an integer: its bytes without leading zeros, none for zero. */
function integer(value: bigint): string {
  const digits = value === 0n ? '' : value.toString(16);
  return item(digits.length % 2 === 0 ? digits : `0${digits}`);
}

/** RLP's length prefix of a string (0x80) or a list (0xc0) of fewer than 256 bytes. */
function prefix(base: number, length: number): string {
  return length < 56 ? (base + length).toString(16) : `${(base + 56).toString(16)}${length.toString(16)}`;
}
