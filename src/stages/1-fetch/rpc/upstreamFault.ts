import { AnalysisError, type ErrorCode } from '../../../lib/errors.ts';

/** Whether to retry a failed request: `again` at any node, `elsewhere` at another only, `never`. */
export type Retry = 'again' | 'elsewhere' | 'never';

export interface FaultExtras {
  /** From HTTP `Retry-After`, milliseconds. */
  readonly retryAfterMs?: number;
  /** The node's message, for the redacted log only: nodes repeat keys and URLs in it. */
  readonly note?: string;
}

/** A failed upstream request. No `cause`: HTTP client errors hold the URL with its credentials. */
export class UpstreamFault extends AnalysisError {
  readonly retry: Retry;
  readonly retryAfterMs: number;
  readonly note: string | null;
  constructor(code: ErrorCode, retry: Retry, detail: string | null = null, extras: FaultExtras = {}) {
    super(code, detail);
    this.name = 'UpstreamFault';
    this.retry = retry;
    this.retryAfterMs = extras.retryAfterMs ?? 0;
    this.note = extras.note?.slice(0, 300).replace(/\b[a-z]+:\/\/\S*/gi, '[url]') ?? null;
  }
}
