import type { BigIntStats } from 'node:fs';
import type { Rulebook } from '../../model/rulebook.ts';
import { readRuleset, type LoadOptions } from '../compile/loadRulebook.ts';
import { isArchive } from './archive.ts';
import { RulebookError } from './problems.ts';
import { factsOf, listFiles } from './listFiles.ts';

export interface WatchOptions extends LoadOptions {
  /** Digest of the rulebook in force: an equal one is not passed on again. */
  readonly digest: string;
  readonly intervalMs?: number;
  /** Called when a set with problems is again the one in force. */
  readonly onRecover?: () => void;
}

export interface RulebookWatch {
  close(): void;
}

const INTERVAL_MS = 1_000;

/**
 * Polls the rule directories once a second and passes on a new rulebook, whole, when they changed and have
 * no problem. A set with problems goes to `onError` once and the last good one stays in force; `onRecover`
 * reports that the files are good again. Polling, because file events get lost where volumes are mounted by
 * swapping symbolic links. Files must be quiet for one interval, so that half-written sets are never read.
 */
export function watchRulebook(
  dirs: readonly string[],
  onSwap: (rulebook: Rulebook) => void,
  onError: (error: Error) => void,
  options: WatchOptions,
): RulebookWatch {
  let { digest } = options;
  // Empty: a change between the first load and this call is found at the first look.
  let judged = '';
  let last = fingerprint(dirs);
  /** The problem reported last; null while the files are good. */
  let problem: string | null = null;
  const fail = (error: Error): void => {
    if (error.message !== problem) onError(error);
    problem = error.message;
  };
  const look = (): void => {
    const now = fingerprint(dirs);
    const quiet = now === last;
    last = now;
    if (!quiet || now === judged) return;
    judged = now;
    const { rulebook, problems } = readRuleset(dirs, options);
    if (rulebook === null) return fail(new RulebookError(problems));
    if (rulebook.digest !== digest) {
      digest = rulebook.digest;
      onSwap(rulebook);
    } else if (problem !== null) options.onRecover?.();
    problem = null;
  };
  const safely = (): void => {
    try {
      look();
    } catch (error) {
      // A timer's exception would end the process; the files are looked at again.
      judged = '';
      fail(error as Error);
    }
  };
  const timer = setInterval(safely, options.intervalMs ?? INTERVAL_MS);
  timer.unref();
  return { close: () => clearInterval(timer) };
}

/** A check that is true once after each change of the directories' files. */
export function directoriesChanged(dirs: readonly string[]): () => boolean {
  let seen = fingerprint(dirs);
  return () => {
    const now = fingerprint(dirs);
    if (now === seen) return false;
    seen = now;
    return true;
  };
}

/** Changes whenever a file appears, goes, is written or can no longer be read. */
function fingerprint(dirs: readonly string[]): string {
  const entries = dirs.flatMap((dir) => {
    if (isArchive(dir)) return [stateOf(dir, factsOf(dir))];
    const problems: string[] = [];
    const files = listFiles(dir, (file, _code, message) => problems.push(`${file} ${message}`));
    return [...files.map(([path, facts]) => stateOf(`${dir}/${path}`, facts)), ...problems];
  });
  return entries.join('\n');
}

const stateOf = (path: string, facts: BigIntStats | string): string =>
  typeof facts === 'string'
    ? `${path} ${facts}`
    : `${path} ${facts.mtimeNs} ${facts.size} ${facts.ino} ${facts.mode}`;
