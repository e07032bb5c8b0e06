import { encodeAbiParameters, parseAbiParameters } from 'viem';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { argumentReader, parseAbiType, headSize, isDynamic } from '../../../src/evm/readArgument.ts';
import type { Hex } from '../../../src/model/hex.ts';
import type { ParamSpec } from '../../../src/model/rulebook.ts';

const param = (type: string, offset: number, indexed = false): ParamSpec => ({
  name: 'x',
  type,
  indexed,
  offset,
});
const read = (data: Hex, type: string, offset: number, path: (string | number)[] = []) =>
  argumentReader(param(type, offset), path)({ topics: [], data, base: 0 });

describe('argumentReader', () => {
  const data = encodeAbiParameters(
    parseAbiParameters(
      'uint256 a, int128 b, address[] c, (uint256 p, (bytes32 q, uint8 r)[] s) d, uint256[2] e, bytes f',
    ),
    [
      7n,
      -5n,
      ['0x00000000000000000000000000000000000000aa', '0x00000000000000000000000000000000000000bb'],
      {
        p: 9n,
        s: [
          { q: `0x${'1'.repeat(64)}`, r: 3 },
          { q: `0x${'2'.repeat(64)}`, r: 4 },
        ],
      },
      [11n, 12n],
      '0xdeadbeef',
    ],
  );

  it('reads words, signed words, arrays, nested tuples, fixed arrays and bytes by position', () => {
    expect(read(data, 'uint256', 0)).toBe(7n);
    expect(read(data, 'int128', 32)).toBe(-5n);
    expect(read(data, 'address[]', 64, [1])).toBe('0x00000000000000000000000000000000000000bb');
    expect(read(data, '(uint256,(bytes32,uint8)[])', 96, [0])).toBe(9n);
    expect(read(data, '(uint256,(bytes32,uint8)[])', 96, [1, 1, 1])).toBe(4n);
    expect(read(data, '(uint256,(bytes32,uint8)[])', 96, [1, 0, 0])).toBe(`0x${'1'.repeat(64)}`);
    expect(read(data, 'uint256[2]', 128, [1])).toBe(12n);
    expect(read(data, 'bytes', 192)).toBe('0xdeadbeef');
  });

  it('adds up the elements of an array, or a field of them', () => {
    expect(read(data, 'uint256[2]', 128, ['sum'])).toBe(23n);
    expect(read(data, '(uint256,(bytes32,uint8)[])', 96, [1, 'sum', 1])).toBe(7n);
    const none = encodeAbiParameters(parseAbiParameters('uint256[] a, int256[] b'), [[], [5n, -7n]]);
    expect(read(none, 'uint256[]', 0, ['sum'])).toBe(0n);
    expect(read(none, 'int256[]', 32, ['sum'])).toBe(-2n);
    // No numbers, no array, a length that the data does not have.
    expect(read(data, 'address[]', 64, ['sum'])).toBeNull();
    expect(read(data, '(uint256,(bytes32,uint8)[])', 96, ['sum'])).toBeNull();
    expect(read(`${data.slice(0, 66) as Hex}`, 'uint256[]', 0, ['sum'])).toBeNull();
    const long = `0x${'20'.padStart(64, '0')}${'40'.padStart(64, '0')}${'1'.padStart(64, '0')}` as Hex;
    expect(read(long, 'uint256[]', 0, ['sum'])).toBeNull();
  });

  it('answers null past the end of arrays, for containers, for paths into scalars and for short data', () => {
    expect(read(data, 'address[]', 64, [2])).toBeNull();
    expect(read(data, 'address[]', 64)).toBeNull();
    expect(read(data, 'uint256', 0, [0])).toBeNull();
    expect(read('0x', 'uint256', 0)).toBeNull();
    expect(read('0x1234', 'address[]', 0, [0])).toBeNull();
    expect(read(data, 'function', 0)).toBeNull();
  });

  it('reads indexed scalars from topics and refuses dirty addresses', () => {
    const topics = [
      `0x${'0'.repeat(64)}`,
      `0x${'0'.repeat(24)}${'a'.repeat(40)}`,
      `0x${'f'.repeat(24)}${'a'.repeat(40)}`,
    ] as Hex[];
    const at = (offset: number, type = 'address') =>
      argumentReader(param(type, offset, true), [])({ topics, data: '0x', base: 0 });
    expect(at(1)).toBe(`0x${'a'.repeat(40)}`);
    expect(at(2)).toBeNull();
    expect(at(3)).toBeNull();
    expect(at(1, 'bytes')).toBeNull();
  });

  it('skips the selector of calldata', () => {
    const input = `0x12345678${data.slice(2)}` as Hex;
    expect(argumentReader(param('address[]', 64), [0])({ topics: [], data: input, base: 4 })).toBe(
      '0x00000000000000000000000000000000000000aa',
    );
  });

  it('never throws or hangs on arbitrary bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 400 }),
        fc.nat(512),
        fc.array(fc.nat(9), { maxLength: 4 }),
        (bytes, offset, path) => {
          const hex = `0x${Buffer.from(bytes).toString('hex')}` as Hex;
          for (const type of [
            'uint256',
            'bytes',
            'uint256[]',
            '(uint256[],bytes)[]',
            'address[3][]',
            'string[]',
          ])
            read(hex, type, offset, path);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('parseAbiType', () => {
  it('knows head sizes and what is dynamic', () => {
    expect(headSize(parseAbiType('(uint256,address)[2]')!)).toBe(128);
    expect(headSize(parseAbiType('uint256[]')!)).toBe(32);
    expect(isDynamic(parseAbiType('(uint256,bytes)')!)).toBe(true);
    expect(isDynamic(parseAbiType('uint8[3]')!)).toBe(false);
    expect(parseAbiType('nonsense')).toBeNull();
  });
});
