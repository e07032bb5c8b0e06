// Measures the analysis whose answers lie in a folder: growthChild.ts FOLDER SIZE VARIANTS
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Answers } from './answers.ts';
import { built } from './product.ts';
import { median } from './stats.ts';
import { SHAPES, synthetic } from './synthetic.ts';
import { timedUpstream } from './timedUpstream.ts';
import type { Measured } from './growth.ts';
import type { Upstream } from '../src/stages/1-fetch/upstream.ts';

const { jsonBytes } = await built<typeof import('../src/lib/reportJson.ts')>('lib/reportJson.js');
const { createAnalyze } = await built<typeof import('../src/createAnalyze.ts')>('createAnalyze.js');
const { loadRules } = await built<typeof import('../src/loadRules.ts')>('loadRules.js');
const { createReportValidator } = await built<typeof import('../src/stages/9-report/reportValidator.ts')>('stages/9-report/reportValidator.js');

/** Of the shapes all together, before anything is measured. */
const WARM_UPS = 10;

const [folder, size, variants] = process.argv.slice(2) as [string, string, string];
const rulebook = loadRules();
const validate = createReportValidator();
const options = { signal: new AbortController().signal, deadlineAt: Infinity };
const analyzerOf = (upstream: Upstream) => createAnalyze({ upstream, rulebook: () => rulebook, validate, maxTokens: 2_000 });

async function measure(): Promise<Measured> {
  for (const shape of SHAPES) {
    const recorded = synthetic(shape, 300);
    const answers = new Answers([recorded]);
    const analyze = analyzerOf(timedUpstream((_hash, _round, requests) => answers.respond(requests)));
    for (let i = 0; i < WARM_UPS; i++) await analyze(recorded.hash, options);
  }
  let variant = 0;
  // Bytes from outside, as a service gets them: nothing of them is in memory before.
  const upstream = timedUpstream((_hash, round) => readFileSync(join(folder, `${variant}-${round}.json`)).toString('utf8'));
  const analyzer = analyzerOf(upstream);
  const analyze = async (): Promise<number> => jsonBytes((await analyzer(readFileSync(join(folder, `${variant}-hash`), 'utf8') as `0x${string}`, options)).json);
  const before = process.memoryUsage.rss();
  const reportBytes = await analyze();
  const peakBytes = process.resourceUsage().maxRSS * 1_024 - before;
  const [times, parses]: [number[], number[]] = [[], []];
  upstream.take();
  for (let left = Math.max(3, Math.min(30, Math.round(100_000 / Number(size)))); left > 0; left--) {
    variant = (variant + 1) % Number(variants);
    const start = performance.now();
    await analyze();
    const cost = upstream.take();
    times.push(performance.now() - start - cost.otherMs);
    parses.push(cost.ms);
  }
  return { reportBytes, peakBytes, usPerUnit: (median(times) * 1_000) / Number(size), parseUsPerUnit: (median(parses) * 1_000) / Number(size) };
}

measure().then((measured) => process.send!(measured), (error: Error) => process.send!({ error: error.message })).finally(() => process.disconnect());
