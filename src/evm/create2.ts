import { concatHex, getCreateAddress, keccak256 } from 'viem/utils';
import { wordOf } from './hex.ts';
import type { Address, Hash } from '../model/hex.ts';

/** Salt of a pool of two tokens: keccak of both addresses packed, or of both and the fee as ABI words. */
export function pairSalt(token0: Address, token1: Address, fee: number | null): Hash {
  return fee === null
    ? keccak256(concatHex([token0, token1]))
    : keccak256(`0x${[token0, token1, fee].map(wordOf).join('')}`);
}

/** The address that a deployer's CREATE2 gives to code of this hash (EIP-1014), in lower case. */
export function create2Address(deployer: Address, salt: Hash, initCodeHash: Hash): Address {
  return `0x${keccak256(concatHex(['0xff', deployer, salt, initCodeHash])).slice(-40)}`;
}

/** The address of a contract's n-th CREATE; contracts count from 1 (EIP-161). In lower case. */
export function createAddress(deployer: Address, nonce: number): Address {
  return getCreateAddress({ from: deployer, nonce: BigInt(nonce) }).toLowerCase() as Address;
}
