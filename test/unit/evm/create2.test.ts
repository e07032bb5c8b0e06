import fc from 'fast-check';
import {
  encodeAbiParameters,
  encodePacked,
  getCreate2Address,
  keccak256,
  toFunctionSelector,
  type Hex,
} from 'viem';
import { describe, expect, it } from 'vitest';
import { create2Address, pairSalt } from '../../../src/evm/create2.ts';

const bytes = (length: number) =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((data): Hex => `0x${Buffer.from(data).toString('hex')}`);

describe('create2Address', () => {
  it('is what viem computes', () => {
    fc.assert(
      fc.property(
        bytes(20),
        bytes(20),
        bytes(20),
        bytes(32),
        fc.nat(1_000_000),
        (deployer, a, b, codeHash, fee) => {
          const packed = keccak256(encodePacked(['address', 'address'], [a, b]));
          const encoded = keccak256(
            encodeAbiParameters([{ type: 'address' }, { type: 'address' }, { type: 'uint24' }], [a, b, fee]),
          );
          expect([`0x${pairSalt(a, b, null)}`, `0x${pairSalt(a, b, fee)}`]).toEqual([packed, encoded]);
          expect(create2Address(deployer, pairSalt(a, b, fee), codeHash)).toBe(
            getCreate2Address({ from: deployer, salt: encoded, bytecodeHash: codeHash }).toLowerCase(),
          );
        },
      ),
    );
  });
});

describe('selectors of the feed registry', () => {
  it('are those of its functions', () => {
    expect(
      ['latestRoundData(address,address)', 'decimals(address,address)'].map((s) => toFunctionSelector(s)),
    ).toEqual(['0xbcfd032d', '0x58e2d3a8']);
  });
});
