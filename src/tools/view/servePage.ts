import { readFile } from 'node:fs/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { AnalysisError } from '../../lib/errors.ts';
import { createLimiter } from '../../service/http/limiter.ts';
import { createHttpServer, listen, stopListening } from '../../service/http/httpServer.ts';
import { RequestError } from '../../service/http/errorResponse.ts';
import { readTxHash, whyNoTxHash } from '../client/txHash.ts';
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
  /**
   * Contents of the page's `txreport-…` meta elements; `api` is the service the page asks, default this
   * server.
   */
  readonly settings: Readonly<Record<string, string>>;
  readonly limits: { readonly maxConcurrency: number; readonly maxQueue: number };
  /** The built viewer page. */
  readonly viewerFile?: string;
}

export interface PageServer {
  readonly url: string;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
/** Where the package holds the page: beside `tools` in `dist`, and in `dist` of a working copy. */
const VIEWERS = ['../../viewer/index.html', '../../../dist/viewer/index.html'];

/** Serves the viewer and its routes on this machine alone. Rejects when the port is taken. */
export async function servePage({ routes, limits, ...options }: PageOptions): Promise<PageServer> {
  const limiter = createLimiter(limits);
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
      const page = await readPage(options.viewerFile, { api: `http://${HOST}:${port}`, ...options.settings });
      response.writeHead(200, {
        ...HEADERS,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "frame-ancestors 'none'",
      });
      response.end(request.method === 'HEAD' ? undefined : page);
      return;
    }
    const body = await route(path, request);
    response.writeHead(200, { ...HEADERS, 'content-type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify(body));
  }

  async function route(path: string, request: IncomingMessage): Promise<unknown> {
    const { get, post } = routes;
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
    },
  };
}

const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;

async function readFirst(files: readonly string[]): Promise<string> {
  for (const file of files) {
    try {
      return await readFile(file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new RequestError(503, 'the viewer is not built: npm run viewer:build builds it');
}

/** The page with this server's settings, and its policy opened for the service it asks. */
async function readPage(
  file: string | undefined,
  settings: Readonly<Record<string, string>>,
): Promise<string> {
  let page = await readFirst(
    file === undefined ? VIEWERS.map((path) => join(import.meta.dirname, path)) : [file],
  );
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
 * Throws `RequestError` 403 for requests of pages from elsewhere, sent directly (Origin, Sec-Fetch-Site) or
 * by a name made to point here (Host): the endpoint compiles its input.
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

export interface ViewOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** The serialised report of a hash; rejects with an `AnalysisError`. */
  readonly analyze: (hash: string) => Promise<string>;
  /** The calls of a transaction; without it the page shows what a report holds. */
  readonly trace?: (hash: string) => Promise<CallTree>;
  /** Offered on the start page, by category. */
  readonly examples?: readonly (readonly [hash: string, label: string, category?: string, status?: string])[];
  /** The built viewer page. */
  readonly viewerFile?: string;
}

/**
 * Serves the viewer on this machine alone, with a service of its own behind it. Rejects when the port is
 * taken.
 */
export function startView({
  port,
  analyze,
  trace,
  examples = [],
  viewerFile,
}: ViewOptions): Promise<PageServer> {
  return servePage({
    port,
    settings: { examples: JSON.stringify(examples), trace: trace ? 'on' : '' },
    limits: { maxConcurrency: 4, maxQueue: 16 },
    routes: {
      get: { '/health': () => 'ok' },
      post: {
        '/analyze': async (body) => JSON.parse(await analyze(hashIn(body))) as unknown,
        ...(trace && { '/trace': (body: Body) => trace(hashIn(body)) }),
      },
    },
    ...(viewerFile === undefined ? {} : { viewerFile }),
  });
}

function hashIn({ tx_hash: text }: Body): string {
  const hash = typeof text === 'string' ? readTxHash(text) : null;
  if (hash === null) throw new RequestError(400, `invalid tx_hash: ${whyNoTxHash(String(text))}`);
  return hash;
}
