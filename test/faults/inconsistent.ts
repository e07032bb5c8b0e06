// A node whose answers do not belong together: each well formed, none of them the whole truth. Recordings of this
// repository, a fake node over HTTP, the whole service before it.
import { createServiceAnalyze } from '../../src/service/analyzer.ts';
import { readConfig } from '../../src/service/config.ts';
import { createLog } from '../../src/lib/log.ts';
import { serve } from '../../src/service/server.ts';
import { Random } from '../fuzz/random.ts';
import { answer, loadRecordings, type Dialect, type Recorded } from '../fuzz/recordedNode.ts';
import { startFakeNode } from '../support/fakeNode.ts';

type Json = Record<string, any>;

interface Lie {
  /** The answer in place of the right one; undefined where this recording gives no occasion for the lie. */
  readonly change: (method: string, result: Json, recorded: Recorded, stranger: Recorded) => unknown;
  readonly dialects?: readonly Dialect[];
}

const OTHER_HASH = `0x${'9e'.repeat(32)}`;
const on =
  (
    victims: readonly string[],
    change: (result: Json, recorded: Recorded, stranger: Recorded, method: string) => unknown,
  ): Lie['change'] =>
  (method, result, recorded, stranger) =>
    victims.includes(method) ? change(structuredClone(result), recorded, stranger, method) : result;

const TRACES = ['debug_traceTransaction', 'trace_transaction'];
const part = (method: string, { rpc }: Recorded): unknown =>
  method === 'trace_transaction' ? rpc.trace : rpc.callTracer;
const bump = (hex: string): string =>
  `0x${((BigInt(hex) + 1n) % 2n ** 256n).toString(16).padStart(hex.length - 2, '0')}`;
const framesOf = (root: Json): Json[] => [
  root,
  ...((root['calls'] as Json[] | undefined) ?? []).flatMap(framesOf),
];
const tracedLogs = (root: Json): Json[] =>
  framesOf(root).flatMap((frame) => (frame['error'] ? [] : ((frame['logs'] as Json[] | undefined) ?? [])));

/** Headers without logs have a bloom filter like that of archives which keep none: their hash tells nothing. */
const inHeader = (change: (header: Json) => Json): Lie['change'] =>
  on(['eth_getBlockByNumber'], (header) =>
    /^0x0*$/.test(header['logsBloom']) ? undefined : { ...header, ...change(header) },
  );

