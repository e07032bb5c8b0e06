// Further ways to break a node's answers: on the wire, in a batch, and in the shape of a call's result.
import type { ServerResponse } from 'node:http';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';

type WireFault = (response: ServerResponse, body: string) => void;
type Reply = Record<string, unknown>;

const JSON_TYPE = { 'content-type': 'application/json' };
const coded =
  (encoding: string, encode: (body: string) => Buffer): WireFault =>
  (response, body) =>
    void response.writeHead(200, { ...JSON_TYPE, 'content-encoding': encoding }).end(encode(body));
const redirect =
  (code: number, location: string): WireFault =>
  (response) =>
    void response.writeHead(code, { location }).end();
/** Bytes straight to the socket; `text` gets the honest body. */
const raw =
  (text: (body: string) => string): WireFault =>
  (response, body) =>
    void response.socket?.end(text(body));
const head = (body: string, more = ''): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${more}\r\n`;

/** Writes for as long as the other side reads. */
const flood =
  (first: string, line: string): WireFault =>
  (response) => {
    const { socket } = response;
    socket?.write(first);
    const piece = line.repeat(200);
    const more = (): void => {
      if (socket && !socket.destroyed && socket.write(piece)) setTimeout(more, 5);
      else socket?.once('drain', more);
    };
    more();
  };

/** Changes the answers of a batch; a single answer stays. */
const batch =
  (change: (replies: Reply[]) => unknown): WireFault =>
  (response, body) => {
    const replies = JSON.parse(body) as Reply | Reply[];
    const changed = Array.isArray(replies) ? change(replies) : replies;
    response.writeHead(200, JSON_TYPE).end(JSON.stringify(changed));
  };

// Made once: compressing them would keep this process, with its healthy node, from answering.
const BROTLI_BOMB = brotliCompressSync(Buffer.alloc(50_000_000, '0'), {
  params: { [constants.BROTLI_PARAM_QUALITY]: 3 },
});
const DEFLATE_BOMB = deflateSync(Buffer.alloc(50_000_000, '0'), { level: 1 });

export const MORE_WIRE_FAULTS: Readonly<Record<string, WireFault>> = {
  'brotli, not asked for': coded('br', (body) => brotliCompressSync(body)),
  'deflate, not asked for': coded('deflate', (body) => deflateSync(body)),
  'a brotli bomb': coded('br', () => BROTLI_BOMB),
  'a deflate bomb': coded('deflate', () => DEFLATE_BOMB),
  'zstd that is none': coded('zstd', () => Buffer.from('28b52ffd0458', 'hex')),
  'GZIP in capitals': coded('GZIP', (body) => gzipSync(body)),
  'x-gzip': coded('x-gzip', (body) => gzipSync(body)),
  'gzip twice': coded('gzip, gzip', (body) => gzipSync(gzipSync(body))),
  'two gzip members': coded('gzip', (body) =>
    Buffer.concat([gzipSync(body.slice(0, 50)), gzipSync(body.slice(50))]),
  ),
  'noise after the gzip': coded('gzip', (body) => Buffer.concat([gzipSync(body), Buffer.from('noise')])),
  'a redirect to another host': redirect(307, 'http://127.0.0.1:1/?s3cret'),
  'a redirect to a file': redirect(308, 'file:///etc/passwd'),
  'a redirect to itself': redirect(302, ''),
  'a redirect without a target': (response) => void response.writeHead(303).end(),
  'trailers after chunks': (response, body) => {
    response.writeHead(200, { ...JSON_TYPE, trailer: 'x' });
    response.write(body.slice(0, 100));
    response.addTrailers({ x: 'y'.repeat(1_000) });
    response.end(body.slice(100));
  },
  'early hints, then the answer': (response, body) => {
    response.writeEarlyHints({ link: '</a>; rel=preload' }, () =>
      response.writeHead(200, JSON_TYPE).end(body),
    );
  },
  'a flood of 102': flood('', 'HTTP/1.1 102 Processing\r\n\r\n'),
  'a flood of 100': flood('', 'HTTP/1.1 100 Continue\r\n\r\n'),
  'a flood of headers': flood('HTTP/1.1 200 OK\r\n', `x-a: ${'y'.repeat(100)}\r\n`),
  'a flood of empty lines': flood('', '\r\n'),
  'a chunk extension without end': flood('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5', ';a=b'),
  'trailers without end': flood('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n', 'a: b\r\n'),
  'an answer after the time-out': (response, body) =>
    void setTimeout(() => response.writeHead(200, JSON_TYPE).end(body), 1_500),
  'closed after each answer': (response, body) => {
    response.on('finish', () => response.socket?.destroySoon());
    response.writeHead(200, { ...JSON_TYPE, connection: 'keep-alive' }).end(body);
  },
  'half-closed before the answer': (response, body) => {
    const { socket } = response;
    socket?.write(head(body), () => socket.end(body));
  },
  'a length too long': raw((body) => head(`${body}          `) + body),
  'a length too short': raw((body) => head(body.slice(1)) + body),
  'two lengths': raw((body) => head(body, 'Content-Length: 5\r\n') + body),
  'a negative length': raw((body) => `HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n${body}`),
  'a length and chunks': raw((body) => `${head(body, 'Transfer-Encoding: chunked\r\n')}${body}`),
  'an endless length': raw((body) => `HTTP/1.1 200 OK\r\nContent-Length: 9007199254740993\r\n\r\n${body}`),
  'status 999': raw((body) => head(body).replace('200', '999') + body),
  'status 0': raw((body) => head(body).replace('200', '000') + body),
  'no status line': raw((body) => body),
  'another protocol': raw(() => 'SSH-2.0-OpenSSH_9.6\r\n'),
  'HTTP/2 frames': raw(() => '\0\0\u0012\u0004\0\0\0\0\0'),
  'a folded header': raw((body) => head(body, 'x: a\r\n b\r\n') + body),
  'a NUL in a header': raw((body) => head(body, 'x: a\0b\r\n') + body),
  'a byte order mark': (response, body) => void response.writeHead(200, JSON_TYPE).end(`\ufeff${body}`),
  'UTF-16': (response, body) => void response.writeHead(200, JSON_TYPE).end(Buffer.from(body, 'utf16le')),
  'every key twice': (response, body) =>
    void response.writeHead(200, JSON_TYPE).end(body.replaceAll('"result":', '"result":7,"result":')),
  'in reverse': batch((replies) => replies.toReversed()),
  'one missing': batch((replies) => replies.slice(1)),
  'one twice': batch((replies) => [...replies, replies[0]]),
  'one in place of another': batch((replies) => [replies[1], ...replies.slice(1)]),
  'one nobody asked for': batch((replies) => [...replies, { jsonrpc: '2.0', id: 0, result: '0x' }]),
  'ids as texts': batch((replies) => replies.map((reply) => ({ ...reply, id: String(reply['id']) }))),
  'ids as null': batch((replies) => replies.map((reply) => ({ ...reply, id: null }))),
  'ids as lists': batch((replies) => replies.map((reply) => ({ ...reply, id: [reply['id']] }))),
  'ids of neighbours': batch((replies) =>
    replies.map((reply, i) => ({ ...reply, id: replies[(i + 1) % replies.length]!['id'] })),
  ),
  'one id for all': batch((replies) => replies.map((reply) => ({ ...reply, id: replies[0]!['id'] }))),
  'a list of lists': batch((replies) => replies.map((reply) => [reply])),
  'an object by id': batch((replies) =>
    Object.fromEntries(replies.map((reply) => [String(reply['id']), reply])),
  ),
  'null between': batch((replies) => replies.flatMap((reply) => [reply, null])),
};

/** Answers that repeat the address the node was asked at where HTTP has room for text. */
export const REPEATED: Readonly<Record<string, (url: string) => WireFault>> = {
  'the URL as reason phrase': (url) =>
    raw(() => `HTTP/1.1 403 no access for ${url}\r\nContent-Length: 0\r\n\r\n`),
  'the URL as challenge': (url) => (response) =>
    void response.writeHead(401, { 'www-authenticate': `Basic realm="${url}"` }).end(url),
  'the URL as Retry-After': (url) => (response) =>
    void response.writeHead(429, { 'retry-after': url }).end(url),
  'the URL as content type': (url) => (response) =>
    void response.writeHead(200, { 'content-type': url }).end(url),
  'the URL as encoding': (url) => (response, body) =>
    void response.writeHead(200, { ...JSON_TYPE, 'content-encoding': url }).end(body),
  'the URL as target': (url) => redirect(308, `${url}&again=1`),
  'the URL as HTML': (url) => (response) =>
    void response.writeHead(502, { 'content-type': 'text/html' }).end(`<a href="${url}">${url}</a>`),
  'the URL in place of JSON': (url) => (response) => void response.writeHead(200, JSON_TYPE).end(url),
  'the URL as a chunk size': (url) =>
    raw(() => `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${url}\r\n`),
  'the URL as a header name': (url) => raw((body) => `HTTP/1.1 200 OK\r\n${url}: x\r\n\r\n${body}`),
};

// ——— shapes ———

const HEX = /^0x[0-9a-f]+$/;
const isQuantity = (text: string): boolean => HEX.test(text) && text.length < 20;

/** Every text of a value changed. */
function texts(value: unknown, change: (text: string) => unknown): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => texts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, texts(item, change)]));
}
const quantities =
  (change: (text: string) => unknown) =>
  (value: unknown): unknown =>
    texts(value, (text) => (isQuantity(text) ? change(text) : text));
/** Every object of a value with further keys. */
function withKeys(value: unknown, keys: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withKeys(item, keys));
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}:${JSON.stringify(withKeys(item, keys))}`,
  );
  // Written as JSON: a `__proto__` in an object literal would set the prototype.
  return JSON.parse(`{${[keys, ...inner].join()}}`);
}

