import type { IncomingMessage } from 'node:http';
import { RequestError } from './requestError.ts';

/** Largest request body, in bytes. */
const BODY_LIMIT = 16_384;

/** Time to discard the rest of a refused body: closing at once could reset the connection too early. */
const LINGER_MS = 1_000;

/**
 * Body of a JSON request as text. Keeps no more than the limit and waits for nothing beyond it: a client
 * that goes on sending loses its connection soon after the answer. Throws `RequestError` 400.
 */
export async function readBody(request: IncomingMessage): Promise<string> {
  try {
    return await readText(request);
  } catch (error) {
    setTimeout(() => request.complete || request.socket.destroy(), LINGER_MS).unref();
    throw error;
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const { type, charset } = readContentType(request.headers['content-type'] ?? '');
  if (type !== 'application/json') throw new RequestError(400, 'content type must be application/json');
  if (!UTF8.has(charset)) throw malformed('charset must be utf-8');
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw malformed('content encoding not supported');
  if (Number(request.headers['content-length'] ?? 0) > BODY_LIMIT) throw malformed('over 16 KiB');

  const bytes = await readBytes(request);
  if (bytes.length === 0) throw malformed('empty');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw malformed('not valid UTF-8');
  }
}

/** JSON between systems is UTF-8 (RFC 8259 §8.1), stated or not. */
const UTF8: ReadonlySet<string | undefined> = new Set([undefined, 'utf-8', 'utf8']);

function readContentType(header: string): { type: string | undefined; charset: string | undefined } {
  const [type, ...parameters] = header
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return { type, charset: charset?.slice(8).replaceAll('"', '') };
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
