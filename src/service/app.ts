import compression from 'compression';
import cors from 'cors';
import { constants } from 'node:zlib';
import express, { type Express, type RequestHandler } from 'express';
import { createLimiter } from './http/limiter.ts';
import { createParseRequest } from './http/parseRequest.ts';
import { errorHandler, RequestError } from './http/errorResponse.ts';
import { postAnalyze, type PostAnalyzeDeps } from './http/postAnalyze.ts';
import { createClientOf } from './http/clientAddress.ts';
import type { Metrics } from './http/metrics.ts';

/** The two operations of the interface, for a small service where parts are left out. Never listens. */
export function createApp(
  given: Pick<PostAnalyzeDeps, 'analyze' | 'log'> & Partial<PostAnalyzeDeps>,
): Express {
  const deps: PostAnalyzeDeps = {
    parseRequest: createParseRequest(),
    limiter: createLimiter({ maxConcurrency: 16, maxQueue: 64 }),
    clientOf: createClientOf([]),
    metrics: null,
    beginTrace: null,
    deadlineMs: 30_000,
    stopping: new AbortController().signal,
    ...given,
  };
  const app = express().disable('x-powered-by').disable('etag');
  app.enable('case sensitive routing').enable('strict routing');
  app.use(count(deps.metrics));
  app.use((_request, response, next) => {
    response.set('X-Content-Type-Options', 'nosniff');
    next();
  });
  app.use(
    cors({
      origin: '*',
      methods: ['GET', 'POST'],
      allowedHeaders: ['Content-Type', 'X-API-Key'],
      exposedHeaders: ['Retry-After', 'X-Request-Id'],
      maxAge: 86_400,
      // Preflights are answered below, on the listed paths alone.
      preflightContinue: true,
    }),
  );

  app.options(['/health', '/analyze'], (_request, response) => void response.status(204).end());
  // Not by `send`, which answers conditional requests with 304.
  app.get('/health', (_request, response) => {
    response.type('text/plain').set('Content-Length', '2').end('ok');
  });
  app.post(
    '/analyze',
    // Off the event loop; the fastest level makes a report a fifth as large.
    compression({ level: constants.Z_BEST_SPEED, brotli: { params: FAST } }),
    postAnalyze(deps),
  );

  app.all('/health', refuse(405, 'method not allowed', { Allow: 'GET, HEAD, OPTIONS' }));
  app.all('/analyze', refuse(405, 'method not allowed', { Allow: 'POST, OPTIONS' }));
  app.use(refuse(404, 'not found'));
  app.use(errorHandler(deps.log));
  return app;
}

function refuse(status: number, message: string, headers?: Record<string, string>): RequestHandler {
  return () => {
    throw new RequestError(status, message, headers);
  };
}

const FAST = { [constants.BROTLI_PARAM_QUALITY]: 1 };

const ROUTES = new Set(['/health', '/analyze']);

function count(metrics: Metrics | null): RequestHandler {
  return (request, response, next) => {
    const route = ROUTES.has(request.path) ? request.path : 'other';
    if (metrics) response.once('finish', () => metrics.requestDone(route, response.statusCode));
    next();
  };
}
