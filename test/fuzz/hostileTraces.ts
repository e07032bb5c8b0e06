// Transactions at and beyond what the EVM allows: depth, frames, logs, tokens and bytes, through the service over HTTP.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createServiceAnalyze } from '../../src/service/analyzer.ts';
import { readConfig } from '../../src/service/config.ts';
import { createLog } from '../../src/lib/log.ts';
import { serve } from '../../src/service/server.ts';
import { brokenReport, newTally, type Tally } from './outcome.ts';

type Json = Record<string, unknown>;

const HASH = `0x${'5c'.repeat(32)}`;
const BLOCK = `0x${'b1'.repeat(32)}`;
const SIGNER = `0x${'a1'.repeat(20)}`;
const TARGET = `0x${'70'.repeat(20)}`;
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const place = { blockHash: BLOCK, blockNumber: '0x1312d00', transactionIndex: '0x0' };
const address = (n: number): string => `0x${(0x10_0000 + n).toString(16).padStart(40, '7')}`;
const word = (text: string): string => `0x${text.replace('0x', '').padStart(64, '0')}`;

interface Answers {
  tx: Json;
  receipt: Json;
  callTracer: Json | null;
  trace: Json[] | null;
}

/** `logs` Transfers of `tokens` tokens in a row between few accounts. */
function transfers(count: number, tokens: number): Json[] {
  return Array.from({ length: count }, (_, i) => ({
    address: address(i % tokens),
    topics: [TRANSFER, word(address(1_000_000 + (i % 7))), word(address(1_000_000 + ((i + 3) % 7)))],
    data: word((i + 1).toString(16)),
    ...place,
    transactionHash: HASH,
    logIndex: `0x${i.toString(16)}`,
  }));
}

function transaction(logs: Json[], value = '0x0'): Pick<Answers, 'tx' | 'receipt'> {
  return {
    tx: {
      hash: HASH,
      ...place,
      from: SIGNER,
      to: TARGET,
      input: '0xa9059cbb',
      value,
      nonce: '0x1',
      gas: '0x5208',
      gasPrice: '0x1',
      type: '0x2',
      chainId: '0x1',
    },
    receipt: {
      transactionHash: HASH,
      ...place,
      from: SIGNER,
      to: TARGET,
      contractAddress: null,
      status: '0x1',
      gasUsed: '0x5208',
      effectiveGasPrice: '0x1',
      type: '0x2',
      logsBloom: `0x${'0'.repeat(512)}`,
      logs,
    },
  };
}

const root = (calls: Json[]): Json => ({
  type: 'CALL',
  from: SIGNER,
  to: TARGET,
  input: '0xa9059cbb',
  value: '0x0',
  gas: '0x5208',
  gasUsed: '0x5208',
  output: '0x',
  calls,
});
const call = (from: string, to: string, value: string, calls: Json[] = []): Json => ({
  type: 'CALL',
  from,
  to,
  input: '0x',
  value,
  gas: '0x1',
  gasUsed: '0x1',
  output: '0x',
  ...(calls.length > 0 ? { calls } : {}),
});

/** `depth` calls one inside the other, each sending one wei on. */
function chain(depth: number): Json {
  let inner: Json[] = [];
  for (let i = depth; i > 0; i--)
    inner = [call(i === 1 ? TARGET : address(i % 50), address((i + 1) % 50), '0x1', inner)];
  return root(inner);
}

/** `count` calls side by side, or in a tree of ten branches each. */
const wide = (count: number): Json =>
  root(Array.from({ length: count }, (_, i) => call(TARGET, address(i % 500), i % 2 ? '0x1' : '0x0')));
function tree(count: number): Json {
  const top = root([]);
  const open: Json[] = [top];
  for (let made = 0; made < count; ) {
    const parent = open.shift()!;
    const calls = Array.from({ length: Math.min(10, count - made) }, (_, i) =>
      call(parent['to'] as string, address((made + i) % 5_000), '0x1'),
    );
    parent['calls'] = calls;
    open.push(...calls);
    made += calls.length;
  }
  return top;
}

