/** Every way an analysis can fail, with the client's text. `http/errorResponse.ts` maps them to statuses. */
export const ERROR_TEXT = {
  transaction_not_found: 'transaction not found',
  transaction_pending: 'transaction is pending',
  wrong_chain: 'the upstream node is not on Ethereum mainnet',
  upstream_unreachable: 'the upstream node cannot be reached',
  upstream_timeout: 'the upstream node did not answer in time',
  upstream_http: 'the upstream node answered with an HTTP error',
  upstream_rpc: 'the upstream node answered with an error',
  upstream_malformed: 'the upstream node answered something that is not JSON-RPC',
  upstream_too_large: 'the upstream answer is too large',
  upstream_rate_limited: 'the upstream node is rate limiting',
  state_unavailable: 'the upstream node cannot read the state at the block of the transaction',
  trace_unavailable: 'no trace API of the upstream node answered for this transaction',
  trace_empty: 'the trace endpoint returned an empty result',
  trace_malformed: 'the trace is malformed',
  receipt_malformed: 'the receipt is malformed',
  transaction_malformed: 'the transaction is malformed',
  block_malformed: 'the block header is malformed',
  inconsistent_upstream: 'the upstream answers do not belong together',
  simulation_unavailable: 'the upstream node cannot simulate this',
  simulation_refused: 'the upstream node did not start the simulation',
  overloaded: 'overloaded',
  stopping: 'the service is stopping',
  deadline: 'the analysis ran out of time',
  internal_validation: 'internal report validation',
  internal: 'internal error',
} as const;

export type ErrorCode = keyof typeof ERROR_TEXT;

/**
 * A failure of one analysis. `detail` refines the text for the client and must never hold upstream URLs,
 * credentials or stacks; `cause` is for logs only.
 */
export class AnalysisError extends Error {
  /** Seconds after which the client may come back; null where that is not known to help. */
  readonly retryAfterS: number | null;
  constructor(
    readonly code: ErrorCode,
    readonly detail: string | null = null,
    options: { cause?: unknown; retryAfterS?: number } = {},
  ) {
    super(detail ? `${ERROR_TEXT[code]}: ${detail}` : ERROR_TEXT[code], options);
    this.name = 'AnalysisError';
    this.retryAfterS = options.retryAfterS ?? null;
  }
}

/** A failure as a batch writes it: the code and the client's text. */
export function failureOf(error: unknown): { readonly code: string; readonly error: string } {
  return error instanceof AnalysisError
    ? { code: error.code, error: error.message }
    : { code: 'internal', error: ERROR_TEXT.internal };
}

/** Codes of answers that no report can be made of: asking the node again gives the same. */
const REFUSALS: ReadonlySet<string> = new Set<ErrorCode>([
  'upstream_too_large',
  'trace_empty',
  'trace_malformed',
  'receipt_malformed',
  'transaction_malformed',
  'block_malformed',
  'inconsistent_upstream',
]);

export function isRefusal(code: string): boolean {
  return REFUSALS.has(code);
}
