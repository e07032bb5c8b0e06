import { decodeFunctionData, encodeFunctionResult, multicall3Abi, type Hex } from 'viem';
import { afterEach, describe, expect, it } from 'vitest';
import { fetchContext } from '../../../src/stages/1-fetch/context/fetchContext.ts';
import { startFakeNode, FakeRpcError, type FakeNode, type Handler } from '../../support/fakeNode.ts';
import { upstreamFor } from '../../support/fetchAnalyze.ts';
import {
  BLOCK_HASH,
  BLOCK_NUMBER,
  FEED,
  SIGNER,
  TIMESTAMP,
  TOKEN,
  abiString,
  sampleHandlers,
  sampleTransaction,
  uint,
} from '../../support/sampleTransaction.ts';
import type { ContextPlan } from '../../../src/stages/1-fetch/context/planContext.ts';
import type { Upstream } from '../../../src/stages/1-fetch/rpc/upstream.ts';
import type { RawContext } from '../../../src/model/upstream.ts';

const MULTICALL = `0x${'ca'.repeat(20)}` as const;
const OLD_TOKEN = `0x${'01'.repeat(20)}` as const;
const REGISTRY = `0x${'4e'.repeat(20)}` as const;
/** A contract without the function that registries have. */
const STRANGER = `0x${'4f'.repeat(20)}` as const;
const DELEGATE = `0x${'de'.repeat(20)}` as const;
const ROUND: Hex = `0x${uint(9)}${uint(300_000_000_000n)}${uint(TIMESTAMP - 700)}${uint(TIMESTAMP - 600)}${uint(9)}`;
const ANSWERS: Record<string, Hex> = {
  [`${TOKEN}:0x95d89b41`]: abiString('TKN'),
  [`${TOKEN}:0x06fdde03`]: abiString('Token'),
  [`${TOKEN}:0x313ce567`]: `0x${uint(6)}`,
  [`${OLD_TOKEN}:0x95d89b41`]: `0x${Buffer.from('OLD').toString('hex').padEnd(64, '0')}`,
  [`${FEED}:0xfeaf968c`]: ROUND,
  [`${REGISTRY}:0x12345678`]: `0x${uint(1)}`,
};
const PLAN: ContextPlan = {
  blockHash: BLOCK_HASH,
  blockNumber: BLOCK_NUMBER,
  effectiveGasPrice: 7n,
  timestamp: null,
  tokens: [TOKEN, OLD_TOKEN],
  tokenFacts: new Map(),
  registries: { reads: [], cut: false },
  holders: new Map(),
  tokensBeyondLimit: [],
  tokenLimit: 2_000,
  pricing: {
    feeds: [{ asset: 'native', feed: FEED, decimals: 8, heartbeat: 3600 }],
    registry: null,
    rates: [],
    averages: [],
    apis: [],
    positions: [],
    heldShares: [],
    heldBases: () => [],
    averageBases: () => ({ tokens: [], feeds: [] }),
    fungible: [TOKEN, OLD_TOKEN],
    bases: [],
    refusals: [],
  },
  multicall: MULTICALL,
  accounts: [SIGNER, TOKEN],
  watched: [],
  accountsCut: false,
  authorities: [],
};

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((thing) => thing.close()));
});

/** `eth_call` with a working Multicall3; `spoil` makes its aggregates fail. */
function ethCall(spoil?: () => never): Handler {
  const single = sampleHandlers(sampleTransaction(), 'both', ANSWERS)['eth_call']!;
  return (params) => {
    const { to, data } = params[0] as { to: string; data: Hex };
    expect(params[1]).toBe(`0x${BLOCK_NUMBER.toString(16)}`);
    if (to !== MULTICALL) return single(params);
    spoil?.();
    const { args } = decodeFunctionData({ abi: multicall3Abi, data });
    const calls = (args as unknown as [{ target: string; callData: Hex }[]])[0];
    const result = calls.map(({ target, callData }) => {
      const returnData = single([{ to: target.toLowerCase(), data: callData }]) as Hex;
      return { success: returnData !== '0x', returnData };
    });
    return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result });
  };
}

