import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ndjson, openAt, replaceFile, streamed, writing } from '../batch/guards.ts';
import type { BlockResult } from './blockResult.ts';
import type { Checkpoint } from './blockList.ts';
import { decimalColumn } from './columns.ts';
import { TABLES, TABLE_NAMES, noRows, type Rows, type TableName } from './tables.ts';

/** Where the reports of a batch of blocks go, in order. */
export interface BlockSink {
  /** How much is complete and survives a kill: bytes, or parts; null while rows are held in memory. */
  place(): Pick<Checkpoint, 'written' | 'findings'> | null;
  take(result: BlockResult): Promise<void>;
  /** Writes the rows that are held. */
  flush?(): Promise<void>;
  close?(): Promise<void>;
}

/** NDJSON in one file; bytes beyond `written` are of a batch that was killed and are cut off. */
export async function openLines(
  path: string,
  written: number,
  findings: { readonly path: string; readonly written: number } | null = null,
): Promise<BlockSink> {
  const reports = await openAt(path, written);
  const beside = findings && (await openAt(findings.path, findings.written));
  return {
    place: () => ({ written: reports.written, findings: beside?.written ?? 0 }),
    async take(result) {
      await reports.append(result.lines);
      if (result.findings.length > 0) await beside?.append(Buffer.from(ndjson(result.findings)));
    },
    async close() {
      await reports.close();
      await beside?.close();
    },
  };
}

/** NDJSON on standard output, which cannot be resumed. */
export const standardOutput = (): BlockSink => ({
  place: () => null,
  take: ({ lines }) => streamed(process.stdout, lines),
});

/** Rows of one table after which a part is written: some ten megabytes, and large enough for quick scans. */
const PART_ROWS = 50_000;

/**
 * Parquet files below a folder, one folder per table, in numbered parts; parts from `written` on are of a
 * batch that was killed and are removed. `byDay`: in folders `day=2023-04-18`, as readers of partitioned
 * tables expect.
 */
export async function openTables(folder: string, written: number, byDay = false): Promise<BlockSink> {
  for (const table of TABLE_NAMES) {
    await mkdir(join(folder, table), { recursive: true });
    for (const name of await readdir(join(folder, table), { recursive: true })) {
      const number = /(?:^|\/)part-(\d{6})\.parquet$/.exec(name)?.[1];
      if (number === undefined ? !/^day=[\d-]+$/.test(name) : Number(number) >= written)
        await rm(join(folder, table, name), { force: true });
    }
  }
  let held = noRows();
  let day = '';
  const count = (): number => Math.max(...TABLE_NAMES.map((table) => held[table].length));
  const flush = async (): Promise<void> => {
    if (count() === 0) return;
    for (const table of TABLE_NAMES) {
      const path = join(folder, table, day, `part-${String(written).padStart(6, '0')}.parquet`);
      await writePart(path, table, held);
    }
    held = noRows();
    written++;
  };
  return {
    place: () => (count() > 0 ? null : { written, findings: 0 }),
    async take({ rows }) {
      if (rows === null) return;
      const of = byDay ? dayOf(rows) : '';
      if (of !== null && of !== day) {
        await flush();
        day = of;
      }
      for (const table of TABLE_NAMES) for (const row of rows[table]) held[table].push(row);
      if (count() >= PART_ROWS) await flush();
    },
    flush,
  };
}

/** The folder of a block's day; null for a block without reports. */
function dayOf({ transactions }: Rows): string | null {
  const column = Object.keys(TABLES.transactions.columns).indexOf('timestamp');
  const time = transactions[0]?.[column];
  return time instanceof Date ? `day=${time.toISOString().slice(0, 10)}` : null;
}

async function writePart(path: string, table: TableName, rows: Rows): Promise<void> {
  const { parquetWriteBuffer, schemaFromColumnData } = await import('hyparquet-writer');
  const columns = Object.entries(TABLES[table].columns);
  const columnData = columns.map(([name, type], i) => {
    const data = rows[table].map((row) => row[i]!);
    return type === 'AMOUNT' ? { name, data } : { name, type, data };
  });
  const amounts = columns.flatMap(([name, type]) => (type === 'AMOUNT' ? [name] : []));
  const buffer = parquetWriteBuffer({
    columnData: columnData.map(({ name, data }) => ({ name, data })),
    schema: schemaFromColumnData({
      columnData,
      schemaOverrides: Object.fromEntries(amounts.map((name) => [name, decimalColumn(name)])),
    }),
    rowGroupSize: PART_ROWS,
    createdBy: 'txreport',
  });
  await writing(path, mkdir(dirname(path), { recursive: true }));
  await replaceFile(path, new Uint8Array(buffer));
}
