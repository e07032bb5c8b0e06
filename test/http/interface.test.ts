import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { createApp } from '../../src/service/app.ts';
import { AnalysisError, ERROR_TEXT, type ErrorCode } from '../../src/lib/errors.ts';
import { createLog } from '../../src/lib/log.ts';
import type { Analyze } from '../../src/service/http/analyze.ts';

const HASH = `0x${'5c'.repeat(32)}`;
const log = createLog({ level: 'silent' });
const answering: Analyze = (hash) =>
  Promise.resolve({ json: JSON.stringify({ schema_version: 1, tx: { hash } }), intentKind: 'DirectSwap' });
const failing =
  (error: unknown): Analyze =>
  () =>
    Promise.reject(error as Error);
const app = (analyze: Analyze = answering) => createApp({ analyze, log });
const post = (body: string | object, analyze?: Analyze) =>
  request(app(analyze)).post('/analyze').set('Content-Type', 'application/json').send(body);

describe('GET /health', () => {
  it('answers ok as plain text, whatever the upstream does', async () => {
    const response = await request(app(failing(new Error('down'))))
      .get('/health')
      .expect(200)
      .expect('Content-Type', /^text\/plain/);
    expect(response.text).toBe('ok');
    expect(response.headers).not.toHaveProperty('x-powered-by');
    expect(response.headers).not.toHaveProperty('etag');
  });
});

