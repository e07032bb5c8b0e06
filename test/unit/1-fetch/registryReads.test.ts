import { toFunctionSelector } from 'viem';
import { describe, expect, it } from 'vitest';
import {
  planRegistries,
  readRegistries,
  registryCalls,
} from '../../../src/stages/1-fetch/context/registryReads.ts';
import { says, shippedRules, TOKEN, USER, VENUE } from '../rules-content/scene.ts';
import type { Log } from '../../../src/model/canonicalTx.ts';
import type { Address, Hex } from '../../../src/model/hex.ts';

const rules = shippedRules();
const DEPOSIT = 'Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)';
/** Published by docs.morpho.org: the factories of its vaults. */
const FACTORIES: readonly Address[] = [
  '0xa9c3d3a366466fa809d1ae982fb2c46e5fc41101',
  '0x1897a8997241c1cd4bd0698647e4eb7213535c24',
];
const YES: Hex = `0x${'1'.padStart(64, '0')}`;
const NO: Hex = `0x${'0'.repeat(64)}`;

function logAt(at: Address): Log {
  const act = says(at, DEPOSIT, [USER, USER, 10n, 9n]);
  return ('log' in act ? act.log : null) as Log;
}
const plan = (logs: readonly Log[], blockNumber = 23_000_000n) =>
  planRegistries({ to: null, input: '0x', logs, blockNumber }, rules);
const answersTo = (calls: readonly { to: Address }[], yes: readonly Address[]): Hex[] =>
  calls.map(({ to }) => (yes.includes(to) ? YES : NO));

describe('registries in the second round trip', () => {
  it('are asked about unknown contracts that speak their protocols’ words', () => {
    const calls = registryCalls(plan([logAt(VENUE)]));
    for (const factory of FACTORIES)
      expect(calls).toContainEqual({
        to: factory,
        data: toFunctionSelector('isMetaMorpho(address)') + VENUE.slice(2).padStart(64, '0'),
        apart: 'registries',
      });
  });

  it('a contract is never asked about itself: what it says of its factory counts for nothing', () => {
    for (const { to } of registryCalls(plan([logAt(VENUE)]))) expect(to).not.toBe(VENUE);
  });

  it('a contract that its registry lists is known; one that none lists stays a stranger', () => {
    const asked = plan([logAt(VENUE), logAt(TOKEN)]);
    const calls = registryCalls(asked);
    const listed = calls.map(({ to, data }) =>
      to === FACTORIES[0] && data.endsWith(VENUE.slice(2)) ? YES : NO,
    );
    expect(readRegistries(asked, listed)).toEqual(new Map([[VENUE, 'metamorpho-vaults']]));
    expect(readRegistries(asked, answersTo(calls, []))).toEqual(new Map());
    expect(
      readRegistries(
        asked,
        calls.map(() => null),
      ),
    ).toEqual(new Map());
    expect(
      readRegistries(
        asked,
        calls.map((): Hex => '0x01'),
      ),
    ).toEqual(new Map());
  });

  it('are not asked before they existed, nor about contracts the rules know', () => {
    expect(plan([logAt(VENUE)], 12_000_000n).reads).toEqual([]);
    expect(plan([logAt('0xa3931d71877c0e7a3148cb7eb4463524fec27fbd')]).reads).toEqual([]);
  });

  it('a transaction of many strangers is cut, and says so', () => {
    const many = Array.from({ length: 60 }, (_, i) => logAt(`0x${String(i).padStart(40, '7')}`));
    const { reads, cut } = plan(many);
    expect([reads.length, cut]).toEqual([40, true]);
  });
});
