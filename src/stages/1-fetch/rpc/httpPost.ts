import { createGunzip } from 'node:zlib';
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
 * A function that posts JSON to one address and counts the bytes while they arrive and expand. It uses
 * undici's dispatcher: the streams of `fetch` cost more than the analysis of an ordinary transaction.
 * Redirects are not followed, they would carry the credentials to another host. Rejects with `HttpFailure`.
 */
export function createHttpPost(address: string, agent: Agent): HttpPost {
  const target = targetOf(address);
  return (body, limits) =>
    new Promise((resolve, reject) => {
      const { signal, ms } = limits;
      let status: number | null = null;
      let retryAfter: string | null = null;
      let reader: BodyReader | null = null;
      let settled = false;
      let cancel = (): void => {};

      const settle = (): void => {
        settled = true;
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        reader?.close();
      };
      const fail = (why: HttpFailure['why'], connection?: ConnectionCause): void => {
        if (settled) return;
        settle();
        reject(new HttpFailure(why, status, connection));
        cancel();
      };
      const succeed = (whole: Buffer): void => {
        if (settled) return;
        settle();
        resolve({ status: status!, retryAfter, body: whole });
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
            // The request may have waited in the pool until it was no longer wanted.
            if (settled) cancel();
          },
          onResponseStart(_controller, statusCode, headers) {
            // Informational answers come before the real one.
            if (statusCode < 200) return;
            status = statusCode;
            retryAfter = text(headers['retry-after']);
            const onTooMuch = (why: 'too_large' | 'large'): void => {
              if (statusCode < 300) return fail(why);
              succeed(Buffer.alloc(0));
              cancel();
            };
            const outcome = { onWhole: succeed, onTooMuch, onBroken: () => fail('broken') };
            reader = readerOf(limits, statusCode, text(headers['content-encoding']), outcome);
            reader.expect(Number(text(headers['content-length']) ?? 0));
          },
          onResponseData(_controller, chunk) {
            if (!settled) reader?.write(chunk);
          },
          onResponseEnd() {
            if (!settled) reader?.end();
          },
          onResponseError(_controller, error) {
            fail('broken', connectionCause(error));
          },
        },
      );
    });
}

interface BodyReader {
  /** Refuses a body with an announced length over the limit. */
  expect(bytes: number): void;
  write(chunk: Buffer): void;
  end(): void;
  close(): void;
}

interface BodyOutcome {
  readonly onWhole: (body: Buffer) => void;
  readonly onTooMuch: (why: 'too_large' | 'large') => void;
  readonly onBroken: () => void;
}

/**
 * Collects a body and stops as soon as it is over its limit, compressed or not. undici's own decompression is
 * experimental, warns of that on stderr and costs the same.
 */
function readerOf(
  { maxBytes, largeBytes = Infinity }: HttpLimits,
  status: number,
  encoding: string | null,
  outcome: BodyOutcome,
): BodyReader {
  const limit = status < 300 ? Math.min(maxBytes, largeBytes) : ERROR_BYTES;
  const why = limit < maxBytes ? 'large' : 'too_large';
  const chunks: Buffer[] = [];
  let size = 0;
  const take = (chunk: Buffer): void => {
    size += chunk.length;
    if (size > limit) outcome.onTooMuch(why);
    else chunks.push(chunk);
  };
  const whole = (): void => outcome.onWhole(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size));
  const expect = (bytes: number): void => {
    if (bytes > maxBytes) outcome.onTooMuch('too_large');
    else if (bytes > limit) outcome.onTooMuch(why);
  };
  // RFC 9110 §8.4.1: names of codings have no case, and `x-gzip` is `gzip`.
  if (encoding === null || !/^(?:x-)?gzip$/i.test(encoding))
    return { expect, write: take, end: whole, close: () => {} };
  const gunzip = createGunzip({ chunkSize: 65_536 });
  gunzip.on('data', take).on('end', whole).on('error', outcome.onBroken);
  return {
    expect,
    write: (chunk) => void gunzip.write(chunk),
    end: () => void gunzip.end(),
    close: () => void gunzip.destroy(),
  };
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