async function setup(handlers: Record<string, Handler> = {}): Promise<{
  node: FakeNode;
  up: Upstream;
  run: (plan?: Partial<ContextPlan>, sources?: Parameters<typeof fetchContext>[2]) => Promise<RawContext>;
}> {
  const node = await startFakeNode({
    handlers: {
      ...sampleHandlers(sampleTransaction()),
      eth_call: ethCall(),
      eth_getCode: ([account]) => (account === SIGNER ? `0xef0100${DELEGATE.slice(2)}` : '0x6080'),
      ...handlers,
    },
  });
  const up = upstreamFor([node.url], { rpcTimeoutMs: 5_000, rpcRetries: 2, deadlineMs: 20_000 });
  open.push(node, up);
  return {
    node,
    up,
    run: (plan, sources) =>
      fetchContext(up.open({ signal: new AbortController().signal }), { ...PLAN, ...plan }, sources),
  };
}

function expectFull(context: RawContext): void {
  expect([...context.tokens.values()]).toEqual([
    { address: TOKEN, symbol: 'TKN', name: 'Token', decimals: 6 },
    { address: OLD_TOKEN, symbol: 'OLD', name: null, decimals: null },
  ]);
  expect(context.prices).toEqual([
    {
      asset: 'native',
      numerator: 300_000_000_000n,
      scale: 8,
      method: 'chainlink',
      source: FEED,
      asOf: TIMESTAMP - 600,
      heartbeat: 3600,
      pool: null,
      confidenceBps: null,
    },
  ]);
  expect(context.refusals).toEqual([]);
  expect([...context.delegations]).toEqual([[SIGNER, DELEGATE]]);
  expect(context.block).toMatchObject({ hash: BLOCK_HASH });
}

