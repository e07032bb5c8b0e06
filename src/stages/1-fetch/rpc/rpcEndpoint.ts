import { AnalysisError } from '../../../lib/errors.ts';
import {
  isRateLimit,
  isRecord,
  readBatch,
  readError,
  readSingle,
  type RpcAnswer,
  type RpcCall,
  type RpcRequestMessage,
} from './rpcMessages.ts';
import { newCapabilities, type Capabilities } from './capabilities.ts';
import { createHttpPost, HttpFailure, type HttpAnswer } from './httpPost.ts';
import { LargeAnswer } from './largeAnswer.ts';
import { UpstreamFault } from './upstreamFault.ts';
import type { Agent } from 'undici';
import type { UpstreamCallEvent } from '../../../model/upstream.ts';

export interface EndpointOptions {
  /** `upstream-1`: the only name under which logs, metrics and errors know it. */
  readonly name: string;
  readonly url: string;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  /** Calls per JSON-RPC batch; larger ones go as several batches at once. */
  readonly maxBatch: number;
  /** The connections. */
  readonly agent: Agent;
}

export interface CallScope {
  readonly signal: AbortSignal;
  /** Time left for this analysis, milliseconds. */
  readonly timeLeft: () => number;
  readonly onCall: (event: UpstreamCallEvent) => void;
  /** An answer of more bytes is not read here: `LargeAnswer` is thrown with it. */
  readonly largeBytes?: number;
  /** An answer that was thrown so on another thread, if it is the one to these requests; handed out once. */
  readonly resumed?: (
    endpoint: string,
    requests: readonly RpcRequestMessage[],
  ) => { readonly data: unknown } | null;
}

export interface RpcEndpoint {
  readonly name: string;
  readonly capabilities: Capabilities;
  /** Sends the calls as one JSON-RPC batch (in parallel where the node refuses batches) and answers in their order. */
  send(calls: readonly RpcCall[], scope: CallScope): Promise<RpcAnswer[]>;
}

/** Requests in flight at once to a node that refuses batches. */
const PARALLEL_SINGLES = 16;
/** A batch refused as such: invalid request, unknown method, invalid params, unparsable. */
const REFUSES_BATCH = new Set([-32600, -32601, -32602, -32700]);
const REFUSES_BATCH_HTTP = new Set([400, 405, 413, 415, 422, 501]);

class BatchRefused extends Error {}

// Unique over the process, so that an answer meant for another request never passes for ours.
let nextId = Math.floor(Math.random() * 1e9);

