import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Rulebook } from '../../model/rulebook.ts';
import { readRuleset, type LoadOptions } from '../compile/loadRulebook.ts';
import { RulebookError } from './problems.ts';
import { listFiles } from './listFiles.ts';

export interface WatchOptions extends LoadOptions {
  /** Digest of the rulebook in force: an equal one is not passed on again. */
  readonly digest: string;
  readonly intervalMs?: number;
}

export interface RulebookWatch {
  close(): void;
}

const INTERVAL_MS = 1_000;

/**
 * Polls the rule directories once a second and passes on a new rulebook, whole, when they changed and have
 * no problem. A set with problems goes to `onError` once; the last good one stays in force. Polling,
 * because file events get lost where volumes are mounted by swapping symbolic links. Files must be quiet
 * for one interval, so that half-written sets are never read.
 */
export function watchRulebook(
  dirs: readonly string[],
  onSwap: (rulebook: Rulebook) => void,
  onError: (error: RulebookError) => void,
  options: WatchOptions,
): RulebookWatch {
  let { digest } = options;
  // Nothing is judged yet: a change between the first load and this call is found at the first look.
  let judged = '';
  let last = fingerprint(dirs);
  const look = (): void => {
    const now = fingerprint(dirs);
    const quiet = now === last;
    last = now;
    if (!quiet || now === judged) return;
    judged = now;
    const { rulebook, problems } = readRuleset(dirs, options);
    if (rulebook === null) onError(new RulebookError(problems));
    else if (rulebook.digest !== digest) {
      digest = rulebook.digest;
      onSwap(rulebook);
    }
  };
  const timer = setInterval(look, options.intervalMs ?? INTERVAL_MS);
  timer.unref();
  return { close: () => clearInterval(timer) };
}

/** Changes whenever a file appears, goes, or is written. */
function fingerprint(dirs: readonly string[]): string {
  return dirs
    .flatMap((dir) =>
      listFiles(dir, () => {}).map((path) => {
        const stat = statSync(join(dir, path), { throwIfNoEntry: false, bigint: true });
        return stat ? `${dir}/${path} ${stat.mtimeNs} ${stat.size} ${stat.ino}` : `${dir}/${path} gone`;
      }),
    )
    .join('\n');
}
