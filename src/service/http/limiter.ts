import { AnalysisError } from '../../lib/errors.ts';

/**
 * Admits a bounded number of tasks at once and lets a bounded number wait, first come first served. p-queue
 * gives a place away when a task's signal aborts, though the task still runs; here it keeps it to its end.
 */
export interface Limiter {
  readonly running: number;
  readonly waiting: number;
  /** Whether `run` would reject at once. */
  readonly full: boolean;
  /**
   * Runs `task` when there is a place. Rejects at once with `overloaded` when the queue is full or the
   * limiter closed, and with the signal's reason when that aborts while waiting.
   */
  run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Admits nothing more; resolves when running and waiting work is done. */
  close(): Promise<void>;
}

export function createLimiter(limits: { maxConcurrency: number; maxQueue: number }): Limiter {
  let running = 0;
  let closed = false;
  const queue = new Set<() => void>();
  const idle: (() => void)[] = [];

  function place(signal: AbortSignal): Promise<void> {
    if (running < limits.maxConcurrency) {
      running++;
      return Promise.resolve();
    }
    if (queue.size >= limits.maxQueue) return Promise.reject(new AnalysisError('overloaded'));
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        queue.delete(enter);
        reject(signal.reason as Error);
      };
      queue.add(enter);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  function release(): void {
    const next = queue.values().next().value;
    if (next) {
      // The place passes on: `running` stays.
      queue.delete(next);
      next();
      return;
    }
    running--;
    if (running === 0) for (const resolve of idle.splice(0)) resolve();
  }

  return {
    get running() {
      return running;
    },
    get waiting() {
      return queue.size;
    },
    get full() {
      return closed || (running >= limits.maxConcurrency && queue.size >= limits.maxQueue);
    },
    async run(task, signal) {
      if (closed) throw new AnalysisError('overloaded');
      signal.throwIfAborted();
      await place(signal);
      try {
        return await task();
      } finally {
        release();
      }
    },
    close() {
      closed = true;
      return running === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve));
    },
  };
}
