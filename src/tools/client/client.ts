import { readTxHash } from './txHash.ts';
import type { TxReport } from './report.ts';

export type * from './report.ts';
export { sumExact, unbalancedAssets } from './exact.ts';
export { readTxHash, whyNoTxHash } from './txHash.ts';
export { seenBy, type Side } from './seenBy.ts';

export interface ClientOptions {
  /** Where the service answers, e.g. `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  /** Sent as `x-api-key`, for a gateway in front of the service. */
  readonly apiKey?: string;
  /** Defaults to the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** Further attempts while the service is overloaded. Default 2; each waits as long as the service says. */
  readonly retries?: number;
}

export interface AnalyzeOptions {
  readonly chain?: 'ethereum' | 'mainnet' | 'eth' | '1';
  readonly signal?: AbortSignal;
}

/**
 * The service could not be reached; it refused the request; it is overloaded; the analysis failed, mostly
 * because of its node; or the answer is no report of the known schema version.
 */
export type ErrorKind = 'unreachable' | 'bad_request' | 'overloaded' | 'analysis_failed' | 'not_a_report';

interface ErrorDetails extends ErrorOptions {
  readonly kind: ErrorKind;
  readonly status?: number;
  readonly retryAfter?: number | null;
  readonly requestId?: string | null;
}

export class TxReportError extends Error {
  readonly kind: ErrorKind;
  /** HTTP status; 0 where there is no readable answer. */
  readonly status: number;
  /** Seconds after which to try again, where the service says so; null otherwise. */
  readonly retryAfter: number | null;
  /** The service's id of this request, to find it in its log; null where there is none. */
  readonly requestId: string | null;
  constructor(
    message: string,
    { kind, status = 0, retryAfter = null, requestId = null, ...rest }: ErrorDetails,
  ) {
    super(message, rest);
    this.name = 'TxReportError';
    this.kind = kind;
    this.status = status;
    this.retryAfter = retryAfter;
    this.requestId = requestId;
  }
}

/** The schema version this client knows. A higher one has other shapes or meanings and is refused. */
export const SCHEMA_VERSION = 1;

export interface Client {
  /** True when the service process answers; says nothing about its node. */
  health(signal?: AbortSignal): Promise<boolean>;
  /**
   * The report of one transaction, by its hash in any letter case or an explorer's link to it.
   * @throws TxReportError; `kind` names the failure. An aborted `signal` rejects with its own reason.
   */
  analyze(txHash: string, options?: AnalyzeOptions): Promise<TxReport>;
}

const DEFAULT_RETRIES = 2;
/** The longest wait before a further attempt. */
const MOST_WAIT_S = 30;

/** A client of one service. Needs nothing but `fetch`, so it runs in browsers as well as in Node. */
export function createClient(options: ClientOptions): Client {
  const send = options.fetch ?? globalThis.fetch.bind(globalThis);
  const base = options.baseUrl.replace(/\/+$/, '');
  const headers = {
    'content-type': 'application/json',
    ...(options.apiKey ? { 'x-api-key': options.apiKey } : {}),
  };
  const ask = async (body: string, signal: AbortSignal | undefined): Promise<TxReport> => {
    let response: Response;
    try {
      response = await send(`${base}/analyze`, { method: 'POST', headers, body, ...(signal && { signal }) });
    } catch (cause) {
      if (signal?.aborted) throw cause;
      throw new TxReportError(`no answer from ${base}`, { kind: 'unreachable', cause });
    }
    return readReport(response, signal);
  };
  return {
    async health(signal) {
      const response = await send(`${base}/health`, signal ? { signal } : {});
      return response.ok;
    },
    async analyze(txHash, { chain, signal } = {}) {
      const body = JSON.stringify({ tx_hash: readTxHash(txHash) ?? txHash, ...(chain ? { chain } : {}) });
      for (let left = options.retries ?? DEFAULT_RETRIES; ; left--) {
        try {
          return await ask(body, signal);
        } catch (error) {
          if (left <= 0 || !isOverloaded(error)) throw error;
          await wait(Math.min(error.retryAfter ?? 1, MOST_WAIT_S) * 1_000, signal);
        }
      }
    },
  };
}

function failureOf(
  status: number,
  error: unknown,
  details: { retryAfter: number | null; requestId: string | null },
): TxReportError {
  const message = typeof error === 'string' ? error : `status ${status}`;
  const failed = details.retryAfter === null ? 'analysis_failed' : 'overloaded';
  return new TxReportError(message, { kind: status < 500 ? 'bad_request' : failed, status, ...details });
}

function isOverloaded(error: unknown): error is TxReportError {
  return error instanceof TxReportError && error.kind === 'overloaded';
}

async function readReport(response: Response, signal: AbortSignal | undefined): Promise<TxReport> {
  const details = {
    retryAfter: secondsOf(response.headers.get('retry-after')),
    requestId: response.headers.get('x-request-id'),
  };
  let body: { error?: unknown; schema_version?: unknown } | null;
  try {
    body = (await response.json()) as typeof body;
  } catch (cause) {
    if (signal?.aborted) throw cause;
    const status = response.ok ? 0 : response.status;
    throw new TxReportError('the answer is not JSON', { kind: 'not_a_report', status, cause, ...details });
  }
  if (!response.ok) throw failureOf(response.status, body?.error, details);
  if (body?.schema_version !== SCHEMA_VERSION)
    throw new TxReportError(`schema_version ${String(body?.schema_version)} is not known to this client`, {
      kind: 'not_a_report',
      ...details,
    });
  return body as TxReport;
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      },
      { once: true },
    );
  });
}

function secondsOf(header: string | null): number | null {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : null;
}
