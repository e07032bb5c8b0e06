// Builds dist: compiler, bundles of the programs, compiled rules and schemas, viewer. `--if-stale`: only where a source is newer than the last build.
// Built beside dist and put in its place at the end: a service that runs from dist keeps its files until then.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, '.built');
const SOURCES = [
  'src',
  'scripts/bundle.mjs',
  'rules',
  'schemas',
  'viewer',
  'test/recordings',
  'package.json',
  'tsconfig.json',
];

/** The newest change of a file, or of anything in a folder, milliseconds. */
function changedAt(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return 0;
  const inside = stat.isDirectory() ? readdirSync(path).map((name) => changedAt(join(path, name))) : [];
  return Math.max(stat.mtimeMs, ...inside);
}

function step(what, file, ...args) {
  const began = performance.now();
  process.stderr.write(`${what} … `);
  const { status } = spawnSync(process.execPath, [file, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) process.exit(status ?? 1);
  process.stderr.write(`${((performance.now() - began) / 1_000).toFixed(1)} s\n`);
}

const sources = SOURCES.map((path) => join(ROOT, path));
if (process.argv.includes('--if-stale')) {
  const built = statSync(STAMP, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // The build writes none of its sources, so equal times mean a build after the change.
  if (built >= Math.max(...sources.map(changedAt))) process.exit(0);
}
const began = new Date();
const fresh = join(ROOT, `dist.${process.pid}`);
const module = (path) => join(ROOT, 'node_modules', path);
process.once('exit', () => rmSync(fresh, { recursive: true, force: true }));
step('compiling', module('typescript/bin/tsc'), '-p', 'tsconfig.json', '--outDir', fresh);
chmodSync(join(fresh, 'tools/cli/cli.js'), 0o755);
step('bundling', join(ROOT, 'scripts/bundle.mjs'), fresh);
step('rules and schemas', join(fresh, 'service/cache/writeCache.js'));
step('viewer', module('tsx/dist/cli.mjs'), 'viewer/build.ts', fresh);
const old = `${fresh}.old`;
if (existsSync(DIST)) renameSync(DIST, old);
renameSync(fresh, DIST);
rmSync(old, { recursive: true, force: true });
// As old as the beginning: what changed meanwhile is built again.
writeFileSync(STAMP, '');
utimesSync(STAMP, began, began);
