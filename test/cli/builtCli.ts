import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  cpSync,
  copyFileSync,
} from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/txreport');

/** After so long a build is taken for one that was killed. */
const BUILD_MS = 180_000;

/**
 * The package as `npm run build` makes it, in a folder of its own, built once per state of the sources: processes that
 * tests start come up faster from it, and what they run is what is published. Returns that package's root.
 */
export function builtPackage(): string {
  const target = join(CACHE, `package-${stateOfSources()}`);
  if (existsSync(target)) return target;
  mkdirSync(CACHE, { recursive: true });
  forgetOld();
  // Suites run side by side: one builds, the others wait for it, rather than all building at once and none coming to an end.
  const lock = `${target}.lock`;
  while (!taken(lock)) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    if (existsSync(target)) return target;
  }
  try {
    if (!existsSync(target)) build(target);
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
  return target;
}

function stateOfSources(): string {
  const key = createHash('sha256');
  for (const folder of ['src', 'rules', 'schemas'])
    for (const file of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|yaml|json|lock)$/.test(name))
      .sort()) {
      key.update(file).update(readFileSync(join(ROOT, folder, file)));
    }
  for (const file of ['package.json', 'tsconfig.json', 'scripts/bundle.mjs'])
    key.update(readFileSync(join(ROOT, file)));
  return key.digest('hex').slice(0, 16);
}

function forgetOld(): void {
  for (const name of readdirSync(CACHE).filter((entry) => /^(package|draft)-/.test(entry))) {
    if (age(join(CACHE, name)) > 6 * 3_600_000) rmSync(join(CACHE, name), { recursive: true, force: true });
  }
}

function age(path: string): number {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
}

function taken(lock: string): boolean {
  if (age(lock) > BUILD_MS) rmSync(lock, { recursive: true, force: true });
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function build(target: string): void {
  const draft = mkdtempSync(join(CACHE, 'draft-'));
  try {
    execFileSync(
      process.execPath,
      [
        join(ROOT, 'node_modules/typescript/bin/tsc'),
        '-p',
        join(ROOT, 'tsconfig.json'),
        '--outDir',
        join(draft, 'dist'),
      ],
      { stdio: 'pipe', encoding: 'utf8' },
    );
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw new Error(`the sources do not compile:\n${(error as { stdout: string }).stdout}`);
  }
  execFileSync(process.execPath, [join(ROOT, 'scripts/bundle.mjs'), join(draft, 'dist')], { stdio: 'pipe' });
  // Copied: what is edited meanwhile belongs to another package.
  for (const folder of ['rules', 'schemas'])
    cpSync(join(ROOT, folder), join(draft, folder), { recursive: true });
  copyFileSync(join(ROOT, 'package.json'), join(draft, 'package.json'));
  // What the build compiles beforehand makes every start faster; without it everything works alike.
  const writeCache = join(draft, 'dist/service/cache/writeCache.js');
  if (existsSync(writeCache)) spawnSync(process.execPath, [writeCache], { stdio: 'ignore' });
  renameSync(draft, target);
}
