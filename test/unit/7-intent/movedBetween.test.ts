import { expect, it } from 'vitest';
import { account, valueFlow, WRAPPED, wrappedId } from '../../support/builders.ts';
import { ZERO_ADDRESS } from '../../../src/evm/hex.ts';
import { NATIVE_ASSET } from '../../../src/value/asset.ts';
import { movedBetween } from '../../../src/stages/7-intent/labelWords.ts';

it('counts ether that is wrapped on the way once among the amounts that moved', () => {
  const [keeper, pool] = [account('01'), account('02')];
  const wrapped = valueFlow([
    { from: keeper, to: WRAPPED, asset: NATIVE_ASSET, amount: 7n },
    { kind: 'wrap', from: ZERO_ADDRESS, to: keeper, asset: wrappedId, amount: 7n },
    { from: keeper, to: pool, asset: wrappedId, amount: 7n },
  ]);
  expect(movedBetween({ flow: wrapped }).map(({ id, amount }) => [id, amount])).toEqual([[NATIVE_ASSET, 7n]]);
});
