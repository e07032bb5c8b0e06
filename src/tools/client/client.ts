import type { ErrorBody, TxReport } from '../../model/generated/report.ts';

export type * from '../../model/generated/report.ts';

export interface ClientOptions {
  /** Where the service answers, e.g. `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  /** Sent as `x-api-key`, which the service accepts and does not check today. */
  readonly apiKey?: string;
  /** Defaults to the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

export interface AnalyzeOptions {
  readonly chain?: 'ethereum' | 'mainnet' | 'eth' | '1';
  readonly signal?: AbortSignal;
}

/** The service answered with an error, or with something that is no report of the known schema version. */
export class TxReportError extends Error {
  /** HTTP status; 0 where the answer itself could not be read. */
  readonly status: number;
  /** Seconds after which to try again, where the service says so (it is overloaded); null otherwise. */
  readonly retryAfter: number | null;
  /** The service's own number of this request, to find it in its log; null where there is none. */
  readonly requestId: string | null;
  constructor(
    status: number,
    message: string,
    options: ErrorOptions & { retryAfter?: number | null; requestId?: string | null } = {},
  ) {
    super(message, options);
    this.name = 'TxReportError';
    this.status = status;
    this.retryAfter = options.retryAfter ?? null;
    this.requestId = options.requestId ?? null;
  }
}

/** The schema version this client knows. A higher one has other shapes or meanings and is refused. */
export const SCHEMA_VERSION = 1;

export interface Client {
  /** True when the service process answers; says nothing of its upstream node. */
  health(signal?: AbortSignal): Promise<boolean>;
  /**
   * The report of one transaction, by its 66-character lower-case hash.
   * @throws TxReportError with status 400 (bad hash or chain), 502 (analysis failed) or 0 (not a report).
   */
  analyze(txHash: string, options?: AnalyzeOptions): Promise<TxReport>;
}

/** A client of one service. Needs nothing but `fetch`, so it runs in browsers as well as in Node. */
export function createClient(options: ClientOptions): Client {
  const send = options.fetch ?? globalThis.fetch.bind(globalThis);
  const base = options.baseUrl.replace(/\/+$/, '');
  return {
    async health(signal) {
      const response = await send(`${base}/health`, signal ? { signal } : {});
      return response.ok;
    },
    async analyze(txHash, { chain, signal } = {}) {
      const response = await send(`${base}/analyze`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(options.apiKey ? { 'x-api-key': options.apiKey } : {}),
        },
        body: JSON.stringify({ tx_hash: txHash, ...(chain ? { chain } : {}) }),
        ...(signal ? { signal } : {}),
      });
      const told = {
        retryAfter: secondsOf(response.headers.get('retry-after')),
        requestId: response.headers.get('x-request-id'),
      };
      let body: unknown;
      try {
        body = await response.json();
      } catch (cause) {
        if (signal?.aborted) throw cause;
        throw new TxReportError(response.ok ? 0 : response.status, 'the answer is not JSON', {
          cause,
          ...told,
        });
      }
      if (!response.ok)
        throw new TxReportError(
          response.status,
          (body as Partial<ErrorBody> | null)?.error ?? `status ${response.status}`,
          told,
        );
      const report = body as Partial<TxReport> | null;
      if (report?.schema_version !== SCHEMA_VERSION)
        throw new TxReportError(
          0,
          `schema_version ${String(report?.schema_version)} is not known to this client`,
          told,
        );
      return report as TxReport;
    },
  };
}

function secondsOf(header: string | null): number | null {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : null;
}
