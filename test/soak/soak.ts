/**
 * The service as a process of its own under load, before a node that fails one time in five: flat memory, no leaked
 * connections or timers, every report byte for byte the quiet answer, overload refused at once, slow and greedy
 * clients without effect, an orderly end on SIGTERM.
 * Prints figures and exits 1 when something does not hold.
 *
 *   --minutes M   of steady load (default a quarter: short, judged by the heap after collecting garbage)
 *   --clients N   asking at once (default 12)
 *   --pause MS    of each client after an answer (default 0)
 */
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { loadRecordings } from '../fuzz/recordedNode.ts';
import { ask, flood, slowClients, steadyLoad, type Load } from './clients.ts';
import { build, startNode, startService, type Held, type Service } from './processes.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '0.25' },
    clients: { type: 'string', default: '12' },
    pause: { type: 'string', default: '0' },
  },
});
const seconds = Number(values.minutes) * 60;
const long = seconds >= 300;
const CLIENTS = Number(values.clients);
const RPC_TIMEOUT_MS = long ? 1_500 : 800;

const hashes = loadRecordings().map(({ hash }) => hash);
const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
const failures: string[] = [];
function check(what: string, holds: boolean, figures: string): void {
  if (!holds) failures.push(what);
  console.log(`${holds ? 'ok ' : 'BAD'}  ${what.padEnd(44)}  ${figures}`);
}
const median = (list: readonly number[]): number => [...list].sort((a, b) => a - b)[list.length >> 1] ?? 0;
const sockets = ({ handles }: Held): number => handles['Socket'] ?? 0;
const timers = ({ resources }: Held): number => resources['Timeout'] ?? 0;

/** The digest of every transaction's answer while the node is well. */
async function quietAnswers(service: Service): Promise<Map<string, string>> {
  const agent = new Agent({ keepAlive: true });
  const quiet = new Map<string, string>();
  for (const hash of hashes) {
    const { status, digest, error } = await ask(service.port, hash, agent);
    if (status === 200) quiet.set(hash, digest);
    else console.log(`       ${hash}: ${status} ${error}`);
  }
  agent.destroy();
  check(
    'every transaction has a quiet answer',
    quiet.size === hashes.length,
    `${quiet.size} of ${hashes.length}`,
  );
  return quiet;
}

