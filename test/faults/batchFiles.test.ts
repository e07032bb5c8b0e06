// Files that a batch must not write, or not at the same time as another.
import { linkSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { lock, openReportFiles } from '../../src/tools/cli/batch/guards.ts';

const folder = (): string => mkdtempSync(join(tmpdir(), 'txreport-lock-'));

describe('the output of a batch', () => {
  it.each([['/dev/null'], ['/dev/full'], [tmpdir()]])('may not be %s', async (path) => {
    await expect(lock(path)).rejects.toThrow(`${path} is not a regular file`);
  });

  it('may not lie in a folder that does not exist', async () => {
    await expect(lock(join(folder(), 'none/out.ndjson'))).rejects.toThrow(/^cannot write .*ENOENT/);
  });

  it.each([
    ['its own name', (file: string) => file],
    ['a symbolic link', (file: string) => (symlinkSync(file, `${file}.soft`), `${file}.soft`)],
    ['a hard link', (file: string) => (linkSync(file, `${file}.hard`), `${file}.hard`)],
  ])('is locked under %s', async (_, alias) => {
    const file = join(folder(), 'out.ndjson');
    writeFileSync(file, '');
    const first = (await lock(file))!;
    let got = false;
    const second = lock(alias(file)).then((unlock) => ((got = true), unlock));
    await sleep(300);
    expect(got).toBe(false);
    await first();
    await (await second)!();
  });

  it('loses an incomplete last line and keeps the rest', async () => {
    const file = join(folder(), 'out.ndjson');
    const report = JSON.stringify({ tx: { hash: '0x1' } });
    writeFileSync(file, `${report}\n${report.slice(0, 9)}`);
    const sink = await openReportFiles(file, `${file}.errors`);
    expect([sink.torn, [...sink.done]]).toEqual([9, ['0x1']]);
    await sink.close();
  });
});
