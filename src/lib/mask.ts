import { decoded, separateCredentials } from './credentials.ts';

/** Masks every part of the given URLs that may be a secret. */
export type Mask = (text: string) => string;

const MASK = '[redacted]';

/**
 * The mask for the URLs of nodes, price sources and collectors: user, password, path, its segments, query
 * values and host (loopback apart) vanish in either case, percent-encoded, as JSON escapes, in base64, with
 * separators inside, and cut short. All output besides reports passes through it.
 */
export function createMask(urls: readonly string[]): Mask {
  // Longest first: a part of a longer secret must not leave the rest.
  const secrets = [...new Set(urls.flatMap(secretsOf))]
    .sort((a, b) => b.length - a.length)
    .map((secret) => ({ secret, letters: lettersOf(secret.slice(0, RECOGNISABLE)) }));
  const patterns = new Map<string, RegExp>();
  return (text) => {
    // Few lines hold a secret: patterns are searched for, and made, only where its letters are there.
    const letters = lettersOf(text);
    let masked = text;
    for (const { secret, letters: beginning } of secrets) {
      if (!letters.includes(beginning)) continue;
      const pattern = patterns.get(secret) ?? new RegExp(patternOf(secret), 'gi');
      patterns.set(secret, pattern);
      masked = masked.replace(pattern, MASK);
    }
    return masked;
  };
}

/** The letters and digits alone, escapes resolved: equal for all disguises of one secret. */
function lettersOf(text: string): string {
  const resolved = text.replace(/%([0-9a-f]{2})|\\u00([0-9a-f]{2})|\\[nrt]/gi, (_, percent, json) =>
    String.fromCharCode(parseInt(String(percent ?? json ?? '20'), 16)),
  );
  return resolved.replace(/[^a-z0-9]+/gi, '').toLowerCase();
}

/** Every part of a URL that may be secret, as written and decoded, with base64 of the longer ones. */
function secretsOf(text: string): string[] {
  const found: string[] = [];
  const add = (value: string, minimum: number): void => {
    for (const form of new Set([value, decoded(value)])) {
      if (form.length < minimum) continue;
      found.push(form);
      if (form.length >= RECOGNISABLE && !form.includes('/')) found.push(...base64Of(form));
    }
  };
  add(text, 1);
  if (!URL.canParse(text)) return found;
  const url = new URL(text);
  add(url.href, 1);
  add(url.username, 3);
  add(url.password, 1);
  add(separateCredentials(text).headers['authorization']?.slice('Basic '.length) ?? '', 1);
  add(url.pathname, 6);
  add(url.search, 4);
  for (const segment of url.pathname.split('/')) add(segment, 6);
  for (const value of url.searchParams.values()) add(value, 4);
  if (!isLoopback(url)) add(url.hostname, 4);
  return found;
}

function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|127\.|\[::1\]|0\.0\.0\.0)/.test(hostname);
}

/** Base64 of a secret inside a longer text: three alignments, without the characters its neighbours share. */
function base64Of(secret: string): string[] {
  return [0, 1, 2].map((before) => {
    const base64 = Buffer.from(' '.repeat(before) + secret).toString('base64');
    return base64.replace(/=+$/, '').slice(before === 0 ? 0 : before + 1, -2);
  });
}

/** Characters that give a longer secret away: nodes and limits cut texts short. */
const RECOGNISABLE = 8;

/** One secret, its characters escaped in any way. A longer one may hold separators, and miss its end. */
function patternOf(secret: string): string {
  const characters = [...secret].map(characterPattern);
  if (secret.length < RECOGNISABLE || /[/?]/.test(secret)) return characters.join('');
  const known = characters.slice(0, RECOGNISABLE).join(SEPARATORS);
  const rest = characters.slice(RECOGNISABLE);
  return known + rest.reduceRight((inner, next) => `(?:${SEPARATORS}${next}${inner})?`, '');
}

const SEPARATORS = String.raw`(?:\\[nrt]|\\(?!u00)|[\s._+/-]){0,3}`;

function characterPattern(character: string): string {
  const plain = character.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
  const encoded = Buffer.from(character).toString('hex').replace(/../g, '%$&');
  const code = character.charCodeAt(0).toString(16).padStart(4, '0');
  return `(?:${encoded}|\\\\u${code}|${plain}${/["\\]/.test(character) ? `|\\\\${plain}` : ''})`;
}

/** Passes standard error of this process through a mask, its last words included. */
export function maskStandardError(mask: Mask): void {
  const write = process.stderr.write.bind(process.stderr) as (text: unknown, ...rest: unknown[]) => boolean;
  process.stderr.write = (text: unknown, ...rest: unknown[]) =>
    write(typeof text === 'string' ? mask(text) : text, ...rest);
  process.once('uncaughtException', (error) => {
    process.stderr.write(`${error.stack ?? String(error)}\n`);
    process.exit(1);
  });
}
