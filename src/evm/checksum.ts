import { keccak256, stringToBytes } from 'viem/utils';
import { memoize } from '../lib/memo.ts';
import type { Address } from '../model/hex.ts';

// Tokens and venues recur from one transaction to the next.
const remembered = memoize(checksummed, 20_000);

/** The mixed-case form of a lower-case address (EIP-55). */
export function checksumAddress(address: Address): string {
  return remembered(address);
}

/** Letters are capitals where the hash of the digits has a digit from 8 on. */
function checksummed(address: string): string {
  const hash = keccak256(stringToBytes(address.slice(2)));
  let text = '0x';
  for (let i = 2; i < address.length; i++) text += hash[i]! >= '8' ? address[i]!.toUpperCase() : address[i]!;
  return text;
}
