import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { readConfig, secretUrls, type Config } from '../../src/service/config.ts';
import { createLog } from '../../src/lib/log.ts';
import { createMask } from '../../src/lib/mask.ts';
import { serve } from '../../src/service/server.ts';
import { startFakeNode, type FakeNodeOptions } from '../support/fakeNode.ts';
import { fetchAnalyze } from '../support/fetchAnalyze.ts';
import { HASH, sampleHandlers, sampleTransaction } from '../support/sampleTransaction.ts';

const SECRETS = [
  's3cretUser',
  's3cretPass',
  's3cret/Pass',
  's3cret%2FPass',
  's3cretPathKey',
  's3cretQueryKey',
  's3cret.example',
  Buffer.from('s3cretUser:s3cret/Pass').toString('base64'),
];
const disguise = (url: string): string =>
  `${url.replace('http://', 'http://s3cretUser:s3cret%2FPass@')}/v3/s3cretPathKey?key=s3cretQueryKey`;

const open: { close(): Promise<void> }[] = [];
let priceServer: Server | undefined;
afterEach(async () => {
  await Promise.all(open.splice(0).map((thing) => thing.close()));
  priceServer?.close().closeAllConnections();
});

/** Everything the service says about one analysis: answer, headers, log at trace level, metrics, readiness. */
async function everythingSaid(
  overrides: Partial<Config>,
): Promise<{ said: string; lines: string[]; status: number }> {
  const lines: string[] = [];
  const config: Config = {
    ...readConfig({}),
    host: '127.0.0.1',
    port: 0,
    adminPort: 0,
    rpcRetries: 1,
    rpcTimeoutMs: 300,
    deadlineMs: 2_000,
    ...overrides,
  };
  const log = createLog({
    level: 'trace',
    mask: createMask(secretUrls(config)),
    stream: { write: (line) => void lines.push(line) },
  });
  const server = await serve(config, ({ upstream }) => fetchAnalyze(upstream), { log });
  open.push(server);
  const response = await fetch(`${server.url}/analyze`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tx_hash: HASH }),
  });
  const said = [JSON.stringify([...response.headers]), await response.text()];
  for (const path of ['metrics', 'ready'])
    said.push(await (await fetch(`http://127.0.0.1:${server.adminPort}/${path}`)).text());
  return { said: [...said, ...lines].join('\n'), lines, status: response.status };
}

function expectNoSecret(said: string): void {
  for (const secret of SECRETS) expect(said).not.toContain(secret);
}

