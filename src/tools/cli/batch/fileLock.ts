import { readFileSync } from 'node:fs';
import { open, readFile, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';

interface Holder {
  readonly host: string;
  readonly pid: number;
  /** When the process began, where the system tells: numbers of processes are used again. */
  readonly began: string | null;
}

/** Start time of a process in clock ticks since boot (field 22 of /proc/<pid>/stat); null off Linux or when it is gone. */
function beganAt(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, '').trim().split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

/** A lock whose holder lives on another machine is renewed this often, and void when it was not for longer. */
const RENEW_MS = 15_000;
const VOID_AFTER_MS = 120_000;

/** Somebody else writes the file. */
export class FileBusy extends Error {}

async function isAlive(path: string, { host, pid, began }: Holder): Promise<boolean> {
  if (host !== hostname()) return Date.now() - (await stat(path)).mtimeMs < VOID_AFTER_MS;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return began === null || beganAt(pid) === began;
}

async function holderOf(path: string): Promise<{ holder: Holder | null; alive: boolean }> {
  try {
    const holder = JSON.parse(await readFile(path, 'utf8')) as Holder;
    return { holder, alive: await isAlive(path, holder) };
  } catch {
    // Gone meanwhile, or written half by a process that was killed.
    return { holder: null, alive: false };
  }
}

/**
 * Keeps a second process from writing the same file. The lock of a process that was killed is taken over.
 * Returns what releases it; throws `FileBusy` while somebody else holds it.
 */
export async function lockFile(target: string): Promise<() => Promise<void>> {
  const path = `${target}.lock`;
  const own: Holder = { host: hostname(), pid: process.pid, began: beganAt(process.pid) };
  for (let tries = 0; tries < 3; tries++) {
    try {
      const handle = await open(path, 'wx');
      await handle.writeFile(JSON.stringify(own));
      await handle.close();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const { holder, alive } = await holderOf(path);
      if (alive)
        throw new FileBusy(`${target} is being written by process ${holder!.pid} on ${holder!.host}`);
      await rm(path, { force: true });
      continue;
    }
    const renewing = setInterval(
      () => void utimes(path, new Date(), new Date()).catch(() => {}),
      RENEW_MS,
    ).unref();
    return async () => {
      clearInterval(renewing);
      await rm(path, { force: true });
    };
  }
  throw new FileBusy(`${target} is being written by another process`);
}
