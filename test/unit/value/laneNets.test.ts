import fc from 'fast-check';
import { expect, it } from 'vitest';
import { account, valueFlow, WRAPPED, wrappedId } from '../../support/builders.ts';
import { erc20Id, NATIVE_ASSET, nftId } from '../../../src/value/asset.ts';
import { laneNets, sidesOf, sidesOfAccount } from '../../../src/value/laneNets.ts';
import { passThroughAccounts } from '../../../src/value/lanes.ts';
import type { Movement } from '../../../src/model/valueFlow.ts';

const HOLDERS = ['01', '02', '03', '04'].map(account);
const ASSETS = [NATIVE_ASSET, wrappedId, erc20Id(account('a0')), nftId('erc721', account('a1'), 7n)];
const wrappedNative = new Set([WRAPPED]);

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

it('reads off a ledger which way value went, as the net lanes tell it', () => {
  fc.assert(
    fc.property(flows, (flow) => {
      for (const holder of flow.ledgers.keys())
        expect(sidesOfAccount(flow, wrappedNative, holder)).toBe(
          sidesOf(laneNets(flow, wrappedNative, new Set([holder]))),
        );
    }),
  );
});

it('sums up what crosses the border of a group, and nothing of what stays inside', () => {
  fc.assert(
    fc.property(flows, (flow) => {
      expect(laneNets(flow, wrappedNative, new Set(flow.ledgers.keys()))).toEqual([]);
      for (const { inflow, outflow, net, incoming, outgoing } of laneNets(
        flow,
        wrappedNative,
        new Set([HOLDERS[0]!, HOLDERS[1]!]),
      )) {
        const total = (list: readonly Movement[]): bigint =>
          list.reduce((sum, { amount }) => sum + amount, 0n);
        expect([total(incoming), total(outgoing), inflow - outflow]).toEqual([inflow, outflow, net]);
        for (const list of [incoming, outgoing])
          expect(list.map(({ index }) => index)).toEqual(
            list.map(({ index }) => index).sort((a, b) => a - b),
          );
      }
    }),
  );
});

it('knows who passed on all of every lane, native and wrapped native being one', () => {
  fc.assert(
    fc.property(flows, (flow) => {
      const passing = passThroughAccounts(flow, wrappedNative);
      for (const [holder, ledger] of flow.ledgers) {
        const kept = new Map<string, bigint>();
        for (const [asset, { inflow, outflow }] of ledger) {
          const lane = asset === wrappedId ? NATIVE_ASSET : asset;
          kept.set(lane, (kept.get(lane) ?? 0n) + inflow - outflow);
        }
        expect(passing.has(holder)).toBe([...kept.values()].every((amount) => amount === 0n));
      }
    }),
  );
});