/** Load, sampled; the first third warms up. */
async function steady(service: Service, quiet: ReadonlyMap<string, string>): Promise<void> {
  const load: Load = steadyLoad(service.port, quiet, { clients: CLIENTS, pauseMs: Number(values.pause) });
  const samples: Held[] = [];
  const warmUp = Math.max(seconds / 3, 4);
  const end = performance.now() + seconds * 1000;
  await sleep(warmUp * 1000);
  while (performance.now() < end) {
    samples.push(await service.held());
    if (long)
      console.log(
        `     ${Math.round((end - performance.now()) / 1000)} s left: RSS ${mb(samples.at(-1)!.rss)}, heap ${mb(samples.at(-1)!.heapUsed)}, ${[...load.counts.values()].reduce((a, b) => a + b, 0)} requests`,
      );
    await sleep(long ? 15_000 : 1_000);
  }
  await load.stop();
  const answered = load.counts.get('200') ?? 0;
  const total = [...load.counts.values()].reduce((a, b) => a + b, 0);
  const times = load.times.sort((a, b) => a - b);
  check(
    'at least 99 of 100 succeed',
    answered >= 0.99 * total,
    `${total} tried, ${total - answered} failed, ${(total / seconds).toFixed(0)}/s, median ${median(times).toFixed(0)} ms, p99 ${(times[Math.floor(times.length * 0.99)] ?? 0).toFixed(0)} ms`,
  );
  for (const [key, count] of load.counts) if (key !== '200') console.log(`       ${count} × ${key}`);
  check(
    'only 200 and 502 are told',
    [...load.counts.keys()].every((key) => key === '200' || key.startsWith('502 analysis failed: ')),
    [...new Set([...load.counts.keys()].map((key) => key.slice(0, 3)))].join(', '),
  );
  check(
    'every report is byte for byte the quiet answer',
    // Where no address reads the state, twice each, the report says so in its place.
    answered > 0 && load.different.length === 0 && load.unread.count <= 0.002 * answered,
    `${answered} compared, ${load.unread.count} without state and saying so, ${load.different.length} different ${[...new Set(load.different)].slice(0, 3).join(' ')}`,
  );
  // The first quarter after the warm-up against the last.
  const quarter = Math.max(1, samples.length >> 2);
  const growth = (of: (held: Held) => number): number =>
    median(samples.slice(-quarter).map(of)) / median(samples.slice(0, quarter).map(of)) - 1;
  const [rss, heap] = [growth((held) => held.rss), growth((held) => held.heapUsed)];
  const figures = `RSS ${mb(samples[0]!.rss)} → ${mb(samples.at(-1)!.rss)} (${(100 * rss).toFixed(1)} %), heap ${mb(samples[0]!.heapUsed)} → ${mb(samples.at(-1)!.heapUsed)} (${(100 * heap).toFixed(1)} %), ${samples.length} samples`;
  if (long) check('memory is flat: RSS grows by less than 5 %', rss < 0.05, figures);
  else check('memory is flat: the heap grows by less than 10 %', heap < 0.1, figures);
  const open = (of: (held: Held) => number): [number, number] => [
    median(samples.slice(0, quarter).map(of)),
    median(samples.slice(-quarter).map(of)),
  ];
  const [socketsBefore, socketsAfter] = open(sockets);
  const [timersBefore, timersAfter] = open(timers);
  // Connections to the node come and go with its faults, so a quarter more is no leak.
  check(
    'handles are flat: sockets and timers grow by less than a quarter',
    socketsAfter <= 1.25 * socketsBefore + 8 && timersAfter <= 1.25 * timersBefore + 8,
    `sockets ${socketsBefore} → ${socketsAfter}, timers ${timersBefore} → ${timersAfter}`,
  );
}

async function overload(service: Service, node: Awaited<ReturnType<typeof startNode>>): Promise<void> {
  // Slow enough that the crowd is there before the first of it is served.
  await node.set({ rate: 0, latencyMs: 150 });
  const agent = new Agent({ keepAlive: false });
  const replies = await Promise.all(
    Array.from({ length: 200 }, (_, i) => ask(service.port, hashes[i % hashes.length]!, agent)),
  );
  const refused = replies.filter(({ error }) => error === 'analysis failed: overloaded');
  await node.set({ rate: 0, latencyMs: 0 });
  const slowest = Math.max(...refused.map(({ ms }) => ms));
  check(
    'overload is told at once, with Retry-After',
    refused.length > 50 &&
      replies.every(({ status }, i) => status === 200 || refused.includes(replies[i]!)) &&
      refused.every(({ status, retryAfter }) => status === 502 && retryAfter === '1') &&
      slowest < 2_000,
    `${refused.length} of 200 refused, slowest refusal ${slowest.toFixed(0)} ms, ${replies.filter(({ status }) => status === 200).length} answered`,
  );
  for (const { status, error } of replies)
    if (status !== 200 && error !== 'analysis failed: overloaded') console.log(`       ${status} ${error}`);
  const after = await ask(service.port, hashes[0]!, agent);
  check(
    'and is over when it is over',
    after.status === 200,
    `status ${after.status} in ${after.ms.toFixed(0)} ms`,
  );
}

