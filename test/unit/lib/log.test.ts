import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../../src/lib/log.ts';
import { createMask } from '../../../src/lib/mask.ts';

const URL_ = 'https://us%65r:p%40ss"word@node.example:8545/v3/0123456789abcdef?apikey=k3y-value&x=1';

describe('createMask', () => {
  it.each([
    ['the URL', URL_],
    ['its host', 'getaddrinfo ENOTFOUND node.example'],
    ['user', 'us%65r'],
    ['password raw', 'p%40ss%22word'],
    ['password decoded', 'p@ss"word'],
    ['basic credentials', Buffer.from('user:p@ss"word').toString('base64')],
    ['path key', 'project 0123456789abcdef exceeded'],
    ['query key', 'k3y-value'],
  ])('hides %s', (_, text) => {
    const hidden = createMask([URL_])(`before ${text} after`);
    expect(hidden).toContain('[redacted]');
    for (const secret of ['node.example', 'p@ss', 'p%40ss', '0123456789abcdef', 'k3y-value'])
      expect(hidden).not.toContain(secret);
  });

  it('leaves everything else alone', () => {
    const redact = createMask([URL_, 'http://127.0.0.1:8545', 'http://localhost:8545/']);
    const text = 'listening on http://127.0.0.1:3000 / v3 of 0x0123';
    expect(redact(text)).toBe(text);
    expect(createMask([])(text)).toBe(text);
  });
});

/** How a key may come back in what a node or a library says. */
const FORMS: Record<string, (secret: string, padding: string) => string> = {
  'as it is': (secret) => secret,
  'in upper case': (secret) => secret.toUpperCase(),
  'in base64': (secret) => Buffer.from(secret).toString('base64'),
  'in base64 of a longer text': (secret, padding) =>
    Buffer.from(`${padding}${secret}${padding}`).toString('base64'),
  'percent-encoded': (secret) =>
    [...secret].map((c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`).join(''),
  'as JSON escapes': (secret) =>
    [...secret].map((c) => `\\u00${c.charCodeAt(0).toString(16).padStart(2, '0')}`).join(''),
  'split over lines': (secret) => secret.replace(/.{5}/g, '$&\n'),
  'split by dashes': (secret) => secret.replace(/.{3}/g, '$&-'),
  'cut short': (secret) => secret.slice(0, -2),
};
const PARTS: Record<string, (secret: string) => string> = {
  user: (secret) => `https://${secret}@n.example/`,
  password: (secret) => `https://u:${secret}@n.example/`,
  path: (secret) => `https://n.example/v3/${secret}/rpc`,
  query: (secret) => `https://n.example/?key=${secret}`,
  host: (secret) => `https://${secret}.example/`,
};

describe.each(Object.entries(PARTS))('a secret as %s of a URL', (part, url) => {
  it.each(Object.entries(FORMS))('is hidden %s', (_, disguise) => {
    const key = fc.stringMatching(/^[a-z][a-z0-9]{15,39}$/);
    fc.assert(
      fc.property(key, fc.stringMatching(/^[a-z ]{0,7}$/), (secret, padding) => {
        const disguised = disguise(secret, padding);
        const said = createMask([url(secret)])(`{"msg":"#${disguised}#","n":1}`);
        expect(said).toContain('[redacted]');
        expect(said.startsWith(`{"msg":"#`) && said.endsWith(`#","n":1}`)).toBe(true);
        // What is left of it, at either end, is too short to be of use.
        expect(said.length).toBeLessThan('{"msg":"##","n":1}[redacted]'.length + 40);
      }),
      { numRuns: part === 'host' ? 20 : 60 },
    );
  });
});

describe('createLog', () => {
  it('redacts every line, errors and their causes included', () => {
    const lines: string[] = [];
    const log = createLog({
      level: 'trace',
      mask: createMask([URL_]),
      stream: { write: (line) => void lines.push(line) },
    });
    log.error(
      {
        err: new Error(`failed: ${URL_}`, { cause: new Error('p@ss"word') }),
        url: URL_,
        nested: { key: ['0123456789abcdef'] },
      },
      `to ${URL_}`,
    );
    expect(lines).toHaveLength(1);
    const line = JSON.parse(lines[0]!) as { msg: string; level: number };
    expect(line.msg).toBe('to [redacted]');
    for (const secret of ['node.example', 'p@ss', '0123456789abcdef', 'k3y-value'])
      expect(lines[0]).not.toContain(secret);
  });
});
