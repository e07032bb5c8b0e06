import { describe, expect, it } from 'vitest';
import { moves, OTHER, withHints, REWARD, says, TOKEN, USER, VENUE, ZERO, type Scene } from './scene.ts';

const HUNDRED = 100n;
const kinds = (scene: Scene): string[] => withHints(scene).map((p) => p.kind);

describe('names of functions', () => {
  it('tell what value moved for where a contract is silent', () => {
    const [exit] = withHints({
      call: ['withdraw(uint256,uint256)', [3n, HUNDRED]],
      acts: [moves(TOKEN, VENUE, USER, HUNDRED), moves(REWARD, VENUE, USER, 7n)],
    });
    expect(exit).toMatchObject({
      kind: 'unstake',
      basis: 'structure',
      roles: [{ role: 'owner', account: USER }],
    });
    expect(exit?.tags).toContain('named');
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
      const [found] = withHints({ call: [signature, values], acts: [fits] });
      expect(found).toMatchObject({ kind, basis: 'structure' });
      expect(found?.tags).toContain('named');
      expect(kinds({ call: [signature, values], acts: [not] })).not.toContain(kind);
    },
  );

  it('of a list of hashes alone: a claim, where the caller only received', () => {
    const proof = ['11', '22', '33'].map((digits) => `0x${digits.repeat(32)}`);
    const call = ['unheardOf(uint256,bytes32[])', [HUNDRED, proof]] as const;
    expect(kinds({ call, acts: [moves(TOKEN, VENUE, USER, HUNDRED)] })).toEqual(['claim']);
    expect(kinds({ call, acts: [moves(TOKEN, USER, VENUE, HUNDRED)] })).toEqual([]);
  });
});

describe('words of events', () => {
  const AMOUNT = 5_000n;
  // In the tables of signatures, and in no shape.
  const STAKED = 'TokensStaked(address indexed user, uint256 amount)';
  const CLAIMED = 'AllyRewardsClaimed(address indexed ally, uint256 amountToken)';

  it('count where the amount they state moved, and name whose act it is', () => {
    const [found] = withHints({
      acts: [moves(TOKEN, USER, VENUE, AMOUNT), says(VENUE, STAKED, [USER, AMOUNT])],
    });
    expect(found).toMatchObject({ kind: 'stake', venue: VENUE });
    expect(found?.roles).toContainEqual({ role: 'owner', account: USER });
    expect(found?.legs[0]).toMatchObject({ role: 'in', amount: AMOUNT, account: USER });
    expect(found?.tags).toContain('structural');
  });

  it('do not count at a contract that has no part in the payment', () => {
    const bystander = says(OTHER, STAKED, [USER, AMOUNT]);
    expect(kinds({ acts: [moves(TOKEN, USER, VENUE, AMOUNT), bystander] })).toEqual([]);
  });

  it('do not make a claim of what others are paid', () => {
    const paid = says(VENUE, CLAIMED, [OTHER, AMOUNT]);
    expect(kinds({ acts: [moves(TOKEN, VENUE, OTHER, AMOUNT), paid] })).toEqual([]);
  });
});
