/**
 * Overload and slow nodes, against the built service in a process of its own. Prints figures, exits 1 when one is over.
 * 1. At ten times the capacity, accepted requests take at most twice the quiet time, others get Retry-After at once.
 * 2. A node that takes three seconds, first in the list, does not hold up requests that the second node can answer.
 * usage: npx tsx test/faults/overload.ts [--seconds N] [--latency MS]
 */
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { loadRecordings } from '../fuzz/recordedNode.ts';
import { ask, type Reply } from '../soak/clients.ts';
import { build, startNode, startService, type Service } from '../soak/processes.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, latency: { type: 'string', default: '100' } },
});
const SECONDS = Number(values.seconds);
const LATENCY_MS = Number(values.latency);
/** Analyses at once and waiting: the standard settings. */
const AT_ONCE = 16;

const hashes = loadRecordings().map(({ hash }) => hash);
const agent = new Agent({ keepAlive: true, maxSockets: 2_000 });
let asked = 0;
const one = (service: Service): Promise<Reply> => ask(service.port, hashes[asked++ % hashes.length]!, agent);

/** `clients` asking one after another for `ms`. */
async function closedLoop(service: Service, clients: number, ms: number): Promise<Reply[]> {
  const end = performance.now() + ms;
  const replies: Reply[] = [];
  const client = async (): Promise<void> => {
    while (performance.now() < end) replies.push(await one(service));
  };
  await Promise.all(Array.from({ length: clients }, client));
  return replies;
}

/** `rate` requests a second for `ms`, whether or not the earlier ones are answered. */
async function openLoop(service: Service, rate: number, ms: number): Promise<Reply[]> {
  const replies: Promise<Reply>[] = [];
  const start = performance.now();
  for (let at = 0; at < ms; at = performance.now() - start) {
    while (replies.length < (rate * at) / 1_000) replies.push(one(service));
    await sleep(2);
  }
  return Promise.all(replies);
}

const quantile = (list: readonly number[], q: number): number =>
  [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(q * list.length))] ?? NaN;
const times = (replies: readonly Reply[]): number[] => replies.map(({ ms }) => ms);
const show = (list: readonly number[]): string =>
  `p50 ${quantile(list, 0.5).toFixed(0)} ms, p95 ${quantile(list, 0.95).toFixed(0)} ms, p99 ${quantile(list, 0.99).toFixed(0)} ms`;

const failures: string[] = [];
function check(what: string, holds: boolean, figures: string): void {
  if (!holds) failures.push(what);
  console.log(`${holds ? 'ok ' : 'BAD'}  ${what.padEnd(58)}  ${figures}`);
}

async function tenTimes(service: Service): Promise<void> {
  await closedLoop(service, AT_ONCE, 3_000);
  const quiet = times(await closedLoop(service, 1, 3_000));
  const full = await closedLoop(service, AT_ONCE, 5_000);
  const capacity = full.length / 5;
  console.log(
    `     quiet: ${show(quiet)}; capacity ${capacity.toFixed(0)}/s with ${AT_ONCE} at once, ${show(times(full))}`,
  );
  const replies = await openLoop(service, 10 * capacity, SECONDS * 1_000);
  const accepted = replies.filter(({ status }) => status === 200);
  const refused = replies.filter(({ status }) => status !== 200);
  check(
    'accepted requests take at most twice the quiet time (p50, p95)',
    quantile(times(accepted), 0.5) <= 2 * quantile(quiet, 0.5) &&
      quantile(times(accepted), 0.95) <= 2 * quantile(quiet, 0.95),
    `${replies.length} asked at ${(replies.length / SECONDS).toFixed(0)}/s, ${accepted.length} accepted: ${show(times(accepted))} = ${(quantile(times(accepted), 0.5) / quantile(quiet, 0.5)).toFixed(2)} × and ${(quantile(times(accepted), 0.95) / quantile(quiet, 0.95)).toFixed(2)} ×`,
  );
  check(
    'every other one is refused with 502 and Retry-After',
    refused.length > 0 && refused.every(({ status, retryAfter }) => status === 502 && retryAfter !== null),
    `${refused.length} refused`,
  );
  check(
    'and at once: within the quiet time',
    quantile(times(refused), 0.95) <= quantile(quiet, 0.5),
    show(times(refused)),
  );
}

const compiled = build();
const [fast, slow] = await Promise.all([startNode(), startNode()]);
try {
  await fast.set({ latencyMs: LATENCY_MS });
  const overloaded = await startService(compiled.main, fast.url);
  await tenTimes(overloaded);
  overloaded.signal('SIGTERM');
  await overloaded.ended;

  await slow.set({ latencyMs: 3_000 });
  const mixed = await startService(compiled.main, `${slow.url},${fast.url}`);
  // Until the service knows how slow the first node is.
  await closedLoop(mixed, AT_ONCE, 7_000);
  const replies = await openLoop(mixed, 20, SECONDS * 1_000);
  const beside = times(replies.filter(({ status }) => status === 200));
  const quick = beside.filter((ms) => ms < 3_000).length / replies.length;
  check(
    'a slow node first does not starve the others',
    replies.every(({ status }) => status === 200) && quick >= 0.9,
    `${replies.length} asked at 20/s, ${(100 * quick).toFixed(0)} % answered by the healthy node: ${show(beside)}`,
  );
  mixed.signal('SIGTERM');
  await mixed.ended;
} finally {
  fast.stop();
  slow.stop();
  agent.destroy();
  compiled.remove();
}
console.log(failures.length === 0 ? 'all held' : `${failures.length} did not hold`);
process.exit(failures.length === 0 ? 0 : 1);
