// A batch on a disk that fills up: a tmpfs of 128 KiB, made larger for the second run. Needs leave to mount.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RECORDINGS, startRecordedNode } from '../cli/recordedNode.ts';
import { runCli } from '../cli/runCli.ts';
import type { FakeNode } from '../support/fakeNode.ts';

const disk = mkdtempSync(join(tmpdir(), 'txreport-disk-'));
const mount = (...args: string[]): boolean => spawnSync('mount', args).status === 0;
const mounted = mount('-t', 'tmpfs', '-o', 'size=128k', 'txreport', disk);
if (!mounted) console.warn('SKIPPED: a full disk needs leave to mount a tmpfs, which is not given here');

let node: FakeNode;
beforeAll(async () => {
  node = await startRecordedNode();
});
afterAll(async () => {
  await node.close();
  if (mounted) spawnSync('umount', ['-l', disk]);
});

describe.skipIf(!mounted)('a batch on a full disk', { timeout: 300_000 }, () => {
  it('ends with a message and status 1, and the same command continues where there is room', async () => {
    const hashes = RECORDINGS.map(({ hash }) => hash);
    const list = join(mkdtempSync(join(tmpdir(), 'txreport-list-')), 'list.txt');
    writeFileSync(list, `${hashes.join('\n')}\n`);
    const out = join(disk, 'reports.ndjson');
    const run = () => runCli(['batch', list, '--out', out], { env: { RPC_URL: node.url } });

    const full = await run();
    expect(full.err).toMatch(
      /cannot write .*reports\.ndjson: ENOSPC.*; run the same command again to continue/,
    );
    expect(full.err).not.toMatch(/\n\s+at /);
    expect(full.code).toBe(1);

    expect(mount('-o', 'remount,size=64m', disk)).toBe(true);
    const resumed = await run();
    expect([resumed.code, resumed.err]).toEqual([0, expect.stringMatching(/reports/)]);
    const reports = readFileSync(out, 'utf8').trim().split('\n');
    const found = reports.map((line) => (JSON.parse(line) as { tx: { hash: string } }).tx.hash);
    expect(found.sort()).toEqual([...hashes].sort());
  });
});
