import { AnalysisError, type ErrorCode } from '../../../lib/errors.ts';
import type { ConnectionCause } from './connectionCause.ts';

/**
 * Whether to retry a failed request: `again` at any node, `elsewhere` at another only, `never`. `later`: at
 * another, or after a while at the same: a second node behind the address may know it, or this one by then.
 */
export type Retry = 'again' | 'later' | 'elsewhere' | 'never';

interface FaultExtras {
  /** From HTTP `Retry-After`, milliseconds. */
  readonly retryAfterMs?: number;
  /** The node's message, for the redacted log only: nodes repeat keys and URLs in it. */
  readonly note?: string;
  /** Why there was no connection. */
  readonly cause?: ConnectionCause;
}

/** A failed upstream request. Its `cause` is a word: HTTP client errors hold the URL with its credentials. */
export class UpstreamFault extends AnalysisError {
  readonly retry: Retry;
  readonly retryAfterMs: number;
  readonly note: string | null;
  declare readonly cause: ConnectionCause | undefined;
  constructor(code: ErrorCode, retry: Retry, detail: string | null = null, extras: FaultExtras = {}) {
    super(code, detail, extras.cause === undefined ? {} : { cause: extras.cause });
    this.name = 'UpstreamFault';
    this.retry = retry;
    this.retryAfterMs = extras.retryAfterMs ?? 0;
    this.note = extras.note?.slice(0, 300).replace(/\b[a-z]+:\/\/\S*/gi, '[url]') ?? null;
  }
}

/**
 * A signal that aborts with the given one or when the time is up. `AbortSignal.timeout` inside
 * `AbortSignal.any` may fall to the garbage collector on the Node versions supported, and the request would
 * hang.
 */
export function timeLimit(
  signal: AbortSignal,
  ms: number,
): { readonly signal: AbortSignal; readonly release: () => void } {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), Math.max(1, Math.floor(ms)));
  return { signal: AbortSignal.any([signal, controller.signal]), release: () => clearTimeout(timer) };
}

/** The error of an aborted analysis. */
export function reasonOf({ reason }: AbortSignal): AnalysisError {
  return reason instanceof AnalysisError ? reason : new AnalysisError('internal', 'aborted');
}

/** Answers that do not belong together: the node may answer better when asked again. */
export function inconsistent(detail: string, retry: Retry = 'again'): UpstreamFault {
  return new UpstreamFault('inconsistent_upstream', retry, detail);
}

/** An answer that JSON-RPC does not allow. */
export function malformed(detail: string): UpstreamFault {
  return new UpstreamFault('upstream_malformed', 'again', detail);
}

/** Malformed answers are asked of another node; answers that contradict each other, of the same one. */
export function elsewhere<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AnalysisError)) throw error;
    const retry = error.code === 'inconsistent_upstream' ? 'again' : 'elsewhere';
    throw new UpstreamFault(error.code, retry, error.detail);
  }
}
