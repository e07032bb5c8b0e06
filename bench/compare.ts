import { basename, join } from 'node:path';
import { openBuild, type Cost, type Measure } from './builds.ts';
import { OWN_RECORDINGS, readRecordings, type Recorded } from './recordings.ts';
import { writeResults } from './results.ts';
import { median, quantile, sum } from './stats.ts';
import { printTable } from './table.ts';

const CHUNK = 8;
/** The optimiser is done with the code of an analysis after some 14 passes over 300 transactions. */
const PASSES = 40;

/** Figures of this build over the other's; one means equal. */
export interface Comparison {
  readonly transactions: number;
  /** Transactions that one of the builds refuses; left out. */
  readonly refused: number;
  /** The first pass over all transactions, in a process that has run nothing before. */
  readonly cold: number;
  /** Each transaction's quickest warm pass. */
  readonly warm: number;
  /** The same, transaction by transaction: quartiles of the ratios. */
  readonly warmEach: { readonly median: number; readonly from: number; readonly to: number };
  readonly stages: Readonly<Record<string, number>>;
  /** Warm analysis to JSON.parse of the node's answers: ours, theirs. */
  readonly toParse: readonly [number, number];
  readonly bytes: { readonly median: number; readonly p99: number };
}

interface Least {
  cold: number;
  analysis: number;
  parse: number;
  stages: Map<string, number>;
  bytes: number;
}

/**
 * Runs two builds in one process over the same answers, in turns of a few transactions, and compares each
 * transaction's quickest pass: the noise of the machine falls on both alike and is left out of most.
 */
async function compareBuilds(
  ours: string,
  theirs: string,
  recorded: readonly Recorded[],
  passes: number,
): Promise<Comparison> {
  const builds = [await openBuild(ours, recorded), await openBuild(theirs, recorded)] as const;
  const least = [new Map<string, Least>(), new Map<string, Least>()] as const;
  for (let pass = 0; pass < passes; pass++)
    for (let at = 0; at < recorded.length; at += CHUNK) {
      const chunk = recorded.slice(at, at + CHUNK);
      // The first of a pair warms the caches for the second: each goes first as often.
      const first = (pass + at / CHUNK) % 2;
      await runChunk(builds[first]!, chunk, least[first]!, pass);
      await runChunk(builds[1 - first]!, chunk, least[1 - first]!, pass);
    }
  return ratios(least[0], least[1], recorded.length);
}

async function runChunk(
  measure: Measure,
  chunk: readonly Recorded[],
  least: Map<string, Least>,
  pass: number,
): Promise<void> {
  for (const { hash } of chunk) {
    const cost = await measure(hash);
    if (cost) keepLeast(least, hash, cost, pass);
  }
}

function keepLeast(all: Map<string, Least>, hash: string, cost: Cost, pass: number): void {
  const known = all.get(hash);
  if (pass === 0 || known === undefined) {
    const { analysis, parse, bytes } = cost;
    all.set(hash, { cold: analysis, analysis, parse, bytes, stages: new Map(cost.stages) });
    return;
  }
  known.analysis = Math.min(known.analysis, cost.analysis);
  known.parse = Math.min(known.parse, cost.parse);
  for (const [name, ms] of cost.stages)
    known.stages.set(name, Math.min(known.stages.get(name) ?? Infinity, ms));
}

function ratios(
  ours: ReadonlyMap<string, Least>,
  theirs: ReadonlyMap<string, Least>,
  asked: number,
): Comparison {
  const both = [...ours].flatMap(([hash, mine]) => {
    const other = theirs.get(hash);
    return other ? [[mine, other] as const] : [];
  });
  const ratio = (figure: (least: Least) => number): number =>
    sum(both.map(([mine]) => figure(mine))) / sum(both.map(([, other]) => figure(other)));
  const toParse = (side: 0 | 1): number =>
    sum(both.map((pair) => pair[side].analysis)) / sum(both.map((pair) => pair[side].parse));
  const each = both.map(([mine, other]) => mine.analysis / other.analysis);
  const names = [...(both[0]?.[0].stages.keys() ?? [])].filter((name) => both[0]![1].stages.has(name));
  const bytes = (side: 0 | 1): number[] => both.map((pair) => pair[side].bytes);
  return {
    transactions: both.length,
    refused: asked - both.length,
    cold: ratio(({ cold }) => cold),
    warm: ratio(({ analysis }) => analysis),
    warmEach: { median: median(each), from: quantile(each, 0.25), to: quantile(each, 0.75) },
    stages: Object.fromEntries(names.map((name) => [name, ratio(({ stages }) => stages.get(name) ?? 0)])),
    toParse: [toParse(0), toParse(1)],
    bytes: {
      median: median(bytes(0)) / median(bytes(1)),
      p99: quantile(bytes(0), 0.99) / quantile(bytes(1), 0.99),
    },
  };
}

/**
 * Compares the build of this checkout with that of another over the repository's recordings and those of `places`,
 * prints the ratios and stores them in `bench-results/`. Throws where the other checkout is not built.
 */
export async function runComparison(
  against: string,
  { quick, places }: { readonly quick: boolean; readonly places: readonly string[] },
): Promise<void> {
  const results: Record<string, Comparison> = {};
  for (const place of [OWN_RECORDINGS, ...places]) {
    const found = await compareBuilds(
      join(import.meta.dirname, '..'),
      against,
      readRecordings(place),
      quick ? 8 : PASSES,
    );
    results[basename(place)] = found;
    const [ours, theirs] = found.toParse;
    const { median: middle, from, to } = found.warmEach;
    const rows = Object.entries({ cold: found.cold, warm: found.warm, ...found.stages });
    printTable(
      `This build over ${against}: ${found.transactions} transactions of ${basename(place)}, ${found.refused} refused`,
      ['', 'ratio'],
      [
        ...rows.map(([name, value]) => [name, value.toFixed(3)]),
        ['warm, each transaction', `${middle.toFixed(3)} (${from.toFixed(3)} to ${to.toFixed(3)})`],
        ['report bytes, median', found.bytes.median.toFixed(3)],
        ['report bytes, p99', found.bytes.p99.toFixed(3)],
        ['warm to JSON.parse', `${ours.toFixed(1)} / ${theirs.toFixed(1)}`],
      ],
    );
  }
  writeResults({ node: process.version, against, comparison: results });
}
