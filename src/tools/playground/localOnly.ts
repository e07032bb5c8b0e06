import type { IncomingMessage } from 'node:http';
import { RequestError } from '../../service/http/requestError.ts';

/**
 * Refuses whatever does not come from a page of this very server. The endpoint compiles what it is sent; a page from
 * elsewhere must reach it neither directly (Origin, Sec-Fetch-Site) nor by a name that was made to point here (Host).
 * Throws `RequestError` 403.
 */
export function refuseForeign(request: IncomingMessage, port: number, path: string): void {
  const own = new Set([`127.0.0.1:${port}`, `localhost:${port}`]);
  const { host, origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  if (host === undefined || !own.has(host))
    throw new RequestError(403, 'this server answers on this machine only');
  if (origin !== undefined && origin !== `http://${host}`)
    throw new RequestError(403, 'this server answers its own pages only');
  // The page itself is the same for everyone: a link to it may stand anywhere.
  if (path === '/') return;
  if (site !== undefined && site !== 'same-origin' && !(site === 'none' && request.method === 'GET'))
    throw new RequestError(403, 'this server answers its own pages only');
}

const MOST_BYTES = 128 * 1024;

/** The JSON object in the body. Throws `RequestError` 400, 413 or 415. */
export async function readJson(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
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
