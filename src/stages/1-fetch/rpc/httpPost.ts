import { createGunzip, type Gunzip } from 'node:zlib';
import { errors, type Agent } from 'undici';
import { separateCredentials } from '../../../lib/credentials.ts';
import { connectionCause, type ConnectionCause } from './connectionCause.ts';

export interface HttpAnswer {
  readonly status: number;
  /** `Retry-After`, as sent. */
  readonly retryAfter: string | null;
  /** Decompressed. Empty where an error status came with more than `ERROR_BYTES`. */
  readonly body: Buffer;
}

/** Limits of one request. */
export interface HttpLimits {
  readonly signal: AbortSignal;
  /** Time for the whole answer, headers and body, milliseconds. */
  readonly ms: number;
  /** Largest body, decompressed. */
  readonly maxBytes: number;
  /** A body of more bytes fails with `large`; default: none does. */
  readonly largeBytes?: number | undefined;
}

/** Why there is no whole answer. `status` is null where not even headers came. Never holds the URL. */
export class HttpFailure extends Error {
  constructor(
    readonly why: 'aborted' | 'too_late' | 'too_large' | 'large' | 'broken',
    readonly status: number | null,
    /** Why a connection broke. */
    readonly connection: ConnectionCause = 'other',
  ) {
    super(why);
    this.name = 'HttpFailure';
  }
}

export type HttpPost = (body: string, limits: HttpLimits) => Promise<HttpAnswer>;

/** Bytes read of an answer with another status than 2xx: JSON-RPC errors are short. */
const ERROR_BYTES = 65_536;

/** undici makes this error for each header of a flood: with a stack each, eight floods block for a second. */
Object.setPrototypeOf(errors.HeadersOverflowError, function withoutStack() {
  return Object.create(new.target.prototype as object) as object;
});

/**
 * A function that posts JSON to one address. It counts the bytes while they arrive and expand, and stops as
 * soon as they are over their limit. It uses undici's dispatcher: the streams of `fetch` cost more than the
 * analysis of an ordinary transaction, and undici's own decompression is experimental and warns of that.
 * Redirects are not followed, they would carry the credentials to another host. Rejects with `HttpFailure`.
 */
export function createHttpPost(address: string, agent: Agent): HttpPost {
  const target = targetOf(address);
  return (body, { signal, ms, maxBytes, largeBytes = Infinity }) =>
    new Promise((resolve, reject) => {
      let status: number | null = null;
      let retryAfter: string | null = null;
      let gunzip: Gunzip | null = null;
      const chunks: Buffer[] = [];
      let size = 0;
      let limit = 0;
      let settled = false;
      let cancel = (): void => {};

      const settle = (outcome: () => void): void => {
        if (settled) return;
        settled = true;
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        gunzip?.destroy();
        outcome();
      };
      const succeed = (whole: Buffer): void =>
        settle(() => resolve({ status: status!, retryAfter, body: whole }));
      const fail = (why: HttpFailure['why'], connection?: ConnectionCause): void =>
        settle(() => {
          reject(new HttpFailure(why, status, connection));
          cancel();
        });
      /** The body is over its limit; of an error's, nothing is kept then. */
      const refuse = (isLarge = limit < maxBytes): void => {
        if (status! < 300) return fail(isLarge ? 'large' : 'too_large');
        succeed(Buffer.alloc(0));
        cancel();
      };
      const take = (chunk: Buffer): void => {
        size += chunk.length;
        if (size > limit) refuse();
        else chunks.push(chunk);
      };
      const finish = (): void => succeed(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size));
      const onAbort = (): void => fail('aborted');
      const timer = setTimeout(fail, Math.max(1, Math.floor(ms)), 'too_late');
      signal.addEventListener('abort', onAbort);
      if (signal.aborted) return onAbort();

      agent.dispatch(
        { ...target, body },
        {
          onRequestStart(controller) {
            cancel = () => controller.abort(new Error('cancelled'));
            // The request may have waited in the pool until it was no longer wanted.
            if (settled) cancel();
          },
          onResponseStart(_controller, statusCode, headers) {
            // Informational answers come before the real one.
            if (statusCode < 200) return;
            status = statusCode;
            retryAfter = text(headers['retry-after']);
            limit = status < 300 ? Math.min(maxBytes, largeBytes) : ERROR_BYTES;
            // RFC 9110 §8.4.1: names of codings have no case, and `x-gzip` is `gzip`.
            if (/^(?:x-)?gzip$/i.test(text(headers['content-encoding']) ?? '')) {
              gunzip = createGunzip({ chunkSize: 65_536 });
              gunzip
                .on('data', take)
                .on('end', finish)
                .on('error', () => fail('broken'));
            }
            const announced = Number(text(headers['content-length']) ?? 0);
            if (announced > maxBytes) refuse(false);
            else if (announced > limit) refuse();
          },
          onResponseData(_controller, chunk) {
            if (settled) return;
            if (gunzip) gunzip.write(chunk);
            else take(chunk);
          },
          onResponseEnd() {
            if (settled) return;
            if (gunzip) gunzip.end();
            else finish();
          },
          onResponseError(_controller, error) {
            fail('broken', connectionCause(error));
          },
        },
      );
    });
}

/** Where and with which headers to send; credentials of the URL become a header. */
function targetOf(address: string) {
  const { url, headers: credentials } = separateCredentials(address);
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    'accept-encoding': 'gzip',
    ...credentials,
  };
  return { origin: url.origin, path: `${url.pathname}${url.search}`, method: 'POST', headers } as const;
}

function text(header: string | string[] | undefined): string | null {
  return typeof header === 'string' ? header : (header?.[0] ?? null);
}
