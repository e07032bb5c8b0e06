import { describe, expect, it } from 'vitest';
import { moves, OTHER, recognised, ruleset, says, TOKEN, USER, VENUE } from './scene.ts';
import type { Address } from '../../../src/model/hex.ts';

// Listed in rules/protocols/curve-dao.yaml; its event is in one source alone.
const ESCROW: Address = '0x5f3b5dfeb7b28cdbd7faba78963ee202a494e2a2';
const DEPOSIT =
  'Deposit(address indexed provider, uint256 value, uint256 indexed locktime, int128 type, uint256 ts)';

/** Whether the lock counts as one of a rule on trial. */
function onTrial(at: Address, provider: Address): boolean {
  const [act, ...more] = recognised({
    to: at,
    acts: [moves(TOKEN, USER, at, 100n), says(at, DEPOSIT, [provider, 100n, 1n, 1n, 1n])],
  });
  expect([act?.kind, more]).toEqual(['stake', []]);
  return act!.tags.includes('experimental');
}

describe('an event whose signature has no second source', () => {
  it('is listed as unconfirmed', () => {
    const shape = ruleset.shapes.find(({ value }) => value.slug === 'staking-vote-escrow')!.value;
    expect(shape.unconfirmed).toContain(DEPOSIT);
  });

  it('is confirmed by the log of a listed contract, where movements agree with its arguments', () => {
    expect(onTrial(ESCROW, USER)).toBe(false);
  });

  it('stays on trial at a contract that no protocol lists', () => {
    expect(onTrial(VENUE, USER)).toBe(true);
  });

  it('stays on trial where it names an account that neither signed nor moved anything', () => {
    expect(onTrial(ESCROW, OTHER)).toBe(true);
  });
});
