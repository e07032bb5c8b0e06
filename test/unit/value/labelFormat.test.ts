import { describe, expect, it } from 'vitest';
import { account } from '../../support/builders.ts';
import { shippedRules } from '../rules-content/scene.ts';
import { NATIVE } from '../../../src/value/asset.ts';
import { createdAddress } from '../../../src/rules/creations.ts';
import { labelFormat } from '../../../src/value/labelFormat.ts';
import type { PreparedRules } from '../../../src/model/intent.ts';
import type { Asset } from '../../../src/model/valueFlow.ts';

const prepared = { protocolOf: () => undefined } as unknown as PreparedRules;
const token: Asset = { id: 'token', kind: 'erc20', address: account('a0'), tokenId: null };

function told(amount: bigint, decimals: number | null): string | null {
  return labelFormat(
    new Map([[token.address!, { address: token.address!, symbol: 'TKN', name: null, decimals }]]),
    {
      entities: new Map(),
      protocols: new Map(),
      protocolAt: new Map(),
      prepared,
      knownTokens: new Map(),
      addressBook: { text: '' },
    },
  ).amount(token, amount);
}

describe('an amount in a label', () => {
  it.each([
    [1_234_567_89n, 5, '1,234.57 TKN'],
    [1_234_567_89n, 0, '123,456,789 TKN'],
    [1_234_567_89n, 8, '1.23457 TKN'],
    [1_234_567_89n, 9, '0.123457 TKN'],
    [1_234_567_89n, 20, '0.00000000000123457 TKN'],
    [999_999_999n, 8, '10 TKN'],
    [1_000_000_09n, 8, '1 TKN'],
    [1_000_010n, 6, '1.00001 TKN'],
    [120n, 3, '0.12 TKN'],
    [1n, 18, '0.000000000000000001 TKN'],
    [1n, 0, '1 TKN'],
    [0n, 6, '0 TKN'],
    [0n, 0, '0 TKN'],
    [999_999_999n, 17, '0.00000001 TKN'],
    [9_999_999n, 18, '0.00000000001 TKN'],
    [10n ** 33n - 1n, 18, '1,000,000,000,000,000 TKN'],
    [10n ** 33n, 18, 'over 1,000 trillion TKN'],
    [1n, 19, 'less than 0.000000000000000001 TKN'],
    [10n ** 30n, 18, '1,000,000,000,000 TKN'],
  ])(
    '%s of %s decimals is %s: its first six digits, all those before the point, half rounded up',
    (amount, decimals, text) => {
      expect(told(amount, decimals)).toBe(text);
    },
  );

  it('is not told where decimals are unknown', () => {
    expect(told(1n, null)).toBeNull();
  });

  it('is native in ether', () => {
    expect(
      labelFormat(new Map(), {
        entities: new Map(),
        protocols: new Map(),
        protocolAt: new Map(),
        prepared,
        knownTokens: new Map(),
        addressBook: { text: '' },
      }).amount(NATIVE, 15n * 10n ** 17n),
    ).toBe('1.5 ETH');
  });
});

describe('the name of an account', () => {
  const rulebook = shippedRules();
  const { name } = labelFormat(new Map(), rulebook);

  it('is the name of the protocol that made it: this Settler of 0x is listed by its deployer alone', () => {
    expect(name('0x0d0e364aa7852291883c162b22d6d81f6355428f')).toBe('0x protocol');
  });

  it('is not the name of a deployer that makes any code for anybody', () => {
    const [clones] = rulebook.protocols.get('beefy')!.created;
    expect(name(createdAddress(clones!, 1))).toBeNull();
  });
});
