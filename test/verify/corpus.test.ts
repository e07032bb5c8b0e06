// Every claim about recorded mainnet transactions, re-derived without the code that made it.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRuleFacts } from '../../src/tools/verify/ruleFacts.ts';
import { analyzeRaw } from '../../src/analyze.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { verifyReport } from '../../src/tools/verify/verifyReport.ts';
import { CORPUS, hasCorpus, readCorpus } from '../unit/3-flow/corpus.ts';

describe.skipIf(!hasCorpus)('reports of recorded mainnet transactions', () => {
  const rulebook = loadRules();
  const rules = readRuleFacts([join(import.meta.dirname, '../../rules')]);

  it.each(CORPUS)('hold in both dialects: %s', async (name) => {
    const unborne: string[] = [];
    for (const { hash, rpc } of readCorpus(name)) {
      const { tx, receipt, block, callTracer, trace, prestateDiff } = rpc;
      for (const raw of [
        { dialect: 'call_tracer', result: callTracer },
        { dialect: 'parity', result: trace },
      ] as const) {
        const report = await analyzeRaw(
          { hash, tx, receipt, trace: raw },
          { block, tokens: new Map(), prices: [], rates: [], refusals: [], delegations: new Map() },
          rulebook,
        );
        // The logs of mev-blocks were made from calls: they are not those of the receipts' bloom filters.
        for (const { at, message } of verifyReport(
          report,
          {
            tx,
            receipt,
            block,
            callTracer,
            parityTrace: trace,
            prestateDiff,
          },
          rules,
        ))
          if (name !== 'mev-blocks' || !message.includes('bloom filter'))
            unborne.push(`${hash} ${raw.dialect} ${at}: ${message}`);
      }
    }
    expect(unborne).toEqual([]);
  });
});