async function badClients(service: Service): Promise<void> {
  const before = await service.held();
  const headers = slowClients(service.port, 200, 'POST /analyze HTTP/1.1\r\nHost: x\r\n', 'X-A: b\r\n');
  const bodies = slowClients(
    service.port,
    200,
    'POST /analyze HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n{',
    ' ',
  );
  const floods = Promise.all(Array.from({ length: 40 }, () => flood(service.port, 50_000_000)));
  await sleep(1_500);
  const agent = new Agent({ keepAlive: false });
  const healthy = await Promise.all(
    Array.from({ length: 20 }, (_, i) => ask(service.port, hashes[i]!, agent)),
  );
  const during = await service.held();
  const sent = await floods;
  check(
    'slow clients and floods hold no memory',
    during.rss - before.rss < 100e6,
    `RSS ${mb(before.rss)} → ${mb(during.rss)} with 400 slow clients and 40 floods, which received rid of ${mb(Math.max(...sent))} each at most`,
  );
  check(
    'others are served meanwhile',
    healthy.every(({ status }) => status === 200),
    `20 asked, ${healthy.filter(({ status }) => status === 200).length} answered, slowest ${Math.max(...healthy.map(({ ms }) => ms)).toFixed(0)} ms`,
  );
  // Their time is up: HEADERS_TIMEOUT_MS and REQUEST_TIMEOUT_MS below.
  await sleep(4_500);
  check(
    'slow clients lose their connections',
    headers.open() + bodies.open() === 0,
    `${headers.open() + bodies.open()} of 400 left`,
  );
  headers.close();
  bodies.close();
}

async function idle(service: Service, fresh: Held): Promise<void> {
  // Both sides' idle connections are let go after their keep-alive.
  await sleep(7_000);
  const held = await service.held();
  // undici's clock ticks while a connection to the node is kept.
  check(
    'no connection or timer is left over',
    sockets(held) <= 64 && timers(held) <= timers(fresh) + 3,
    `sockets ${sockets(fresh)} → ${sockets(held)}, timers ${timers(fresh)} → ${timers(held)}, handles ${JSON.stringify(held.handles)}`,
  );
  if (!long) return;
  await sleep(35_000);
  const later = await service.held();
  check(
    'nor any connection to the node, in the end',
    sockets(later) === 0,
    `handles ${JSON.stringify(later.handles)}`,
  );
}

async function drain(service: Service, node: Awaited<ReturnType<typeof startNode>>): Promise<void> {
  await node.set({ rate: 0, latencyMs: 280 });
  const agent = new Agent({ keepAlive: true });
  const running = Array.from({ length: 10 }, (_, i) => ask(service.port, hashes[i]!, agent));
  // Until the service itself says that it has them all.
  while (!(await (await fetch(`${service.admin}/metrics`)).text()).includes('txreport_analyses_running 10'))
    await sleep(5);
  const start = performance.now();
  service.signal('SIGTERM');
  const [replies, code] = await Promise.all([Promise.all(running), service.ended]);
  const ms = performance.now() - start;
  check(
    'SIGTERM lets ten running analyses finish, then 0',
    code === 0 && ms < 10_000 && replies.every(({ status }) => status === 200),
    `exit ${code} after ${ms.toFixed(0)} ms, ${replies.filter(({ status }) => status === 200).length} of 10 answered${replies.map(({ status, error }) => (status === 200 ? '' : `; ${status} ${error}`)).join('')}`,
  );
}

const compiled = build();
const node = await startNode();
try {
  // Two addresses of it: a node that cannot read state is asked no second time, the next one is.
  const service = await startService(compiled.main, `${node.url}/a,${node.url}/b`, {
    RPC_TIMEOUT_MS: String(RPC_TIMEOUT_MS),
    HEADERS_TIMEOUT_MS: '3000',
    REQUEST_TIMEOUT_MS: '4000',
    KEEP_ALIVE_MS: '5000',
    // With the 16 that run, places for the 32 steady clients.
    MAX_QUEUE: '16',
  });
  const quiet = await quietAnswers(service);
  const fresh = await service.held();
  console.log(
    `${CLIENTS} clients for ${seconds} s, ${hashes.length} transactions, one in five of the node's answers a fault; at first RSS ${mb(fresh.rss)}, heap ${mb(fresh.heapUsed)}\n`,
  );
  await node.set({ rate: 0.2, latencyMs: 2 });
  await steady(service, quiet);
  await overload(service, node);
  await badClients(service);
  await idle(service, fresh);
  await drain(service, node);
} finally {
  node.stop();
  compiled.remove();
}
console.log(
  failures.length === 0 ? '\nall held' : `\n${failures.length} did not hold: ${failures.join('; ')}`,
);
process.exit(failures.length === 0 ? 0 : 1);
