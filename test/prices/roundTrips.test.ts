import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn } from '../devnet/chain.ts';
import { FAR_FUTURE } from '../devnet/deploy/uniswap.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { createAnalyze } from '../../src/service/analyzer.ts';
import { startServer } from '../../src/service/main.ts';
import { createReportValidator } from '../../src/stages/9-report/reportValidator.ts';
import type { PriceSourceName } from '../../src/stages/1-fetch/prices/priceSources.ts';
import { upstreamFor } from '../support/fetchAnalyze.ts';
import {
  recordings,
  REPLAY_AVAILABLE,
  startReplayNode,
  warnIfAbsent,
  type ReplayNode,
} from '../support/replayNode.ts';
import { startStage, type Stage } from './stage.ts';

const MULTICALL_SINCE = 14_353_601n;

describe('round trips to a node that plays back mainnet', () => {
  warnIfAbsent('counting round trips');
  let node: ReplayNode;
  let service: Awaited<ReturnType<typeof startServer>>;
  beforeAll(async () => {
    if (!REPLAY_AVAILABLE) return;
    node = await startReplayNode();
    service = await startServer({
      rpcUrl: node.url,
      port: 0,
      host: '127.0.0.1',
      adminPort: null,
      logLevel: 'silent',
    });
  });
  afterAll(async () => {
    await service?.close();
    await node?.close();
  });

  it('are two for every transaction, prices and all', async (ctx) => {
    if (!REPLAY_AVAILABLE) return ctx.skip();
    const busiest = [...recordings()].sort((a, b) => b.logs - a.logs);
    const sample = [...busiest.slice(0, 40), ...busiest.filter((_, i) => i % 25 === 0)];
    const wrong: string[] = [];
    for (const { hash } of sample) {
      const before = (await node.stats()).http_requests;
      const response = await fetch(`${service.url}/analyze`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ tx_hash: hash }),
      });
      const { tx } = (await response.json()) as { tx?: { block_number: number } };
      const trips = (await node.stats()).http_requests - before;
      // Before Multicall3 every read is a call of its own, and a batch holds a hundred: several batches leave at once.
      if (response.status === 200 && trips !== 2 && BigInt(tx!.block_number) >= MULTICALL_SINCE)
        wrong.push(`${hash}: ${trips}`);
    }
    expect(sample.length).toBeGreaterThan(40);
    expect(wrong).toEqual([]);
  });
});

describe('round trips for a transaction with shares to price', () => {
  let stage: Stage;
  beforeAll(async () => (stage = await startStage()));
  afterAll(() => stage?.stop());

  it('are two; averages of pools and shares that only change hands take a third', async () => {
    const { c } = stage;
    await c.approve('alice', 'USDC', 'v2Router');
    const added = await c.send('alice', {
      to: MAINNET.v2Router,
      value: 3n * 10n ** 18n,
      data: fn('addLiquidityETH(address,uint256,uint256,uint256,address,uint256)', [
        MAINNET.usdc,
        6_800n * 10n ** 6n,
        0n,
        0n,
        addressOf('alice'),
        FAR_FUTURE,
      ]),
    });
    // A share that only changes hands rests on assets that the transaction does not touch.
    const given = await c.send('alice', {
      to: c.at('v2PairUSDC'),
      data: fn('transfer(address,uint256)', [addressOf('carol'), 10n ** 6n]),
    });
    const unpriced = await c.send('bob', {
      to: c.at('ACORN'),
      data: fn('transfer(address,uint256)', [addressOf('carol'), 1n]),
    });
    const rulebook = loadRules();
    for (const since of [0n, MULTICALL_SINCE]) {
      const book = { ...rulebook, multicall: { ...rulebook.multicall, sinceBlock: since } };
      const upstream = upstreamFor([stage.devnet.rpcUrl]);
      const trips = async (hash: `0x${string}`, priceSources: readonly PriceSourceName[] | null) => {
        let count = 0;
        await createAnalyze({
          upstream,
          rulebook: () => book,
          validate: createReportValidator(),
          maxTokens: 100,
          priceSources,
        })(hash, {
          signal: new AbortController().signal,
          deadlineAt: performance.now() + 20_000,
          onCall: () => void count++,
        });
        return count;
      };
      expect([await trips(added, null), await trips(added, ['chainlink', 'lp', 'twap'])]).toEqual([2, 2]);
      // Where reads share a request, it is asked what it is, and for its rate once that is proven.
      expect(await trips(given, null)).toBe(since === 0n ? 3 : 2);
      expect([await trips(unpriced, null), await trips(unpriced, ['chainlink', 'twap'])]).toEqual([2, 3]);
      await upstream.close();
    }
  });
});
