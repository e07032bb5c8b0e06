import { afterEach, describe, expect, it } from 'vitest';
import { fetchTransaction } from '../../../src/stages/1-fetch/fetchTransaction.ts';
import {
  startFakeNode,
  FakeRpcError,
  type FakeNode,
  type FakeNodeOptions,
  type Handler,
} from '../../support/fakeNode.ts';
import { upstreamFor } from '../../support/fetchAnalyze.ts';
import { HASH, sampleHandlers, sampleTransaction } from '../../support/sampleTransaction.ts';
import type { Upstream, UpstreamOptions } from '../../../src/stages/1-fetch/rpc/upstream.ts';
import type { RawTransaction, UpstreamCallEvent } from '../../../src/model/upstream.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((thing) => thing.close()));
});

async function node(options: FakeNodeOptions = {}): Promise<FakeNode> {
  const started = await startFakeNode({ handlers: sampleHandlers(sampleTransaction()), ...options });
  open.push(started);
  return started;
}

function upstream(nodes: readonly { url: string }[], overrides: Partial<UpstreamOptions> = {}): Upstream {
  const created = upstreamFor(
    nodes.map((n) => n.url),
    { rpcTimeoutMs: 300, rpcRetries: 2, deadlineMs: 3_000, ...overrides },
  );
  open.push(created);
  return created;
}

const run = (
  up: Upstream,
  hash = HASH as `0x${string}`,
  signal = new AbortController().signal,
  onCall: (e: UpstreamCallEvent) => void = () => {},
): Promise<RawTransaction> => fetchTransaction(up.open({ signal, onCall }), hash);

describe('dialects', () => {
  it.each([
    ['both', 'call_tracer', ['debug_traceTransaction']],
    ['geth', 'call_tracer', ['debug_traceTransaction']],
    ['parity', 'parity', ['trace_transaction']],
  ] as const)(
    'asks a node with %s both ways at first and only %s from then on',
    async (traces, dialect, steady) => {
      const n = await node({ handlers: sampleHandlers(sampleTransaction(), traces) });
      const up = upstream([n]);
      expect((await run(up)).trace.dialect).toBe(dialect);
      expect((await run(up)).trace.dialect).toBe(dialect);
      expect(n.requests).toEqual([
        [
          'eth_getTransactionByHash',
          'eth_getTransactionReceipt',
          'eth_chainId',
          'debug_traceTransaction',
          'trace_transaction',
        ],
        ['eth_getTransactionByHash', 'eth_getTransactionReceipt', ...steady],
      ]);
    },
  );

  it('does without withLog where the node refuses the option', async () => {
    const sample = sampleTransaction();
    const debug: Handler = ([, config]) => {
      if ((config as { tracerConfig?: unknown }).tracerConfig)
        throw new FakeRpcError(-32602, 'unknown field tracerConfig');
      return sample.callTracer;
    };
    const n = await node({ handlers: { ...sampleHandlers(sample, 'geth'), debug_traceTransaction: debug } });
    const up = upstream([n]);
    expect((await run(up)).trace.dialect).toBe('call_tracer');
    await run(up);
    expect(n.requests).toHaveLength(3);
  });

  it('finds the other dialect again when the known one is gone', async () => {
    const n = await node({ handlers: sampleHandlers(sampleTransaction(), 'geth') });
    const up = upstream([n]);
    await run(up);
    n.handlers = { eth_chainId: () => '0x1', ...sampleHandlers(sampleTransaction(), 'parity') };
    expect((await run(up)).trace.dialect).toBe('parity');
  });

  it('prefers the better dialect again after its passing failure', async () => {
    const sample = sampleTransaction();
    let calls = 0;
    const debug: Handler = () => {
      if (calls++ === 0) throw new FakeRpcError(-32000, 'busy');
      return sample.callTracer;
    };
    const up = upstream([
      await node({ handlers: { ...sampleHandlers(sample), debug_traceTransaction: debug } }),
    ]);
    expect((await run(up)).trace.dialect).toBe('parity');
    expect((await run(up)).trace.dialect).toBe('call_tracer');
  });

  it('names the missing trace API', async () => {
    const sample = sampleTransaction();
    const { debug_traceTransaction: _, trace_transaction: __, ...rest } = sampleHandlers(sample);
    const n = await node({ handlers: rest });
    await expect(run(upstream([n]))).rejects.toMatchObject({ code: 'trace_unavailable' });
    expect(n.requests).toHaveLength(1);
  });

  it('takes traces from an endpoint of their own', async () => {
    const plain = await node({
      handlers: (({ debug_traceTransaction: _, trace_transaction: __, ...rest }) => rest)(
        sampleHandlers(sampleTransaction()),
      ),
    });
    const tracer = await node({ handlers: sampleHandlers(sampleTransaction(), 'parity') });
    const up = upstream([plain], { traceUrl: tracer.url });
    expect((await run(up)).trace.dialect).toBe('parity');
    await run(up);
    expect(tracer.requests.at(-1)).toEqual(['trace_transaction']);
    expect(plain.requests.flat()).not.toContain('trace_transaction');
  });

  it('asks for one dialect alone when both at once are too large', async () => {
    const sample = sampleTransaction();
    sample.callTracer['output'] = `0x${'00'.repeat(3_000)}`;
    sample.parity[0]!['result'] = { output: `0x${'00'.repeat(3_000)}` };
    const n = await node({ handlers: sampleHandlers(sample) });
    expect((await run(upstream([n], { maxResponseBytes: 10_000 }))).trace.dialect).toBe('call_tracer');
    expect(n.requests).toHaveLength(2);
  });
});

