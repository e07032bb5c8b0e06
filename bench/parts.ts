import { cpus } from 'node:os';
import { basename } from 'node:path';
import { measureGrowth } from './growth.ts';
import { measureIsolation } from './load/isolation.ts';
import { measureLatency } from './load/latency.ts';
import { measureLoad } from './load/load.ts';
import { measureRefusals, measureService, type PerRequest } from './load/perRequest.ts';
import { measurePipeline } from './pipeline.ts';
import { OWN_RECORDINGS, readRecordings } from './recordings.ts';
import { writeResults } from './results.ts';
import { measureStart } from './start.ts';
import { printTable } from './table.ts';

const ms = (value: number): string => value.toFixed(value < 10 ? 3 : 1);
const times = (value: number): string => `${value.toFixed(2)} ×`;

export interface BenchOptions {
  readonly quick: boolean;
  /** Recordings to measure: a folder, a file, or `synthetic:SHAPE:SIZE`. */
  readonly places: readonly string[];
  /** Another built checkout, whose service is loaded in turn with this one's. */
  readonly against?: string;
  /** Stores a result under the name of its part and of what was measured. */
  readonly keep: (name: string, result: unknown) => void;
}

async function start({ quick, keep }: BenchOptions): Promise<void> {
  const start = await measureStart(quick ? 3 : 7);
  keep('service', start);
  printTable(
    'Start',
    ['', 'ms'],
    [
      ['listening after', ms(start.listening)],
      ['CPU until then', ms(start.cpu)],
      ['rules, as compiled at build (CPU)', ms(start.rulesCached)],
      ['rules, compiled anew (CPU)', ms(start.rulesCompiled)],
    ],
  );
}

async function pipeline({ quick, places, keep }: BenchOptions): Promise<void> {
  for (const place of places) {
    const result = await measurePipeline(
      readRecordings(place),
      quick ? { warmUps: 3, passes: 5 } : { warmUps: 12, passes: 15 },
    );
    keep(basename(place), result);
    const { parse } = result;
    const row = (name: string, { total, median, p95, least }: typeof parse): string[] => [
      name,
      ms(total),
      ms(median),
      ms(p95),
      times(total / parse.total),
      times(least / parse.least),
    ];
    printTable(
      `Pipeline of this build alone: ${result.transactions} transactions of ${basename(place)}${result.refused > 0 ? `, ${result.refused} refused` : ''}; ${(result.upstreamBytes / 1e6).toFixed(1)} MB in, ${(result.reportBytes / 1e6).toFixed(1)} MB out`,
      ['ms', 'total', 'median', 'p95', 'to parse', 'quickest'],
      [
        row('JSON.parse of the answers', parse),
        ...Object.entries(result.stages).map(([name, stage]) => row(`  ${name}`, stage)),
        row('whole analysis', result.analysis),
      ],
    );
  }
}

async function load({ quick, places, keep }: BenchOptions): Promise<void> {
  for (const place of places) {
    const result = await measureLoad(
      readRecordings(place),
      [place],
      quick
        ? { rounds: 3, requests: 1_000, warmUp: 2_000, connections: 8 }
        : { rounds: 5, requests: 2_000, warmUp: 6_000, connections: 8 },
    );
    keep(basename(place), result);
    const row = (name: string, figures: typeof result.service, show = ms): string[] => [
      name,
      show === ms ? figures.requestsPerCpuSecond.toFixed(0) : show(figures.requestsPerCpuSecond),
      show(figures.p50),
      show(figures.p99),
    ];
    printTable(
      `Load: ${result.transactions} transactions of ${basename(place)}, ${result.connections} connections`,
      ['', 'requests per CPU second', 'p50 ms', 'p99 ms'],
      [
        row('floor: any service that reads the same bytes', result.floor),
        row('this service, a ready report for its analysis', result.hollow),
        row('this service', result.service),
        row('  to the floor', result.serviceToFloor, times),
        row('  to its shell alone', result.serviceToHollow, times),
      ],
    );
    const added = (what: string, { p50, p99 }: { p50: number; p99: number }): string[] => [
      what,
      ms(p50),
      ms(p99),
      times(p99 / p50),
    ];
    printTable(
      "One at a time: time added to the node's own",
      ['', 'p50 ms', 'p99 ms', 'p99 to p50'],
      [
        added('this service, each transaction by its median', result.added.transactions),
        added('  every request', result.added.requests),
        added('floor, each transaction by its median', result.floorAdded.transactions),
        added('  every request', result.floorAdded.requests),
      ],
    );
    console.log(`${result.upstreamRequestsPerAnalysis.toFixed(2)} requests to the node per analysis`);
  }
}

