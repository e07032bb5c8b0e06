import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { AnalysisError, failureOf } from '../../../lib/errors.ts';
import { CliError, defectText } from '../cliIo.ts';
import { openAnalyzer } from '../openAnalyzer.ts';
import { pastedHash } from '../../pasted.ts';
import { beside, openReportFiles, type Failure } from './guards.ts';
import { readHashLines, type HashLine, type Shard } from './hashLines.ts';
import { duration, runBatch, type BatchJob, type BatchOptions } from './runBatch.ts';

/** The report of a hash, why there is none, or null where nothing is to do. */
type HashResult = { readonly hash: string; readonly json: string } | Failure | null;

/** Runs `txreport batch`; returns its exit status. */
export async function batchHashes(list: string, options: BatchOptions): Promise<number> {
  try {
    return await runBatch(options, options.out, (stop, say) => openHashes(list, options, stop, say));
  } finally {
    // An open standard input keeps the process alive.
    if (list === '-') process.stdin.destroy();
  }
}

async function openHashes(
  list: string,
  options: BatchOptions,
  stop: AbortSignal,
  say: (text: string) => void,
): Promise<BatchJob<HashLine, HashResult>> {
  const source = await openSource(list, options.shard, stop);
  const analyzer = await openAnalyzer();
  const { sink, errors } = await openSink(options, say).catch(async (error: unknown) => {
    await analyzer.close();
    throw error;
  });
  // skipped: with a report before this run; repeated: lines with an earlier hash.
  const counts = { skipped: 0, reported: 0, failed: 0, repeated: 0 };
  const doneBefore = new Set(sink.done);
  const begun = new Set<string>();
  return {
    units: withRetries(source.lines, sink.failedBefore),
    atOnce: options.concurrency,
    ordered: false,
    progress(ms) {
      const { total } = source;
      const { reported, failed, skipped } = counts;
      const done = reported + failed + skipped;
      const perMs = (reported + failed) / ms;
      const leftMs = total && perMs > 0 ? (total - done) / perMs : 0;
      return { done, total, figures: [`${(perMs * 1000).toFixed(1)}/s`], leftMs, failed };
    },
    async analyze(line) {
      if ('invalid' in line) {
        const error = `line ${line.line}: invalid tx_hash \`${line.invalid}\``;
        return { tx_hash: null, code: 'invalid_hash', error };
      }
      const { hash } = line;
      const isRepeated = begun.has(hash);
      begun.add(hash);
      if (isRepeated && line.line > 0) counts.repeated++;
      else if (!isRepeated && doneBefore.has(hash)) counts.skipped++;
      if (isRepeated || doneBefore.has(hash)) return null;
      try {
        return { hash, json: await analyzer.analyze(hash) };
      } catch (error) {
        if (!(error instanceof AnalysisError))
          process.stderr.write(`${hash}: ${defectText(error as Error)}\n`);
        return { tx_hash: hash, ...failureOf(error) };
      }
    },
    async take(_, result) {
      if (result === null) return false;
      if ('json' in result) {
        await sink.report(result.hash, result.json);
        counts.reported++;
        return false;
      }
      counts.failed++;
      await sink.failure(result);
      return result.code.startsWith('upstream_');
    },
    async close() {
      await analyzer.close();
      return sink.close();
    },
    summary(ms, { open, refused }) {
      const place = errors ? ` (${errors})` : '';
      const counted: readonly (readonly [number, string])[] = [
        [counts.skipped, 'done before'],
        [counts.repeated, 'repeated lines'],
        [open, `failed${place}`],
        [refused, `refused${place}`],
      ];
      const rest = counted.flatMap(([count, text]) => (count > 0 ? [`${count} ${text}`] : []));
      return [`${counts.reported} reports in ${duration(ms)}`, ...rest].join(', ');
    },
  };
}

/** Opens the output and says how far an earlier run came. */
async function openSink(
  { out, errors = out && beside(out, 'errors') }: BatchOptions,
  say: (text: string) => void,
) {
  if (out === undefined && errors !== undefined)
    throw new CliError('--errors needs --out: without it, failures go to standard error');
  if (out !== undefined && errors === out) throw new CliError('--out and --errors must be two files');
  const sink = await openReportFiles(out, errors);
  if (sink.torn > 0) say(`removed an incomplete last line from ${out}`);
  if (sink.done.size > 0) say(`${out} already holds ${sink.done.size} reports`);
  return { sink, errors };
}

/** Lines of the list; `total`: hashes of this shard, null when the list cannot be read twice. */
async function openSource(list: string, shard: Shard, stop: AbortSignal) {
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
    if (pastedHash(list) !== null) return { lines: readHashLines(Readable.from([list]), shard), total: 1 };
    throw new CliError(`cannot read ${list}: no such file, or no permission`);
  }
  const seen = new Set<string>();
  let invalid = 0;
  for await (const line of readHashLines(createReadStream(list), shard))
    if ('invalid' in line) invalid++;
    else seen.add(line.hash);
  return { lines: lines(createReadStream(list)), total: seen.size + invalid };
}

/** The list, then the failures of earlier runs as line 0: the list may no longer contain them. */
async function* withRetries(
  lines: AsyncIterable<HashLine>,
  failedBefore: readonly string[],
): AsyncGenerator<HashLine> {
  yield* lines;
  for (const hash of failedBefore) yield { hash, line: 0 };
}
