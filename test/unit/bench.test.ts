import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const bench = (...args: string[]) =>
  spawnSync(process.execPath, ['--import', 'tsx', 'bench/run.ts', ...args], { cwd: ROOT, encoding: 'utf8' });

describe('npm run bench', () => {
  it('helps without a build', () => {
    const { status, stdout, stderr } = bench('--help');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const part of ['start', 'pipeline', 'load', 'latency', 'growth', 'isolation'])
      expect(stdout).toContain(`\n${part === 'start' ? 'PART   ' : '       '}${part} `);
  });

  it.each([
    [['--only', 'nonsense'], 'no part is called nonsense'],
    [['--nonsense'], "Unknown option '--nonsense'"],
    [['no/such/place'], 'no/such/place does not exist'],
  ])('refuses %j', (args, message) => {
    const { status, stderr } = bench(...args);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });

  it('names only modules of the build that have a source', () => {
    const named: string[] = [];
    for (const file of readdirSync(join(ROOT, 'bench'), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts')) continue;
      const text = readFileSync(join(ROOT, 'bench', file), 'utf8');
      for (const [, path] of text.matchAll(/'(?:\.\/)?(?:dist\/)?([a-z0-9-]+(?:\/[a-zA-Z0-9-]+)+)\.js'/g))
        named.push(path!);
    }
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => !existsSync(join(ROOT, 'src', `${path}.ts`)))).toEqual([]);
  });
});
