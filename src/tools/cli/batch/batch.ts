import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { constants } from 'node:os';
import { Readable } from 'node:stream';
import { CliError } from '../cliIo.ts';
import { openAnalyzer } from '../openAnalyzer.ts';
import { lock, stopOnSignals, type Stop } from './guards.ts';
import { readTxHash } from '../../client/txHash.ts';
import { readHashLines, type HashLine } from './hashLines.ts';
import { duration, progressLine, startProgress } from './progress.ts';
import { openReportFiles, openStandardStreams, type BatchSink } from './reportFile.ts';
import { runBatch, type BatchCounts } from './runBatch.ts';
import type { Shard } from './hashLines.ts';

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
  const unlock = await lock(request.out);
  if (unlock === null) {
    process.stderr.write(`${request.out} is being written by another batch\n`);
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
    // An open standard input keeps the process alive.
    if (request.list === '-') process.stdin.destroy();
    await unlock();
  }
}

async function run(
  request: BatchRequest,
  source: Source,
  analyze: (hash: string) => Promise<string>,
  stop: Stop,
): Promise<number> {
  const { out, quiet = false } = request;
  const say = (text: string): void => {
    if (!quiet) process.stderr.write(`${text}\n`);
  };
  const { sink, errors } = await openSink(request, say);
  let latest: BatchCounts | null = null;
  const line = (elapsedMs: number, bar: boolean): string =>
    latest === null ? '' : progressLine(latest, source.total, elapsedMs, bar);
  const progress = startProgress(line, process.stderr, quiet);
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
      onProgress: (now) => {
        latest = now;
        progress.update();
      },
      onDefect: printDefect,
    });
  } finally {
    progress.end();
    failed = await sink.close();
  }
  say(summaryLine(counts, failed, duration(performance.now() - began), errors));
  const { aborted } = stop.signal;
  if (counts.gaveUp) say(`gave up: the node failed ${request.giveUpAfter} times in a row`);
  if (aborted) say('stopped before the end of the list');
  const incomplete = failed > 0 || counts.gaveUp;
  if (out !== undefined && (incomplete || aborted)) say('run the same command again to continue');
  if (aborted) return 128 + constants.signals[stop.by()];
  return incomplete ? 1 : 0;
}

/** Opens the output and says how far an earlier run came. */
async function openSink(
  { out, errors = out && `${out.replace(/\.(ndjson|jsonl)$/, '')}.errors.ndjson` }: BatchRequest,
  say: (text: string) => void,
): Promise<{ sink: BatchSink; errors: string | undefined }> {
  if (out === undefined) return { sink: openStandardStreams(), errors };
  if (errors === out) throw new CliError('--out and --errors must be two files');
  const sink = await openReportFiles(out, errors!);
  if (sink.torn > 0) say(`removed an incomplete last line from ${out}`);
  if (sink.done.size > 0) say(`${out} already holds ${sink.done.size} reports`);
  return { sink, errors };
}

function summaryLine(counts: BatchCounts, failed: number, time: string, errors: string | undefined): string {
  return [
    `${counts.reported} reports in ${time}`,
    ...(counts.skipped > 0 ? [`${counts.skipped} done before`] : []),
    ...(counts.repeated > 0 ? [`${counts.repeated} repeated lines`] : []),
    ...(failed > 0 ? [`${failed} failed${errors ? ` (${errors})` : ''}`] : []),
  ].join(', ');
}

function printDefect(hash: string, error: unknown): void {
  const { stack, message } = error as Error;
  process.stderr.write(
    `${hash}: internal error: ${process.env['DEBUG'] ? stack : `${message} (DEBUG=1 shows the stack)`}\n`,
  );
}

interface Source {
  readonly lines: AsyncIterable<HashLine>;
  /** Hashes of this shard; null when the list cannot be read twice. */
  readonly total: number | null;
}

async function openSource({ list, shard }: BatchRequest, stop: AbortSignal): Promise<Source> {
  const lines = (stream: Readable): AsyncIterable<HashLine> => {
    stop.addEventListener('abort', () => stream.destroy(), { once: true });
    return readHashLines(stream as AsyncIterable<Buffer>, shard);
  };
  if (list === '-' && process.stdin.isTTY)
    process.stderr.write('reading hashes from the terminal, one per line; Ctrl-D ends the list\n');
  if (list === '-') return { lines: lines(process.stdin), total: null };
  try {
    await access(list);
  } catch {
    // One hash in place of a file, as people paste it.
    if (readTxHash(list) !== null) return { lines: readHashLines(Readable.from([list]), shard), total: 1 };
    throw new CliError(`cannot read ${list}: no such file, or no permission`);
  }
  const seen = new Set<string>();
  let invalid = 0;
  for await (const line of readHashLines(createReadStream(list), shard))
    if ('invalid' in line) invalid++;
    else seen.add(line.hash);
  return { lines: lines(createReadStream(list)), total: seen.size + invalid };
}
