import { AnalysisError } from '../../../lib/errors.ts';
import { isRecord } from '../../../lib/shape.ts';
import { isRateLimit, readBatch, readError, readSingle, readJson } from './rpcMessages.ts';
import type { RpcAnswer, RpcCall, RpcRequestMessage } from './rpcMessages.ts';
import { newCapabilities, type Capabilities } from './chooseTrace.ts';
import { CircuitBreaker } from './circuitBreaker.ts';
import { createHttpPost, HttpFailure, type HttpAnswer } from './httpPost.ts';
import { malformed, reasonOf, UpstreamFault } from './upstreamFault.ts';
import type { Agent } from 'undici';
import type { UpstreamOptions } from './upstream.ts';
import type { UpstreamCallEvent } from '../../../model/upstream.ts';

interface EndpointOptions {
  /** `upstream-1`: the only name under which logs, metrics and errors know it. */
  readonly name: string;
  readonly url: string;
  /** The connections. */
  readonly agent: Agent;
  readonly options: Pick<UpstreamOptions, 'rpcTimeoutMs' | 'rpcMaxBatch' | 'maxResponseBytes'>;
}

export interface CallScope {
  readonly signal: AbortSignal;
  /** Time left for this analysis, milliseconds. */
  readonly timeLeft: () => number;
  readonly onCall: (event: UpstreamCallEvent) => void;
  /** A larger answer is not read: `LargeAnswer` is thrown. */
  readonly largeBytes?: number | undefined;
}

export interface RpcEndpoint {
  readonly name: string;
  readonly capabilities: Capabilities;
  readonly breaker: CircuitBreaker;
  /** Sends the calls as one JSON-RPC batch, or in parallel where refused; answers are in their order. */
  send(calls: readonly RpcCall[], scope: CallScope): Promise<RpcAnswer[]>;
}

/** Requests in flight at once to a node that refuses batches. */
const PARALLEL_SINGLES = 16;
/** A batch refused as such: invalid request, unknown method, invalid params, unparsable. */
const REFUSES_BATCH = new Set([-32600, -32601, -32602, -32700]);
const REFUSES_BATCH_HTTP = new Set([400, 405, 413, 415, 422, 501]);

class BatchRefused extends Error {}

/** Thrown for an answer over `CallScope.largeBytes`, which needs its own process. Never retried. */
export class LargeAnswer extends Error {
  constructor() {
    super('an answer for a process of its own');
    this.name = 'LargeAnswer';
  }
}

// Unique in the process: an answer to another request never passes for ours.
let nextId = Math.floor(Math.random() * 1e9);