describe('fetchContext', () => {
  it('asks no token that the rules state whole, and takes their decimals where the node has none', async () => {
    const asked: Hex[] = [];
    const plain = ethCall();
    const { run } = await setup({
      eth_call: (params) => {
        asked.push((params[0] as { data: Hex }).data);
        return plain(params);
      },
    });
    const stated = { symbol: 'WELL', name: 'Well known', decimals: 9 };
    const tokenFacts = new Map([
      [TOKEN, { address: TOKEN, ...stated }],
      [OLD_TOKEN, { address: OLD_TOKEN, symbol: 'ELSE', name: null, decimals: 18 }],
    ]);
    const { tokens, incomplete } = await run({ tokenFacts });
    expect(tokens.get(TOKEN)).toEqual({ address: TOKEN, ...stated });
    expect(tokens.get(OLD_TOKEN)).toEqual({ address: OLD_TOKEN, symbol: 'OLD', name: null, decimals: 18 });
    expect([asked.some((data) => data.includes(OLD_TOKEN.slice(2))), incomplete]).toEqual([true, false]);
    expect(asked.some((data) => data.includes(TOKEN.slice(2)))).toBe(false);
  });

  it('brings header, metadata, prices and delegations in one request with one aggregate', async () => {
    const { node, run } = await setup();
    expectFull(await run());
    expect(node.requests).toEqual([['eth_getBlockByNumber', 'eth_getCode', 'eth_getCode', 'eth_call']]);
  });

  it('asks registries in the same request; one that does not answer lists nothing', async () => {
    const spec = { address: REGISTRY, selector: '0x12345678', sinceBlock: 0n } as const;
    const reads = [
      { contract: TOKEN, slug: 'made', spec },
      { contract: OLD_TOKEN, slug: 'made', spec: { ...spec, address: STRANGER } },
    ];
    const { node, run } = await setup();
    const context = await run({ registries: { reads, cut: false } });
    expectFull(context);
    expect([...context.registered!]).toEqual([[TOKEN, 'made']]);
    // One HTTP request; the registries have an aggregate of their own.
    expect(node.requests).toHaveLength(1);
    expect(node.requests[0]!.filter((method) => method === 'eth_call')).toHaveLength(2);
  });

  it('reads one by one, still in one request, before Multicall3 existed', async () => {
    const { node, run } = await setup();
    expectFull(await run({ multicall: null }));
    expect(node.requests).toEqual([
      ['eth_getBlockByNumber', 'eth_getCode', 'eth_getCode', ...new Array<string>(7).fill('eth_call')],
    ]);
  });

  it('asks for the holders of NFTs in the same request, before the block and at its end', async () => {
    const tags: unknown[] = [];
    const { node, run } = await setup({
      eth_call: ([call, tag]) => {
        const { to, data } = call as { to: string; data: Hex };
        const { args } = decodeFunctionData({ abi: multicall3Abi, data });
        const [first] = (args as unknown as [{ target: string; callData: Hex }[]])[0];
        if (to !== MULTICALL || !first!.callData.startsWith('0x6352211e')) return ethCall()([call, tag]);
        tags.push(tag);
        const returnData: Hex = `0x${uint(BigInt(SIGNER))}`;
        const result = [{ success: true, returnData }];
        return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result });
      },
    });
    const call = { to: TOKEN, data: `0x6352211e${uint(7)}`, apart: 'holders' } as const;
    const { holders, incomplete } = await run({ holders: new Map([['nft', call]]) });
    expect([...holders!]).toEqual([['nft', SIGNER]]);
    expect(tags).toEqual([BLOCK_NUMBER - 1n, BLOCK_NUMBER].map((n) => `0x${n.toString(16)}`));
    expect([node.requests.length, incomplete]).toEqual([1, false]);
    const many = new Map(Array.from({ length: 40 }, (_, i) => [String(i), call]));
    expect((await run({ holders: many })).incomplete).toBe(true);
  });

  it.each<[string, () => never]>([
    [
      'runs out of gas',
      () => {
        throw new FakeRpcError(-32000, 'out of gas');
      },
    ],
    [
      'is refused',
      () => {
        throw new FakeRpcError(-32602, 'gas required exceeds allowance');
      },
    ],
  ])('reads one by one in a further request when an aggregate %s', async (_, spoil) => {
    const { node, run } = await setup({ eth_call: ethCall(spoil) });
    expectFull(await run());
    expect(node.requests).toHaveLength(2);
  });

  it('reads one by one when the aggregate answers nonsense', async () => {
    const good = ethCall();
    const { run } = await setup({
      eth_call: (params) =>
        (params[0] as { to: string }).to === MULTICALL ? `0x${uint(32)}${uint(2n ** 250n)}` : good(params),
    });
    expectFull(await run());
  });

  it('splits thousands of tokens over several aggregates and batches, still at once', async () => {
    const { node, run } = await setup();
    const tokens = Array.from(
      { length: 950 },
      (_, i) => `0x${(i + 1).toString(16).padStart(40, '0')}` as const,
    );
    const context = await run({ tokens });
    expect(context.tokens.size).toBe(950);
    expect(node.requests).toHaveLength(1);
    expect(node.requests[0]!.filter((method) => method === 'eth_call')).toHaveLength(10);
    node.requests.length = 0;
    await run({ tokens, multicall: null });
    expect(node.requests.flat()).toHaveLength(3 + 1 + 950 * 3);
    expect(Math.max(...node.requests.map((methods) => methods.length))).toBe(100);
  });

  it('says which tokens it did not look up', async () => {
    const { run } = await setup();
    const { refusals } = await run({ tokensBeyondLimit: [FEED], tokenLimit: 2 });
    expect(refusals).toEqual([
      {
        asset: FEED,
        code: 'unknown_decimals',
        reason: expect.any(String) as string,
        observed: '3',
        threshold: '2',
      },
    ]);
  });

  it('reads a feed that answered in this very block before it, too, and no other', async () => {
    const round = (price: bigint, at: number): Hex =>
      `0x${uint(9)}${uint(price)}${uint(at)}${uint(at)}${uint(9)}`;
    const asked: unknown[] = [];
    const { run, node } = await setup({
      eth_call: ([call, tag]) => {
        const { data } = call as { data: string };
        if (data !== '0xfeaf968c') return '0x';
        asked.push(tag);
        return tag === `0x${BLOCK_NUMBER.toString(16)}`
          ? round(330_000_000_000n, TIMESTAMP)
          : round(300_000_000_000n, TIMESTAMP - 600);
      },
    });
    const { prices } = await run({ multicall: null });
    expect(prices).toMatchObject([
      { asset: 'native', numerator: 330_000_000_000n, before: 300_000_000_000n, asOf: TIMESTAMP },
    ]);
    expect(asked).toEqual([BLOCK_NUMBER, BLOCK_NUMBER - 1n].map((block) => `0x${block.toString(16)}`));
    expect(node.requests).toHaveLength(2);
  });

  it('takes a revert for an answer and a passing failure for none', async () => {
    const reverted = await setup({
      eth_call: () => {
        throw new FakeRpcError(3, 'execution reverted');
      },
    });
    const context = await reverted.run({ multicall: null });
    expect(context.tokens.get(TOKEN)).toEqual({ address: TOKEN, symbol: null, name: null, decimals: null });
    expect(context.refusals).toMatchObject([{ asset: 'native', code: 'no_source' }]);

    let failures = 1;
    const passing = await setup({
      eth_call: (params) => {
        if (failures-- > 0) throw new FakeRpcError(-32005, 'limit exceeded');
        return ethCall()(params);
      },
    });
    expectFull(await passing.run());
    const lasting = await setup({
      eth_call: () => {
        throw new FakeRpcError(-32005, 'limit exceeded');
      },
    });
    await expect(lasting.run()).rejects.toMatchObject({ code: 'upstream_rpc' });
  });

  it('knows the header alone where the node has no state so old', async () => {
    const { run } = await setup({
      eth_call: () => {
        throw new FakeRpcError(-32000, 'missing trie node abc');
      },
      eth_getCode: () => {
        throw new FakeRpcError(-32000, 'missing trie node abc');
      },
    });
    const context = await run();
    expect(context.stateless).toBe(true);
    expect([context.prices, context.rates, context.delegations.size]).toEqual([[], [], 0]);
    expect(context.refusals.map(({ asset, code }) => [asset, code])).toEqual(
      expect.arrayContaining([
        ['native', 'source_unavailable'],
        [TOKEN, 'source_unavailable'],
      ]),
    );
    expect(context.incomplete).toBe(true);
  });

  it('takes the state as unread where more accounts would have been asked for their code', async () => {
    const { run } = await setup();
    expect((await run()).stateless).toBe(false);
    expect((await run({ accountsCut: true })).stateless).toBe(true);
  });

  it('says that reads are missing where the node gave up executing a contract', async () => {
    const good = ethCall();
    const { run } = await setup({
      eth_call: (params) => {
        const { to } = params[0] as { to: string };
        if (to === MULTICALL || to === TOKEN)
          throw new FakeRpcError(-32000, 'execution aborted (timeout = 5s)');
        return good(params);
      },
    });
    const context = await run();
    expect([context.tokens.get(TOKEN)!.symbol, context.tokens.get(OLD_TOKEN)!.symbol]).toEqual([null, 'OLD']);
    expect(context.incomplete).toBe(true);
  });

  it('says that reads are missing where not even the aggregate has code', async () => {
    const { run } = await setup({ eth_call: () => '0x' });
    expect((await run()).incomplete).toBe(true);
  });

  it.each<[string, Handler, string]>([
    ['no header', () => null, 'inconsistent_upstream'],
    [
      'another header',
      () => ({ ...sampleTransaction().block, hash: `0x${'99'.repeat(32)}` }),
      'inconsistent_upstream',
    ],
    [
      'a header with another number',
      () => ({ ...sampleTransaction().block, number: '0x1' }),
      'inconsistent_upstream',
    ],
    ['no object', () => 'x', 'block_malformed'],
    ['no timestamp', () => ({ ...sampleTransaction().block, timestamp: undefined }), 'block_malformed'],
  ])('refuses %s', async (_, eth_getBlockByNumber, code) => {
    const { run } = await setup({ eth_getBlockByNumber });
    await expect(run()).rejects.toMatchObject({ code });
  });

  it.each<[string, Hex]>([
    ['nothing', '0x'],
    ['a negative price', `0x${uint(1)}${uint(2n ** 256n - 5n)}${uint(1)}${uint(TIMESTAMP)}${uint(1)}`],
    ['zero', `0x${uint(1)}${uint(0)}${uint(1)}${uint(TIMESTAMP)}${uint(1)}`],
    ['no finished round', `0x${uint(1)}${uint(5)}${uint(1)}${uint(0)}${uint(1)}`],
    ['the future', `0x${uint(1)}${uint(5)}${uint(1)}${uint(TIMESTAMP + 1)}${uint(1)}`],
    ['half an answer', `0x${uint(1)}${uint(5)}`],
  ])('has no price from a feed that answers %s', async (_, answer) => {
    const single = ethCall();
    const { run } = await setup({
      eth_call: (params) => ((params[0] as { to: string }).to === FEED ? answer : single(params)),
    });
    const { prices, refusals } = await run({ multicall: null });
    expect(prices).toEqual([]);
    expect(refusals).toMatchObject([{ asset: 'native', code: 'no_source' }]);
  });
});
