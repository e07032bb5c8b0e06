// Whole blocks of a node that answers in other shapes: alone the same reports or a named failure, beside another node the same reports.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AnalysisError } from '../../src/lib/errors.ts';
import type { Hash } from '../../src/model/hex.ts';
import { createAnalyzeBlock } from '../../src/service/analyzeBlock.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { createUpstream } from '../../src/stages/1-fetch/rpc/upstream.ts';
import { createReportValidator } from '../../src/stages/9-report/reportValidator.ts';
import { RECORDINGS, startRecordedNode } from '../cli/recordedNode.ts';
import type { FakeCall, FakeNode } from '../support/fakeNode.ts';
import { SHAPES } from './attackAnswers.ts';

const recording = RECORDINGS.find(({ name }) => name === 'swap-v3-two-hops')!;
const ID = { number: BigInt(recording.rpc.block.number), hash: recording.rpc.block.hash as Hash };
type Items = Record<string, unknown>[];
/** Changes to the list of what a block holds: its traces, its receipts, its transactions. */
const inList =
  (change: (items: Items) => unknown) =>
  (result: unknown): unknown => {
    const block = result as { transactions?: Items };
    return block.transactions
      ? { ...block, transactions: change(block.transactions) }
      : change(result as Items);
  };
const OTHER = `0x${'5c'.repeat(32)}`;
const LISTS: Readonly<Record<string, (result: unknown) => unknown>> = {
  'nothing in its list': inList(() => []),
  'null in place of its list': inList(() => null),
  'an object in place of its list': inList((items) => ({ ...items })),
  'a list of null': inList((items) => items.map(() => null)),
  'one more than there are': inList((items) => [...items, ...items]),
  'an entry of another transaction': inList((items) =>
    items.map((item) => ({ ...item, hash: OTHER, txHash: OTHER, transactionHash: OTHER })),
  ),
  'an entry that failed': inList((items) =>
    items.map(({ txHash, hash, transactionHash }) => ({
      txHash,
      hash,
      transactionHash,
      error: 'execution timeout',
    })),
  ),
  'an entry without anything': inList((items) => items.map(() => ({}))),
  'an entry of another block': inList((items) =>
    items.map((item) => ({ ...item, blockHash: OTHER, blockNumber: '0x1' })),
  ),
  'an entry at another place': inList((items) =>
    items.map((item) => ({ ...item, transactionIndex: '0x63' })),
  ),
};
const METHODS = ['eth_getBlockByHash', 'eth_getBlockReceipts', 'debug_traceBlockByHash'];
// Those nest deeper than this node can write.
const CHANGES = Object.entries({ ...SHAPES, ...LISTS }).filter(
  ([name]) => !/^nested|lists in lists/.test(name),
);

const rulebook = loadRules();
const validate = createReportValidator();
let good: FakeNode;
let bad: FakeNode;
let attack: { method: string; change: (result: unknown) => unknown } | null = null;
let truth: Awaited<ReturnType<typeof analyze>>;

async function analyze(urls: readonly string[]) {
  const upstream = createUpstream({
    rpcUrls: urls,
    rpcTimeoutMs: 5_000,
    rpcRetries: 1,
    deadlineMs: 20_000,
    maxResponseBytes: 1 << 26,
    rpcMaxBatch: 1_000,
  });
  const run = createAnalyzeBlock(
    { upstream, rulebook: () => rulebook, validate, maxTokens: 2_000 },
    { intents: null, addresses: null },
    () => {},
  );
  const signal = new AbortController().signal;
  try {
    return await run(ID, { signal, deadlineAt: performance.now() + 20_000 });
  } finally {
    await upstream.close();
  }
}

beforeAll(async () => {
  good = await startRecordedNode();
  bad = await startRecordedNode();
  for (const method of METHODS) {
    const honest = bad.handlers[method]!;
    bad.handlers[method] = (params: FakeCall['params']) =>
      attack?.method === method ? attack.change(honest(params)) : honest(params);
  }
  truth = await analyze([good.url]);
  expect([truth.reports.length, truth.failures]).toEqual([1, []]);
});
afterAll(async () => {
  await good?.close();
  await bad?.close();
});

describe.each(METHODS)('%s', (method) => {
  it.each(CHANGES)('with %s', async (_, change) => {
    attack = { method, change };
    expect(await analyze([bad.url, good.url])).toEqual(truth);
    const alone = await analyze([bad.url]).catch((error: unknown) => error);
    if (alone instanceof AnalysisError) expect(alone.code).not.toMatch(/^internal/);
    else {
      const { reports, failures } = alone as typeof truth;
      expect(reports.length + failures.length).toBe(1);
      if (reports.length > 0) expect(reports).toEqual(truth.reports);
      for (const { code } of failures) expect(code).not.toMatch(/^internal/);
    }
  });
});
