// Fuzzed request bodies against the HTTP service itself, over loopback, judged by an oracle of a few lines.
import fc from 'fast-check';
import { Agent, request } from 'node:http';
import { createApp } from '../../src/service/app.ts';
import { createHttpServer, listen, stopListening } from '../../src/service/http/httpServer.ts';
import { createLog } from '../../src/lib/log.ts';
import { newTally, type Tally } from './outcome.ts';
import { ODD_TEXTS } from './oddTexts.ts';

const HASH = /^0x[0-9a-f]{64}$/;
const CHAINS = ['ethereum', 'mainnet', 'eth', '1'];
const LIMIT = 16_384;

/** A request body, and whether the service must take it (null: judged by what `JSON.parse` makes of it). */
interface Body {
  readonly bytes: Buffer;
  readonly valid: boolean | null;
}

const hash = fc
  .array(fc.constantFrom(...'0123456789abcdef'), { minLength: 64, maxLength: 64 })
  .map((digits) => `0x${digits.join('')}`);
const oddText = fc.oneof(
  fc.constantFrom(...ODD_TEXTS),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme' }),
);
const nearHash = fc
  .tuple(hash, fc.constantFrom('', '0', ' ', '\n', '\u0000', 'g'), fc.nat(66))
  .map(([text, extra, at]) => text.slice(0, at) + extra + text.slice(at));
