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
import { error, STATE_FAULTS, type Call, type MessageFault } from './attackNode.ts';
import type { TxReport } from '../../src/model/generated/report.ts';
import type { Hash } from '../../src/model/hex.ts';

const READS = { eth_call: ['eth_call'], eth_getCode: ['eth_getCode'], both: ['eth_call', 'eth_getCode'] };

const plain = loadRecordings().find(({ name }) => name === 'swap-v3')!;
const rulebook = loadRules();
const validate = createReportValidator();
const servers: Server[] = [];
/** Faults that say the state is not there; others say nothing about it. */
const LASTING = new Set(
  Object.keys(STATE_FAULTS).filter(
    (name) => !['rate limit', 'internal error', 'no such method'].includes(name),
  ),
);

/** Flows, positions and intent are those with state; all prices are refused by code, and nothing is Proven. */
function expectStateless(json: string, truth: string): void {
  const [found, full] = [json, truth].map((text) => JSON.parse(text) as TxReport) as [TxReport, TxReport];
  const flows = ({ inventory_deltas: deltas }: TxReport): unknown =>
    deltas.map(({ subject, asset, delta_raw }) => [subject, asset.id, delta_raw]);
  expect(flows(found)).toEqual(flows(full));
  expect(found.position_effects.map(({ category, effect }) => [category, effect])).toEqual(
    full.position_effects.map(({ category, effect }) => [category, effect]),
  );
  const { classification, economics } = found;
  expect([classification.intent_kind, classification.actor]).toEqual([
    full.classification.intent_kind,
    full.classification.actor,
  ]);
  expect([full.classification.status, classification.status]).toEqual(['Proven', 'Suspected']);
  expect(classification.caveats!.map(({ code }) => code)).toContain('state_unread');
  const { refusals, priced_assets: priced, total_assets: total } = economics.valuation;
  expect(priced).toBe(0);
  expect(new Set(refusals!.map(({ code }) => code))).toEqual(new Set(['source_unavailable']));
  expect(refusals!.length).toBeGreaterThanOrEqual(total);
  expect(economics.net_usd_before_gas.reason).toContain('(source_unavailable)');
  expect(economics.warnings).toEqual(
    expect.arrayContaining(['MetadataUnavailable', 'PriceSourceUnavailable']),
  );
}

async function node(
  recorded: Recorded,
  fault: MessageFault | null,
  victims: readonly string[],
): Promise<string> {
  const find = (hash: unknown): Recorded | undefined => (hash === recorded.hash ? recorded : undefined);
  const reply = (call: Call): object =>
    fault && victims.includes(call.method)
      ? fault(call, {})
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
    rpcTimeoutMs: 2_000,
    rpcRetries: 1,
    deadlineMs: 5_000,
    maxResponseBytes: 1e8,
    rpcMaxBatch: 100,
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
    Object.entries(STATE_FAULTS).flatMap(([name, fault]) =>
      Object.keys(READS).map((reads) => [name, reads, fault] as const),
    ),
  )('%s of %s: the other node answers, and alone what needs no state is told', async (name, reads, fault) => {
    const broken = await node(recorded, fault, READS[reads as keyof typeof READS]);
    expect(await analyze([broken, healthy], recorded.hash)).toBe(truth);
    expect(await analyze([healthy, broken], recorded.hash)).toBe(truth);
    const alone = await analyze([broken], recorded.hash);
    if (LASTING.has(name)) expectStateless(alone, truth);
    else expect(alone).toMatch(/^upstream_\w+$/);
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
