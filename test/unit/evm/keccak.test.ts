import { keccak256 as keccakOfViem } from 'viem';
import { describe, expect, it } from 'vitest';
import { keccak256 } from '../../../src/evm/keccak.ts';

describe('keccak256', () => {
  it('of nothing is the hash of an account without code (EIP-1052)', () => {
    const nothing = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470';
    expect([keccak256('0x'), keccak256(new Uint8Array())]).toEqual([nothing, nothing]);
  });

  // 136 bytes are one block of the sponge.
  it.each([1, 135, 136, 137, 272, 5_000])('of %i bytes, and of their text, as viem has it', (length) => {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 31) % 256);
    const hex = `0x${Buffer.from(bytes).toString('hex')}` as const;
    expect([keccak256(bytes), keccak256(hex)]).toEqual([keccakOfViem(bytes), keccakOfViem(bytes)]);
  });
});
