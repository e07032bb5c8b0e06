import { getAddress } from 'viem/utils';
import { memoize } from '../lib/memo.ts';
import type { Address } from '../model/hex.ts';

// Tokens and venues recur from one transaction to the next.
const remembered = memoize((address) => getAddress(address), 20_000);

/** The mixed-case form of a lower-case address (EIP-55). */
export function checksumAddress(address: Address): string {
  return remembered(address);
}
