import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { AnalysisError } from '../../lib/errors.ts';
import { errorAnswer } from './errorResponse.ts';
import type { Limiter } from './limiter.ts';
import type { Log } from '../../lib/log.ts';
import type { Metrics } from './metrics.ts';

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
