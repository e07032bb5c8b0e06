// A clone after `npm run build`, as `npm start` makes it: the command still runs.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ENGINE_VERSION } from '../../src/analyze.ts';

const ROOT = join(import.meta.dirname, '../..');
const clone = mkdtempSync(join(tmpdir(), 'txreport-clone-'));

beforeAll(() => {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0');
  for (const file of files.filter(Boolean)) cpSync(join(ROOT, file), join(clone, file), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
});
afterAll(() => rmSync(clone, { recursive: true, force: true }));

it('has a command that may be executed after every build', () => {
  const build = spawnSync('npm', ['run', 'build'], { cwd: clone, encoding: 'utf8' });
  expect(build.status, build.stdout + build.stderr).toBe(0);
  const command = join(clone, 'dist/tools/cli/cli.js');
  expect(spawnSync(command, ['--version'], { encoding: 'utf8' })).toMatchObject({
    status: 0,
    stdout: `${ENGINE_VERSION}\n`,
  });
});

it('is built again only after a source changed', () => {
  const built = (): number => statSync(join(clone, 'dist/.built')).ino;
  const prepare = (): number => {
    const { status, stderr } = spawnSync('npm', ['run', 'prepare'], { cwd: clone, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    return built();
  };
  const before = built();
  expect(prepare()).toBe(before);
  const later = new Date(Date.now() + 1_000);
  utimesSync(join(clone, 'src/analyze.ts'), later, later);
  expect(prepare()).not.toBe(before);
});
