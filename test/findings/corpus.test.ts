// What another program found in whole recorded blocks, where they lie beside the repository: all of it, and nothing else.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Finding } from '../../src/model/generated/finding.ts';
import { createAnalyzeBlock } from '../../src/service/analyzeBlock.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { resolveBlocks } from '../../src/stages/1-fetch/block/resolveBlocks.ts';
import { createUpstream, type Upstream } from '../../src/stages/1-fetch/rpc/upstream.ts';
import { createReportValidator } from '../../src/stages/9-report/reportValidator.ts';
import { REPLAY_AVAILABLE, startReplayNode, warnIfAbsent, type ReplayNode } from '../support/replayNode.ts';

const VERDICTS = join(import.meta.dirname, '../../../shared/eval/mev-verdicts.ndjson.gz');
const AVAILABLE = REPLAY_AVAILABLE && existsSync(VERDICTS);
warnIfAbsent('findings in recorded blocks');

interface Sandwich {
  readonly block: number;
  readonly kind: string;
  readonly front: string;
  readonly back: string;
  readonly victims: readonly string[];
  readonly venue: string;
  readonly profit_token: string;
  readonly profit: string;
}

describe.skipIf(!AVAILABLE)('findings in recorded blocks', () => {
  let node: ReplayNode;
  let upstream: Upstream;
  const found = new Map<number, readonly Finding[]>();
  const verdicts = AVAILABLE
    ? gunzipSync(readFileSync(VERDICTS))
        .toString('utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Sandwich)
        .filter(({ kind }) => kind === 'sandwich')
    : [];
  const blocks = [...new Set(verdicts.map(({ block }) => block))];

  beforeAll(async () => {
    node = await startReplayNode({ files: ['mev-blocks.ndjson.gz'] });
    upstream = createUpstream({
      rpcUrls: [node.url],
      traceUrl: null,
      priceApiUrl: null,
      rpcTimeoutMs: 60_000,
      rpcRetries: 0,
      deadlineMs: 600_000,
      maxResponseBytes: 1 << 30,
      rpcMaxBatch: 1_000,
    });
    const rulebook = loadRules();
    const analyze = createAnalyzeBlock(
      { upstream, rulebook: () => rulebook, validate: createReportValidator(), maxTokens: 2_000 },
      { intents: null, addresses: null, findings: true },
      () => {},
    );
    const options = () => ({ signal: new AbortController().signal, deadlineAt: performance.now() + 600_000 });
    for (const id of await resolveBlocks(upstream.open(options()), blocks.map(BigInt)))
      found.set(Number(id!.number), (await analyze(id!, options())).findings);
  });
  afterAll(async () => {
    await upstream?.close();
    await node?.close();
  });

  const hashesOf = ({ transactions }: Finding, step: string): string[] =>
    transactions.filter((part) => part.step === step).map(({ tx_hash }) => tx_hash);

  it('are every sandwich another program found, with its victims and its profit to the unit', () => {
    expect(verdicts).toHaveLength(5);
    for (const { block, front, back, victims, venue, profit_token: token, profit } of verdicts) {
      const finding = found
        .get(block)!
        .find((one) => one.finding === 'sandwich' && hashesOf(one, 'front').includes(front))!;
      expect(finding.status).toBe('Proven');
      expect(hashesOf(finding, 'back')).toEqual([back]);
      expect(hashesOf(finding, 'victim').sort()).toEqual([...victims].sort());
      // One verdict pairs the second of two pools with the accounts of the first.
      expect(finding.venues.map((one) => one.venue.toLowerCase())).toContain(venue);
      const results = finding.amounts.filter(
        ({ role, asset_id: id }) => role === 'pool_result' && id === `eip155:1/erc20:${token}`,
      );
      expect(results.map(({ amount_raw: raw }) => raw)).toContain(profit);
    }
  });

  it('are no sandwich that it did not find', () => {
    const fronts = new Set(verdicts.map(({ front }) => front));
    const sandwiches = [...found.values()].flat().filter(({ finding }) => finding === 'sandwich');
    expect(new Set(sandwiches.flatMap((one) => hashesOf(one, 'front')))).toEqual(fronts);
    expect(sandwiches).toHaveLength(fronts.size);
  });

  it('state the loss of every victim at a constant-product pool whose trade is one of its curve', () => {
    const losses = [...found.values()]
      .flat()
      .filter(({ finding }) => finding === 'sandwich')
      .flatMap(({ amounts }) => amounts.filter(({ role }) => role === 'loss'));
    expect(losses).toHaveLength(7);
    for (const { amount_raw: raw, reason } of losses) {
      expect(reason).toBeNull();
      expect(BigInt(raw!)).toBeGreaterThan(0n);
    }
  });
});