describe('POST /analyze', () => {
  it.each([
    {},
    { chain: 'ethereum' },
    { chain: 'mainnet' },
    { chain: 'eth' },
    { chain: '1' },
    { note: 'unknown keys are tolerated', nested: { tx_hash: 1, tx_hash2: [{ a: '"' }] } },
  ])('answers the report for %j', async (extra) => {
    const response = await post({ tx_hash: HASH, ...extra })
      .expect(200)
      .expect('Content-Type', /^application\/json/);
    expect(response.body).toEqual({ schema_version: 1, tx: { hash: HASH } });
    expect(response.headers).not.toHaveProperty('etag');
  });

  it.each(['gzip', 'br', 'identity'])('answers a long report with content encoding %s', async (encoding) => {
    const json = JSON.stringify({ schema_version: 1, text: 'report '.repeat(10_000) });
    for (const whole of [json, [Buffer.from(json.slice(0, 40_000)), Buffer.from(json.slice(40_000))]]) {
      const long: Analyze = () => Promise.resolve({ json: whole, intentKind: 'DirectSwap' });
      const server = app(long).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const response = await fetch(`http://127.0.0.1:${port}/analyze`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'accept-encoding': encoding },
        body: JSON.stringify({ tx_hash: HASH }),
      });
      expect(response.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding);
      expect(response.headers.get('vary')).toContain('Accept-Encoding');
      expect(await response.text()).toBe(json);
      server.close();
    }
  });

  it('takes a charset parameter', async () => {
    await request(app())
      .post('/analyze')
      .set('Content-Type', 'application/json; charset=utf-8')
      .send(JSON.stringify({ tx_hash: HASH }))
      .expect(200);
  });

  it.each([
    ['short', '0x12', '4 characters, expected 66'],
    ['empty', '', '0 characters, expected 66'],
    ['upper-case', HASH.toUpperCase().replace('0X', '0x'), 'upper case, expected lower case'],
    ['with 0X', HASH.replace('0x', '0X'), 'upper case, expected lower case'],
    ['without prefix', HASH.slice(2), '64 characters, expected 66'],
    ['too long', `${HASH}0`, '67 characters, expected 66'],
    ['with spaces', ` ${HASH.slice(1)}`, 'not 0x and 64 hexadecimal digits'],
    ['with a letter O', `${HASH.slice(0, 65)}o`, 'not 0x and 64 hexadecimal digits'],
    ['cut', HASH.slice(0, 65), '65 characters, expected 66'],
    ['an address', HASH.slice(0, 42), 'an address'],
  ])('refuses a hash that is %s in the words of the interface and says why', async (_, hash, why) => {
    const response = await post({ tx_hash: hash })
      .expect(400)
      .expect('Content-Type', /^application\/json/);
    expect(response.body).toEqual({ error: `invalid tx_hash \`${hash}\`, ${why}` });
  });

  it.each(['base', 'ETHEREUM', '', ' eth', '0x1', 'constructor'])(
    'refuses chain %j in the words of the interface',
    async (chain) => {
      expect((await post({ tx_hash: HASH, chain }).expect(400)).body).toEqual({
        error: `unsupported chain \`${chain}\``,
      });
    },
  );

  it('names the hash when hash and chain are both wrong', async () => {
    expect((await post({ tx_hash: 'x', chain: 'y' }).expect(400)).body).toEqual({
      error: 'invalid tx_hash `x`, 1 character, expected 66',
    });
  });

  it.each<[string, string, RegExp]>([
    ['broken JSON', '{"tx_hash": ', /not valid JSON/],
    ['a list', '[]', /not a JSON object/],
    ['null', 'null', /not a JSON object/],
    ['a string', `"${HASH}"`, /not a JSON object/],
    ['nothing', '', /empty/],
    ['no hash', '{}', /tx_hash is required/],
    ['a number as hash', '{"tx_hash": 5}', /invalid tx_hash `5`, not a string/],
    ['null as hash', '{"tx_hash": null}', /invalid tx_hash `null`, not a string/],
    ['an object as hash', `{"tx_hash": {"toString": "x"}}`, /invalid tx_hash/],
    ['a number as chain', `{"tx_hash": "${HASH}", "chain": 1}`, /chain must be a string/],
    ['null as chain', `{"tx_hash": "${HASH}", "chain": null}`, /chain must be a string/],
    ['a list as chain', `{"tx_hash": "${HASH}", "chain": ["eth"]}`, /chain must be a string/],
    ['a repeated key', `{"tx_hash": "x", "tx_hash": "${HASH}"}`, /`tx_hash` is repeated/],
    ['a repeated key in disguise', `{"tx_hash": "x", "tx\\u005fhash": "${HASH}"}`, /`tx_hash` is repeated/],
    ['__proto__', `{"__proto__": {"tx_hash": "${HASH}"}}`, /__proto__/],
    ['__proto__ in disguise', `{"tx_hash": "${HASH}", "__pr\\u006fto__": null}`, /__proto__/],
    ['trailing text', `{"tx_hash": "${HASH}"} {}`, /not valid JSON/],
  ])('refuses %s as malformed', async (_, body, message) => {
    const response = await post(body)
      .expect(400)
      .expect('Content-Type', /^application\/json/);
    expect(Object.keys(response.body as object)).toEqual(['error']);
    expect((response.body as { error: string }).error).toMatch(message);
  });

  it('accepts 16 KiB and refuses more', async () => {
    const of = (size: number) => `{"tx_hash":"${HASH}","pad":"${'x'.repeat(size - 89)}"}`;
    expect(of(16_384)).toHaveLength(16_384);
    await post(of(16_384)).expect(200);
    expect((await post(of(16_385)).expect(400)).body).toEqual({
      error: 'malformed request body: over 16 KiB',
    });
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'multipart/form-data; boundary=x',
  ])('refuses content type %s', async (type) => {
    expect(
      (
        await request(app())
          .post('/analyze')
          .set('Content-Type', type)
          .send(JSON.stringify({ tx_hash: HASH }))
          .expect(400)
      ).body,
    ).toEqual({ error: 'content type must be application/json' });
  });

  it('refuses a compressed body and an unknown charset', async () => {
    expect(
      (
        await request(app())
          .post('/analyze')
          .set('Content-Type', 'application/json')
          .set('Content-Encoding', 'gzip')
          .send('{}')
          .expect(400)
      ).body,
    ).toMatchObject({ error: /encoding/ });
    expect(
      (
        await request(app())
          .post('/analyze')
          .set('Content-Type', 'application/json; charset=klingon')
          .send('{}')
          .expect(400)
      ).body,
    ).toMatchObject({ error: /charset/ });
  });

  it('bounds and cleans what it repeats', async () => {
    const long = ((await post({ tx_hash: 'x'.repeat(10_000) }).expect(400)).body as { error: string }).error;
    expect(long).toBe(`invalid tx_hash \`${'x'.repeat(100)}…\`, 10000 characters, expected 66`);
    const odd = (
      (await post(`{"tx_hash": "a\\u0000\\u202eb\\ud800c\\n\\u2028"}`).expect(400)).body as { error: string }
    ).error;
    expect(odd).toBe('invalid tx_hash `a\ufffd\ufffdb\ufffdc\ufffd\ufffd`, 8 characters, expected 66');
  });

  it.each(Object.keys(ERROR_TEXT) as ErrorCode[])('maps %s to 502', async (code) => {
    const response = await post(
      { tx_hash: HASH },
      failing(new AnalysisError(code, null, { cause: new Error('http://user:secret@node/') })),
    )
      .expect(502)
      .expect('Content-Type', /^application\/json/);
    expect(response.body).toEqual({ error: `analysis failed: ${ERROR_TEXT[code]}` });
    expect(response.headers['retry-after']).toBe(['overloaded', 'stopping'].includes(code) ? '1' : undefined);
  });

  it('adds the detail of a failure, and nothing of an unforeseen one', async () => {
    expect(
      (await post({ tx_hash: HASH }, failing(new AnalysisError('upstream_http', 'HTTP 500'))).expect(502))
        .body,
    ).toEqual({ error: 'analysis failed: the upstream node answered with an HTTP error: HTTP 500' });
    expect(
      (await post({ tx_hash: HASH }, failing(new Error('secret http://user:pass@host'))).expect(502)).body,
    ).toEqual({ error: 'analysis failed: internal error' });
    expect(
      (
        await post({ tx_hash: HASH }, () => {
          throw new TypeError('sync');
        }).expect(502)
      ).body,
    ).toEqual({ error: 'analysis failed: internal error' });
  });
});

