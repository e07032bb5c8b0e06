import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/txreport');

/**
 * The package as `npm run build` makes it, in a folder of its own, built once per state of the sources: processes that
 * tests start come up faster from it, and what they run is what is published. Returns that package's root.
 */
export function builtPackage(): string {
  const key = createHash('sha256');
  for (const folder of ['src', 'rules']) for (const file of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((name) => /\.(ts|yaml)$/.test(name)).sort()) {
    key.update(file).update(readFileSync(join(ROOT, folder, file)));
  }
  for (const file of ['package.json', 'tsconfig.json']) key.update(readFileSync(join(ROOT, file)));
  const target = join(CACHE, `package-${key.digest('hex').slice(0, 16)}`);
  if (existsSync(target)) return target;
  mkdirSync(CACHE, { recursive: true });
  for (const name of readdirSync(CACHE).filter((entry) => /^(package|draft)-/.test(entry))) {
    if (Date.now() - statSync(join(CACHE, name)).mtimeMs > 6 * 3_600_000) rmSync(join(CACHE, name), { recursive: true, force: true });
  }
  const draft = mkdtempSync(join(CACHE, 'draft-'));
  execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', join(ROOT, 'tsconfig.json'), '--outDir', join(draft, 'dist')], { stdio: 'pipe' });
  for (const folder of ['rules', 'schemas']) symlinkSync(join(ROOT, folder), join(draft, folder));
  copyFileSync(join(ROOT, 'package.json'), join(draft, 'package.json'));
  // What the build compiles beforehand makes every start faster; without it everything works alike.
  const writeCache = join(draft, 'dist/cache/writeCache.js');
  if (existsSync(writeCache)) spawnSync(process.execPath, [writeCache], { stdio: 'ignore' });
  try {
    renameSync(draft, target);
  } catch (error) {
    // Another test file was faster.
    if (!existsSync(target)) throw error;
    rmSync(draft, { recursive: true });
  }
  return target;
}
