// A node that misbehaves in one way at one place: on the wire of a round trip, or in the answer to one method.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { answer, type Dialect, type Recorded } from '../fuzz/recordedNode.ts';
import { ERRORS, jsonOf, MORE_WIRE_FAULTS, REPEATED, SHAPES } from './attackAnswers.ts';

export interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}
type Reply = Record<string, unknown>;
type WireFault = (response: ServerResponse, body: string) => void;
export type MessageFault = (call: Call, truth: Reply) => Reply;

const JSON_TYPE = { 'content-type': 'application/json' };
const status =
  (code: number, body = 'no', headers: Record<string, string> = {}): WireFault =>
  (response) =>
    void response.writeHead(code, headers).end(body);
const text =
  (change: (body: string) => string | Buffer): WireFault =>
  (response, body) =>
    void response.writeHead(200, JSON_TYPE).end(change(body));
const zipped =
  (content: Buffer, code = 200): WireFault =>
  (response) =>
    void response.writeHead(code, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(content);

/** The address that nodes repeat, keys included. */
const NODE = 'http://s3cretUser:s3cretPass@127.0.0.1:8545/v3/s3cretPathKey?key=s3cretQueryKey';
const EMPTY_LISTS = gzipSync(Buffer.from(`[${'[],'.repeat(10_000_000)}[]]`));
const ZEROS = gzipSync(Buffer.alloc(100_000_000, '0'));
const NESTED = gzipSync(Buffer.from('['.repeat(20_000_000)));

/** Ways to break one HTTP answer. */
export const WIRE_FAULTS: Readonly<Record<string, WireFault>> = {
  ...Object.fromEntries(
    [400, 401, 403, 404, 408, 413, 418, 429, 500, 502, 503, 504].map((code) => [
      `HTTP ${code}`,
      status(code),
    ]),
  ),
  'HTTP 429 with Retry-After': status(429, '', { 'retry-after': '3600' }),
  'HTTP 204': status(204, ''),
  'HTTP 301': status(301, '', { location: 'http://127.0.0.1:1/' }),
  'no answer': () => {},
  'headers, then nothing': (response) => void response.writeHead(200, JSON_TYPE).flushHeaders(),
  'a byte at a time': (response, body) => {
    response.writeHead(200, JSON_TYPE);
    let at = 0;
    const timer = setInterval(() => {
      if (response.destroyed || at > 200) clearInterval(timer);
      else response.write(body[at++] ?? ' ');
    }, 50);
  },
  reset: (response) => void response.socket?.destroy(),
  'reset in the middle': (response, body) => {
    response.writeHead(200, { ...JSON_TYPE, 'content-length': String(Buffer.byteLength(body)) });
    response.write(body.slice(0, body.length >> 1), () => response.destroy());
  },
  truncated: text((body) => body.slice(0, body.length >> 1)),
  'without its last byte': text((body) => body.slice(0, -1)),
  'two answers': text((body) => body + body),
  'empty body': text(() => ''),
  html: (response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>gateway</html>'),
  null: text(() => 'null'),
  'a number': text(() => '1'),
  'an object': text(() => '{}'),
  'an empty list': text(() => '[]'),
  'a list of null': text((body) => body.replace(/^\[.*\]$/s, '[null]')),
  'invalid UTF-8': text((body) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(body)])),
  noise: text(() => Buffer.from(Array.from({ length: 4_000 }, (_, i) => (i * 7919) % 256))),
  'a gzip that is none': (response, body) =>
    void response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(body),
  'a truncated gzip': (response, body) => {
    const whole = gzipSync(body);
    zipped(whole.subarray(0, whole.length - 12))(response, body);
  },
  'an unknown encoding': (response, body) =>
    void response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'snappy' }).end(body),
  'a gzip of lists': zipped(EMPTY_LISTS),
  'a gzip of zeros': zipped(ZEROS),
  'a gzip nested deeply': zipped(NESTED),
  'a gzip of lists with HTTP 500': zipped(EMPTY_LISTS, 500),
  'a gzip of zeros with HTTP 429': zipped(ZEROS, 429),
  'a gzip nested deeply with HTTP 404': zipped(NESTED, 404),
  ...MORE_WIRE_FAULTS,
  ...Object.fromEntries(Object.entries(REPEATED).map(([name, repeat]) => [name, repeat(NODE)])),
};

export const error =
  (code: number, message: string): MessageFault =>
  ({ id }) => ({ jsonrpc: '2.0', id, error: { code, message } });
const result =
  (value: unknown): MessageFault =>
  ({ id }) => ({ jsonrpc: '2.0', id, result: value });

