import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Agent } from 'undici';
import { Gathered } from './largeAnswer.ts';

export interface HttpAnswer {
  readonly status: number;
  /** `Retry-After`, as sent. */
  readonly retryAfter: string | null;
  readonly text: string;
  /** The body of a large answer, undecoded and in a block of its own; `text` is then empty. */
  readonly unread: Uint8Array | null;
}

/** What one request may cost. */
export interface HttpLimits {
  readonly signal: AbortSignal;
  /** For the answer as a whole, headers and body, milliseconds. */
  readonly ms: number;
  /** Of the body, decompressed. */
  readonly maxBytes: number;
  /** A body of more bytes is handed over undecoded; left out: none. */
  readonly largeBytes?: number;
}

/** Why there is no whole answer. `status` is null where not even headers came. Never holds the URL. */
export class HttpFailure extends Error {
  readonly why: 'aborted' | 'too_late' | 'too_large' | 'broken';
  readonly status: number | null;
  constructor(why: HttpFailure['why'], status: number | null) {
    super(why);
    this.name = 'HttpFailure';
    this.why = why;
    this.status = status;
  }
}

export type HttpPost = (body: string, limits: HttpLimits) => Promise<HttpAnswer>;

const unzip = promisify(gunzip);

/**
 * A function that posts JSON to one address. It sits directly on the connection pool: the streams, signals and header
 * objects of `fetch` cost more than all else the service does for an ordinary transaction. Redirects are not followed,
 * they would carry the credentials to another host. Rejects with `HttpFailure`.
 */
export function createHttpPost(address: string, agent: Agent): HttpPost {
  const url = new URL(address);
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json',
    'accept-encoding': 'gzip',
  };
  if (url.username || url.password) {
    headers['authorization'] =
      `Basic ${Buffer.from(`${decoded(url.username)}:${decoded(url.password)}`).toString('base64')}`;
  }
  const target = {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: 'POST',
    headers,
  } as const;

  return (body, { signal, ms, maxBytes, largeBytes = Infinity }) =>
    new Promise((resolve, reject) => {
      let status: number | null = null;
      let retryAfter: string | null = null;
      let zipped = false;
      let size = 0;
      let chunks: Buffer[] = [];
      let large: Gathered | null = null;
      let announced = 0;
      let settled = false;
      let cancel = (): void => {};

      const settle = (): void => {
        settled = true;
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      };
      const fail = (why: HttpFailure['why']): void => {
        settle();
        reject(new HttpFailure(why, status));
        cancel();
      };
      const onAbort = (): void => fail('aborted');
      const timer = setTimeout(fail, Math.max(1, Math.floor(ms)), 'too_late');
      signal.addEventListener('abort', onAbort);
      if (signal.aborted) return onAbort();

      agent.dispatch(
        { ...target, body },
        {
          onRequestStart(controller) {
            cancel = () => controller.abort(new Error('cancelled'));
            // It waited in the pool for longer than anybody wanted its answer.
            if (settled) cancel();
          },
          onResponseStart(_controller, statusCode, responseHeaders) {
            // Informational answers come before the real one.
            if (statusCode < 200) return;
            status = statusCode;
            retryAfter = text(responseHeaders['retry-after']);
            zipped = text(responseHeaders['content-encoding']) === 'gzip';
            announced = Number(text(responseHeaders['content-length']) ?? 0);
            if (announced > maxBytes) fail('too_large');
          },
          onResponseData(_controller, chunk) {
            size += chunk.length;
            if (size > maxBytes) return fail('too_large');
            chunks.push(chunk);
            if (size <= largeBytes || zipped || status !== 200) return;
            large ??= new Gathered(announced);
            for (const piece of chunks) large.append(piece);
            chunks = [];
          },
          onResponseEnd() {
            settle();
            if (large) return resolve({ status: status!, retryAfter, text: '', unread: large.take() });
            const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size);
            const answer = (whole: Buffer): void => {
              const unread = whole.length > largeBytes && status === 200 ? whole : null;
              resolve({ status: status!, retryAfter, text: unread ? '' : whole.toString('utf8'), unread });
            };
            if (!zipped) return answer(bytes);
            const tooLarge = (error: unknown): boolean =>
              (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
            unzip(bytes, { maxOutputLength: maxBytes })
              .then(answer)
              .catch((error: unknown) =>
                reject(new HttpFailure(tooLarge(error) ? 'too_large' : 'broken', status)),
              );
          },
          onResponseError() {
            fail('broken');
          },
        },
      );
    });
}

/** A part of a URL without its escapes; as it is where they are none. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function text(header: string | string[] | undefined): string | null {
  return typeof header === 'string' ? header : (header?.[0] ?? null);
}
