import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { build } from 'esbuild';
import { median, quantile } from '../stats.ts';
import { startFloor, startNode, startService, type Program } from './processes.ts';
import { writeScript, type Script } from './script.ts';
import type { Recorded } from '../recordings.ts';

/** How often each transaction is timed alone. */
const PASSES = 3;
const ROOT = join(import.meta.dirname, '../..');

export interface Figures {
  readonly requestsPerCpuSecond: number;
  readonly p50: number;
  readonly p99: number;
}

export interface LoadResult {
  readonly transactions: number;
  readonly connections: number;
  readonly service: Figures;
  readonly floor: Figures;
  /** Service to floor; of each round, then the median. */
  readonly ratio: Figures;
  /** One request at a time: time over the two round trips to the node, measured between the same processes. */
  readonly added: { readonly p50: number; readonly p99: number };
  readonly upstreamRequestsPerAnalysis: number;
}

/**
 * Loads the service and the floor in turn, with the same requests, against the same node, several rounds; what the rounds
 * have in common (the machine, its other work) cancels out of the ratios.
 */
export async function measureLoad(recorded: readonly Recorded[], places: readonly string[], options: { rounds: number; requests: number; warmUp: number; connections: number }): Promise<LoadResult> {
  const script = await writeScript(recorded);
  const hashes = Object.keys(script);
  // Inside the project, so that the compiled floor finds the same packages as the service.
  mkdirSync(join(ROOT, 'bench-results'), { recursive: true });
  const work = mkdtempSync(join(ROOT, 'bench-results/.load-'));
  const programs: Program[] = [];
  const started = async (program: Promise<Program>): Promise<Program> => {
    const ready = await program;
    programs.push(ready);
    return ready;
  };
  try {
    writeFileSync(join(work, 'script.json'), JSON.stringify(script));
    await build({ entryPoints: [join(import.meta.dirname, 'floor.ts')], outfile: join(work, 'floor.mjs'), format: 'esm', platform: 'node', logLevel: 'error' });
    const node = await started(startNode(places));
    const floor = await started(startFloor(join(work, 'floor.mjs'), node.url, join(work, 'script.json')));
    const service = await started(startService(node.url, { MAX_CONCURRENCY: '64' }));

    for (const program of [floor, service]) await cannonade(program, hashes, { requests: options.warmUp, connections: options.connections });
    const rounds: { service: Figures; floor: Figures }[] = [];
    for (let round = 0; round < options.rounds; round++) {
      rounds.push({ floor: await cannonade(floor, hashes, options), service: await cannonade(service, hashes, options) });
    }
    const of = (figures: (round: { service: Figures; floor: Figures }) => Figures): Figures => ({
      requestsPerCpuSecond: median(rounds.map((r) => figures(r).requestsPerCpuSecond)),
      p50: median(rounds.map((r) => figures(r).p50)), p99: median(rounds.map((r) => figures(r).p99)),
    });
    await node.ask();
    const added = await timeOneByOne(service.url, node.url, script, PASSES);
    const { requests } = await node.ask();
    // Every other pair of requests to the node was this process's own.
    const ownRequests = PASSES * Object.values(script).reduce((all, one) => all + one.requests.length, 0);
    return {
      transactions: hashes.length, connections: options.connections,
      service: of((r) => r.service), floor: of((r) => r.floor),
      ratio: of(({ service: s, floor: f }) => ({ requestsPerCpuSecond: s.requestsPerCpuSecond / f.requestsPerCpuSecond, p50: s.p50 / f.p50, p99: s.p99 / f.p99 })),
      added: { p50: quantile(added, 0.5), p99: quantile(added, 0.99) },

      upstreamRequestsPerAnalysis: (requests! - ownRequests) / added.length,
    };
  } finally {
    await Promise.all(programs.map((program) => program.stop()));
    rmSync(work, { recursive: true, force: true });
  }
}

async function cannonade(program: Program, hashes: readonly string[], { requests, connections }: { requests: number; connections: number }): Promise<Figures> {
  const before = await program.ask();
  const times: number[] = [];
  let failures = 0;
  await new Promise<void>((resolve, reject) => {
    const instance = autocannon({
      url: program.url, connections, amount: requests,
      requests: hashes.map((hash) => ({ method: 'POST', path: '/analyze', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ tx_hash: hash }) })),
    }, (error) => (error ? reject(error as Error) : resolve()));
    instance.on('response', (_client, status, _bytes, ms) => {
      if (status !== 200) failures++;
      times.push(ms);
    });
  });
  if (failures > 0) throw new Error(`${failures} of ${times.length} requests failed`);
  const after = await program.ask();
  return { requestsPerCpuSecond: times.length / ((after['cpu']! - before['cpu']!) / 1e6), p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

/** Every transaction `passes` times, alone: its time at the service less the time of its two round trips to the node. */
async function timeOneByOne(service: string, node: string, script: Script, passes: number): Promise<number[]> {
  const post = async (url: string, body: string): Promise<number> => {
    const start = performance.now();
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    await response.text();
    return performance.now() - start;
  };
  const added: number[] = [];
  for (let pass = 0; pass < passes; pass++) {
    for (const [hash, { requests }] of Object.entries(script)) {
      let upstream = 0;
      for (const body of requests) upstream += await post(node, body);
      added.push((await post(`${service}/analyze`, JSON.stringify({ tx_hash: hash }))) - upstream);
    }
  }
  return added;
}
