import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express';
import { createLimiter } from '../../service/http/limiter.ts';
import { createHttpServer, listen, stopListening } from '../../service/http/httpServer.ts';
import { RequestError, sendError } from '../../service/http/errorResponse.ts';
import { pastedHash, whyNoTransaction } from '../pasted.ts';
import type { CallTree } from '../wording/calls.ts';

type Body = Readonly<Record<string, unknown>>;

/** Requests the page can send, by path; answers are JSON. */
export interface Routes {
  readonly get: Readonly<Record<string, () => unknown>>;
  readonly post: Readonly<Record<string, (body: Body) => Promise<unknown>>>;
}

interface PageOptions {
  /** 0 for any free port. */
  readonly port: number;
  readonly routes: Routes;
  /** Contents of the page's `txreport-…` meta elements; `api`: the service it asks, default this server. */
  readonly settings: Readonly<Record<string, string>>;
  readonly limits: { readonly maxConcurrency: number; readonly maxQueue: number };
  /** The built viewer page. */
  readonly viewerFile?: string;
}

export type PageServer = Awaited<ReturnType<typeof servePage>>;

const HOST = '127.0.0.1';
/** Where the package holds the page: beside `tools` in `dist`, and in `dist` of a working copy. */
const VIEWERS = ['../../viewer/index.html', '../../../dist/viewer/index.html'];

/** Serves the viewer and its routes on this machine alone. Rejects when the port is taken. */
export async function servePage({ routes, limits, ...options }: PageOptions) {
  const limiter = createLimiter(limits);
  let port = 0;
  const app = express().disable('x-powered-by').disable('etag');
  app.use((request, response, next) => {
    response.set(HEADERS);
    refuseForeign(request, port);
    next();
  });
  app.get('/', async (_request, response) => {
    const settings = { api: `http://${HOST}:${port}`, ...options.settings };
    const page = await readPage(options.viewerFile, settings);
    response.set('content-security-policy', "frame-ancestors 'none'").type('html').send(page);
  });
  const answer =
    (run: (body: Body) => unknown): RequestHandler =>
    async (request, response) => {
      const body = request.method === 'POST' ? bodyOf(request) : {};
      response.json(await limiter.run(async () => run(body), new AbortController().signal));
    };
  const refused =
    (allow: string): RequestHandler =>
    () => {
      throw new RequestError(405, 'method not allowed', { allow });
    };
  for (const [path, run] of Object.entries(routes.get)) app.route(path).get(answer(run)).all(refused('GET'));
  const body = express.json({ limit: MOST_BYTES });
  for (const [path, run] of Object.entries(routes.post))
    app.route(path).post(body, answer(run)).all(refused('POST'));
  app.use(() => {
    throw new RequestError(404, 'not found');
  });
  app.use(((error: unknown, _request, response, _next) => {
    const isTooLarge = (error as { status?: unknown } | null)?.status === 413;
    sendError(response.set('connection', 'close'), isTooLarge ? TOO_LARGE : error);
  }) satisfies ErrorRequestHandler);
  const times = { keepAliveMs: 5_000, headersTimeoutMs: 10_000, requestTimeoutMs: 30_000 };
  const server = createHttpServer(app, times);
  port = await listen(server, options.port, HOST);
  return {
    url: `http://${HOST}:${port}`,
    async close(): Promise<void> {
      const stopped = stopListening(server);
      await limiter.close();
      server.closeAllConnections();
      await stopped;
    },
  };
}

const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** The page with this server's settings, and its policy opened for the service it asks. */
async function readPage(
  file: string | undefined,
  settings: Readonly<Record<string, string>>,
): Promise<string> {
  const files = file === undefined ? VIEWERS.map((path) => join(import.meta.dirname, path)) : [file];
  const built = files.find((path) => existsSync(path));
  if (built === undefined)
    throw new RequestError(503, 'the viewer is not built: npm run viewer:build builds it');
  let page = await readFile(built, 'utf8');
  for (const [name, content] of Object.entries(settings)) {
    const escaped = content.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
    page = page.replace(
      new RegExp(`(<meta name="txreport-${name}" content=")[^"]*"`),
      (_, head: string) => `${head}${escaped}"`,
    );
  }
  const { origin } = new URL(settings['api']!);
  const known = /connect-src ([^;]*)/.exec(page)?.[1]?.split(' ').includes(origin);
  return known ? page : page.replace("connect-src 'self'", () => `connect-src 'self' ${origin}`);
}

/**
 * Throws `RequestError` 403 for requests of pages from elsewhere, sent directly (Origin, Sec-Fetch-Site) or
 * by a name made to point here (Host): the endpoint compiles its input.
 */
function refuseForeign({ headers, method, path }: Request, port: number): void {
  const own = new Set([`127.0.0.1:${port}`, `localhost:${port}`]);
  const { host, origin, 'sec-fetch-site': site } = headers;
  if (host === undefined || !own.has(host))
    throw new RequestError(403, 'this server answers on this machine only');
  if (origin !== undefined && origin !== `http://${host}`)
    throw new RequestError(403, 'this server answers its own pages only');
  // The page itself is the same for everyone: links to it may appear anywhere.
  if (path === '/') return;
  if (site !== undefined && site !== 'same-origin' && !(site === 'none' && method === 'GET'))
    throw new RequestError(403, 'this server answers its own pages only');
}

const MOST_BYTES = 128 * 1024;
const TOO_LARGE = new RequestError(413, `over ${MOST_BYTES / 1024} KiB`);

/** The JSON object in the body. Throws `RequestError` 400 or 415. */
function bodyOf({ body }: { readonly body?: unknown }): Body {
  // Anything else a form or a script of another origin could send without being asked for leave first.
  if (body === undefined) throw new RequestError(415, 'content type must be application/json');
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new RequestError(400, 'the body is not a JSON object');
  return body as Body;
}

export interface ViewOptions extends Pick<PageOptions, 'port' | 'viewerFile'> {
  /** The serialised report of a hash; rejects with an `AnalysisError`. */
  readonly analyze: (hash: string) => Promise<string>;
  /** The calls of a transaction; without it the page shows the report alone. */
  readonly trace?: (hash: string) => Promise<CallTree>;
  /** Offered on the start page, by category. */
  readonly examples?: readonly (readonly [hash: string, label: string, category?: string, status?: string])[];
  /** Further parts of the page. */
  readonly more?: Pick<PageOptions, 'routes' | 'settings' | 'limits'>;
}

/** Serves the viewer and a service behind it, on this machine alone. Rejects when the port is taken. */
export function startView(options: ViewOptions): Promise<PageServer> {
  const { analyze, trace, examples = [], more, ...page } = options;
  return servePage({
    ...page,
    settings: { examples: JSON.stringify(examples), trace: trace ? 'on' : '', ...more?.settings },
    limits: more?.limits ?? { maxConcurrency: 4, maxQueue: 16 },
    routes: {
      get: { '/health': () => 'ok', ...more?.routes.get },
      post: {
        ...more?.routes.post,
        '/analyze': async (body) => JSON.parse(await analyze(hashIn(body))) as unknown,
        ...(trace && { '/trace': (body: Body) => trace(hashIn(body)) }),
      },
    },
  });
}

function hashIn({ tx_hash: text }: Body): string {
  const hash = typeof text === 'string' ? pastedHash(text) : null;
  if (hash === null) throw new RequestError(400, `invalid tx_hash: ${whyNoTransaction(String(text))}`);
  return hash;
}
