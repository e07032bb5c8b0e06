import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AnalysisError, ERROR_TEXT, type ErrorCode } from '../../src/lib/errors.ts';
import { startServer } from '../../src/service/main.ts';
import type { RunningServer } from '../../src/service/server.ts';
import { HASH_OF, startRecordedNode } from '../cli/recordedNode.ts';
import type { FakeNode } from '../support/fakeNode.ts';
import { DOCUMENT, TEXT, documentedAnswers, faultsBy, valueOf } from './document.ts';

const SWAP = HASH_OF['swap-v2-eth-usdc']!;
const answers = documentedAnswers();

interface Received {
  status: number;
  type: string;
  body: string;
  headers: Record<string, string | string[] | undefined>;
}

let node: FakeNode;
let service: RunningServer;
let failing: RunningServer;
let impatient: RunningServer;
let failWith: ErrorCode = 'internal';
beforeAll(async () => {
  node = await startRecordedNode();
  const quiet = { rpcUrl: node.url, host: '127.0.0.1', port: 0, logLevel: 'silent' } as const;
  service = await startServer(quiet);
  failing = await startServer({
    ...quiet,
    createAnalyze: () => () => Promise.reject(new AnalysisError(failWith)),
  });
  impatient = await startServer({
    ...quiet,
    headersTimeoutMs: 100,
    requestTimeoutMs: 100,
    createAnalyze: () => () => Promise.reject(new AnalysisError('internal')),
  });
});
afterAll(() => Promise.all([service, failing, impatient, node].map((one) => one?.close())));

