import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { CliError } from '../rules/cliIo.ts';
import { openAnalyzer } from '../openAnalyzer.ts';
import { FileBusy, lockFile } from './fileLock.ts';
import { readHashLines, type HashLine } from './hashLines.ts';
import { duration, startProgress } from './progress.ts';
import { openReportFiles, openStandardStreams, type BatchSink } from './reportFile.ts';
import { runBatch, type BatchCounts } from './runBatch.ts';
import type { Shard } from './shard.ts';

export interface BatchRequest {
  readonly list: string;
  readonly out?: string;
  readonly errors?: string;
  readonly concurrency: number;
  readonly shard: Shard;
  readonly giveUpAfter: number;
  readonly rpc?: string;
  readonly quiet?: boolean;
}

/** Runs `txreport batch`; returns its exit status. */
export async function batch(request: BatchRequest): Promise<number> {
  let unlock: (() => Promise<void>) | null = null;
  try {
    if (request.out !== undefined) unlock = await lockFile(request.out);
  } catch (error) {
    if (!(error instanceof FileBusy)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
  const stop = stopOnSignals();
  try {
    const source = await openSource(request, stop.signal);
    const analyzer = await openAnalyzer(request.rpc);
    if (analyzer === null) return 2;
    try {
      return await run(request, source, (hash) => analyzer.analyze(hash), stop);
    } finally {
      await analyzer.close();
    }
  } finally {
    stop.end();
    // A list that goes on coming would keep the process alive.
    if (request.list === '-') process.stdin.destroy();
    await unlock?.();
  }
}

async function run(
  request: BatchRequest,
  source: Source,
  analyze: (hash: string) => Promise<string>,
  stop: Stop,
): Promise<number> {
  const { out, quiet = false } = request;
  const errors =
    request.errors ??
    (out === undefined ? undefined : `${out.replace(/\.(ndjson|jsonl)$/, '')}.errors.ndjson`);
  if (out !== undefined && errors === out) throw new CliError('--out and --errors must be two files');
  const sink: BatchSink = out === undefined ? openStandardStreams() : await openReportFiles(out, errors!);
  const say = (text: string): void => void (quiet || process.stderr.write(`${text}\n`));
  if (sink.torn > 0) say(`cut off an unfinished last line of ${out}`);
  if (sink.done.size > 0) say(`${sink.done.size} reports are in ${out} already`);

  const progress = startProgress(source.total, process.stderr, quiet);
  const began = performance.now();
  let counts: BatchCounts;
  let failed: number;
  try {
    counts = await runBatch({
      lines: source.lines,
      analyze,
      sink,
      concurrency: request.concurrency,
      stop: stop.signal,
      giveUpAfter: request.giveUpAfter,
      onProgress: progress.update,
      onDefect: tellDefect,
    });
  } finally {
    progress.end();
    failed = await sink.close();
  }
  const seconds = duration(performance.now() - began);
  say(
    `${counts.reported} reports in ${seconds}${counts.skipped > 0 ? `, ${counts.skipped} were there before` : ''}${counts.repeated > 0 ? `, ${counts.repeated} repeated lines` : ''}${failed > 0 ? `, ${failed} failed${errors ? ` (${errors})` : ''}` : ''}`,
  );
  if (counts.gaveUp) say(`sent up: the node failed ${request.giveUpAfter} times in a row`);
  if (stop.signal.aborted) say('stopped before the end of the list');
  if (out !== undefined && (failed > 0 || counts.gaveUp || stop.signal.aborted))
    say('the same command goes on from here');
  if (stop.signal.aborted) return 128 + constants.signals[stop.by()];
  return failed > 0 || counts.gaveUp ? 1 : 0;
}

function tellDefect(hash: string, error: unknown): void {
  const { stack, message } = error as Error;
  process.stderr.write(
    `${hash}: internal error: ${process.env['DEBUG'] ? stack : `${message} (DEBUG=1 tells more)`}\n`,
  );
}

interface Source {
  readonly lines: AsyncIterable<HashLine>;
  /** Hashes in this shard; null when the list cannot be read twice. */
  readonly total: number | null;
}

async function openSource({ list, shard }: BatchRequest, stop: AbortSignal): Promise<Source> {
  const lines = (stream: Readable): AsyncIterable<HashLine> => {
    stop.addEventListener('abort', () => stream.destroy(), { once: true });
    return readHashLines(stream as AsyncIterable<Buffer>, shard);
  };
  if (list === '-' && process.stdin.isTTY)
    process.stderr.write('reading hashes from the terminal, one a line; Ctrl-D ends the list\n');
  if (list === '-') return { lines: lines(process.stdin), total: null };
  try {
    await access(list);
  } catch {
    throw new CliError(`cannot read ${list}: there is no such file, or it may not be read`);
  }
  const seen = new Set<string>();
  let invalid = 0;
  for await (const line of readHashLines(createReadStream(list), shard))
    'invalid' in line ? invalid++ : seen.add(line.hash);
  return { lines: lines(createReadStream(list)), total: seen.size + invalid };
}

interface Stop {
  readonly signal: AbortSignal;
  by(): 'SIGINT' | 'SIGTERM';
  end(): void;
}

/** The first signal lets what runs finish, the second leaves at once. */
function stopOnSignals(): Stop {
  const controller = new AbortController();
  let first: 'SIGINT' | 'SIGTERM' = 'SIGINT';
  const onSignal = (signal: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(128 + constants.signals[signal]);
    first = signal as typeof first;
    process.stderr.write('\nstopping: finishing what runs\n');
    controller.abort();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    by: () => first,
    end: () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal),
  };
}
