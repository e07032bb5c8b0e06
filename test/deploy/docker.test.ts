// There is no container engine where these tests run, so the Dockerfile is read, and its steps are played in folders.
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/service/config.ts';
import { HASH_OF, startRecordedNode } from '../cli/recordedNode.ts';
import { developmentOnly } from '../support/dependencies.ts';
import { ROOT, readCopy, readDockerfile, type Stage } from './dockerfile.ts';

const stages = readDockerfile();
const last = stages.at(-1)!;
const all = (stage: Stage, name: string) =>
  stage.instructions.filter((instruction) => instruction.name === name).map(({ args }) => args);
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  engines: { node: string };
  bin: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};
const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Parameters<
  typeof developmentOnly
>[1];

describe('the Dockerfile', () => {
  it('builds in stages of which the last carries nothing to build with', () => {
    expect(stages.map(({ name }) => name)).toEqual(['build', 'dependencies', 'runtime']);
    expect(new Set(stages.map(({ image }) => image)).size).toBe(1);
    expect(all(last, 'RUN')).toEqual([]);
    expect(all(last, 'COPY').join()).not.toMatch(/\bsrc\b|\btest\b/);
  });

  it('runs a Node.js the package accepts, pinned', () => {
    const [, version] = /^node:(\d+\.\d+\.\d+)-alpine$/.exec(last.image)!;
    const [major, minor] = version!.split('.').map(Number) as [number, number];
    const [, wantMajor, wantMinor] = /^>=(\d+)\.(\d+)$/.exec(manifest.engines.node)!.map(Number) as [
      number,
      number,
      number,
    ];
    expect(major > wantMajor || (major === wantMajor && minor >= wantMinor)).toBe(true);
  });

  it('installs from the lock file, without scripts of others, and without development tools where they are not needed', () => {
    const installs = stages.map((stage) =>
      all(stage, 'RUN')
        .filter((run) => run.includes('npm '))
        .map((run) => run.replace(/^--mount=\S+ /, '')),
    );
    expect(installs).toEqual([
      ['npm ci --ignore-scripts --no-audit', 'npm run build'],
      ['npm ci --omit=dev --ignore-scripts --no-audit'],
      [],
    ]);
  });

  it('copies what exists, and what .dockerignore lets through', () => {
    const allowed = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const used = new Set<string>();
    for (const stage of stages)
      for (const { from, sources } of all(stage, 'COPY').map(readCopy)) {
        for (const source of sources) {
          if (from !== null)
            expect(stages.slice(0, stages.indexOf(stage)).map(({ name }) => name)).toContain(from);
          else {
            expect(existsSync(join(ROOT, source)), source).toBe(true);
            expect(allowed).toContain(source);
            used.add(source);
          }
        }
      }
    expect([...used].sort()).toEqual([...allowed].sort());
  });

  it('runs as an unprivileged user, listens where the service does by default, and is watched', () => {
    const [user] = all(last, 'USER');
    expect(Number(user!.split(':')[0])).toBeGreaterThan(0);
    const position = (name: string) =>
      last.instructions.findIndex((instruction) => instruction.name === name);
    expect(position('USER')).toBeGreaterThan(last.instructions.findLastIndex(({ name }) => name === 'COPY'));
    expect(all(last, 'EXPOSE')).toEqual([String(readConfig({}).port)]);
    expect(all(last, 'HEALTHCHECK')[0]).toMatch(/CMD \["node", "deploy\/healthcheck\.mjs"\]$/);
    expect(JSON.parse(all(last, 'ENTRYPOINT')[0]!)).toEqual([
      'node',
      '--enable-source-maps',
      '--single-threaded-gc',
      '--no-allocation-site-pretenuring',
      '--max-semi-space-size=32',
      '--max-inlined-bytecode-size-cumulative=300',
      '--no-addons',
      '--disable-proto=delete',
      manifest.bin['txreport'],
    ]);
    expect(JSON.parse(all(last, 'CMD')[0]!)).toEqual(['serve']);
  });
});

