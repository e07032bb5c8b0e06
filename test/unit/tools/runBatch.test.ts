import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runBatch, type BatchJob, type Failed } from '../../../src/tools/cli/batch/runBatch.ts';
import { countFailures } from '../../../src/tools/cli/batch/guards.ts';

async function* upTo(count: number): AsyncGenerator<number> {
  for (let i = 0; i < count; i++) yield i;
}

/** Units whose analysis takes the longer the earlier they come. */
function job(written: number[], over: Partial<BatchJob<number, number>>): BatchJob<number, number> {
  return {
    units: upTo(8),
    atOnce: 4,
    ordered: true,
    analyze: async (unit) => {
      await sleep(40 - 5 * unit);
      return unit;
    },
    take: async (_, result) => {
      written.push(result);
      return false;
    },
    progress: () => ({ done: 0, total: null, figures: [], leftMs: 0, failed: 0 }),
    close: async () => ({ open: 0, refused: 0 }),
    summary: () => '',
    ...over,
  };
}

const run = (over: Partial<BatchJob<number, number>>, request = {}, written: number[] = []) =>
  runBatch({ giveUpAfter: 0, quiet: true, ...request }, undefined, async () => job(written, over));

describe('the runner of a batch', () => {
  it('writes in order although later units are analyzed first', async () => {
    const written: number[] = [];
    expect(await run({}, {}, written)).toBe(0);
    expect(written).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('writes each as it is done where order does not matter', async () => {
    const written: number[] = [];
    await run({ ordered: false }, {}, written);
    expect(written.slice(0, 4)).not.toEqual([0, 1, 2, 3]);
    expect([...written].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('writes nothing after a unit that could not be written', async () => {
    const written: number[] = [];
    const take = async (_: number, result: number): Promise<boolean> => {
      if (result === 2) throw new Error('disk full');
      written.push(result);
      return false;
    };
    await expect(run({ take })).rejects.toThrow('disk full');
    await sleep(80);
    expect(written).toEqual([0, 1]);
  });

  it('gives up after failures of the node in a row', async () => {
    let taken = 0;
    const take = async (): Promise<boolean> => (taken++, true);
    expect(await run({ units: upTo(1_000), analyze: async (unit) => unit, take }, { giveUpAfter: 3 })).toBe(
      1,
    );
    expect(taken).toBeLessThan(10);
  });

  it.each([
    [{ open: 0, refused: 2 }, false, 0],
    [{ open: 0, refused: 2 }, true, 1],
    [{ open: 1, refused: 0 }, false, 1],
  ])('ends with the status of %j, strict: %j', async (failed: Failed, strict, code) => {
    expect(await run({ close: async () => failed }, { strict })).toBe(code);
  });

  it('counts as refused what no further run can mend; a block that was replaced is none', () => {
    const failed = (code: string, tx_hash: string | null = '0x1') => ({ tx_hash, code });
    const failures = [
      failed('inconsistent_upstream'),
      failed('receipt_malformed'),
      failed('inconsistent_upstream', null),
      failed('upstream_timeout'),
      failed('internal'),
    ];
    expect(countFailures(failures)).toEqual({ open: 3, refused: 2 });
  });
});
