// Hostile bytes on both wires: what clients send that is no request, and what a node sends that is no answer.
import fc from 'fast-check';
import { connect } from 'node:net';
import { createServiceAnalyze } from '../../src/service/analyzer.ts';
import { readConfig, type Config } from '../../src/service/config.ts';
import { createLog } from '../../src/lib/log.ts';
import { serve, type RunningServer } from '../../src/service/server.ts';
import { startFakeNode, type FakeNode } from '../support/fakeNode.ts';
import { spoil } from './mutate.ts';
import { brokenReport, newTally, type Tally } from './outcome.ts';
import { Random, seedOf } from './random.ts';
import { answer } from './recordedNode.ts';
import { makeCase, type Case } from './upstreamAnswers.ts';
import type { ServerResponse } from 'node:http';

const log = createLog({ level: 'silent' });
const HASH = `0x${'5c'.repeat(32)}`;

function startService(rpcUrl: string, overrides: Partial<Config> = {}): Promise<RunningServer> {
  const config: Config = {
    ...readConfig({ RPC_URL: rpcUrl }),
    host: '127.0.0.1',
    port: 0,
    rpcRetries: 0,
    rpcTimeoutMs: 400,
    deadlineMs: 5_000,
    maxResponseBytes: 2_000_000,
    ...overrides,
  };
  return serve(config, createServiceAnalyze, { log });
}

interface RpcMessage {
  id: unknown;
  method: string;
  params: readonly unknown[];
}

/** Ways to break the bytes of an answer. */
const WIRE: Record<string, (response: ServerResponse, body: string, random: Random) => void> = {
  truncated: (r, body, random) =>
    void r
      .writeHead(200, { 'content-type': 'application/json' })
      .end(body.slice(0, random.below(body.length))),
  flipped: (r, body, random) => {
    const bytes = Buffer.from(body);
    for (let n = 1 + random.below(20); n > 0; n--) bytes[random.below(bytes.length)] = random.below(256);
    r.writeHead(200, { 'content-type': 'application/json' }).end(bytes);
  },
  noise: (r, _, random) =>
    void r
      .writeHead(200, { 'content-type': 'application/json' })
      .end(Buffer.from(random.hex(2 * random.below(2_000)), 'hex')),
  html: (r) =>
    void r.writeHead(200, { 'content-type': 'text/html' }).end('<html><script>alert(1)</script></html>'),
  status: (r, body, random) =>
    void r
      .writeHead(random.pick([204, 206, 301, 400, 401, 403, 404, 413, 418, 429, 500, 502, 503, 504]), {
        location: 'http://127.0.0.1:1/',
        'retry-after': random.pick(['0', '-1', '1e9', 'soon', '']),
      })
      .end(random.chance(0.5) ? body : ''),
  deep: (r, _, random) => {
    const n = 10 ** (2 + random.below(4));
    void r.writeHead(200, { 'content-type': 'application/json' }).end('['.repeat(n) + ']'.repeat(n));
  },
  large: (r) =>
    void r.writeHead(200, { 'content-type': 'application/json' }).end(`["${'x'.repeat(2_500_000)}"]`),
  wronglength: (r, body) => {
    r.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length + 50 });
    r.write(body);
    setTimeout(() => r.destroy(), 5);
  },
  reset: (r) => void r.socket?.destroy(),
  encoding: (r, body) =>
    void r.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(body),
  scalar: (r, _, random) =>
    void r
      .writeHead(200, { 'content-type': 'application/json' })
      .end(
        random.pick([
          'null',
          '0',
          '"x"',
          '{}',
          '[]',
          '[null]',
          '{"jsonrpc":"2.0"}',
          '{"error":null}',
          '{"error":{}}',
          '{"error":{"code":"x","message":{}}}',
          '[[]]',
        ]),
      ),
};

