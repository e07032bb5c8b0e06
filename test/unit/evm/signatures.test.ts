import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAbiItem, toEventSelector, toFunctionSelector, type AbiEvent, type AbiFunction } from 'viem';
import { describe, expect, it } from 'vitest';
import { eventNamed, functionNamed, readSignature } from '../../../src/evm/signatures.ts';
import { addressName } from '../../../src/value/labelFormat.ts';
import { loadRules } from '../../../src/service/loadRules.ts';
import type { Address, Hash, Hex } from '../../../src/model/hex.ts';

const RULES = join(import.meta.dirname, '../../../rules');
const lines = (file: string): string[] =>
  readFileSync(join(RULES, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

describe('the shipped signatures', () => {
  const { signatures, addressBook } = loadRules();

  it('stand under the hash that viem computes of them', () => {
    const wrong: string[] = [];
    for (const line of lines('signatures/events.txt'))
      if (toEventSelector(line.slice(9)).slice(2, 10) !== line.slice(0, 8)) wrong.push(line);
    for (const line of lines('signatures/functions.txt'))
      if (toFunctionSelector(line.slice(9)).slice(2) !== line.slice(0, 8)) wrong.push(line);
    expect(wrong).toEqual([]);
  });

  it('are found by what a log or a call shows', () => {
    const missing: string[] = [];
    for (const line of lines('signatures/events.txt')) {
      const event = parseAbiItem(`event ${line.slice(9)}` as 'event E()') as AbiEvent;
      const topics = 1 + event.inputs.filter((input) => input.indexed === true).length;
      const named = eventNamed(signatures, toEventSelector(event) as Hash, topics);
      if (named?.signature !== line.slice(9)) missing.push(line);
      if (event.inputs.some((input, i) => (input.name || `arg${i}`) !== named?.args[i]?.name))
        missing.push(line);
    }
    for (const line of lines('signatures/functions.txt')) {
      const item = parseAbiItem(`function ${line.slice(9)}` as 'function f()') as AbiFunction;
      const named = functionNamed(signatures, toFunctionSelector(item) as Hex);
      if (named?.signature !== line.slice(9) || named.args.length !== item.inputs.length) missing.push(line);
    }
    expect(missing).toEqual([]);
  });

  it('tell layouts of one event apart by the number of topics', () => {
    const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
    expect(eventNamed(signatures, transfer, 3)?.args.map(({ name }) => name)).toEqual([
      'from',
      'to',
      'value',
    ]);
    expect(eventNamed(signatures, transfer, 4)?.args[2]).toMatchObject({
      name: 'tokenId',
      indexed: true,
      offset: 3,
    });
    expect(functionNamed(signatures, '0x00000001')).toBeNull();
  });

  it('come with an address book', () => {
    expect(addressName(addressBook, '0x28c6c06298d514db089934071355e5743bf21d60')).toEqual({
      kind: 'exchange',
      name: 'Binance 14',
    });
    expect(addressName(addressBook, `0x${'1f'.repeat(20)}` as Address)).toBeNull();
  });
});

it('gives names, types and offsets of nested arguments', () => {
  const { named } = readSignature('f(uint256[2] a, (address to, (bytes32 x)[] y)[] calls, bool)');
  expect(named.args.map(({ name, type, offset }) => [name, type, offset])).toEqual([
    ['a', 'uint256[2]', 0],
    ['calls', '(address,(bytes32)[])[]', 64],
    ['arg2', 'bool', 96],
  ]);
  expect(named.args[1]!.fields.map(({ name }) => name)).toEqual(['to', 'y']);
});
