// The library and the client as packages of their own, beside nothing but the dependencies they name.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { builtPackage } from '../cli/builtCli.ts';
import { HASH_OF, startRecordedNode } from '../cli/recordedNode.ts';
import type { FakeNode } from '../support/fakeNode.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

const ROOT = join(import.meta.dirname, '../..');
const MOST_MB = 90;

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
}
interface Lock {
  readonly packages: Readonly<Record<string, { readonly dependencies?: Readonly<Record<string, string>> }>>;
}
const json = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T;

/** Packs a part and unpacks it into an empty project, its dependencies linked; returns the project. */
function installed(part: 'client' | 'library'): string {
  const project = mkdtempSync(join(tmpdir(), `txreport-${part}-user-`));
  execFileSync(
    process.execPath,
    [join(ROOT, 'node_modules/tsx/dist/cli.mjs'), join(ROOT, 'scripts/pack.ts'), part, builtPackage()],
    { cwd: project, stdio: 'pipe' },
  );
  const archive = readdirSync(project).find((name) => name.endsWith('.tgz'))!;
  const target = join(project, 'node_modules', `txreport-${part}`);
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['-xzf', join(project, archive), '--strip-components=1', '-C', target]);
  for (const name of Object.keys(json<Manifest>(join(target, 'package.json')).dependencies)) {
    mkdirSync(join(project, 'node_modules', name, '..'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
  }
  return project;
}

/** Folders of these packages and all they depend on, as the lock file places them. */
function closure(names: readonly string[]): Set<string> {
  const { packages } = json<Lock>(join(ROOT, 'package-lock.json'));
  const place = (name: string, from: string): string | undefined => {
    for (let at = from; ; at = at.slice(0, Math.max(at.lastIndexOf('/node_modules/'), 0))) {
      const path = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
      if (path in packages) return path;
      if (at === '') return undefined;
    }
  };
  const found = new Set<string>(names.map((name) => `node_modules/${name}`));
  for (const path of found)
    for (const name of Object.keys(packages[path]?.dependencies ?? {})) {
      const at = place(name, path);
      if (at !== undefined) found.add(at);
    }
  return found;
}

/** Room on disk in megabytes; nested packages are counted with the one around them. */
function megabytes(folders: readonly string[]): number {
  const outer = folders.filter((one) => !folders.some((other) => one.startsWith(`${other}/`)));
  const total = execFileSync('du', ['-skc', ...outer], { cwd: ROOT, encoding: 'utf8' });
  return Number(/(\d+)\ttotal/.exec(total)![1]) / 1_024;
}

const execute = promisify(execFile);

/** What a module printed. */
async function run(cwd: string, code: string): Promise<string> {
  const { stdout } = await execute(process.execPath, ['--input-type=module', '-e', code], { cwd });
  return stdout;
}

describe('the library alone', () => {
  let node: FakeNode;
  let project: string;
  beforeAll(async () => {
    node = await startRecordedNode();
    project = installed('library');
  });
  afterAll(() => node?.close());

  it('analyses a transaction', async () => {
    const hash = HASH_OF['swap-v2-eth-usdc'];
    const code = `
      import { analyze } from 'txreport-library';
      import { SCHEMA_VERSION } from 'txreport-library/client';
      const { classification } = await analyze('${hash}', { rpcUrl: '${node.url}' });
      console.log(SCHEMA_VERSION, classification.intent_label);`;
    expect(await run(project, code)).toBe('1 Swap 1 ETH for 3,388.11 USDC on Uniswap V2\n');
  });

  it(`takes at most ${MOST_MB} MB with all it depends on`, () => {
    const target = join(project, 'node_modules/txreport-library');
    const { dependencies } = json<Manifest>(join(target, 'package.json'));
    const size = megabytes([target, ...closure(Object.keys(dependencies))]);
    expect(size).toBeLessThan(MOST_MB);
    for (const part of ['@modelcontextprotocol/sdk', 'vscode-languageserver', 'hyparquet-writer', 'express'])
      expect(dependencies).not.toHaveProperty([part]);
  });
});

describe('the client alone', () => {
  it('depends on nothing', async () => {
    const project = installed('client');
    const manifest = json<Manifest>(join(project, 'node_modules/txreport-client/package.json'));
    expect(manifest.dependencies).toEqual({});
    const code = "import { createClient } from 'txreport-client'; console.log(typeof createClient)";
    expect(await run(project, code)).toBe('function\n');
  });
});
