// Traces as a collector receives them: a service before a recorded node, and an OTLP/HTTP receiver of its own.
import { execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServiceAnalyze } from '../../src/service/analyzer.ts';
import { readConfig } from '../../src/service/config.ts';
import { createLog } from '../../src/lib/log.ts';
import { serve, type RunningServer } from '../../src/service/server.ts';
import { answer, loadRecordings } from '../fuzz/recordedNode.ts';
import { startFakeNode } from '../support/fakeNode.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { key: string; value: Record<string, unknown> }[];
  readonly status: { code?: number };
}

const SECRET = 'topsecretkey';
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const recordings = loadRecordings();
const bodies: string[] = [];
let collector: Server;
let node: Awaited<ReturnType<typeof startFakeNode>>;
let server: RunningServer;

beforeAll(async () => {
  collector = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      bodies.push(`${request.url} ${text}`);
      response.setHeader('Content-Type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((done) => collector.listen(0, '127.0.0.1', done));
  node = await startFakeNode({
    intercept: ({ response, body }) => {
      const calls = body as { id: unknown; method: string; params: unknown[] }[];
      const reply = (call: (typeof calls)[number]) => ({
        jsonrpc: '2.0',
        id: call.id,
        ...answer(
          (hash) => recordings.find((one) => one.hash === hash),
          (number) => recordings.find(({ rpc }) => rpc.block['number'] === number),
          'geth',
          call.method,
          call.params,
        ),
      });
      response.end(JSON.stringify(Array.isArray(body) ? calls.map(reply) : reply(body as never)));
      return true;
    },
  });
  const { port } = collector.address() as AddressInfo;
  const config = readConfig({
    RPC_URL: `${node.url}/v3/${SECRET}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/`,
    HOST: '127.0.0.1',
    PORT: '0',
    RPC_RETRIES: '0',
  });
  server = await serve(config, createServiceAnalyze, { log: createLog({ level: 'silent' }) });
});

afterAll(async () => {
  await node?.close();
  collector?.close();
});

const post = (hash: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server.url}/analyze`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ tx_hash: hash }),
  });

describe('OpenTelemetry traces', () => {
  it('hold one span per request, stage and upstream call, and no secret', async () => {
    const { hash } = recordings.find(({ name }) => name === 'token-transfer')!;
    expect((await post(hash, { traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01` })).status).toBe(200);
    const missing = `0x${'ab'.repeat(32)}`;
    expect((await post(missing)).status).toBe(502);
    // Closing the service exports the pending spans.
    await server.close();

    expect(bodies.every((body) => body.startsWith('/v1/traces '))).toBe(true);
    expect(bodies.join('')).not.toContain(SECRET);
    expect(bodies.join('')).toContain('"stringValue":"txreport"');
    const spans = bodies.flatMap((body) => spansOf(body));
    const roots = spans.filter(({ name }) => name === 'POST /analyze');
    expect(roots).toHaveLength(2);
    const [good, bad] = [hash, missing].map((of) => roots.find((one) => valueOf(one, 'tx.hash') === of)!);
    expect(good!.traceId).toBe(TRACE_ID);
    expect(good!.parentSpanId).toBe('b7ad6b7169203331');
    expect(valueOf(good!, 'txreport.outcome')).toBe('ok');
    expect(valueOf(good!, 'txreport.intent_kind')).toBe('TokenTransfer');
    const inside = spans.filter(({ parentSpanId }) => parentSpanId === good!.spanId);
    const stages = inside.map(({ name }) => name).filter((name) => name.startsWith('stage '));
    expect(stages).toEqual(
      [
        'fetch',
        'canonical',
        'flow',
        'primitives',
        'motifs',
        'attribution',
        'intents',
        'economics',
        'report',
        'validate',
      ].map((stage) => `stage ${stage}`),
    );
    const upstream = inside.filter(({ name }) => name === 'upstream upstream-1');
    expect(upstream.length).toBeGreaterThanOrEqual(2);
    expect(String(valueOf(upstream[0]!, 'rpc.method'))).toContain('eth_getTransactionByHash');
    for (const { startTimeUnixNano, endTimeUnixNano } of inside)
      expect(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano)).toBe(true);
    // Status code 2 is an error.
    expect(bad!.status.code).toBe(2);
    expect(bad!.traceId).not.toBe(TRACE_ID);
  });

  it('load the SDK only where an endpoint is set', () => {
    // The metrics library loads the bare API in any case.
    expect(sdkFiles({})).toEqual([]);
    expect(sdkFiles({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }).length).toBeGreaterThan(0);
  });
});

/** Files of the SDK that a service with these settings has loaded once it listens. */
function sdkFiles(env: Record<string, string>): string[] {
  const settings = {
    RPC_URL: 'http://127.0.0.1:9',
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'silent',
    ...env,
  };
  const script = `import { createRequire } from 'node:module';
    import { readConfig } from '${process.cwd()}/src/service/config.ts';
    import { serve } from '${process.cwd()}/src/service/server.ts';
    const server = await serve(readConfig(${JSON.stringify(settings)}), async () => async () => { throw new Error(); });
    await server.close();
    console.log(JSON.stringify(Object.keys(createRequire(import.meta.url).cache)));`;
  const out = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  return (JSON.parse(out) as string[]).filter((file) => /opentelemetry\/(sdk|otlp|exporter)/.test(file));
}

function spansOf(body: string): Span[] {
  const { resourceSpans } = JSON.parse(body.slice(body.indexOf('{'))) as {
    resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
  };
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

function valueOf({ attributes }: Span, key: string): unknown {
  const { value } = attributes.find((one) => one.key === key)!;
  return Object.values(value)[0];
}
