import fc from 'fast-check';
import { expect, it } from 'vitest';
import { account, valueFlow, wrappedId } from '../../support/builders.ts';
import { erc20Id, NATIVE_ASSET, nftId } from '../../../src/value/asset.ts';
import { ZERO_ADDRESS } from '../../../src/evm/hex.ts';
import { carriersOf, issuersOf } from '../../../src/value/parties.ts';
import type { Address } from '../../../src/model/hex.ts';

const HOLDERS = ['01', '02', '03', '04'].map(account);
const ASSETS = [NATIVE_ASSET, wrappedId, erc20Id(account('a0')), nftId('erc721', account('a1'), 7n)];

/** Movements among few holders. */
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

it('takes for carriers who passed on all of every asset, native and wrapped native being one', () => {
  fc.assert(
    fc.property(flows, (flow) => {
      const passing = carriersOf(flow);
      for (const [holder, ledger] of flow.ledgers) {
        const kept = new Map<string, bigint>();
        for (const [asset, { inflow, outflow }] of ledger) {
          const id = asset === wrappedId ? NATIVE_ASSET : asset;
          kept.set(id, (kept.get(id) ?? 0n) + inflow - outflow);
        }
        expect(passing.has(holder)).toBe([...kept.values()].every((amount) => amount === 0n));
      }
    }),
  );
});

it('takes no contract for a carrier that issued shares for what it passed on', () => {
  const [user, vault, market] = [HOLDERS[0]!, HOLDERS[1]!, HOLDERS[2]!];
  const money = erc20Id(account('a0'));
  const paid = [
    { from: user, to: vault, asset: money, amount: 5n },
    { from: vault, to: market, asset: money, amount: 5n },
  ];
  expect([...carriersOf(valueFlow(paid))]).toEqual([vault]);
  const shares = { kind: 'mint', from: ZERO_ADDRESS, to: user, asset: erc20Id(vault), amount: 5n } as const;
  const issued = valueFlow([...paid, shares]);
  expect(carriersOf(issued).size).toBe(0);
  expect([...issuersOf(issued).keys()]).toEqual([vault]);
});

it('takes no token for a carrier that sells the tax it took', () => {
  const [user, token, pool, treasury] = HOLDERS as [Address, Address, Address, Address];
  const sale = [
    { from: user, to: token, asset: erc20Id(token), amount: 9n },
    { from: token, to: pool, asset: erc20Id(token), amount: 9n },
    { from: pool, to: token, asset: NATIVE_ASSET, amount: 2n },
    { from: token, to: treasury, asset: NATIVE_ASSET, amount: 2n },
  ];
  expect(carriersOf(valueFlow(sale)).has(token)).toBe(false);
});
