import { randomUUID } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import type { IncomingMessage } from 'node:http';
import { attempt } from '../../lib/attempt.ts';
import { AnalysisError } from '../../lib/errors.ts';
import { sendError, RequestError } from './errorResponse.ts';
import type { ClientOf } from './clientAddress.ts';
import type { Analyze, AnalyzeResult, BeginTrace, TracedRequest } from './analyze.ts';
import type { Limiter } from './limiter.ts';
import type { Log } from '../../lib/log.ts';
import type { Metrics } from './metrics.ts';
import type { ParseRequest } from './parseRequest.ts';
import { jsonBytes, type ReportJson } from '../../lib/reportJson.ts';
import type { Hash } from '../../model/hex.ts';
import type { UpstreamCallEvent } from '../../model/upstream.ts';

export interface PostAnalyzeDeps {
  readonly analyze: Analyze;
  readonly parseRequest: ParseRequest;
  readonly limiter: Limiter;
  readonly clientOf: ClientOf;
  readonly log: Log;
  readonly metrics: Metrics | null;
  /** Traces requests, where traces are wanted. */
  readonly beginTrace: BeginTrace | null;
  /** Overall time for one request, its wait in the queue included, milliseconds. */
  readonly deadlineMs: number;
  /** Aborts every analysis: the service stops and its grace time is over. */
  readonly stopping: AbortSignal;
}

/** The fetch fails at the deadline with the upstream's own failure; this cuts off a later overrun. */
const CUT_OFF_MS = 250;

/** Time for a client to fetch its answer: one that does not read must not hold it in memory. */
const FETCH_MS = 60_000;

/** `POST /analyze`: admits, times, logs and counts one analysis. */
export function postAnalyze(deps: PostAnalyzeDeps): RequestHandler {
  return async (request, response) => {
    const requestId = randomUUID();
    response.set('X-Request-Id', requestId);
    const log = deps.log.child({ request_id: requestId });
    const start = performance.now();
    let hash: Hash;
    try {
      hash = deps.parseRequest(await readBody(request));
    } catch (error) {
      log.info({ status: 400, reason: (error as Error).message }, 'refused');
      sendError(response, error);
      return;
    }
    const record = newRecord(deps, log, { hash, requestId, traceparent: request.get('traceparent') });
    try {
      const of = { hash, client: deps.clientOf(request) };
      const { json, intentKind: intent } = await analyzeWithin(deps, of, { start, response, record });
      dropWhenUnread(response);
      sendReport(response, json);
      const ms = performance.now() - start;
      record.done('ok', intent, ms);
      log.info({ hash, status: 200, intent, ms: Math.round(ms), ...record.summary() }, 'analyzed');
    } catch (error) {
      const ms = performance.now() - start;
      const gone = response.destroyed && !response.writableEnded;
      const code = error instanceof AnalysisError ? error.code : 'internal';
      record.done(gone ? 'client_gone' : code, null, ms);
      const line = { hash, status: gone ? null : 502, code, ms: Math.round(ms), ...record.summary() };
      if (gone) log.info(line, 'client went away');
      // A failure of this service is logged in full, one of the upstream in a line.
      else if (code === 'internal' || code === 'internal_validation')
        log.error({ ...line, err: error }, 'analysis failed');
      else {
        const { message: reason, cause } = error as Error;
        log.warn({ ...line, reason, cause }, 'analysis failed');
      }
      sendError(response, error);
    }
  };
}

function dropWhenUnread(response: Response): void {
  const timer = setTimeout(() => response.destroy(), FETCH_MS).unref();
  response.once('close', () => clearTimeout(timer));
}

function sendReport(response: Response, json: ReportJson): void {
  response.status(200).type('application/json');
  if (typeof json === 'string') return void response.send(json);
  response.set('Content-Length', String(jsonBytes(json)));
  for (const piece of json) response.write(piece);
  response.end();
}

