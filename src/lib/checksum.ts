import { keccak } from './keccak.ts';
import { memoised } from './memo.ts';
import type { Address } from '../model/hex.ts';

/** Addresses remembered: those of common tokens, pools and routers stand in most reports. */
const REMEMBERED = 8_192;

/** The mixed-case form of a lower-case address (EIP-55): letters are capitals where the hash of the digits has a high nibble. */
export const checksumAddress: (address: Address) => string = memoised((address) => {
  const hash = keccak(Buffer.from(address.slice(2), 'latin1'));
  let text = '0x';
  for (let i = 2; i < address.length; i++) text += hash.charCodeAt(i - 2) >= 56 ? address[i]!.toUpperCase() : address[i]!;
  return text;
}, REMEMBERED) as (address: Address) => string;
