import { setTimeout as wait } from 'node:timers/promises';
import { directoriesChanged } from '../../../rules/read/watchRulebook.ts';
import type { CliIo } from '../cliIo.ts';

const INTERVAL_MS = 300;

/** Runs a command now and after every change of the rules, until the signal. Returns the last exit code. */
export async function watchRules(
  dirs: readonly string[],
  run: () => Promise<number>,
  io: CliIo,
  signal: AbortSignal,
): Promise<number> {
  const changed = directoriesChanged(dirs);
  let code = await run();
  for (;;) {
    try {
      await wait(INTERVAL_MS, undefined, { signal });
    } catch {
      return code;
    }
    if (!changed()) continue;
    io.out('');
    code = await run();
  }
}
