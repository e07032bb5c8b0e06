// What users get: the package packed as npm packs it and installed into an empty project, without the development tools.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { builtPackage } from '../cli/builtCli.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

const ROOT = join(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  files: string[];
  dependencies: Record<string, string>;
  bin: Record<string, string>;
};
const project = mkdtempSync(join(tmpdir(), 'txreport-user-'));
const installed = join(project, 'node_modules/txreport');
const npm = (args: string[], cwd: string) =>
  spawnSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel', 'error'], { cwd, encoding: 'utf8' });
const node = (code: string) =>
  execFileSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: project,
    encoding: 'utf8',
    stdio: 'pipe',
  });

beforeAll(() => {
  // Packed from a copy: the repository's own dist may be of another state, and packing must not touch it.
  const source = mkdtempSync(join(tmpdir(), 'txreport-pack-'));
  for (const entry of ['package.json', ...manifest.files.filter((name) => !name.startsWith('dist'))]) {
    cpSync(join(ROOT, entry), join(source, entry), { recursive: true, force: true, errorOnExist: false });
  }
  cpSync(join(builtPackage(), 'dist'), join(source, 'dist'), { recursive: true });
  const packed = npm(['pack', '--ignore-scripts', '--pack-destination', project], source);
  expect(packed.status, packed.stderr).toBe(0);
  const archive = readdirSync(project).find((name) => name.endsWith('.tgz'))!;
  writeFileSync(join(project, 'package.json'), '{"name":"user","private":true,"type":"module"}');
  const install = npm(
    [
      'install',
      '--ignore-scripts',
      '--offline',
      '--omit=dev',
      '--omit=optional',
      '--legacy-peer-deps',
      `./${archive}`,
    ],
    project,
  );
  if (install.status === 0) return;
  console.warn(
    `npm cannot install offline here (${install.stderr.split('\n')[0]}): unpacking the archive beside this repository's dependencies instead`,
  );
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(project, archive), '--strip-components=1', '-C', installed]);
  for (const name of Object.keys(manifest.dependencies)) {
    mkdirSync(join(project, 'node_modules', name, '..'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
  }
  mkdirSync(join(project, 'node_modules/.bin'), { recursive: true });
  symlinkSync('../txreport/dist/tools/cli/cli.js', join(project, 'node_modules/.bin/txreport'));
});

describe('the installed package', () => {
  it('exports the client', () => {
    expect(
      node(
        "const m = await import('txreport/client'); console.log(typeof m.createClient, typeof m.TxReportError, m.SCHEMA_VERSION)",
      ),
    ).toBe('function function 1\n');
  });

  it('exports every published schema', () => {
    const wanted = [
      'openapi.yaml',
      ...['analyze-request', 'error', 'tx-report'].map((name) => `http/${name}.schema.json`),
    ];
    for (const name of wanted) {
      const path = node(
        `process.stdout.write((await import('node:url')).fileURLToPath(import.meta.resolve('txreport/schemas/${name}')))`,
      );
      expect(readFileSync(path, 'utf8')).toBe(readFileSync(join(ROOT, 'schemas', name), 'utf8'));
    }
    expect(
      node(
        "import schema from 'txreport/schemas/http/tx-report.schema.json' with { type: 'json' }; console.log(schema.title)",
      ),
    ).toContain('TxReport');
  });

  it('exports nothing else of its insides', () => {
    expect(() => node("await import('txreport/dist/analyze.js')")).toThrow('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  it.each([
    [['mcp', '--rpc', 'http://127.0.0.1:1'], /^@modelcontextprotocol\/sdk|zod$/],
    [['rules', 'lsp'], /^vscode-languageserver$/],
  ])('says which optional package %j needs', (args, wanted) => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(project, 'node_modules/.bin/txreport'), ...args],
      { cwd: project, encoding: 'utf8' },
    );
    const [, named = stderr] =
      /needs the package (\S+), which is not installed: npm install \1\n$/.exec(stderr) ?? [];
    expect(named).toMatch(wanted);
    expect(status).toBe(1);
  });

  it('carries types that a consumer compiles against', () => {
    writeFileSync(
      join(project, 'consumer.ts'),
      `
import { createClient, type TxReport } from 'txreport/client';
const client = createClient({ baseUrl: 'http://127.0.0.1:3000' });
export async function headline(hash: string): Promise<'Proven' | 'Suspected'> {
  const report: TxReport = await client.analyze(hash);
  // @ts-expect-error there is no such field
  report.classification.nonsense;
  return report.classification.status;
}
`,
    );
    const tsc = spawnSync(
      process.execPath,
      [
        join(ROOT, 'node_modules/typescript/bin/tsc'),
        '--noEmit',
        '--strict',
        '--module',
        'nodenext',
        '--lib',
        'es2023,dom',
        '--types',
        '',
        'consumer.ts',
      ],
      { cwd: project, encoding: 'utf8' },
    );
    expect(tsc.stdout + tsc.stderr).toBe('');
    expect(tsc.status).toBe(0);
  });

  it('has the command, with rules and schemas it finds', () => {
    const bin = join(project, 'node_modules/.bin/txreport');
    expect(execFileSync(process.execPath, [bin, '--help'], { encoding: 'utf8' })).toContain('txreport');
    const lint = spawnSync(process.execPath, [bin, 'rules', 'lint'], { cwd: project, encoding: 'utf8' });
    expect(lint.stdout).toMatch(/^ok: /);
    writeFileSync(join(project, 'bad.json'), '{"schema_version":1}');
    expect(
      spawnSync(process.execPath, [bin, 'validate', 'bad.json'], { cwd: project, encoding: 'utf8' }),
    ).toMatchObject({ status: 1, stdout: expect.stringContaining('must have required property') as string });
  });
});
