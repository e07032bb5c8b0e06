// Plain-text accounting programs read the journals of all recorded transactions, balance assertions on, and find nothing;
// of a journal with one amount changed each finds fault. Skips loudly where a program is not installed.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../cli/runCli.ts';
import { warnIfAbsent, REPLAY_AVAILABLE } from '../support/replayNode.ts';
import { embeddedReports, mainnetReports, partiesOf } from './recordedReports.ts';

warnIfAbsent('journals of recorded mainnet transactions');

/** Programs by the format they read; TXREPORT_LEDGERS is a folder with them, beside PATH. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  beancount: ['bean-check'],
  hledger: ['hledger', 'check', '--strict', '-f'],
  ledger: ['ledger', '--pedantic', 'balance', '--empty', '-f'],
};
const PATH = [process.env['TXREPORT_LEDGERS'], process.env['PATH']].filter(Boolean).join(':');
const isInstalled = (name: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${name}`], { env: { PATH } }).status === 0;

let folder: string;
let accounts: string[];
let transactions: number;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'txreport-journals-'));
  const reports = [
    ...(await embeddedReports()).values(),
    ...(
      await mainnetReports(['labelled-defi', 'whole-blocks', 'block-10m', 'full-traces', 'blocks-2024'])
    ).values(),
  ];
  const byHash = new Map(reports.map((report) => [report.tx.hash, report]));
  transactions = byHash.size;
  accounts = partiesOf(byHash.values());
  writeFileSync(
    join(folder, 'reports.ndjson'),
    [...byHash.values()].map((report) => `${JSON.stringify(report)}\n`).join(''),
  );
});

const check = (command: readonly string[], file: string) =>
  spawnSync(command[0]!, [...command.slice(1), file], {
    encoding: 'utf8',
    env: { PATH, LANG: 'C.UTF-8', HOME: folder },
    maxBuffer: 1 << 28,
  });

describe.each(Object.entries(PROGRAMS))('a journal for %s', (format, command) => {
  const installed = isInstalled(command[0]!);
  if (!installed) console.warn(`SKIPPED: ${command[0]} is not installed; .ci/ledgers installs it`);

  it.skipIf(!installed)('holds every recorded transaction, and its balances hold', async () => {
    const file = join(folder, `all.${format}`);
    const reports = join(folder, 'reports.ndjson');
    const run = await runCli([
      'ledger',
      reports,
      '--format',
      format,
      '--out',
      file,
      '--account',
      ...accounts,
    ]);
    expect(run.code, run.err).toBe(0);
    const text = readFileSync(file, 'utf8');
    const booked = new Set(text.match(/tx: "?0x[0-9a-f]{64}/g));
    expect(booked.size).toBe(transactions);
    expect(transactions).toBeGreaterThan(REPLAY_AVAILABLE ? 650 : 70);
    const found = check(command, file);
    expect(found.stderr.slice(0, 2_000)).toBe('');
    expect(found.status).toBe(0);
  });

  it.skipIf(!installed)('goes on with the file of an earlier period', async () => {
    const times = readFileSync(join(folder, 'reports.ndjson'), 'utf8')
      .split('\n')
      .flatMap((line) => /"timestamp":"(\d{4}-\d\d-\d\d)/.exec(line)?.[1] ?? []);
    const day = times.sort()[times.length >> 1]!;
    const files = [join(folder, `one.${format}`), join(folder, `two.${format}`)];
    const args = ['ledger', join(folder, 'reports.ndjson'), '--format', format];
    for (const [i, period] of [
      ['--to', day],
      ['--from', day],
    ].entries()) {
      const run = await runCli([...args, ...period, '--out', files[i]!, '--account', ...accounts]);
      expect(run.code, run.err).toBe(0);
    }
    const texts = files.map((file) => readFileSync(file, 'utf8'));
    for (const text of texts) expect(text.match(/tx: /g)!.length).toBeGreaterThan(20);
    const both = join(folder, `both.${format}`);
    writeFileSync(both, texts.join('\n'));
    const found = check(command, both);
    expect(found.stderr.slice(0, 2_000)).toBe('');
    expect(found.status).toBe(0);
  });

  it.skipIf(!installed)('is refused where one amount is another', () => {
    const text = readFileSync(join(folder, `all.${format}`), 'utf8');
    // Both sides of one posting, so that the transaction balances and only the assertion can tell.
    const gas = /^( +\S+ +)-(0\.\d+)( "?ETH"?\n +\S+[Gg]as +)(0\.\d+)( "?ETH"?)$/m;
    const broken = text.replace(gas, '$1-1$2$31$4$5');
    expect(broken).not.toBe(text);
    const file = join(folder, `broken.${format}`);
    writeFileSync(file, broken);
    expect(check(command, file).status).not.toBe(0);
  });
});

it('the programs that checked are named', () => {
  for (const [format, [program]] of Object.entries(PROGRAMS))
    if (isInstalled(program!))
      console.warn(
        `${format}: ${execFileSync(program!, ['--version'], { encoding: 'utf8', env: { PATH } }).split('\n')[0]}`,
      );
});