/** How nodes answer a read of state that they cannot do: geth, Erigon, Nethermind, Besu, Parity, hosted nodes. */
export const STATE_FAULTS: Readonly<Record<string, MessageFault>> = {
  'missing trie node': error(-32000, 'missing trie node 0a1b (path ) state 0x0a1b is not available'),
  'header not found': error(-32000, 'header not found'),
  'historical state': error(-32000, 'required historical state unavailable (reexec=128)'),
  pruned: error(-32000, 'state at block #1 is pruned'),
  'old data': error(-32000, 'old data not available due to pruning'),
  'world state': error(-32000, 'World state unavailable'),
  'Parity pruning': error(
    -32000,
    'This request is not supported because your node is running with state pruning.',
  ),
  'unknown block': error(-32001, 'Unknown block'),
  'archive only': error(-32000, 'archive requests require a paid plan'),
  null: result(null),
  'no hex': result('error'),
  'rate limit': error(-32005, 'rate limit exceeded'),
  'internal error': error(-32603, 'internal error'),
  'no such method': error(-32601, 'the method does not exist/is not available'),
};

/** Ways to break the answer to one call. */
export const MESSAGE_FAULTS: Readonly<Record<string, MessageFault>> = {
  null: result(null),
  'a number': result(7),
  'a text': result('0x'),
  'an object': result({}),
  'a list': result([]),
  true: result(true),
  'no result': ({ id }) => ({ jsonrpc: '2.0', id }),
  'another id': ({ id }, truth) => ({ ...truth, id: id + 1_000 }),
  'an error without words': ({ id }) => ({ jsonrpc: '2.0', id, error: {} }),
  'a server error': error(-32000, 'something went wrong'),
  'rate limit': error(-32005, 'daily request count exceeded, request rate limited'),
  'no such method': error(-32601, 'the method does not exist/is not available'),
  'invalid params': error(-32602, 'invalid argument 0'),
  'internal error': error(-32603, 'internal error'),
  'time-out': error(-32000, 'execution timeout'),
};

/** The result of a call in another shape. */
export const SHAPE_FAULTS: Readonly<Record<string, MessageFault>> = Object.fromEntries(
  Object.entries(SHAPES).map(([name, change]): [string, MessageFault] => [
    name,
    (_, truth) => ({ ...truth, result: change(truth['result']) }),
  ]),
);

/** Errors that hold the node's URL or break the standard. */
export const ERROR_FAULTS: Readonly<Record<string, MessageFault>> = Object.fromEntries(
  Object.entries(ERRORS).map(([name, make]): [string, MessageFault] => [
    `error: ${name}`,
    ({ id }) => ({ jsonrpc: '2.0', id, error: make(NODE) }),
  ]),
);

/** Parts of every node's URL, which neither an answer nor a log line may hold. */
export const SECRETS = [
  's3cretUser',
  's3cretPass',
  's3cretPathKey',
  's3cretQueryKey',
  Buffer.from('s3cretUser:s3cretPass').toString('base64'),
];
export const disguised = (url: string): string =>
  `${url.replace('http://', 'http://s3cretUser:s3cretPass@')}/v3/s3cretPathKey?key=s3cretQueryKey`;

export interface Misbehaviour {
  /** Breaks the HTTP answers of the round trip that holds this method. */
  readonly wire?: {
    readonly fault: string;
    readonly round: 'transaction' | 'context';
    /** Only round trips for another transaction than the recorded one. */
    readonly others?: boolean;
  };
  /** Breaks the answers to these methods. */
  readonly message?: {
    readonly fault: MessageFault;
    readonly methods: readonly string[];
    /** Only of another transaction than the recorded one. */
    readonly others?: boolean;
  };
}

const FIRST_ROUND = /^(eth_getTransaction|debug_|trace_)/;

/** A node with this misbehaviour before one recording; none: a healthy one. */
export function startAttackNode(
  recorded: Recorded,
  dialect: Dialect,
  { wire, message }: Misbehaviour = {},
): Promise<{ url: string; server: Server }> {
  const find = (hash: unknown): Recorded | undefined => (hash === recorded.hash ? recorded : undefined);
  const reply = (call: Call): Reply => {
    const truth = {
      jsonrpc: '2.0',
      id: call.id,
      ...answer(find, () => recorded, dialect, call.method, call.params),
    };
    if (!message?.methods.includes(call.method) || (message.others && find(call.params[0]))) return truth;
    return message.fault(call, truth);
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      // Some faults write to a socket that the service has closed.
      if (request.socket.listenerCount('error') < 2) request.socket.on('error', () => {});
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Call | Call[];
      const calls = [body].flat();
      const sent = jsonOf(Array.isArray(body) ? body.map(reply) : reply(body));
      const first = calls.some(({ method }) => FIRST_ROUND.test(method));
      const others = calls.some(({ method, params }) => /Transaction/.test(method) && !find(params[0]));
      const hit = wire && first === (wire.round === 'transaction') && (others || !wire.others);
      if (hit) WIRE_FAULTS[wire.fault]!(response, sent);
      else response.writeHead(200, JSON_TYPE).end(sent);
    });
  });
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () =>
      resolve({ url: disguised(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), server }),
    ),
  );
}
