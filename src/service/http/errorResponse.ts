import type { ErrorRequestHandler, Response } from 'express';
import { AnalysisError, ERROR_TEXT, type ErrorCode } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';

/** A request the service refuses, with the status and text the client gets. */
export class RequestError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = 'RequestError';
  }
}

/** Longest piece of a client's own text repeated in an error. */
const ECHO_LENGTH = 100;

/** A client's value for an error: bounded, without control, bidirectional, separating and half characters. */
export function echo(value: string): string {
  const clean = value.slice(0, ECHO_LENGTH).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\u{fffd}');
  return value.length > ECHO_LENGTH ? `${clean}…` : clean;
}

/** Failures of the moment: Retry-After says when to come back. */
const COME_BACK: ReadonlySet<string> = new Set<ErrorCode>(['overloaded', 'stopping']);

/** The only place that maps failures to statuses. Unknown failures stay anonymous. */
export function errorAnswer(error: unknown): Pick<RequestError, 'status' | 'message' | 'headers'> {
  if (error instanceof RequestError) return error;
  if (error instanceof AnalysisError) {
    const retryAfterS = error.retryAfterS ?? (COME_BACK.has(error.code) ? 1 : null);
    const headers: Record<string, string> =
      retryAfterS === null ? {} : { 'Retry-After': String(retryAfterS) };
    return { status: 502, message: `analysis failed: ${error.message}`, headers };
  }
  if (isRefused(error)) return { status: 400, message: 'malformed request', headers: {} };
  return { status: 502, message: `analysis failed: ${ERROR_TEXT.internal}`, headers: {} };
}

/** The router's own refusals, such as a path it cannot decode. */
function isRefused(error: unknown): boolean {
  const { status } = error instanceof Error ? (error as Error & { status?: unknown }) : {};
  return typeof status === 'number' && status >= 400 && status < 500;
}

export function sendError(response: Response, error: unknown): void {
  if (response.headersSent || response.destroyed) return;
  const { status, message, headers } = errorAnswer(error);
  response.status(status).set(headers).json({ error: message });
}

/** Express's last resort: failures outside the analysis itself. */
export function errorHandler(log: Log): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (response.headersSent) return next(error);
    if (!(error instanceof RequestError) && !isRefused(error)) log.error({ err: error }, 'request failed');
    sendError(response, error);
  };
}
