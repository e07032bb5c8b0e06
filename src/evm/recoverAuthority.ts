import { secp256k1 } from '@noble/curves/secp256k1';
import { concatHex, keccak256, numberToHex, toRlp } from 'viem/utils';
import type { Address, Hex } from '../model/hex.ts';

/** An EIP-7702 authorisation tuple as it was signed; integers of any size. */
export interface SignedAuthorization {
  readonly chainId: bigint;
  readonly address: Address;
  readonly nonce: bigint;
  readonly r: bigint;
  readonly s: bigint;
  readonly yParity: bigint;
}

/**
 * Recovers the signer of an authorisation (EIP-7702: over `keccak256(0x05 ‖ rlp([chain_id, address,
 * nonce]))`); null for an invalid signature, as the protocol skips the tuple too. Uses noble's curve
 * directly because viem only recovers asynchronously.
 */
export function recoverAuthority(tuple: SignedAuthorization): Address | null {
  const { chainId, address, nonce, r, s, yParity } = tuple;
  if (yParity > 1n) return null;
  const message = keccak256(concatHex(['0x05', toRlp([integer(chainId), address, integer(nonce)])]), 'bytes');
  try {
    const signature = new secp256k1.Signature(r, s).addRecoveryBit(Number(yParity));
    // EIP-2: the high half of s is not a valid signature.
    if (signature.hasHighS()) return null;
    const publicKey = signature.recoverPublicKey(message).toRawBytes(false);
    return `0x${keccak256(publicKey.subarray(1)).slice(-40)}`;
  } catch {
    return null; // Not a point on the curve.
  }
}

/** An integer as RLP takes it: its bytes without leading zeros, none for zero. */
function integer(value: bigint): Hex {
  return value === 0n ? '0x' : numberToHex(value);
}