const entry = (traceAddress: number[], over: Json = {}): Json => ({
  action: {
    callType: 'call',
    from: SIGNER,
    to: TARGET,
    gas: '0x1',
    input: '0xa9059cbb',
    value: '0x0',
    ...over,
  },
  blockHash: BLOCK,
  blockNumber: 20_000_000,
  result: { gasUsed: '0x1', output: '0x' },
  subtraces: 0,
  traceAddress,
  transactionHash: HASH,
  transactionPosition: 0,
  type: 'call',
});
const inner = (path: number[]): Json =>
  entry(path, { from: TARGET, to: address(path.length % 50), input: '0x', value: '0x1' });

/** The node's answers per case, some as large as `many` says; a report or an honest refusal may come of each, named where it must be one of them. */
const hostile = (many: number): Record<string, { answers: () => Answers; expect: RegExp | 'report' }> => ({
  'depth 1,024': {
    answers: () => ({ ...transaction([]), callTracer: chain(1_024), trace: null }),
    expect: 'report',
  },
  'depth 1,024, flat': {
    answers: () => ({
      ...transaction([]),
      callTracer: null,
      trace: Array.from({ length: 1_025 }, (_, i) =>
        i === 0 ? entry([]) : inner(new Array<number>(i).fill(0)),
      ),
    }),
    expect: 'report',
  },
  'depth 1,030': {
    answers: () => ({ ...transaction([]), callTracer: chain(1_030), trace: null }),
    expect: /nest deeper than the EVM allows/,
  },
  'depth 5,000, flat': {
    answers: () => ({
      ...transaction([]),
      callTracer: null,
      trace: [entry([]), inner(new Array<number>(5_000).fill(0))],
    }),
    expect: /nest deeper than the EVM allows/,
  },
  'orphans, flat': {
    answers: () => ({ ...transaction([]), callTracer: null, trace: [entry([]), inner([0, 1]), inner([3])] }),
    expect: /no parent/,
  },
  'a parent of itself, flat': {
    answers: () => ({ ...transaction([]), callTracer: null, trace: [entry([]), inner([0]), inner([0])] }),
    expect: /share an address/,
  },
  [`${many} frames, wide`]: {
    answers: () => ({ ...transaction([]), callTracer: wide(many), trace: null }),
    expect: 'report',
  },
  [`${many} frames, tree`]: {
    answers: () => ({ ...transaction([]), callTracer: tree(many), trace: null }),
    expect: 'report',
  },
  [`${many} frames, flat`]: {
    answers: () => ({
      ...transaction([]),
      callTracer: null,
      trace: Array.from({ length: many + 1 }, (_, i) => (i === 0 ? entry([]) : inner([i - 1]))),
    }),
    expect: 'report',
  },
  [`${many} logs`]: {
    answers: () => ({ ...transaction(transfers(many, 100)), callTracer: root([]), trace: null }),
    expect: 'report',
  },
  [`${many / 10} tokens`]: {
    answers: () => ({ ...transaction(transfers(many / 5, many / 10)), callTracer: root([]), trace: null }),
    expect: 'report',
  },
  [`${many / 10} tokens, calls`]: {
    answers: () => ({
      ...transaction(transfers(many / 10, many / 10)),
      callTracer: root(
        Array.from({ length: many / 10 }, (_, i) => ({
          ...call(TARGET, address(i), '0x0'),
          input: `0xa9059cbb${word(address(1_000_003)).slice(2)}${word('0x1').slice(2)}`,
        })),
      ),
      trace: null,
    }),
    expect: 'report',
  },
});

/** Deeper JSON than any parser of ours may be asked to walk: written as text. */
export const TEXTS: Record<string, { text: () => Iterable<string>; expect: RegExp }> = {
  'depth 100,000': { text: () => ['['.repeat(100_000), ']'.repeat(100_000)], expect: /not JSON-RPC/ },
  'depth 1,000,000': {
    text: () => [`{"jsonrpc":"2.0","result":${'{"calls":['.repeat(1_000_000)}`, `${']}'.repeat(1_000_000)}}`],
    expect: /not JSON-RPC|too large/,
  },
  '200 MB': {
    text: function* () {
      for (let i = 0; i < 200; i++) yield i === 0 ? '["' : 'x'.repeat(1_000_000);
    },
    expect: /the upstream answer is too large: over the limit of 67108864 bytes/,
  },
};

interface RpcMessage {
  readonly id: unknown;
  readonly method: string;
}
/** What the node writes for a batch, or for one call alone. */
type Reply = (body: RpcMessage[] | RpcMessage) => Iterable<string>;

