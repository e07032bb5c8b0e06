import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { unpackRulebook } from '../cache/rulebookCache.ts';
import { SHIPPED_RULES } from '../../rules/read/listFiles.ts';
import type { Log } from '../../lib/log.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { RulesMessage, RulesThreadData } from './rulesThread.ts';

/** Absent where the sources are run: then the files are watched in this thread. */
const PROGRAM = new URL('./rulesThread.js', import.meta.url);
/** Heap of the thread: ten times the need of compiling the shipped rules. */
const MEMORY_MB = 768;
const RESTART_MS = 10_000;

/**
 * Passes on every changed, sound rulebook. Files are read and compiled in a thread of their own: it takes
 * half a second, of hostile files several, and the memory of one that never ends is the thread's.
 */
export async function watchRules(watched: {
  readonly overlays: readonly string[];
  /** Of the rulebook in force. */
  readonly digest: string;
  readonly log: Log;
  readonly use: (next: Rulebook) => void;
}): Promise<{ close(): unknown }> {
  const { overlays, log, use } = watched;
  const dirs = [SHIPPED_RULES, ...overlays];
  let { digest } = watched;
  const onChange = (next: Rulebook): void => {
    use(next);
    digest = next.digest;
    log.info({ ruleset: next.version, digest }, 'rules changed');
  };
  const onProblem = (problem: string): void =>
    log.error({ problem }, 'rules changed and are broken: the last good set stays in force');
  const onRecover = (): void => log.info({ digest }, 'rules are readable again: the set in force');
  if (!existsSync(PROGRAM)) {
    const [{ watchRulebook }, { FACT_VOCABULARY }] = await Promise.all([
      import('../../rules/read/watchRulebook.ts'),
      import('../../stages/7-intent/facts/registry.ts'),
    ]);
    const onError = (error: Error): void => onProblem(error.message);
    return watchRulebook(dirs, onChange, onError, { facts: FACT_VOCABULARY, digest, onRecover });
  }

  let closed = false;
  let thread: Worker;
  const start = (): void => {
    thread = new Worker(PROGRAM, {
      workerData: { dirs, digest } satisfies RulesThreadData,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    thread.unref();
    thread.on('message', (message: RulesMessage) => {
      if ('rulebook' in message) onChange(unpackRulebook(message.rulebook));
      else if ('problem' in message) onProblem(message.problem);
      else onRecover();
    });
    thread.on('error', (error) => onProblem(error.message));
    thread.once('exit', () => void (closed || setTimeout(start, RESTART_MS).unref()));
  };
  start();
  return { close: () => ((closed = true), thread.terminate()) };
}
