import { connect } from 'node:net';
import { randomBytes } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { readConfig, type Config } from '../../src/service/config.ts';
import { AnalysisError } from '../../src/lib/errors.ts';
import { createLog } from '../../src/lib/log.ts';
import { serve, type RunningServer } from '../../src/service/server.ts';
import { startFakeNode, type FakeNode } from '../support/fakeNode.ts';
import { VOCABULARY, fetchAnalyze } from '../support/fetchAnalyze.ts';
import { HASH, sampleHandlers, sampleTransaction } from '../support/sampleTransaction.ts';
import type { Analyze } from '../../src/service/http/analyze.ts';

/** The fake node has no Multicall3. */
const PLAIN = { ...VOCABULARY, multicall: { ...VOCABULARY.multicall, sinceBlock: 10n ** 12n } };

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((thing) => thing.close()));
});

async function start(
  overrides: Partial<Config>,
  analyze?: Analyze,
  rpcUrl = 'http://127.0.0.1:1',
): Promise<RunningServer & { lines: string[] }> {
  const lines: string[] = [];
  const log = createLog({ level: 'trace', stream: { write: (line) => void lines.push(line) } });
  const config: Config = { ...readConfig({ RPC_URL: rpcUrl }), host: '127.0.0.1', port: 0, ...overrides };
  const server = await serve(config, ({ upstream }) => analyze ?? fetchAnalyze(upstream, PLAIN), { log });
  open.push(server);
  return Object.assign(server, { lines });
}

interface Answer {
  status: number;
  error: string;
  retryAfter: string | null;
}

async function ask(url: string, signal?: AbortSignal): Promise<Answer> {
  const response = await fetch(`${url}/analyze`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tx_hash: HASH }),
    ...(signal ? { signal } : {}),
  });
  const body = (await response.json()) as { error?: string };
  return {
    status: response.status,
    error: body.error ?? '',
    retryAfter: response.headers.get('retry-after'),
  };
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** An analysis that ends when the test says so, or when aborted. */
function held(): { analyze: Analyze; release: () => void; started: () => number; aborted: () => number } {
  const waiting: (() => void)[] = [];
  let started = 0;
  let aborted = 0;
  const analyze: Analyze = (_, { signal }) =>
    new Promise((resolve, reject) => {
      started++;
      waiting.push(() => resolve({ json: '{}', intentKind: 'Unknown' }));
      signal.addEventListener('abort', () => (aborted++, reject(signal.reason as Error)));
    });
  return {
    analyze,
    release: () => waiting.splice(0).forEach((go) => go()),
    started: () => started,
    aborted: () => aborted,
  };
}

describe('load', () => {
  it('runs some, queues some, refuses the rest at once, and recovers', async () => {
    const work = held();
    const { url } = await start({ maxConcurrency: 2, maxQueue: 1 }, work.analyze);
    const answers = [ask(url), ask(url), ask(url)];
    while (work.started() < 2) await sleep(5);
    await sleep(50);
    // Answered while the others are held, so it did not wait for them.
    expect(await ask(url)).toEqual({ status: 502, error: 'analysis failed: overloaded', retryAfter: '1' });
    expect(work.started()).toBe(2);
    work.release();
    while (work.started() < 3) await sleep(5);
    work.release();
    expect((await Promise.all(answers)).map((a) => a.status)).toEqual([200, 200, 200]);
  });

  it('answers health while all places are taken', async () => {
    const work = held();
    const { url } = await start({ maxConcurrency: 1, maxQueue: 0 }, work.analyze);
    const running = ask(url);
    while (work.started() < 1) await sleep(5);
    expect(await (await fetch(`${url}/health`)).text()).toBe('ok');
    work.release();
    await running;
  });

  it('ends waiting and stuck analyses at the deadline', async () => {
    const stuck: Analyze = () => new Promise(() => {});
    const { url } = await start(
      { maxConcurrency: 1, maxQueue: 1, deadlineMs: 200, shutdownGraceMs: 50 },
      stuck,
    );
    const start_ = performance.now();
    const answers = await Promise.all([ask(url), ask(url)]);
    expect(answers.map((a) => a.error)).toEqual(
      new Array(2).fill('analysis failed: the analysis ran out of time'),
    );
    expect(performance.now() - start_).toBeLessThan(1_000);
  });
});