/** A node over HTTP whose messages, batches and bytes are spoiled as the case and its generator say. */
async function startSpoiledNode(current: () => { tried: Case; random: Random }): Promise<FakeNode> {
  return startFakeNode({
    intercept: ({ response, body }) => {
      const { tried, random } = current();
      const reply = (call: RpcMessage): object => {
        const said = answer(
          (hash) => (hash === tried.recorded.hash ? tried.recorded : undefined),
          () => tried.recorded,
          tried.dialect,
          call.method,
          call.params,
        );
        return {
          jsonrpc: '2.0',
          id: call.id,
          ...(said.error
            ? { error: said.error }
            : { result: tried.change(call.method, said.result) ?? null }),
        };
      };
      let sent: unknown = Array.isArray(body) ? (body as RpcMessage[]).map(reply) : reply(body as RpcMessage);
      const roll = random.below(10);
      if (roll < 3) sent = spoil(sent, random).value;
      const text = JSON.stringify(sent) ?? 'null';
      if (roll === 3 || roll === 4) WIRE[random.pick(Object.keys(WIRE))]!(response, text, random);
      else response.writeHead(200, { 'content-type': 'application/json' }).end(text);
      return true;
    },
  });
}

const UNFIT = /internal error|internal report validation/;

/** The service over HTTP before a spoiled node over HTTP: 200 with a sound report or 502 with an honest error, nothing else. */
export async function fuzzNodeWire(count: number, seed: number): Promise<Tally> {
  const tally = newTally('answers over HTTP');
  let now = { tried: makeCase(seed, 0), random: new Random(seed) };
  const node = await startSpoiledNode(() => now);
  let service = await startService(node.url);
  try {
    for (let index = 0; index < count; index++) {
      // A service anew now and then: what it learned of the node's capabilities is learned again.
      if (index % 100 === 99) {
        await service.close();
        service = await startService(node.url);
      }
      now = { tried: makeCase(seed, index), random: new Random(seedOf(seed + 1, index)) };
      tally.tried++;
      const start = performance.now();
      const fail = (why: string): void => void tally.failures.push({ index, what: now.tried.what, why });
      try {
        const response = await fetch(`${service.url}/analyze`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ tx_hash: now.tried.recorded.hash }),
        });
        const text = await response.text();
        if (response.status === 200) {
          tally.accepted++;
          const broken = brokenReport(text);
          if (broken !== null) fail(broken);
        } else {
          const { error } = JSON.parse(text) as { error: unknown };
          if (
            response.status !== 502 ||
            typeof error !== 'string' ||
            !error.startsWith('analysis failed: ') ||
            UNFIT.test(error)
          )
            fail(`${response.status} ${text.slice(0, 300)}`);
        }
      } catch (error) {
        fail((error as Error).stack ?? String(error));
      }
      tally.slowestMs = Math.max(tally.slowestMs, performance.now() - start);
    }
  } finally {
    await service.close();
    await node.close();
  }
  return tally;
}