describe('batches', () => {
  it('asks in parallel where the node refuses batches, and remembers it', async () => {
    const n = await node({ batches: false });
    const up = upstream([n]);
    await run(up);
    expect(n.requests.filter((methods) => methods.length > 1)).toHaveLength(1);
    await run(up);
    expect(n.requests.filter((methods) => methods.length > 1)).toHaveLength(1);
  });

  it('recognises a refusal by HTTP status', async () => {
    const n = await node({
      intercept: ({ body, response }) =>
        Array.isArray(body) && Boolean(response.writeHead(400).end('no batches')),
    });
    expect((await run(upstream([n]))).hash).toBe(HASH);
  });

  it('accepts answers in any order', async () => {
    const n = await node({ tamper: (responses) => [...responses].reverse() });
    expect((await run(upstream([n]))).hash).toBe(HASH);
  });

  it.each<[string, (responses: unknown[]) => unknown]>([
    ['ids of others', (rs) => rs.map((r) => ({ ...(r as object), id: 'someone-else' }))],
    ['an id twice', (rs) => [rs[0], ...rs.slice(0, -1)]],
    ['one answer less', (rs) => rs.slice(1)],
    ['one answer more', (rs) => [...rs, rs[0]]],
    ['something else than objects', () => [1, null, 'x', [], {}]],
    ['no result and no error', (rs) => rs.map((r) => ({ id: (r as { id: number }).id }))],
    ['a number', () => 7],
    ['null', () => null],
  ])('refuses %s', async (_, tamper) => {
    const n = await node({ tamper });
    await expect(run(upstream([n]))).rejects.toMatchObject({ code: 'upstream_malformed' });
    expect(n.requests.length).toBeGreaterThan(1);
  });
});

