import { beforeAll, describe, expect, it } from 'vitest';
import { FAULTS, LIMITS, SECRETS, runFault } from './runFault.ts';
import { createUpstream } from '../../src/stages/1-fetch/rpc/upstream.ts';
import { fetchAnalyze, upstreamFor } from '../support/fetchAnalyze.ts';
import { REPLAY_AVAILABLE, recordings, startReplayNode, warnIfAbsent } from '../support/replayNode.ts';

beforeAll(() => warnIfAbsent('the fault tests'));

describe.skipIf(!REPLAY_AVAILABLE)('an upstream that misbehaves', () => {
  it.each(Object.entries(FAULTS))(
    'always %s: the right failure within the deadline, and no secret anywhere',
    async (fault, expected) => {
      const outcome = await runFault({
        fault,
        count: 8,
        choose: (r) => r.logs > 0 && r.succeeded,
        config: { rpcRetries: 2 },
      });
      expect(outcome.succeeded).toBe(0);
      for (const error of outcome.errors.keys()) expect(error).toMatch(expected);
      expect([...outcome.errors.keys()].every((error) => error.startsWith('analysis failed: '))).toBe(true);
      expect(outcome.slowestMs).toBeLessThan(LIMITS.deadlineMs + 500);
      for (const secret of SECRETS) expect(outcome.said).not.toContain(secret);
      expect(outcome.said).toContain('upstream-1');
    },
  );

  it.each(['empty-trace', 'no-logs'])(
    'always %s from a node that speaks the other dialect alone: the same failure',
    async (fault) => {
      const outcome = await runFault({
        fault,
        dialect: 'parity',
        count: 8,
        choose: (r) => r.logs > 0 && r.succeeded,
        config: { rpcRetries: 1 },
      });
      expect(outcome.succeeded).toBe(0);
      for (const error of outcome.errors.keys()) expect(error).toMatch(FAULTS[fault]!);
    },
  );

  it.each(Object.keys(FAULTS))('%s one time in five: at least 99 of 100 succeed', async (fault) => {
    const outcome = await runFault({ fault, rate: 0.2, count: 100 });
    expect(outcome.tried).toBe(100);
    expect(outcome.succeeded, JSON.stringify([...outcome.errors])).toBeGreaterThanOrEqual(99);
    for (const secret of SECRETS) expect(outcome.said).not.toContain(secret);
  });

  it.each(['hang', 'reset', 'no-logs', 'empty-trace'])(
    '%s always, but beside a good node: all succeed',
    async (fault) => {
      const good = await startReplayNode();
      try {
        const outcome = await runFault({ fault, count: 40, others: [good.url] });
        expect([outcome.succeeded, ...outcome.errors.keys()]).toEqual([40]);
      } finally {
        await good.close();
      }
    },
  );
});

describe.skipIf(!REPLAY_AVAILABLE)('a node that works', () => {
  it.each(['both', 'geth', 'parity'] as const)(
    'with dialect %s is asked exactly twice per analysis, every recording passing the cross-checks',
    async (dialect) => {
      const node = await startReplayNode({ dialect });
      const upstream = upstreamFor([node.url]);
      try {
        const hashes = recordings().map((r) => r.hash);
        for (const hash of hashes) {
          const { json } = await fetchAnalyze(upstream)(hash, {
            signal: new AbortController().signal,
            deadlineAt: performance.now() + 5_000,
          });
          expect(JSON.parse(json)).toMatchObject({
            hash,
            dialect: dialect === 'parity' ? 'parity' : 'call_tracer',
          });
        }
        expect((await node.stats()).http_requests).toBe(2 * hashes.length);
      } finally {
        await upstream.close();
        await node.close();
      }
    },
  );

  it('brings metadata and prices', async () => {
    const node = await startReplayNode({ files: ['labelled-defi.ndjson.gz'] });
    const upstream = createUpstream({
      rpcUrls: [node.url],
      rpcTimeoutMs: 2_000,
      rpcRetries: 0,
      deadlineMs: 5_000,
      maxResponseBytes: 10_000_000,
      rpcMaxBatch: 100,
    });
    try {
      let known = 0;
      for (const { hash, tokens: recorded } of recordings(['labelled-defi.ndjson.gz'])) {
        const { json } = await fetchAnalyze(upstream)(hash, {
          signal: new AbortController().signal,
          deadlineAt: performance.now() + 5_000,
        });
        const { prices, tokens } = JSON.parse(json) as {
          prices: { asset: string }[];
          tokens: { address: string; symbol: string | null; decimals: number | null }[];
        };
        expect(prices.map((price) => price.asset)).toContain('native');
        for (const { address, symbol, decimals } of tokens) {
          const expected = recorded[address];
          if (!expected?.symbol) continue;
          known++;
          expect([address, symbol, decimals]).toEqual([
            address,
            expected.symbol,
            expected.standard === 'erc721' ? null : (expected.decimals ?? null),
          ]);
        }
      }
      expect(known).toBeGreaterThan(300);
    } finally {
      await upstream.close();
      await node.close();
    }
  });
});
