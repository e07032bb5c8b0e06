// A node repeats the URL it was asked at, in any form, in all it says; nothing the process says may give the key away.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { builtPackage } from '../cli/builtCli.ts';
import { answer, loadRecordings, type Recorded } from '../fuzz/recordedNode.ts';
import { startFakeNode, type FakeNode } from '../support/fakeNode.ts';

const KEYS = {
  user: 'uZ8kq2Wm5tYx',
  password: 'pR4vN7sLj1Qd',
  path: 'kH6cB9xT3gFe2wVa',
  query: 'yM5nD8rJ0zSuPq',
};
const urlOf = (port: string): string =>
  `http://${KEYS.user}:${KEYS.password}@127.0.0.1:${port}/v3/${KEYS.path}?apikey=${KEYS.query}`;

const hex = (c: string): string => c.charCodeAt(0).toString(16).padStart(2, '0');
const each = (text: string, change: (c: string) => string): string => [...text].map(change).join('');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const FORMS: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'in upper case': (text) => text.toUpperCase(),
  'percent-encoded': (text) => each(text, (c) => `%${hex(c)}`),
  'as a component': encodeURIComponent,
  'as JSON escapes': (text) => each(text, (c) => `\\u00${hex(c)}`),
  'in base64': base64,
  'in base64 of a longer text': (text) => base64(`a ${text} b`),
  'split over lines': (text) => text.replace(/.{5}/g, '$&\n'),
  'split by dashes': (text) => text.replace(/.{3}/g, '$&-'),
  'without its scheme': (text) => text.replace(/^\w+:\/\//, ''),
  'as a Basic header': () => `Basic ${base64(`${KEYS.user}:${KEYS.password}`)}`,
};
const PLACES = ['the error of each call', 'the error of the batch', 'an HTTP error', 'every result'] as const;

/** Whether ten characters of a key in a row can be read from the text, all escapes undone. */
function reveals(text: string): string | null {
  const plain = text
    .replace(/%([0-9a-f]{2})|\\+u00([0-9a-f]{2})|\\+[nrt]/gi, (_, a?: string, b?: string) =>
      String.fromCharCode(parseInt(a ?? b ?? '20', 16)),
    )
    .replace(/[^A-Za-z0-9]/g, '')
    .toLowerCase();
  const forms = Object.values(KEYS).flatMap((key) => [
    key,
    ...[0, 1, 2].map((shift) => base64(' '.repeat(shift) + key).slice(shift === 0 ? 0 : shift + 1, -4)),
  ]);
  for (const form of forms)
    for (let at = 0; at + 10 <= form.length; at++)
      if (plain.includes(form.slice(at, at + 10).toLowerCase())) return form;
  return null;
}

const recorded = loadRecordings().find(({ name }) => name === 'swap-v3')!;
const folder = mkdtempSync(join(tmpdir(), 'txreport-forms-'));
const REPORT = join(folder, 'report.json');
const LIST = join(folder, 'hashes.txt');
/** Files that commands write; all of them are read. */
const OUT = join(folder, 'out');
const EMPTY = join(folder, 'none');
const spans: string[] = [];
const collector = createServer((request, response) => {
  request.setEncoding('utf8').on('data', (part: string) => spans.push(part));
  request.on('end', () => response.end('{}'));
});
let node: FakeNode;
let url: string;
/** What the node says in place of the truth; null: the truth. */
let say: { text: string; place: (typeof PLACES)[number] } | null = null;
/** Whether it answers truly which block has a number: then the block itself fails, and is written down. */
let namesBlocks = false;
let built: string;
/** Outputs searched for the keys. */
let searched = 0;
const load = (file: string): Promise<any> => import(join(built, 'dist', file));

