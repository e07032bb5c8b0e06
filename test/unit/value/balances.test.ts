import fc from 'fast-check';
import { expect, it } from 'vitest';
import { account, valueFlow, wrappedId } from '../../support/builders.ts';
import { erc20Id, NATIVE_ASSET, nftId } from '../../../src/value/asset.ts';
import { balances } from '../../../src/value/balances.ts';
import type { Movement } from '../../../src/model/valueFlow.ts';

const HOLDERS = ['01', '02', '03', '04'].map(account);
const ASSETS = [NATIVE_ASSET, wrappedId, erc20Id(account('a0')), nftId('erc721', account('a1'), 7n)];

/** Movements among few holders, of amounts that differ by as little as rounding does. */
const flows = fc
  .array(
    fc.record({
      from: fc.constantFrom(...HOLDERS),
      to: fc.constantFrom(...HOLDERS),
      asset: fc.constantFrom(...ASSETS),
      amount: fc.constantFrom(1n, 5n, 11n, 1000n, 10n ** 9n, 10n ** 9n + 11n),
    }),
    { maxLength: 16 },
  )
  .map((list) => valueFlow(list.filter(({ from, to }) => from !== to)));

it('agrees with the double-entry ledger of each account', () => {
  fc.assert(
    fc.property(flows, (flow) => {
      for (const [holder, ledger] of flow.ledgers) {
        const own = balances(flow, holder, { apart: true });
        expect([...own.keys()]).toEqual([...ledger.keys()]);
        for (const [id, { inflow, outflow }] of ledger)
          expect(own.get(id)).toMatchObject({ received: inflow, sent: outflow, net: inflow - outflow });
      }
    }),
  );
});

it('counts wrapped native as native, and drops what rounding leaves behind, only when asked to', () => {
  const [a, b] = [HOLDERS[0]!, HOLDERS[1]!];
  const flow = valueFlow([
    { from: a, to: b, asset: NATIVE_ASSET, amount: 1000n },
    { from: b, to: a, asset: wrappedId, amount: 1005n },
  ]);
  expect([...balances(flow, a, { apart: true }).keys()]).toEqual([NATIVE_ASSET, wrappedId]);
  const merged = balances(flow, a);
  expect([...merged.values()]).toMatchObject([{ id: NATIVE_ASSET, sent: 1000n, received: 1005n, net: 5n }]);
  expect(balances(flow, a, { dust: 'drop' }).size).toBe(0);
  expect(balances(flow, a, { apart: true, exclude: ({ asset }) => asset === wrappedId }).size).toBe(1);
});

it('sums up what crosses the border of a group, and nothing of what stays inside', () => {
  fc.assert(
    fc.property(flows, (flow) => {
      expect(balances(flow, new Set(flow.ledgers.keys())).size).toBe(0);
      const group = new Set([HOLDERS[0]!, HOLDERS[1]!]);
      for (const { received, sent, net, incoming, outgoing } of balances(flow, group).values()) {
        const total = (list: readonly Movement[]): bigint =>
          list.reduce((sum, { amount }) => sum + amount, 0n);
        expect([total(incoming), total(outgoing), received - sent]).toEqual([received, sent, net]);
        for (const list of [incoming, outgoing])
          expect(list.map(({ index }) => index)).toEqual(
            list.map(({ index }) => index).sort((a, b) => a - b),
          );
      }
    }),
  );
});
