// Commands in processes of their own, as people run them and paste what they print: no key of the node's address on either stream.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HASH_OF } from '../cli/recordedNode.ts';
import { runCli } from '../cli/runCli.ts';
import { startFakeNode, type FakeNode } from '../support/fakeNode.ts';

const HASH = HASH_OF['swap-v3']!;
const KEYS = {
  user: 'uQ7wZ2eR9tYk',
  password: 'pL4xC8vB1nMj',
  path: 'kF6gH3jD5sAq0oWe',
  query: 'yT2rE7wQ4uIz',
};
const ADDRESSES: Readonly<Record<string, (host: string) => string>> = {
  'a key in the path': (host) => `http://${host}/v3/${KEYS.path}`,
  'a key in the query': (host) => `http://${host}/?apikey=${KEYS.query}`,
  'user and password': (host) => `http://${KEYS.user}:${KEYS.password}@${host}/`,
  'all of them': (host) =>
    `http://${KEYS.user}:${KEYS.password}@${host}/v3/${KEYS.path}?apikey=${KEYS.query}`,
};
const base64 = (text: string): string => Buffer.from(text).toString('base64');
/** The keys as they are and as a Basic header holds them. */
const FORBIDDEN = [
  ...Object.values(KEYS),
  ...[0, 1, 2].map((shift) => base64(`${' '.repeat(shift)}${KEYS.user}:${KEYS.password}`).slice(4, -4)),
];

const folder = mkdtempSync(join(tmpdir(), 'txreport-process-'));
const LIST = join(folder, 'list.txt');
const COMMANDS: readonly (readonly string[])[] = [
  ['analyze', HASH],
  ['doctor'],
  ['batch', LIST],
  ['rules', 'record', HASH, '--name', 'x', '--out', folder],
];

let echo: FakeNode;
let said = '';
beforeAll(async () => {
  writeFileSync(LIST, `${HASH}\n`);
  echo = await startFakeNode({
    intercept: ({ request, response, body }) => {
      // As proxies do: the whole address they were asked at, its credentials too.
      const login = Buffer.from(request.headers.authorization?.slice(6) ?? '', 'base64').toString();
      const url = `http://${login}@${request.headers.host}${request.url}`;
      said = `no access for ${url} (${request.headers.authorization}, ${encodeURIComponent(url)})`;
      const error = { code: -32000, message: said, data: said };
      const answers = [body]
        .flat()
        .map((call) => ({ jsonrpc: '2.0', id: (call as { id: number }).id, error }));
      response.writeHead(200, said.length % 2 ? {} : { 'x-url': url });
      response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
      return true;
    },
  });
});
afterAll(async () => {
  await echo?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(Object.entries(ADDRESSES))("the node's address with %s", (_, address) => {
  it.each([
    ['is not there', () => '127.0.0.1:1'],
    ['repeats it', () => new URL(echo.url).host],
  ])('gives nothing away where the node %s', async (_node, host) => {
    const url = address(host());
    const present = FORBIDDEN.filter((key) => url.includes(key));
    expect(present.length).toBeGreaterThan(0);
    said = '';
    const runs = COMMANDS.map(async (args) => {
      const env = { RPC_URL: url, RPC_RETRIES: '0', LOG_LEVEL: 'trace', DEBUG: '1' };
      return { args, ...(await runCli(args, { env })) };
    });
    for (const { args, code, out, err } of await Promise.all(runs)) {
      expect(code, `${args[0]}: ${out}${err}`).not.toBe(0);
      expect(out + err, args[0]).not.toBe('');
      for (const key of FORBIDDEN) expect(`${out}${err}`, args[0]).not.toContain(key);
    }
    if (host() !== '127.0.0.1:1') for (const key of present) expect(said).toContain(key);
  });
});
