import { judge, read, type OnStage, type Read } from '../analyze.ts';
import { fetchContext } from '../stages/1-fetch/context/fetchContext.ts';
import { fetchTransaction } from '../stages/1-fetch/fetchTransaction.ts';
import { LargeAnswer } from '../stages/1-fetch/rpc/largeAnswer.ts';
import { planContext } from '../stages/1-fetch/context/planContext.ts';
import type { PriceSourceName } from '../stages/1-fetch/prices/priceSources.ts';
import type { Upstream } from '../stages/1-fetch/rpc/upstream.ts';
import { writeReport } from '../stages/9-report/writeReport.ts';
import type { Analyze } from './http/analyze.ts';
import type { TxReport } from '../model/generated/report.ts';
import type { Rulebook } from '../model/rulebook.ts';
import type { RawContext } from '../model/upstream.ts';
import type { LargeAnalyses } from './workers/largeAnalyses.ts';

export interface AnalyzerDeps {
  readonly upstream: Upstream;
  /** The rulebook in force, asked once per analysis. */
  readonly rulebook: () => Rulebook;
  readonly validate: (report: TxReport) => void;
  readonly maxTokens: number;
  /** Price sources to ask; left out or null: the standard ones. */
  readonly priceSources?: readonly PriceSourceName[] | null;
  /** Goes on with transactions of which the node's answer is large; left out: they are analysed here, whatever else has to wait. */
  readonly large?: LargeAnalyses;
}

/** The analysis the service offers: two round trips to the node, the pure pipeline, the schema check. */
export function createAnalyze({
  upstream,
  rulebook: current,
  validate,
  maxTokens,
  priceSources = null,
  large,
}: AnalyzerDeps): Analyze {
  return async (hash, options) => {
    const { signal, deadlineAt, onStage, onCall, resume } = options;
    let last = performance.now();
    const stage: OnStage = (name) => {
      const now = performance.now();
      onStage?.(name, now - last);
      last = now;
    };
    const rulebook = current();
    // The node's answers are let go of once they are read: of a large transaction they are a good part of all there is.
    const answers = async (): Promise<Read & { context: RawContext }> => {
      const session = upstream.open({
        signal,
        deadlineAt,
        ...(onCall ? { onCall } : {}),
        ...(resume ? { resume } : {}),
        ...(large ? { largeBytes: large.largeBytes } : {}),
      });
      const raw = await fetchTransaction(session, hash);
      const context = await fetchContext(session, planContext(raw, rulebook, maxTokens), {
        names: priceSources,
        priceApi: upstream.priceApi,
      });
      stage('fetch');
      return { ...read(raw, context, stage), context };
    };
    let found: Awaited<ReturnType<typeof answers>>;
    try {
      found = await answers();
    } catch (error) {
      // The other thread goes on from a large first answer; one that comes later is rare, and all is asked once more.
      if (large && error instanceof LargeAnswer) return large.run(hash, error.answer, options);
      throw error;
    }
    const input = await judge(found, found.context, rulebook, stage);
    const json = writeReport(input, validate, () => stage('report'));
    stage('validate');
    return { json, intentKind: input.verdict.kind };
  };
}
