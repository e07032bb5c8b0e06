import { open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import lockfile from 'proper-lockfile';
import { CliError } from '../cliIo.ts';

/** A lock not renewed for this long belonged to a process that was killed; batches wait that long for it. */
const LOCK_STALE_MS = 10_000;

const OPTIONS = {
  realpath: false,
  stale: LOCK_STALE_MS,
  update: LOCK_STALE_MS / 5,
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
  by(): 'SIGINT' | 'SIGTERM';
  end(): void;
}

/** The first signal lets running analyses finish, the second exits at once. */
export function stopOnSignals(): Stop {
  const controller = new AbortController();
  let first: 'SIGINT' | 'SIGTERM' = 'SIGINT';
  const onSignal = (signal: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(128 + constants.signals[signal]);
    first = signal as typeof first;
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
