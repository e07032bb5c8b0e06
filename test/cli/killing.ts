import { readFileSync } from 'node:fs';
import { startCli } from './runCli.ts';

/** Complete lines of a file; none when it is not there. */
export function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').slice(0, -1);
  } catch {
    return [];
  }
}

export function hashesOf(path: string): string[] {
  return linesOf(path).map((line) => (JSON.parse(line) as { tx: { hash: string } }).tx.hash);
}

/**
 * Runs a batch that is killed (SIGKILL) `times` times, each at a random number of reports into its part, and then to its end.
 * Returns how many reports stood in the file at each kill, and what the last run said.
 */
export async function runKilled(
  args: readonly string[],
  out: string,
  total: number,
  times: number,
  rpcUrl: string,
): Promise<{ kills: number[]; code: number | null; err: string }> {
  const kills: number[] = [];
  for (let i = 0; i < times; i++) {
    const from = linesOf(out).length;
    const share = (total - from) / (times - i + 1);
    const target = from + 1 + Math.floor(Math.random() * share);
    const run = startCli(args, { env: { RPC_URL: rpcUrl }, input: '' });
    while (linesOf(out).length < target && run.child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 3 + Math.random() * 5));
    run.child.kill('SIGKILL');
    await run.ended;
    kills.push(linesOf(out).length);
  }
  const run = startCli(args, { env: { RPC_URL: rpcUrl }, input: '' });
  return { kills, code: await run.ended, err: run.err() };
}
