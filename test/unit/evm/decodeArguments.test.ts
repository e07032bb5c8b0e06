import { encodeAbiParameters, encodeFunctionData, parseAbi, parseAbiParameters, type Hex } from 'viem';
import { describe, expect, it } from 'vitest';
import { functionCalled } from '../../../src/evm/decodeArguments.ts';
import { argumentText } from '../../../src/value/argumentText.ts';
import { toFunctionSelector } from 'viem';

const SIGNATURES = [
  'transfer(address recipient, uint256 amount)',
  'swap((address tokenIn, uint24 fee)[] path, bytes data, bool exact, int24 tick, bytes4 tag, string note)',
  'deposit()',
  'small(uint8 n)',
];
const tables = {
  events: { text: '' },
  own: { text: '' },
  functions: {
    text: SIGNATURES.map((text) => `${toFunctionSelector(`function ${text}`).slice(2)} ${text}\n`)
      .sort()
      .join(''),
  },
};
const abi = parseAbi([
  'function transfer(address recipient, uint256 amount)',
  'struct Hop { address tokenIn; uint24 fee; }',
  'function swap(Hop[] path, bytes data, bool exact, int24 tick, bytes4 tag, string note)',
  'function deposit()',
]);
const WETH = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2';
const shown = (data: Hex) => functionCalled(tables, data)?.decoded.map(argumentText);

describe('the arguments of a call', () => {
  it('are those that another encoder wrote', () => {
    const args = [
      [{ tokenIn: WETH, fee: 3000 }],
      '0x1234',
      true,
      -887_220,
      '0xdeadbeef',
      'hi\u202e there',
    ] as const;
    expect(shown(encodeFunctionData({ abi, functionName: 'swap', args }))).toEqual([
      { name: 'path', type: '(address,uint24)[]', value: `[["${WETH}","3000"]]` },
      { name: 'data', type: 'bytes', value: '0x1234' },
      { name: 'exact', type: 'bool', value: 'true' },
      { name: 'tick', type: 'int24', value: '-887220' },
      { name: 'tag', type: 'bytes4', value: '0xdeadbeef' },
      { name: 'note', type: 'string', value: 'hi there' },
    ]);
  });

  it('are cut where they are long, and say so', () => {
    const args = [[], `0x${'ab'.repeat(500)}`, false, 0, '0x00000000', ''] as const;
    const data = shown(encodeFunctionData({ abi, functionName: 'swap', args }))![1]!;
    expect(data).toMatchObject({ truncated: true });
    expect(data.value).toHaveLength(301);
  });

  const transfer = encodeFunctionData({ abi, functionName: 'transfer', args: [WETH, 1n] });
  it.each<[string, Hex]>([
    ['short calldata', transfer.slice(0, -2) as Hex],
    [
      'a dirty address',
      transfer.replace('000000000000000000000000c02a', '010000000000000000000000c02a') as Hex,
    ],
    ['no arguments but calldata', '0xd0e30db000'],
    ['an integer beyond its type', `${toFunctionSelector('function small(uint8)')}${'0'.repeat(61)}100`],
    [
      'a list longer than the data',
      `${toFunctionSelector('function swap((address,uint24)[],bytes,bool,int24,bytes4,string)')}${encodeAbiParameters(
        parseAbiParameters('uint256,uint256,bool,int24,bytes4,uint256,uint256'),
        [192n, 192n, true, 0, '0x00000000', 192n, 1n << 20n],
      ).slice(2)}`,
    ],
    ['an unknown selector', '0xdeadbeef'],
    ['too little for a selector', '0xa9059c'],
  ])('%s names no function', (_, data) => expect(functionCalled(tables, data)).toBeNull());

  it('name a function without arguments by its whole calldata', () => {
    expect(functionCalled(tables, '0xd0e30db0')?.name).toBe('deposit');
    expect(functionCalled(tables, transfer)?.name).toBe('transfer');
  });
});
