import lockfile from 'proper-lockfile';
import { open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { createReadStream } from 'node:fs';
import { CliError } from '../cliIo.ts';
import { isRefusal } from '../../../lib/errors.ts';
import { parseJson } from '../../../lib/json.ts';
import type { Failed } from './runBatch.ts';

/** A lock not renewed for 10 s belonged to a process that was killed; batches wait that long for it. */
const OPTIONS = {
  realpath: false,
  stale: 10_000,
  update: 2_000,
  retries: { retries: 12, factor: 1, minTimeout: 1_000 },
};

/**
 * Creates a file and keeps other processes from writing it, also through a link; null while another one does.
 * @throws CliError where the path is no regular file (it could not be resumed) or cannot be written
 */
export async function lock(path: string | undefined): Promise<(() => Promise<void>) | null> {
  if (path === undefined) return () => Promise.resolve();
  const held: (() => Promise<void>)[] = [];
  const release = async (): Promise<void> => {
    for (const unlock of held.reverse()) await unlock();
  };
  try {
    const known = await stat(path).catch(() => null);
    if (known && !known.isFile())
      throw new CliError(
        `${path} is not a regular file: --out must name a file that a later run can continue`,
      );
    await (await open(path, 'a')).close();
    const file = await realpath(path);
    const { ino } = await stat(file);
    held.push(await lockfile.lock(file, OPTIONS));
    // Beside the output, the one place that must be writable: the same file under a hard link's name.
    held.push(await lockfile.lock(join(dirname(file), `.txreport-${ino}`), OPTIONS));
    return release;
  } catch (error) {
    await release();
    if (error instanceof CliError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ELOCKED') return null;
    throw unwritable(path, error as NodeJS.ErrnoException, 2);
  }
}

/** Faults of the machine, which the same command outlives: a full or read-only disk, no permission. */
const MACHINE_FAULTS = new Set(['EROFS', 'ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EIO']);

/** An output that cannot be written, with status 3 where the machine is to blame; names the path at fault. */
function unwritable(path: string, { code, message }: NodeJS.ErrnoException, otherwise: 1 | 2): CliError {
  const fault = MACHINE_FAULTS.has(code ?? '');
  return new CliError(`cannot write ${path}: ${message}`, fault ? 3 : otherwise);
}

/** Waits for a write to the output. Throws a `CliError` with the cause and how to continue. */
export async function writing<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const failed = unwritable(path, error as NodeJS.ErrnoException, 1);
    throw new CliError(`${failed.message}; run the same command again to continue`, failed.exitCode);
  }
}

/** Replaces a file in one step: a killed process leaves the old or the new one. Throws as `writing` does. */
export function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const write = async (): Promise<void> => {
    await writeFile(`${path}.new`, content);
    await rename(`${path}.new`, path);
  };
  return writing(path, write());
}

/** `<out>.<name>.ndjson`, without the ending of `out` itself. */
export const beside = (out: string, what: string): string =>
  `${out.replace(/\.(ndjson|jsonl)$/, '')}.${what}.ndjson`;

export const ndjson = (values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** Replaces the list of failures, or removes it where there are none. Throws as `writing` does. */
export const replaceFailures = (path: string, failures: readonly unknown[]): Promise<void> =>
  failures.length === 0 ? rm(path, { force: true }) : replaceFile(path, ndjson(failures));

/** A file that is continued after its first `written` bytes. Throws `CliError` where it is shorter. */
export async function openAt(path: string, written: number) {
  const size = (await stat(path).catch(() => null))?.size ?? 0;
  if (size < written) throw new CliError(`${path} is shorter than when the earlier batch wrote it`);
  const file = await open(path, 'a');
  // A device has nothing to cut.
  if (size > written) await file.truncate(written);
  return {
    get written() {
      return written;
    },
    async append(bytes: Uint8Array): Promise<void> {
      await writing(path, file.appendFile(bytes));
      written += bytes.length;
    },
    /** Flushes to disk, too. */
    async close(): Promise<void> {
      try {
        await file.datasync();
      } finally {
        await file.close();
      }
    },
  };
}

/** Resolves when the stream has taken the data. */
export const streamed = (stream: NodeJS.WriteStream, data: string | Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => stream.write(data, (error) => (error ? reject(error) : resolve())));

/** A request to stop, by Ctrl-C or a signal. */
export interface Stop {
  readonly signal: AbortSignal;
  by(): NodeJS.Signals;
  end(): void;
}

/** The first signal lets running analyses finish, the second exits at once. */
export function stopOnSignals(): Stop {
  const controller = new AbortController();
  let first: NodeJS.Signals = 'SIGINT';
  const onSignal = (signal: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(128 + constants.signals[signal]);
    first = signal;
    process.stderr.write('\nstopping: finishing running analyses\n');
    controller.abort();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    by: () => first,
    end: () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal),
  };
}

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

/**
 * Reports in one file, failures in another, both append-only: a killed process leaves at worst an incomplete
 * last line, which the next run removes. Without a file they go to standard output and error. Throws
 * `CliError` when a file holds something else.
 */
export async function openReportFiles(reportsPath?: string, failuresPath?: string) {
  const done = new Set<string>();
  const reports = await openLineFile(reportsPath, process.stdout, (line, number) => {
    const hash = (parseJson(line) as { tx?: { hash?: unknown } } | null | undefined)?.tx?.hash;
    if (typeof hash !== 'string')
      throw new CliError(
        `${reportsPath}:${number} is not a report: ` +
          '--out must name a new file or the output of an earlier batch',
      );
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

async function readLines(path: string, onLine: (line: string, number: number) => void) {
  let complete = 0;
  let number = 0;
  // Long lines come in many chunks, joined once.
  let rest: Buffer[] = [];
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', start)) {
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
