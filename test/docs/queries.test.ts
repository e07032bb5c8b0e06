// The five questions of docs/queries.md, asked of DuckDB over the Parquet of every recording; the answers are worked out
// once more from the reports.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TxReport } from '../../src/model/generated/report.ts';
import { TABLES } from '../../src/tools/cli/blocks/tables.ts';
import { RECORDINGS, startRecordedNode } from '../cli/recordedNode.ts';
import { linesOf } from '../cli/killing.ts';
import { runCli } from '../cli/runCli.ts';
import type { FakeNode } from '../support/fakeNode.ts';
import { readGuides } from './guides.ts';

const page = readGuides().find(({ name }) => name === 'queries.md')!;
const questions = page.fences.filter(({ language }) => language === 'sql').map(({ text }) => text);
const SCALE = 10n ** 18n;

let node: FakeNode;
let duck: DuckDBConnection;
let reports: TxReport[];
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'txreport-queries-'));
  node = await startRecordedNode();
  const list = join(folder, 'blocks.txt');
  writeFileSync(list, RECORDINGS.map(({ rpc }) => BigInt(rpc.block.number)).join('\n'));
  const env = { RPC_URL: node.url };
  const out = join(folder, 'reports.ndjson');
  const runs = [
    await runCli(['batch', '--blocks', list, '--out', out], { env }),
    await runCli(['batch', '--blocks', list, '--format', 'parquet', '--out', join(folder, 'tables')], {
      env,
    }),
  ];
  for (const { code, err } of runs) expect(code, err).toBe(0);
  reports = linesOf(out).map((line) => JSON.parse(line) as TxReport);
  duck = await (await DuckDBInstance.create(':memory:')).connect();
}, 180_000);
afterAll(async () => {
  duck?.closeSync();
  await node?.close();
});

const ask = async (sql: string): Promise<Record<string, unknown>[]> =>
  (await duck.runAndReadAll(sql.replaceAll("'tables/", `'${folder}/tables/`))).getRowObjectsJson();

/** Exact sums of decimals, as DECIMAL(38, 18) shows them. */
const scaled = (value: string): bigint => {
  const [whole = '0', fraction = ''] = value.replace('-', '').split('.');
  const units = BigInt(whole) * SCALE + BigInt(fraction.padEnd(18, '0').slice(0, 18));
  return value.startsWith('-') ? -units : units;
};
const shown = (units: bigint): string => {
  const digits = (units < 0n ? -units : units).toString().padStart(19, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -18)}.${digits.slice(-18)}`;
};
function sums(entries: readonly (readonly [key: string, value: string])[]): Map<string, bigint> {
  const found = new Map<string, bigint>();
  for (const [key, value] of entries) found.set(key, (found.get(key) ?? 0n) + scaled(value));
  return found;
}

describe('docs/queries.md', () => {
  it('asks five questions, and lists every table and column', () => {
    expect(questions).toHaveLength(5);
    for (const [table, columns] of Object.entries(TABLES)) {
      const row = page.text.split('\n').find((line) => line.startsWith(`| \`${table}\` |`))!;
      for (const column of Object.keys(columns).slice(2)) expect(row).toContain(`\`${column}\``);
    }
  });

  it('what the transactions were for', async () => {
    const gas = sums(reports.map((r) => [r.classification.intent_kind, r.execution.gas_cost_native]));
    const rows = await ask(questions[0]!);
    expect(rows).toHaveLength(gas.size);
    for (const { intent_kind, transactions, gas_eth } of rows) {
      const own = reports.filter((r) => r.classification.intent_kind === intent_kind);
      expect([intent_kind, transactions]).toEqual([intent_kind, String(own.length)]);
      expect(gas_eth).toBe(shown(gas.get(String(intent_kind))!));
    }
  });

  it('what each account won or lost', async () => {
    const expected = sums(
      reports
        .flatMap((r) => r.inventory_deltas)
        .filter(
          ({ asset, delta, subject_role: role }) =>
            (asset.kind === 'native' || asset.kind === 'erc20') &&
            delta !== null &&
            (role === 'signer' || role === 'actor'),
        )
        .map(({ subject, asset, delta }) => [`${subject} ${asset.id}`, delta!]),
    );
    const rows = await ask(questions[1]!);
    expect(expected.size).toBeGreaterThan(20);
    expect(
      Object.fromEntries(rows.map((row) => [`${row['subject']} ${row['asset_id']}`, row['net']])),
    ).toEqual(Object.fromEntries([...expected].map(([key, units]) => [key, shown(units)])));
  });

  it('that the books balance, and that the question would notice if not', async () => {
    expect(await ask(questions[2]!)).toEqual([]);
    const broken = questions[2]!.replace(
      "'tables/deltas/*.parquet'",
      '$&' + " WHERE subject_role <> 'actor'",
    );
    expect((await ask(broken)).length).toBeGreaterThan(20);
  });

  it('which unlimited allowances stand', async () => {
    const last = new Map<string, boolean>();
    for (const { allowances = [] } of reports)
      for (const { owner, spender, asset, unlimited } of allowances)
        last.set(`${owner} ${spender} ${asset.address}`, unlimited);
    const rows = await ask(questions[3]!);
    expect(rows.map((row) => `${row['owner']} ${row['spender']} ${row['token']}`).sort()).toEqual(
      [...last].flatMap(([key, unlimited]) => (unlimited ? [key] : [])).sort(),
    );
    expect(rows.length).toBeGreaterThan(0);
  });

  it('what was borrowed and repaid', async () => {
    const debts = reports
      .flatMap((r) => r.position_effects)
      .filter(({ category }) => category === 'lending_debt')
      .flatMap(({ protocol, effect, underlying }) =>
        underlying
          .filter(({ role, delta }) => (role === 'debt' || role === 'principal') && delta !== null)
          .map((one) => ({
            key: `${protocol?.slug ?? null} ${one.asset.symbol}`,
            borrowed: effect === 'open' || effect === 'increase',
            repaid: effect === 'decrease' || effect === 'close',
            amount: one.delta!.replace('-', ''),
          })),
      );
    const total = (side: 'borrowed' | 'repaid') =>
      sums(debts.filter((debt) => debt[side]).map(({ key, amount }) => [key, amount]));
    const rows = await ask(questions[4]!);
    expect(rows.length).toBeGreaterThan(0);
    for (const side of ['borrowed', 'repaid'] as const)
      expect(
        Object.fromEntries(
          rows.flatMap((row) =>
            row[side] === null ? [] : [[`${row['protocol']} ${row['symbol']}`, row[side]]],
          ),
        ),
      ).toEqual(Object.fromEntries([...total(side)].map(([key, units]) => [key, shown(units)])));
  });
});
