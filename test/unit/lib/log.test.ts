import { describe, expect, it } from 'vitest';
import { createLog, createRedact } from '../../../src/lib/log.ts';

const URL_ = 'https://us%65r:p%40ss"word@node.example:8545/v3/0123456789abcdef?apikey=k3y-value&x=1';

describe('createRedact', () => {
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
    const hidden = createRedact([URL_])(`before ${text} after`);
    expect(hidden).toContain('[redacted]');
    for (const secret of ['node.example', 'p@ss', 'p%40ss', '0123456789abcdef', 'k3y-value'])
      expect(hidden).not.toContain(secret);
  });

  it('leaves everything else alone', () => {
    const redact = createRedact([URL_, 'http://127.0.0.1:8545', 'http://localhost:8545/']);
    const text = 'listening on http://127.0.0.1:3000 / v3 of 0x0123';
    expect(redact(text)).toBe(text);
    expect(createRedact([])(text)).toBe(text);
  });
});

describe('createLog', () => {
  it('redacts every line, errors and their causes included', () => {
    const lines: string[] = [];
    const log = createLog({
      level: 'trace',
      redact: createRedact([URL_]),
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
