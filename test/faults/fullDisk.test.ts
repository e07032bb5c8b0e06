// A batch on a disk that fills up: a small tmpfs, made larger for the second run. Needs leave to mount.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RECORDINGS, startRecordedNode } from '../cli/recordedNode.ts';
import { runCli } from '../cli/runCli.ts';
import type { FakeNode } from '../support/fakeNode.ts';

const mount = (...args: string[]): boolean => spawnSync('mount', args).status === 0;
const disks: string[] = [];
/** A new disk of 128 KiB; null where none may be mounted. */
function newDisk(): string | null {
  const disk = mkdtempSync(join(tmpdir(), 'txreport-disk-'));
  if (!mount('-t', 'tmpfs', '-o', 'size=128k', 'txreport', disk)) return null;
  disks.push(disk);
  return disk;
}
const mounted = newDisk() !== null;
if (!mounted) console.warn('SKIPPED: a full disk needs leave to mount a tmpfs, which is not given here');

const HASHES = RECORDINGS.map(({ hash }) => hash).sort();
const folder = mkdtempSync(join(tmpdir(), 'txreport-list-'));
const list = join(folder, 'list.txt');
writeFileSync(list, `${HASHES.join('\n')}\n`);
const blocks = join(folder, 'blocks.txt');
const numbers = RECORDINGS.map(({ rpc }) => BigInt(rpc.block.number)).sort((a, b) => (a < b ? -1 : 1));
writeFileSync(blocks, `${numbers.join('\n')}\n`);

let node: FakeNode;
beforeAll(async () => {
  node = await startRecordedNode();
});
afterAll(async () => {
  await node.close();
  for (const disk of disks) spawnSync('umount', ['-l', disk]);
});

const hashesOfLines = (out: string): string[] =>
  readFileSync(out, 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { tx: { hash: string } }).tx.hash);

async function hashesOfTables(out: string): Promise<string[]> {
  const duck = await (await DuckDBInstance.create(':memory:')).connect();
  const rows = await duck.runAndReadAll(
    `SELECT tx_hash FROM read_parquet('${out}/transactions/**/*.parquet')`,
  );
  duck.closeSync();
  return rows.getRows().map(([hash]) => String(hash));
}

const BATCHES = {
  'of hashes': { args: [list], name: 'reports.ndjson', read: hashesOfLines },
  'of blocks': { args: ['--blocks', blocks], name: 'reports.ndjson', read: hashesOfLines },
  'of blocks, as Parquet': {
    args: ['--blocks', blocks, '--format', 'parquet', '--partition', 'day'],
    name: 'tables',
    read: hashesOfTables,
  },
};

describe.skipIf(!mounted)('a batch on a full disk', () => {
  it.each(Object.entries(BATCHES))(
    '%s ends with a message and status 3; the same command continues where there is room',
    async (_, { args, name, read }) => {
      const disk = newDisk()!;
      const out = join(disk, name);
      const run = () => runCli(['batch', ...args, '--quiet', '--out', out], { env: { RPC_URL: node.url } });

      const full = await run();
      expect(full.err).toMatch(
        /^cannot write \S*\/(reports\.ndjson|tables)\S*: ENOSPC[^\n]*; run the same command again to continue\n$/,
      );
      expect(full.code).toBe(3);

      expect(mount('-o', 'remount,size=64m', disk)).toBe(true);
      const resumed = await run();
      expect([resumed.code, resumed.err]).toEqual([0, '']);
      expect((await read(out)).sort()).toEqual(HASHES);
    },
  );
});

describe.skipIf(!mounted)('a batch on a disk that may only be read', () => {
  it('names the fault, with status 3', async () => {
    const disk = newDisk()!;
    expect(mount('-o', 'remount,ro', disk)).toBe(true);
    const run = await runCli(['batch', list, '--out', join(disk, 'out')], { env: { RPC_URL: node.url } });
    expect(run.err).toMatch(/^cannot write \S*\/out: EROFS: read-only file system/);
    expect(run.code).toBe(3);
  });
});