/** Plays the stages in folders; `npm ci` of the build borrows this repository's packages, that of the image installs its own. */
function play(): { root: string; failed: string | null } {
  const base = mkdtempSync(join(tmpdir(), 'txreport-image-'));
  const folder = (stage: string) => join(base, stage);
  for (const stage of stages) {
    let workdir = '/';
    for (const { name, args } of stage.instructions) {
      const here = () => join(folder(stage.name), workdir);
      if (name === 'WORKDIR') mkdirSync(join(folder(stage.name), (workdir = args)), { recursive: true });
      else if (name === 'COPY') {
        const { from, sources, target } = readCopy(args);
        for (const source of sources) {
          const origin = from === null ? join(ROOT, source) : join(folder(from), source);
          const into =
            sources.length > 1 || target.endsWith('/')
              ? join(here(), target, source)
              : join(here(), normalize(target));
          mkdirSync(dirname(into), { recursive: true });
          cpSync(origin, into, { recursive: true, verbatimSymlinks: true });
        }
      } else if (name === 'RUN') {
        const command = args.replace(/^--mount=\S+ /, '');
        if (stage.name === 'build' && command.startsWith('npm ci')) {
          symlinkSync(join(ROOT, 'node_modules'), join(here(), 'node_modules'));
          continue;
        }
        const run = spawnSync('sh', ['-c', command], {
          cwd: here(),
          encoding: 'utf8',
          env: { ...process.env, npm_config_offline: 'true' },
        });
        if (run.status !== 0)
          return { root: folder(last.name), failed: `${command}: ${run.stderr.slice(-400)}` };
      }
    }
  }
  return { root: folder(last.name), failed: null };
}

const bytes = (path: string): number =>
  statSync(path).isDirectory()
    ? readdirSync(path).reduce((sum, name) => sum + bytes(join(path, name)), 0)
    : statSync(path).size;

describe('what the Dockerfile makes', () => {
  const made: { root: string | null } = { root: null };
  afterAll(async () => {
    if (made.root !== null) await rm(dirname(made.root), { recursive: true, force: true });
  });

  it('serves, tells its health, and analyses, with production packages alone', async (ctx) => {
    const { root, failed } = play();
    made.root = root;
    if (failed?.includes('npm ci') && /ENOTCACHED|cache mode/.test(failed)) {
      console.warn(
        `SKIPPED: npm cannot install offline here, so the image was not played (${failed.split('\n')[0]})`,
      );
      return ctx.skip();
    }
    expect(failed).toBeNull();
    const app = join(root, 'app');
    for (const name of developmentOnly(manifest, lock))
      expect(existsSync(join(app, 'node_modules', name)), name).toBe(false);
    console.info(`the application in the image takes ${(bytes(app) / 1e6).toFixed(0)} MB`);
    expect(bytes(app)).toBeLessThan(150e6);

    const node = await startRecordedNode();
    const [command, ...args] = JSON.parse(all(last, 'ENTRYPOINT')[0]!) as string[];
    const cmd = JSON.parse(all(last, 'CMD')[0]!) as string[];
    const env = {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      RPC_URL: node.url,
      PORT: '0',
      HOST: '127.0.0.1',
    };
    const service = spawn(command!, [...args, ...cmd], { cwd: app, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [service.stdout, service.stderr])
      stream.on('data', (data: Buffer) => (output += data.toString()));
    const ended = new Promise<number | null>((resolve) => service.once('close', resolve));
    while (!/"url":"([^"]+)"/.test(output)) {
      if (service.exitCode !== null) throw new Error(output);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const url = /"url":"([^"]+)"/.exec(output)![1]!;
    const check = () =>
      new Promise<number | null>((resolve) =>
        spawn(process.execPath, [join(app, 'deploy/healthcheck.mjs')], {
          env: { ...env, PORT: new URL(url).port },
        }).once('close', resolve),
      );
    expect(await check()).toBe(0);
    const answer = await fetch(`${url}/analyze`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tx_hash: HASH_OF['swap-v2-eth-usdc'] }),
    });
    expect(await answer.json()).toMatchObject({ classification: { intent_kind: 'DirectSwap' } });
    service.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(await check()).toBe(1);
    const help = spawnSync(command!, [...args, 'batch', '--help'], { cwd: app, env, encoding: 'utf8' });
    expect(help.stdout).toContain('--shard');
    await node.close();
  });
});