describe('everything else', () => {
  it.each([
    ['put', '/analyze', 'POST, OPTIONS'],
    ['get', '/analyze', 'POST, OPTIONS'],
    ['delete', '/analyze', 'POST, OPTIONS'],
    ['post', '/health', 'GET, HEAD, OPTIONS'],
    ['delete', '/health', 'GET, HEAD, OPTIONS'],
  ] as const)('refuses %s %s', async (method, path, allow) => {
    const response = await request(app())
      [method](path)
      .expect(405)
      .expect('Allow', allow)
      .expect('Content-Type', /^application\/json/);
    expect(response.body).toEqual({ error: 'method not allowed' });
  });

  it.each(['/', '/analyze/x', '/metrics', '/ready', '/Health', '/%E0%A4%A', '/__proto__'])(
    'knows no %s',
    async (path) => {
      const response = await request(app())
        .get(path)
        .expect('Content-Type', /^application\/json/);
      expect([400, 404]).toContain(response.status);
      expect(typeof (response.body as { error: unknown }).error).toBe('string');
    },
  );

  it('lets browsers in from anywhere', async () => {
    const preflight = await request(app())
      .options('/analyze')
      .set('Origin', 'https://app.example')
      .set('Access-Control-Request-Method', 'POST')
      .set('Access-Control-Request-Headers', 'content-type,x-api-key')
      .expect(204);
    expect(preflight.headers['access-control-allow-origin']).toBe('*');
    expect(preflight.headers['access-control-allow-methods']).toContain('POST');
    const allowed = preflight.headers['access-control-allow-headers']!.toLowerCase();
    expect(allowed).toContain('content-type');
    expect(allowed).toContain('x-api-key');
    for (const response of [
      await post({ tx_hash: HASH }),
      await post('x'),
      await request(app()).get('/nothing'),
    ]) {
      expect(response.headers['access-control-allow-origin']).toBe('*');
    }
  });
});
