import { pino, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

/** Replaces every part of the given URLs that may be a secret. */
export type Redact = (text: string) => string;

const MASK = '[redacted]';

/**
 * Builds the redaction for upstream URLs: user, password, path, path segments, query and host (loopback
 * apart) vanish from a text. Short secrets are found as they are written, longer ones also in part, in
 * either case, percent-encoded, in base64 or with separators inside. The last line of defence: nothing
 * before the log is meant to hold them.
 */
export function createRedact(urls: readonly string[]): Redact {
  const secrets = new Set<string>();
  for (const text of urls) for (const secret of secretsOf(text)) secrets.add(secret);
  if (secrets.size === 0) return (text) => text;
  const exactly = exactPattern(secrets);
  const grams = gramsOf(secrets);
  return (text) => maskParts(text.replace(exactly, MASK), grams);
}

/** Every part of a URL that may be secret, raw and decoded. */
function secretsOf(text: string): string[] {
  const found: string[] = [];
  const add = (value: string, minimum: number): void => {
    for (const form of [value, tryDecode(value)]) if (form.length >= minimum) found.push(form);
  };
  add(text, 1);
  if (!URL.canParse(text)) return found;
  const url = new URL(text);
  add(url.href, 1);
  add(url.username, 3);
  add(url.password, 1);
  const credentials = `${tryDecode(url.username)}:${tryDecode(url.password)}`;
  if (url.username) add(Buffer.from(credentials).toString('base64'), 1);
  add(url.pathname, 6);
  add(url.search, 4);
  for (const segment of url.pathname.split('/')) add(segment, 6);
  for (const value of url.searchParams.values()) add(value, 4);
  if (!/^(localhost|127\.|\[::1\]|0\.0\.0\.0)/.test(url.hostname)) add(url.hostname, 4);
  return found;
}

function exactPattern(secrets: ReadonlySet<string>): RegExp {
  const forms = [...secrets].flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
  ]);
  // Longest first: a part of a longer secret must not leave the rest.
  const parts = [...new Set(forms)]
    .sort((a, b) => b.length - a.length)
    .map((form) => form.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
  return new RegExp(parts.join('|'), 'gi');
}

/** Letters and digits in a row that give a secret away. */
const GRAM = 8;
/** Separators allowed inside a secret that was split. */
const MAX_SEPARATORS = 3;

/** Every run of `GRAM` letters and digits of the secrets and of their base64 forms. */
function gramsOf(secrets: ReadonlySet<string>): ReadonlySet<string> {
  const grams = new Set<string>();
  const add = (text: string): void => {
    const run = text.toLowerCase().replace(/[^a-z0-9]/g, '');
    for (let at = 0; at + GRAM <= run.length; at++) grams.add(run.slice(at, at + GRAM));
  };
  for (const secret of secrets) {
    if (secret.length < GRAM || isUrlText(secret)) continue;
    add(secret);
    // Base64 of a secret inside a longer text: three alignments, without the characters its neighbours share.
    for (const before of [0, 1, 2]) {
      const base64 = Buffer.from(' '.repeat(before) + secret)
        .toString('base64')
        .replace(/=+$/, '');
      add(base64.slice(before === 0 ? 0 : before + 1, -2));
    }
  }
  return grams;
}

/** Whole URLs and paths are covered by their parts; their scheme and common words are no secret. */
function isUrlText(secret: string): boolean {
  return secret.includes('/') || secret.includes('?');
}

/** Masks every part of a text that holds a gram, regardless of case, escapes and separators. */
function maskParts(text: string, grams: ReadonlySet<string>): string {
  if (grams.size === 0) return text;
  let masked = '';
  let copied = 0;
  let run = '';
  /** Start and end of each character of `run` in the text. */
  let places: [start: number, end: number][] = [];
  let separators = 0;
  const reset = (): void => {
    run = '';
    places = [];
    separators = 0;
  };
  for (let at = 0; at < text.length; ) {
    const [character, end] = characterAt(text, at);
    if (/[A-Za-z0-9]/.test(character)) {
      run += character.toLowerCase();
      places.push([at, end]);
      separators = 0;
      if (run.length >= GRAM && grams.has(run.slice(-GRAM))) {
        const start = Math.max(copied, places.at(-GRAM)![0]);
        if (start > copied || masked === '') masked += text.slice(copied, start) + MASK;
        copied = end;
      }
    } else if (!/[\s._+/\\-]/.test(character) || ++separators > MAX_SEPARATORS) reset();
    at = end;
  }
  return masked + text.slice(copied);
}

/** The character at a position, percent and JSON escapes decoded, and where it ends. */
function characterAt(text: string, at: number): [character: string, end: number] {
  const escape = /^(?:%([0-9a-f]{2})|\\u00([0-9a-f]{2}))/i.exec(text.slice(at, at + 6));
  if (escape) return [String.fromCharCode(parseInt(escape[1] ?? escape[2]!, 16)), at + escape[0].length];
  // An escaped newline separates, its letter is no part of a secret.
  if (/^\\[nrt]/.test(text.slice(at, at + 2))) return [' ', at + 2];
  return [text[at]!, at + 1];
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
