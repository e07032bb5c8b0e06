import { describe, expect, it } from 'vitest';
import { readAddress, readBytes, readHash } from '../../../src/evm/hex.ts';
import { SharedTexts } from '../../../src/stages/2-canonical/sharedTexts.ts';

const BAD = 'trace_malformed';
const digits = '0123456789abcdef'.repeat(8);
const outcome = (read: () => unknown): unknown => {
  try {
    return read();
  } catch (error) {
    return String(error);
  }
};

describe('shared texts', () => {
  it('read as the readers do, first and again, whatever stands in their place', () => {
    const texts = new SharedTexts();
    const values = [2, 4, 42, 43, 66, 68, 130].flatMap((length) => {
      const text = `0x${digits}`.slice(0, length);
      return [
        text,
        text.toUpperCase(),
        `0x${text.slice(2).toUpperCase()}`,
        `${text.slice(0, -1)}g`,
        `1${text}`,
      ];
    });
    for (const value of [...values, ...values, null, undefined, 7, {}, '', '0']) {
      expect(outcome(() => texts.address(value, BAD, 'it'))).toBe(
        outcome(() => readAddress(value, BAD, 'it')),
      );
      expect(outcome(() => texts.hash(value, BAD, 'it'))).toBe(outcome(() => readHash(value, BAD, 'it')));
      expect(outcome(() => texts.bytes(value, BAD, 'it'))).toBe(outcome(() => readBytes(value, BAD, 'it')));
    }
  });
});
