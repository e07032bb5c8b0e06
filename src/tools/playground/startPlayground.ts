import { readFile } from 'node:fs/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { AnalysisError } from '../../lib/errors.ts';
import { createLimiter } from '../../service/http/limiter.ts';
import { createHttpServer, listen, stopListening } from '../../service/http/httpServer.ts';
import { RequestError } from '../../service/http/requestError.ts';
import { playgroundRoutes, type Routes } from './routes.ts';
import { openTransactions } from './transactions.ts';

export interface PlaygroundOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** Folder of recorded transactions to try rules on. */
  readonly recordingsDir: string;
  /** Node to ask for transactions that are not recorded. */
  readonly rpcUrl?: string;
  /** The built viewer page. */
  readonly viewerFile?: string;
  /** The service the page asks for reports, where it is not the one it was built for. */
  readonly api?: string;
}

export interface Playground {
  readonly url: string;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const VIEWER = join(import.meta.dirname, '../../../dist-viewer/index.html');
/** Trying a rule keeps the process busy: one at a time, a few waiting. */
const ONE_AT_A_TIME = { maxConcurrency: 1, maxQueue: 4 };

/**
 * Serves the viewer with the rule playground on this machine alone. Rejects when the port is taken or the
 * recordings cannot be read.
 */
export async function startPlayground(options: PlaygroundOptions): Promise<Playground> {
  const { recordingsDir, rpcUrl, viewerFile = VIEWER, api } = options;
  const transactions = openTransactions(recordingsDir, rpcUrl);
  const routes = playgroundRoutes(transactions);
  const limiter = createLimiter(ONE_AT_A_TIME);
  let port = 0;
  const server: Server = createHttpServer(
    (request, response) => {
      void answer(request, response).catch((error: unknown) => refuse(response, error));
    },
    { keepAliveMs: 5_000, headersTimeoutMs: 10_000, requestTimeoutMs: 30_000 },
  );

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').split('?')[0]!;
    refuseForeign(request, port, path);
    if (path === '/' && (request.method === 'GET' || request.method === 'HEAD')) {
      const page = await readPage(viewerFile, api);
      response.writeHead(200, {
        ...HEADERS,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "frame-ancestors 'none'",
      });
      response.end(request.method === 'HEAD' ? undefined : page);
      return;
    }
    const body = await route(routes, path, request);
    response.writeHead(200, { ...HEADERS, 'content-type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify(body));
  }

  async function route({ get, post }: Routes, path: string, request: IncomingMessage): Promise<unknown> {
    const method = Object.hasOwn(get, path) ? 'GET' : Object.hasOwn(post, path) ? 'POST' : null;
    if (method === null) throw new RequestError(404, 'not found');
    if (request.method !== method) throw new RequestError(405, 'method not allowed', { allow: method });
    const body = method === 'GET' ? {} : await readJson(request);
    return limiter.run(
      async () => (method === 'GET' ? get[path]!() : post[path]!(body)),
      new AbortController().signal,
    );
  }

  port = await listen(server, options.port, HOST);
  return {
    url: `http://${HOST}:${port}`,
    async close() {
      const stopped = stopListening(server);
      await limiter.close();
      server.closeAllConnections();
      await stopped;
      await transactions.close();
    },
  };
}

const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** The page with this server's settings: that there is a playground, and the service to ask. */
async function readPage(file: string, api: string | undefined): Promise<string> {
  let page: string;
  try {
    page = await readFile(file, 'utf8');
  } catch {
    throw new RequestError(503, 'the viewer is not built: npm run viewer builds it');
  }
  const set = (html: string, name: string, content: string): string =>
    html.replace(
      new RegExp(`(<meta name="txreport-${name}" content=")[^"]*"`),
      (_, head: string) => `${head}${content}"`,
    );
  const withPlayground = set(page, 'playground', 'on');
  if (api === undefined) return withPlayground;
  const url = new URL(api);
  return set(withPlayground, 'api', url.href.replace(/\/$/, '').replaceAll('"', '%22')).replace(
    "connect-src 'self'",
    () => `connect-src 'self' ${url.origin}`,
  );
}

/** Answers an error in the shape the service uses. Nothing of this machine shows in it. */
function refuse(response: ServerResponse, error: unknown): void {
  const [status, message, headers] =
    error instanceof RequestError
      ? [error.status, error.message, error.headers]
      : error instanceof AnalysisError
        ? [502, `analysis failed: ${error.message}`, {}]
        : [500, 'internal error', {}];
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, {
    ...HEADERS,
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    connection: 'close',
  });
  response.end(JSON.stringify({ error: message }));
}

/**
 * Refuses requests that do not come from a page of this very server. The endpoint compiles its input; a
 * page from elsewhere must reach it neither directly (Origin, Sec-Fetch-Site) nor by a name made to point
 * here (Host). Throws `RequestError` 403.
 */
function refuseForeign(request: IncomingMessage, port: number, path: string): void {
  const own = new Set([`127.0.0.1:${port}`, `localhost:${port}`]);
  const { host, origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  if (host === undefined || !own.has(host))
    throw new RequestError(403, 'this server answers on this machine only');
  if (origin !== undefined && origin !== `http://${host}`)
    throw new RequestError(403, 'this server answers its own pages only');
  // The page itself is the same for everyone: links to it may appear anywhere.
  if (path === '/') return;
  if (site !== undefined && site !== 'same-origin' && !(site === 'none' && request.method === 'GET'))
    throw new RequestError(403, 'this server answers its own pages only');
}

const MOST_BYTES = 128 * 1024;

/** The JSON object in the body. Throws `RequestError` 400, 413 or 415. */
async function readJson(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  // Anything else a form or a script of another origin could send without being asked for leave first.
  if ((request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase() !== 'application/json')
    throw new RequestError(415, 'content type must be application/json');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new RequestError(413, `over ${MOST_BYTES / 1024} KiB`);
    chunks.push(chunk);
  }
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)));
  } catch {
    throw new RequestError(400, 'the body is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RequestError(400, 'the body is not a JSON object');
  return value as Record<string, unknown>;
}

/** A text of the body. Throws `RequestError` 400. */
export function textOf(body: Readonly<Record<string, unknown>>, key: string): string | null {
  const value = body[key];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw new RequestError(400, `${key} is not a text`);
  return value;
}