beforeAll(async () => {
  built = builtPackage();
  node = await startFakeNode({
    intercept: ({ response, body }) => {
      const calls = [body].flat() as { id: number; method: string; params: unknown[] }[];
      const honest =
        say === null ||
        (namesBlocks && calls.every(({ method }) => /^eth_(chainId|getBlockByNumber)$/.test(method)));
      const find = (hash: unknown): Recorded | undefined => (hash === recorded.hash ? recorded : undefined);
      const reply = ({ id, method, params }: (typeof calls)[number]): object => {
        const head = { jsonrpc: '2.0', id };
        if (honest) return { ...head, ...answer(find, () => recorded, 'geth', method, params) };
        const text = say!.text;
        if (say!.place === 'every result') return { ...head, result: text };
        return { ...head, error: { code: -32000, message: text, data: text } };
      };
      const failed = JSON.stringify({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32000, message: say?.text },
      });
      if (!honest && say?.place === 'an HTTP error') response.writeHead(500).end(failed);
      else if (!honest && say?.place === 'the error of the batch') response.end(failed);
      else response.end(JSON.stringify(Array.isArray(body) ? calls.map(reply) : reply(calls[0]!)));
      return true;
    },
  });
  url = urlOf(new URL(node.url).port);
  await new Promise<void>((done) => collector.listen(0, '127.0.0.1', done));
  mkdirSync(EMPTY);
  writeFileSync(LIST, `${recorded.hash}\n`);
  const { status, out } = await cli(['analyze', recorded.hash, '--json']);
  expect(status).toBe(0);
  writeFileSync(REPORT, out);
});
afterAll(async () => {
  console.log(`keys in none of ${searched} outputs`);
  await node?.close();
  collector.close().closeAllConnections();
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
});

/** Runs a command of the built package in this process: what it says, on both streams. */
async function cli(args: readonly string[]): Promise<{ status: number; out: string; all: string }> {
  const said = { out: '', all: '' };
  const note =
    (stream: 'out' | 'err') =>
    (chunk: unknown, ...rest: unknown[]): true => {
      if (stream === 'out') said.out += String(chunk);
      said.all += String(chunk);
      const done = rest.at(-1);
      if (typeof done === 'function') (done as () => void)();
      return true;
    };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(note('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(note('err')),
  ];
  const settings = { RPC_URL: url, LOG_LEVEL: 'trace', RPC_RETRIES: '0', RPC_TIMEOUT_MS: '2000' };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  process.exitCode = 0;
  try {
    const { createProgram } = await load('tools/cli/program.js');
    await createProgram().parseAsync(['node', 'txreport', ...args]);
  } catch (error) {
    process.exitCode = 2;
    said.all += (error as Error).message;
  } finally {
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllEnvs();
  }
  const status = Number(process.exitCode);
  process.exitCode = undefined;
  return { status, ...said };
}

const BLOCK = String(BigInt(recorded.rpc.block['number'] as string));
const BLOCKS = ['--blocks', BLOCK, '--threads', '1'];
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  analyze: ['analyze', recorded.hash],
  'analyze --json': ['analyze', recorded.hash, '--json'],
  // Not the recorded one, which it would read from its file.
  trace: ['trace', `0x${'ab'.repeat(32)}`],
  verify: ['verify', REPORT],
  'verify --json': ['verify', REPORT, '--json'],
  batch: ['batch', LIST, '--out', join(OUT, 'a.ndjson'), '--strict'],
  'batch --blocks --out': ['batch', ...BLOCKS, '--findings', '--out', join(OUT, 'b.ndjson'), '--strict'],
  'batch --format parquet': ['batch', ...BLOCKS, '--format', 'parquet', '--out', join(OUT, 'c'), '--strict'],
  block: ['block', BLOCK],
  'block --json': ['block', BLOCK, '--json'],
  doctor: ['doctor'],
  'doctor --json': ['doctor', '--json'],
  preview: ['preview', '--from', recorded.rpc.tx['from'] as string, '--to', recorded.rpc.tx['to'] as string],
  'rules explain': ['rules', 'explain', recorded.hash, '--recordings', EMPTY],
  'rules record': ['rules', 'record', recorded.hash, '--name', 'x', '--out', join(folder, 'recorded')],
};

