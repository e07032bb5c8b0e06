import fc from 'fast-check';
import { encodeFunctionData, encodeFunctionResult, multicall3Abi, type Hex } from 'viem';
import { describe, expect, it } from 'vitest';
import {
  decodeDecimals,
  decodeText,
  wholeBytes,
  decodeAggregate3,
  encodeAggregate3,
} from '../../../src/stages/1-fetch/context/multicall.ts';
import { abiString, uint } from '../../support/sampleTransaction.ts';

const hexBytes = fc
  .uint8Array({ maxLength: 700 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}` as Hex);
/** Words biased to small numbers, so that offsets and lengths often point inside. */
const wordy = fc
  .array(fc.oneof(fc.nat(400), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })), { maxLength: 20 })
  .map((ws) => `0x${ws.map(uint).join('')}` as Hex);

describe('decodeText', () => {
  it('reads strings and bytes32', () => {
    expect(decodeText(abiString('USDC'))).toBe('USDC');
    expect(decodeText(abiString('Ünïcode 代币'))).toBe('Ünïcode 代币');
    expect(decodeText(`0x${Buffer.from('MKR').toString('hex').padEnd(64, '0')}`)).toBe('MKR');
    expect(decodeText(`0x${uint(32)}${uint(5)}${Buffer.from('Dai..').toString('hex')}`)).toBe('Dai..');
  });

  it.each([
    ['nothing', null],
    ['an empty string', abiString('')],
    ['a zero bytes32', `0x${uint(0)}`],
    ['an offset past the end', `0x${uint(2n ** 255n)}${uint(1)}`],
    ['a length past the end', `0x${uint(32)}${uint(2n ** 200n)}${uint(0)}`],
    ['half a word', '0x1234'],
  ] as [string, Hex | null][])('answers null for %s', (_, answer) => {
    expect(decodeText(answer)).toBeNull();
  });

  it('bounds what it decodes', () => {
    expect(decodeText(abiString('x'.repeat(100_000)))).toHaveLength(256);
  });

  it('survives any bytes', () => {
    fc.assert(
      fc.property(fc.oneof(hexBytes, wordy), (answer) => {
        const text = decodeText(wholeBytes(answer));
        expect(text === null || text.length <= 256).toBe(true);
        decodeDecimals(wholeBytes(answer));
      }),
    );
  });
});

describe('decodeDecimals', () => {
  it('takes a uint8 and nothing larger', () => {
    expect(decodeDecimals(`0x${uint(18)}`)).toBe(18);
    expect(decodeDecimals(`0x${uint(255)}`)).toBe(255);
    expect(decodeDecimals(`0x${uint(256)}`)).toBeNull();
    expect(decodeDecimals('0x12')).toBeNull();
    expect(decodeDecimals(null)).toBeNull();
  });
});

describe('aggregate3', () => {
  it('takes apart what an ABI encoder writes', () => {
    const result = [
      { success: true, returnData: '0x1234' as Hex },
      { success: false, returnData: '0xdead' as Hex },
      { success: true, returnData: '0x' as Hex },
      { success: true, returnData: `0x${'ab'.repeat(70)}` as Hex },
    ];
    const encoded = encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result });
    expect(decodeAggregate3(encoded, 4)).toEqual(['0x1234', null, null, `0x${'ab'.repeat(70)}`]);
    expect(decodeAggregate3(encoded, 3)).toBeNull();
  });

  it('answers in lower case, and nothing where a digit is none', () => {
    const encoded = encodeFunctionResult({
      abi: multicall3Abi,
      functionName: 'aggregate3',
      result: [{ success: true, returnData: '0xabcd' }],
    });
    const decode = (result: string) => {
      const bytes = wholeBytes(result);
      return bytes && decodeAggregate3(bytes, 1);
    };
    expect(decode(`0x${encoded.slice(2).toUpperCase()}`)).toEqual(['0xabcd']);
    for (const broken of [
      encoded.replace('abcd', 'abcg'),
      encoded.replace('abcd', 'ab\u0130d'),
      encoded.replace('abcd', 'ab d'),
      encoded.slice(2),
      encoded.slice(0, -1),
      encoded.replace('0x00', '0x0g'),
      '',
      '0x',
    ]) {
      expect(decode(broken), broken).toBeNull();
    }
  });

  it('encodes with every call allowed to fail', () => {
    const calls = [0, 1, 4, 31, 32, 33, 100].map(
      (length) =>
        ({ to: `0x${(length < 31 ? '1f' : '2e').repeat(20)}`, data: `0x${'ab'.repeat(length)}` }) as const,
    );
    const args = [calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))] as const;
    const expected = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args });
    expect(encodeAggregate3(calls)).toBe(expected);
    expect(encodeAggregate3(calls), 'once more').toBe(expected);
  });

  it('survives any bytes', () => {
    fc.assert(
      fc.property(fc.oneof(hexBytes, wordy), fc.nat(8), (answer, count) => {
        const answers = decodeAggregate3(answer, count);
        expect(answers === null || answers.length === count).toBe(true);
      }),
    );
  });
});