export function createEndpoint(options: EndpointOptions): RpcEndpoint {
  const { name, url, timeoutMs, maxResponseBytes, maxBatch } = options;
  const send = createHttpPost(url, options.agent);
  const capabilities = newCapabilities();

  async function post(
    body: RpcRequestMessage | RpcRequestMessage[],
    scope: CallScope,
  ): Promise<{ status: number; data: unknown }> {
    const requests = Array.isArray(body) ? body : [body];
    const resumed = scope.resumed?.(name, requests);
    if (resumed) {
      if (resumed.data === undefined) throw new UpstreamFault('upstream_malformed', 'again', 'not JSON');
      return { status: 200, data: resumed.data };
    }
    const limits = {
      signal: scope.signal,
      ms: Math.min(timeoutMs, scope.timeLeft()),
      maxBytes: maxResponseBytes,
      ...(scope.largeBytes === undefined ? {} : { largeBytes: scope.largeBytes }),
    };
    let answer: HttpAnswer;
    try {
      answer = await send(JSON.stringify(body), limits);
    } catch (error) {
      throw error instanceof HttpFailure ? faultOfFailure(error, scope) : error;
    }
    const { status, retryAfter, text, unread } = answer;
    if (unread)
      throw new LargeAnswer({
        upstream: name,
        body: unread,
        requests: requests.map(({ id, method }) => ({ id, method })),
        capabilities: { ...capabilities, unsupported: [...capabilities.unsupported] },
      });
    if (status === 429) throw rateLimited(retryAfter);
    // A redirect is not followed: as good as not reached.
    if (status >= 300 && status < 400) throw new UpstreamFault('upstream_unreachable', 'again');
    const data = parsed(text);
    if (status < 300 && data !== undefined) return { status, data };
    if (status < 300) throw new UpstreamFault('upstream_malformed', 'again', 'not JSON');
    // Nodes also tell JSON-RPC errors with an HTTP error's status.
    if (
      isRecord(data) &&
      isRecord(data['error']) &&
      typeof data['error']['code'] === 'number' &&
      typeof data['error']['message'] === 'string'
    )
      return { status, data };
    if (Array.isArray(body) && REFUSES_BATCH_HTTP.has(status)) throw new BatchRefused();
    throw new UpstreamFault(
      'upstream_http',
      status >= 500 || status === 408 ? 'again' : 'elsewhere',
      `HTTP ${status}`,
    );
  }

  function faultOfFailure({ why, status }: HttpFailure, { signal }: CallScope): AnalysisError {
    if (why === 'aborted')
      return signal.reason instanceof AnalysisError
        ? signal.reason
        : new AnalysisError('internal', 'aborted');
    if (why === 'too_late') return new UpstreamFault('upstream_timeout', 'again');
    if (why === 'too_large')
      return new UpstreamFault('upstream_too_large', 'never', `over the limit of ${maxResponseBytes} bytes`);
    return status === null
      ? new UpstreamFault('upstream_unreachable', 'again')
      : new UpstreamFault('upstream_malformed', 'again', 'a broken answer');
  }

  async function observed<T>(
    methods: readonly string[],
    scope: CallScope,
    run: () => Promise<T>,
  ): Promise<T> {
    const start = performance.now();
    const report = (outcome: string, note: string | null): void =>
      scope.onCall({ upstream: name, methods, ms: performance.now() - start, outcome, note });
    try {
      const value = await run();
      report('ok', null);
      return value;
    } catch (error) {
      if (error instanceof BatchRefused) report('batch_refused', null);
      else if (error instanceof LargeAnswer) report('ok', null);
      else
        report(
          error instanceof AnalysisError ? error.code : 'internal',
          error instanceof UpstreamFault ? error.note : null,
        );
      throw error;
    }
  }

  const toMessage = (call: RpcCall): RpcRequestMessage => ({
    jsonrpc: '2.0',
    id: nextId++,
    method: call.method,
    params: call.params,
  });

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
    return observed(
      calls.map((call) => call.method),
      scope,
      async () => {
        const requests = calls.map(toMessage);
        const { status, data } = await post(requests, scope);
        const error = Array.isArray(data) ? null : readError(data);
        if (error) {
          const extras = { note: error.message };
          if (isRateLimit(error)) throw new UpstreamFault('upstream_rate_limited', 'again', null, extras);
          if (REFUSES_BATCH.has(error.code) || /batch/i.test(error.message)) throw new BatchRefused();
          if (status >= 400 && status < 500)
            throw new UpstreamFault('upstream_http', 'elsewhere', `HTTP ${status}`, extras);
          throw new UpstreamFault('upstream_rpc', 'again', `code ${error.code}`, extras);
        }
        return readBatch(requests, data);
      },
    );
  }

  async function sendSingles(calls: readonly RpcCall[], scope: CallScope): Promise<RpcAnswer[]> {
    const answers = new Array<RpcAnswer>(calls.length);
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
    for (let i = 0; i < calls.length; i += maxBatch) chunks.push(calls.slice(i, i + maxBatch));
    try {
      const answers = (await Promise.all(chunks.map((chunk) => sendBatch(chunk, scope)))).flat();
      capabilities.batches = true;
      return answers;
    } catch (error) {
      if (!(error instanceof BatchRefused)) throw error;
      const answers = await sendSingles(calls, scope);
      // A node that took batches before refused this one for its size or by mistake: that is no trait to remember.
      if (capabilities.batches === null) capabilities.batches = false;
      return answers;
    }
  }

  return { name, capabilities, send: sendCalls };
}

function rateLimited(retryAfter: string | null): UpstreamFault {
  return new UpstreamFault('upstream_rate_limited', 'again', null, {
    retryAfterMs: parseRetryAfter(retryAfter),
  });
}

/** `Retry-After` (RFC 9110 §10.2.3) in seconds or as a date, to milliseconds; 0 when absent or senseless. */
export function parseRetryAfter(value: string | null): number {
  if (!value) return 0;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? 0 : Math.max(0, at - Date.now());
}

/** The text as a JSON value; undefined where it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