describe('what the chain says', () => {
  it('tells an unknown transaction, whatever the trace says, after a second and a third look', async () => {
    const anvilLike = { failed: false, gas: 0, returnValue: '0x', structLogs: [] };
    const n = await node({
      handlers: { ...sampleHandlers(sampleTransaction()), debug_traceTransaction: () => anvilLike },
    });
    await expect(run(upstream([n]), `0x${'00'.repeat(32)}`)).rejects.toMatchObject({
      code: 'transaction_not_found',
      message: 'transaction not found',
    });
    expect(n.requests).toHaveLength(3);
  });

  it('asks the next node for a transaction the first does not know', async () => {
    const behind = await node({
      handlers: {
        ...sampleHandlers(sampleTransaction()),
        eth_getTransactionByHash: () => null,
        eth_getTransactionReceipt: () => null,
      },
    });
    expect((await run(upstream([behind, await node()]))).hash).toBe(HASH);
  });

  it('tells a pending transaction', async () => {
    const sample = sampleTransaction();
    Object.assign(sample.tx, { blockHash: null, blockNumber: null });
    const n = await node({ handlers: { ...sampleHandlers(sample), eth_getTransactionReceipt: () => null } });
    await expect(run(upstream([n]))).rejects.toMatchObject({ code: 'transaction_pending' });
  });

  it('calls a mined transaction without receipt an upstream fault', async () => {
    const n = await node({
      handlers: { ...sampleHandlers(sampleTransaction()), eth_getTransactionReceipt: () => null },
    });
    await expect(run(upstream([n]))).rejects.toMatchObject({
      code: 'inconsistent_upstream',
      detail: 'no receipt for a mined transaction',
    });
    expect(n.requests).toHaveLength(3);
  });

  it.each([
    ['null', null],
    ['no structLogs', { failed: false, gas: 0, returnValue: '0x', structLogs: [] }],
    ['{}', {}],
  ])('does not take %s for a trace', async (_, result) => {
    const n = await node({
      handlers: { ...sampleHandlers(sampleTransaction(), 'geth'), debug_traceTransaction: () => result },
    });
    await expect(run(upstream([n]))).rejects.toMatchObject({ code: 'trace_empty' });
    expect(n.requests).toHaveLength(3);
  });

  it.each([
    ['text', 'trace'],
    ['a list for callTracer', [1]],
    ['a frame without type', { from: '0x' }],
  ])('refuses %s as a trace', async (_, result) => {
    const n = await node({
      handlers: { ...sampleHandlers(sampleTransaction(), 'geth'), debug_traceTransaction: () => result },
    });
    await expect(run(upstream([n]))).rejects.toMatchObject({ code: 'trace_malformed' });
  });

  it('refuses a node of another chain', async () => {
    const n = await node({ handlers: { ...sampleHandlers(sampleTransaction()), eth_chainId: () => '0x89' } });
    await expect(run(upstream([n]))).rejects.toMatchObject({ code: 'wrong_chain' });
    expect(await upstream([n]).ready(AbortSignal.timeout(1_000))).toBe(false);
    expect(await upstream([await node()]).ready(AbortSignal.timeout(1_000))).toBe(true);
  });

  it('asks a node again that is on mainnet but told once of a transaction of another chain', async () => {
    const sample = sampleTransaction();
    let asked = 0;
    const n = await node({
      handlers: {
        ...sampleHandlers(sample),
        eth_getTransactionByHash: () => ({ ...sample.tx, chainId: asked++ === 0 ? '0xa' : '0x1' }),
      },
    });
    expect((await run(upstream([n]))).hash).toBe(HASH);
    expect(n.requests).toHaveLength(2);
    const stubborn = await node({
      handlers: {
        ...sampleHandlers(sample),
        eth_getTransactionByHash: () => ({ ...sample.tx, chainId: '0xa' }),
      },
    });
    await expect(run(upstream([stubborn]))).rejects.toMatchObject({ code: 'wrong_chain' });
  });

  it('goes to another node when one contradicts itself', async () => {
    const lying = sampleTransaction();
    lying.receipt['logs'] = [];
    const liar = await node({ handlers: sampleHandlers(lying) });
    expect((await run(upstream([liar, await node()]))).hash).toBe(HASH);
    await expect(run(upstream([liar]))).rejects.toMatchObject({ code: 'inconsistent_upstream' });
  });
});

