import { encodeFunctionData, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import {
  account,
  analyse,
  erc20,
  ETH,
  event,
  kinds,
  nftTransfer,
  rulebook,
  send,
  transfer,
  v2Swap,
  v3Swap,
  WETH,
  ZERO,
  type Step,
  type TxOptions,
} from '../4-primitives/support.ts';
import { buildMotifs } from '../../../src/stages/5-motifs/buildMotifs.ts';
import type { Address } from '../../../src/model/hex.ts';
import type { Motif } from '../../../src/model/motif.ts';

const [USER, ROUTER, P1, P2, P3, A, B, C, BUILDER, FRIEND] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(account) as [
  Address,
  ...Address[],
] &
  Record<number, Address> as Address[];

function motifsOf(
  steps: readonly Step[],
  options: TxOptions = {},
  coinbase: Address | null = BUILDER!,
): Motif[] {
  const { tx, flow, primitives } = analyse(steps, options);
  return buildMotifs({ tx, flow, primitives, rulebook, coinbase });
}

/** A trade at a pair: `x` of one token in from `payer`, `y` of the other out to `taker`. */
const trade = (
  pool: Address,
  payer: Address,
  taker: Address,
  tokenIn: Address,
  x: bigint,
  tokenOut: Address,
  y: bigint,
): Step[] => [
  transfer(tokenIn, payer, pool, x),
  transfer(tokenOut, pool, taker, y),
  v2Swap(pool, taker, [x, 0n, 0n, y]),
];

const holds = (motif: Motif): Record<string, boolean> =>
  Object.fromEntries(motif.claims.map((i) => [i.name, i.holds]));
const find = (motifs: readonly Motif[], kind: string): Motif => motifs.find((m) => m.kind === kind)!;

describe('single motifs', () => {
  it('carry roles, sides, movements and evidence', () => {
    const [swap] = motifsOf(trade(P1!, USER!, USER!, A!, 100n, B!, 90n));
    expect(swap).toMatchObject({
      index: 0,
      kind: 'swap',
      venue: P1,
      parent: null,
      scopeFrame: null,
      status: 'Proven',
      confidence: 'Medium',
      movements: [0, 1],
      assetsOut: [{ asset: erc20(A!), amount: 100n, role: 'in' }],
      assetsIn: [{ asset: erc20(B!), amount: 90n, role: 'out' }],
    });
    expect(swap!.participants).toEqual([
      { role: 'owner', account: USER },
      { role: 'payer', account: USER },
      { role: 'recipient', account: USER },
      { role: 'pool', account: P1 },
    ]);
  });

  it('are proven when plain, suspected when guessed, and never proven by an event alone', () => {
    const plain = motifsOf([], { to: FRIEND!, value: 5n });
    expect(plain.map((m) => [m.kind, m.status, m.confidence, m.scopeFrame])).toEqual([
      ['transfer', 'Proven', 'High', 0],
    ]);
    const guessed = motifsOf([transfer(B!, P1!, USER!, 50n)], { to: P1!, value: 100n });
    expect(guessed.map((m) => [m.kind, m.status, m.confidence])).toEqual([['swap', 'Suspected', 'Low']]);
    const forged = motifsOf([
      event(P1!, 'PairCreated(address indexed token0, address indexed token1, address pair, uint256 count)', [
        A,
        B,
        P2,
        1n,
      ]),
    ]);
    expect(forged.map((m) => [m.kind, m.status])).toEqual([['pool_creation', 'Suspected']]);
    const disagreeing = motifsOf([
      transfer(A!, USER!, P1!, 100n),
      transfer(B!, P1!, USER!, 80n),
      v2Swap(P1!, USER!, [100n, 0n, 0n, 90n]),
    ]);
    expect(disagreeing[0]).toMatchObject({ kind: 'swap', status: 'Suspected' });
  });

  it('name who stands behind a router', () => {
    const [swap] = motifsOf([
      transfer(A!, USER!, ROUTER!, 100n),
      ...trade(P1!, ROUTER!, ROUTER!, A!, 100n, B!, 90n),
      transfer(B!, ROUTER!, USER!, 90n),
    ]);
    expect(swap!.participants).toEqual(
      expect.arrayContaining([
        { role: 'owner', account: USER },
        { role: 'payer', account: ROUTER },
        { role: 'recipient', account: USER },
      ]),
    );
  });

  it('call nobody a payer who got the fee that the venue paid on', () => {
    const [WYVERN, SELLER, HOUSE, NFT, NONE] = [
      '0x7be8076f4ea4a4ad08075c2508e481d6c946d12b',
      FRIEND!,
      P3!,
      A!,
      `0x${'0'.repeat(64)}`,
    ] as [Address, Address, Address, Address, Address];
    const abi = [
      'function atomicMatch_(address[14] addrs, uint256[18] uints, uint8[8] kinds, bytes a, bytes b, bytes c, ' +
        'bytes d, bytes e, bytes f, uint8[2] vs, bytes32[5] rss)',
    ];
    const addrs = [WYVERN, USER!, ZERO, ZERO, NFT, ZERO, ZERO, WYVERN, SELLER, ZERO, HOUSE, NFT, ZERO, ZERO];
    const zeros = (n: number): number[] => Array.from({ length: n }, () => 0);
    const hashes = [NONE, NONE, NONE, NONE, NONE];
    const input = encodeFunctionData({
      abi: parseAbi(abi),
      args: [addrs, zeros(18), zeros(8), '0x', '0x', '0x', '0x', '0x', '0x', [27, 27], hashes],
    } as never);
    const sale = [send(WYVERN, HOUSE, 5n), send(WYVERN, SELLER, 95n), nftTransfer(NFT, SELLER, USER!, 7n)];
    const { participants } = find(motifsOf(sale, { to: WYVERN, value: 100n, input }), 'nft_trade');
    expect(participants).toEqual([
      { role: 'buyer', account: USER },
      { role: 'seller', account: SELLER },
      { role: 'maker', account: SELLER },
      { role: 'recipient', account: USER },
      { role: 'payer', account: USER },
      { role: 'recipient', account: HOUSE },
      { role: 'marketplace', account: WYVERN },
    ]);
  });

  it('tell payments to the block builder from others', () => {
    const motifs = motifsOf([...trade(P1!, USER!, USER!, A!, 100n, B!, 90n), send(ROUTER!, BUILDER!, 7n)], {
      value: 7n,
    });
    expect(kinds(motifs)).toEqual(['swap', 'builder_payment']);
    expect(kinds(motifsOf([], { to: BUILDER!, value: 7n }))).toEqual(['transfer']);
    expect(kinds(motifsOf([send(ROUTER!, BUILDER!, 7n)], { value: 7n }, null))).toEqual(['transfer']);
  });
});

describe('routes', () => {
  const chain = [...trade(P1!, USER!, P2!, A!, 100n, B!, 90n), v2Swap(P2!, USER!, [90n, 0n, 0n, 80n])];
  const chained = [...chain.slice(0, 3), transfer(C!, P2!, USER!, 80n), chain[3]!];

  it('join trades of which one takes what the other sent', () => {
    const motifs = motifsOf(chained);
    expect(kinds(motifs)).toEqual(['route', 'swap', 'swap']);
    expect(motifs.map((m) => m.parent)).toEqual([null, 0, 0]);
    expect(motifs[0]).toMatchObject({
      status: 'Proven',
      confidence: 'Medium',
      movements: [0, 1, 2],
      assetsOut: [{ asset: erc20(A!), amount: 100n, role: 'in' }],
      assetsIn: [{ asset: erc20(C!), amount: 80n, role: 'out' }],
    });
    expect(motifs[0]!.participants).toEqual(
      expect.arrayContaining([
        { role: 'owner', account: USER },
        { role: 'pool', account: P1 },
        { role: 'pool', account: P2 },
      ]),
    );
  });

  it('join trades one payment was split over, through a router', () => {
    const motifs = motifsOf([
      transfer(A!, USER!, ROUTER!, 100n),
      ...trade(P1!, ROUTER!, ROUTER!, A!, 60n, B!, 50n),
      ...trade(P2!, ROUTER!, ROUTER!, A!, 40n, B!, 33n),
      transfer(B!, ROUTER!, USER!, 83n),
    ]);
    expect(kinds(motifs)).toEqual(['route', 'swap', 'swap']);
    expect(motifs[0]).toMatchObject({
      status: 'Proven',
      assetsOut: [{ amount: 100n }],
      assetsIn: [{ amount: 83n }],
    });
  });

  it('leave unrelated trades, a single trade and repeated trades at one pool alone', () => {
    const one = trade(P1!, USER!, USER!, A!, 100n, B!, 90n);
    expect(kinds(motifsOf([...one, ...one]))).toEqual(['swap', 'swap']);
    expect(
      kinds(
        motifsOf([
          ...trade(P1!, USER!, USER!, A!, 100n, B!, 90n),
          ...trade(P2!, FRIEND!, FRIEND!, C!, 5n, WETH, 6n),
        ]),
      ),
    ).toEqual(['swap', 'swap']);
    expect(kinds(motifsOf(trade(P1!, USER!, USER!, A!, 100n, B!, 90n)))).toEqual(['swap']);
  });

  it('are only suspected when a hop is', () => {
    const motifs = motifsOf([
      ...trade(P1!, USER!, ROUTER!, A!, 100n, B!, 90n),
      transfer(B!, ROUTER!, P2!, 90n),
      transfer(C!, P2!, USER!, 80n),
    ]);
    expect(kinds(motifs)).toEqual(['route', 'swap', 'swap']);
    expect(motifs[0]).toMatchObject({ status: 'Suspected', basis: 'structure', confidence: 'Low' });
    expect(holds(motifs[0]!)['hops_proven']).toBe(false);
  });
});

describe('cycles', () => {
  const BOT = ROUTER!;
  const closed = (out: bigint): Step[] => [
    ...trade(P1!, BOT, P2!, WETH, 1000n, A!, 500n),
    transfer(WETH, P2!, BOT, out),
    v2Swap(P2!, BOT, [500n, 0n, 0n, out]),
  ];

  it('are proven when they close, chain, gain and leave every other lane flat', () => {
    const motifs = motifsOf(closed(1010n));
    expect(kinds(motifs)).toEqual(['cycle', 'swap', 'swap']);
    expect(motifs[0]).toMatchObject({
      status: 'Proven',
      confidence: 'Medium',
      assetsOut: [{ asset: erc20(WETH), amount: 1000n, role: 'in' }],
      assetsIn: [{ asset: erc20(WETH), amount: 1010n, role: 'out' }],
    });
    expect(motifs.map((m) => m.parent)).toEqual([null, 0, 0]);
    expect(holds(motifs[0]!)).toEqual({
      sum_of_parts: true,
      closed: true,
      amounts_chain: true,
      distinct_pools: true,
      positive_residual: true,
      other_lanes_flat: true,
      hops_proven: true,
    });
  });

  it('count native and wrapped native as one, and what the builder received as gained', () => {
    const tip = [
      event(WETH, 'Withdrawal(address indexed src, uint256 wad)', [BOT, 10n]),
      send(WETH, BOT, 10n),
      send(BOT, BUILDER!, 10n),
    ];
    const motifs = motifsOf([...closed(1010n), ...tip]);
    expect(find(motifs, 'cycle').status).toBe('Proven');
    expect(kinds(motifs)).toContain('builder_payment');
  });

  it('begun with the tokens of an account that got more back are that account’s, not proven', () => {
    const [WALLET] = [account(77)];
    const around = (end: bigint): Step[] => [
      ...trade(P1!, WALLET!, P2!, WETH, 1000n, A!, 500n),
      transfer(WETH, P2!, WALLET!, end),
      v2Swap(P2!, WALLET!, [500n, 0n, 0n, end]),
    ];
    const cycle = find(motifsOf(around(1100n)), 'cycle');
    expect(cycle.status).toBe('Suspected');
    expect(cycle.participants).toContainEqual({ role: 'beneficiary', account: WALLET });
    expect(holds(cycle)).toMatchObject({ positive_residual: true, funder_consents: false });
    // Who gets back less than was pulled gained nothing.
    expect(kinds(motifsOf(around(900n)))).not.toContain('cycle');
  });

  it('lead through a router that passed on what the called contract gave and got', () => {
    const [ROUTES] = [account(78)];
    const routed = (who: Address): Step[] => [
      ...trade(P1!, BOT, BOT, WETH, 1000n, A!, 500n),
      transfer(A!, who, ROUTES!, 500n),
      ...trade(P2!, ROUTES!, ROUTES!, A!, 500n, WETH, 1010n),
      transfer(WETH, ROUTES!, who, 1010n),
    ];
    expect(find(motifsOf(routed(BOT)), 'cycle')).toMatchObject({ status: 'Proven' });
    // Another's trade through the router is no part of it.
    expect(kinds(motifsOf(routed(FRIEND!)))).not.toContain('cycle');
  });

  it('are none at a loss, through one pool only, or when the pool of the first trade is also that of the last', () => {
    expect(kinds(motifsOf(closed(990n)))).not.toContain('cycle');
    const back = [
      ...trade(P1!, BOT, BOT, WETH, 1000n, A!, 500n),
      ...trade(P1!, BOT, BOT, A!, 500n, WETH, 1010n),
    ];
    expect(kinds(motifsOf(back))).not.toContain('cycle');
    const around = [
      ...trade(P1!, BOT, BOT, WETH, 1000n, A!, 500n),
      ...trade(P2!, BOT, BOT, A!, 500n, B!, 400n),
      ...trade(P3!, BOT, BOT, B!, 400n, A!, 505n),
      ...trade(P1!, BOT, BOT, A!, 505n, WETH, 1020n),
    ];
    expect(kinds(motifsOf(around))).not.toContain('cycle');
  });

  it('are only suspected when amounts do not chain or another lane is left', () => {
    const broken = [
      ...trade(P1!, BOT, BOT, WETH, 1000n, A!, 500n),
      ...trade(P2!, BOT, BOT, A!, 400n, WETH, 1010n),
    ];
    expect(motifsOf(broken).every((m) => m.kind !== 'cycle' || m.status === 'Suspected')).toBe(true);
    const leftover = motifsOf([...closed(1010n), transfer(B!, FRIEND!, BOT, 50n)]);
    expect(find(leftover, 'cycle')).toMatchObject({ status: 'Suspected' });
    expect(holds(find(leftover, 'cycle'))['other_lanes_flat']).toBe(false);
  });

  it('count a third account that only receives as the wallet of the entity', () => {
    const kept = find(motifsOf([...closed(1010n), transfer(WETH, BOT, FRIEND!, 10n)]), 'cycle');
    expect(kept.status).toBe('Proven');
    expect(kept.participants).toContainEqual({ role: 'beneficiary', account: FRIEND });
    const spread = find(
      motifsOf([...closed(1010n), transfer(WETH, BOT, FRIEND!, 5n), transfer(WETH, BOT, P3!, 5n)]),
      'cycle',
    );
    expect(spread.status).toBe('Suspected');
    expect(holds(spread)['positive_residual']).toBe(false);
  });

  it('go through share tokens made or redeemed on the way', () => {
    const SHARE = account(30);
    const motifs = motifsOf([
      transfer(WETH, BOT, SHARE, 1000n),
      transfer(SHARE, ZERO, BOT, 900n),
      ...trade(P1!, BOT, BOT, SHARE, 900n, WETH, 1010n),
    ]);
    expect(kinds(motifs)).toEqual(['cycle', 'vault_deposit', 'swap']);
    expect(motifs[0]).toMatchObject({ status: 'Suspected' });
  });
});

describe('batches', () => {
  it('are one payer and several recipients, whoever executed it', () => {
    const motifs = motifsOf([
      transfer(A!, USER!, FRIEND!, 5n),
      transfer(A!, USER!, P1!, 6n),
      transfer(B!, USER!, FRIEND!, 7n),
    ]);
    expect(kinds(motifs)).toEqual(['batch_transfer', 'transfer', 'transfer', 'transfer']);
    expect(motifs[0]).toMatchObject({
      status: 'Proven',
      confidence: 'High',
      venue: USER,
      assetsOut: [
        { asset: erc20(A!), amount: 11n, role: 'paid' },
        { asset: erc20(B!), amount: 7n, role: 'paid' },
      ],
    });
    const native = motifsOf([send(ROUTER!, FRIEND!, 3n), send(ROUTER!, P1!, 2n)], { value: 5n });
    expect(native[0]).toMatchObject({
      kind: 'batch_transfer',
      venue: USER,
      assetsOut: [{ asset: ETH, amount: 5n }],
    });
  });

  it('are none for one recipient or when something came back', () => {
    expect(kinds(motifsOf([transfer(A!, USER!, FRIEND!, 5n), transfer(B!, USER!, FRIEND!, 6n)]))).toEqual([
      'transfer',
      'transfer',
    ]);
    expect(
      kinds(
        motifsOf([
          transfer(A!, USER!, FRIEND!, 5n),
          transfer(A!, USER!, P1!, 6n),
          transfer(C!, P2!, USER!, 1n),
        ]),
      ),
    ).not.toContain('batch_transfer');
  });
});

describe('scale', () => {
  it('stays near-linear in ten thousands of events at one venue', () => {
    const steps = (n: number): Step[] =>
      Array.from({ length: n }, (_, i) => BigInt(i + 1)).flatMap((i) => [
        transfer(A!, USER!, P1!, 1000n + i),
        transfer(B!, P1!, USER!, 900n + i),
        v3Swap(P1!, USER!, 1000n + i, -(900n + i)),
      ]);
    const time = (n: number): number => {
      const prepared = steps(n);
      const started = performance.now();
      expect(motifsOf(prepared)).toHaveLength(n);
      return performance.now() - started;
    };
    time(500);
    const small = time(2_000);
    expect(time(8_000)).toBeLessThan(Math.max(small, 50) * 12);
  });
});