describe('clients', () => {
  it('aborts the upstream requests of a client that went away', async () => {
    let cut = 0;
    const node: FakeNode = await startFakeNode({
      intercept: ({ request }) => (request.socket.once('close', () => cut++), true),
    });
    open.push(node);
    const server = await start({}, undefined, node.url);
    const client = new AbortController();
    const answer = ask(server.url, client.signal).catch((error: Error) => error.name);
    while (node.requests.length === 0) await sleep(5);
    client.abort();
    expect(await answer).toBe('AbortError');
    while (cut === 0) await sleep(5);
    await sleep(50);
    expect(node.requests).toHaveLength(1);
    expect(server.lines.join('')).toContain('client went away');
  });

  it('drops a client that does not finish its headers or its body', async () => {
    const { url, port } = await start({ headersTimeoutMs: 200, requestTimeoutMs: 400 }, held().analyze);
    const talk = (text: string): Promise<string> =>
      new Promise((resolve) => {
        let received = '';
        const socket = connect(port, '127.0.0.1', () => void socket.write(text));
        socket.on('data', (data) => (received += data.toString())).on('close', () => resolve(received));
      });
    expect(await talk('POST /analyze HTTP/1.1\r\nHost: x\r\n')).toContain('408');
    expect(
      await talk(
        'POST /analyze HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"tx',
      ),
    ).toContain('408');
    const garbage = await talk('this is not HTTP\r\n\r\n');
    expect(garbage).toContain('400 Bad Request');
    expect(garbage).toContain('{"error":"bad request"}');
    expect(await talk(`GET /health HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`)).toContain(
      '431',
    );
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it('does not read a flood to its end', async () => {
    const { port } = await start({}, held().analyze);
    let lost = 0;
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(
        {
          port,
          host: '127.0.0.1',
          method: 'POST',
          path: '/analyze',
          headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
        },
        (response) => resolve(response.statusCode),
      );
      request.on('error', reject).on('close', () => lost++);
      request.write('{"pad":"');
      request.write('x'.repeat(100_000));
    });
    expect(status).toBe(400);
    while (lost === 0) await sleep(20);
  });
});

describe('stopping', () => {
  it('lets running analyses finish', async () => {
    const work = held();
    const server = await start({ shutdownGraceMs: 5_000 }, work.analyze);
    const answer = ask(server.url);
    while (work.started() < 1) await sleep(5);
    const closed = server.close();
    await expect(fetch(`${server.url}/health`)).rejects.toThrow();
    work.release();
    expect((await answer).status).toBe(200);
    await closed;
  });

  it('aborts them when the grace time is over', async () => {
    const work = held();
    const server = await start({ shutdownGraceMs: 100 }, work.analyze);
    const answer = ask(server.url);
    while (work.started() < 1) await sleep(5);
    const before = performance.now();
    await server.close();
    expect(performance.now() - before).toBeLessThan(2_000);
    expect(work.aborted()).toBe(1);
    expect(await answer).toMatchObject({
      status: 502,
      error: 'analysis failed: the service is stopping',
      retryAfter: '1',
    });
  });
});

