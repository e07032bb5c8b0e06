import { appendFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { publishedSchemaErrors } from '../../src/tools/cli/readReports.ts';
import type { FakeNode } from '../support/fakeNode.ts';
import { hashesOf, linesOf, runKilled } from './killing.ts';
import { HASH_OF, RECORDINGS, startRecordedNode } from './recordedNode.ts';
import { runCli, startCli } from './runCli.ts';

const HASHES = RECORDINGS.map(({ hash }) => hash);
const UNKNOWN = `0x${'ab'.repeat(32)}`;
const sorted = (list: readonly string[]) => [...list].sort();

// Every test starts processes that load the whole service.
vi.setConfig({ testTimeout: 180_000 });

let node: FakeNode;
let slow: FakeNode;
beforeAll(async () => {
  node = await startRecordedNode();
  slow = await startRecordedNode({
    intercept: () => new Promise((resolve) => setTimeout(() => resolve(false), 40)),
  });
});
afterAll(() => Promise.all([node.close(), slow.close()]));

/** A directory with a list in it. */
function place(lines: readonly string[] = HASHES): { list: string; out: string; errors: string } {
  const folder = mkdtempSync(join(tmpdir(), 'txreport-batch-'));
  const list = join(folder, 'list.txt');
  writeFileSync(list, `${lines.join('\n')}\n`);
  return { list, out: join(folder, 'reports.ndjson'), errors: join(folder, 'reports.errors.ndjson') };
}

const batch = (args: readonly string[], input = '') =>
  runCli(['batch', ...args], { env: { RPC_URL: node.url }, input });

describe('txreport batch', () => {
  it('writes one valid report per hash, whatever the list looks like', async () => {
    const { list, out, errors } = place([
      '# hashes',
      '',
      HASHES[0]!,
      `${HASHES[1]!.toUpperCase().replace('0X', '0x')},more,columns`,
      `"${HASHES[2]!}"\r`,
      HASHES[0]!,
    ]);
    const run = await batch([list, '--out', out]);
    expect(run).toMatchObject({ code: 0, out: '' });
    expect(run.err).toContain('3 reports');
    expect(run.err).toContain('1 repeated');
    expect(sorted(hashesOf(out))).toEqual(sorted(HASHES.slice(0, 3)));
    for (const line of linesOf(out)) expect(publishedSchemaErrors(JSON.parse(line))).toEqual([]);
    expect(existsSync(errors)).toBe(false);
    expect(existsSync(`${out}.lock`)).toBe(false);
  });

  it('reads standard input and writes standard output', async () => {
    const { code, out, err } = await batch([], `${HASHES[0]}\n${HASHES[1]}`);
    expect(code).toBe(0);
    expect(
      sorted(
        out
          .trimEnd()
          .split('\n')
          .map((line) => (JSON.parse(line) as { tx: { hash: string } }).tx.hash),
      ),
    ).toEqual(sorted(HASHES.slice(0, 2)));
    expect(err).toContain('2 reports');
  });

  it('records what fails, goes on, and tries it again the next time', async () => {
    const { list, out, errors } = place([HASHES[0]!, UNKNOWN, 'rubbish', HASHES[1]!]);
    expect(await batch([list, '--out', out])).toMatchObject({ code: 1 });
    expect(hashesOf(out)).toHaveLength(2);
    expect(linesOf(errors).map((line) => JSON.parse(line) as object)).toEqual(
      expect.arrayContaining([
        { tx_hash: UNKNOWN, code: 'transaction_not_found', error: 'transaction not found' },
        { tx_hash: null, code: 'invalid_hash', error: 'line 3: invalid tx_hash `rubbish`' },
      ]),
    );
    // The node knows it now, and it stands in the list no more.
    const failed = HASHES[2]!;
    writeFileSync(
      errors,
      `${JSON.stringify({ tx_hash: failed, code: 'upstream_timeout', error: 'late' })}\n{"tx_hash":"0x`,
    );
    writeFileSync(list, `${HASHES[0]}\n`);
    const again = await batch([list, '--out', out]);
    expect(again.code).toBe(0);
    expect(again.err).toContain('1 reports in');
    expect(sorted(hashesOf(out))).toEqual(sorted(HASHES.slice(0, 3)));
    expect(existsSync(errors)).toBe(false);
  });

  it('has exactly one report per hash after three kills at random', async () => {
    const { list, out } = place();
    const { kills, code, err } = await runKilled(
      ['batch', list, '--out', out, '-c', '4'],
      out,
      HASHES.length,
      3,
      slow.url,
    );
    expect(code, err).toBe(0);
    expect(kills[0]).toBeGreaterThan(0);
    expect(sorted(hashesOf(out))).toEqual(sorted(HASHES));
    const whole = place();
    await batch([whole.list, '--out', whole.out]);
    expect(sorted(linesOf(out))).toEqual(sorted(linesOf(whole.out)));
  });

  it('cuts off a torn last line, and only that', async () => {
    const { list, out } = place(HASHES.slice(0, 3));
    await batch([list, '--out', out]);
    const whole = linesOf(out);
    // Killed while writing: half a report, even one that lacks nothing but its end of line.
    writeFileSync(out, `${whole[0]}\n${whole[1]}\n${whole[2]}`);
    const run = await batch([list, '--out', out]);
    expect(run.err).toContain('removed an incomplete last line');
    expect(linesOf(out)).toEqual(whole);
    appendFileSync(out, 'no report\n');
    expect(await batch([list, '--out', out])).toMatchObject({
      code: 2,
      err: expect.stringContaining(':4 is not a report') as string,
    });
    expect(readFileSync(out, 'utf8')).toBe(`${whole.join('\n')}\nno report\n`);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('finishes what runs on %s', async (signal) => {
    const { list, out } = place();
    const run = startCli(['batch', list, '--out', out, '-c', '4'], { env: { RPC_URL: slow.url }, input: '' });
    while (linesOf(out).length < 3) await new Promise((resolve) => setTimeout(resolve, 10));
    run.child.kill(signal);
    expect(await run.ended).toBe(signal === 'SIGINT' ? 130 : 143);
    expect(run.err()).toContain('run the same command again to continue');
    expect(readFileSync(out, 'utf8').endsWith('\n')).toBe(true);
    const hashes = hashesOf(out);
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(hashes.length).toBeLessThan(HASHES.length);
  });

  it('stops on a signal while it waits for the list', async () => {
    const run = startCli(['batch'], { env: { RPC_URL: node.url } });
    run.child.stdin!.write(`${HASHES[0]}\n`);
    while (run.out() === '') await new Promise((resolve) => setTimeout(resolve, 10));
    run.child.kill('SIGINT');
    expect(await run.ended).toBe(130);
  });

  it('splits a list by hash: the shards together are the whole, none overlaps', async () => {
    const { list, out } = place();
    const parts = await Promise.all(
      [0, 1, 2].map(async (i) => {
        const part = out.replace('.ndjson', `-${i}.ndjson`);
        expect((await batch([list, '--shard', `${i}/3`, '--out', part])).code).toBe(0);
        return hashesOf(part);
      }),
    );
    for (const part of parts) expect(part.length).toBeGreaterThan(HASHES.length / 6);
    expect(sorted(parts.flat())).toEqual(sorted(HASHES));
  });

  it('takes one hash as pasted in place of a list', async () => {
    const link = `https://etherscan.io/tx/${HASHES[0]!.toUpperCase().replace('0X', '0x')}`;
    const { code, out } = await batch([link]);
    expect(code).toBe(0);
    expect(JSON.parse(out).tx.hash).toBe(HASHES[0]);
  });

  it('keeps two batches off one file, and takes over from a dead one', async () => {
    const { list, out } = place();
    // The second batch waits twelve seconds for the lock, in case its holder was killed.
    const slower = await startRecordedNode({
      intercept: () => new Promise((resolve) => setTimeout(() => resolve(false), 300)),
    });
    const first = startCli(['batch', list, '--out', out, '-c', '1'], {
      env: { RPC_URL: slower.url },
      input: '',
    });
    while (linesOf(out).length < 1) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await batch([list, '--out', out])).toMatchObject({
      code: 1,
      err: expect.stringContaining('is being written by another batch') as string,
    });
    first.child.kill('SIGKILL');
    await first.ended;
    await slower.close();
    expect(existsSync(`${out}.lock`)).toBe(true);
    expect((await batch([list, '--out', out])).code).toBe(0);
    expect(sorted(hashesOf(out))).toEqual(sorted(HASHES));
  });

  it('gives up when the node is gone, and can be resumed', async () => {
    const { list, out, errors } = place();
    const run = await runCli(
      ['batch', list, '--out', out, '--give-up-after', '3', '-c', '1', '--rpc', 'http://127.0.0.1:9'],
      { env: { RPC_RETRIES: '0' } },
    );
    expect(run.code).toBe(1);
    expect(run.err).toContain('gave up');
    expect(linesOf(errors)).toHaveLength(3);
    expect((await batch([list, '--out', out])).code).toBe(0);
    expect(hashesOf(out)).toHaveLength(HASHES.length);
    expect(existsSync(errors)).toBe(false);
  });

  it.each([
    [['--shard', '3/3'], 'must be i/n'],
    [['--shard', 'x'], 'must be i/n'],
    [['-c', '0'], 'whole number'],
    [['no-such-file'], 'cannot read no-such-file'],
    [['--nonsense'], 'unknown option'],
    [['--out', '/tmp/same.ndjson', '--errors', '/tmp/same.ndjson'], 'two files'],
    [['--errors', '/tmp/failures.ndjson'], '--errors needs --out'],
  ])('refuses %j', async (args, message) => {
    const run = await batch(args, `${HASH_OF['native-transfer']}\n`);
    expect(run.code).toBe(2);
    expect(run.err).toContain(message);
  });
});
