// A node with trace_ methods only: a stand-in whose trace_call answers the recorded trace of the same transaction.
// Its logs come from a real eth_simulateV1. No such node was run live.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../src/service/config.ts';
import { openPreviewer, type Previewer } from '../../src/tools/preview/preview.ts';
import { readRequest } from '../../src/tools/preview/readRequest.ts';
import type { RpcError } from '../devnet/rpc.ts';
import { CORE, runStory, type Story } from '../devnet/story.ts';

let story: Story;
let previewers: Record<'debug' | 'trace', Previewer>;
const closing: (() => Promise<unknown>)[] = [];

interface Call {
  id: unknown;
  method: string;
  params: unknown[];
}

/** anvil's `eth_simulateV1` takes no creations. */
const LEFT_OUT = new Set(['deployment']);

async function answer({ id, method, params }: Call): Promise<unknown> {
  const refused = {
    jsonrpc: '2.0',
    id,
    error: { code: -32601, message: `the method ${method} does not exist` },
  };
  if (method.startsWith('debug_')) return refused;
  const { rpc } = story.devnet.chain;
  if (method !== 'trace_call')
    return rpc(method, params).then(
      (result: unknown) => ({ jsonrpc: '2.0', id, result }),
      ({ code, message }: RpcError) => ({ jsonrpc: '2.0', id, error: { code, message } }),
    );
  const [{ from, data }, , block] = params as [{ from: string; data: string }, unknown, string];
  const next = `0x${(BigInt(block) + 1n).toString(16)}`;
  const { transactions } = (await rpc('eth_getBlockByNumber', [next, true])) as {
    transactions: { hash: string; from: string; input: string }[];
  };
  const mined = transactions.find((tx) => tx.from === from && tx.input === data)!;
  const trace = (await rpc('trace_transaction', [mined.hash])) as Record<string, unknown>[];
  const kept = trace.map(({ action, result, error, subtraces, traceAddress, type }) => ({
    action,
    result,
    error,
    subtraces,
    traceAddress,
    type,
  }));
  return { jsonrpc: '2.0', id, result: { output: '0x', trace: kept } };
}

beforeAll(async () => {
  story = await runStory({ scenarios: CORE });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Call | Call[];
      Promise.all([body].flat().map(answer)).then(
        (answers) => response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0])),
        (error: Error) => response.writeHead(500).end(error.message),
      );
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  previewers = {
    debug: await openPreviewer(readConfig({ RPC_URL: story.devnet.rpcUrl })),
    trace: await openPreviewer(readConfig({ RPC_URL: url })),
  };
  closing.push(
    () => previewers.debug.close(),
    () => previewers.trace.close(),
    () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(done);
      }),
    () => story.stop(),
  );
});
afterAll(async () => {
  for (const close of closing) await close();
});

it.each(CORE.map(({ name }) => name).filter((name) => !LEFT_OUT.has(name)))(
  '%s is previewed alike',
  async (name) => {
    const { hash } = story.told.find(({ scenario }) => scenario.name === name)!;
    const tx = (await story.devnet.chain.rpc('eth_getTransactionByHash', [hash])) as Record<string, string>;
    const request = readRequest(tx, { block: String(Number(tx['blockNumber']) - 1) });
    const [debug, trace] = [await previewers.debug.preview(request), await previewers.trace.preview(request)];
    expect(trace.simulated).toMatchObject({ source: 'trace_call', next_block: false });
    expect(trace.classification.intent_label).toBe(debug.classification.intent_label);
    expect(trace.inventory_deltas).toEqual(debug.inventory_deltas);
    expect(trace.warnings).toEqual(debug.warnings);
  },
);
