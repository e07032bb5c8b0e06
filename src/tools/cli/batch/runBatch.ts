import pc from 'picocolors';
import { constants } from 'node:os';
import { CliError } from '../cliIo.ts';
import type { Shard } from './hashLines.ts';
import { lock, stopOnSignals, type Stop } from './guards.ts';

/** The options that every kind of batch has. */
export interface BatchRequest {
  readonly out?: string;
  readonly giveUpAfter: number;
  readonly quiet?: boolean;
  /** Refused transactions count as failures in the exit status. */
  readonly strict?: boolean;
}

/** Options of `txreport batch`; `blocks` and `rows` choose among the kinds of batch. */
export interface BatchOptions extends BatchRequest {
  readonly errors?: string;
  readonly concurrency: number;
  readonly shard: Shard;
  readonly format: 'ndjson' | 'parquet' | 'tables';
  readonly rows?: boolean;
  readonly blocks?: string;
  readonly only?: string;
  readonly involving?: string;
  readonly findings?: boolean;
  readonly partition?: 'day';
  readonly threads?: number;
}

/** One kind of batch: its units of work, how each is analyzed, and where the results go. */
export interface BatchJob<Unit, Result> {
  readonly units: AsyncIterable<Unit>;
  /** Units in progress at once, those that wait for their turn to be written included. */
  readonly atOnce: number;
  /** Whether results are written in the order of the units. */
  readonly ordered: boolean;
  /** Never rejects: failures are part of the result. */
  analyze(unit: Unit): Promise<Result>;
  /** Writes a result; resolves to whether the unit failed because of the node. */
  take(unit: Unit, result: Result): Promise<boolean>;
  progress(ms: number): Standing;
  /** Writes the lines still held, after the last unit. */
  finish?(): Promise<void>;
  /** Closes the output; resolves to the failures listed. */
  close(): Promise<Failed>;
  summary(ms: number, failed: Failed): string;
}

export interface Failed {
  /** Failures that another run may resolve. */
  readonly open: number;
  /** Transactions with answers that no report can be made of. */
  readonly refused: number;
}

/**
 * Runs a batch from the lock on its output to its exit status: 0 complete, 1 with failures, 128 and the
 * signal's number where one stopped it.
 * @throws CliError where another batch writes the output
 */
export async function runBatch<Unit, Result>(
  request: BatchRequest,
  locked: string | undefined,
  open: (stop: AbortSignal, say: (text: string) => void) => Promise<BatchJob<Unit, Result>>,
): Promise<number> {
  const say = (text: string): void => {
    if (request.quiet !== true) process.stderr.write(`${text}\n`);
  };
  const unlock = await lock(locked);
  if (unlock === null) throw new CliError(`${request.out} is being written by another batch`, 1);
  const stop = stopOnSignals();
  try {
    return await conduct(request, await open(stop.signal, say), stop, say);
  } finally {
    stop.end();
    await unlock();
  }
}

async function conduct<Unit, Result>(
  { out, giveUpAfter, quiet, strict }: BatchRequest,
  job: BatchJob<Unit, Result>,
  stop: Stop,
  say: (text: string) => void,
): Promise<number> {
  const began = performance.now();
  const progress = startProgress((ms) => job.progress(ms), quiet === true);
  let gaveUp: boolean;
  let failed: Failed;
  try {
    gaveUp = await workThrough(job, stop.signal, giveUpAfter, progress.update);
    await job.finish?.();
  } finally {
    progress.end();
    failed = await job.close();
  }
  say(job.summary(performance.now() - began, failed));
  const { aborted } = stop.signal;
  if (gaveUp) say(`gave up: the node failed ${giveUpAfter} times in a row`);
  if (aborted) say('stopped before the end of the list');
  const incomplete = gaveUp || failed.open + (strict === true ? failed.refused : 0) > 0;
  const status = aborted ? 128 + constants.signals[stop.by()] : Number(incomplete);
  if (out !== undefined && status !== 0) say('run the same command again to continue');
  return status;
}

/** Analyzes every unit, several at once; resolves to whether it gave up on the node. */
async function workThrough<Unit, Result>(
  job: BatchJob<Unit, Result>,
  stop: AbortSignal,
  giveUpAfter: number,
  onProgress: () => void,
): Promise<boolean> {
  const source = job.units[Symbol.asyncIterator]();
  let failedInARow = 0;
  let gaveUp = false;
  let last: Promise<void> = Promise.resolve();
  const work = async (): Promise<void> => {
    while (!stop.aborted && !gaveUp) {
      const next = await source.next().catch((error: unknown) => {
        // A stop closes the source while the next unit is waited for.
        if (stop.aborted) return null;
        throw error;
      });
      if (next === null || next.done === true) return;
      const before = last;
      let written!: () => void;
      last = new Promise((resolve) => (written = resolve));
      const result = await job.analyze(next.value);
      if (job.ordered) await before;
      failedInARow = (await job.take(next.value, result)) ? failedInARow + 1 : 0;
      // Not reached where writing failed: then nothing later is written either.
      written();
      if (giveUpAfter > 0 && failedInARow >= giveUpAfter) gaveUp = true;
      onProgress();
    }
  };
  await Promise.all(Array.from({ length: job.atOnce }, work));
  return gaveUp;
}

/** How far a batch has come. */
export interface Standing {
  readonly done: number;
  /** Null while the list is still being read. */
  readonly total: number | null;
  /** Of `done` and `total`, with a space before it. */
  readonly unit?: string;
  /** Figures such as the speed. */
  readonly figures: readonly string[];
  readonly leftMs: number;
  readonly failed: number;
}

const DRAW_EVERY_MS = 100;
/** Without a terminal, one line per half minute shows that the batch is alive. */
const LOG_EVERY_MS = 30_000;
const BAR = 24;

/** `3 h 12 min`, `4 min 5 s`, `12 s`. */
export function duration(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
}

/** One line: progress, speed, time left. */
function progressLine({ done, total, unit = '', figures, leftMs, failed }: Standing, bar: boolean): string {
  const share = total ? Math.min(1, done / total) : 0;
  const filled = Math.round(share * BAR);
  return [
    bar && total ? `${pc.green('█'.repeat(filled))}${pc.dim('░'.repeat(BAR - filled))}` : '',
    `${done}${total ? `/${total}` : ''}${unit}`,
    total ? `${Math.floor(share * 100)} %` : '',
    ...figures,
    leftMs > 0 ? `${duration(leftMs)} left` : '',
    failed > 0 ? pc.red(`${failed} failed`) : '',
  ]
    .filter(Boolean)
    .join('  ');
}

/** Shows progress on standard error: a bar on a terminal, a line every half minute elsewhere. */
function startProgress(standing: (elapsedMs: number) => Standing, quiet: boolean) {
  if (quiet) return { update: () => {}, end: () => {} };
  const began = performance.now();
  const stream = process.stderr;
  const terminal = stream.isTTY === true;
  let drawn = 0;
  return {
    /** Draws the line anew, at most a few times per second. */
    update() {
      const now = performance.now();
      if (now - (drawn || began) < (terminal ? DRAW_EVERY_MS : LOG_EVERY_MS)) return;
      drawn = now;
      const text = progressLine(standing(now - began), terminal);
      stream.write(terminal ? `\r\u001b[2K${text}` : `${text}\n`);
    },
    /** Clears the progress line. */
    end() {
      if (terminal && drawn > 0) stream.write('\r\u001b[2K');
    },
  };
}
