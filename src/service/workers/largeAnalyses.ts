import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { packRulebook } from '../cache/rulebookCache.ts';
import { createLimiter } from '../http/limiter.ts';
import { AnalysisError } from '../../lib/errors.ts';
import type { Config } from '../config.ts';
import type { AnalyzeOptions, AnalyzeResult } from '../http/analyze.ts';
import type { Hash } from '../../model/hex.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { AnalysisMessage, AnalysisOutcome, AnalysisSetup, AnalysisTask } from './analysisProcess.ts';

export type LargeAnalyses = ReturnType<typeof createLargeAnalyses>;

/** How long an idle process is kept. */
const IDLE_MS = 60_000;
/** Length of a process's stderr kept for the log. */
const STDERR_BYTES = 2_000;

/** Compiled, or the source where it is run with a loader. */
const PROGRAM = ['./analysisProcess.js', './analysisProcess.ts']
  .map((file) => fileURLToPath(new URL(file, import.meta.url)))
  .find((file) => existsSync(file))!;

interface Worker {
  readonly process: ChildProcess;
  /** Of its rulebook. */
  readonly digest: string;
  readonly stderr: () => string;
  /** Whether it takes tasks. */
  started: boolean;
  idle: NodeJS.Timeout | null;
}

/** By how many percent the heap may grow before it is collected again: a third less memory. */
const HEAP_GROWTH = '--heap-growing-percent=40';

/**
 * Analyses in processes of their own, which neither delay other requests nor share their memory. A process
 * starts with the first large transaction and is kept for the next. V8's flag bounds its heap by ending it,
 * while a thread that exhausts its heap inside `JSON.parse` takes the service along. Aborting an analysis
 * kills its process. Processes keep the service's priority: reaping one of lower priority on a full machine
 * held the event loop for up to a second.
 */
export function createLargeAnalyses(config: Config, rulebook: () => Rulebook) {
  const places = createLimiter({ maxConcurrency: config.largeThreads, maxQueue: Infinity });
  const all = new Set<Worker>();
  const idle: Worker[] = [];
  // Packing takes 7 ms of the event loop, so it is done once per rulebook.
  let packed: { readonly digest: string; readonly bytes: Buffer } | null = null;

  function start(book: Rulebook): Worker {
    const child = fork(PROGRAM, {
      execArgv: [...process.execArgv, `--max-old-space-size=${config.analysisMemoryMb}`, HEAP_GROWTH],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const { digest } = book;
    if (packed?.digest !== digest) packed = { digest, bytes: packRulebook(book) };
    let tail = '';
    child.stderr!.on('data', (data: Buffer) => (tail = (tail + data.toString()).slice(-STDERR_BYTES)));
    const worker: Worker = { process: child, digest, stderr: () => tail, started: false, idle: null };
    child.on('message', (message) => void (worker.started ||= 'started' in (message as AnalysisMessage)));
    all.add(worker);
    const forget = (): void => {
      all.delete(worker);
      if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1);
    };
    // 'error': it could not be started, killed, or sent a message to; 'exit' need not follow.
    child.on('error', forget).once('exit', forget);
    child.send({ config, rulebook: packed.bytes } satisfies AnalysisSetup);
    return worker;
  }

  function take(): Worker {
    const book = rulebook();
    let worker = idle.pop();
    for (; worker && worker.digest !== book.digest; worker = idle.pop()) worker.process.kill('SIGKILL');
    if (!worker) return start(book);
    clearTimeout(worker.idle!);
    worker.process.ref();
    return worker;
  }

  function giveBack(worker: Worker): void {
    if (!worker.process.connected) return;
    idle.push(worker);
    worker.idle = setTimeout(() => worker.process.kill('SIGKILL'), IDLE_MS).unref();
  }

  function runOn(worker: Worker, task: AnalysisTask, signal: AbortSignal) {
    const { process: child } = worker;
    return new Promise<{ outcome: AnalysisOutcome; pieces: readonly Uint8Array[] }>((resolve, reject) => {
      const pieces: Uint8Array[] = [];
      const leave = (): void => {
        child.off('message', onMessage).off('exit', onExit).off('error', onError);
        signal.removeEventListener('abort', onAbort);
      };
      const fail = (error: Error): void => {
        leave();
        reject(error);
      };
      const onMessage = (message: unknown): void => {
        const said = message as AnalysisMessage;
        if ('started' in said) return void child.send(task);
        if ('piece' in said) return void pieces.push(said.piece);
        leave();
        giveBack(worker);
        resolve({ outcome: said.outcome, pieces });
      };
      const onExit = (code: number | null, ended: NodeJS.Signals | null): void =>
        fail(failureOf(code, ended, worker.stderr(), config.analysisMemoryMb));
      const onError = (error: Error): void => {
        fail(error);
        child.kill('SIGKILL');
      };
      const onAbort = (): void => {
        fail(signal.reason as Error);
        // One that is starting has no task yet: it is there for the next request.
        if (worker.started) child.kill('SIGKILL');
        else giveBack(worker);
      };
      child.on('message', onMessage).once('exit', onExit).once('error', onError);
      signal.addEventListener('abort', onAbort, { once: true });
      if (worker.started) child.send(task);
    });
  }

  return {
    /** Upstream answers over this size belong here. */
    largeBytes: config.largeBytes,
    async run(hash: Hash, options: AnalyzeOptions): Promise<AnalyzeResult> {
      const { signal, deadlineAt, onStage, onCall } = options;
      const task: AnalysisTask = { hash, due: performance.timeOrigin + deadlineAt };
      const { outcome, pieces } = await places.run(() => runOn(take(), task, signal), signal);
      for (const [name, ms] of outcome.stages) onStage?.(name, ms);
      for (const event of outcome.calls) onCall?.(event);
      const { done } = outcome;
      if ('intentKind' in done) return { json: pieces, intentKind: done.intentKind };
      throw new AnalysisError(done.code, done.detail, done.cause === null ? {} : { cause: done.cause });
    },
    async close(): Promise<void> {
      // An error of a child that cannot be killed is no reason to stop closing.
      const ended = [...all].map(({ process: child }) => once(child, 'exit').catch(() => {}));
      for (const { process: child } of all) child.kill('SIGKILL');
      await Promise.all(ended);
    },
  };
}

/** V8 aborts a process with a full heap; the kernel kills one that exceeds the container's memory. */
function failureOf(code: number | null, ended: NodeJS.Signals | null, stderr: string, memoryMb: number) {
  if (ended === 'SIGABRT' || ended === 'SIGKILL' || code === 134)
    return new AnalysisError('upstream_too_large', `analysing it takes more than ${memoryMb} MB of memory`);
  const cause = `the analysis process ended with ${ended ?? code}: ${stderr}`;
  return new AnalysisError('internal', null, { cause });
}