/** Bytes that are no request, or hardly one: the service closes or refuses, and stays healthy. */
export async function fuzzClientWire(count: number, seed: number): Promise<Tally> {
  const tally = newTally('bytes of clients');
  const node = await startFakeNode();
  const service = await startService(node.url, { headersTimeoutMs: 500, requestTimeoutMs: 500 });
  const verb = fc.constantFrom(
    'GET',
    'POST',
    'PUT',
    'HEAD',
    'OPTIONS',
    'TRACE',
    'CONNECT',
    'PATCH',
    'get',
    'BREW',
    '',
  );
  const path = fc.oneof(
    fc.constantFrom(
      '/analyze',
      '/health',
      '/',
      '*',
      '/%',
      '/%00',
      '/..%2f',
      '//analyze',
      '/analyze?x=%zz',
      'http://evil.example/analyze',
      '/analyze/'.repeat(900),
    ),
    fc.webPath(),
  );
  const header = fc.tuple(
    fc.constantFrom(
      'Content-Length',
      'Transfer-Encoding',
      'Content-Type',
      'Expect',
      'Upgrade',
      'Connection',
      'Host',
      'Origin',
      'Access-Control-Request-Headers',
      'X-Api-Key',
      'Content-Encoding',
      'Range',
      'Cookie',
    ),
    fc.oneof(
      fc.constantFrom(
        'chunked',
        '100-continue',
        '-1',
        '0',
        '5',
        '99999999999999999999',
        '5, 6',
        'application/json',
        'application/json; charset=utf-8; charset=x',
        'text/plain',
        'websocket',
        'upgrade',
        'close',
        'identity, chunked',
        'x'.repeat(9_000),
        '\u0000',
      ),
      fc.string({ maxLength: 30 }),
    ),
  );
  const message = fc
    .tuple(
      verb,
      path,
      fc.array(header, { maxLength: 5 }),
      fc.oneof(
        fc.constant(`{"tx_hash":"${HASH}"}`),
        fc.constant(`5\r\nabcde\r\n0\r\n\r\n`),
        fc.constant('fffffffffffffffff\r\nx'),
        fc.string(),
      ),
    )
    .map(([v, p, headers, body]) =>
      Buffer.from(
        `${v} ${p} HTTP/1.1\r\nHost: x\r\n${headers.map(([k, value]) => `${k}: ${value}\r\n`).join('')}\r\n${body}`,
        'latin1',
      ),
    );
  const bytes = fc.oneof(
    { weight: 5, arbitrary: message },
    fc.uint8Array({ maxLength: 500 }).map((b) => Buffer.from(b)),
  );
  try {
    const samples = fc.sample(bytes, { numRuns: count, seed });
    // Sixteen at a time: many of them only end by the service's own patience.
    let next = 0;
    const client = async (): Promise<void> => {
      for (let index = next++; index < samples.length; index = next++) {
        const start = performance.now();
        const received = await talk(service.port, samples[index]!);
        tally.tried++;
        tally.slowestMs = Math.max(tally.slowestMs, performance.now() - start);
        const wrong = judgeBytes(received);
        if (wrong !== null)
          tally.failures.push({ index, what: samples[index]!.toString('latin1').slice(0, 300), why: wrong });
        else if (/^HTTP\/1\.1 2/.test(received)) tally.accepted++;
      }
    };
    await Promise.all(Array.from({ length: 16 }, client));
    const health = await fetch(`${service.url}/health`);
    if ((await health.text()) !== 'ok')
      tally.failures.push({ index: -1, what: 'all', why: 'not healthy afterwards' });
  } finally {
    await service.close();
    await node.close();
  }
  return tally;
}

function judgeBytes(received: string): string | null {
  if (received === 'STILL OPEN') return 'the connection stayed open';
  if (received === '') return null;
  for (const [, status, head, body] of received.matchAll(
    /HTTP\/1\.1 (\d{3})[^\r]*\r\n([\s\S]*?)\r\n\r\n([\s\S]*?)(?=HTTP\/1\.1 |$)/g,
  )) {
    if (status === '100') continue;
    if (Number(status) >= 500 && Number(status) !== 502) return `status ${status}: ${body}`;
    if (
      Number(status) >= 400 &&
      body !== '' &&
      (!/content-type: application\/json/i.test(head!) ||
        typeof (JSON.parse(body!) as { error: unknown }).error !== 'string')
    )
      return `not an error object: ${head}\n${body}`;
  }
  return null;
}

/** Sends the bytes, then nothing; what came back when the connection closed, or after three seconds. */
function talk(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => void socket.write(bytes));
    const timer = setTimeout(() => {
      socket.destroy();
      resolve(received === '' ? 'STILL OPEN' : received);
    }, 3_000);
    socket.on('data', (data) => {
      received += data.toString('latin1');
      // An answered request on a connection kept alive: nothing more will come.
      clearTimeout(timer);
      setTimeout(() => socket.destroy(), 30);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(received);
    });
  });
}
