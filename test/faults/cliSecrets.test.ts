import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createProgram } from '../../src/tools/cli/program.ts';
import { answer, loadRecordings, type Recorded } from '../fuzz/recordedNode.ts';
import { startFakeNode, type FakeNode } from '../support/fakeNode.ts';

const SECRETS = [
  's3cretUser',
  's3cretPass',
  's3cretPathKey',
  's3cretQueryKey',
  Buffer.from('s3cretUser:s3cretPass').toString('base64'),
];
const disguise = (url: string): string =>
  `${url.replace('http://', 'http://s3cretUser:s3cretPass@')}/v3/s3cretPathKey?key=s3cretQueryKey`;

const recorded = loadRecordings().find(({ name }) => name === 'swap-v3')!;
const folder = mkdtempSync(join(tmpdir(), 'txreport-secrets-'));
const REPORT = join(folder, 'report.json');
const EMPTY = join(folder, 'none');
const LIST = join(folder, 'hashes.txt');
const open: FakeNode[] = [];
/** What the nodes were sent: there the credentials belong. */
const authorizations: (string | undefined)[] = [];
let good: string;

async function node(misbehave?: (response: ServerResponse, body: unknown) => void): Promise<string> {
  const started = await startFakeNode({
    intercept: ({ request, response, body }) => {
      authorizations.push(request.headers.authorization);
      if (misbehave) return (misbehave(response, body), true);
      const find = (hash: unknown): Recorded | undefined => (hash === recorded.hash ? recorded : undefined);
      const reply = (call: { id: unknown; method: string; params: unknown[] }): object => ({
        jsonrpc: '2.0',
        id: call.id,
        ...(call.method === 'eth_getBlockByHash'
          ? { result: recorded.rpc.block }
          : answer(find, () => recorded, 'geth', call.method, call.params)),
      });
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(
          JSON.stringify(
            Array.isArray(body)
              ? (body as Parameters<typeof reply>[0][]).map(reply)
              : reply(body as Parameters<typeof reply>[0]),
          ),
        );
      return true;
    },
  });
  open.push(started);
  return disguise(started.url);
}

interface Said {
  readonly status: number;
  readonly out: string;
  readonly all: string;
}

/** Runs the command in this process, everything logged, and returns all it said, an error it ended with included. */
async function cli(args: string[], env: Record<string, string> = {}): Promise<Said> {
  let out = '';
  let all = '';
  // As a stream's write: some callers wait to be called back.
  const note = (chunk: unknown, ...rest: unknown[]): true => {
    all += String(chunk);
    const done = rest.at(-1);
    if (typeof done === 'function') (done as () => void)();
    return true;
  };
  const spies = [
    vi
      .spyOn(process.stdout, 'write')
      .mockImplementation(
        (chunk: unknown, ...rest: unknown[]) => ((out += String(chunk)), note(chunk, ...rest)),
      ),
    vi.spyOn(process.stderr, 'write').mockImplementation(note),
    vi.spyOn(console, 'log').mockImplementation((...texts) => void note(`${texts.join(' ')}\n`)),
    vi.spyOn(console, 'error').mockImplementation((...texts) => void note(`${texts.join(' ')}\n`)),
  ];
  for (const [name, value] of Object.entries({
    LOG_LEVEL: 'trace',
    RPC_RETRIES: '1',
    RPC_TIMEOUT_MS: '2000',
    DEADLINE_MS: '20000',
    RPC_URL: '',
    ...env,
  }))
    vi.stubEnv(name, value);
  process.exitCode = 0;
  try {
    await createProgram().parseAsync(['node', 'txreport', ...args]);
  } catch (error) {
    process.exitCode = 2;
    // What the program tells of an error nobody foresaw, with DEBUG set: its stack, and here its causes as well.
    note(inspect(error, { depth: 10 }));
  } finally {
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllEnvs();
  }
  const status = Number(process.exitCode);
  process.exitCode = undefined;
  return { status, out, all };
}

beforeAll(async () => {
  good = await node();
  mkdirSync(EMPTY);
  writeFileSync(LIST, `${recorded.hash}\n`);
  writeFileSync(REPORT, (await cli(['analyze', recorded.hash, '--json', '--rpc', good])).out);
});
afterAll(async () => {
  await Promise.all(open.map((n) => n.close()));
  // Not earlier: a command that was refused may still be opening its list.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
});

describe("credentials in the node's URL", () => {
  const echo = disguise('http://s3cret.example');
  const bad: Record<string, () => Promise<string>> = {
    'that echoes them': () =>
      node(
        (response, body) =>
          void response.writeHead(200, { 'x-echo': echo }).end(
            JSON.stringify(
              [body as { id: number }[]].flat().map(({ id }) => ({
                jsonrpc: '2.0',
                id,
                error: { code: -32000, message: echo, data: echo },
              })),
            ),
          ),
      ),
    'that refuses them': () =>
      node((response) => void response.writeHead(401).end(`unknown key s3cretQueryKey for ${echo}`)),
    'that talks HTML': () =>
      node(
        (response) =>
          void response.writeHead(200, { 'content-type': 'text/html' }).end(`<html>${echo}</html>`),
      ),
    'that redirects': () => node((response) => void response.writeHead(302, { location: echo }).end()),
    'that is not there': () => Promise.resolve(disguise('http://127.0.0.1:1')),
    'that no URL leads to': () => Promise.resolve(disguise('http://s3cret example').replace('http:', 'ws:')),
  };
  const commands: Record<string, (rpc: string) => [string[], Record<string, string>]> = {
    analyze: (rpc) => [['analyze', recorded.hash, '--rpc', rpc], {}],
    verify: (rpc) => [['verify', REPORT, '--rpc', rpc], {}],
    batch: (rpc) => [['batch', LIST, '--rpc', rpc], {}],
    'rules explain': (rpc) => [['rules', 'explain', recorded.hash, '--recordings', EMPTY], { RPC_URL: rpc }],
    'rules record': (rpc) => [
      ['rules', 'record', recorded.hash, '--name', 'x', '--out', join(folder, 'recorded')],
      { RPC_URL: rpc },
    ],
  };

  it.each(Object.entries(commands))('reach a good node and show up nowhere: %s', async (_, command) => {
    authorizations.length = 0;
    const [args, env] = command(good);
    const { status, all } = await cli(args, env);
    expect([status, status === 0 ? '' : all]).toEqual([0, '']);
    expect(new Set(authorizations)).toEqual(new Set([`Basic ${SECRETS.at(-1)!}`]));
    for (const secret of SECRETS) expect(all).not.toContain(secret);
  });

  it.each(Object.keys(bad))('show up nowhere, whatever the command, with a node %s', async (kind) => {
    const rpc = await bad[kind]!();
    for (const [name, command] of Object.entries(commands)) {
      const { status, all } = await cli(...command(rpc));
      expect([name, status]).not.toEqual([name, 0]);
      for (const secret of SECRETS) expect(all, name).not.toContain(secret);
    }
  });
});