function send(
  method: string,
  path: string,
  body: string | Buffer = '',
  headers: Record<string, string> = {},
  server = service,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${server.url}${path}`, { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          type: response.headers['content-type']!,
          body: text,
          headers: response.headers,
        }),
      );
    });
    request.on('error', reject).end(body);
  });
}
const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
  send('POST', '/analyze', body, { 'content-type': 'application/json', ...headers });

/** What a server says to bytes that no HTTP client would send. */
function raw(server: RunningServer, text: string, half = false): Promise<Received> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true }, () =>
      half ? socket.end(text) : socket.write(text),
    );
    socket
      .setEncoding('utf8')
      .on('data', (part: string) => (answer += part))
      .on('error', reject)
      .on('close', done)
      .on('end', () => socket.end());
    function done(): void {
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      const headers = Object.fromEntries(
        head
          .split('\r\n')
          .slice(1)
          .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
      );
      resolve({ status: Number(head.split(' ')[1]), type: headers['content-type'] ?? '', body, headers });
    }
  });
}

/** How each documented answer is brought about. */
const DRIVES: Record<string, () => Promise<Received>> = {
  'GET /health 200 ok': () => send('GET', '/health'),
  'GET /health 404 path': () => send('GET', '/healthz'),
  'GET /health 405 method': () => send('POST', '/health'),
  'POST /analyze 200 swap': () => post(JSON.stringify({ tx_hash: SWAP })),
  'POST /analyze 400 invalid_hash': () => post('{"tx_hash":"0x12"}'),
  'POST /analyze 400 unsupported_chain': () => post(JSON.stringify({ tx_hash: SWAP, chain: 'base' })),
  'POST /analyze 400 no_hash': () => post('{}'),
  'POST /analyze 400 chain_no_string': () => post(JSON.stringify({ tx_hash: SWAP, chain: 1 })),
  'POST /analyze 400 no_json': () => post('{"tx_hash":'),
  'POST /analyze 400 no_object': () => post('[]'),
  'POST /analyze 400 repeated_key': () => post(`{"tx_hash":"${SWAP}","tx_hash":"${SWAP}"}`),
  'POST /analyze 400 hostile_key': () => post('{"__proto__":{}}'),
  'POST /analyze 400 empty': () => post(''),
  'POST /analyze 400 too_large': () => post(JSON.stringify({ tx_hash: SWAP, pad: 'x'.repeat(17_000) })),
  'POST /analyze 400 no_http': () =>
    raw(
      service,
      'POST /analyze HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"tx',
      true,
    ),
  'POST /analyze 400 no_utf8': () => post(Buffer.from([0x7b, 0xff, 0x7d])),
  'POST /analyze 400 charset': () => post('{}', { 'content-type': 'application/json; charset=latin1' }),
  'POST /analyze 400 compressed': () => post('{}', { 'content-encoding': 'gzip' }),
  'POST /analyze 400 content_type': () => post('{}', { 'content-type': 'text/plain' }),
  'POST /analyze 404 path': () => send('POST', '/analyse', '{}', { 'content-type': 'application/json' }),
  'POST /analyze 405 method': () => send('GET', '/analyze'),
  'POST /analyze 408 slow': () => raw(impatient, 'POST /analyze HTTP/1.1\r\nHost: x\r\n'),
  'POST /analyze 431 headers': () =>
    raw(service, `POST /analyze HTTP/1.1\r\nHost: x\r\nX-Pad: ${'x'.repeat(20_000)}\r\n\r\n`),
  'POST /analyze 501 coding': () =>
    raw(service, 'POST /analyze HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'),
  'POST /analyze 502 transaction_not_found': () => post(JSON.stringify({ tx_hash: `0x${'ab'.repeat(32)}` })),
};
/** Of a preview alone: no answer over HTTP. */
const isOfPreviews = (code: string): boolean => code.startsWith('simulation_');

for (const code of (Object.keys(ERROR_TEXT) as ErrorCode[]).filter((one) => !isOfPreviews(one))) {
  DRIVES[`POST /analyze 502 ${code}`] ??= () => {
    failWith = code;
    return send(
      'POST',
      '/analyze',
      JSON.stringify({ tx_hash: SWAP }),
      { 'content-type': 'application/json' },
      failing,
    );
  };
}

describe('schemas/openapi.yaml', () => {
  it('is an OpenAPI 3.1 document', async () => {
    const validator = new Validator();
    for (const name of ['analyze-request', 'error', 'tx-report']) {
      const ref = `http/${name}.schema.json`;
      await validator.addSpecRef(
        JSON.parse(readFileSync(new URL(`../../schemas/${ref}`, import.meta.url), 'utf8')) as Record<
          string,
          unknown
        >,
        ref,
      );
    }
    expect(await validator.validate(TEXT)).toMatchObject({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('refers to the published schemas and repeats none of them', () => {
    const refs = [...TEXT.matchAll(/\$ref: (?!'#)(\S+)/g)].map(([, ref]) => ref!);
    expect([...new Set(refs)].sort()).toEqual([
      'http/analyze-request.schema.json',
      'http/error.schema.json',
      'http/tx-report.schema.json',
    ]);
    for (const ref of refs)
      expect(() => readFileSync(new URL(`../../schemas/${ref}`, import.meta.url))).not.toThrow();
  });

  it('tells every failure there is', () => {
    const told = answers
      .filter(({ status }) => status === 502)
      .map(({ example }) => (example as { error: string }).error);
    const ofAnalyses = Object.entries(ERROR_TEXT).filter(([code]) => !isOfPreviews(code));
    expect(told).toEqual(ofAnalyses.map(([, text]) => `analysis failed: ${text}`));
  });

  it('gives requests that are valid', () => {
    const media = DOCUMENT.paths['/analyze']!['post']!.requestBody!.content['application/json']!;
    for (const example of Object.values(media.examples!))
      expect(faultsBy(media, valueOf(example))).toEqual([]);
  });

  it.each(answers.map((answer) => [answer.key, answer] as const))(
    '%s: the example fits its schema',
    (_, { media, example }) => {
      expect(faultsBy(media, example)).toEqual([]);
    },
  );

  it('documents nothing the service does not do, and drives all it documents', () => {
    expect(Object.keys(DRIVES).sort()).toEqual(answers.map(({ key }) => key).sort());
  });
});

describe('the running service', () => {
  it.each(answers.map((answer) => [answer.key, answer] as const))(
    'answers as documented: %s',
    async (key, { status, type, media, example, headers }) => {
      const received = await DRIVES[key]!();
      expect(received.status, received.body).toBe(status);
      expect(received.type.split(';')[0]).toBe(type);
      const body: unknown = type === 'application/json' ? JSON.parse(received.body) : received.body;
      expect(faultsBy(media, body)).toEqual([]);
      // Reports name the rules in force, which change oftener than the shape of a report.
      if (status === 200 && type === 'application/json') expect(shapeOf(body)).toEqual(shapeOf(example));
      else expect(body).toEqual(example);
      if (key.endsWith('no_http')) return;
      for (const header of headers)
        if (header !== 'Retry-After' || key.endsWith('overloaded'))
          expect(received.headers, header).toHaveProperty([header.toLowerCase()]);
    },
  );

  it('lets browsers send and read what is documented', async () => {
    const preflight = await send('OPTIONS', '/analyze', '', {
      origin: 'https://app.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,x-api-key',
    });
    expect(preflight.status).toBe(204);
    const answer = await send('POST', '/analyze', JSON.stringify({ tx_hash: SWAP }), {
      'content-type': 'application/json',
      origin: 'https://app.example',
      'x-api-key': 'anything',
    });
    expect(answer.status).toBe(200);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(answer.headers['access-control-expose-headers']).toMatch(/Retry-After.*X-Request-Id/i);
  });
});

/** Keys and types, lists by their first element. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));
  return value === null ? null : typeof value;
}
