// The questions of docs/queries.md, asked of DuckDB over the Parquet of every recording and of a made-up block with a
// sandwich; the answers are worked out once more from the reports.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TxReport } from '../../src/model/generated/report.ts';
import { blockTx, type RawLog } from '../../src/findings/blockFacts.ts';
import { findInBlock } from '../../src/findings/findBlock.ts';
import { analyzeRaw } from '../../src/analyze.ts';
import { buildExample } from '../../src/rules/example.ts';
import { openSoundRuleset, rulesetDirs } from '../../src/tools/cli/rules/rulesets.ts';
import type { Finding } from '../../src/model/generated/finding.ts';
import type { RawFinding } from '../../src/model/generated/rules.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { openTables } from '../../src/tools/cli/blocks/blockSinks.ts';
import { failedBlock } from '../../src/tools/cli/blocks/blockResult.ts';
import { TABLES, rowsOf } from '../../src/tools/cli/blocks/tables.ts';
import { RECORDINGS, startRecordedNode } from '../cli/recordedNode.ts';
import { linesOf } from '../cli/killing.ts';
import { runCli } from '../cli/runCli.ts';
import type { FakeNode } from '../support/fakeNode.ts';
import { readGuides } from './guides.ts';

const page = readGuides().find(({ name }) => name === 'queries.md')!;
const questions = page.fences
  .filter(({ language, notRun }) => language === 'sql' && notRun === null)
  .map(({ text }) => text);
const SCALE = 10n ** 18n;

let node: FakeNode;
let duck: DuckDBConnection;
let reports: TxReport[];
let folder: string;
let sandwich: Finding;
let income: Finding[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'txreport-queries-'));
  node = await startRecordedNode();
  const list = join(folder, 'blocks.txt');
  writeFileSync(list, RECORDINGS.map(({ rpc }) => BigInt(rpc.block.number)).join('\n'));
  const env = { RPC_URL: node.url };
  const out = join(folder, 'reports.ndjson');
  const runs = [
    await runCli(['batch', '--blocks', list, '--findings', '--out', out], { env }),
    await runCli(
      ['batch', '--blocks', list, '--findings', '--format', 'parquet', '--out', join(folder, 'tables')],
      { env },
    ),
  ];
  runs.push(
    await runCli(
      [
        'batch',
        '--blocks',
        list,
        '--findings',
        '--format',
        'parquet',
        '--partition',
        'day',
        '--out',
        join(folder, 'days'),
      ],
      { env },
    ),
  );
  for (const { code, err } of runs) expect(code, err).toBe(0);
  reports = linesOf(out).map((line) => JSON.parse(line) as TxReport);
  income = linesOf(join(folder, 'reports.findings.ndjson')).map((line) => JSON.parse(line) as Finding);
  const made = await sandwichedBlock();
  reports.push(...made.reports);
  sandwich = made.findings.find(({ finding }) => finding === 'sandwich')!;
  income.push(...made.findings.filter(({ finding }) => finding === 'builder_income'));
  duck = await (await DuckDBInstance.create(':memory:')).connect();
});
afterAll(async () => {
  duck?.closeSync();
  await node?.close();
});

/** The made-up block of the rule's first example, added to the tables as a further part. */
async function sandwichedBlock(): Promise<{ reports: TxReport[]; findings: Finding[] }> {
  const rulebook = loadRules();
  const file = join(import.meta.dirname, '../../rules/findings/sandwich.yaml');
  const { examples } = parse(readFileSync(file, 'utf8')) as RawFinding;
  const find = openSoundRuleset(rulesetDirs()).signatureNames(null);
  const built = examples.match![0]!.transactions.map((one, at) => buildExample(one, find, at));
  const made = await Promise.all(built.map(({ raw, context }) => analyzeRaw(raw, context, rulebook)));
  const logs = new Map(
    built.map(({ raw }) => [raw.hash as string, (raw.receipt as { logs: readonly RawLog[] }).logs]),
  );
  const number = made[0]!.tx.block_number;
  const findings = await findInBlock(
    { number, coinbase: `0x${'B0'.repeat(20)}`, txs: made.map(blockTx), logsOf: (hash) => logs.get(hash)! },
    rulebook,
  );
  const rows = rowsOf(made.entries(), { findings, motifKinds: rulebook.motifKinds });
  const sink = await openTables(join(folder, 'tables'), 1);
  await sink.take({ ...failedBlock({ code: '', error: '' }), rows });
  await sink.flush?.();
  return { reports: made, findings };
}

