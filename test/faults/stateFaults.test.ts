// A node that cannot read state beside one that can, in either order, and alone: the whole analysis over real HTTP.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AnalysisError } from '../../src/lib/errors.ts';
import { jsonText } from '../../src/lib/reportJson.ts';
import { createAnalyze } from '../../src/service/analyzer.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { createUpstream } from '../../src/stages/1-fetch/rpc/upstream.ts';
import { createReportValidator } from '../../src/stages/9-report/reportValidator.ts';
import { answer, later, loadRecordings, type Recorded } from '../fuzz/recordedNode.ts';
import type { Hash } from '../../src/model/hex.ts';

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}
type Fault = (call: Call) => object;

const error =
  (code: number, message: string): Fault =>
  ({ id }) => ({
    jsonrpc: '2.0',
    id,
    error: { code, message },
  });
const result =
  (value: unknown): Fault =>
  ({ id }) => ({ jsonrpc: '2.0', id, result: value });

/** How nodes answer a read of state that they cannot do: geth, Erigon, Nethermind, Besu, Parity, hosted nodes. */
const FAULTS: Record<string, Fault> = {
  'missing trie node': error(-32000, 'missing trie node 0a1b (path ) state 0x0a1b is not available'),
  'header not found': error(-32000, 'header not found'),
  'required historical state unavailable': error(
    -32000,
    'required historical state unavailable (reexec=128)',
  ),
  pruned: error(-32000, 'state at block #1 is pruned'),
  'old data not available': error(-32000, 'old data not available due to pruning'),
  'World state unavailable': error(-32000, 'World state unavailable'),
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
  'no such method': error(-32601, 'the method eth_call does not exist/is not available'),
};
const READS = { eth_call: ['eth_call'], eth_getCode: ['eth_getCode'], both: ['eth_call', 'eth_getCode'] };

const plain = loadRecordings().find(({ name }) => name === 'swap-v3')!;
const rulebook = loadRules();
const validate = createReportValidator();
const servers: Server[] = [];

async function node(recorded: Recorded, fault: Fault | null, victims: readonly string[]): Promise<string> {
  const find = (hash: unknown): Recorded | undefined => (hash === recorded.hash ? recorded : undefined);
  const reply = (call: Call): object =>
    fault && victims.includes(call.method)
      ? fault(call)
      : {
          jsonrpc: '2.0',
          id: call.id,
          ...answer(find, () => recorded, 'geth', call.method, [...call.params]),
        };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Call | Call[];
      response.end(JSON.stringify(Array.isArray(body) ? body.map(reply) : reply(body)));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The report, or the code of the failure. */
async function analyze(rpcUrls: readonly string[], hash: string): Promise<string> {
  const upstream = createUpstream({
    rpcUrls,
    timeoutMs: 2_000,
    retries: 1,
    deadlineMs: 5_000,
    maxResponseBytes: 1e8,
    maxBatch: 100,
  });
  try {
    const analysis = createAnalyze({ upstream, rulebook: () => rulebook, validate, maxTokens: 100 });
    const options = { signal: new AbortController().signal, deadlineAt: performance.now() + 5_000 };
    return jsonText((await analysis(hash as Hash, options)).json);
  } catch (failure) {
    if (failure instanceof AnalysisError) return failure.code;
    throw failure;
  } finally {
    await upstream.close();
  }
}

afterAll(() => {
  for (const server of servers) server.close().closeAllConnections();
});

describe.each([
  ['one read at a time', plain],
  ['through an aggregate', later(plain)],
])('state that a node cannot read, %s', (_, recorded) => {
  let healthy: string;
  let truth: string;
  beforeAll(async () => {
    healthy = await node(recorded, null, []);
    truth = await analyze([healthy], recorded.hash);
  });

  it('is there at the healthy node', () => {
    expect(JSON.parse(truth)).toMatchObject({ tx: { hash: recorded.hash } });
  });

  it.each(
    Object.entries(FAULTS).flatMap(([name, fault]) =>
      Object.keys(READS).map((reads) => [name, reads, fault] as const),
    ),
  )('%s of %s: the other node answers, and alone it is a failure', async (_name, reads, fault) => {
    const broken = await node(recorded, fault, READS[reads as keyof typeof READS]);
    expect(await analyze([broken, healthy], recorded.hash)).toBe(truth);
    expect(await analyze([healthy, broken], recorded.hash)).toBe(truth);
    expect(await analyze([broken], recorded.hash)).toMatch(/^(state_unavailable|upstream_\w+)$/);
  });

  it('that reverts is the answer of the contract', async () => {
    const reverting = await node(recorded, error(3, 'execution reverted: missing trie node'), ['eth_call']);
    const report = JSON.parse(await analyze([reverting, healthy], recorded.hash)) as {
      economics: { warnings: string[]; valuation: { priced_assets: number } };
    };
    expect(report.economics.valuation.priced_assets).toBe(0);
    expect(report.economics.warnings).toContain('PartialValuation');
  });
});