/** What a lying node does. `geth` alone where only a trace with logs can tell. */
export const LIES: Record<string, Lie> = {
  'another transaction': { change: on(['eth_getTransactionByHash'], (_, __, stranger) => stranger.rpc.tx) },
  'receipt of another hash': {
    change: on(['eth_getTransactionReceipt'], (_, __, stranger) => stranger.rpc.receipt),
  },
  'receipt under a false hash': {
    change: on(['eth_getTransactionReceipt'], (result, _, stranger) => ({
      ...stranger.rpc.receipt,
      transactionHash: result['transactionHash'],
    })),
  },
  'receipt of another block': {
    change: on(['eth_getTransactionReceipt'], (result) => ({
      ...result,
      blockHash: OTHER_HASH,
      logs: result['logs'].map((log: Json) => ({ ...log, blockHash: OTHER_HASH })),
    })),
  },
  'trace of another transaction': { change: on(TRACES, (_, __, stranger, method) => part(method, stranger)) },
  'trace of another block': {
    dialects: ['parity'],
    change: on(TRACES, (result) => (result as Json[]).map((entry) => ({ ...entry, blockHash: OTHER_HASH }))),
  },
  'a log from another transaction': {
    change: on(['eth_getTransactionReceipt'], (result, _, stranger) =>
      stranger.rpc.receipt['logs'].length > 0
        ? { ...result, logs: [...result['logs'], stranger.rpc.receipt['logs'][0]] }
        : undefined,
    ),
  },
  'a log too few': {
    dialects: ['geth'],
    change: on(['eth_getTransactionReceipt'], (result) =>
      result['logs'].length > 0
        ? { ...result, logs: result['logs'].slice(1), logsBloom: `0x${'0'.repeat(512)}` }
        : undefined,
    ),
  },
  'a false amount in a log': {
    dialects: ['geth'],
    change: on(['eth_getTransactionReceipt'], (result) => {
      const log = result['logs'].find((l: Json) => l['data'].length > 2);
      if (!log) return undefined;
      log['data'] = bump(log['data']);
      return result;
    }),
  },
  'a false account in a log': {
    change: on(['eth_getTransactionReceipt'], (result) => {
      const log = result['logs'].find((l: Json) => l['topics'].length > 1);
      if (!log) return undefined;
      log['topics'][1] = bump(log['topics'][1]);
      return result;
    }),
  },
  'a log of a false token': {
    change: on(['eth_getTransactionReceipt'], (result) => {
      const [log] = result['logs'];
      if (!log) return undefined;
      log['address'] = bump(log['address']);
      return result;
    }),
  },
  "a false amount in the trace's log": {
    dialects: ['geth'],
    change: on(TRACES, (result) => {
      const log = tracedLogs(result).find((l) => l['data'].length > 2);
      if (!log) return undefined;
      log['data'] = bump(log['data']);
      return result;
    }),
  },
  'a log the trace knows nothing of': {
    dialects: ['geth'],
    change: on(TRACES, (result) => {
      const frame = framesOf(result).find((f) => f['logs']?.length > 0 && !f['error']);
      if (!frame || tracedLogs(result).length < 2) return undefined;
      frame['logs'] = frame['logs'].slice(1);
      return result;
    }),
  },
  'receipt and trace disagree on success': {
    change: on(['eth_getTransactionReceipt'], (result) => ({
      ...result,
      status: result['status'] === '0x1' ? '0x0' : '0x1',
    })),
  },
  'a trace with other value': {
    change: on(TRACES, (result, _, __, method) => {
      const root =
        method === 'trace_transaction' ? ((result as unknown as Json[])[0]!['action'] as Json) : result;
      root['value'] = bump(root['value'] ?? '0x0');
      return result;
    }),
  },
  'a trace with other input': {
    change: on(TRACES, (result, _, __, method) => {
      const root =
        method === 'trace_transaction' ? ((result as unknown as Json[])[0]!['action'] as Json) : result;
      const key = root['init'] === undefined ? 'input' : 'init';
      root[key] = `${root[key]}00`;
      return result;
    }),
  },
  'another block of that number': {
    change: on(['eth_getBlockByNumber'], (result) => ({ ...result, hash: OTHER_HASH })),
  },
  'a block of another number': {
    change: on(['eth_getBlockByNumber'], (result) => ({ ...result, number: bump(result['number']) })),
  },
  'a false time in the header': {
    change: inHeader((result) => ({ timestamp: bump(result['timestamp']) })),
  },
  'a false fee recipient in the header': {
    change: inHeader((result) => ({ miner: bump(result['miner']) })),
  },
  'no block any more': { change: on(['eth_getBlockByNumber'], () => null) },
  'no receipt any more': { change: on(['eth_getTransactionReceipt'], () => null) },
  'pending again': {
    change: on(['eth_getTransactionByHash'], (result) => ({
      ...result,
      blockHash: null,
      blockNumber: null,
      transactionIndex: null,
    })),
  },
  'another chain': {
    change: on(['eth_getTransactionByHash'], (result) =>
      result['chainId'] === undefined ? undefined : { ...result, chainId: '0xa' },
    ),
  },
};

const REFUSALS =
  /^analysis failed: (the upstream answers do not belong together|the upstream node is not on Ethereum mainnet|the trace is malformed: )/;