// `JSON.stringify` recurses: text nested deeper than it can write is put in afterwards.
const rawTexts: string[] = [];
const rawJson = (text: string): string => `@raw${rawTexts.push(text) - 1}@`;
/** The JSON of a value with the texts of `rawJson` in their places. */
export function jsonOf(value: unknown): string {
  return JSON.stringify(value).replaceAll(/"@raw(\d+)@"/g, (_, at: string) => rawTexts[Number(at)]!);
}

/** Calls around calls, for a trace; other results stay. */
const nest = (times: number): ((value: unknown) => unknown) => {
  let made: string | null = null;
  return (value) => {
    if (typeof value !== 'object' || value === null || !('calls' in value)) return value;
    const around = '{"type":"CALL","calls":['.repeat(times);
    return (made ??= rawJson(`${around}${JSON.stringify(value)}${']}'.repeat(times)}`));
  };
};

/** Changes to the result of one call that say the same in another form, or say nothing sensible. */
export const SHAPES: Readonly<Record<string, (result: unknown) => unknown>> = {
  'hex in capitals': (value) =>
    texts(value, (text) => (HEX.test(text) ? `0x${text.slice(2).toUpperCase()}` : text)),
  'a capital X': (value) => texts(value, (text) => (HEX.test(text) ? `0X${text.slice(2)}` : text)),
  'leading zeros': quantities((text) => `0x000${text.slice(2)}`),
  'odd length': (value) => texts(value, (text) => (HEX.test(text) && text.length > 66 ? `${text}0` : text)),
  'quantities as numbers': quantities((text) => Number(text)),
  'quantities as fractions': quantities((text) => Number(text) + 0.5),
  'quantities as decimal texts': quantities((text) => String(BigInt(text))),
  'negative quantities': quantities((text) => `-${text}`),
  'empty quantities': quantities(() => '0x'),
  'quantities over 256 bits': quantities((text) => `0x1${'0'.repeat(64)}${text.slice(2)}`),
  'quantities of 100,000 digits': quantities(() => `0x1${'0'.repeat(100_000)}`),
  'spaces around': (value) => texts(value, (text) => ` ${text} `),
  'texts in lists': (value) => texts(value, (text) => [text]),
  'texts in objects': (value) => texts(value, (toString) => ({ toString })),
  'a __proto__ in every object': (value) =>
    withKeys(value, '"__proto__":{"error":"x","type":"CREATE","status":"0x0","removed":true}'),
  'names of methods in every object': (value) =>
    withKeys(value, '"constructor":1,"hasOwnProperty":1,"toString":1,"valueOf":1,"toJSON":1,"then":1'),
  'lone surrogates': (value) => withKeys(value, '"\\ud800":"\\udfff\\ud800"'),
  'control characters': (value) => withKeys(value, '"\\u0000\\u001b[2J":"\\u202e\\n{\\"level\\":60}"'),
  'nested in itself 1,500 times': nest(1_500),
  'nested in itself 8,000 times': nest(8_000),
  'nested in itself 100,000 times': nest(100_000),
  'lists in lists': (value) => rawJson(`${'['.repeat(20_000)}${JSON.stringify(value)}${']'.repeat(20_000)}`),
};