async function service({ quick, places, against, keep }: BenchOptions): Promise<void> {
  for (const place of places) {
    const results = await measureService(place, {
      ...(quick
        ? { rounds: 4, requests: 500, warmUp: 2_000 }
        : { rounds: 10, requests: 1_000, warmUp: 4_000 }),
      ...(against !== undefined && { against }),
    });
    const refusals = against === undefined ? await measureRefusals(place) : [];
    keep(basename(place), refusals.length > 0 ? { results, refusals } : results);
    for (const { settings, refused } of refusals) {
      const named = Object.entries(settings).map((setting) => setting.join('='));
      console.log(
        `32 connections, ${named.join(' ') || 'defaults'}: ${(100 * refused).toFixed(1)} % refused`,
      );
    }
    const row = (connections: number, name: string, { main, others }: PerRequest): string[] => [
      String(connections),
      name,
      ms(main + others),
      ms(main),
      ms(others),
    ];
    printTable(
      `Processor time per request over HTTP: ${basename(place)}`,
      ['connections', '', 'ms', 'main thread', 'other threads'],
      results.flatMap(({ connections, service, against: other }) => [
        row(connections, 'this service', service),
        ...(other ? [row(connections, `of ${against!}`, other)] : []),
      ]),
    );
    for (const { connections, ratio } of results)
      if (ratio)
        console.log(
          `${connections} connections: ${times(ratio.median)} of ${against!} (${times(ratio.least)} to ${times(ratio.greatest)})`,
        );
  }
}

async function latency({ places, keep }: BenchOptions): Promise<void> {
  for (const place of places) {
    const result = await measureLatency(place, 50);
    keep(basename(place), result);
    printTable(
      `A node that takes ${result.upstreamMs} ms: ${basename(place)}`,
      ['', 'p50 ms', 'p99 ms', 'CPU ms', 'waits', 'round trips'],
      [
        [
          'analysis',
          ms(result.analysis.p50),
          ms(result.analysis.p99),
          ms(result.cpuMs),
          times(result.factor),
          result.roundTripsPerAnalysis.toFixed(2),
        ],
      ],
    );
  }
}

async function growth({ quick, keep }: BenchOptions): Promise<void> {
  const sizes = quick ? [100, 1_000, 10_000] : [100, 1_000, 10_000, 100_000];
  const points = await measureGrowth(sizes, ({ shape, size }) =>
    process.stderr.write(`  measured ${shape} of ${size}\n`),
  );
  keep('points', points);
  printTable(
    'Growth: synthetic transactions',
    ['', 'units', 'µs per unit', 'of it parse', 'to 1,000', 'MB in', 'MB out', 'peak MB', 'to input'],
    points.map((point) => {
      const base = points.find((other) => other.shape === point.shape && other.size === 1_000)!;
      return [
        point.shape,
        String(point.size),
        point.usPerUnit.toFixed(1),
        point.parseUsPerUnit.toFixed(1),
        times(point.usPerUnit / base.usPerUnit),
        (point.upstreamBytes / 1e6).toFixed(1),
        (point.reportBytes / 1e6).toFixed(1),
        (point.peakBytes / 1e6).toFixed(0),
        times(point.peakRatio),
      ];
    }),
  );
}

async function isolation({ quick, places, keep }: BenchOptions): Promise<void> {
  const result = await measureIsolation(
    places.at(-1)!,
    `synthetic:batch transfer:${quick ? 10_000 : 100_000}`,
    { quietMs: quick ? 5_000 : 15_000 },
  );
  keep('result', result);
  const row = (name: string, { health, analyses }: typeof result.quiet): string[] => [
    name,
    ms(health.p50),
    ms(health.p99),
    ms(analyses.p50),
    ms(analyses.p99),
  ];
  printTable(
    `Beside ${result.large}, which took ${ms(result.largeTook)} ms and was answered ${result.largeStatus}`,
    ['', '/health p50', 'p99', 'small analyses p50', 'p99'],
    [
      row('quiet', result.quiet),
      row('beside it', result.beside),
      [
        'beside to quiet',
        times(result.beside.health.p50 / result.quiet.health.p50),
        times(result.beside.health.p99 / result.quiet.health.p99),
        times(result.beside.analyses.p50 / result.quiet.analyses.p50),
        times(result.beside.analyses.p99 / result.quiet.analyses.p99),
      ],
    ],
  );
}

const PARTS = { start, pipeline, load, service, latency, growth, isolation };

/** Runs the parts named, prints their tables and writes every figure to `bench-results/`. */
export async function runBench(
  only: readonly string[],
  { quick, places, against }: Omit<BenchOptions, 'keep'>,
): Promise<void> {
  const results: Record<string, unknown> = {
    node: process.version,
    processors: cpus().length,
    model: cpus()[0]?.model,
  };
  for (const part of only) {
    const found: Record<string, unknown> = {};
    const keep = (name: string, result: unknown): void => void (found[name] = result);
    await PARTS[part as keyof typeof PARTS]({
      quick,
      places: [OWN_RECORDINGS, ...places],
      ...(against !== undefined && { against }),
      keep,
    });
    results[part] = found;
  }
  writeResults(results);
}
