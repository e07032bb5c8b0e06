import { keccak256, toFunctionSelector } from 'viem';
import { describe, expect, it } from 'vitest';
import { create2Address, pairSalt } from '../../../src/evm/address.ts';
import { checksumAddress } from '../../../src/evm/address.ts';
import type { Address, Hash } from '../../../src/model/hex.ts';

const ZEROS = '0'.repeat(40);
const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';

describe('create2Address', () => {
  it.each<[Address, Hash, string]>([
    [
      '0x0000000000000000000000000000000000000000',
      `0x${'0'.repeat(64)}`,
      '0x4D1A2e2bB4F88F0250f26Ffff098B0b30B26BF38',
    ],
    [
      '0xdeadbeef00000000000000000000000000000000',
      `0x${'0'.repeat(64)}`,
      '0xB928f69Bb1D91Cd65274e3c79d8986362984fDA3',
    ],
    [
      '0xdeadbeef00000000000000000000000000000000',
      `0x${'0'.repeat(24)}feed${ZEROS.slice(4)}`,
      '0xD04116cDd17beBE565EB2422F2497E06cC1C9833',
    ],
  ])('gives the addresses of the examples in EIP-1014', (deployer, salt, expected) => {
    expect(checksumAddress(create2Address(deployer, salt, keccak256('0x00')))).toBe(expected);
  });

  it('gives the addresses of pools on mainnet, with a packed salt and with a fee', () => {
    expect(
      create2Address(
        '0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f',
        pairSalt(USDC, WETH, null),
        '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f',
      ),
    ).toBe('0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc');
    expect(
      create2Address(
        '0x1f98431c8ad98523631ae4a59f267346ea31f984',
        pairSalt(USDC, WETH, 500),
        '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54',
      ),
    ).toBe('0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640');
  });
});

describe('selectors of the feed registry', () => {
  it('are those of its functions', () => {
    expect(
      ['latestRoundData(address,address)', 'decimals(address,address)'].map((s) => toFunctionSelector(s)),
    ).toEqual(['0xbcfd032d', '0x58e2d3a8']);
  });
});
