import type { ReportJson } from '../../lib/reportJson.ts';
import type { Hash } from '../../model/hex.ts';
import type { UpstreamCallEvent } from '../../model/upstream.ts';

export interface AnalyzeOptions {
  /** Aborts when the client leaves, time is up or the service stops; its reason is an AnalysisError. */
  readonly signal: AbortSignal;
  /** `performance.now()` by which an answer is due. */
  readonly deadlineAt: number;
  /** Called after each stage, with its duration in milliseconds. */
  readonly onStage?: (stage: string, ms: number) => void;
  readonly onCall?: (event: UpstreamCallEvent) => void;
}

export interface AnalyzeResult {
  readonly json: ReportJson;
  readonly intentKind: string;
}

/** One analysis; rejects with an AnalysisError. */
export interface Analyze {
  (hash: Hash, options: AnalyzeOptions): Promise<AnalyzeResult>;
  /** Ends the threads it keeps. */
  close?(): Promise<void>;
}
