import { afterEach, describe, expect, it } from 'vitest';
import { jsonText } from '../../../src/lib/reportJson.ts';
import type { Hash } from '../../../src/model/hex.ts';
import { createAnalyze, type AnalyzerDeps } from '../../../src/service/analyzer.ts';
import { createAnalyzeBlock } from '../../../src/service/analyzeBlock.ts';
import { loadRules } from '../../../src/service/loadRules.ts';
import { createUpstream, type Upstream } from '../../../src/stages/1-fetch/rpc/upstream.ts';
import { createReportValidator } from '../../../src/stages/9-report/reportValidator.ts';
import { RECORDINGS, startRecordedNode } from '../../cli/recordedNode.ts';
import type { FakeNode } from '../../support/fakeNode.ts';

const rulebook = loadRules();
const validate = createReportValidator();
const recording = RECORDINGS.find(({ name }) => name === 'swap-v3-two-hops')!;
const id = {
  number: BigInt(recording.rpc.block.number),
  hash: recording.rpc.block.hash as Hash,
};

let node: FakeNode;
let upstream: Upstream;
afterEach(async () => {
  await upstream.close();
  await node.close();
});

async function start(maxResponseBytes = 1 << 26): Promise<AnalyzerDeps> {
  node = await startRecordedNode();
  upstream = createUpstream({
    rpcUrls: [node.url],
    traceUrl: null,
    priceApiUrl: null,
    rpcTimeoutMs: 10_000,
    rpcRetries: 0,
    deadlineMs: 20_000,
    maxResponseBytes,
    rpcMaxBatch: 1_000,
  });
  return { upstream, rulebook: () => rulebook, validate, maxTokens: 2_000 };
}
const options = () => ({ signal: new AbortController().signal, deadlineAt: performance.now() + 20_000 });
const ALL = { intents: null, addresses: null };

describe('a whole block', () => {
  it('takes two requests and gives the report of each of its transactions', async () => {
    const deps = await start();
    const found = await createAnalyzeBlock(deps, ALL, () => {})(id, options());
    expect(node.requests.map(([first]) => first)).toEqual(['eth_getBlockByHash', 'eth_getBlockByNumber']);
    const { json } = await createAnalyze(deps)(recording.hash as Hash, options());
    expect(found).toEqual({
      reports: [jsonText(json)],
      failures: [],
      indexes: [0],
      findings: [],
      transactions: 1,
    });
  });

  it('is asked in pieces where its answer is too large', async () => {
    const sizes = [recording.rpc.block, recording.rpc.receipt, recording.rpc.callTracer].map(
      (part) => JSON.stringify(part).length,
    );
    // Each piece fits, all of them together do not.
    const deps = await start(Math.max(...sizes) + 4_000);
    const notes: string[] = [];
    const found = await createAnalyzeBlock(deps, ALL, (note) => notes.push(note))(id, options());
    expect(notes).toEqual([
      'the node does not answer a whole block at once: asking for its parts one by one',
    ]);
    expect(found.failures).toEqual([]);
    expect(found.reports).toHaveLength(1);
    expect(node.requests.map((calls) => calls.join())).toEqual(
      expect.arrayContaining(['eth_getTransactionReceipt', 'debug_traceTransaction']),
    );
  });

  it('that was replaced while it was read is an error, never a mixture', async () => {
    const deps = await start();
    const header = node.handlers['eth_getBlockByNumber']!;
    node.handlers['eth_getBlockByNumber'] = (params) => ({
      ...(header(params) as object),
      hash: `0x${'77'.repeat(32)}`,
    });
    const found = await createAnalyzeBlock(deps, ALL, () => {})(id, options());
    expect(found).toMatchObject({
      reports: [],
      failures: [{ tx_hash: recording.hash, code: 'inconsistent_upstream' }],
    });
  });

  it('whose receipts are of another block is an error too', async () => {
    const deps = await start();
    node.handlers['eth_getBlockReceipts'] = () => [
      { ...(recording.rpc.receipt as object), blockHash: `0x${'77'.repeat(32)}` },
    ];
    node.handlers['eth_getTransactionReceipt'] = () => ({
      ...(recording.rpc.receipt as object),
      blockHash: `0x${'77'.repeat(32)}`,
    });
    const found = await createAnalyzeBlock(deps, ALL, () => {})(id, options());
    expect(found).toMatchObject({ reports: [], failures: [{ code: 'inconsistent_upstream' }] });
  });
});

describe('a whole block of a node whose answers have a wrong shape', () => {
  const { receipt, block } = recording.rpc as unknown as Record<string, Record<string, unknown>>;
  const whole = { ...block, transactions: [recording.rpc.tx] };
  it.each<[string, string[], unknown]>([
    ['the block is a text', ['eth_getBlockByHash'], 'block'],
    ['the block has no transactions', ['eth_getBlockByHash'], { ...whole, transactions: null }],
    ['a transaction is a text', ['eth_getBlockByHash'], { ...whole, transactions: ['0x'] }],
    [
      'a transaction has a text for a value',
      ['eth_getBlockByHash'],
      { ...whole, transactions: [{ ...(recording.rpc.tx as object), value: 'much' }] },
    ],
    ['a receipt has a text for logs', ['eth_getBlockReceipts'], [{ ...receipt, logs: 'none' }]],
    ['a receipt has no gas', ['eth_getBlockReceipts'], [{ ...receipt, gasUsed: 'much' }]],
    ['a trace is a text', ['debug_traceBlockByHash'], [{ txHash: recording.hash, result: 'trace' }]],
    ['a trace is empty', ['debug_traceBlockByHash'], [{ txHash: recording.hash, result: {} }]],
    ['the header has no time', ['eth_getBlockByNumber'], { ...block, timestamp: 'noon' }],
    ['the header has no miner', ['eth_getBlockByNumber'], { ...block, miner: 'nobody' }],
  ])('is asked of another node: %s', async (_, methods, wrong) => {
    const deps = await start();
    const expected = await createAnalyzeBlock(deps, ALL, () => {})(id, options());
    expect(expected.failures).toEqual([]);
    const good = node;
    const bad = await startRecordedNode();
    try {
      const alone: Record<string, string> = {
        eth_getBlockByHash: 'eth_getTransactionByHash',
        eth_getBlockReceipts: 'eth_getTransactionReceipt',
        debug_traceBlockByHash: 'debug_traceTransaction',
      };
      for (const method of methods) {
        bad.handlers[method] = () => wrong;
        // The same fault where it is asked for the transaction alone.
        const single = alone[method];
        if (single)
          bad.handlers[single] = () =>
            Array.isArray(wrong) ? ((wrong[0] as { result?: unknown }).result ?? wrong[0]) : 'wrong';
      }
      await upstream.close();
      upstream = createUpstream({
        rpcUrls: [bad.url, good.url],
        rpcTimeoutMs: 10_000,
        rpcRetries: 2,
        deadlineMs: 20_000,
        maxResponseBytes: 1 << 26,
        rpcMaxBatch: 1_000,
      });
      const found = await createAnalyzeBlock({ ...deps, upstream }, ALL, () => {})(id, options());
      expect(found).toEqual(expected);
    } finally {
      await bad.close();
    }
  });
});
