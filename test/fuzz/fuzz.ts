/**
 * Hostile input from both sides: clients that send anything and nodes that answer anything. Prints tried and failed per
 * kind and exits 1 when anything failed: a crash, an unhandled rejection, an internal error, an answer outside the
 * interface, or a report that does not balance.
 *
 *   --count N   cases per kind (default 2000; wire cases are a tenth)      --seed N   other cases (default 1)
 *   --frames N  of hostile traces, and logs; a tenth of it tokens (default 100000)
 *   --only K    one kind: bodies, answers, node, client, traces, text      --case N   answers: only case N of the seed
 */
import { parseArgs } from 'node:util';
import { tryHostileText } from './hostileText.ts';
import { tryHostileTraces } from './hostileTraces.ts';
import { printTallies, type Tally } from './outcome.ts';
import { fuzzBodies } from './requestBodies.ts';
import { fuzzAnswers } from './upstreamAnswers.ts';
import { fuzzClientWire, fuzzNodeWire } from './wire.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    case: { type: 'string' },
    frames: { type: 'string', default: '100000' },
  },
});
const count = Number(values.count);
const seed = Number(values.seed);
const tenth = Math.ceil(count / 10);

let stray = 0;
for (const event of ['unhandledRejection', 'uncaughtException', 'warning'] as const)
  process.on(event, (error: unknown) => {
    stray++;
    console.error(`${event}:`, error);
  });

const kinds: Record<string, () => Promise<Tally>> = {
  bodies: () => fuzzBodies(count, seed),
  answers: () =>
    values.case === undefined ? fuzzAnswers(count, seed) : fuzzAnswers(1, seed, Number(values.case)),
  node: () => fuzzNodeWire(tenth, seed),
  client: () => fuzzClientWire(tenth, seed),
  text: tryHostileText,
  traces: () =>
    tryHostileTraces(Number(values.frames), ({ name, ms, stallMs, peakMb, answer }) =>
      console.log(
        `${name.padEnd(26)}  ${ms.toFixed(0).padStart(6)} ms, loop held ${stallMs.toFixed(0).padStart(5)} ms, RSS ${peakMb.toFixed(0).padStart(5)} MB  ${answer.slice(0, 140)}`,
      ),
    ),
};

const tallies: Tally[] = [];
for (const [name, run] of Object.entries(kinds))
  if (values.only === undefined || values.only === name) tallies.push(await run());
// Rejections that nobody handled are told a moment later.
await new Promise((resolve) => setTimeout(resolve, 50));
printTallies(tallies);
const failed = tallies.reduce((sum, tally) => sum + tally.failures.length, 0);
console.log(
  `\nseed ${seed}: ${tallies.reduce((sum, tally) => sum + tally.tried, 0)} tried, ${failed} failed, ${stray} unhandled rejections, exceptions or warnings`,
);
process.exitCode = failed + stray > 0 || tallies.length === 0 ? 1 : 0;
