import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { planContext, type ContextPlan } from '../../../src/stages/1-fetch/context/planContext.ts';
import { tokensInLogs } from '../../../src/stages/1-fetch/context/tokensInLogs.ts';
import { canonicalize } from '../../../src/stages/2-canonical/canonicalize.ts';
import {
  FEED,
  SIGNER,
  TIMESTAMP,
  TOKEN,
  TRANSFER,
  sampleTransaction,
  transferLog,
} from '../../support/sampleTransaction.ts';
import type { PlanVocabulary } from '../../../src/stages/1-fetch/context/planContext.ts';
import type { Address, Hash } from '../../../src/model/hex.ts';
import type { RateSpec } from '../../../src/model/pricing.ts';
import type { RawTransaction } from '../../../src/model/upstream.ts';

const WRAPPED = `0x${'ee'.repeat(20)}` as const;
const ODD = `0x${'0d'.repeat(20)}` as const;
const ODD_TOPIC = `0x${'ab'.repeat(32)}` as const;
const vocabulary: PlanVocabulary = {
  wrappedNative: new Set([WRAPPED]),
  entities: new Map(),
  tokenEvents: new Map([
    [
      `${ODD_TOPIC}:1`,
      [
        {
          topic0: ODD_TOPIC,
          topicCount: 1,
          emitters: new Set([ODD]),
          assetKind: 'erc20',
          ignored: false,
          params: [],
          from: { op: 'emitter' },
          to: { op: 'emitter' },
          amount: null,
          tokenId: null,
        },
      ],
    ],
  ]),
  feeds: [
    { asset: 'native', feed: FEED, decimals: 8, heartbeat: 1 },
    { asset: TOKEN, feed: FEED, decimals: 8, heartbeat: 1 },
    { asset: ODD, feed: FEED, decimals: 8, heartbeat: 1 },
  ],
  multicall: { address: `0x${'ca'.repeat(20)}`, sinceBlock: 20_000_000n },
};

function planOf(sample = sampleTransaction(), rules = vocabulary, limit = 10): ContextPlan {
  const raw: RawTransaction = {
    hash: sample.tx['hash'] as RawTransaction['hash'],
    tx: sample.tx,
    receipt: sample.receipt,
    trace: { dialect: 'call_tracer', result: sample.callTracer },
  };
  return planContext(canonicalize(raw), raw, rules, limit);
}

describe('tokensInLogs', () => {
  const at = (address: Address, topic0: Hash, more = 0) => ({
    address,
    topics: [topic0, ...new Array<Hash>(more).fill(`0x${'00'.repeat(32)}`)],
    data: '0x' as const,
  });
  const deposit: Hash = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c';

  it('finds emitters of token events once each, in order', () => {
    const single: Hash = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62';
    const logs = [
      at(TOKEN, TRANSFER, 2),
      at(SIGNER, single, 3),
      at(TOKEN, TRANSFER, 3),
      at(WRAPPED, deposit, 1),
      at(FEED, deposit, 1),
      at(ODD, ODD_TOPIC),
      at(FEED, ODD_TOPIC),
      at(ODD, ODD_TOPIC, 1),
    ];
    expect(tokensInLogs(logs, vocabulary).seen).toEqual([TOKEN, SIGNER, WRAPPED, ODD]);
  });
});

describe('planContext', () => {
  it('asks for the tokens seen, their feeds, and the accounts that may be delegated', async () => {
    const plan = planOf();
    expect(plan).toMatchObject({
      blockNumber: 20_000_000n,
      timestamp: null,
      tokens: [TOKEN],
      multicall: vocabulary.multicall.address,
      accounts: [SIGNER, TOKEN],
    });
    expect(plan.pricing.feeds.map((feed) => feed.asset)).toEqual(['native', TOKEN]);
  });

  it('keeps to the limit and says what is beyond it', async () => {
    const logs = [1, 2, 3].map((i) => transferLog(`0x${String(i).repeat(40)}`));
    const plan = planOf(sampleTransaction(logs), vocabulary, 2);
    expect([plan.tokens.length, plan.tokensBeyondLimit]).toEqual([2, [`0x${'3'.repeat(40)}`]]);
  });

  it('reads the code of so many accounts that were asked about signatures, and says when there are more', () => {
    const sample = sampleTransaction();
    const asked = Array.from({ length: 300 }, (_, i) => ({
      type: 'STATICCALL',
      from: TOKEN,
      to: `0x${(i + 1).toString(16).padStart(40, '7')}`,
      gas: '0x64',
      gasUsed: '0x1',
      input: `0x1626ba7e${'00'.repeat(64)}`,
      output: '0x',
    }));
    const plan = planOf({ ...sample, callTracer: { ...sample.callTracer, calls: asked } });
    expect([plan.accounts.length, plan.accountsCut]).toEqual([200, true]);
    expect(planOf().accountsCut).toBe(false);
  });

  it('says which tokens the sources of prices are not asked about', () => {
    const tokens = Array.from({ length: 52 }, (_, i) => `0x${(i + 16).toString(16).repeat(20)}` as const);
    const minted = (token: Address): object => ({
      ...transferLog(token),
      topics: [TRANSFER, `0x${'00'.repeat(32)}`, `0x${'00'.repeat(31)}05`],
    });
    const family: RateSpec = {
      method: 'erc4626',
      tokens: null,
      terms: [],
      per: 1n,
      answers: [],
      refuse: null,
    };
    const pricing = {
      registry: { address: FEED, heartbeat: 1, quotes: [] },
      rates: [family],
      averages: [],
      apis: [],
    };
    const { registry, rates, refusals } = planOf(
      sampleTransaction(tokens.map(minted) as never),
      { ...vocabulary, pricing },
      100,
    ).pricing;
    expect([registry!.tokens.length, rates.length]).toEqual([50, 12]);
    expect(refusals.map(({ asset, threshold }) => [asset, threshold])).toEqual([
      ...tokens.slice(50).map((token) => [token, '50']),
      ...tokens.slice(12).map((token) => [token, '12']),
    ]);
    expect(refusals[0]).toMatchObject({
      code: 'no_source',
      reason: 'more tokens in one transaction than the registry of feeds can be asked about',
    });
  });

  it('knows the time early where the node tells it', async () => {
    const sample = sampleTransaction();
    (sample.receipt['logs'] as Record<string, unknown>[])[0]!['blockTimestamp'] =
      `0x${TIMESTAMP.toString(16)}`;
    expect(planOf(sample).timestamp).toBe(TIMESTAMP);
  });

  it('uses no Multicall3 before it existed', async () => {
    expect(
      planOf(undefined, {
        ...vocabulary,
        multicall: { ...vocabulary.multicall, sinceBlock: 20_000_001n },
      }).multicall,
    ).toBeNull();
  });

  it('recovers who signed an authorisation (EIP-7702) and skips invalid ones', async () => {
    const account = privateKeyToAccount(`0x${'11'.repeat(32)}`);
    const signed = await account.signAuthorization({ address: TOKEN, chainId: 1, nonce: 7 });
    const item = {
      address: TOKEN,
      chainId: '0x1',
      nonce: '0x7',
      yParity: `0x${signed.yParity!.toString(16)}`,
      r: signed.r,
      s: signed.s,
    };
    const sample = sampleTransaction();
    sample.tx['authorizationList'] = [item, { ...item, r: `0x${'00'.repeat(32)}` }];
    expect(planOf(sample).accounts).toEqual([SIGNER, TOKEN, account.address.toLowerCase()]);
  });
});
