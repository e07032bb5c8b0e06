import { fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { Answers } from './answers.ts';
import { built } from './product.ts';
import { SHAPES, synthetic, type Shape } from './synthetic.ts';
import { timedUpstream } from './timedUpstream.ts';

const { createAnalyze } = await built<typeof import('../src/service/analyzer.ts')>('service/analyzer.js');
const { loadRules } = await built<typeof import('../src/service/loadRules.ts')>('service/loadRules.js');

export interface GrowthPoint {
  readonly shape: Shape;
  /** Frames; logs for the shape of that name. */
  readonly size: number;
  readonly upstreamBytes: number;
  readonly reportBytes: number;
  /** Microseconds per frame or log, response texts to serialised report, their parsing included. */
  readonly usPerUnit: number;
  readonly parseUsPerUnit: number;
  /** Largest resident memory over what it was before, in bytes, and to the size of the upstream's JSON. */
  readonly peakBytes: number;
  readonly peakRatio: number;
}

/** What the measuring process reports. */
export type Measured = Pick<GrowthPoint, 'reportBytes' | 'usPerUnit' | 'parseUsPerUnit' | 'peakBytes'>;

/** More accounts than a service remembers from one transaction to the next, as far as so many variants have them. */
const ACCOUNTS = 20_000;
const MOST_VARIANTS = 30;

/** Time and memory of synthetic transactions, each size in a process of its own, which reads its answers from files. */
export async function measureGrowth(
  sizes: readonly number[],
  onPoint: (point: GrowthPoint) => void,
): Promise<GrowthPoint[]> {
  const points: GrowthPoint[] = [];
  const rulebook = loadRules();
  const results = join(import.meta.dirname, '../bench-results');
  mkdirSync(results, { recursive: true });
  for (const shape of SHAPES) {
    for (const size of sizes) {
      const folder = mkdtempSync(join(results, '.growth-'));
      try {
        const variants = Math.min(MOST_VARIANTS, Math.ceil(ACCOUNTS / size));
        let bytes = 0;
        for (let variant = variants - 1; variant >= 0; variant--)
          bytes = await writeAnswers(shape, size, variant, folder, rulebook);
        const child = fork(
          join(import.meta.dirname, 'growthChild.ts'),
          [folder, String(size), String(variants)],
          { execArgv: ['--import', 'tsx', '--max-old-space-size=12000'] },
        );
        const [measured] = (await once(child, 'message')) as [Measured | { error: string }];
        if ('error' in measured) throw new Error(`${shape} of ${size}: ${measured.error}`);
        const point = {
          shape,
          size,
          upstreamBytes: bytes,
          ...measured,
          peakRatio: measured.peakBytes / bytes,
        };
        points.push(point);
        onPoint(point);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }
  }
  return points;
}

/** The response bodies an analysis reads, one file per round trip, and its hash. Returns their size. */
async function writeAnswers(
  shape: Shape,
  size: number,
  variant: number,
  folder: string,
  rulebook: ReturnType<typeof loadRules>,
): Promise<number> {
  const recorded = synthetic(shape, size, variant);
  const answers = new Answers([recorded]);
  let rounds = 0;
  let bytes = 0;
  const upstream = timedUpstream((_hash, round, requests) => {
    const text = answers.respond(requests);
    writeFileSync(join(folder, `${variant}-${round}.json`), text);
    rounds = round + 1;
    bytes += text.length;
    return text;
  });
  const analyze = createAnalyze({ upstream, rulebook: () => rulebook, validate: () => {}, maxTokens: 2_000 });
  await analyze(recorded.hash, { signal: new AbortController().signal, deadlineAt: Infinity });
  writeFileSync(join(folder, `${variant}-hash`), recorded.hash);
  if (rounds !== 2) throw new Error(`${shape} of ${size} took ${rounds} round trips`);
  return bytes;
}
