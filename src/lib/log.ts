import { pino, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

/** Replaces every part of the given URLs that may be a secret. */
export type Redact = (text: string) => string;

const MASK = '[redacted]';

/**
 * Builds the redaction for upstream URLs: user, password, path, path segments, query and host (loopback
 * apart) vanish from a text in raw, decoded and JSON-escaped form. The last line of defence: nothing
 * upstream of the log is meant to hold them.
 */
export function createRedact(urls: readonly string[]): Redact {
  const secrets = new Set<string>();
  const add = (value: string, minimum: number): void => {
    for (const form of [value, tryDecode(value)]) {
      if (form.length >= minimum) secrets.add(form).add(JSON.stringify(form).slice(1, -1));
    }
  };
  for (const text of urls) {
    const url = URL.canParse(text) ? new URL(text) : null;
    add(text, 1);
    if (!url) continue;
    add(url.href, 1);
    add(url.username, 3);
    add(url.password, 1);
    if (url.username)
      add(Buffer.from(`${tryDecode(url.username)}:${tryDecode(url.password)}`).toString('base64'), 1);
    add(url.pathname, 6);
    add(url.search, 4);
    for (const segment of url.pathname.split('/')) add(segment, 6);
    for (const value of url.searchParams.values()) add(value, 4);
    if (!/^(localhost|127\.|\[::1\]|0\.0\.0\.0)/.test(url.hostname)) add(url.hostname, 4);
  }
  // Longest first: a part of a longer secret must not leave the rest standing.
  const parts = [...secrets]
    .sort((a, b) => b.length - a.length)
    .map((s) => s.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
  if (parts.length === 0) return (text) => text;
  const pattern = new RegExp(parts.join('|'), 'g');
  return (text) => text.replace(pattern, MASK);
}

function tryDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Structured log, one JSON object per line; every finished line passes through `redact`. */
export function createLog(options: { level: string; redact?: Redact; stream?: DestinationStream }): Log {
  const redact = options.redact ?? ((line: string) => line);
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: redact },
    },
    options.stream ?? pino.destination({ fd: 1, sync: true }),
  );
}
