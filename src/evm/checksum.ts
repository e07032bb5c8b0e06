import { keccak } from './keccak.ts';
import { memoize } from '../lib/memo.ts';
import type { Address } from '../model/hex.ts';

/** Addresses remembered: those of common tokens, pools and routers stand in most reports. */
const REMEMBERED = 8_192;

/** Character codes: `a`, `8`, and how far capitals stand before their letters. */
const LETTERS = 97;
const EIGHT = 56;
const TO_CAPITALS = 32;

/** The mixed-case form of a lower-case address (EIP-55): letters are capitals where the hash of the digits has a high nibble. */
export const checksumAddress: (address: Address) => string = memoize((address) => {
  const digits = Buffer.from(address.slice(2), 'latin1');
  const hash = keccak(digits);
  for (let i = 0; i < digits.length; i++)
    if (digits[i]! >= LETTERS && hash.charCodeAt(i) >= EIGHT) digits[i]! -= TO_CAPITALS;
  return `0x${digits.toString('latin1')}`;
}, REMEMBERED) as (address: Address) => string;
