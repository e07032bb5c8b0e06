// The batch at the size it is made for, over recorded mainnet transactions where they lie beside the repository.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  REPLAY_AVAILABLE,
  recordings,
  startReplayNode,
  warnIfAbsent,
  type ReplayNode,
} from '../support/replayNode.ts';
import { hashesOf, runKilled } from './killing.ts';
import { runCli } from './runCli.ts';

const FILES = ['labelled-defi.ndjson.gz', 'mev-blocks.ndjson.gz'];
const sorted = (list: readonly string[]) => [...list].sort();
warnIfAbsent('txreport batch over 3,000 transactions');

describe.skipIf(!REPLAY_AVAILABLE)('txreport batch over 3,000 recorded transactions', () => {
  let node: ReplayNode;
  let hashes: string[];
  const folder = mkdtempSync(join(tmpdir(), 'txreport-corpus-'));
  beforeAll(async () => {
    hashes = recordings(FILES)
      .filter(({ sound }) => sound)
      .map(({ hash }) => hash);
    node = await startReplayNode({ files: FILES });
  });
  afterAll(() => node?.close());

  const list = (name: string, some: readonly string[]): string => {
    const path = join(folder, name);
    writeFileSync(path, `${some.join('\n')}\n`);
    return path;
  };

  it('killed three times at random and resumed: exactly 3,000 reports, none twice', async () => {
    const some = hashes.slice(0, 3_000);
    expect(new Set(some).size).toBe(3_000);
    const out = join(folder, 'killed.ndjson');
    const { kills, code, err } = await runKilled(
      ['batch', list('3000.txt', some), '--out', out],
      out,
      some.length,
      3,
      node.url,
    );
    console.info(`killed at ${kills.join(', ')} reports; then: ${err.trim().split('\n').at(-1)}`);
    expect(code, err).toBe(0);
    expect(sorted(hashesOf(out))).toEqual(sorted(some));
  }, 900_000);

  it('the shards together are the whole', async () => {
    const some = hashes.slice(-600);
    const path = list('600.txt', some);
    const parts = await Promise.all(
      [0, 1, 2, 3].map(async (i) => {
        const out = join(folder, `shard-${i}.ndjson`);
        const run = await runCli(['batch', path, '--shard', `${i}/4`, '--out', out], {
          env: { RPC_URL: node.url },
        });
        expect(run.code, run.err).toBe(0);
        return hashesOf(out);
      }),
    );
    for (const part of parts) expect(part.length).toBeGreaterThan(75);
    expect(sorted(parts.flat())).toEqual(sorted(some));
  }, 600_000);
});
