// The flags of Node.js that docs/security.md speaks of: with which the service runs, and with which it does not.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { builtPackage } from '../cli/builtCli.ts';
import { HASH_OF, startRecordedNode } from '../cli/recordedNode.ts';
import type { FakeNode } from '../support/fakeNode.ts';

const ROOT = join(import.meta.dirname, '../..');
let app: string;
let node: FakeNode;
let child: ChildProcess | undefined;
beforeAll(async () => {
  app = realpathSync(builtPackage());
  node = await startRecordedNode();
});
afterEach(() => void child?.kill('SIGKILL'));
afterAll(() => node.close());

const IMAGE = ['--no-addons', '--disable-proto=delete'];
const permission = (): string[] => [
  // The name it has had since Node.js 22.
  Number(process.versions.node.split('.')[0]) < 22 ? '--experimental-permission' : '--permission',
  `--allow-fs-read=${app}/*`,
  `--allow-fs-read=${ROOT}/*`,
  ...(Number(process.versions.node.split('.')[0]) < 25 ? [] : ['--allow-net']),
];

/** Starts the service; what it said before it ended, or how it answers one analysis. */
async function run(
  flags: readonly string[],
  env: Record<string, string> = {},
): Promise<{ started: boolean; status: number | null; error: string; exit: number | null; said: string }> {
  child = spawn(process.execPath, [...flags, join(app, 'dist/tools/cli/cli.js'), 'serve'], {
    env: { PATH: process.env['PATH'], RPC_URL: node.url, HOST: '127.0.0.1', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const own = child;
  let said = '';
  for (const stream of [own.stdout!, own.stderr!])
    stream.on('data', (data: Buffer) => (said += data.toString()));
  const ended = new Promise<number | null>((resolve) => own.once('close', resolve));
  let url: string | undefined;
  while (!(url = /"url":"(http:[^"]+)"/.exec(said)?.[1])) {
    if (own.exitCode !== null) return { started: false, status: null, error: '', exit: await ended, said };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const response = await fetch(`${url}/analyze`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tx_hash: HASH_OF['swap-v2-eth-usdc'] }),
  });
  const body = (await response.json()) as { error?: string };
  own.kill('SIGTERM');
  return { started: true, status: response.status, error: body.error ?? '', exit: await ended, said };
}

const well = { started: true, status: 200, error: '', exit: 0 };

describe('the service runs', () => {
  it.each<[string, Record<string, string>]>([
    ['as the image starts it', {}],
    ['and large answers on their thread', { LARGE_BYTES: '1000' }],
    ['and several processes', { WORKERS: '2' }],
  ])('without native addons and without __proto__, %s', async (_, env) =>
    expect(await run(IMAGE, env)).toMatchObject(well),
  );

  it.each<Record<string, string>>([{}, { LARGE_BYTES: '1000' }])(
    'without code from strings, on the shipped rules %j',
    async (env) =>
      expect(await run([...IMAGE, '--disallow-code-generation-from-strings'], env)).toMatchObject(well),
  );

  it('with no permission but to read its own files', async () =>
    expect(await run([...IMAGE, ...permission()])).toMatchObject(well));
  it('with that and child processes, for large answers', async () =>
    expect(
      await run([...IMAGE, ...permission(), '--allow-child-process'], { LARGE_BYTES: '1000' }),
    ).toMatchObject(well));
});

describe('the service does not run', () => {
  it('with frozen intrinsics: a package of Express changes the stack traces it reads', async () => {
    const { started, said } = await run(['--frozen-intrinsics']);
    expect([started, said]).toEqual([false, expect.stringContaining('prepareStackTrace')]);
  });
  it("without code from strings where rules of one's own are checked", async () => {
    const own = mkdtempSync(join(tmpdir(), 'own-rules-'));
    mkdirSync(join(own, 'entities'));
    writeFileSync(join(own, 'entities/own.yaml'), 'slug: own\nversion: 1\nstatus: stable\naccounts: []\n');
    const { started, said } = await run(['--disallow-code-generation-from-strings'], { RULES_DIR: own });
    rmSync(own, { recursive: true });
    expect([started, said]).toEqual([
      false,
      expect.stringContaining('Code generation from strings disallowed'),
    ]);
  });
  it('as several processes without the permission for them', async () => {
    const { started, said } = await run([...permission(), '--allow-worker'], { WORKERS: '2' });
    expect([started, said]).toEqual([false, expect.stringContaining('restricted')]);
  });
});