export interface LieOutcome {
  readonly tried: number;
  readonly refused: number;
  /** Answers that were neither a refusal nor the true report. */
  readonly believed: readonly string[];
  readonly errors: ReadonlyMap<string, number>;
}

/**
 * Asks the service for every recording (at most `most`) that gives occasion for the lie, `share` of the node's answers being false. Right is
 * a refusal that says so, or, where the lie comes and goes, the very report that the truth gives.
 */
export async function tellLie(
  name: string,
  dialect: Dialect,
  share: number,
  most = Infinity,
): Promise<LieOutcome> {
  const { change } = LIES[name]!;
  const recordings = loadRecordings();
  const random = new Random(1);
  let lying = false;
  const find = (hash: unknown): Recorded | undefined => recordings.find((r) => r.hash === hash);
  let asked: Recorded = recordings[0]!;
  const strangerTo = (recorded: Recorded): Recorded =>
    recordings.find(
      (r) =>
        r !== recorded && r.rpc.receipt['logs'].length > 0 && r.rpc.tx['from'] !== recorded.rpc.tx['from'],
    )!;
  const node = await startFakeNode({
    intercept: ({ response, body }) => {
      const lies = lying && random.chance(share);
      const reply = (call: { id: unknown; method: string; params: unknown[] }): object => {
        const said = answer(find, () => asked, dialect, call.method, call.params);
        if (said.error) return { jsonrpc: '2.0', id: call.id, error: said.error };
        const told =
          lies && said.result !== null
            ? change(call.method, said.result as Json, asked, strangerTo(asked))
            : said.result;
        return { jsonrpc: '2.0', id: call.id, result: told === undefined ? said.result : told };
      };
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(
          JSON.stringify(
            Array.isArray(body)
              ? (body as Parameters<typeof reply>[0][]).map(reply)
              : reply(body as Parameters<typeof reply>[0]),
          ),
        );
      return true;
    },
  });
  const config = {
    ...readConfig({ RPC_URL: node.url }),
    host: '127.0.0.1',
    port: 0,
    deadlineMs: 10_000,
    rpcRetries: share === 1 ? 1 : 8,
  };
  const service = await serve(config, createServiceAnalyze, { log: createLog({ level: 'silent' }) });
  const errors = new Map<string, number>();
  const believed: string[] = [];
  let tried = 0;
  let refused = 0;
  const ask = async (hash: string): Promise<{ status: number; text: string }> => {
    const response = await fetch(`${service.url}/analyze`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tx_hash: hash }),
    });
    return { status: response.status, text: await response.text() };
  };
  const methods = [
    'eth_getTransactionByHash',
    'eth_getTransactionReceipt',
    dialect === 'parity' ? 'trace_transaction' : 'debug_traceTransaction',
    'eth_getBlockByNumber',
  ];
  try {
    for (const recorded of recordings) {
      if (tried >= most) break;
      asked = recorded;
      const occasion = methods.some((method) => {
        const said = answer(find, () => recorded, dialect, method, [recorded.hash]).result as Json;
        return !([undefined, said] as unknown[]).includes(
          change(method, said, recorded, strangerTo(recorded)),
        );
      });
      if (!occasion) continue;
      lying = false;
      const truth = share === 1 ? null : await ask(recorded.hash);
      lying = true;
      const told = await ask(recorded.hash);
      tried++;
      if (told.status === 200) {
        if (told.text !== truth?.text) believed.push(recorded.name);
        continue;
      }
      refused++;
      const { error } = JSON.parse(told.text) as { error: string };
      errors.set(error, (errors.get(error) ?? 0) + 1);
      if (told.status !== 502 || !REFUSALS.test(error))
        believed.push(`${recorded.name}: ${told.status} ${error}`);
    }
  } finally {
    await service.close();
    await node.close();
  }
  return { tried, refused, believed, errors };
}

/** Dialects in which a lie can be told. */
export const dialectsOf = (name: string): readonly Dialect[] => LIES[name]!.dialects ?? ['geth', 'parity'];
