import { median, quantile } from '../stats.ts';
import { startNode, startService, type Program } from './processes.ts';
import { readRecordings } from '../recordings.ts';

export interface LatencyResult {
  readonly upstreamMs: number;
  /** One analysis at a time, milliseconds, and what of it the two round trips do not explain. */
  readonly analysis: { readonly p50: number; readonly p99: number };
  readonly roundTripsPerAnalysis: number;
  /** CPU time of the service per analysis, milliseconds. */
  readonly cpuMs: number;
  /** (median − CPU) / upstream latency: 2 would be the two round trips and nothing else. */
  readonly factor: number;
}

/** Analyses one after the other with a node that answers late: how much waiting is not the node's. */
export async function measureLatency(place: string, upstreamMs: number): Promise<LatencyResult> {
  const hashes = readRecordings(place).map(({ hash }) => hash);
  const programs: Program[] = [];
  try {
    const node = await startNode([place], upstreamMs);
    programs.push(node);
    const service = await startService(node.url);
    programs.push(service);
    const analyze = async (hash: string): Promise<number> => {
      const start = performance.now();
      await (
        await fetch(`${service.url}/analyze`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ tx_hash: hash }),
        })
      ).arrayBuffer();
      return performance.now() - start;
    };
    // Ten at once to warm up, one at a time to measure.
    for (let i = 0; i < 600; i += 10)
      await Promise.all(Array.from({ length: 10 }, (_, n) => analyze(hashes[(i + n) % hashes.length]!)));
    await node.ask();
    const before = await service.ask();
    const times: number[] = [];
    for (const hash of hashes.slice(0, 100)) times.push(await analyze(hash));
    const cpuMs = ((await service.ask())['cpu']! - before['cpu']!) / 1_000 / times.length;
    const { requests } = await node.ask();
    return {
      upstreamMs,
      analysis: { p50: quantile(times, 0.5), p99: quantile(times, 0.99) },
      roundTripsPerAnalysis: requests! / times.length,
      cpuMs,
      factor: (median(times) - cpuMs) / upstreamMs,
    };
  } finally {
    await Promise.all(programs.map((program) => program.stop()));
  }
}
