// A thread that analyzes whole blocks. Loaded by the pool of `blockPool.ts`.
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import { AnalysisError } from '../../../lib/errors.ts';
import type { TxReport } from '../../../model/generated/report.ts';
import { createAnalyzeBlock } from '../../../service/analyzeBlock.ts';
import { unpackRulebook } from '../../../service/cache/rulebookCache.ts';
import { analyzerDeps } from '../../../service/analyzer.ts';
import { createUpstream } from '../../../stages/1-fetch/rpc/upstream.ts';
import { failedBlock, type BlockResult, type BlockTask, type BlockThreadData } from './blockResult.ts';
import { rowsOf } from './tables.ts';

const { config, rulebook: packed, filter, tables } = workerData as BlockThreadData;
const rulebook = unpackRulebook(packed);
let notes: string[] = [];
const deps = analyzerDeps(config, createUpstream(config), () => rulebook);
const analyzeBlock = createAnalyzeBlock(deps, filter, (note) => notes.push(note));

/** Analyzes one block; rejects only with a defect of this program. */
export default async function run({ id, ms }: BlockTask): Promise<unknown> {
  let requests = 0;
  const finish = (found: Omit<BlockResult, 'requests' | 'notes'>): unknown => {
    const result: BlockResult = { ...found, requests, notes };
    notes = [];
    // Moved, not copied.
    return move({ [transferableSymbol]: [found.lines.buffer], [valueSymbol]: result } as never);
  };
  try {
    const { reports, indexes, failures, findings, transactions } = await analyzeBlock(id, {
      signal: new AbortController().signal,
      deadlineAt: performance.now() + ms,
      onCall: () => requests++,
    });
    const { motifKinds } = rulebook;
    const lines = new TextEncoder().encode(tables ? '' : reports.map((report) => `${report}\n`).join(''));
    const rows = tables ? rowsOf(parsed(reports, indexes), { findings, motifKinds }) : null;
    return finish({ lines, rows, reports: reports.length, transactions, failures, findings, failed: null });
  } catch (error) {
    if (!(error instanceof AnalysisError)) throw error;
    return finish(failedBlock({ code: error.code, error: error.message }));
  }
}

const parsed = (reports: readonly string[], indexes: readonly number[]) =>
  reports.map((report, i) => [indexes[i]!, JSON.parse(report) as TxReport] as const);
