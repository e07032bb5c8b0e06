import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { generateCreations } from '../../../scripts/generateCreations.ts';
import { createdAddress, indexOfRow, protocolOfCreated } from '../../../src/rules/creations.ts';
import { shippedRules } from '../rules-content/scene.ts';
import type { Address } from '../../../src/model/hex.ts';
import type { CreationSpec } from '../../../src/model/membership.ts';
import type { ProtocolSpec } from '../../../src/model/rulebook.ts';

const row = (over: Partial<CreationSpec>): CreationSpec => ({
  deployer: `0x${'11'.repeat(20)}`,
  count: 3,
  shim: null,
  children: 0,
  index: null,
  ...over,
});
const speaker = (created: readonly CreationSpec[]): ProtocolSpec => ({
  slug: 'made',
  version: 1,
  name: 'Made',
  addresses: new Set(),
  create2: null,
  created,
  tokens: null,
  payments: null,
  registries: [],
  tags: [],
});

describe('contracts of known deployers', () => {
  // Published addresses: docs.aave.com (the provider's first contract is the pool), docs.curve.finance.
  it.each<[string, Address, number, Address]>([
    [
      'Aave v3 pool',
      '0x2f39d218133afab8f2b819b1066c7e434ad94e9e',
      1,
      '0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2',
    ],
    [
      'Aave v3 configurator',
      '0x2f39d218133afab8f2b819b1066c7e434ad94e9e',
      2,
      '0x64b761d848206f447fe2dd461b0c635ec39ebb27',
    ],
    [
      'TricryptoUSDC',
      '0x0c0e5f2ff0ff18a3be9b835635039256dc4b4963',
      1,
      '0x7f86bf177dd4f3494b841a37e810a34dd56c829b',
    ],
  ])('%s follows from its deployer', (_, deployer, n, address) => {
    expect(createdAddress(row({ deployer }), n)).toBe(address);
  });

  it('a vault is followed by the contracts that it made itself', () => {
    const rows = row({ count: 2, children: 2 });
    const first = createdAddress(rows, 1);
    expect(first).toBe(createdAddress(row({}), 1));
    expect(createdAddress(rows, 2)).toBe(createdAddress(row({ deployer: first }), 1));
    expect(createdAddress(rows, 3)).toBe(createdAddress(row({ deployer: first }), 2));
    expect(createdAddress(rows, 4)).toBe(createdAddress(row({}), 2));
  });

  it.each<[string, Address, string]>([
    ['a 0x Settler, through a shim (CREATE3)', '0x70bf6634ee8cb27d04478f184b9b8bb13e5f4710', 'zerox'],
    ['a Uniswap V1 exchange', '0x3958b4ec427f8fa24eb60f42821760e88d485f7f', 'uniswap-v1'],
    ['a Fluid vault', '0xeaef563015634a9d0ee6cf1357a3b205c35e028d', 'fluid'],
    ['the listed WETH vault', '0xa258c4606ca8206d8aa700ce2143d7db854d168c', 'yearn-v2'],
  ])('the shipped rules know %s', (_, contract, slug) => {
    expect(shippedRules().prepared.protocolOf(contract)).toBe(slug);
  });

  it('an address that only begins like a created one is a stranger', () => {
    const real = createdAddress(row({}), 2);
    const forged = `${real.slice(0, -1)}${real.endsWith('0') ? '1' : '0'}` as Address;
    const protocolOf = protocolOfCreated([speaker([row({})])]);
    expect(protocolOf(real)).toBe('made');
    expect(protocolOf(forged)).toBeUndefined();
    expect(protocolOf(createdAddress(row({}), 4))).toBeUndefined();
  });

  it('a stored index speeds the search up and proves nothing', () => {
    const spec = row({});
    const real = createdAddress(spec, 3);
    const stranger = `0x${'99'.repeat(20)}` as const;
    const lying = Buffer.from('999999999999999999999999', 'hex').toString('base64');
    expect(protocolOfCreated([speaker([{ ...spec, index: indexOfRow(spec) }])])(real)).toBe('made');
    expect(protocolOfCreated([speaker([{ ...spec, index: lying }])])(stranger)).toBeUndefined();
    // One of another count is not used.
    expect(protocolOfCreated([speaker([{ ...spec, index: 'mZmZmQ' }])])(real)).toBe('made');
  });

  it('the stored indexes are what the rules generate (run `npm run generate`)', () => {
    const stored = readFileSync(new URL('../../../rules/created/addresses.txt', import.meta.url), 'utf8');
    expect(stored === generateCreations()).toBe(true);
  });
});
