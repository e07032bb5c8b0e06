import { STATUS_CODES, createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import type { ClientOf } from './clientAddress.ts';
import { errorAnswer } from './errorResponse.ts';
import type { Limiter } from './limiter.ts';
import type { Messages } from './messages.ts';
import type { Log } from '../../lib/log.ts';
import type { Metrics } from './metrics.ts';

export interface HttpLimits {
  readonly keepAliveMs: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
}

/** Emitted when the server stops listening. */
const STOPPING = 'stopping';

/** Unanswered requests of one connection: a single read may hold 2,000, which are handled in one go. */
const MAX_PIPELINED = 64;

/** HTTP server with every time-out set, not listening yet; refuses also requests that RFC 9112 forbids. */
export function createHttpServer(
  listener: RequestListener,
  limits: HttpLimits,
  messages: Messages = {},
): Server {
  const inFlight = new Map<object, Set<ServerResponse>>();
  const onRequest: RequestListener = (request, response) => {
    const pending = inFlight.get(request.socket) ?? new Set();
    inFlight.set(request.socket, pending.add(response));
    // RFC 9112 §9.3.2: the client repeats unanswered requests.
    if (pending.size > MAX_PIPELINED) return void request.socket.destroy();
    response.once(
      'close',
      () => pending.delete(response) && pending.size === 0 && inFlight.delete(request.socket),
    );
    // A client that stays connected to a service that stops gets nothing but refusals.
    if (!server.listening) response.shouldKeepAlive = false;
    const status = refusedStatus(request);
    if (status === null) listener(request, response);
    else refuse(response, status);
  };
  const server = createServer(
    {
      keepAliveTimeout: limits.keepAliveMs,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: Math.max(limits.requestTimeoutMs, limits.headersTimeoutMs),
      // Node looks for late clients only this often.
      connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs),
      maxHeaderSize: 16_384,
      requireHostHeader: false,
      ...messages,
    },
    onRequest,
  );
  server.once(STOPPING, () => {
    for (const pending of inFlight.values()) for (const response of pending) response.shouldKeepAlive = false;
  });
  // Input that is not even HTTP gets the shape of every other error.
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // After a report that is on its way, an error would be read as part of it.
    const answering = [...(inFlight.get(socket) ?? [])].some(({ headersSent }) => headersSent);
    if (error.code === 'ECONNRESET' || !socket.writable || answering) return socket.destroy();
    return refuseSocket(socket, STATUS_OF[error.code ?? ''] ?? 400);
  });
  // Node would close the connection without a word.
  server.on('connect', (_request, socket) => refuseSocket(socket, 405));
  // Node would refuse other expectations than 100-continue without a word.
  server.on('checkExpectation', (_request, response) => refuse(response, 417));
  return server;
}

/** Of input that is not HTTP, or not in time. */
const STATUS_OF: Record<string, number> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };

const VERSIONS: ReadonlySet<string> = new Set(['1.1', '1.0']);

/** Why a request is refused on any path; null for a sound one. */
function refusedStatus(request: IncomingMessage): number | null {
  const { url, httpVersion, headersDistinct } = request;
  if (!VERSIONS.has(httpVersion)) return 505;
  // RFC 9112 §3.2: one Host, which HTTP/1.0 may leave out.
  const hosts = headersDistinct['host']?.length ?? 0;
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) return 400;
  // RFC 9112 §6.1: other transfer codings than chunked are not undone here.
  if ((request.headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked') return 501;
  return isTarget(url) ? null : 400;
}

const isTarget = (url = ''): boolean => url.startsWith('/') || url === '*' || URL.canParse(url);

const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' };

/** An error outside Express; the connection ends with it. */
function errorParts(status: number): { head: Record<string, string | number>; body: string } {
  const body = JSON.stringify({ error: STATUS_CODES[status]!.toLowerCase() });
  return { head: { ...JSON_TYPE, 'Content-Length': body.length, Connection: 'close' }, body };
}

function refuse(response: ServerResponse, status: number): void {
  const { head, body } = errorParts(status);
  response.writeHead(status, head).end(body);
}

function refuseSocket(
  socket: { end(text: string, done: () => void): unknown; destroy(): unknown },
  status: number,
): void {
  const { head, body } = errorParts(status);
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`, () =>
    socket.destroy(),
  );
}

/** Listens and returns the port taken. */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/** Resolves when the server has let go of its port and every connection is closed. */
export function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.emit(STOPPING);
    server.closeIdleConnections();
  });
}

/** Bodies of real requests; longer ones take the ordinary way, which bounds how much of them is read. */
const LONGEST_BODY = 1_024;
const LOG_EVERY_MS = 1_000;

/**
 * Refuses `POST /analyze` before Express while no place is free, and logs one line a second with the number.
 */
export function shedLoad(
  app: RequestListener,
  deps: { limiter: Limiter; clientOf: ClientOf; metrics: Metrics | null; log: Log },
): RequestListener {
  const { limiter, metrics, log } = deps;
  const head = {
    ...JSON_TYPE,
    'X-Content-Type-Options': 'nosniff',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'Retry-After,X-Request-Id',
  };
  let refused = 0;
  const logRefused = (): void => {
    log.warn({ status: 502, code: limiter.refusal().code, refused }, 'analyses refused');
    refused = 0;
  };
  return (request, response) => {
    const length = Number(request.headers['content-length']);
    const isAnalysis = request.method === 'POST' && request.url === '/analyze';
    if (!isAnalysis || !(length <= LONGEST_BODY) || !limiter.isFull(deps.clientOf(request)))
      return void app(request, response);
    const refusal = limiter.refusal();
    const { status, message, headers } = errorAnswer(refusal);
    const body = JSON.stringify({ error: message });
    if (refused++ === 0) setTimeout(logRefused, LOG_EVERY_MS).unref();
    metrics?.analysisDone(refusal.code, null, 0);
    metrics?.requestDone('/analyze', status);
    const own = { 'Content-Length': String(body.length), 'X-Request-Id': randomUUID() };
    response.writeHead(status, { ...headers, ...head, ...own }).end(body);
  };
}

/** `GET /metrics` (Prometheus) and `GET /ready`, for operators: kept off the public port. */
export async function serveAdmin(deps: {
  config: { readonly adminPort: number | null; readonly adminHost: string };
  metrics: { readonly contentType: string; text(): Promise<string> };
  upstream: { ready(signal: AbortSignal): Promise<boolean> };
  /** Ends a check that is under way when the service stops. */
  stopping: AbortSignal;
  /** Whether the service takes requests. */
  alive: () => boolean;
}): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const answer = (status: number, type: string, body: string): void =>
      void response.writeHead(status, { 'Content-Type': type }).end(body);
    const json = (status: number, value: object): void =>
      answer(status, 'application/json', JSON.stringify(value));
    const serve = async (): Promise<void> => {
      if (request.method !== 'GET') return json(405, { error: 'method not allowed' });
      if (request.url === '/metrics') return answer(200, deps.metrics.contentType, await deps.metrics.text());
      if (request.url !== '/ready') return json(404, { error: 'not found' });
      const upstream = await deps.upstream.ready(deps.stopping);
      const ready = upstream && deps.alive();
      // The service does not start without its rules.
      return json(ready ? 200 : 503, { ready, upstream, rules: true });
    };
    serve().catch(() => json(500, { error: 'internal error' }));
  });
  const port = await listen(server, deps.config.adminPort!, deps.config.adminHost);
  const close = (): Promise<void> => {
    server.closeAllConnections();
    return stopListening(server);
  };
  return { port, close };
}
