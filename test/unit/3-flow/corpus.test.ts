import { describe, expect, it } from 'vitest';
import type { CanonicalTx } from '../../../src/model/canonicalTx.ts';
import { buildValueFlow } from '../../../src/stages/3-flow/buildValueFlow.ts';
import { readBlockHeader } from '../../../src/evm/blockHeader.ts';
import {
  canonicalOf,
  comparable,
  CORPUS,
  hasCorpus,
  readCorpus,
  unbalanced,
  unreconciled,
} from './corpus.ts';

const rules = {
  wrappedNative: new Set(['0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'] as const),
  tokenEvents: new Map(),
};

/** Least number of logs whose inferred frame may be named, in percent, where the record's own placement is exact. */
const CLAIMED = { 'whole-blocks': 90 } as Record<string, number>;

describe.skipIf(!hasCorpus)('recorded mainnet transactions', () => {
  for (const name of CORPUS) {
    it(name, () => {
      const records = readCorpus(name);
      const wrong: string[] = [];
      const count = { reconciled: 0, logs: 0, claimed: 0 };
      for (const record of records) {
        const tx = canonicalOf(record, 'call_tracer');
        const other = canonicalOf(record, 'parity');
        expect(readBlockHeader(record.rpc.block, tx).number).toBe(tx.blockNumber);
        const common = (one: CanonicalTx) => ({
          ...one,
          dialect: null,
          logs: one.logs.map((log) => ({ ...log, frame: null })),
          // Of the call tree alone: the dialects count the outermost call's and failed calls' gas differently.
          frames: one.frames.map((frame) => ({ ...frame, gasUsed: null })),
        });
        expect(common(other), record.id).toEqual(common(tx));

        const flow = buildValueFlow(tx, rules);
        const otherFlow = buildValueFlow(other, rules);
        expect(comparable(otherFlow), record.id).toEqual(comparable(flow));
        expect([...unbalanced(flow), ...unbalanced(otherFlow)], record.id).toEqual([]);
        if (record.rpc.prestateDiff) {
          expect(unreconciled(tx, flow, record), record.id).toEqual([]);
          count.reconciled++;
        }
        for (const [i, { frame }] of tx.logs.entries()) {
          const claimed = other.logs[i]!.frame;
          if (frame === null) continue;
          count.logs++;
          if (claimed !== null) count.claimed++;
          if (claimed !== null && claimed !== frame)
            wrong.push(`${record.id} log ${i}: claimed ${claimed}, is ${frame}`);
        }
      }
      console.log(
        `${name}: ${records.length} transactions alike in both dialects, ${count.reconciled} reconciled, frames named for ${count.claimed}/${count.logs} logs`,
      );
      expect(wrong).toEqual([]);
      expect(100 * count.claimed).toBeGreaterThanOrEqual((CLAIMED[name] ?? 0) * count.logs);
    });
  }
});
