import { STATUS_CODES, createServer, type RequestListener, type Server } from 'node:http';
import { randomUUID } from 'node:crypto';
import { AnalysisError } from '../../lib/errors.ts';
import { errorAnswer } from './errorResponse.ts';
import type { Limiter } from './limiter.ts';
import type { Log } from '../../lib/log.ts';
import type { Metrics } from './metrics.ts';

export interface HttpLimits {
  readonly keepAliveMs: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
}

/** HTTP server with every time-out set; does not listen yet. */
export function createHttpServer(listener: RequestListener, limits: HttpLimits): Server {
  const server = createServer(
    {
      keepAliveTimeout: limits.keepAliveMs,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: Math.max(limits.requestTimeoutMs, limits.headersTimeoutMs),
      // Node looks for late clients only this often.
      connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs),
      maxHeaderSize: 16_384,
    },
    listener,
  );
  // Input that is not even HTTP gets the shape of every other error.
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
    const status =
      error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
    const body = JSON.stringify({ error: (STATUS_CODES[status] ?? 'bad request').toLowerCase() });
    const head =
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; ` +
      `charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
    return socket.end(head + body, () => socket.destroy());
  });
  // Node would refuse other expectations than 100-continue without a word.
  server.on('checkExpectation', (_request, response) => {
    const body = JSON.stringify({ error: 'expectation failed' });
    response
      .writeHead(417, {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': body.length,
        Connection: 'close',
      })
      .end(body);
  });
  return server;
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
    server.closeIdleConnections();
  });
}

/** Bodies of real requests; longer ones take the ordinary way, which bounds how much of them is read. */
const LONGEST_BODY = 1_024;
const LOG_EVERY_MS = 1_000;

/**
 * Refuses `POST /analyze` before Express while no place is free: refusals take time from accepted requests.
 * Logs one line a second with the number refused.
 */
export function shedLoad(
  app: RequestListener,
  { limiter, metrics, log }: { limiter: Limiter; metrics: Metrics | null; log: Log },
): RequestListener {
  const { status, error, headers } = errorAnswer(new AnalysisError('overloaded'));
  const body = JSON.stringify({ error });
  const head = {
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(body.length),
    'X-Content-Type-Options': 'nosniff',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'Retry-After,X-Request-Id',
  };
  let refused = 0;
  const logRefused = (): void => {
    log.warn({ status, code: 'overloaded', refused }, 'analyses refused');
    refused = 0;
  };
  return (request, response) => {
    const length = Number(request.headers['content-length']);
    const isAnalysis = request.method === 'POST' && request.url === '/analyze';
    if (!limiter.full || !isAnalysis || !(length <= LONGEST_BODY)) return void app(request, response);
    if (refused++ === 0) setTimeout(logRefused, LOG_EVERY_MS).unref();
    metrics?.analysisDone('overloaded', null, 0);
    metrics?.requestDone('/analyze', status);
    response.writeHead(status, { ...head, 'X-Request-Id': randomUUID() }).end(body);
  };
}

/** Metrics in Prometheus' text format. */
interface MetricsText {
  readonly contentType: string;
  text(): Promise<string>;
}

/** `GET /metrics` (Prometheus) and `GET /ready`, for operators: kept off the public port. */
export function createAdminServer(deps: {
  metrics: MetricsText;
  ready: () => Promise<{ ready: boolean; upstream: boolean; rules: boolean }>;
}): Server {
  return createServer((request, response) => {
    const answer = (status: number, type: string, body: string): void =>
      void response.writeHead(status, { 'Content-Type': type }).end(body);
    const json = (status: number, value: object): void =>
      answer(status, 'application/json', JSON.stringify(value));
    const serve = async (): Promise<void> => {
      if (request.method !== 'GET') return json(405, { error: 'method not allowed' });
      if (request.url === '/metrics') return answer(200, deps.metrics.contentType, await deps.metrics.text());
      if (request.url !== '/ready') return json(404, { error: 'not found' });
      const state = await deps.ready();
      return json(state.ready ? 200 : 503, state);
    };
    serve().catch(() => json(500, { error: 'internal error' }));
  });
}
