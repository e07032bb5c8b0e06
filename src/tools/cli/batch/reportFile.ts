import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { isRefusal } from '../../../lib/errors.ts';
import { parseJson } from '../../../lib/json.ts';
import { CliError } from '../cliIo.ts';
import { openAt, replaceFailures, streamed } from './guards.ts';
import type { Failed } from './runBatch.ts';

/** Destination of a batch's reports and failures. */
export type BatchSink = Awaited<ReturnType<typeof openReportFiles>>;

export interface Failure {
  /** Null for an input line without a hash, and for a whole block. */
  readonly tx_hash: string | null;
  readonly code: string;
  readonly error: string;
}

/** Failures by whether another run may resolve them. */
export function countFailures(failures: readonly Pick<Failure, 'tx_hash' | 'code'>[]): Failed {
  const refused = failures.filter(({ tx_hash, code }) => tx_hash !== null && isRefusal(code)).length;
  return { open: failures.length - refused, refused };
}

const NO_REPORT = 'is not a report: --out must name a new file or the output of an earlier batch';

/**
 * Reports in one file, failures in another, both append-only: a killed process leaves at worst an incomplete
 * last line, which the next run removes. Without a file they go to standard output and error. Throws
 * `CliError` when a file holds something else.
 */
export async function openReportFiles(reportsPath?: string, failuresPath?: string) {
  const done = new Set<string>();
  const reports = await openLineFile(reportsPath, process.stdout, (line, number) => {
    const hash = (parseJson(line) as { tx?: { hash?: unknown } } | null | undefined)?.tx?.hash;
    if (typeof hash !== 'string') throw new CliError(`${reportsPath}:${number} ${NO_REPORT}`);
    done.add(hash);
  });
  const failures = new Map<string, Failure>();
  const remember = (failure: Failure): void => void failures.set(failure.tx_hash ?? failure.error, failure);
  const errors = await openLineFile(failuresPath, process.stderr, (line, number) => {
    const failure = parseJson(line) as Partial<Failure> | null | undefined;
    if (typeof failure?.code !== 'string' || typeof failure.error !== 'string')
      throw new CliError(
        `${failuresPath}:${number} is not a failure of an earlier batch: --errors must name its own file`,
      );
    if (failure.tx_hash !== null && !done.has(failure.tx_hash!)) remember(failure as Failure);
  });
  return {
    /** Bytes of an incomplete last line that were removed. */
    torn: reports.torn,
    /** Hashes that already have a report. */
    done: done as ReadonlySet<string>,
    /** Hashes that failed in an earlier run and have no report yet. */
    failedBefore: [...failures.keys()],
    async report(hash: string, json: string): Promise<void> {
      await reports.append(json);
      done.add(hash);
      failures.delete(hash);
    },
    async failure(failure: Failure): Promise<void> {
      remember(failure);
      await errors.append(JSON.stringify(failure));
    },
    /** Closes the files, keeps only failures without a report, and resolves to their numbers. */
    async close(): Promise<Failed> {
      await reports.close();
      await errors.close();
      const left = [...failures.values()];
      if (failuresPath !== undefined) await replaceFailures(failuresPath, left);
      return countFailures(left);
    },
  };
}

const NEWLINE = 0x0a;

/**
 * Opens or creates an append-only file of lines, or takes the stream where there is none, and passes each
 * existing line to `onLine`, which may throw to reject the file. An incomplete last line left by a killed
 * process is removed; `torn`: its bytes.
 */
async function openLineFile(
  path: string | undefined,
  stream: NodeJS.WriteStream,
  onLine: (line: string, number: number) => void,
) {
  if (path === undefined)
    return { torn: 0, append: (line: string) => streamed(stream, `${line}\n`), close: async () => {} };
  await (await open(path, 'a')).close();
  const { complete, torn } = await readLines(path, onLine);
  const file = await openAt(path, complete);
  let last: Promise<void> = Promise.resolve();
  return {
    torn,
    /** Resolves when the write is done. Concurrent calls never interleave. */
    append: (line: string): Promise<void> => (last = last.then(() => file.append(Buffer.from(`${line}\n`)))),
    /** Waits for pending writes; one that failed has been reported by `append`. */
    async close(): Promise<void> {
      await last.catch(() => {});
      await file.close();
    },
  };
}

async function readLines(
  path: string,
  onLine: (line: string, number: number) => void,
): Promise<{ complete: number; torn: number }> {
  let complete = 0;
  let number = 0;
  // Long lines come in many chunks, joined once.
  let rest: Buffer[] = [];
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = Buffer.concat([...rest, chunk.subarray(start, end)]);
      onLine(line.toString('utf8'), ++number);
      complete += line.length + 1;
      rest = [];
      start = end + 1;
    }
    rest.push(chunk.subarray(start));
  }
  return { complete, torn: Buffer.concat(rest).length };
}