function startNode(reply: Reply): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    let body = '';
    request
      .setEncoding('utf8')
      .on('data', (chunk: string) => (body += chunk))
      .on('end', () => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.on('error', () => {});
        const parts = reply(JSON.parse(body) as RpcMessage[] | RpcMessage)[Symbol.iterator]();
        const push = (): void => {
          for (let next = parts.next(); ; next = parts.next()) {
            if (next.done === true) return void response.end();
            if (response.destroyed) return;
            if (!response.write(next.value)) return void response.once('drain', push);
          }
        };
        push();
      });
  });
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () =>
      resolve({ server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
    ),
  );
}

function answersOf({ tx, receipt, callTracer, trace }: Answers, { method }: RpcMessage): Json {
  switch (method) {
    case 'eth_chainId':
      return { result: '0x1' };
    case 'eth_getTransactionByHash':
      return { result: tx };
    case 'eth_getTransactionReceipt':
      return { result: receipt };
    case 'debug_traceTransaction':
      return callTracer ? { result: callTracer } : { error: { code: -32601, message: 'method not found' } };
    case 'trace_transaction':
      return trace ? { result: trace } : { error: { code: -32601, message: 'method not found' } };
    case 'eth_getBlockByNumber':
      return {
        result: {
          hash: BLOCK,
          number: place.blockNumber,
          timestamp: '0x66666666',
          baseFeePerGas: '0x1',
          miner: SIGNER,
          transactions: [],
        },
      };
    case 'eth_getCode':
      return { result: '0x' };
    default:
      return { error: { code: 3, message: 'execution reverted' } };
  }
}

export interface Measured {
  readonly name: string;
  readonly answer: string;
  readonly ms: number;
  /** Longest time the event loop stood still. */
  readonly stallMs: number;
  readonly peakMb: number;
}

/** Every case once, the large ones of `many` frames or logs; prints nothing. `onCase` is told each figure. */
export async function tryHostileTraces(many: number, onCase: (measured: Measured) => void): Promise<Tally> {
  const tally = newTally('hostile traces');
  let reply: Reply = () => [];
  const node = await startNode((body) => reply(body));
  const config = {
    ...readConfig({ RPC_URL: node.url }),
    host: '127.0.0.1',
    port: 0,
    rpcRetries: 0,
    deadlineMs: 240_000,
    rpcTimeoutMs: 240_000,
  };
  const log = createLog({ level: 'silent' });
  const attempt = async (name: string, expect: RegExp | 'report'): Promise<void> => {
    // A service of its own: the last case's node spoke another dialect.
    const service = await serve(config, createServiceAnalyze, { log });
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    const start = performance.now();
    let peak = 0;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
    const response = await fetch(`${service.url}/analyze`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tx_hash: HASH }),
    });
    const text = await response.text();
    clearInterval(watch);
    delay.disable();
    const ms = performance.now() - start;
    await service.close();
    const answer =
      response.status === 200 ? `report, ${(text.length / 1e6).toFixed(1)} MB` : `${response.status} ${text}`;
    onCase({
      name,
      answer,
      ms,
      stallMs: delay.max / 1e6,
      peakMb: Math.max(peak, process.memoryUsage().rss) / 1e6,
    });
    tally.tried++;
    tally.slowestMs = Math.max(tally.slowestMs, ms);
    if (response.status === 200) tally.accepted++;
    const wrong = response.status === 200 ? brokenReport(text) : null;
    if (wrong !== null) tally.failures.push({ index: tally.tried, what: name, why: wrong });
    if (expect === 'report' ? response.status !== 200 : !(response.status === 502 && expect.test(text)))
      tally.failures.push({ index: tally.tried, what: name, why: answer.slice(0, 300) });
  };
  try {
    for (const [name, { answers, expect }] of Object.entries(hostile(many))) {
      const made = answers();
      const one = (message: RpcMessage): string =>
        JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answersOf(made, message) });
      reply = function* (body) {
        if (!Array.isArray(body)) return void (yield one(body));
        for (const [i, message] of body.entries()) yield `${i > 0 ? ',' : '['}${one(message)}`;
        yield ']';
      };
      await attempt(name, expect);
    }
    for (const [name, { text, expect }] of Object.entries(TEXTS)) {
      reply = text;
      await attempt(name, expect);
    }
  } finally {
    node.server.closeAllConnections();
    node.server.close();
  }
  return tally;
}
