import { rm, open, truncate } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { isRefusal } from '../../../lib/errors.ts';
import { CliError } from '../cliIo.ts';
import { replaceFile, writing } from './guards.ts';
import type { Failed } from './runBatch.ts';

/** Destination of a batch's reports and failures. */
export interface BatchSink {
  /** Bytes of an incomplete last line that were removed. */
  readonly torn: number;
  /** Hashes that already have a report. */
  readonly done: ReadonlySet<string>;
  /** Hashes that failed in an earlier run and have no report yet. */
  readonly failedBefore: readonly string[];
  report(hash: string, json: string): Promise<void>;
  failure(failure: Failure): Promise<void>;
  /** Closes the files, keeps only failures without a report, and resolves to their numbers. */
  close(): Promise<Failed>;
}

export interface Failure {
  /** Null for an input line without a hash. */
  readonly tx_hash: string | null;
  readonly code: string;
  readonly error: string;
}

/** Failures by whether another run may resolve them. */
export function countFailures(failures: readonly Pick<Failure, 'tx_hash' | 'code'>[]): Failed {
  const refused = failures.filter(({ tx_hash, code }) => tx_hash !== null && isRefusal(code)).length;
  return { open: failures.length - refused, refused };
}

function parsed<T>(line: string): Partial<T> | null {
  try {
    return JSON.parse(line) as T | null;
  } catch {
    return null;
  }
}

function hashOfReport(line: string): string | null {
  const hash = parsed<{ tx?: { hash?: unknown } }>(line)?.tx?.hash;
  return typeof hash === 'string' ? hash : null;
}

function parseFailure(line: string): Failure | null {
  const failure = parsed<Failure>(line);
  return typeof failure?.code === 'string' && typeof failure.error === 'string' ? (failure as Failure) : null;
}

/**
 * Reports in one file, failures in another, both append-only: a killed process leaves at worst an incomplete
 * last line, which the next run removes. Throws `CliError` when a file holds something else.
 */
export async function openReportFiles(reportsPath: string, failuresPath: string): Promise<BatchSink> {
  const done = new Set<string>();
  const reports = await openLineFile(reportsPath, (line, number) => {
    const hash = hashOfReport(line);
    if (hash === null)
      throw new CliError(
        `${reportsPath}:${number} is not a report: --out must name a new file or the output of ` +
          'an earlier batch',
      );
    done.add(hash);
  });
  const failures = new Map<string, Failure>();
  const remember = (failure: Failure): void => void failures.set(failure.tx_hash ?? failure.error, failure);
  const errors = await openLineFile(failuresPath, (line, number) => {
    const failure = parseFailure(line);
    if (failure === null)
      throw new CliError(
        `${failuresPath}:${number} is not a failure of an earlier batch: --errors must name its own file`,
      );
    if (failure.tx_hash !== null && !done.has(failure.tx_hash)) remember(failure);
  });
  return {
    torn: reports.torn,
    done,
    failedBefore: [...failures.keys()],
    async report(hash, json) {
      await reports.append(json);
      done.add(hash);
      failures.delete(hash);
    },
    async failure(failure) {
      remember(failure);
      await errors.append(JSON.stringify(failure));
    },
    async close() {
      await reports.close();
      await errors.close();
      if (failures.size === 0) {
        await rm(failuresPath, { force: true });
        return countFailures([]);
      }
      const text = [...failures.values()].map((failure) => `${JSON.stringify(failure)}\n`).join('');
      await replaceFile(failuresPath, text);
      return countFailures([...failures.values()]);
    },
  };
}

/** Reports to standard output, failures to standard error; such a batch cannot be resumed. */
export function openStandardStreams(): BatchSink {
  const failures: Failure[] = [];
  const write = (stream: NodeJS.WriteStream, text: string): Promise<void> =>
    new Promise((resolve, reject) => stream.write(text, (error) => (error ? reject(error) : resolve())));
  return {
    torn: 0,
    done: new Set(),
    failedBefore: [],
    report: (_, json) => write(process.stdout, `${json}\n`),
    failure: (failure) => {
      failures.push(failure);
      return write(process.stderr, `${JSON.stringify(failure)}\n`);
    },
    close: () => Promise.resolve(countFailures(failures)),
  };
}

const NEWLINE = 0x0a;

/**
 * Opens or creates an append-only file of lines and passes each existing line to `onLine`, which may throw to
 * reject the file. An incomplete last line left by a killed process is removed; `torn`: its bytes.
 */
async function openLineFile(path: string, onLine: (line: string, number: number) => void) {
  await (await open(path, 'a')).close();
  const { complete, torn } = await readLines(path, onLine);
  if (torn > 0) await truncate(path, complete);
  const handle = await open(path, 'a');
  let last: Promise<void> = Promise.resolve();
  return {
    torn,
    /** Resolves when the write is done. Concurrent calls never interleave. */
    append: (line: string): Promise<void> =>
      (last = last.then(() => writing(path, handle.appendFile(`${line}\n`)))),
    /** Waits for pending writes and flushes them to disk. */
    async close(): Promise<void> {
      try {
        // A failed write has been reported by `append`.
        await last.catch(() => {});
        await handle.datasync();
      } finally {
        await handle.close();
      }
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
