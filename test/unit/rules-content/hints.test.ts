import { describe, expect, it } from 'vitest';
import { moves, OTHER, recognised, REWARD, says, TOKEN, USER, VENUE, ZERO, type Scene } from './scene.ts';

const HUNDRED = 100n;
const kinds = (scene: Scene): string[] => recognised(scene).map((p) => p.kind);

describe('names of functions', () => {
  it('tell what value moved for where a contract is silent', () => {
    const [exit] = recognised({ call: ['withdraw(uint256,uint256)', [3n, HUNDRED]], acts: [moves(TOKEN, VENUE, USER, HUNDRED), moves(REWARD, VENUE, USER, 7n)] });
    expect(exit).toMatchObject({ kind: 'unstake', basis: 'call', roles: [{ role: 'owner', account: USER }] });
    expect(exit?.tags).toContain('experimental');
    expect(exit?.legs.map((leg) => leg.asset)).toEqual([`eip155:1/erc20:${TOKEN}`, `eip155:1/erc20:${REWARD}`]);
  });

  it('are not heard once an event speaks', () => {
    expect(kinds({
      call: ['withdraw(uint256,uint256)', [3n, HUNDRED]],
      acts: [moves(TOKEN, VENUE, USER, HUNDRED), says(VENUE, 'Claimed(address indexed account, uint256 amount)', [USER, HUNDRED])],
    })).toEqual(['claim']);
  });

  it('are not heard where structure speaks', () => {
    expect(kinds({ call: ['deposit(uint256,uint256)', [1n, HUNDRED]], acts: [moves(TOKEN, USER, VENUE, HUNDRED), moves(VENUE, ZERO, USER, 90n)] })).toEqual(['vault_deposit']);
  });

  it('say nothing about value that went another way', () => {
    expect(kinds({ call: ['withdraw(uint256,uint256)', [3n, HUNDRED]], acts: [moves(TOKEN, USER, OTHER, HUNDRED)] })).toEqual([]);
  });
});