/** `start`: `performance.now()` of the request's arrival. */
async function analyzeWithin(
  deps: PostAnalyzeDeps,
  of: { readonly hash: Hash; readonly client: string },
  { start, response, record }: { start: number; response: Response; record: CallRecord },
): Promise<AnalyzeResult> {
  const controller = new AbortController();
  const { signal } = controller;
  const onStop = (): void => controller.abort(new AnalysisError('stopping'));
  const onClose = (): void => controller.abort(new AnalysisError('internal', 'the client went away'));
  const onLate = (): void => controller.abort(new AnalysisError('deadline'));
  const timer = setTimeout(onLate, deps.deadlineMs + CUT_OFF_MS);
  deps.stopping.addEventListener('abort', onStop, { once: true });
  response.once('close', onClose);
  const cutOff = new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
  );
  try {
    const { onStage, onCall } = record;
    const once = deps.limiter.isSlow(of.hash);
    const options = { signal, deadlineAt: start + deps.deadlineMs, once, onStage, onCall };
    // The place at the limiter is given back when the analysis has really ended, the client is answered when
    // time is up.
    const analysis = deps.limiter.run((rest) => deps.analyze(of.hash, { ...options, rest }), signal, of);
    return await Promise.race([analysis, cutOff]);
  } finally {
    clearTimeout(timer);
    deps.stopping.removeEventListener('abort', onStop);
    response.off('close', onClose);
  }
}

type CallRecord = ReturnType<typeof newRecord>;

/** Durations and upstream calls of one analysis, for its log line and the metrics. */
function newRecord({ metrics, beginTrace }: PostAnalyzeDeps, log: Log, of: TracedRequest) {
  const trace = beginTrace?.(of) ?? null;
  const stages: Record<string, number> = {};
  let requests = 0;
  let calls = 0;
  return {
    onStage(stage: string, ms: number): void {
      stages[stage] = Math.round(ms * 10) / 10;
      metrics?.stageDone(stage, ms);
      trace?.onStage(stage, ms);
    },
    onCall(event: UpstreamCallEvent): void {
      requests++;
      calls += event.methods.length;
      metrics?.upstreamCall(event);
      trace?.onCall(event);
      if (event.outcome === 'ok') log.debug({ ...event, methods: event.methods.length }, 'upstream request');
      else log.warn({ ...event, methods: event.methods.length }, 'upstream request failed');
    },
    done(outcome: string, intentKind: string | null, ms: number): void {
      metrics?.analysisDone(outcome, intentKind, ms / 1000);
      trace?.end(outcome, intentKind);
    },
    summary: () => ({ stages, upstream_requests: requests, upstream_calls: calls }),
  };
}

/** Largest request body, in bytes. */
const BODY_LIMIT = 16_384;

/** Time to discard the rest of a refused body: closing at once could reset the connection too early. */
const LINGER_MS = 1_000;

/** Body of a JSON request: keeps no more than the limit, waits for nothing beyond. Throws `RequestError`. */
async function readBody(request: IncomingMessage): Promise<string> {
  try {
    checkHeaders(request);
    const bytes = await readBytes(request);
    if (bytes.length === 0) throw malformed('empty');
    const text = attempt(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (text === undefined) throw malformed('not valid UTF-8');
    return text;
  } catch (error) {
    setTimeout(() => request.complete || request.socket.destroy(), LINGER_MS).unref();
    throw error;
  }
}

/** JSON between systems is UTF-8 (RFC 8259 §8.1), stated or not. */
const UTF8 = /^charset="?utf-?8"?$/;

function checkHeaders({ headers, headersDistinct }: IncomingMessage): void {
  const types = headersDistinct['content-type'] ?? [];
  const [type, ...parameters] = (types[0] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  if (types.length !== 1 || type !== 'application/json')
    throw new RequestError(400, 'content type must be application/json');
  if (parameters.some((parameter) => parameter.startsWith('charset') && !UTF8.test(parameter)))
    throw malformed('charset must be utf-8');
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw malformed('content encoding not supported');
  if (Number(headers['content-length'] ?? 0) > BODY_LIMIT) throw malformed('over 16 KiB');
}

function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= BODY_LIMIT) chunks.push(chunk);
      else reject(malformed('over 16 KiB'));
    };
    request.on('data', onData);
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', () => reject(malformed('incomplete')));
    request.once('close', () => request.complete || reject(malformed('incomplete')));
  });
}

function malformed(what: string): RequestError {
  return new RequestError(400, `malformed request body: ${what}`);
}