const ask = async (sql: string): Promise<Record<string, unknown>[]> =>
  (await duck.runAndReadAll(sql.replaceAll("'tables/", `'${folder}/tables/`))).getRowObjectsJson();

/** Exact sums of decimals, as DECIMAL(38, 18) shows them. */
const ETHER = 'eip155:1/slip44:60';
const priceIn = ({ economics }: TxReport, asset: string): number =>
  Number(economics.valuation.prices!.find(({ asset_id }) => asset_id === asset)!.price_exact);
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
  it('asks twelve questions, and lists every table and column', () => {
    expect(questions).toHaveLength(12);
    for (const [table, { columns }] of Object.entries(TABLES)) {
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

  it('who earned by arbitrage', async () => {
    const net = new Map<string, number>();
    for (const report of reports)
      for (const { beneficiary, asset, ...entry } of report.economics.realized_pnl.entries) {
        const [unit, ether] = [priceIn(report, asset.id), priceIn(report, ETHER)];
        const kept = BigInt(entry.gross_raw) - BigInt(entry.fees_raw!);
        const spent = BigInt(entry.gas_raw!) + BigInt(entry.builder_payment_raw);
        const usd = (Number(kept) / 10 ** asset.decimals!) * unit - (Number(spent) / 1e18) * ether;
        // What the report shows is this, in cents.
        expect(Math.abs(usd - Number(entry.net_usd.text.slice(1)))).toBeLessThan(0.0051);
        net.set(beneficiary, (net.get(beneficiary) ?? 0) + usd);
      }
    const rows = await ask(questions[5]!);
    expect(net.size).toBeGreaterThan(1);
    expect(rows.map(({ beneficiary }) => beneficiary)).toEqual(
      [...net].sort(([, a], [, b]) => b - a).map(([account]) => account),
    );
    for (const row of rows) expect(row['net_usd']).toBeCloseTo(net.get(String(row['beneficiary']))!, 6);
  });

  it('how much was traded by protocol and pair', async () => {
    const trades = new Map<string, number>();
    for (const { motifs } of reports)
      for (const {
        kind,
        protocol,
        assets_in: [got],
        assets_out: [gave],
      } of motifs) {
        if (kind !== 'swap' || protocol === null) continue;
        const key = [protocol.slug, ...[got!.asset.id, gave!.asset.id].sort()].join(' ');
        trades.set(key, (trades.get(key) ?? 0) + 1);
      }
    const rows = await ask(questions[6]!);
    expect(trades.size).toBeGreaterThan(3);
    expect(
      Object.fromEntries(
        rows.map(({ protocol, one, other, trades: n }) => [`${protocol} ${one} ${other}`, n]),
      ),
    ).toEqual(Object.fromEntries([...trades].map(([key, n]) => [key, String(n)])));
    // The made-up trades have no price; those of the recordings do.
    expect(rows.some(({ usd }) => Number(usd) > 0)).toBe(true);
  });

  it('the names of accounts are those of the reports', async () => {
    const names = "SELECT tx_hash, account, name FROM 'tables/accounts/*.parquet'";
    const shown = (await ask(names)).map(({ tx_hash: hash, account, name }) => [hash, account, name].join());
    const stated = reports.flatMap(({ tx, accounts = {} }) =>
      Object.entries(accounts).map(([account, { name }]) => [tx.hash, account, name].join()),
    );
    expect(shown.sort()).toEqual(stated.sort());
  });

  it('who was sandwiched, and what it left', async () => {
    const losses = sandwich.amounts.filter(({ role }) => role === 'loss');
    const victims = await ask(questions[7]!);
    expect(losses).toHaveLength(2);
    expect(victims.map(({ account, loss, reason }) => [account, scaled(String(loss)), reason])).toEqual(
      losses.map(({ account, amount }) => [account, scaled(amount!), null]),
    );
    expect(victims[0]!['taken_by']).toBe(sandwich.entity.join());
    const [left] = await ask(questions[8]!);
    expect([left!['finding_id'], left!['tips_usd']]).toEqual([sandwich.id, null]);
  });

  it('what each builder earned', async () => {
    const amountsOf = (role: string) =>
      sums(
        income.flatMap(({ amounts }) =>
          amounts.filter((one) => one.role === role).map((one) => [one.account!, one.amount!] as const),
        ),
      );
    const rows = await ask(questions[9]!);
    expect(rows.length).toBeGreaterThan(0);
    for (const [column, role] of [
      ['priority_fees', 'priority_fees'],
      ['paid_directly', 'direct_payments'],
    ] as const)
      expect(Object.fromEntries(rows.map((row) => [row['builder'], row[column]]))).toEqual(
        Object.fromEntries([...amountsOf(role)].map(([builder, units]) => [builder, shown(units)])),
      );
  });

  it('partitioned by day the tables hold the same rows, each in the folder of its day', async () => {
    const days = (table: string): string =>
      `read_parquet('${folder}/days/${table}/*/*.parquet', hive_partitioning = true, hive_types_autocast = false)`;
    // The made-up block is in the plain tables alone.
    const made = reports.at(-1)!.tx.block_number;
    for (const table of Object.keys(TABLES)) {
      const plain = `SELECT * FROM 'tables/${table}/*.parquet' WHERE block_number <> ${made}`;
      const parted = `SELECT * EXCLUDE (day) FROM ${days(table)}`;
      const [rows] = await ask(`SELECT count(*) AS n FROM (${parted})`);
      expect(Number(rows!['n']), table).toBeGreaterThan(0);
      expect(await ask(`(${plain}) EXCEPT ALL (${parted})`), table).toEqual([]);
      expect(await ask(`(${parted}) EXCEPT ALL (${plain})`), table).toEqual([]);
    }
    const [wrong] = await ask(
      `SELECT count(*) AS n, count(DISTINCT day) AS days, count(*) FILTER (day <> strftime(timestamp, '%Y-%m-%d')) AS wrong FROM ${days('transactions')}`,
    );
    expect([wrong!['n'], wrong!['wrong']]).toEqual([String(RECORDINGS.length), '0']);
    expect(Number(wrong!['days'])).toBeGreaterThan(0);
  });

  it('the net of an owner is not rounded either', async () => {
    const rows = await ask(
      "SELECT owner, accounts, net_usd_before_gas AS net FROM 'tables/by_owner/*.parquet' WHERE net IS NOT NULL",
    );
    const shown = reports.flatMap(({ economics }) => economics.by_owner ?? []);
    expect(rows.length).toBeGreaterThan(1);
    for (const { owner, net } of rows) {
      const texts = shown
        .filter((one) => one.owner === owner)
        .map((one) => Number(one.net_usd_before_gas.text.slice(1)));
      expect(Math.min(...texts.map((text) => Math.abs(text - Number(net))))).toBeLessThan(0.0051);
    }
    expect(rows.some(({ net }) => !Number.isInteger(Math.round(Number(net) * 1e8) / 1e6))).toBe(true);
  });

  it('a finding is one row, its steps and amounts others; what is of the whole names no transaction', async () => {
    const counts = await ask(
      "SELECT (SELECT count(*) FROM 'tables/findings/*.parquet') AS findings, (SELECT count(*) FROM 'tables/finding_steps/*.parquet') AS steps",
    );
    expect(Number(counts[0]!['findings'])).toBeGreaterThan(income.length);
    expect(Number(counts[0]!['steps'])).toBeGreaterThanOrEqual(sandwich.transactions.length);
    const own = await ask(
      `SELECT tx_hash, role FROM 'tables/finding_amounts/*.parquet' WHERE finding_id = '${sandwich.id}'`,
    );
    expect(own.map(({ tx_hash, role }) => [role, tx_hash])).toEqual(
      sandwich.amounts.map(({ role, tx_hash: hash }) => [role, hash ?? null]),
    );
    expect(own.some(({ tx_hash }) => tx_hash === null)).toBe(true);
    const steps = await ask(
      `SELECT tx_hash FROM 'tables/finding_steps/*.parquet' WHERE finding_id = '${sandwich.id}' ORDER BY index`,
    );
    expect(steps.map((step) => step['tx_hash'])).toEqual(sandwich.transactions.map(({ tx_hash }) => tx_hash));
  });

  it('what a trade was for and what a position cost stand beside the net', async () => {
    const rows = await ask(
      "SELECT tx_hash, consideration_usd, net_usd_with_positions FROM 'tables/transactions/*.parquet'",
    );
    const figure = (money?: { available: boolean; text: string } | null): number | null =>
      money?.available ? Number(money.text.slice(1)) : null;
    for (const { tx, economics: e } of reports) {
      const row = rows.find((one) => one['tx_hash'] === tx.hash)!;
      expect([row['consideration_usd'], row['net_usd_with_positions']]).toEqual([
        figure(e.consideration_usd),
        figure(e.net_usd_with_positions),
      ]);
    }
    expect(rows.some((row) => row['consideration_usd'] !== null)).toBe(true);
  });

  it('what a finding states in dollars is not rounded', async () => {
    const rows = await ask(
      "SELECT block_number, amount, usd, usd_exact FROM 'tables/finding_amounts/*.parquet' WHERE usd_exact IS NOT NULL AND asset_id = 'eip155:1/slip44:60'",
    );
    expect(rows.length).toBeGreaterThan(10);
    for (const { block_number: number, amount, usd, usd_exact: exact } of rows) {
      const prices = reports
        .filter(({ tx }) => tx.block_number === Number(number))
        .flatMap(({ economics }) => economics.valuation.prices ?? [])
        .filter(({ asset_id }) => asset_id === ETHER);
      const [whole, fraction = ''] = prices[0]!.price_exact!.split('.') as [string, string?];
      const product = scaled(String(amount)) * BigInt(whole + fraction);
      const [units, places = ''] = String(exact).split('.') as [string, string?];
      expect(BigInt(units + places) * 10n ** BigInt(18 + fraction.length - places.length)).toBe(product);
      expect(usd).toBe(Number(exact));
    }
    expect(rows.some(({ usd }) => Math.abs(Number(usd) * 100 - Math.round(Number(usd) * 100)) > 1e-6)).toBe(
      true,
    );
  });

  it('who paid for failures, and what has no price', async () => {
    const failed = reports.filter(({ execution }) => execution.reverted);
    const paid = sums(failed.map((r) => [r.attribution.fee_payer, r.execution.gas_cost_native]));
    expect(failed.length).toBeGreaterThan(2);
    expect(
      Object.fromEntries((await ask(questions[10]!)).map((row) => [row['fee_payer'], row['gas_eth']])),
    ).toEqual(Object.fromEntries([...paid].map(([payer, units]) => [payer, shown(units)])));

    const counted = (keys: readonly (string | null | undefined)[]): Record<string, string> => {
      const counts: Record<string, number> = {};
      for (const key of keys) if (key != null) counts[key] = (counts[key] ?? 0) + 1;
      return Object.fromEntries(Object.entries(counts).map(([key, count]) => [key, String(count)]));
    };
    const refusals = await ask(questions[11]!);
    expect(Object.fromEntries(refusals.map((row) => [row['code'], row['refusals']]))).toEqual(
      counted(reports.flatMap((r) => (r.economics.valuation.refusals ?? []).map(({ code }) => code))),
    );
  });
});
