import { keccak } from './keccak.ts';
import { memoised } from './memo.ts';
import type { Address, Hash } from '../model/hex.ts';

/** Hashes remembered: the same pairs of tokens are traded over and over. */
const REMEMBERED = 8_192;

/** Of bytes as hex digits without prefix, to the same. */
const hashOf = memoised((digits) => keccak(Buffer.from(digits, 'hex')), REMEMBERED);

/** Salt of a pool of two tokens: keccak of both addresses packed, or of both and the fee as ABI words. 64 hex digits. */
export function pairSalt(token0: Address, token1: Address, fee: number | null): string {
  if (fee === null) return hashOf(token0.slice(2) + token1.slice(2));
  return hashOf(word(token0.slice(2)) + word(token1.slice(2)) + word(fee.toString(16)));
}

/** EIP-1014: last 20 bytes of `keccak256(0xff ‖ deployer ‖ salt ‖ initCodeHash)`. */
export function create2Address(deployer: Address, salt: string, initCodeHash: Hash): Address {
  return `0x${hashOf(`ff${deployer.slice(2)}${salt}${initCodeHash.slice(2)}`).slice(24)}`;
}

function word(digits: string): string {
  return digits.padStart(64, '0');
}
