// Runs deploy/spark/txreport_job.py on Spark (SPARK_PYTHON: a Python with pyspark), local[2,3]: 1,000 inputs, ten of them bad,
// while a Python worker and a command are killed; then some blocks. Every input must have exactly one row.
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { HASH_OF, RECORDINGS, startRecordedNode } from '../cli/recordedNode.ts';

const ROOT = join(import.meta.dirname, '../..');
const INPUTS = 1_000;
const folder = mkdtempSync(join(tmpdir(), 'txreport-spark-'));
const node = await startRecordedNode();

/** Processes below one, with their command lines. */
function below(pid: number): { pid: number; command: string }[] {
  const parents = new Map<number, { parent: number; command: string }>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const parent = Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))![1]);
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
      parents.set(Number(name), { parent, command });
    } catch {
      // Ended meanwhile.
    }
  }
  const isBelow = (one: number): boolean => {
    const parent = parents.get(one)?.parent;
    return parent !== undefined && (parent === pid || isBelow(parent));
  };
  return [...parents].filter(([one]) => isBelow(one)).map(([one, { command }]) => ({ pid: one, command }));
}

/** Kills one process below `root` whose command line matches, a moment after it was first seen. */
async function killOne(root: ChildProcess, pattern: RegExp, afterMs: number): Promise<string> {
  while (root.exitCode === null) {
    const found = below(root.pid!).filter(({ command }) => pattern.test(command));
    const last = found.at(-1);
    if (last) {
      await sleep(afterMs);
      if (!existsSync(`/proc/${last.pid}`)) continue;
      process.kill(last.pid, 'SIGKILL');
      return last.command;
    }
    await sleep(50);
  }
  return 'none was there';
}

async function runJob(lines: readonly string[], out: string, kill: boolean): Promise<void> {
  const input = join(folder, `${out}.txt`);
  writeFileSync(input, `${lines.join('\n')}\n`);
  const job = spawn(
    process.env['SPARK_PYTHON']!,
    [join(ROOT, 'deploy/spark/txreport_job.py'), input, join(folder, out), '4'],
    {
      env: {
        ...process.env,
        RPC_URL: node.url,
        PYSPARK_PYTHON: process.env['SPARK_PYTHON'],
        TXREPORT: `${process.execPath} ${join(ROOT, 'dist/tools/cli/cli.js')}`,
        PYSPARK_SUBMIT_ARGS: '--master local[2,3] --conf spark.ui.enabled=false pyspark-shell',
      },
      stdio: ['ignore', 'inherit', 'pipe'],
    },
  );
  let log = '';
  job.stderr!.on('data', (data: Buffer) => (log += data.toString()));
  const ended = new Promise<number | null>((resolve) => job.once('close', resolve));
  if (kill) {
    console.log(`killed: ${await killOne(job, /cli\.js batch --rows/, 300)}`);
    console.log(`killed: ${await killOne(job, /pyspark[./]daemon/, 1_500)}`);
  }
  const code = await ended;
  if (code !== 0) throw new Error(`the job ended with ${code}\n${log.slice(-4_000)}`);
  console.log(`failed tasks that Spark ran again: ${log.match(/Lost task/g)?.length ?? 0}`);
}

const duck = await (await DuckDBInstance.create(':memory:')).connect();
async function query(sql: string): Promise<unknown[]> {
  return (await duck.runAndReadAll(sql)).getRows().flat().map(Number);
}
let failed = 0;
function expect(what: string, found: unknown[], wanted: unknown[]): void {
  const holds = JSON.stringify(found) === JSON.stringify(wanted);
  if (!holds) failed++;
  console.log(
    `${holds ? 'ok   ' : 'FAIL '} ${what}: ${found.join(', ')}${holds ? '' : `, not ${wanted.join(', ')}`}`,
  );
}
const table = (out: string, name: string): string => `read_parquet('${folder}/${out}/${name}/*.parquet')`;

const began = performance.now();
const BAD = [
  ...[1, 2, 3, 4].map((i) => `0x${String(i).repeat(64)}`),
  '0x1234',
  'poison; rm -rf',
  '"',
  '# a comment',
  '{"tx_hash": 1}',
  '',
];
const good = Array.from(
  { length: INPUTS - BAD.length },
  (_, i) => `${RECORDINGS[i % RECORDINGS.length]!.hash},good-${i}`,
);
await runJob([...good, ...BAD], 'hashes', true);
const ROWS = table('hashes', 'rows');
expect('inputs with exactly one row', await query(`SELECT count(*), count(DISTINCT key) FROM ${ROWS}`), [
  INPUTS,
  INPUTS,
]);
expect('of them without a report', await query(`SELECT count(*) FROM ${ROWS} WHERE error IS NOT NULL`), [
  BAD.length,
]);
expect('of them worth asking again', await query(`SELECT count(*) FROM ${ROWS} WHERE error.retryable`), [0]);
expect('rows of transactions', await query(`SELECT count(*) FROM ${table('hashes', 'transactions')}`), [
  good.length,
]);
expect(
  'assets whose changes do not sum to zero',
  await query(
    `SELECT count(*) FROM (SELECT sum(delta) AS total FROM ${table('hashes', 'deltas')} GROUP BY tx_hash, asset_id HAVING total <> 0)`,
  ),
  [0],
);
const swap = RECORDINGS.find(({ hash }) => hash === HASH_OF['swap-v2-eth-usdc'])!;
const blocks = [
  ...new Set([swap, ...RECORDINGS.slice(0, 5)].map(({ rpc }) => String(BigInt(rpc.block.number)))),
];
await runJob([...blocks, '999999999'], 'blocks', false);
expect(
  'blocks with exactly one row',
  await query(`SELECT count(*), count(error) FROM ${table('blocks', 'rows')}`),
  [blocks.length + 1, 1],
);
expect(
  'transactions of the blocks',
  await query(`SELECT count(DISTINCT block_number) FROM ${table('blocks', 'transactions')}`),
  [blocks.length],
);
console.log(`in ${((performance.now() - began) / 1_000).toFixed(0)} s`);
duck.closeSync();
await node.close();
rmSync(folder, { recursive: true });
process.exit(failed === 0 ? 0 : 1);
