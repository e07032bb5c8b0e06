// Bytes that a stranger writes to the service's socket, and the statuses it must answer, in order.
import { connect } from 'node:net';

const HASH = `0x${'5c'.repeat(32)}`;
const BODY = JSON.stringify({ tx_hash: HASH.slice(0, -1) });
const CHUNKED = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
const HEALTH = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n';

export interface SocketAttack {
  readonly name: string;
  readonly bytes: string | Buffer;
  /** Statuses of the answers, in order; 400 is that of the request `post` makes when it is read as it should. */
  readonly statuses: readonly number[];
  /** The service may close the connection before the last answers. */
  readonly mayEnd?: boolean;
  /** Closes its own side after writing. */
  readonly half?: boolean;
}

const post = (headers: string, body = BODY): string =>
  `POST /analyze HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`;
const sized = (type: string, body = BODY): string =>
  `POST /analyze HTTP/1.1\r\nHost: x\r\n${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const get = (target: string, headers = ''): string => `GET ${target} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
const LENGTH = `Content-Length: ${BODY.length}`;

/** Two readers of one request disagree where it ends: refused, never read in one of the two ways. */
const SMUGGLED: Readonly<Record<string, string>> = {
  'length and chunks': post(`${LENGTH}\r\nTransfer-Encoding: chunked`, `0\r\n\r\n${HEALTH}`),
  'chunks and length': post(`Transfer-Encoding: chunked\r\n${LENGTH}`, `0\r\n\r\n${HEALTH}`),
  'two lengths': post(`${LENGTH}\r\nContent-Length: 0`, BODY + HEALTH),
  'one length twice': post(`${LENGTH}\r\n${LENGTH}`),
  'a list of lengths': post(`Content-Length: ${BODY.length}, 0`),
  'a signed length': post(`Content-Length: +${BODY.length}`),
  'a negative length': post('Content-Length: -1'),
  'a hexadecimal length': post('Content-Length: 0x10'),
  'a length of 23 digits': post('Content-Length: 99999999999999999999999'),
  'a space after the name': post(`Content-Length : ${BODY.length}`),
  'chunks twice': post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', CHUNKED),
  'chunks before another coding': post('Transfer-Encoding: chunked, identity', CHUNKED),
  'a folded header': post('Transfer-Encoding:\r\n chunked', CHUNKED),
  'a negative chunk': post('Transfer-Encoding: chunked', `-1\r\n${BODY}\r\n0\r\n\r\n`),
  'a chunk of 18 digits': post('Transfer-Encoding: chunked', `ffffffffffffffffff\r\n${BODY}\r\n0\r\n\r\n`),
  'chunks with bare line feeds': post('Transfer-Encoding: chunked', CHUNKED.replaceAll('\r', '')),
  'a chunk extension of 40 KB': post('Transfer-Encoding: chunked', `0;a=${'b'.repeat(40_000)}\r\n\r\n`),
  'bare line feeds': HEALTH.replaceAll('\r', ''),
  'bare carriage returns': HEALTH.replaceAll('\n', ''),
  'a NUL in a header': get('/health', 'X: a\0b\r\n'),
  'a header without a name': get('/health', ': b\r\n'),
  'a space in a name': get('/health', 'A b: c\r\n'),
  'a NUL in the path': get('/health\0'),
  'no host': 'GET /health HTTP/1.1\r\n\r\n',
  'two hosts': get('/health', 'Host: y\r\n'),
  'a path with raw UTF-8': get('/hé'),
  'a backslash': get('\\health'),
  'an absolute address that is none': get('http://[::/health'),
  'a method in lower case': HEALTH.toLowerCase(),
  'an unknown method': HEALTH.replace('GET', 'FOO'),
  'HTTP/1.2': HEALTH.replace('1.1', '1.2'),
  'the HTTP/2 preface': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0',
  'a line of noise': 'this is not HTTP\r\n\r\n',
  'two content types': sized('Content-Type: application/json\r\nContent-Type: text/plain'),
  'two charsets': sized('Content-Type: application/json; charset=utf-8; charset=utf-16'),
  'a charset with spaces': sized('Content-Type: application/json; charset = utf-16'),
  'an extended charset': sized("Content-Type: application/json; charset*=us-ascii''utf-16"),
  'two encodings': sized(
    'Content-Type: application/json\r\nContent-Encoding: identity\r\nContent-Encoding: gzip',
  ),
  'two byte order marks': sized('Content-Type: application/json', `\ufeff\ufeff${BODY}`),
  'a lone surrogate': sized('Content-Type: application/json', '{"tx_hash":"\\ud800"}'),
  'a key of lone surrogates': sized('Content-Type: application/json', '{"\\udfff\\ud800":1}'),
  constructor: sized('Content-Type: application/json', `{"constructor":{"prototype":{"tx_hash":"${HASH}"}}}`),
  'an escaped __proto__': sized(
    'Content-Type: application/json',
    `{"\\u005f_proto__":{"tx_hash":"${HASH}"}}`,
  ),
  'content type after 2,100 headers': sized(`${'a:b\r\n'.repeat(2_100)}Content-Type: application/json`),
};

