import { checksumAddress as viemChecksum } from 'viem';
import type { Address } from '../model/hex.ts';

/** The mixed-case form of a lower-case address (EIP-55). */
export function checksumAddress(address: Address): string {
  return viemChecksum(address);
}
