// The guides, followed to the letter: every command runs in a shell as it stands, every output shown comes, every piece of
// TypeScript compiles.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startServer } from '../../src/service/main.ts';
import type { RunningServer } from '../../src/service/server.ts';
import { builtPackage } from '../cli/builtCli.ts';
import { RECORDINGS, startRecordedNode } from '../cli/recordedNode.ts';
import type { FakeNode } from '../support/fakeNode.ts';
import { REPLAY_AVAILABLE, startReplayNode, warnIfAbsent, type ReplayNode } from '../support/replayNode.ts';
import { DOCS, readGuides, type Guide } from './guides.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const ROOT = join(DOCS, '..');
const guides = readGuides();

/** Pages whose commands ask for mainnet transactions. */
const ON_MAINNET = ['reading-reports.md', 'queries.md'];
warnIfAbsent(`the commands of ${ON_MAINNET.join(', ')}`);

let node: FakeNode;
let mainnet: ReplayNode | null = null;
let service: RunningServer;
let bin: string;
let packageRoot: string;
beforeAll(async () => {
  node = await startRecordedNode();
  if (REPLAY_AVAILABLE) mainnet = await startReplayNode({ files: ['whole-blocks.ndjson.gz'] });
  service = await startServer({
    rpcUrl: node.url,
    host: '127.0.0.1',
    port: 0,
    adminHost: '127.0.0.1',
    adminPort: 0,
    logLevel: 'silent',
  });
  bin = mkdtempSync(join(tmpdir(), 'txreport-bin-'));
  const cli = join(ownPackage(), 'dist/tools/cli/cli.js');
  // In this repository `npx txreport` and an installed `txreport` are the same program.
  for (const [name, shift] of [
    ['txreport', ''],
    ['npx', '[ "$1" = txreport ] || exit 99; shift; '],
  ] as const) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${shift}exec "${process.execPath}" "${cli}" "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  }
});
afterAll(() => Promise.all([service?.close(), node?.close(), mainnet?.close()]));

/** The package with rules of its own, which the guides' commands may write to. */
function ownPackage(): string {
  packageRoot = mkdtempSync(join(tmpdir(), 'txreport-package-'));
  for (const name of ['dist', 'rules', 'package.json'])
    cpSync(join(builtPackage(), name), join(packageRoot, name), { recursive: true });
  for (const name of ['schemas', 'node_modules']) symlinkSync(join(ROOT, name), join(packageRoot, name));
  return packageRoot;
}

/** A folder that looks like this repository to commands that look around. */
function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'txreport-guide-'));
  for (const name of ['schemas', 'test', 'docs']) symlinkSync(join(ROOT, name), join(path, name));
  symlinkSync(join(packageRoot, 'rules'), join(path, 'rules'));
  writeFileSync(
    join(path, 'hashes.txt'),
    `${RECORDINGS.slice(0, 12)
      .map(({ hash }) => hash)
      .join('\n')}\n`,
  );
  writeFileSync(
    join(path, 'blocks.txt'),
    `${RECORDINGS.slice(0, 12)
      .map(({ rpc }) => BigInt(rpc.block.number))
      .join('\n')}\n`,
  );
  return path;
}

/** Runs every shell block of a guide in one session, so that later ones see the variables of earlier ones. */
async function follow(guide: Guide): Promise<{ fence: Guide['fences'][number]; output: string }[]> {
  const blocks = guide.fences.filter(({ language, notRun }) => language === 'sh' && notRun === null);
  const here = (text: string) =>
    text
      .replaceAll('http://127.0.0.1:3000', service.url)
      .replaceAll('http://127.0.0.1:9090', `http://127.0.0.1:${service.adminPort}`);
  const mark = '===end-of-block===';
  const script = blocks.map(({ text }) => `${here(text)}\necho '${mark}'`).join('\n');
  const child = spawn('bash', ['-eu', '-o', 'pipefail', '-c', script], {
    cwd: folder(),
    env: {
      PATH: `${bin}:${process.env['PATH']}`,
      RPC_URL: ON_MAINNET.includes(guide.name) ? mainnet!.url : node.url,
      HOME: process.env['HOME'] ?? '/',
      LANG: 'C.UTF-8',
      LC_ALL: 'C',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (data: Buffer) => (out += data.toString()));
  child.stderr.on('data', (data: Buffer) => (err += data.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  const outputs = out.split(`${mark}\n`);
  const stopped = blocks[outputs.length - 1];
  expect(
    code,
    `${guide.name}:${stopped?.line ?? ''}\n${stopped?.text ?? ''}\n${outputs.at(-1)}\n${err}`,
  ).toBe(0);
  return blocks.map((fence, i) => ({ fence, output: outputs[i]! }));
}

const hasJq = spawnSync('jq', ['--version']).status === 0;
if (!hasJq) console.warn('SKIPPED: the commands of the guides need jq, which is not installed');

describe.each(guides.map((guide) => [guide.name, guide] as const))('docs/%s', (name, guide) => {
  it.skipIf(!hasJq || (ON_MAINNET.includes(name) && !REPLAY_AVAILABLE))(
    'every command runs, and says what is shown',
    async () => {
      for (const { fence, output } of await follow(guide)) {
        const shown = guide.fences[guide.fences.indexOf(fence) + 1];
        if (shown?.language !== 'text') continue;
        for (const line of shown.text.trimEnd().split('\n'))
          expect(output.split('\n'), `${name}:${shown.line}`).toContain(line);
      }
    },
  );

  it('the TypeScript compiles', () => {
    const parts = guide.fences.filter(({ language }) => language === 'ts');
    if (parts.length === 0) return;
    const project = mkdtempSync(join(tmpdir(), 'txreport-ts-'));
    mkdirSync(join(project, 'node_modules'));
    symlinkSync(builtPackage(), join(project, 'node_modules/txreport'));
    symlinkSync(join(ROOT, 'node_modules/ajv'), join(project, 'node_modules/ajv'));
    writeFileSync(join(project, 'package.json'), '{"type":"module"}');
    parts.forEach(({ text }, i) => writeFileSync(join(project, `part${i}.ts`), text));
    const tsc = spawnSync(
      process.execPath,
      [
        join(ROOT, 'node_modules/typescript/bin/tsc'),
        '--noEmit',
        '--strict',
        '--module',
        'nodenext',
        '--resolveJsonModule',
        '--skipLibCheck',
        '--lib',
        'es2023,dom',
        '--types',
        '',
        ...parts.map((_, i) => `part${i}.ts`),
      ],
      { cwd: project, encoding: 'utf8' },
    );
    expect(tsc.stdout + tsc.stderr).toBe('');
  });

  it('names the languages of its examples, and why one does not run', () => {
    for (const { language, notRun } of guide.fences) {
      expect(['sh', 'text', 'json', 'ts', 'yaml', 'promql', 'sql', 'nginx']).toContain(language);
      if (notRun !== null) expect(notRun.length).toBeGreaterThan(5);
    }
    // An opening fence without a language would be overlooked.
    expect(guide.text.match(/^```/gm)?.length ?? 0).toBe(2 * guide.fences.length);
  });
});
