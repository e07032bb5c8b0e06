import fc from 'fast-check';
import { randomPrivateKey, recoverAddress, sign } from 'ox/Secp256k1';
import { expect, it } from 'vitest';
import { recover } from '../../../src/evm/signing.ts';
import type { Hex } from '../../../src/model/hex.ts';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const word = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`);

/** The same by another implementation (@noble/curves, in ox). */
function byOx(payload: Hex, signature: { r: bigint; s: bigint; yParity: number }): string | null {
  try {
    return recoverAddress({ payload, signature }).toLowerCase();
  } catch {
    return null;
  }
}

it('recovers who signed a digest, of either half of s', () => {
  fc.assert(
    fc.property(word, (payload) => {
      const { r, s, yParity } = sign({ payload, privateKey: randomPrivateKey() });
      const signer = byOx(payload, { r, s, yParity });
      expect(signer).not.toBeNull();
      expect(recover(payload, { r, s, yParity })).toBe(signer);
      expect(recover(payload, { r, s: ORDER - s, yParity: 1 - yParity })).toBe(signer);
    }),
    { numRuns: 20 },
  );
});

it('agrees about numbers that nobody signed', () => {
  const scalar = fc.oneof(
    word.map(BigInt),
    fc.constantFrom(0n, 1n, ORDER - 1n, ORDER, ORDER + 1n, 2n ** 256n - 1n, 2n ** 256n, 2n ** 260n),
  );
  const found = new Set<boolean>();
  fc.assert(
    fc.property(word, scalar, scalar, fc.integer({ min: 0, max: 1 }), (payload, r, s, yParity) => {
      const address = recover(payload, { r, s, yParity });
      found.add(address === null);
      expect(address).toBe(byOx(payload, { r, s, yParity }));
    }),
    { numRuns: 100 },
  );
  expect(found).toEqual(new Set([true, false]));
});

it.each([2, 3, -1, NaN])('takes a parity of %s for no signature', (yParity) =>
  expect(recover(`0x${'11'.repeat(32)}`, { r: 1n, s: 1n, yParity })).toBeNull(),
);
