// A thread that analyses large transactions, one at a time. Loaded by the pool of `largeAnalyses.ts`.
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import { unpackRulebook } from '../cache/rulebookCache.ts';
import { createAnalyze } from '../createAnalyze.ts';
import { AnalysisError } from '../../lib/errors.ts';
import { openUpstream } from '../openUpstream.ts';
import { createReportValidator } from '../../stages/9-report/reportValidator.ts';
import type { UpstreamCallEvent } from '../../model/upstream.ts';
import type { AnalysisOutcome, AnalysisTask, AnalysisThreadData } from './analysisTask.ts';

const { config, rulebook: packed } = workerData as AnalysisThreadData;
const rulebook = unpackRulebook(packed);
const analyze = createAnalyze({
  upstream: openUpstream(config),
  rulebook: () => rulebook,
  validate: createReportValidator(),
  maxTokens: config.maxTokens,
  priceSources: config.priceSources,
});

/** Analyses from an answer that another thread has fetched; never rejects with anything but a defect. */
export default async function run({ hash, answer, due }: AnalysisTask): Promise<unknown> {
  const stages: [string, number][] = [];
  const calls: UpstreamCallEvent[] = [];
  const finish = (done: AnalysisOutcome['done']): AnalysisOutcome => ({ done, stages, calls });
  try {
    const { json, intentKind } = await analyze(hash, {
      // Whoever gives up ends the thread.
      signal: new AbortController().signal,
      deadlineAt: due - performance.timeOrigin,
      resume: answer,
      onStage: (name, ms) => stages.push([name, ms]),
      onCall: (event) => calls.push(event),
    });
    const pieces = typeof json === 'string' ? [new TextEncoder().encode(json)] : json;
    const outcome = finish({ json: pieces, intentKind });
    // Handed over, not copied.
    return move({
      [transferableSymbol]: pieces.map(({ buffer }) => buffer),
      [valueSymbol]: outcome,
    } as never);
  } catch (error) {
    if (!(error instanceof AnalysisError)) throw error;
    return finish({
      code: error.code,
      detail: error.detail,
      cause: error.cause === undefined ? null : JSON.stringify(error.cause),
    });
  }
}
