import fc from 'fast-check';
import { checksumAddress as viemChecksum, keccak256 } from 'viem';
import { describe, expect, it } from 'vitest';
import { checksumAddress } from '../../../src/evm/checksum.ts';
import { keccak } from '../../../src/evm/keccak.ts';
import { memoize, memoizePair } from '../../../src/lib/memo.ts';

describe('keccak', () => {
  it.each([0, 1, 20, 32, 134, 135, 136, 137, 271, 272, 273, 1_000])(
    'hashes %i bytes as viem does',
    (length) => {
      const data = Uint8Array.from({ length }, (_, i) => (i * 31 + 7) & 255);
      expect(`0x${keccak(data)}`).toBe(keccak256(data));
    },
  );

  it('hashes any bytes as viem does', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (data) => `0x${keccak(data)}` === keccak256(data)),
    );
  });
});

describe('checksumAddress', () => {
  it('writes any address as viem does', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (data) => {
        const address = `0x${Buffer.from(data).toString('hex')}` as const;
        expect(checksumAddress(address)).toBe(viemChecksum(address));
        expect(checksumAddress(address)).toBe(viemChecksum(address));
      }),
    );
  });
});

describe('memoize', () => {
  it('computes once while remembered, and forgets what was not used for long', () => {
    const asked: string[] = [];
    const length = memoize((text) => (asked.push(text), text.length), 2);
    expect([
      length('a'),
      length('a'),
      length('bb'),
      length('a'),
      length('ccc'),
      length('dddd'),
      length('bb'),
    ]).toEqual([1, 1, 2, 1, 3, 4, 2]);
    expect(asked).toEqual(['a', 'bb', 'ccc', 'dddd', 'bb']);
  });

  it('does the same of two texts, whose order counts', () => {
    const asked: string[] = [];
    const join = memoizePair((a, b) => (asked.push(`${a}-${b}`), `${a}-${b}`), 2);
    expect([
      join('a', 'b'),
      join('b', 'a'),
      join('a', 'b'),
      join('a', 'c'),
      join('b', 'a'),
      join('d', 'd'),
      join('a', 'b'),
    ]).toEqual(['a-b', 'b-a', 'a-b', 'a-c', 'b-a', 'd-d', 'a-b']);
    expect(asked).toEqual(['a-b', 'b-a', 'a-c', 'b-a', 'd-d', 'a-b']);
  });
});
