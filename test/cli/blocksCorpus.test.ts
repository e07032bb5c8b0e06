// Recorded mainnet blocks, where they lie beside the repository: every report out of a block is that of its hash.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonText } from '../../src/lib/reportJson.ts';
import type { Hash } from '../../src/model/hex.ts';
import { createAnalyze, type AnalyzerDeps } from '../../src/service/analyzer.ts';
import { createAnalyzeBlock } from '../../src/service/analyzeBlock.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { resolveBlocks } from '../../src/stages/1-fetch/block/resolveBlocks.ts';
import { createUpstream, type Upstream } from '../../src/stages/1-fetch/rpc/upstream.ts';
import { createReportValidator } from '../../src/stages/9-report/reportValidator.ts';
import {
  REPLAY_AVAILABLE,
  recordedBlocks,
  recordings,
  startReplayNode,
  warnIfAbsent,
  type ReplayNode,
} from '../support/replayNode.ts';

const FILES = ['whole-blocks.ndjson.gz', 'block-10m.ndjson.gz', 'mev-blocks.ndjson.gz'];
warnIfAbsent('whole blocks over recorded transactions');

describe.skipIf(!REPLAY_AVAILABLE).each(['geth', 'parity'] as const)(
  'whole blocks from a %s node',
  (dialect) => {
    let node: ReplayNode;
    let upstream: Upstream;
    let deps: AnalyzerDeps;
    beforeAll(async () => {
      node = await startReplayNode({ dialect, files: FILES });
      upstream = createUpstream({
        rpcUrls: [node.url],
        traceUrl: null,
        priceApiUrl: null,
        rpcTimeoutMs: 60_000,
        rpcRetries: 0,
        deadlineMs: 600_000,
        maxResponseBytes: 1 << 30,
        rpcMaxBatch: 1_000,
      });
      const rulebook = loadRules();
      deps = { upstream, rulebook: () => rulebook, validate: createReportValidator(), maxTokens: 2_000 };
    });
    afterAll(async () => {
      await upstream?.close();
      await node?.close();
    });
    const options = () => ({ signal: new AbortController().signal, deadlineAt: performance.now() + 600_000 });

    it('are the reports of their transactions, byte for byte, at no more than four requests each', async () => {
      const numbers = recordedBlocks(FILES);
      const single = createAnalyze(deps);
      const analyzeBlock = createAnalyzeBlock(deps, { intents: null, addresses: null }, () => {});
      let transactions = 0;
      const recorded = recordings(FILES);
      const unsound = new Set(recorded.flatMap(({ hash, sound }) => (sound ? [] : [hash])));
      const ids = await resolveBlocks(upstream.open(options()), numbers);
      for (const id of ids) {
        let requests = 0;
        const found = await analyzeBlock(id!, { ...options(), onCall: () => requests++ });
        // A refused record is asked for again before it is given up.
        if (found.failures.length === 0) expect(requests).toBeLessThanOrEqual(4);
        expect(found.failures.map(({ tx_hash: hash }) => hash).filter((hash) => !unsound.has(hash))).toEqual(
          [],
        );
        expect(found.reports).toHaveLength(found.transactions - found.failures.length);
        transactions += found.transactions;
        for (const report of found.reports) {
          const { hash } = (JSON.parse(report) as { tx: { hash: Hash } }).tx;
          const { json } = await single(hash, options());
          if (report !== jsonText(json)) expect.fail(`${hash} differs`);
        }
      }
      expect(transactions).toBe(recorded.length);
      expect(recorded.length).toBeGreaterThan(3_000);
    }, 600_000);
  },
);
