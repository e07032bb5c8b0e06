import { describe, expect, it } from 'vitest';
import { amountsOf, sidesOf } from '../../../src/value/sides.ts';
import { account, classified, kindsWith, motif } from '../../support/builders.ts';
import type { Motif } from '../../../src/model/motif.ts';

const [OWNER, PAYER] = [account('a1'), account('a2')];
const [USD, LP] = ['eip155:1/erc20:0x01', 'eip155:1/erc20:0x02'];
const kinds = {
  motifKinds: kindsWith([
    { kind: 'add_liquidity', position: { category: 'liquidity', effect: 'increase' } },
    { kind: 'remove_liquidity', position: { category: 'liquidity', effect: 'decrease' } },
    { kind: 'borrow', position: { category: 'lending_debt', effect: 'increase' } },
    { kind: 'repay', position: { category: 'lending_debt', effect: 'decrease' } },
  ]),
};
const one = (act: Partial<Motif>): Motif => classified([motif(act)], kinds)[0]!;
const rows = (act: Partial<Motif>): unknown[] =>
  amountsOf(one(act)).map(({ asset, amount, delta, role }) => [role, asset, amount, delta]);

describe('the table of sides', () => {
  it('has what the counterparty gave and got of an act without a position', () => {
    const legs = {
      assetsOut: [{ asset: USD, amount: 5n, role: 'in' }],
      assetsIn: [{ asset: LP, amount: 3n, role: 'out' }],
    };
    expect(rows({ kind: 'swap', ...legs })).toEqual([
      ['gave', USD, 5n, -5n],
      ['got', LP, 3n, 3n],
    ]);
  });

  it('states a fee that was collected apart, and one put in again as no amount that moved', () => {
    const portions = [{ role: 'fee' as const, asset: USD, amount: 4n }];
    const taken = [{ asset: USD, amount: 100n, role: 'out' }];
    expect(rows({ kind: 'remove_liquidity', assetsIn: taken, portions })).toEqual([
      ['principal', USD, 96n, 96n],
      ['fee', USD, 4n, 4n],
    ]);
    const put = [{ asset: USD, amount: 100n, role: 'in' }];
    expect(rows({ kind: 'add_liquidity', assetsOut: put, portions })).toEqual([
      ['principal', USD, 100n, -104n],
      ['fee', USD, 0n, 4n],
    ]);
  });

  it('owes the fee of a loan on top of the amount received', () => {
    const lent = [{ asset: USD, amount: 100n, role: 'out' }];
    const portions = [{ role: 'fee' as const, asset: USD, amount: 1n }];
    expect(rows({ kind: 'borrow', assetsIn: lent, portions })).toEqual([
      ['debt', USD, 100n, 101n],
      ['fee', USD, 0n, -1n],
    ]);
  });

  it('gives a debt paid with shares to its owner, and the shares to their payer', () => {
    const act = one({
      kind: 'repay',
      participants: [
        { role: 'owner', account: OWNER },
        { role: 'payer', account: PAYER },
      ],
      assetsOut: [
        { asset: USD, amount: 7n, role: 'debt_share_in' },
        { asset: LP, amount: 7n, role: 'share_in' },
      ],
    });
    const sides = sidesOf(act);
    expect(sides.map(({ owner, position, amounts }) => [owner, position?.category, amounts.length])).toEqual([
      [OWNER, 'lending_debt', 1],
      [PAYER, 'lending_supply', 1],
    ]);
    expect(Object.isFrozen(sides)).toBe(true);
    expect(sidesOf(act)).toBe(sides);
  });
});