const anything = fc.oneof(
  fc.jsonValue(),
  fc.jsonValue({ maxDepth: 8 }),
  oddText,
  nearHash,
  fc.constantFrom(0, -1, 1e300, null, true, '', '0x', '0X'.padEnd(66, '1')),
);
const key = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('tx_hash', 'chain') },
  fc.constantFrom(
    'tx_Hash',
    'Chain',
    'hash',
    'id',
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    '',
    'tx_hash ',
    '\u0000',
  ),
  oddText,
);
const bytesOf = (text: string): Buffer => Buffer.from(text, 'utf8');
/** The same JSON string with some characters written as escapes: keys in disguise. */
const escaped = (text: string): string =>
  JSON.stringify(text).replace(/[a-z_]/g, (c) =>
    c.charCodeAt(0) % 3 === 0 ? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}` : c,
  );
const space = fc.constantFrom('', ' ', '\n\t', ' '.repeat(500));

const good = fc
  .tuple(
    hash,
    fc.option(fc.constantFrom(...CHAINS), { nil: undefined }),
    fc.dictionary(
      oddText.filter((k) => !['tx_hash', 'chain', '__proto__', 'constructor', 'prototype'].includes(k)),
      fc.jsonValue(),
      { maxKeys: 3 },
    ),
    space,
  )
  .map(
    ([tx_hash, chain, rest, gap]): Body => ({
      bytes: bytesOf(
        `${gap}${JSON.stringify({ ...rest, tx_hash, ...(chain === undefined ? {} : { chain }) })}${gap}`,
      ),
      valid: null,
    }),
  );
const shaped = fc
  .record(
    { tx_hash: fc.oneof(hash, nearHash, anything), chain: fc.oneof(fc.constantFrom(...CHAINS), anything) },
    { requiredKeys: [] },
  )
  .map((value): Body => ({ bytes: bytesOf(JSON.stringify(value)), valid: null }));
const free = fc
  .jsonValue({ maxDepth: 6 })
  .map((value): Body => ({ bytes: bytesOf(JSON.stringify(value)), valid: null }));
/** Members one by one, so that keys repeat, hide behind escapes and shadow what objects inherit. */
const members = fc
  .tuple(
    fc.array(fc.tuple(key, fc.oneof(hash, fc.constantFrom(...CHAINS), anything), fc.boolean()), {
      maxLength: 6,
    }),
    space,
  )
  .map(([list, gap]): Body => {
    const names = list.map(([name]) => name);
    const last = new Map(list.map(([name, value]) => [name, value]));
    const taken =
      new Set(names).size === names.length &&
      !['__proto__', 'constructor', 'prototype'].some((bad) => names.includes(bad)) &&
      HASH.test(String(typeof last.get('tx_hash') === 'string' ? last.get('tx_hash') : '')) &&
      (!last.has('chain') || CHAINS.includes(last.get('chain') as string));
    const text = `{${list.map(([name, value, disguise]) => `${gap}${disguise ? escaped(name) : JSON.stringify(name)}:${gap}${JSON.stringify(value)}`).join(',')}}`;
    return { bytes: bytesOf(text), valid: Buffer.byteLength(text) > LIMIT ? false : taken };
  });
const nested = fc.tuple(fc.integer({ min: 1, max: 8_000 }), hash, fc.boolean()).map(
  ([depth, tx_hash, list]): Body => ({
    bytes: bytesOf(
      `{"tx_hash":"${tx_hash}","x":${(list ? '[' : '{"a":').repeat(depth)}1${(list ? ']' : '}').repeat(depth)}}`,
    ),
    valid: null,
  }),
);
const large = fc.tuple(fc.integer({ min: LIMIT - 300, max: LIMIT * 8 }), hash).map(
  ([size, tx_hash]): Body => ({
    bytes: bytesOf(`{"tx_hash":"${tx_hash}","pad":"${'x'.repeat(size)}"}`),
    valid: null,
  }),
);
const spoiled = fc
  .tuple(hash, fc.array(fc.tuple(fc.nat(120), fc.integer({ min: 0, max: 255 })), { maxLength: 4 }), fc.nat(4))
  .map(([tx_hash, changes, cut]): Body => {
    const bytes = bytesOf(JSON.stringify({ tx_hash, chain: 'eth' }));
    for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte;
    return { bytes: cut === 0 ? bytes.subarray(0, changes.length * 17) : bytes, valid: null };
  });
const raw = fc
  .uint8Array({ maxLength: 300 })
  .map((bytes): Body => ({ bytes: Buffer.from(bytes), valid: null }));

export const bodies = fc.oneof(
  good,
  shaped,
  free,
  members,
  nested,
  { weight: 1, arbitrary: large },
  spoiled,
  raw,
);

/** Whether the service must take this body, by the words of the interface alone. */
export function mustTake({ bytes, valid }: Body): boolean {
  if (valid !== null) return valid;
  if (bytes.length > LIMIT) return false;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const value = JSON.parse(text) as Record<string, unknown>;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    if (['__proto__', 'constructor', 'prototype'].some((bad) => Object.hasOwn(value, bad))) return false;
    return (
      typeof value['tx_hash'] === 'string' &&
      HASH.test(value['tx_hash']) &&
      (!Object.hasOwn(value, 'chain') || CHAINS.includes(value['chain'] as string))
    );
  } catch {
    return false;
  }
}

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** What is wrong with the service's reply to a body; null when nothing is. */
export function judge(taken: boolean, { status, type, body }: Reply, analysed: string | null): string | null {
  if (status !== (taken ? 200 : 400))
    return `status ${status}, ${taken ? 200 : 400} wanted: ${body.slice(0, 200)}`;
  if (!type.startsWith('application/json')) return `content type ${type}`;
  const answer = JSON.parse(body) as Record<string, unknown>;
  if (taken) return analysed !== null && HASH.test(analysed) ? null : `analysed ${String(analysed)}`;
  if (analysed !== null) return `a refused body was analysed as ${analysed}`;
  if (Object.keys(answer).join() !== 'error' || typeof answer['error'] !== 'string')
    return `not an error object: ${body.slice(0, 200)}`;
  if (answer['error'].length > 400 || /[\p{Cc}\p{Cf}\p{Cs}]/u.test(answer['error']))
    return `unfit error text: ${JSON.stringify(answer['error'])}`;
  return null;
}

/** Sends `count` fuzzed bodies to a service whose analysis is a stand-in. */
export async function fuzzBodies(count: number, seed: number): Promise<Tally> {
  const tally = newTally('request bodies');
  let analysed: string | null = null;
  const app = createApp({
    analyze: (hashAsked) => {
      analysed = hashAsked;
      return Promise.resolve({ json: '{"schema_version":1}', intentKind: 'Unknown' });
    },
    log: createLog({ level: 'silent' }),
  });
  const server = createHttpServer(app, {
    keepAliveMs: 60_000,
    headersTimeoutMs: 10_000,
    requestTimeoutMs: 10_000,
  });
  const port = await listen(server, 0, '127.0.0.1');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = (bytes: Buffer): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const req = request(
        {
          port,
          host: '127.0.0.1',
          agent,
          method: 'POST',
          path: '/analyze',
          headers: { 'content-type': 'application/json', 'content-length': bytes.length },
        },
        (response) => {
          let body = '';
          response
            .setEncoding('utf8')
            .on('data', (chunk: string) => (body += chunk))
            .on('end', () =>
              resolve({
                status: response.statusCode ?? 0,
                type: response.headers['content-type'] ?? '',
                body,
              }),
            );
        },
      );
      req.on('error', reject);
      req.end(bytes);
    });
  try {
    for (const [index, body] of fc.sample(bodies, { numRuns: count, seed }).entries()) {
      analysed = null;
      tally.tried++;
      const start = performance.now();
      const taken = mustTake(body);
      try {
        const wrong = judge(taken, await send(body.bytes), analysed);
        if (taken) tally.accepted++;
        if (wrong !== null)
          tally.failures.push({ index, what: body.bytes.toString('latin1').slice(0, 200), why: wrong });
      } catch (error) {
        // A body far too large may find its connection closed before it was sent to the end.
        const cut =
          body.bytes.length > LIMIT &&
          ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '');
        if (!cut)
          tally.failures.push({
            index,
            what: body.bytes.toString('latin1').slice(0, 200),
            why: (error as Error).stack ?? String(error),
          });
      }
      tally.slowestMs = Math.max(tally.slowestMs, performance.now() - start);
    }
    if (({} as Record<string, unknown>)['polluted'] !== undefined || Object.keys(Object.prototype).length > 0)
      tally.failures.push({ index: -1, what: 'all', why: 'Object.prototype was changed' });
  } finally {
    agent.destroy();
    server.closeAllConnections();
    await stopListening(server);
  }
  return tally;
}
