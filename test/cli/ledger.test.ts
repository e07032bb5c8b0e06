// `txreport ledger` as a user calls it: duplicates, what is left out, formats of one's own.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { TxReport } from '../../src/model/generated/report.ts';
import { embeddedReports } from '../ledger/recordedReports.ts';
import { readGuides } from '../docs/guides.ts';
import { runCli, startCli } from './runCli.ts';

let folder: string;
let reports: Map<string, TxReport>;
const file = (name: string): string => join(folder, name);
const write = (name: string, ...all: TxReport[]): string => {
  writeFileSync(file(name), all.map((report) => `${JSON.stringify(report)}\n`).join(''));
  return file(name);
};
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'txreport-ledger-'));
  reports = await embeddedReports();
});

describe('txreport ledger', () => {
  it('books a report given twice once, and says so', async () => {
    const report = reports.get('swap-v2-eth-usdc')!;
    const account = report.tx.signer;
    const once = await runCli(['ledger', write('once.ndjson', report), '--account', account]);
    const twice = await runCli(['ledger', write('twice.ndjson', report, report), '--account', account]);
    expect([once.code, twice.code]).toEqual([0, 0]);
    expect(twice.out).toBe(once.out);
    expect(once.err).not.toContain('more than once');
    expect(twice.err).toContain('1 reports were given more than once and are booked once');
  });

  it('leaves out what a stranger can forge, counts it, and writes it where asked', async () => {
    const report = structuredClone(reports.get('usdt-transfer')!) as TxReport;
    report.movements![0]!.flags = ['unverified_source'];
    const victim = report.movements![0]!.to;
    const own = reports.get('token-transfer')!;
    const accounts = ['--account', victim, own.tx.signer];
    const out = file('doubtful.csv');
    const run = await runCli(['ledger', write('spam.ndjson', report, own), ...accounts, '--doubtful', out]);
    expect(run.code, run.err).toBe(0);
    expect(run.out).not.toContain(report.tx.hash);
    expect(run.err).toMatch(/left out \d+ flows in 1 transactions.*: USDT/);
    expect(readFileSync(out, 'utf8')).toContain(report.tx.hash);
  });

  it('reads redirected reports, with a period too', async () => {
    const report = reports.get('token-transfer')!;
    const inputFile = write('redirected.ndjson', report);
    const period = ['--from', '2015-07-30', '--to', '2100-01-01'];
    const run = await runCli(['ledger', '--account', report.tx.signer, ...period], { inputFile });
    expect(run.code, run.err).toBe(0);
    expect(run.out).toContain(report.tx.hash);
  });

  it('says what it waits for where standard input is open and nobody writes', async () => {
    const report = reports.get('token-transfer')!;
    const run = startCli(['ledger', '--account', report.tx.signer]);
    await vi.waitFor(() => expect(run.err()).toContain('waiting for reports on standard input'), 60_000);
    run.child.stdin!.end(JSON.stringify(report));
    expect(await run.ended, run.err()).toBe(0);
    expect(run.out()).toContain(report.tx.hash);
  });

  it('refuses an account without any event, an unknown format, and a faulty one with the place', async () => {
    const report = reports.get('token-transfer')!;
    const input = write('one.ndjson', report);
    const stranger = '0x0000000000000000000000000000000000000001';
    const none = await runCli(['ledger', input, '--account', stranger]);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining(`no event of ${stranger}`) as string]);
    const account = report.tx.signer;
    const idle = await runCli(['ledger', input, '--account', account, stranger]);
    expect([idle.code, idle.err]).toEqual([0, expect.stringContaining(`no event of ${stranger}`) as string]);
    const never = await runCli(['ledger', input, '--account', account, '--from', '2024-13-01']);
    expect([never.code, never.err]).toEqual([2, expect.stringContaining('not a day') as string]);
    const unknown = await runCli(['ledger', input, '--account', account, '--format', 'xls']);
    expect([unknown.code, unknown.err]).toEqual([
      2,
      expect.stringContaining('beancount, double-entry') as string,
    ]);
    writeFileSync(
      file('bad.yaml'),
      'name: own\nsummary: Own.\nshape: trades\ndate: YYYY\ncolums: {A: "{time}"}\n',
    );
    const bad = await runCli(['ledger', input, '--account', account, '--format', file('bad.yaml')]);
    expect(bad.code).toBe(2);
    expect(bad.err).toMatch(/bad\.yaml:5:1 .*colums/);
  });

  it('keeps which placeholder stands for which unlisted asset', async () => {
    const nft = reports.get('nft-transfer')!;
    const account = nft.movements![0]!.to;
    const [out, map] = [file('koinly.csv'), file('koinly.csv.currencies.json')];
    const run = await runCli(['ledger', write('nft.ndjson', nft), '--account', account, '--out', out]);
    expect(run.code, run.err).toBe(0);
    expect(readFileSync(out, 'utf8')).toContain(',1,NFT1,');
    const held = JSON.parse(readFileSync(map, 'utf8')) as Record<string, { asset_id: string }>;
    expect(held['NFT1']!.asset_id).toBe(nft.movements![0]!.asset_id);
    writeFileSync(map, JSON.stringify({ NFT7: held['NFT1'] }));
    await runCli(['ledger', file('nft.ndjson'), '--account', account, '--out', out]);
    expect(readFileSync(out, 'utf8')).toContain(',1,NFT7,');
    writeFileSync(map, '{"x": 1}');
    const bad = await runCli(['ledger', file('nft.ndjson'), '--account', account, '--out', out]);
    expect([bad.code, bad.err]).toEqual([2, expect.stringContaining('is no map of currencies: x') as string]);
  });

  it("writes a format of one's own: the example of the docs", async () => {
    const page = readGuides().find(({ name }) => name === 'ledger.md')!;
    const example = page.fences.find(({ language }) => language === 'yaml')!.text;
    writeFileSync(file('cointracking.yaml'), example);
    const report = reports.get('swap-v2-eth-usdc')!;
    const args = ['ledger', write('swap.ndjson', report), '--account', report.tx.signer];
    const run = await runCli([...args, '--format', file('cointracking.yaml')]);
    expect(run.code, run.err).toBe(0);
    const [header, row, ...rest] = run.out.trimEnd().split('\n');
    expect(rest).toEqual([]);
    expect(header).toBe(
      '"Type","Buy Amount","Buy Currency","Sell Amount","Sell Currency","Fee","Fee Currency","Exchange","Trade-Group","Comment","Date","Tx-ID"',
    );
    const { gas_cost_native: fee } = report.execution;
    const [year, month, day] = report.tx.timestamp!.slice(0, 10).split('-');
    expect(row).toBe(
      `"Trade","3388.111026","USDC","1","ETH","${fee}","ETH","Ethereum",,"${report.classification.intent_label}",` +
        `"${day}.${month}.${year} ${report.tx.timestamp!.slice(11, 19)}","${report.tx.hash}"`,
    );
  });
});