/** Everything that one run of the service, the viewer's server and the tools for agents says. */
async function servers(): Promise<string> {
  const [
    { readConfig, secretUrls },
    { createLog },
    { createMask },
    { serve },
    analyzer,
    rpc,
    { startView },
    mcp,
  ] = await Promise.all(
    [
      'service/config.js',
      'lib/log.js',
      'lib/mask.js',
      'service/server.js',
      'service/analyzer.js',
      'stages/1-fetch/rpc/upstream.js',
      'tools/view/servePage.js',
      'tools/mcp/tools.js',
    ].map(load),
  );
  const otelEndpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const config = {
    ...readConfig({ RPC_URL: url, TRACE_URL: url, RPC_RETRIES: '0', ADMIN_PORT: '0', HOST: '127.0.0.1' }),
    port: 0,
    otelEndpoint,
  };
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const log = createLog({ level: 'trace', mask: createMask(secretUrls(config)), stream });
  const server = await serve(config, analyzer.createServiceAnalyze, { log });
  const post = async (base: string): Promise<string> => {
    const response = await fetch(`${base}/analyze`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tx_hash: recorded.hash }),
    });
    return `${JSON.stringify([...response.headers])} ${await response.text()}`;
  };
  const upstream = rpc.createUpstream(config);
  const run = await analyzer.createServiceAnalyze({ upstream, config, log });
  const analyze = async (hash: string): Promise<string> => {
    const signal = new AbortController().signal;
    return JSON.stringify(await run(hash, { signal, deadlineAt: performance.now() + 5_000 }));
  };
  const view = await startView({ port: 0, analyze });
  const said = [await post(server.url), await post(view.url)];
  const agents = new McpServer({ name: 'txreport', version: '1' });
  mcp.registerTools(agents, { analyze, rulebook: { intents: [] } });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const agent = new Client({ name: 'test', version: '1' });
  await Promise.all([agents.connect(near), agent.connect(far)]);
  said.push(JSON.stringify(await agent.callTool({ name: 'analyze', arguments: { tx_hash: recorded.hash } })));
  await agent.close();
  for (const path of ['metrics', 'ready'])
    said.push(await (await fetch(`http://127.0.0.1:${server.adminPort}/${path}`)).text());
  await view.close();
  await run.close();
  await upstream.close();
  await server.close();
  return [...said, ...lines, ...spans.splice(0)].join('\n');
}

describe.each(Object.entries(FORMS))('the URL %s', (_, disguise) => {
  it.each(PLACES)('in %s shows up nowhere', async (place) => {
    const parts = [url, ...Object.values(KEYS)].map(disguise);
    expect(parts.some((part) => reveals(part) !== null)).toBe(true);
    for (const [i, text] of [parts[0]!, `no access: ${parts.slice(1).join(' ; ')}`].entries()) {
      say = { text, place };
      for (const [at, [name, args]] of Object.entries(COMMANDS).entries()) {
        // Each in turn gets one text or the other: both would take twice the time.
        if ((at + PLACES.indexOf(place) + i) % 2 === 0) continue;
        rmSync(OUT, { recursive: true, force: true });
        mkdirSync(OUT);
        namesBlocks = args.includes('--out');
        const { status, all } = await cli(args);
        const files = readdirSync(OUT, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
        if (name.startsWith('batch') && args.includes('--out')) expect(files.join(''), name).not.toBe('');
        expect(status, name).not.toBe(0);
        searched++;
        const said = [all, ...files].join('\n');
        expect(reveals(said), `${name}: ${said}`).toBeNull();
      }
      const said = await servers();
      searched++;
      expect(reveals(said), said).toBeNull();
      say = null;
    }
  });
});
