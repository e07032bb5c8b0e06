import { existsSync } from 'node:fs';
import { Piscina } from 'piscina';
import type { BlockId } from '../../../traces/traceApi.ts';
import type { Config } from '../../../service/config.ts';
import type { BlockFailure, BlockFilter } from '../../../service/analyzeBlock.ts';
import type { Finding } from '../../../model/generated/finding.ts';
import type { BlockBatchFailure } from './blockList.ts';
import type { Rows, TableName } from './tables.ts';

/** Blocks with failures, and their transactions without a report; null: all of them. */
export function retriesOf(
  failures: readonly BlockBatchFailure[],
): ReadonlyMap<string, ReadonlySet<string> | null> {
  const blocks = new Map<string, Set<string> | null>();
  for (const { block, tx_hash } of failures) {
    const known = blocks.get(block);
    if (known === null) continue;
    blocks.set(block, tx_hash === null ? null : (known ?? new Set()).add(tx_hash));
  }
  return blocks;
}

/** The result of a block that failed as a whole. */
export function failedBlock(failed: NonNullable<BlockResult['failed']>): BlockResult {
  const none = { reports: 0, transactions: 0, requests: 0, failures: [], findings: [], notes: [] };
  return { lines: new Uint8Array(), rows: null, ...none, failed };
}

/** The reports and failures of some transactions of a block. */
export function onlyHashes(result: BlockResult, wanted: ReadonlySet<string>): BlockResult {
  const lines = new TextDecoder()
    .decode(result.lines)
    .split('\n')
    .filter((line) => line !== '' && wanted.has((JSON.parse(line) as { tx: { hash: string } }).tx.hash));
  const rows = result.rows && { ...result.rows };
  if (rows)
    for (const [table, list] of Object.entries(rows))
      rows[table as TableName] = list.filter(([hash]) => wanted.has(hash as string));
  return {
    ...result,
    lines: new TextEncoder().encode(lines.map((line) => `${line}\n`).join('')),
    rows,
    reports: rows ? rows.transactions.length : lines.length,
    transactions: wanted.size,
    failures: result.failures.filter(({ tx_hash }) => wanted.has(tx_hash)),
    findings: [],
  };
}

/** Compiled, or the source where a loader runs it. */
const THREAD = ['./blockThread.js', './blockThread.ts']
  .map((file) => new URL(file, import.meta.url))
  .find((file) => existsSync(file))!.href;

/** While one block waits for the node, its thread analyzes another. */
export const BLOCKS_PER_THREAD = 2;

/**
 * Room for a block's analyses: with V8's standard 48 MB, copying survivors takes a quarter of the CPU;
 * beyond 96 MB only memory grows.
 */
const YOUNG_MB = 96;

/** Threads that analyze blocks. */
export type BlockPool = ReturnType<typeof openBlockPool>;

export function openBlockPool(data: BlockThreadData, threads: number) {
  const pool = new Piscina({
    filename: THREAD,
    workerData: data,
    minThreads: 0,
    maxThreads: threads,
    concurrentTasksPerWorker: BLOCKS_PER_THREAD,
    idleTimeout: 60_000,
    // A waiting thread must go on serving its connections.
    atomics: 'disabled',
    resourceLimits: {
      maxOldGenerationSizeMb: data.config.analysisMemoryMb,
      maxYoungGenerationSizeMb: YOUNG_MB,
    },
  });
  // Without a listener an error between tasks ends the process; the next task starts another thread.
  pool.on('error', () => {});
  return {
    /** Rejects where the thread ended, above all for want of memory. */
    run: (id: BlockId, ms: number): Promise<BlockResult> => pool.run({ id, ms } satisfies BlockTask),
    close: () => pool.destroy(),
  };
}

/** Start data of a thread that analyzes blocks. */
export interface BlockThreadData {
  readonly config: Config;
  /** The rulebook, as `packRulebook` writes it. */
  readonly rulebook: Uint8Array;
  readonly filter: BlockFilter;
  /** Whether rows of the flat tables are wanted in place of JSON lines. */
  readonly tables: boolean;
}

export interface BlockTask {
  readonly id: BlockId;
  /** Milliseconds it may take. */
  readonly ms: number;
}

/** A block's result, as it comes from the thread. */
export interface BlockResult {
  /** Reports in block order, one JSON object per line; empty where tables are wanted. */
  readonly lines: Uint8Array;
  readonly rows: Rows | null;
  readonly reports: number;
  /** Transactions of the block, wanted or not. */
  readonly transactions: number;
  readonly failures: readonly BlockFailure[];
  readonly findings: readonly Finding[];
  /** HTTP requests to the node. */
  readonly requests: number;
  /** Set where the block as a whole failed. */
  readonly failed: { readonly code: string; readonly error: string } | null;
  /** Lines for the user. */
  readonly notes: readonly string[];
}
