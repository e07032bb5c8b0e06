import { describe, expect, it } from 'vitest';
import { tryHostileText } from './hostileText.ts';
import { tryHostileTraces } from './hostileTraces.ts';
import { fuzzBodies } from './requestBodies.ts';
import { fuzzAnswers } from './upstreamAnswers.ts';
import { fuzzClientWire, fuzzNodeWire } from './wire.ts';
import type { Tally } from './outcome.ts';

const SEED = 1;
const sound = ({ tried, failures }: Tally, least: number): void => {
  expect(failures).toEqual([]);
  expect(tried).toBeGreaterThanOrEqual(least);
};

/** A short run; `npm run test:fuzz -- --count 20000` is the long one. */
describe('hostile input', () => {
  it('in request bodies ends in 200 or 400 as the interface says', async () => sound(await fuzzBodies(400, SEED), 400), 60_000);
  it('in a client\'s bytes leaves the service healthy', async () => sound(await fuzzClientWire(60, SEED), 60), 60_000);
  it('in a node\'s answers ends in a balanced report or an honest error', async () => sound(await fuzzAnswers(300, SEED), 300), 120_000);
  it('in a node\'s bytes ends in 200 or 502', async () => sound(await fuzzNodeWire(60, SEED), 60), 60_000);
  it('in what contracts call themselves is inert in the report', async () => sound(await tryHostileText(), 300), 120_000);
  it('of depth, frames, logs, tokens and bytes beyond the EVM ends in a report or names the limit', async () => sound(await tryHostileTraces(), 15), 600_000);
});
