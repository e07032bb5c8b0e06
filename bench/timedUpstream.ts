import { built } from './product.ts';
import type { RpcEndpoint } from '../src/stages/1-fetch/rpc/rpcEndpoint.ts';
import type { RpcRequestMessage } from '../src/stages/1-fetch/rpc/rpcMessages.ts';
import type { Session } from '../src/stages/1-fetch/rpc/session.ts';
import type { Upstream } from '../src/stages/1-fetch/rpc/upstream.ts';

const { readBatch } = await built<typeof import('../src/stages/1-fetch/rpc/rpcMessages.ts')>(
  'stages/1-fetch/rpc/rpcMessages.js',
);
const { CircuitBreaker } = await built<typeof import('../src/stages/1-fetch/rpc/circuitBreaker.ts')>(
  'stages/1-fetch/rpc/circuitBreaker.js',
);
const { newCapabilities } = await built<typeof import('../src/stages/1-fetch/rpc/chooseTrace.ts')>(
  'stages/1-fetch/rpc/chooseTrace.js',
);

/** What the upstream's part of the analyses since the last `take` cost. */
export interface UpstreamCost {
  /** Parsing of the response texts. */
  readonly ms: number;
  /** Getting hold of the texts: what stands for sending the requests. */
  readonly otherMs: number;
  readonly bytes: number;
}

/** The body of the response to a batch, by transaction and round trip (0 and 1). */
export type Respond = (hash: string, round: number, requests: readonly RpcRequestMessage[]) => string;

/** An upstream without a network: response texts, parsed afresh for every analysis, the parsing timed apart. */
export interface TimedUpstream extends Upstream {
  take(): UpstreamCost;
}

export function timedUpstream(respond: Respond): TimedUpstream {
  // A node that has been asked before: one dialect, in batches.
  const breaker = new CircuitBreaker();
  const capabilities = {
    ...newCapabilities(),
    batches: true,
    trace: 'call_tracer_with_log' as const,
    mainnet: true,
  };
  let cost = { ms: 0, otherMs: 0, bytes: 0 };

  function open(options: Parameters<Upstream['open']>[0]): Session {
    let hash = '';
    let round = 0;
    const endpoint: RpcEndpoint = {
      name: 'recordings',
      capabilities,
      breaker,
      async send(calls) {
        const asked = performance.now();
        const requests = calls.map((call, id) => ({ jsonrpc: '2.0' as const, id, ...call }));
        if (round === 0) hash = String(calls[0]!.params[0]);
        const text = respond(hash, round++, requests);
        const start = performance.now();
        const body: unknown = JSON.parse(text);
        cost.ms += performance.now() - start;
        cost.otherMs += start - asked;
        cost.bytes += text.length;
        return readBatch(requests, body);
      },
    };
    return {
      signal: options.signal,
      timeLeft: () => Infinity,
      onCall: () => {},
      traceEndpoint: null,
      ask: (attempt) => attempt(endpoint),
    };
  }

  return {
    priceApi: null,
    open,
    names: [],
    openCircuits: () => [],
    ready: async () => true,
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
    take() {
      const taken = cost;
      cost = { ms: 0, otherMs: 0, bytes: 0 };
      return taken;
    },
  };
}

/** Answers each round trip of each transaction with the text made for it the first time. */
export function remembered(respond: Respond): Respond {
  const texts = new Map<string, string>();
  return (hash, round, requests) => {
    const key = `${hash} ${round}`;
    let text = texts.get(key);
    if (text === undefined) texts.set(key, (text = respond(hash, round, requests)));
    return text;
  };
}
