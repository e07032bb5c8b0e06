import type { Hash } from '../../model/hex.ts';
import type { UpstreamCallEvent } from '../../model/upstream.ts';

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
