import { AnalysisError, type ErrorCode } from '../../../lib/errors.ts';

/**
 * What helps against a failed upstream request: `again` asking once more (any node), `elsewhere` only another node,
 * `never` nothing at all.
 */
export type Remedy = 'again' | 'elsewhere' | 'never';

export interface FaultExtras {
  /** The node's own wish how long to stay away (HTTP `Retry-After`), milliseconds. */
  readonly retryAfterMs?: number;
  /** What the node said, for the log alone: nodes repeat keys and URLs in their messages, the logger redacts them. */
  readonly note?: string;
}

/** A failed upstream request. Carries no `cause`: HTTP client errors hold the URL and with it the credentials. */
export class UpstreamFault extends AnalysisError {
  readonly remedy: Remedy;
  readonly retryAfterMs: number;
  readonly note: string | null;
  constructor(code: ErrorCode, remedy: Remedy, detail: string | null = null, extras: FaultExtras = {}) {
    super(code, detail);
    this.name = 'UpstreamFault';
    this.remedy = remedy;
    this.retryAfterMs = extras.retryAfterMs ?? 0;
    this.note = extras.note?.slice(0, 300).replace(/\b[a-z]+:\/\/\S*/gi, '[url]') ?? null;
  }
}
