import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import vm from 'node:vm';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, SCHEMA_VERSION, TxReportError, type TxReport } from '../../src/tools/client/client.ts';
import { AnalysisError } from '../../src/lib/errors.ts';
import { startServer } from '../../src/service/main.ts';
import type { RunningServer } from '../../src/service/server.ts';
import { HASH_OF, startRecordedNode } from '../cli/recordedNode.ts';
import type { FakeNode } from '../support/fakeNode.ts';

const ENTRY = join(import.meta.dirname, '../../src/tools/client/client.ts');
const SWAP = HASH_OF['swap-v2-eth-usdc']!;

let node: FakeNode;
let service: RunningServer;
let overloaded: RunningServer;
beforeAll(async () => {
  node = await startRecordedNode();
  const quiet = { rpcUrl: node.url, host: '127.0.0.1', port: 0, logLevel: 'silent' } as const;
  service = await startServer(quiet);
  overloaded = await startServer({
    ...quiet,
    createAnalyze: () => () => Promise.reject(new AnalysisError('overloaded')),
  });
});
afterAll(() => Promise.all([service?.close(), overloaded?.close(), node?.close()]));

const failure = async (call: Promise<unknown>): Promise<TxReportError> => {
  try {
    await call;
  } catch (error) {
    return error as TxReportError;
  }
  throw new Error('it did not fail');
};

describe('the client, against the running service', () => {
  it('gets a typed report', async () => {
    const client = createClient({ baseUrl: `${service.url}/`, apiKey: 'not checked today' });
    expect(await client.health()).toBe(true);
    const report: TxReport = await client.analyze(SWAP, { chain: 'mainnet' });
    expect(report).toMatchObject({
      schema_version: SCHEMA_VERSION,
      tx: { hash: SWAP },
      classification: { intent_kind: 'DirectSwap' },
    });
  });

  it('fails with status and text of the service', async () => {
    const client = createClient({ baseUrl: service.url });
    expect(await failure(client.analyze('0x12'))).toMatchObject({
      name: 'TxReportError',
      status: 400,
      message: 'invalid tx_hash `0x12`, 4 characters, expected 66',
      retryAfter: null,
    });
    const unknown = await failure(client.analyze(`0x${'ab'.repeat(32)}`));
    expect(unknown).toMatchObject({ status: 502, message: 'analysis failed: transaction not found' });
    expect(unknown.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(unknown).toBeInstanceOf(TxReportError);
  });

  it('tells when to try again', async () => {
    expect(await failure(createClient({ baseUrl: overloaded.url, retries: 0 }).analyze(SWAP))).toMatchObject({
      status: 502,
      message: 'analysis failed: overloaded',
      retryAfter: 1,
    });
  });

  it('can be aborted', async () => {
    const abort = new AbortController();
    abort.abort();
    expect(
      await failure(createClient({ baseUrl: service.url }).analyze(SWAP, { signal: abort.signal })),
    ).toMatchObject({ name: 'AbortError' });
  });

  it.each<[string, Response, object]>([
    ['no JSON', new Response('<html>', { status: 200 }), { status: 0, message: 'the answer is not JSON' }],
    [
      'a gateway’s page',
      new Response('<html>', { status: 504 }),
      { status: 504, message: 'the answer is not JSON' },
    ],
    [
      'a later schema',
      Response.json({ schema_version: 2 }),
      { status: 0, message: 'schema_version 2 is not known to this client' },
    ],
    [
      'null',
      Response.json(null),
      { status: 0, message: 'schema_version undefined is not known to this client' },
    ],
    [
      'an error of another shape',
      Response.json({ message: 'x' }, { status: 500 }),
      { status: 500, message: 'status 500' },
    ],
  ])('refuses %s', async (_, response, expected) => {
    const client = createClient({ baseUrl: 'http://service', fetch: () => Promise.resolve(response) });
    expect(await failure(client.analyze(SWAP))).toMatchObject({ name: 'TxReportError', ...expected });
  });
});

describe('the client in a browser', () => {
  it('bundles without anything of Node, small, and works with what a browser has', async () => {
    const bundle = await build({
      entryPoints: [ENTRY],
      bundle: true,
      platform: 'browser',
      format: 'iife',
      globalName: 'txreport',
      target: 'es2022',
      minify: true,
      write: false,
      metafile: true,
    });
    expect(bundle.warnings).toEqual([]);
    expect(Object.keys(bundle.metafile.inputs).sort()).toEqual(
      [
        'src/lib/lists.ts',
        ...['client', 'exact', 'seenBy', 'txHash'].map((name) => `src/tools/client/${name}.ts`),
        ...['accountFlows', 'amount', 'money'].map((name) => `src/value/${name}.ts`),
      ].sort(),
    );
    const code = bundle.outputFiles[0]!.text;
    expect(code.length).toBeLessThan(10_000);
    expect(code).not.toMatch(/\brequire\b|\bprocess\b|\bBuffer\b|node:/);

    const page = vm.createContext({ fetch, Error, String, Number, JSON, AbortController });
    vm.runInContext(
      `${code};var run = async (baseUrl, hash) => (await txreport.createClient({ baseUrl }).analyze(hash)).classification.intent_kind`,
      page,
    );
    expect(await (page['run'] as (url: string, hash: string) => Promise<string>)(service.url, SWAP)).toBe(
      'DirectSwap',
    );
  });

  it('imports types alone from the rest of the package', () => {
    const imports = [...readFileSync(ENTRY, 'utf8').matchAll(/^(import|export)\s.*\sfrom\s.*$/gm)].map(
      ([line]) => line,
    );
    expect(imports.length).toBeGreaterThan(0);
    for (const line of imports)
      expect(line).toMatch(/^(import|export) type | from '\.\/(txHash|exact|seenBy)\.ts'/);
  });
});