describe('credentials of the upstream', () => {
  const echo = 'http://s3cretUser:s3cret%2FPass@s3cret.example/v3/s3cretPathKey?key=s3cretQueryKey';
  const echoing = (
    response: import('node:http').ServerResponse,
    status: number,
    body: string,
    type = 'application/json',
  ): true => {
    response.writeHead(status, { 'content-type': type, 'x-echo': echo, location: echo }).end(body);
    return true;
  };
  const misbehaviours: [string, FakeNodeOptions][] = [
    ['answers well', { handlers: sampleHandlers(sampleTransaction()) }],
    [
      'echoes them in RPC errors',
      {
        intercept: ({ body, response }) =>
          echoing(
            response,
            200,
            JSON.stringify(
              [body as { id: number }[]].flat().map(({ id }) => ({
                jsonrpc: '2.0',
                id,
                error: { code: -32000, message: `project s3cretPathKey: ${echo}`, data: echo },
              })),
            ),
          ),
      },
    ],
    [
      'echoes them in an error for the batch',
      {
        intercept: ({ response }) =>
          echoing(
            response,
            200,
            JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32005, message: echo } }),
          ),
      },
    ],
    [
      'echoes them in HTML',
      { intercept: ({ response }) => echoing(response, 200, `<html>${echo}</html>`, 'text/html') },
    ],
    [
      'echoes them in a 401',
      { intercept: ({ response }) => echoing(response, 401, `invalid key s3cretQueryKey`, 'text/plain') },
    ],
    [
      'echoes them in a 500',
      { intercept: ({ response }) => echoing(response, 500, JSON.stringify({ error: echo })) },
    ],
    ['redirects', { intercept: ({ response }) => echoing(response, 302, '') }],
    ['sends broken JSON', { intercept: ({ response }) => echoing(response, 200, `[{"jsonrpc":"${echo}`) }],
    ['hangs', { intercept: () => true }],
    ['resets', { intercept: ({ request }) => Boolean(request.socket.destroy()) }],
    [
      'answers too much',
      { intercept: ({ response }) => echoing(response, 200, `["${echo.repeat(1_000_000)}"]`) },
    ],
  ];
  it.each(misbehaviours)('stay secret when it %s', async (what, options) => {
    const node = await startFakeNode(options);
    open.push(node);
    const { said, status, lines } = await everythingSaid({ rpcUrls: [disguise(node.url)] });
    expect(status).toBe(what === 'answers well' ? 200 : 502);
    expectNoSecret(said);
    expect(lines.join('')).toContain('upstream-1');
  });

  // The node itself is well, but serves no traces, or knows no prices: the other upstream is asked, and misbehaves.
  const {
    debug_traceTransaction: _none,
    trace_transaction: _neither,
    ...withoutTraces
  } = sampleHandlers(sampleTransaction());
  it.each(misbehaviours.filter(([what]) => what !== 'answers well'))(
    'of TRACE_URL stay secret when it %s',
    async (_, options) => {
      const [node, tracer] = await Promise.all([
        startFakeNode({ handlers: withoutTraces }),
        startFakeNode(options),
      ]);
      open.push(node, tracer);
      const { said, status, lines } = await everythingSaid({
        rpcUrls: [disguise(node.url)],
        traceUrl: disguise(tracer.url),
      });
      expect(status).toBe(502);
      expectNoSecret(said);
      expect(lines.join('')).toContain('trace-upstream');
    },
  );

  it.each<[string, (response: import('node:http').ServerResponse) => void]>([
    [
      'echoes them in its prices',
      (r) =>
        echoing(
          r,
          200,
          JSON.stringify({
            coins: { [echo]: { price: 1, timestamp: 1, symbol: echo, confidence: echo } },
            error: echo,
          }),
        ),
    ],
    ['echoes them in HTML', (r) => echoing(r, 200, `<html>${echo}</html>`, 'text/html')],
    ['echoes them in a 401', (r) => echoing(r, 401, 'invalid key s3cretQueryKey', 'text/plain')],
    ['echoes them in a 500', (r) => echoing(r, 500, echo)],
    ['redirects', (r) => echoing(r, 302, '')],
    ['sends broken JSON', (r) => echoing(r, 200, `{"coins":{"${echo}`)],
    ['hangs', () => {}],
    ['resets', (r) => void r.socket?.destroy()],
    ['answers too much', (r) => echoing(r, 200, `["${echo.repeat(200_000)}"]`)],
  ])('of PRICE_API_URL stay secret when it %s', async (_, misbehave) => {
    const node = await startFakeNode({ handlers: sampleHandlers(sampleTransaction()) });
    open.push(node);
    priceServer = createServer((_request, response) => misbehave(response));
    await new Promise<void>((resolve) => priceServer!.listen(0, '127.0.0.1', resolve));
    const priceApiUrl = disguise(`http://127.0.0.1:${(priceServer.address() as AddressInfo).port}`);
    const { said, status, lines } = await everythingSaid({ rpcUrls: [disguise(node.url)], priceApiUrl });
    expect(status).toBe(200);
    expectNoSecret(said);
    expect(lines.join('')).toContain('price-api');
  });

  it('stay secret when the host does not exist, cannot be parsed further, or holds odd credentials', async () => {
    for (const url of [
      'http://s3cretUser:s3cret%2FPass@s3cret.example.invalid/s3cretPathKey',
      'http://s3cretUser:%E2%82%ACs3cretPass@127.0.0.1:1/s3cretPathKey',
      'http://s3cretUser:%zz@127.0.0.1:1/s3cretPathKey',
    ]) {
      const { said, status } = await everythingSaid({ rpcUrls: [url], rpcTimeoutMs: 200, deadlineMs: 500 });
      expect(status).toBe(502);
      expectNoSecret(said);
    }
  });

  it('of trace and price upstreams stay secret as well', async () => {
    const {
      debug_traceTransaction: _,
      trace_transaction: __,
      ...plain
    } = sampleHandlers(sampleTransaction());
    const node = await startFakeNode({ handlers: plain });
    const tracer = await startFakeNode({ handlers: sampleHandlers(sampleTransaction()) });
    open.push(node, tracer);
    priceServer = createServer((_request, response) => void response.writeHead(500).end(echo));
    await new Promise<void>((resolve) => priceServer!.listen(0, '127.0.0.1', resolve));
    const priceApiUrl = disguise(`http://127.0.0.1:${(priceServer.address() as AddressInfo).port}`);
    const { said, status } = await everythingSaid({
      rpcUrls: [disguise(node.url)],
      traceUrl: disguise(tracer.url),
      priceApiUrl,
    });
    expect(status).toBe(200);
    expect(said).toContain('price-api');
    expectNoSecret(said);
  });
});
