import type { ReportJson } from '../../lib/reportJson.ts';
import type { Hash } from '../../model/hex.ts';
import type { UpstreamCallEvent } from '../../model/upstream.ts';

export interface AnalyzeOptions {
  /** Aborts when the client leaves, time is up or the service stops; its reason is an AnalysisError. */
  readonly signal: AbortSignal;
  /** `performance.now()` by which an answer is due. */
  readonly deadlineAt: number;
  /** Ask each node once: the transaction just ran out of time. */
  readonly once?: boolean;
  /** Runs a wait for a node's rate limit; the request's place is free for others meanwhile. */
  readonly rest?: (wait: () => Promise<void>) => Promise<void>;
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

/** The trace of one request. No part of it holds a URL, a header or a node's message. */
interface RequestTrace {
  onStage(stage: string, ms: number): void;
  onCall(event: UpstreamCallEvent): void;
  /** `ok` with the intent kind, or an error code. */
  end(outcome: string, intentKind: string | null): void;
}

export interface TracedRequest {
  readonly hash: Hash;
  readonly requestId: string;
  /** The caller's W3C trace context, if it sent one. */
  readonly traceparent: string | undefined;
}

export type BeginTrace = (request: TracedRequest) => RequestTrace;
