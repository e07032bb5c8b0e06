import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Answers } from './answers.ts';
import { remembered, type TimedUpstream } from './timedUpstream.ts';
import { jsonBytes, type ReportJson } from '../src/lib/reportJson.ts';
import type { createAnalyze } from '../src/service/analyzer.ts';
import type { loadRules } from '../src/service/loadRules.ts';
import type { createReportValidator } from '../src/stages/9-report/reportValidator.ts';
import type { Recorded } from './recordings.ts';

/** Where builds keep their modules, newest place first. */
const PLACES = {
  analyzer: ['service/analyzer.js', 'createAnalyze.js'],
  rules: ['service/loadRules.js', 'loadRules.js'],
  validator: ['stages/9-report/reportValidator.js'],
} as const;

/** What one analysis cost, in milliseconds without the node's part, and the bytes of its report. */
export interface Cost {
  readonly analysis: number;
  readonly parse: number;
  readonly stages: ReadonlyMap<string, number>;
  readonly bytes: number;
}

/** Analyses one recorded transaction; null where the build refuses it. */
export type Measure = (hash: Recorded['hash']) => Promise<Cost | null>;

/**
 * The build of a checkout, in this process, over recorded answers. Its own `bench/timedUpstream.ts` stands in for
 * its node. Throws where nothing is built.
 */
export async function openBuild(checkout: string, recorded: readonly Recorded[]): Promise<Measure> {
  const root = resolve(checkout);
  const load = async <Module>(paths: readonly string[]): Promise<Module> => {
    const found = paths.map((path) => join(root, path)).find((path) => existsSync(path));
    if (found === undefined)
      throw new Error(`${root} has no ${paths[0]}: run npm ci and npm run build there`);
    return (await import(pathToFileURL(found).href)) as Module;
  };
  const dist = (places: readonly string[]): string[] => places.map((path) => join('dist', path));
  const analyzer = await load<{ createAnalyze: typeof createAnalyze }>(dist(PLACES.analyzer));
  const rules = await load<{ loadRules: typeof loadRules }>(dist(PLACES.rules));
  const validator = await load<{ createReportValidator: typeof createReportValidator }>(
    dist(PLACES.validator),
  );
  const bench = await load<typeof import('./timedUpstream.ts')>(['bench/timedUpstream.ts']);

  const answers = new Answers(recorded);
  const upstream: TimedUpstream = bench.timedUpstream(
    remembered((_hash, _round, requests) => answers.respond(requests)),
  );
  const rulebook = rules.loadRules();
  const analyze = analyzer.createAnalyze({
    upstream,
    rulebook: () => rulebook,
    validate: validator.createReportValidator(),
    maxTokens: 2_000,
  });
  const { signal } = new AbortController();

  return async (hash) => {
    const stages = new Map<string, number>();
    const start = performance.now();
    let json: ReportJson;
    try {
      ({ json } = await analyze(hash, {
        signal,
        deadlineAt: Infinity,
        onStage: (name, ms) => void stages.set(name, ms),
      }));
      // A text put together of many is laid out when it is first read: that is part of serialising it.
      if (typeof json === 'string') json.charCodeAt(0);
    } catch {
      upstream.take();
      return null;
    }
    const total = performance.now() - start;
    const { ms: parse, otherMs } = upstream.take();
    stages.set('fetch', (stages.get('fetch') ?? 0) - parse - otherMs);
    return { analysis: total - parse - otherMs, parse, stages, bytes: jsonBytes(json) };
  };
}