export function createEndpoint({ name, url, agent, options }: EndpointOptions): RpcEndpoint {
  const { rpcTimeoutMs, rpcMaxBatch, maxResponseBytes } = options;
  const send = createHttpPost(url, agent);
  const capabilities = newCapabilities();

  async function post(
    body: RpcRequestMessage | RpcRequestMessage[],
    scope: CallScope,
  ): Promise<{ status: number; data: unknown }> {
    const { signal, largeBytes } = scope;
    const ms = Math.min(rpcTimeoutMs, scope.timeLeft());
    let answer: HttpAnswer;
    try {
      answer = await send(JSON.stringify(body), { signal, ms, maxBytes: maxResponseBytes, largeBytes });
    } catch (error) {
      throw error instanceof HttpFailure ? faultOfFailure(error, scope) : error;
    }
    return { status: answer.status, data: contentOf(answer, Array.isArray(body)) };
  }

  function faultOfFailure({ why, status, connection }: HttpFailure, { signal }: CallScope): Error {
    if (why === 'large') return new LargeAnswer();
    if (why === 'aborted') return reasonOf(signal);
    if (why === 'too_late') return new UpstreamFault('upstream_timeout', 'again');
    const limit = `over the limit of ${maxResponseBytes} bytes`;
    if (why === 'too_large') return new UpstreamFault('upstream_too_large', 'elsewhere', limit);
    return status === null
      ? new UpstreamFault('upstream_unreachable', 'again', null, { cause: connection })
      : malformed('a broken answer');
  }

  async function observed<T>(
    methods: readonly string[],
    scope: CallScope,
    run: () => Promise<T>,
  ): Promise<T> {
    const start = performance.now();
    const report = (outcome: string, fault: UpstreamFault | null = null): void => {
      const ms = performance.now() - start;
      const { note = null, cause = null } = fault ?? {};
      scope.onCall({ upstream: name, methods, ms, outcome, note, cause });
    };
    try {
      const value = await run();
      report('ok');
      return value;
    } catch (error) {
      if (error instanceof BatchRefused) report('batch_refused');
      else if (error instanceof LargeAnswer) report('large');
      else if (error instanceof UpstreamFault) report(error.code, error);
      else report(error instanceof AnalysisError ? error.code : 'internal');
      throw error;
    }
  }

  const toMessage = (call: RpcCall): RpcRequestMessage => ({ jsonrpc: '2.0', id: nextId++, ...call });

  function sendSingle(call: RpcCall, scope: CallScope): Promise<RpcAnswer> {
    return observed([call.method], scope, async () => {
      const request = toMessage(call);
      const { status, data } = await post(request, scope);
      if (status === 401 || status === 403)
        throw new UpstreamFault('upstream_http', 'elsewhere', `HTTP ${status}`);
      return readSingle(request, data);
    });
  }

  function sendBatch(calls: readonly RpcCall[], scope: CallScope): Promise<RpcAnswer[]> {
    const methods = calls.map((call) => call.method);
    return observed(methods, scope, async () => {
      const requests = calls.map(toMessage);
      const { status, data } = await post(requests, scope);
      const error = Array.isArray(data) ? null : readError(data);
      if (error === null) return readBatch(requests, data);
      const extras = { note: error.message };
      if (isRateLimit(error)) throw new UpstreamFault('upstream_rate_limited', 'again', null, extras);
      if (REFUSES_BATCH.has(error.code) || /batch/i.test(error.message)) throw new BatchRefused();
      if (status >= 400 && status < 500)
        throw new UpstreamFault('upstream_http', 'elsewhere', `HTTP ${status}`, extras);
      throw new UpstreamFault('upstream_rpc', 'again', `code ${error.code}`, extras);
    });
  }

  async function sendSingles(calls: readonly RpcCall[], scope: CallScope): Promise<RpcAnswer[]> {
    const answers: RpcAnswer[] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let i = next++; i < calls.length; i = next++) answers[i] = await sendSingle(calls[i]!, scope);
    };
    await Promise.all(Array.from({ length: Math.min(PARALLEL_SINGLES, calls.length) }, worker));
    return answers;
  }

  async function sendCalls(calls: readonly RpcCall[], scope: CallScope): Promise<RpcAnswer[]> {
    if (calls.length === 1 || capabilities.batches === false) return sendSingles(calls, scope);
    const chunks: RpcCall[][] = [];
    for (let i = 0; i < calls.length; i += rpcMaxBatch) chunks.push(calls.slice(i, i + rpcMaxBatch));
    try {
      const answers = (await Promise.all(chunks.map((chunk) => sendBatch(chunk, scope)))).flat();
      capabilities.batches = true;
      return answers;
    } catch (error) {
      if (!(error instanceof BatchRefused)) throw error;
      const answers = await sendSingles(calls, scope);
      // A node that took batches before refused this one for its size or by mistake.
      if (capabilities.batches === null) capabilities.batches = false;
      return answers;
    }
  }

  return { name, capabilities, breaker: new CircuitBreaker(), send: sendCalls };
}

/** The JSON of an answer. Throws the fault of an HTTP error without a JSON-RPC error inside. */
function contentOf({ status, retryAfter, body }: HttpAnswer, isBatch: boolean): unknown {
  if (status === 429)
    throw new UpstreamFault('upstream_rate_limited', 'again', null, {
      retryAfterMs: parseRetryAfter(retryAfter),
    });
  // Redirects are not followed: the node was not reached.
  if (status >= 300 && status < 400)
    throw new UpstreamFault('upstream_unreachable', 'again', null, {
      cause: 'redirect',
      note: `HTTP ${status}`,
    });
  const data = readJson(body);
  if (status < 300 && data === undefined) throw malformed('not JSON');
  if (status < 300 || isErrorResponse(data)) return data;
  if (isBatch && REFUSES_BATCH_HTTP.has(status)) throw new BatchRefused();
  const retry = status >= 500 || status === 408 ? 'again' : 'elsewhere';
  throw new UpstreamFault('upstream_http', retry, `HTTP ${status}`);
}

/** `Retry-After` (RFC 9110 §10.2.3) in seconds or as a date, to milliseconds; 0 when absent or invalid. */
function parseRetryAfter(value: string | null): number {
  if (!value) return 0;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? 0 : Math.max(0, at - Date.now());
}

/** Some nodes send JSON-RPC errors with an HTTP error's status. */
function isErrorResponse(data: unknown): boolean {
  const error = isRecord(data) ? data['error'] : null;
  return isRecord(error) && typeof error['code'] === 'number' && typeof error['message'] === 'string';
}
