/** A request the service refuses, with the status and text the client gets. */
export class RequestError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'RequestError';
    this.status = status;
    this.headers = headers;
  }
}

/** Longest piece of a client's own text repeated in an error. */
const ECHO_LENGTH = 100;

/**
 * A client's value as it may be repeated in an error: bounded, without control, bidirectional or
 * line-separating characters and without halves of surrogate pairs. Ordinary values come back as they were.
 */
export function echo(value: string): string {
  const clean = value.slice(0, ECHO_LENGTH).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\u{fffd}');
  return value.length > ECHO_LENGTH ? `${clean}…` : clean;
}