/** Errors of a node that hold its own URL, much text, or other types than the standard's. */
export const ERRORS: Readonly<Record<string, (url: string) => unknown>> = {
  'the URL': (url) => ({ code: -32000, message: `cannot reach ${url}` }),
  'the URL, 10,000 times': (url) => ({ code: -32000, message: `${url} `.repeat(10_000) }),
  'the URL in capitals': (url) => ({ code: -32000, message: url.toUpperCase() }),
  'the URL in base64': (url) => ({ code: -32000, message: Buffer.from(url).toString('base64') }),
  'the URL with escapes': (url) => ({ code: -32000, message: encodeURIComponent(url) }),
  'the URL at the cut': (url) => ({ code: -32000, message: `${'x'.repeat(285)}${url}` }),
  'the URL as data': (url) => ({ code: 3, message: 'execution reverted', data: url }),
  'the URL as a text': (url) => url,
  'the URL as a code': (url) => ({ code: url, message: url }),
  'revert data of 10 MB': () => ({
    code: 3,
    message: 'execution reverted',
    data: `0x${'00'.repeat(10_000_000)}`,
  }),
  'a message of lone surrogates': () => ({ code: -32000, message: '\ud800'.repeat(1_000) }),
  'a message that is a log line': () => ({ code: -32000, message: '\n{"level":60,"msg":"forged"}\n' }),
  'a message that is an object': (url) => ({ code: -32000, message: { toString: url } }),
  'a list': (url) => [url],
  'a code of 1e308': () => ({ code: 1e308, message: 'x' }),
  'a fraction as code': () => ({ code: -32000.5, message: 'x' }),
  'a __proto__': () => JSON.parse('{"__proto__":{"code":-32000,"message":"x"}}') as unknown,
};

