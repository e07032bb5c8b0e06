import { existsSync } from 'node:fs';
import { packRulebook } from '../cache/rulebookCache.ts';
import { createLimiter } from '../http/limiter.ts';
import { AnalysisError } from '../../lib/errors.ts';
import type { Config } from '../config.ts';
import type { AnalyzeOptions, AnalyzeResult } from '../http/analyze.ts';
import type { Hash } from '../../model/hex.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { UnreadAnswer } from '../../model/upstream.ts';
import type { AnalysisOutcome, AnalysisTask, AnalysisThreadData } from './analysisTask.ts';
import type { Piscina } from 'piscina';

/** Analyses on threads of their own, begun with an answer that is too large to be read between other requests. */
export interface LargeAnalyses {
  /** Answers of more bytes than this belong here. */
  readonly largeBytes: number;
  run(hash: Hash, answer: UnreadAnswer, options: AnalyzeOptions): Promise<AnalyzeResult>;
  close(): Promise<void>;
}

/** An idle thread is worth its memory for this long. */
const IDLE_MS = 60_000;

/** As compiled, or as the sources are run with a loader. */
const THREAD = ['./analysisThread.js', './analysisThread.ts']
  .map((file) => new URL(file, import.meta.url))
  .find((file) => existsSync(file))!.href;

/**
 * A pool of threads that starts with the first large transaction. Each holds the rulebook in force, compiled; changed
 * rules start a new pool. A thread has a bounded heap and is ended when its analysis is aborted: neither memory nor an
 * endless loop outlives a request.
 */
export function createLargeAnalyses(config: Config, rulebook: () => Rulebook): LargeAnalyses {
  let pool: { readonly digest: string; readonly threads: Piscina } | null = null;
  // Who waits for a thread waits here: the pool starts one for a task that comes, but none for tasks that wait when one ends.
  const places = createLimiter({ maxConcurrency: config.largeThreads, maxQueue: Infinity });

  async function threadsFor(book: Rulebook): Promise<Piscina> {
    const { Piscina } = await import('piscina');
    if (pool?.digest === book.digest) return pool.threads;
    void pool?.threads.close();
    const workerData: AnalysisThreadData = { config, rulebook: packRulebook(book) };
    const threads = new Piscina({
      filename: THREAD,
      workerData,
      minThreads: 0,
      maxThreads: config.largeThreads,
      idleTimeout: IDLE_MS,
      // An idle thread must go on serving its connections.
      atomics: 'disabled',
      resourceLimits: { maxOldGenerationSizeMb: config.analysisMemoryMb },
    });
    // Without a listener an error between tasks would end the process; the next task starts another thread.
    threads.on('error', () => {});
    threads.setMaxListeners(0);
    pool = { digest: book.digest, threads };
    return threads;
  }

  /** Rejects with what ended a thread, also one that ended before it could take the task: the pool would let that task wait. */
  async function onThread(task: AnalysisTask, signal: AbortSignal): Promise<AnalysisOutcome> {
    const threads = await threadsFor(rulebook());
    const given = new AbortController();
    let onError = (_error: Error): void => {};
    const failed = new Promise<never>((_, reject) => threads.once('error', (onError = reject)));
    const running = threads.run(task, {
      signal: AbortSignal.any([signal, given.signal]),
      transferList: [task.answer.body.buffer as ArrayBuffer],
    });
    try {
      return (await Promise.race([running, failed])) as AnalysisOutcome;
    } catch (error) {
      running.catch(() => {});
      given.abort();
      throw error;
    } finally {
      threads.off('error', onError);
    }
  }

  return {
    largeBytes: config.largeBytes,
    async run(hash, answer, { signal, deadlineAt, onStage, onCall }) {
      const task: AnalysisTask = { hash, answer, due: performance.timeOrigin + deadlineAt };
      let outcome: AnalysisOutcome;
      try {
        outcome = await places.run(() => onThread(task, signal), signal);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
        throw new AnalysisError(
          'upstream_too_large',
          `analysing it takes more than ${config.analysisMemoryMb} MB of memory`,
        );
      }
      for (const [name, ms] of outcome.stages) onStage?.(name, ms);
      for (const event of outcome.calls) onCall?.(event);
      const { done } = outcome;
      if ('code' in done)
        throw new AnalysisError(done.code, done.detail, done.cause === null ? {} : { cause: done.cause });
      return done;
    },
    async close() {
      await pool?.threads.destroy();
    },
  };
}
