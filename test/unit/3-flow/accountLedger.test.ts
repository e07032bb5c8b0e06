import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AccountLedger } from '../../../src/stages/3-flow/accountLedger.ts';
import type { Address } from '../../../src/model/hex.ts';
import type { AssetId, LedgerEntry } from '../../../src/model/valueFlow.ts';

const ASSETS = [
  'eip155:1/slip44:60',
  `eip155:1/erc20:0x${'11'.repeat(20)}`,
  `eip155:1/erc20:0x${'22'.repeat(20)}`,
] as AssetId[];

/** A ledger kept plainly: a map of lanes and two lists. */
function plainly(moves: readonly Move[]): {
  lanes: Map<AssetId, LedgerEntry>;
  outgoing: number[];
  incoming: number[];
} {
  const lanes = new Map<AssetId, LedgerEntry>();
  const [outgoing, incoming]: [number[], number[]] = [[], []];
  moves.forEach(({ gives, asset, amount }, index) => {
    const entry = lanes.get(asset) ?? { inflow: 0n, outflow: 0n, movements: [] };
    lanes.set(asset, entry);
    entry.movements.push(index);
    entry[gives ? 'outflow' : 'inflow'] += amount;
    (gives ? outgoing : incoming).push(index);
  });
  return { lanes, outgoing, incoming };
}

interface Move {
  readonly gives: boolean;
  readonly asset: AssetId;
  readonly amount: bigint;
}

const moves = fc.array(
  fc.record({
    gives: fc.boolean(),
    asset: fc.constantFrom(...ASSETS),
    amount: fc.bigInt({ min: 1n, max: 100n }),
  }),
  { maxLength: 8 },
);

describe('AccountLedger', () => {
  it('tells what a plain ledger of lanes and two lists does, in the same order', () => {
    fc.assert(
      fc.property(moves, (made) => {
        const ledger = new AccountLedger(`0x${'aa'.repeat(20)}` as Address);
        made.forEach(({ gives, asset, amount }, index) =>
          gives ? ledger.give(asset, amount, index) : ledger.take(asset, amount, index),
        );
        const expected = plainly(made);
        expect([...ledger]).toEqual([...expected.lanes]);
        expect([...ledger.keys()]).toEqual([...expected.lanes.keys()]);
        expect([...ledger.values()]).toEqual([...expected.lanes.values()]);
        expect(ledger.size).toBe(expected.lanes.size);
        for (const asset of ASSETS) expect(ledger.get(asset)).toEqual(expected.lanes.get(asset));
        expect(ledger.outgoing ?? []).toEqual(expected.outgoing);
        expect(ledger.incoming ?? []).toEqual(expected.incoming);
      }),
      { numRuns: 1_000, seed: 1 },
    );
  });
});