/** Asks for analyses on kept-alive connections until each is closed; the answers, and how many kept theirs. */
async function askUntilClosed(url: string, connections: number) {
  const { hostname, port } = new URL(url);
  const answers: { error: string | undefined; keeps: boolean; stopping: boolean }[] = [];
  let stopping = false;
  const one = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let open = true; open; ) {
      open = await new Promise<boolean>((resolve) => {
        const body = JSON.stringify({ tx_hash: `0x${randomBytes(32).toString('hex')}` });
        const headers = { 'content-type': 'application/json', 'content-length': body.length };
        const begun = stopping;
        httpRequest({ hostname, port, path: '/analyze', method: 'POST', agent, headers }, (response) => {
          let text = '';
          response.on('data', (data: Buffer) => (text += data.toString()));
          response.on('end', () => {
            const keeps = response.headers.connection !== 'close';
            answers.push({ error: (JSON.parse(text) as { error?: string }).error, keeps, stopping: begun });
            resolve(keeps);
          });
        })
          .on('error', () => resolve(false))
          .end(body);
      });
    }
    agent.destroy();
  };
  const done = Promise.all(Array.from({ length: connections }, one));
  return { answers, done, stop: () => (stopping = true) };
}

describe('while stopping', () => {
  it('every answer closes its connection, refusals say why', async () => {
    const quick: Analyze = () => sleep(30).then(() => ({ json: '{"a":1}', intentKind: 'Unknown' }) as const);
    const server = await start({ shutdownGraceMs: 5_000, maxConcurrency: 4, maxQueue: 4 }, quick);
    const clients = await askUntilClosed(server.url, 12);
    await sleep(500);
    clients.stop();
    await server.close();
    await clients.done;
    const late = clients.answers.filter(({ stopping }) => stopping);
    expect(late.filter(({ keeps }) => keeps)).toEqual([]);
    for (const { error } of late)
      expect([undefined, 'analysis failed: the service is stopping']).toContain(error);
    // Before, some were refused for want of a place and kept their connections.
    expect(clients.answers.some(({ error }) => error === 'analysis failed: overloaded')).toBe(true);
  });
});

describe('operators', () => {
  it('get a log line per analysis, metrics, and readiness on a port of their own', async () => {
    const node = await startFakeNode({ handlers: sampleHandlers(sampleTransaction()) });
    open.push(node);
    const server = await start({ adminPort: 0, rpcRetries: 0 }, undefined, node.url);
    expect((await ask(server.url)).status).toBe(200);
    node.handlers = {};
    expect((await ask(server.url)).status).toBe(502);

    const line = server.lines
      .map((l) => JSON.parse(l) as Record<string, unknown>)
      .find((l) => l['msg'] === 'analyzed')!;
    expect(line).toMatchObject({
      hash: HASH,
      status: 200,
      intent: 'Unknown',
      upstream_requests: 2,
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    });

    const admin = `http://127.0.0.1:${server.adminPort}`;
    const metrics = await (await fetch(`${admin}/metrics`)).text();
    expect(metrics).toContain('txreport_analyses_total{outcome="ok"} 1');
    expect(metrics).toContain('txreport_analyses_total{outcome="upstream_rpc"} 1');
    expect(metrics).toMatch(/txreport_upstream_seconds_count\{upstream="upstream-1",outcome="ok"\} 3/);
    expect(metrics).toContain('txreport_http_requests_total{route="/analyze",status="502"} 1');
    expect((await fetch(`${admin}/ready`)).status).toBe(503);
    node.handlers = { eth_chainId: () => '0x1' };
    expect(await (await fetch(`${admin}/ready`)).json()).toEqual({
      ready: true,
      upstream: true,
      rules: true,
    });
    expect((await fetch(`${admin}/other`)).status).toBe(404);
    expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
  });

  it('get internal failures in full, clients do not', async () => {
    const server = await start({}, () =>
      Promise.reject(
        new AnalysisError('internal_validation', null, { cause: new Error('/tx/hash must match') }),
      ),
    );
    expect(await ask(server.url)).toMatchObject({
      status: 502,
      error: 'analysis failed: internal report validation',
    });
    expect(server.lines.join('')).toContain('/tx/hash must match');
  });

  it('are told when a port is taken', async () => {
    const { port } = await start({}, held().analyze);
    await expect(start({ port }, held().analyze)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
