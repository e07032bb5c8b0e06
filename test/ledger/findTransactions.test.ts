import { expect, it } from 'vitest';
import { findTransactions } from '../../src/tools/ledger/openChain.ts';

const ACCOUNT = '0x00000000000000000000000000000000000000A1';

it('halves all changed ranges together: a request group per step, however many blocks changed', async () => {
  const asked: (readonly number[])[] = [];
  const own: number[] = [];
  const { blocks, unseen } = await findTransactions(
    {
      // Neither logs nor traces: only the states of blocks tell.
      ranged: () => Promise.resolve(null),
      statesOf: (_, of) => {
        asked.push(of);
        return Promise.resolve(of.map((block) => [BigInt(block), 0n] as const));
      },
      send: (calls) => {
        own.push(calls.length);
        return Promise.resolve(calls.map(() => ({ ok: true, result: { transactions: [] } }) as never));
      },
    },
    [ACCOUNT],
    [1, 32],
  );
  expect(blocks).toEqual(Array.from({ length: 32 }, (_, i) => i + 1));
  expect(asked.map(({ length }) => length)).toEqual([2, 1, 2, 4, 8, 16]);
  expect(own).toHaveLength(32);
  expect(unseen).not.toContain(`ether of ${ACCOUNT}: the node has neither trace_filter nor old state`);
});
