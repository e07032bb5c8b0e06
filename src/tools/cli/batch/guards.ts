import { constants } from 'node:os';
import lockfile from 'proper-lockfile';
import { CliError } from '../cliIo.ts';

/** A lock not renewed for this long belonged to a process that was killed; batches wait that long for it. */
const LOCK_STALE_MS = 10_000;

/** Keeps a second process from writing the same file. Null while another one holds it. */
export async function lock(path: string | undefined): Promise<(() => Promise<void>) | null> {
  if (path === undefined) return () => Promise.resolve();
  try {
    return await lockfile.lock(path, {
      realpath: false,
      stale: LOCK_STALE_MS,
      update: LOCK_STALE_MS / 5,
      retries: { retries: 12, factor: 1, minTimeout: 1_000 },
    });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ELOCKED') return null;
    throw new CliError(`cannot lock ${path}: ${message}`);
  }
}

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