const quote = (coins: readonly string[], price: string, time = '1700000000'): string =>
  `{"coins":{${coins.map((coin) => `${JSON.stringify(coin)}:{"price":${price},"timestamp":${time},"confidence":0.99}`).join()}}}`;

/** Bodies of a price source for the coins it was asked about. */
export const PRICE_BODIES: Readonly<Record<string, (coins: readonly string[]) => string>> = {
  'a price of 1e308': (coins) => quote(coins, '1e308'),
  'a price of 1e-308': (coins) => quote(coins, '1e-308'),
  'a price of 1e400': (coins) => quote(coins, '1e400'),
  'a negative price': (coins) => quote(coins, '-5'),
  'a price of zero': (coins) => quote(coins, '-0.0'),
  'a price as text': (coins) => quote(coins, '"5"'),
  'a price as a list': (coins) => quote(coins, '[5]'),
  'a price of many digits': (coins) => quote(coins, `0.${'123456789'.repeat(10_000)}`),
  'a time in the future': (coins) => quote(coins, '5', '99999999999'),
  'a time of 1e20': (coins) => quote(coins, '5', '1e20'),
  'a negative time': (coins) => quote(coins, '5', '-1'),
  'a fraction as time': (coins) => quote(coins, '5', '1700000000.5'),
  '40,000 keys': (coins) =>
    `{"coins":{${Array.from({ length: 40_000 }, (_, i) => `"a${i}":0`).join()}},"x":${quote(coins, '5')}}`,
  'every coin 1,000 times': (coins) => quote(Array.from({ length: 1_000 }, () => coins).flat(), '5'),
  'coins in capitals': (coins) =>
    quote(
      coins.map((coin) => coin.toUpperCase()),
      '5',
    ),
  'a __proto__': (coins) => `{"__proto__":${quote(coins, '5')},"coins":{"__proto__":{"price":5}}}`,
  'a price of NaN': (coins) => quote(coins, 'NaN'),
  'a price in hex': (coins) => quote(coins, '"0x5"'),
  'a price as an object': (coins) => quote(coins, '{"toString":"5","valueOf":5}'),
  'a price that is true': (coins) => quote(coins, 'true'),
  'a time as text': (coins) => quote(coins, '5', '"1700000000"'),
  'no confidence': (coins) => quote(coins, '5').replaceAll(',"confidence":0.99', ''),
  'a confidence of 1e9': (coins) => quote(coins, '5').replaceAll('0.99', '1e9'),
  'a negative confidence': (coins) => quote(coins, '5').replaceAll('0.99', '-1'),
  'decimals and symbols of its own': (coins) =>
    quote(coins, '5').replaceAll('"price"', '"decimals":-300,"symbol":"\\u0000\\u202e","price"'),
  'every key twice': (coins) => quote(coins, '5').replaceAll('"price":5', '"price":5,"price":6'),
  'a list of answers': (coins) => `[${quote(coins, '5')}]`,
  'lists in lists': () => `{"coins":${'['.repeat(195_000)}${']'.repeat(195_000)}}`,
  'empty lists': () => `{"coins":[${'[],'.repeat(130_000)}[]]}`,
  'over a megabyte': () => `{"coins":"${'x'.repeat(2_000_000)}"}`,
};

const filled = (text: string): string => text.repeat(Math.floor(250_000 / text.length));

/** Rule files that must be refused while requests go on. */
export const RULE_FILES: Readonly<Record<string, string>> = {
  'an alias bomb': `a: &a [x, x]\n${Array.from({ length: 40 }, (_, i) => `b${i}: &b${i} [*${i ? `b${i - 1}` : 'a'}, *a]`).join('\n')}`,
  'an alias of itself': 'a: &a [*a]',
  'a merge key': 'a: &a {b: 1}\nc:\n  <<: *a',
  'a number of 200,000 digits': `id: ${'9'.repeat(200_000)}`,
  'a tag that is code': 'id: !!js/function "function(){process.exit(1)}"',
  'a __proto__': '__proto__:\n  polluted: true',
  'a constructor': 'constructor: {prototype: {polluted: 1}}',
  'nested lists': filled('['),
  'nested maps': filled('{a: '),
  'closing brackets': filled(']'),
  commas: `[${filled(',')}]`,
  'bad escapes': `a: "${filled('\\q')}"`,
  'many documents': filled('---\n'),
  'many anchors': filled('- &a x\n'),
  NUL: filled('\0'),
  'over the limit': `id: ${'x'.repeat(1_000_000)}`,
};
