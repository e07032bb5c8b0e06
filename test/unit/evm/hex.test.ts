import { describe, expect, it } from 'vitest';
import { isHex, lowerHex } from '../../../src/evm/hex.ts';

/** Lengths around the ways of looking: short, copied whole, copied in pieces. */
const LENGTHS = [2, 3, 4, 23, 24, 25, 42, 66, 16_383, 16_384, 16_385, 16_386, 40_001];
const textOf = (length: number): string => `0x${'0123456789abcdef'.repeat(2_600)}`.slice(0, length);

describe('hexadecimal texts', () => {
  it.each(LENGTHS)('are told by every character, of %i', (length) => {
    const text = textOf(length);
    expect(isHex(text)).toBe(true);
    expect(lowerHex(text)).toBe(text);
    expect(lowerHex(`0x${text.slice(2).toUpperCase()}`)).toBe(text);
    for (const at of new Set([0, 1, 2, 3, length - 2, length - 1])) {
      // The last ones end in the byte of a digit, or take several bytes.
      for (const foreign of [
        'g',
        'G',
        '/',
        ':',
        '`',
        '@',
        ' ',
        '\0',
        '\u0130',
        '\u{10430}',
        '\u00e9',
        '\ud800',
      ]) {
        const broken = text.slice(0, at) + foreign + text.slice(at + foreign.length);
        expect(isHex(broken), `${JSON.stringify(foreign)} at ${at}`).toBe(false);
        expect(lowerHex(broken)).toBeNull();
      }
    }
  });

  it('begin with 0x', () => {
    for (const text of ['', '0', '0X', '0X00', 'x0', '1x00', textOf(66).slice(2)])
      expect(isHex(text)).toBe(false);
  });

  it('may mix cases', () => {
    expect(lowerHex('0xAb')).toBe('0xab');
    expect(lowerHex(`0x${'aB'.repeat(500)}`)).toBe(`0x${'ab'.repeat(500)}`);
    expect(lowerHex(`0x${'0'.repeat(20_000)}F`)).toBe(`0x${'0'.repeat(20_000)}f`);
  });
});
