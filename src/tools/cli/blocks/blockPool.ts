import { existsSync } from 'node:fs';
import { Piscina } from 'piscina';
import type { BlockId } from '../../../traces/traceApi.ts';
import type { BlockResult, BlockTask, BlockThreadData } from './blockTask.ts';

/** Compiled, or the source where a loader runs it. */
const THREAD = ['./blockThread.js', './blockThread.ts']
  .map((file) => new URL(file, import.meta.url))
  .find((file) => existsSync(file))!.href;

/** While one block waits for the node, its thread analyzes another. */
export const BLOCKS_PER_THREAD = 2;

/** Threads that analyze blocks. */
export interface BlockPool {
  /** Rejects where the thread ended, above all for want of memory. */
  run(id: BlockId, ms: number): Promise<BlockResult>;
  close(): Promise<void>;
}

export function openBlockPool(data: BlockThreadData, threads: number): BlockPool {
  const pool = new Piscina({
    filename: THREAD,
    workerData: data,
    minThreads: 0,
    maxThreads: threads,
    concurrentTasksPerWorker: BLOCKS_PER_THREAD,
    idleTimeout: 60_000,
    // A waiting thread must go on serving its connections.
    atomics: 'disabled',
    resourceLimits: { maxOldGenerationSizeMb: data.config.analysisMemoryMb },
  });
  // Without a listener an error between tasks ends the process; the next task starts another thread.
  pool.on('error', () => {});
  return {
    run: async (id, ms) => (await pool.run({ id, ms } satisfies BlockTask)) as BlockResult,
    close: () => pool.destroy(),
  };
}
