import { AnalysisError, ERROR_TEXT } from '../../../lib/errors.ts';
import type { BatchSink } from './reportFile.ts';
import type { HashLine } from './hashLines.ts';

export interface BatchOptions {
  readonly lines: AsyncIterable<HashLine>;
  /** The serialised report of a hash; rejects with an `AnalysisError`. */
  readonly analyze: (hash: string) => Promise<string>;
  readonly sink: BatchSink;
  readonly concurrency: number;
  /** Once aborted, no new analysis starts; running ones finish. A blocking source must then end or fail. */
  readonly stop: AbortSignal;
  /** Failures of the upstream node in a row after which the batch gives up; 0: never. */
  readonly giveUpAfter: number;
  readonly onProgress?: (counts: BatchCounts) => void;
  /** Called for errors other than `AnalysisError`: defects of this program. */
  readonly onDefect?: (hash: string, error: unknown) => void;
}

export interface BatchCounts {
  /** Hashes that had a report before this run. */
  skipped: number;
  reported: number;
  failed: number;
  /** Lines that repeat an earlier hash. */
  repeated: number;
  gaveUp: boolean;
}

/** Analyses every hash without a report, `concurrency` at a time; each ends as a report or a failure. */
export async function runBatch({
  lines,
  analyze,
  sink,
  concurrency,
  stop,
  giveUpAfter,
  onProgress = () => {},
  onDefect = () => {},
}: BatchOptions): Promise<BatchCounts> {
  const counts: BatchCounts = { skipped: 0, reported: 0, failed: 0, repeated: 0, gaveUp: false };
  const doneBefore = new Set(sink.done);
  const begun = new Set<string>();
  const source = withRetries(lines, sink.failedBefore)[Symbol.asyncIterator]();
  let failuresInARow = 0;

  const take = async (hash: string): Promise<void> => {
    let json: string;
    try {
      json = await analyze(hash);
    } catch (error) {
      const known = error instanceof AnalysisError;
      if (!known) onDefect(hash, error);
      failuresInARow = known && error.code.startsWith('upstream_') ? failuresInARow + 1 : 0;
      if (giveUpAfter > 0 && failuresInARow >= giveUpAfter) counts.gaveUp = true;
      counts.failed++;
      await sink.failure({
        tx_hash: hash,
        code: known ? error.code : 'internal',
        error: known ? error.message : ERROR_TEXT.internal,
      });
      return;
    }
    failuresInARow = 0;
    await sink.report(hash, json);
    counts.reported++;
  };

  const work = async (): Promise<void> => {
    for (;;) {
      const line = stop.aborted || counts.gaveUp ? null : await nextLine(source, stop);
      if (line === null) return;
      if ('invalid' in line) {
        counts.failed++;
        await sink.failure({
          tx_hash: null,
          code: 'invalid_hash',
          error: `line ${line.line}: invalid tx_hash \`${line.invalid}\``,
        });
      } else if (begun.has(line.hash)) {
        if (line.line > 0) counts.repeated++;
      } else {
        begun.add(line.hash);
        if (doneBefore.has(line.hash)) counts.skipped++;
        else await take(line.hash);
      }
      onProgress(counts);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return counts;
}

/** Null at the end of the list, or when a stop closed the source while waiting for the next line. */
async function nextLine(source: AsyncIterator<HashLine>, stop: AbortSignal): Promise<HashLine | null> {
  try {
    const next = await source.next();
    return next.done ? null : next.value;
  } catch (error) {
    if (stop.aborted) return null;
    throw error;
  }
}

/** The list, then the failures of earlier runs as line 0: the list may no longer contain them. */
async function* withRetries(
  lines: AsyncIterable<HashLine>,
  failedBefore: readonly string[],
): AsyncGenerator<HashLine> {
  yield* lines;
  for (const hash of failedBefore) yield { hash, line: 0 };
}