const ONE_STATUS: readonly (readonly [name: string, bytes: string | Buffer, status: number])[] = [
  ['gzip before chunks', post('Transfer-Encoding: gzip, chunked', CHUNKED), 501],
  ['an unknown coding', post('Transfer-Encoding: xchunked', CHUNKED), 501],
  ['identity as a coding', post('Transfer-Encoding: identity'), 501],
  ['HTTP/0.9', 'GET /health\r\n\r\n', 505],
  ['HTTP/2.0 on a line', HEALTH.replace('1.1', '2.0'), 505],
  ['HTTP/1.0', 'GET /health HTTP/1.0\r\n\r\n', 200],
  ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
  ['CONNECT with a path', 'CONNECT /analyze HTTP/1.1\r\nHost: x\r\n\r\n', 405],
  ['TRACE', 'TRACE /analyze HTTP/1.1\r\nHost: x\r\nX-Secret: s3cret\r\n\r\n', 405],
  ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n', 404],
  ['OPTIONS of a preflight', 'OPTIONS /analyze HTTP/1.1\r\nHost: x\r\nOrigin: http://y\r\n\r\n', 204],
  [
    'a preflight of 15 KB',
    get('/analyze', `Access-Control-Request-Headers: ${'x,'.repeat(7_500)}\r\n`).replace('GET', 'OPTIONS'),
    204,
  ],
  ['a preflight of an opaque origin', get('/analyze', 'Origin: null\r\n').replace('GET', 'OPTIONS'), 204],
  [
    'a preflight of two origins',
    get('/analyze', 'Origin: http://a\r\nOrigin: http://b\r\n').replace('GET', 'OPTIONS'),
    204,
  ],
  [
    'a preflight for DELETE',
    get('/analyze', 'Origin: http://a\r\nAccess-Control-Request-Method: DELETE\r\n').replace(
      'GET',
      'OPTIONS',
    ),
    204,
  ],
  [
    'a preflight for a private network',
    get('/analyze', 'Origin: http://a\r\nAccess-Control-Request-Private-Network: true\r\n').replace(
      'GET',
      'OPTIONS',
    ),
    204,
  ],
  [
    'a preflight with a body',
    get('/analyze', `Origin: http://a\r\nContent-Length: 2\r\n`).replace('GET', 'OPTIONS') + 'hi',
    204,
  ],
  ['a preflight of an unlisted path', get('/metrics', 'Origin: http://a\r\n').replace('GET', 'OPTIONS'), 404],
  [
    'headers of a proxy',
    get('/health', 'X-Forwarded-For: ::1\r\nX-Original-URL: /metrics\r\nX-Rewrite-URL: /ready\r\n'),
    200,
  ],
  ['a forwarded host', get('/health', 'X-Forwarded-Host: y\r\nForwarded: for="[::1]";host=y\r\n'), 200],
  ['a path of dots', get('/health/..;/metrics'), 404],
  ['a path escaped twice', get('/%252e%252e/health'), 404],
  [
    'a trace context of noise',
    get(
      '/health',
      `traceparent: 00-${'g'.repeat(32)}-${'0'.repeat(16)}-zz\r\ntracestate: ${'a=b,'.repeat(1_000)}\r\n`,
    ),
    200,
  ],
  ['baggage of 10 KB', get('/health', `baggage: ${'a=b,'.repeat(2_500)}\r\n`), 200],
  ['a method to override', get('/analyze', 'X-HTTP-Method-Override: POST\r\n'), 405],
  ['TLS', Buffer.from('16030100a5010000a10303', 'hex'), 400],
  ['an absolute address', get('http://x/health'), 200],
  ['an absolute address of another host', get('http://y:99/health'), 200],
  ['an absolute address with credentials', get('http://u:p@x/health'), 200],
  ['an absolute address without a path', get('http://x'), 404],
  ['a file address', get('file:///health'), 200],
  ['a network path', get('//x/health'), 404],
  ['a percent-encoded letter', get('/%68ealth'), 404],
  ['a percent-encoded slash', get('/%2fhealth'), 404],
  ['a query', get('/health?__proto__[x]=1&constructor=2'), 200],
  [
    'upgrade to h2c',
    get('/health', 'Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQ\r\n'),
    200,
  ],
  ['upgrade to websocket', get('/health', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'), 200],
  ['If-None-Match', get('/health', 'If-None-Match: *\r\n'), 200],
  ['If-Modified-Since', get('/health', 'If-Modified-Since: Sat, 01 Jan 2050 00:00:00 GMT\r\n'), 200],
  ['If-Match', get('/health', 'If-Match: "a"\r\n'), 200],
  ['Range', get('/health', 'Range: bytes=0-0\r\n'), 200],
  ['3,000 headers', get('/health', 'a:b\r\n'.repeat(3_000)), 200],
  ['a header of 20 KB', get('/health', `X: ${'y'.repeat(20_000)}\r\n`), 431],
  ['headers of prototypes', get('/health', '__proto__: y\r\nconstructor: z\r\n'), 200],
  ['a body to GET', get('/health', 'Content-Length: 2\r\n') + 'hi', 200],
  ['chunks to GET', get('/health', 'Transfer-Encoding: chunked\r\n') + '2\r\nhi\r\n0\r\n\r\n', 200],
  ['an expectation', post(`${LENGTH}\r\nExpect: 200-ok`), 417],
  ['trailers of 1 MB', post('Transfer-Encoding: chunked', `0\r\n${'X: y\r\n'.repeat(200_000)}\r\n`), 431],
  ['a chunk extension', post('Transfer-Encoding: chunked', CHUNKED.replace('\r', ';a=b\r')), 400],
  ['a trailer', post('Transfer-Encoding: chunked', CHUNKED.replace(/\r\n$/, 'Host: y\r\n\r\n')), 400],
  ['nothing of a body', post(LENGTH, ''), 408],
  ['half a header', 'GET /health HTTP/1.1\r\nHost: x\r\nX:', 408],
  ['half a chunk', post('Transfer-Encoding: chunked', 'ff\r\n{'), 408],
];

const SEVERAL: readonly SocketAttack[] = [
  { name: '100-continue', bytes: post(`${LENGTH}\r\nExpect: 100-continue`), statuses: [100, 400] },
  { name: 'empty lines first', bytes: `\r\n\r\n${HEALTH}`, statuses: [200] },
  { name: '60 requests at once', bytes: HEALTH.repeat(60), statuses: Array<number>(60).fill(200) },
  { name: '60 analyses at once', bytes: post(LENGTH).repeat(60), statuses: Array<number>(60).fill(400) },
  {
    name: '20,000 requests at once',
    bytes: HEALTH.repeat(20_000),
    statuses: Array<number>(64).fill(200),
    mayEnd: true,
  },
  { name: 'a request, then noise', bytes: `${HEALTH}noise\r\n\r\n`, statuses: [200] },
  {
    name: 'two analyses, the first without its body',
    bytes: post(LENGTH, '') + post(LENGTH),
    statuses: [400, 400],
    mayEnd: true,
  },
  {
    name: 'a preflight, then an analysis',
    bytes: get('/analyze', 'Origin: http://a\r\n').replace('GET', 'OPTIONS') + post(LENGTH),
    statuses: [204, 400],
  },
  {
    name: 'every method in turn',
    bytes: ['GET', 'PUT', 'PATCH', 'DELETE'].map((verb) => get('/analyze').replace('GET', verb)).join(''),
    statuses: [405, 405, 405, 405],
  },
  { name: 'a half-closed socket', bytes: post(LENGTH), half: true, statuses: [400] },
  { name: 'a half-closed socket in a body', bytes: post(LENGTH, '{'), half: true, statuses: [400] },
];

export const SOCKET_ATTACKS: readonly SocketAttack[] = [
  ...Object.entries(SMUGGLED).map(([name, bytes]) => ({ name, bytes, statuses: [400] })),
  ...ONE_STATUS.map(([name, bytes, status]) => ({ name, bytes, statuses: [status] })),
  ...SEVERAL,
];

const STATUS_LINE = /HTTP\/1\.1 (\d{3}) /g;

/** Writes the bytes, collects until all answers are there or the service closes; null, or what is wrong. */
export async function attackSocket(
  url: string,
  { bytes, statuses, half = false, mayEnd = false }: SocketAttack,
  limitMs = 10_000,
): Promise<string | null> {
  const { port } = new URL(url);
  const received = await new Promise<string>((resolve) => {
    let text = '';
    const socket = connect(Number(port), '127.0.0.1');
    const finish = (): void => (clearTimeout(timer), socket.destroy(), resolve(text));
    const timer = setTimeout(finish, limitMs);
    socket.on('data', (data) => {
      text += data.toString('latin1');
      // A moment longer: an answer too many would be a finding.
      if ([...text.matchAll(STATUS_LINE)].length >= statuses.length) setTimeout(finish, 100);
    });
    socket.on('error', () => {}).on('close', finish);
    socket.write(bytes);
    if (half) socket.end();
  });
  const seen = [...received.matchAll(STATUS_LINE)].map(([, status]) => Number(status));
  const wanted = mayEnd ? statuses.slice(0, seen.length) : statuses;
  if (seen.join() !== wanted.join()) return `${seen.join() || 'no answer'} in place of ${statuses.join()}`;
  if (/s3cret|<html|\bat .*:\d+:\d+/i.test(received)) return `reveals too much: ${received.slice(0, 200)}`;
  const errors = received.split('HTTP/1').filter((answer) => /^\.1 [45]/.test(answer));
  const bare = errors.find((answer) => !/\r\n\r\n\{"error":"[^"]+"\}/.test(answer));
  return bare === undefined ? null : `no JSON error: ${bare.slice(0, 200)}`;
}
