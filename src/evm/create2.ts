import { keccak } from './keccak.ts';
import { memoize, memoizePair } from '../lib/memo.ts';
import type { Address, Hash } from '../model/hex.ts';

/** Salts and addresses remembered of each kind of pool: the same pairs of tokens are traded over and over. */
const REMEMBERED = 2_048;

/** By fee, and by what makes the pools: there are as many as the rules name. */
const salts = new Map<number | null, (token0: string, token1: string) => string>();
const addresses = new Map<Address, Map<Hash, (salt: string) => Address>>();

/** Salt of a pool of two tokens: keccak of both addresses packed, or of both and the fee as ABI words. 64 hex digits. */
export function pairSalt(token0: Address, token1: Address, fee: number | null): string {
  let saltOf = salts.get(fee);
  if (!saltOf)
    salts.set(
      fee,
      (saltOf = memoizePair((a, b) => hashOf(pairDigits(a.slice(2), b.slice(2), fee)), REMEMBERED)),
    );
  return saltOf(token0, token1);
}

/** EIP-1014: last 20 bytes of `keccak256(0xff ‖ deployer ‖ salt ‖ initCodeHash)`. */
export function create2Address(deployer: Address, salt: string, initCodeHash: Hash): Address {
  let byCode = addresses.get(deployer);
  if (!byCode) addresses.set(deployer, (byCode = new Map()));
  let addressOf = byCode.get(initCodeHash);
  if (!addressOf)
    byCode.set(
      initCodeHash,
      (addressOf = memoize<Address>(
        (s) => `0x${hashOf(`ff${deployer.slice(2)}${s}${initCodeHash.slice(2)}`).slice(24)}`,
        REMEMBERED,
      )),
    );
  return addressOf(salt);
}

function pairDigits(token0: string, token1: string, fee: number | null): string {
  return fee === null ? token0 + token1 : word(token0) + word(token1) + word(fee.toString(16));
}

/** Of bytes as hex digits without prefix, to the same. */
function hashOf(digits: string): string {
  return keccak(Buffer.from(digits, 'hex'));
}

function word(digits: string): string {
  return digits.padStart(64, '0');
}
