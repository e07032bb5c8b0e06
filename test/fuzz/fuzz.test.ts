import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tryHostileText } from './hostileText.ts';
import { fuzzBodies } from './requestBodies.ts';
import { fuzzAnswers } from './upstreamAnswers.ts';
import { fuzzClientWire } from './wire.ts';
import type { Tally } from './outcome.ts';

const SEED = 1;
const sound = ({ tried, failures }: Tally, least: number): void => {
  expect(failures).toEqual([]);
  expect(tried).toBeGreaterThanOrEqual(least);
};

/** Large answers are read on threads, which load the sources as a process started with a loader does, not as this one. */
async function apart(...options: string[]): Promise<void> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(import.meta.dirname, 'fuzz.ts'), '--seed', String(SEED), ...options],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => (said += data.toString()));
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  expect(status, said).toBe(0);
  expect(said).toMatch(/tried, 0 failed, 0 unhandled/);
}

/** A short run; `npm run test:fuzz -- --count 20000` is the long one. */
describe('hostile input', () => {
  it('in request bodies ends in 200 or 400 as the interface says', async () =>
    sound(await fuzzBodies(400, SEED), 400));
  it("in a client's bytes leaves the service healthy", async () => sound(await fuzzClientWire(60, SEED), 60));
  it("in a node's answers ends in a balanced report or an honest error", async () =>
    sound(await fuzzAnswers(300, SEED), 300));
  it("in a node's bytes ends in 200 or 502", () => apart('--only', 'node', '--count', '600'), 120_000);
  it('in what contracts call themselves is inert in the report', async () =>
    sound(await tryHostileText(), 300));
  it('of depth, frames, logs, tokens and bytes beyond the EVM ends in a report or names the limit', () =>
    apart('--only', 'traces', '--frames', '5000'));
});