describe('faults on the way', () => {
  const failing = (times: number, fail: NonNullable<FakeNodeOptions['intercept']>): FakeNodeOptions => ({
    intercept: (context) => context.n < times && fail(context),
  });

  it.each<[string, string, NonNullable<FakeNodeOptions['intercept']>]>([
    ['500', 'upstream_http', ({ response }) => Boolean(response.writeHead(500).end('oops'))],
    ['a reset', 'upstream_unreachable', ({ request }) => Boolean(request.socket.destroy())],
    ['a hang', 'upstream_timeout', () => true],
    [
      'a body that hangs',
      'upstream_timeout',
      ({ response }) =>
        Boolean(response.writeHead(200, { 'content-type': 'application/json' }).write('[{"jsonrpc"')),
    ],
    [
      'html',
      'upstream_malformed',
      ({ response }) => Boolean(response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')),
    ],
    [
      'truncated JSON',
      'upstream_malformed',
      ({ response }) =>
        Boolean(response.writeHead(200, { 'content-type': 'application/json' }).end('[{"json')),
    ],
    [
      'a broken connection amid the body',
      'upstream_malformed',
      ({ response }) => (
        response.writeHead(200, { 'content-length': '100' }).write('[{'),
        setTimeout(() => response.destroy(), 20),
        true
      ),
    ],
    [
      '429',
      'upstream_rate_limited',
      ({ response }) => Boolean(response.writeHead(429).end('{"error":"slow down"}')),
    ],
    [
      'a JSON-RPC error for the batch',
      'upstream_rpc',
      ({ response }) =>
        Boolean(
          response
            .writeHead(200, { 'content-type': 'application/json' })
            .end('{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"overloaded"}}'),
        ),
    ],
  ])('outlasts %s once, and reports it when it stays', async (_, code, fail) => {
    expect((await run(upstream([await node(failing(1, fail))]))).hash).toBe(HASH);
    await expect(run(upstream([await node(failing(99, fail))]))).rejects.toMatchObject({ code });
  });

  it('does not insist where it is not let in', async () => {
    const n = await node(failing(99, ({ response }) => Boolean(response.writeHead(401).end('{}'))));
    await expect(run(upstream([n]))).rejects.toMatchObject({ code: 'upstream_http', detail: 'HTTP 401' });
    expect(n.requests).toHaveLength(1);
  });

  it('follows no redirect', async () => {
    const other = await node();
    const n = await node(
      failing(99, ({ response }) => Boolean(response.writeHead(307, { location: other.url }).end())),
    );
    await expect(run(upstream([n]))).rejects.toMatchObject({ code: 'upstream_unreachable' });
    expect(other.requests).toHaveLength(0);
  });

  it('names the limit an answer exceeds', async () => {
    const n = await node();
    await expect(run(upstream([n], { maxResponseBytes: 1_000 }))).rejects.toMatchObject({
      code: 'upstream_too_large',
      detail: 'over the limit of 1000 bytes',
    });
  });

  it('waits as long as a rate limit asks, if the deadline allows', async () => {
    const limited = failing(1, ({ response }) =>
      Boolean(response.writeHead(429, { 'retry-after': '1' }).end()),
    );
    const start = performance.now();
    await run(upstream([await node(limited)]));
    expect(performance.now() - start).toBeGreaterThanOrEqual(1_000);

    const n = await node(
      failing(1, ({ response }) => Boolean(response.writeHead(429, { 'retry-after': '60' }).end())),
    );
    const before = performance.now();
    await expect(run(upstream([n]))).rejects.toMatchObject({ code: 'upstream_rate_limited' });
    expect(performance.now() - before).toBeLessThan(1_000);
  });

  it('leaves a rate-limited or dead node for the next at once', async () => {
    const limited = await node(
      failing(99, ({ response }) => Boolean(response.writeHead(429, { 'retry-after': '60' }).end())),
    );
    expect((await run(upstream([limited, await node()]))).hash).toBe(HASH);
    const dead = await startFakeNode();
    await dead.close();
    const events: UpstreamCallEvent[] = [];
    const up = upstream([dead, await node()]);
    expect((await run(up, HASH, undefined, (e) => events.push(e))).hash).toBe(HASH);
    expect(events.map((e) => `${e.upstream} ${e.outcome}`)).toEqual([
      'upstream-1 upstream_unreachable',
      'upstream-2 ok',
    ]);
    await run(up, HASH, undefined, (e) => events.push(e));
    expect(events.slice(2).map((e) => e.upstream)).toEqual(['upstream-2']);
  });

  it('ends at the deadline with the upstream failure', async () => {
    const n = await node({ intercept: () => true });
    const start = performance.now();
    await expect(run(upstream([n], { rpcTimeoutMs: 10_000, deadlineMs: 400 }))).rejects.toMatchObject({
      code: 'upstream_timeout',
    });
    expect(performance.now() - start).toBeLessThan(800);
  });

  it('stops its requests when the analysis is aborted', async () => {
    let closed = 0;
    const n = await node({
      intercept: ({ request }) => (request.socket.once('close', () => closed++), true),
    });
    const controller = new AbortController();
    const result = run(upstream([n], { rpcTimeoutMs: 10_000 }), HASH, controller.signal);
    setTimeout(() => controller.abort(), 50);
    await expect(result).rejects.toMatchObject({ code: 'internal' });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(closed).toBe(1);
    expect(n.requests).toHaveLength(1);
  });
});
