import { expect, it } from 'vitest';
import { account, motif, valueFlow, WRAPPED, wrappedId } from '../../support/builders.ts';
import { ZERO_ADDRESS } from '../../../src/evm/hex.ts';
import { erc20Id, NATIVE_ASSET } from '../../../src/value/asset.ts';
import { movedBetween } from '../../../src/stages/7-intent/labelWords.ts';

it('counts ether that is wrapped on the way once among the amounts that moved', () => {
  const [keeper, pool] = [account('01'), account('02')];
  const wrapped = valueFlow([
    { from: keeper, to: WRAPPED, asset: NATIVE_ASSET, amount: 7n },
    { kind: 'wrap', from: ZERO_ADDRESS, to: keeper, asset: wrappedId, amount: 7n },
    { from: keeper, to: pool, asset: wrappedId, amount: 7n },
  ]);
  const moved = movedBetween({ flow: wrapped, venues: new Map() });
  expect(moved.map(({ id, amount }) => [id, amount])).toEqual([[NATIVE_ASSET, 7n]]);
});

it('counts nothing that only venues passed each other', () => {
  const [keeper, first, second] = [account('01'), account('02'), account('03')];
  const flow = valueFlow([
    { from: keeper, to: first, asset: erc20Id(account('a1')), amount: 5n },
    { from: first, to: second, asset: erc20Id(account('a2')), amount: 6n },
    { from: second, to: keeper, asset: erc20Id(account('a3')), amount: 7n },
  ]);
  const pool = motif({});
  const moved = movedBetween({
    flow,
    venues: new Map([
      [first, pool],
      [second, pool],
    ]),
  });
  expect(new Set(moved.map(({ amount }) => amount))).toEqual(new Set([5n, 7n]));
});
