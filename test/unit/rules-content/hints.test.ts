import { describe, expect, it } from 'vitest';
import { moves, OTHER, recognised, REWARD, says, TOKEN, USER, VENUE, ZERO, type Scene } from './scene.ts';

const HUNDRED = 100n;
const kinds = (scene: Scene): string[] => recognised(scene).map((p) => p.kind);

describe('names of functions', () => {
  it('tell what value moved for where a contract is silent', () => {
    const [exit] = recognised({
      call: ['withdraw(uint256,uint256)', [3n, HUNDRED]],
      acts: [moves(TOKEN, VENUE, USER, HUNDRED), moves(REWARD, VENUE, USER, 7n)],
    });
    expect(exit).toMatchObject({ kind: 'unstake', basis: 'call', roles: [{ role: 'owner', account: USER }] });
    expect(exit?.tags).toContain('experimental');
    expect(exit?.legs.map((leg) => leg.asset)).toEqual([
      `eip155:1/erc20:${TOKEN}`,
      `eip155:1/erc20:${REWARD}`,
    ]);
  });

  it('are not heard once an event speaks', () => {
    expect(
      kinds({
        call: ['withdraw(uint256,uint256)', [3n, HUNDRED]],
        acts: [
          moves(TOKEN, VENUE, USER, HUNDRED),
          says(VENUE, 'Claimed(address indexed account, uint256 amount)', [USER, HUNDRED]),
        ],
      }),
    ).toEqual(['claim']);
  });

  it('are not heard where structure speaks', () => {
    expect(
      kinds({
        call: ['deposit(uint256,uint256)', [1n, HUNDRED]],
        acts: [moves(TOKEN, USER, VENUE, HUNDRED), moves(VENUE, ZERO, USER, 90n)],
      }),
    ).toEqual(['vault_deposit']);
  });

  it('say nothing about value that went another way', () => {
    expect(
      kinds({
        call: ['withdraw(uint256,uint256)', [3n, HUNDRED]],
        acts: [moves(TOKEN, USER, OTHER, HUNDRED)],
      }),
    ).toEqual([]);
  });

  it.each([
    ['supply', 'supply(address,uint256,address,uint16)', [TOKEN, HUNDRED, USER, 0], 'in'],
    ['repay', 'repay(address,uint256,uint256,address)', [TOKEN, HUNDRED, 2n, USER], 'in'],
    ['borrow', 'borrow(address,uint256,uint256,uint16,address)', [TOKEN, HUNDRED, 2n, 0, USER], 'out'],
    ['claim', 'claim(address,uint256,address,uint256,bytes32[])', [TOKEN, 1n, USER, HUNDRED, []], 'out'],
    ['claim', 'redeemPlans(uint256[])', [[7n]], 'out'],
    ['bridge_deposit', 'depositFor(address,address,bytes)', [USER, TOKEN, '0x'], 'in'],
    [
      'bridge_withdrawal',
      'finalizeWithdrawalTransaction((uint256,address,address,uint256,uint256,bytes))',
      [[1n, USER, USER, 1n, 1n, '0x']],
      'out',
    ],
    ['stake', 'depositIntoStrategy(address,address,uint256)', [OTHER, TOKEN, HUNDRED], 'in'],
    ['unstake', 'processExpiredLocks(bool)', [false], 'out'],
  ] as const)(
    'hint at %s: %s, and at nothing where value went the other way',
    (kind, signature, values, way) => {
      const [given, taken] = [moves(TOKEN, USER, VENUE, HUNDRED), moves(TOKEN, VENUE, USER, HUNDRED)];
      const [fits, not] = way === 'in' ? [given, taken] : [taken, given];
      const [found] = recognised({ call: [signature, values], acts: [fits] });
      expect(found).toMatchObject({ kind, basis: 'call' });
      expect(found?.tags).toContain('experimental');
      // A bridge may pay out to anybody, so only the others can tell.
      if (kind !== 'bridge_withdrawal')
        expect(kinds({ call: [signature, values], acts: [not] })).not.toContain(kind);
    },
  );
});
