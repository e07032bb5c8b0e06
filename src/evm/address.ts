import { concat } from 'ox/Hex';
import { fromCreate } from 'ox/ContractAddress';
import { keccak256 } from './keccak.ts';
import { memoize } from '../lib/memo.ts';
import { wordOf, ZERO_ADDRESS } from './hex.ts';
import type { Address, Hash } from '../model/hex.ts';

/** The mixed-case form of an address (EIP-55). With ox's hash it takes six times as long. */
export const checksumAddress: (address: Address) => string = memoize((address) => {
  const digits = address.slice(2).toLowerCase();
  const hash = keccak256(Buffer.from(digits)).slice(2);
  return `0x${digits.replace(/[a-f]/g, (it, i: number) => (hash[i]! > '7' ? it.toUpperCase() : it))}`;
}, 8_192);

/** `0xAbCd…1234`, checksummed, for where a name is missing. */
export function shortAddress(address: Address): string {
  const full = checksumAddress(address);
  return `${full.slice(0, 6)}…${full.slice(-4)}`;
}

const LOW = `0x${'0'.repeat(37)}`;

/** Precompiles live at 0x01–0x1ff (EIP-2935/7002 system contracts do not). */
export function isPrecompile(address: Address): boolean {
  return address.startsWith(LOW) && address !== ZERO_ADDRESS && parseInt(address.slice(-3), 16) <= 0x1ff;
}

/** Salt of a pool of two tokens: keccak of both addresses packed, or of both and the fee as ABI words. */
export function pairSalt(token0: Address, token1: Address, fee: number | null): Hash {
  return fee === null
    ? keccak256(concat(token0, token1))
    : keccak256(`0x${[token0, token1, fee].map(wordOf).join('')}`);
}

/** The address that a deployer's CREATE2 gives to code of this hash (EIP-1014), in lower case. */
export function create2Address(deployer: Address, salt: Hash, initCodeHash: Hash): Address {
  // ox's fromCreate2 throws and catches errors on each hex argument: twice the time of the hash.
  return `0x${keccak256(concat('0xff', deployer, salt, initCodeHash)).slice(-40)}`;
}

/** The address of a contract's n-th CREATE; contracts count from 1 (EIP-161). In lower case. */
export function createAddress(deployer: Address, nonce: number): Address {
  return fromCreate({ from: deployer, nonce: BigInt(nonce) });
}
