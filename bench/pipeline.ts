import { Answers } from './answers.ts';
import { built } from './product.ts';
import { median, quantile, sum } from './stats.ts';
import { remembered, timedUpstream } from './timedUpstream.ts';
import type { ReportJson } from '../src/lib/reportJson.ts';
import type { Recorded } from './recordings.ts';

const { jsonBytes } = await built<typeof import('../src/lib/reportJson.ts')>('lib/reportJson.js');
const { createAnalyze } = await built<typeof import('../src/service/analyzer.ts')>('service/analyzer.js');
const { loadRules } = await built<typeof import('../src/service/loadRules.ts')>('service/loadRules.js');
const { createReportValidator } = await built<typeof import('../src/stages/9-report/reportValidator.ts')>(
  'stages/9-report/reportValidator.js',
);

export interface PipelineResult {
  readonly transactions: number;
  readonly refused: number;
  readonly upstreamBytes: number;
  readonly reportBytes: number;
  /** Milliseconds: over the transactions, of each one's median over the passes. */
  readonly parse: Spread;
  readonly analysis: Spread;
  readonly stages: Readonly<Record<string, Spread>>;
  /** Whole analysis to parse: of the totals, and over the transactions. */
  readonly ratio: Spread;
}

export interface Spread {
  readonly total: number;
  readonly median: number;
  readonly p95: number;
  /** Total of each transaction's quickest pass: what the machine's other work does not touch. */
  readonly least: number;
}

interface Sample {
  parse: number[];
  analysis: number[];
  stages: Map<string, number[]>;
  bytes: number;
  reportBytes: number;
}

/**
 * Analyses every transaction several times in one process: from response texts to the serialised, validated report. The
 * parsing is timed apart, everything after it stage by stage; passes alternate over all transactions, so that noise of
 * the machine falls on all alike.
 */
export async function measurePipeline(
  recorded: readonly Recorded[],
  options: { warmUps: number; passes: number },
): Promise<PipelineResult> {
  const answers = new Answers(recorded);
  const upstream = timedUpstream(remembered((_hash, _round, requests) => answers.respond(requests)));
  const rulebook = loadRules();
  const analyze = createAnalyze({
    upstream,
    rulebook: () => rulebook,
    validate: createReportValidator(),
    maxTokens: 2_000,
  });
  const { signal } = new AbortController();
  const samples = new Map<string, Sample>();
  let refused = 0;

  for (let pass = -options.warmUps; pass < options.passes; pass++) {
    refused = 0;
    for (const { hash } of recorded) {
      const stages: [string, number][] = [];
      const start = performance.now();
      let json: ReportJson;
      try {
        ({ json } = await analyze(hash, {
          signal,
          deadlineAt: Infinity,
          onStage: (name, ms) => stages.push([name, ms]),
        }));
        // A text put together of many is laid out when it is first read: that is part of serialising it.
        if (typeof json === 'string') json.charCodeAt(0);
      } catch {
        refused++;
        upstream.take();
        continue;
      }
      const total = performance.now() - start;
      const parse = upstream.take();
      const other = parse.ms + parse.otherMs;
      if (pass < 0) continue;
      let sample = samples.get(hash);
      if (!sample)
        samples.set(
          hash,
          (sample = {
            parse: [],
            analysis: [],
            stages: new Map(),
            bytes: parse.bytes,
            reportBytes: jsonBytes(json),
          }),
        );
      sample.parse.push(parse.ms);
      sample.analysis.push(total - other);
      for (const [name, ms] of stages) {
        const own = name === 'fetch' ? ms - other : ms;
        const list = sample.stages.get(name);
        if (list) list.push(own);
        else sample.stages.set(name, [own]);
      }
    }
  }

  const all = [...samples.values()];
  const names = [...(all[0]?.stages.keys() ?? [])];
  const parse = all.map((s) => s.parse);
  const analysis = all.map((s) => s.analysis);
  const [parsed, analysed] = [spread(parse), spread(analysis)];
  return {
    transactions: all.length,
    refused,
    upstreamBytes: sum(all.map((s) => s.bytes)),
    reportBytes: sum(all.map((s) => s.reportBytes)),
    parse: parsed,
    analysis: analysed,
    stages: Object.fromEntries(names.map((name) => [name, spread(all.map((s) => s.stages.get(name)!))])),
    ratio: {
      ...spread(all.map((s) => [median(s.analysis) / median(s.parse)])),
      total: analysed.total / parsed.total,
      least: analysed.least / parsed.least,
    },
  };
}

/** Of one figure: each transaction's passes. */
function spread(passes: readonly (readonly number[])[]): Spread {
  const medians = passes.map(median);
  return {
    total: sum(medians),
    median: median(medians),
    p95: quantile(medians, 0.95),
    least: sum(passes.map((list) => Math.min(...list))),
  };
}
