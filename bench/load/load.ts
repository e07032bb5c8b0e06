import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { build } from 'esbuild';
import { median, quantile } from '../stats.ts';
import { startFloor, startHollow, startNode, startService, type Program } from './processes.ts';
import { writeScript } from './script.ts';
import type { Recorded } from '../recordings.ts';

/** How often each transaction is timed alone. */
const PASSES = 5;
const ROOT = join(import.meta.dirname, '../..');

/** The programs that are compared, in the order in which they are loaded. */
const COMPARED = ['floor', 'hollow', 'service'] as const;
type Compared = (typeof COMPARED)[number];

export interface Figures {
  readonly requestsPerCpuSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Share of the answers that were no report; 0 unless the run is lenient. */
  readonly refused?: number;
}

/** Milliseconds over all requests, and over the transactions by each one's median: without what else the machine did. */
export interface Added {
  readonly requests: { readonly p50: number; readonly p99: number };
  readonly transactions: { readonly p50: number; readonly p99: number };
}

export interface LoadResult {
  readonly transactions: number;
  readonly connections: number;
  readonly floor: Figures;
  /** The service with a ready report in place of its analysis. */
  readonly hollow: Figures;
  readonly service: Figures;
  /** Of each round, then the median. */
  readonly serviceToFloor: Figures;
  readonly serviceToHollow: Figures;
  /** One request at a time: its time less what the node had of it. */
  readonly added: Added;
  readonly floorAdded: Added;
  readonly upstreamRequestsPerAnalysis: number;
}

/**
 * Loads the service and the floor in turn, with the same requests, against the same node, several rounds; what the rounds
 * have in common (the machine, its other work) cancels out of the ratios.
 */
export async function measureLoad(
  recorded: readonly Recorded[],
  places: readonly string[],
  options: { rounds: number; requests: number; warmUp: number; connections: number },
): Promise<LoadResult> {
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
    const scriptFile = join(work, 'script.json');
    writeFileSync(scriptFile, JSON.stringify(script));
    await build({
      entryPoints: ['floor.ts', 'hollow.ts'].map((name) => join(import.meta.dirname, name)),
      outdir: work,
      outExtension: { '.js': '.mjs' },
      format: 'esm',
      platform: 'node',
      logLevel: 'error',
    });
    const node = await started(startNode(places));
    const env = { MAX_CONCURRENCY: '64' };
    const compared: Readonly<Record<Compared, Program>> = {
      floor: await started(startFloor(join(work, 'floor.mjs'), node.url, scriptFile)),
      hollow: await started(startHollow(join(work, 'hollow.mjs'), node.url, scriptFile, env)),
      service: await started(startService(node.url, env)),
    };

    for (const name of COMPARED)
      await cannonade(compared[name], hashes, { requests: options.warmUp, connections: options.connections });
    const rounds: Record<Compared, Figures>[] = [];
    for (let round = 0; round < options.rounds; round++) {
      const figures: Partial<Record<Compared, Figures>> = {};
      for (const name of COMPARED) figures[name] = await cannonade(compared[name], hashes, options);
      rounds.push(figures as Record<Compared, Figures>);
    }
    const of = (figures: (round: Record<Compared, Figures>) => Figures): Figures => ({
      requestsPerCpuSecond: median(rounds.map((r) => figures(r).requestsPerCpuSecond)),
      p50: median(rounds.map((r) => figures(r).p50)),
      p99: median(rounds.map((r) => figures(r).p99)),
    });
    const floorAlone = await timeOneByOne(compared.floor.url, node, hashes);
    const alone = await timeOneByOne(compared.service.url, node, hashes);
    return {
      transactions: hashes.length,
      connections: options.connections,
      floor: of((r) => r.floor),
      hollow: of((r) => r.hollow),
      service: of((r) => r.service),
      serviceToFloor: of((r) => ratio(r.service, r.floor)),
      serviceToHollow: of((r) => ratio(r.service, r.hollow)),
      added: alone.added,
      floorAdded: floorAlone.added,
      upstreamRequestsPerAnalysis: alone.requestsToNode / (hashes.length * PASSES),
    };
  } finally {
    await Promise.all(programs.map((program) => program.stop()));
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Sends `requests` analyses, in turn over the hashes; each connection begins with another, as a service admits few
 * analyses of one transaction at once. Throws where one fails, unless `lenient`.
 */
export async function cannonade(
  program: Program,
  hashes: readonly string[],
  { requests, connections, lenient = false }: { requests: number; connections: number; lenient?: boolean },
): Promise<Figures> {
  const before = await program.ask();
  const times: number[] = [];
  let failures = 0;
  const all = hashes.map((hash) => ({
    method: 'POST' as const,
    path: '/analyze',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tx_hash: hash }),
  }));
  let client = 0;
  await new Promise<void>((resolve, reject) => {
    const instance = autocannon(
      {
        url: program.url,
        connections,
        amount: requests,
        setupClient(one) {
          const from = Math.floor((client++ * all.length) / connections);
          one.setRequests([...all.slice(from), ...all.slice(0, from)]);
        },
      },
      (error) => (error ? reject(error as Error) : resolve()),
    );
    instance.on('response', (_client, status, _bytes, ms) => {
      if (status !== 200) failures++;
      times.push(ms);
    });
  });
  if (failures > 0 && !lenient) throw new Error(`${failures} of ${times.length} requests failed`);
  const after = await program.ask();
  return {
    requestsPerCpuSecond: times.length / ((after['cpu']! - before['cpu']!) / 1e6),
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    refused: failures / times.length,
  };
}

function ratio(of: Figures, to: Figures): Figures {
  return {
    requestsPerCpuSecond: of.requestsPerCpuSecond / to.requestsPerCpuSecond,
    p50: of.p50 / to.p50,
    p99: of.p99 / to.p99,
  };
}

/** Every transaction several times, alone: its milliseconds less those the node took to answer. */
async function timeOneByOne(
  url: string,
  node: Program,
  hashes: readonly string[],
): Promise<{ added: Added; requestsToNode: number }> {
  const added = hashes.map((): number[] => []);
  let requestsToNode = 0;
  await node.ask();
  for (let pass = 0; pass < PASSES; pass++) {
    for (const [i, hash] of hashes.entries()) {
      const start = performance.now();
      const response = await fetch(`${url}/analyze`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ tx_hash: hash }),
      });
      await response.text();
      const took = performance.now() - start;
      const asked = await node.ask();
      added[i]!.push(took - asked['busy']!);
      requestsToNode += asked['requests']!;
    }
  }
  const spread = (times: readonly number[]): { p50: number; p99: number } => ({
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
  });
  return {
    added: { requests: spread(added.flat()), transactions: spread(added.map(median)) },
    requestsToNode,
  };
}
