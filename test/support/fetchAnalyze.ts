import {
  createUpstream,
  type Upstream,
  type UpstreamOptions,
} from '../../src/stages/1-fetch/rpc/upstream.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { fetchContext } from '../../src/stages/1-fetch/context/fetchContext.ts';
import { fetchTransaction } from '../../src/stages/1-fetch/fetchTransaction.ts';
import { canonicalize } from '../../src/stages/2-canonical/canonicalize.ts';
import { planContext, type PlanVocabulary } from '../../src/stages/1-fetch/context/planContext.ts';
import type { Analyze } from '../../src/service/http/analyze.ts';
import type { Session } from '../../src/stages/1-fetch/rpc/session.ts';

/** The part of a rule set the fetch needs: wrapped ether, Multicall3, four dollar feeds and the HTTP price sources. */
export const VOCABULARY: PlanVocabulary = {
  wrappedNative: new Set(['0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2']),
  tokenEvents: new Map(),
  entities: new Map(),
  feeds: [
    { asset: 'native', feed: '0x5f4ec3df9cbd43714fe2740f5e3616155c5b8419', decimals: 8, heartbeat: 3600 },
    {
      asset: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
      feed: '0x8fffffd4afb6115b954bd326cbe7b4ba576818f6',
      decimals: 8,
      heartbeat: 86_400,
    },
    {
      asset: '0xdac17f958d2ee523a2206206994597c13d831ec7',
      feed: '0x3e7d1eab13ad0104d2750b8863b489d65364e32d',
      decimals: 8,
      heartbeat: 86_400,
    },
    {
      asset: '0x6b175474e89094c44da98b954eedeac495271d0f',
      feed: '0xaed0c38402a5d19df6e4c03f4e2dced6e29c1ee9',
      decimals: 8,
      heartbeat: 3600,
    },
  ],
  pricing: { registry: null, rates: [], averages: [], apis: loadRules().pricing.apis },
  multicall: { address: '0xca11bde05977b3631167028862be2a173976ca11', sinceBlock: 14_353_601n },
};

export function upstreamFor(rpcUrls: readonly string[], overrides: Partial<UpstreamOptions> = {}): Upstream {
  return createUpstream({
    rpcUrls,
    rpcTimeoutMs: 2_000,
    rpcRetries: 5,
    deadlineMs: 8_000,
    maxResponseBytes: 10_000_000,
    rpcMaxBatch: 100,
    ...overrides,
  });
}

/** An analysis that stops after the fetch: what the service does upstream, without the stages behind it. */
export function fetchAnalyze(
  upstream: Upstream,
  vocabulary: PlanVocabulary = VOCABULARY,
): (...call: Parameters<Analyze>) => Promise<{ json: string; intentKind: string }> {
  return async (hash, options) => {
    const session: Session = upstream.open(options);
    const raw = await fetchTransaction(session, hash);
    const context = await fetchContext(session, planContext(canonicalize(raw), raw, vocabulary, 2_000), {
      priceApi: upstream.priceApi,
    });
    const report = {
      hash: raw.hash,
      dialect: raw.trace.dialect,
      block: (context.block as { hash: string }).hash,
      tokens: [...context.tokens.values()],
      prices: context.prices.map((p) => ({ ...p, numerator: p.numerator.toString() })),
      refusals: context.refusals,
      delegations: [...context.delegations],
    };
    return { json: JSON.stringify(report), intentKind: 'Unknown' };
  };
}
