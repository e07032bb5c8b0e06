import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { encodeFunctionData, parseAbi, toHex } from 'viem';
import type { Address } from '../../../src/model/hex.ts';
import {
  account,
  analyse,
  erc20,
  ETH,
  event,
  gist,
  kinds,
  nftTransfer,
  send,
  type Step,
  transfer,
  v2Swap,
  v3Swap,
  WETH,
  ZERO,
} from './support.ts';

const [USER, ROUTER, POOL, A, B] = [account(1), account(2), account(3), account(4), account(5)] as const;
/** Public facts: pools whose address follows from their tokens. */
const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const USDC_WETH_V2 = '0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc';
const USDC_WETH_V3 = '0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640';

describe('swap events', () => {
  it('ties both sides of a pair swap to the movements that carried them', () => {
    const { primitives } = analyse([
      transfer(A, USER, POOL, 1000n),
      transfer(B, POOL, USER, 900n),
      v2Swap(POOL, USER, [1000n, 0n, 0n, 900n]),
    ]);
    expect(primitives).toHaveLength(1);
    const [swap] = primitives;
    expect(swap).toMatchObject({
      kind: 'swap',
      basis: 'event',
      shape: 'amm-v2-pool',
      venue: POOL,
      poolId: null,
      protocol: { slug: 'amm-v2-pool', matchedBy: 'family' },
      roles: [
        { role: 'payer', account: USER },
        { role: 'recipient', account: USER },
      ],
    });
    expect(swap!.legs).toEqual([
      {
        role: 'in',
        asset: erc20(A),
        amount: 1000n,
        account: USER,
        movements: [0],
        exact: true,
        stated: 1000n,
      },
      {
        role: 'out',
        asset: erc20(B),
        amount: 900n,
        account: USER,
        movements: [1],
        exact: true,
        stated: 900n,
      },
    ]);
    expect(swap!.claims.every((i) => i.holds)).toBe(true);
    expect(swap!.claims.map((i) => i.name)).toEqual(['value_moved', 'venue_involved', 'single_venue']);
    expect(swap!.evidence.map((e) => e.log)).toEqual([2, 0, 1]);
  });

  it('does not depend on whether the trace says which frame logged what', () => {
    const steps = [
      transfer(A, USER, POOL, 1000n),
      transfer(B, POOL, USER, 900n),
      v2Swap(POOL, USER, [1000n, 0n, 0n, 900n]),
      transfer(A, USER, account(9), 5n),
    ];
    const bare = (framed: boolean) =>
      analyse(steps, { framed }).primitives.map((p) => ({ ...p, evidence: p.evidence.map((e) => e.log) }));
    expect(bare(true)).toEqual(bare(false));
  });

  it('proves a pair and a pool of known factories from their tokens alone', () => {
    const v2 = analyse([
      transfer(USDC, USER, USDC_WETH_V2, 7n),
      transfer(WETH, USDC_WETH_V2, USER, 9n),
      v2Swap(USDC_WETH_V2, USER, [7n, 0n, 0n, 9n]),
    ]);
    expect(v2.primitives[0]!.protocol).toEqual({ slug: 'uniswap-v2', version: 2, matchedBy: 'create2' });
    const v3 = analyse([
      transfer(WETH, USDC_WETH_V3, USER, 9n),
      transfer(USDC, USER, USDC_WETH_V3, 7n),
      v3Swap(USDC_WETH_V3, USER, 7n, -9n),
    ]);
    expect(v3.primitives[0]!.protocol).toEqual({ slug: 'uniswap-v3', version: 1, matchedBy: 'create2' });
    const wrongTokens = analyse([
      transfer(A, USER, USDC_WETH_V2, 7n),
      transfer(WETH, USDC_WETH_V2, USER, 9n),
      v2Swap(USDC_WETH_V2, USER, [7n, 0n, 0n, 9n]),
    ]);
    expect(wrongTokens.primitives[0]!.protocol).toMatchObject({ matchedBy: 'family' });
  });

  it('gives each of several equal swaps at one pool its own movements', () => {
    const one = [
      transfer(A, USER, POOL, 10n),
      transfer(B, POOL, USER, 9n),
      v2Swap(POOL, USER, [10n, 0n, 0n, 9n]),
    ];
    const { primitives } = analyse([...one, ...one, ...one]);
    expect(primitives.map((p) => p.legs.map((l) => l.movements[0]))).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
    ]);
  });

  it('takes the side that differs when a pair names both tokens on one side', () => {
    const { primitives } = analyse([
      transfer(A, USER, POOL, 5n),
      transfer(B, USER, POOL, 200n),
      transfer(A, POOL, USER, 100n),
      v2Swap(POOL, USER, [5n, 200n, 100n, 0n]),
    ]);
    expect(primitives.filter((p) => p.kind === 'swap').map(gist)).toEqual([
      `swap @${POOL}: in 200 erc20:${B}, out 100 erc20:${A}`,
    ]);
  });

  it('adds up what a taxing token splits one payment into, and marks what does not add up', () => {
    const split = analyse([
      transfer(A, USER, POOL, 10n),
      transfer(B, POOL, account(8), 1n),
      transfer(B, POOL, USER, 8n),
      v2Swap(POOL, USER, [10n, 0n, 0n, 9n]),
    ]);
    expect(split.primitives[0]!.legs[1]).toMatchObject({ amount: 9n, movements: [1, 2], exact: true });
    const taxed = analyse([
      transfer(A, USER, POOL, 10n),
      transfer(B, POOL, USER, 800n),
      v2Swap(POOL, USER, [10n, 0n, 0n, 900n]),
    ]);
    expect(taxed.primitives[0]!.legs[1]).toMatchObject({ amount: 800n, exact: false, stated: 900n });
  });

  it('reads a flash swap that pays the same token back as a loan', () => {
    const { primitives } = analyse([
      transfer(A, POOL, USER, 100n),
      transfer(A, USER, POOL, 101n),
      v2Swap(POOL, USER, [101n, 0n, 100n, 0n]),
    ]);
    expect(primitives.map(gist)).toEqual([
      `flash_loan @${POOL}: borrowed 100 erc20:${A}, repaid 101 erc20:${A}`,
    ]);
  });

  it('takes no forged event for a swap', () => {
    const amount = fc.bigInt({ min: 0n, max: 1000n });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(3), amount, amount, amount, amount), { minLength: 1, maxLength: 6 }),
        fc.array(fc.tuple(fc.nat(1), fc.nat(3), fc.nat(3), fc.bigInt({ min: 1n, max: 1000n })), {
          maxLength: 8,
        }),
        (events, moves) => {
          const emitter = (n: number) => account(20 + n);
          const bystander = (n: number) => account(40 + n);
          const { primitives } = analyse([
            ...moves.map(([token, from, to, value]) =>
              transfer(token ? A : B, bystander(from), bystander(to + 4), value),
            ),
            ...events.map(([n, a, b, c, d]) => v2Swap(emitter(n), USER, [a, b, c, d])),
            ...events.map(([n, a, b]) => v3Swap(emitter(n), USER, a - 500n, b - 500n)),
          ]);
          expect(primitives.filter((p) => p.kind === 'swap' && p.basis === 'event')).toEqual([]);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('singletons', () => {
  const VAULT = '0xba12222222228d8ba445958a75a0704d566bf2c8';
  const MANAGER = '0x000000000004444c5dc75cb358380d2e3de08a90';
  const C = account(6);
  const hop = (id: number, from: string, to: string, a: bigint, b: bigint) =>
    event(
      VAULT,
      'Swap(bytes32 indexed poolId, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut)',
      [`0x${String(id).repeat(64)}`, from, to, a, b],
    );
  const v4 = (id: number, a: bigint, b: bigint) =>
    event(
      MANAGER,
      'Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
      [`0x${String(id).repeat(64)}`, USER, a, b, 1n, 1n, 0, 500],
    );

  it('counts hops by pool id and checks the net amounts against the vault', () => {
    const { primitives } = analyse([
      hop(1, A, B, 100n, 50n),
      hop(2, B, C, 50n, 20n),
      transfer(A, USER, VAULT, 100n),
      transfer(C, VAULT, USER, 20n),
    ]);
    expect(primitives.map((p) => p.poolId)).toEqual([`0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`]);
    expect(primitives[0]!.legs[1]).toEqual({
      role: 'out',
      asset: erc20(B),
      amount: 50n,
      account: null,
      movements: [],
      exact: true,
      stated: 50n,
    });
    expect(primitives[0]!.claims).toContainEqual(
      expect.objectContaining({ name: 'netted_at_venue', holds: true }),
    );
    const short = analyse([
      hop(1, A, B, 100n, 50n),
      hop(2, B, C, 40n, 20n),
      transfer(A, USER, VAULT, 100n),
      transfer(C, VAULT, USER, 20n),
    ]);
    expect(short.primitives[0]!.claims).toContainEqual(
      expect.objectContaining({ name: 'netted_at_venue', holds: false }),
    );
  });

  it('knows a manager hop by its amounts where the event names no token', () => {
    const { primitives } = analyse([v4(1, -100n, 50n), v4(2, -50n, 20n), transfer(C, MANAGER, USER, 20n)], {
      to: MANAGER,
      value: 100n,
    });
    expect(primitives.map(gist)).toEqual([
      `swap @${MANAGER}: in 100 slip44:60`,
      `swap @${MANAGER}: out 20 erc20:${C}`,
    ]);
    expect(primitives.every((p) => p.protocol!.slug === 'uniswap-v4' && p.claims.every((i) => i.holds))).toBe(
      true,
    );
    expect(
      analyse([v4(1, -100n, 50n), v4(2, -49n, 20n), transfer(C, MANAGER, USER, 20n)], {
        to: MANAGER,
        value: 100n,
      }).primitives[0]!.claims,
    ).toContainEqual(expect.objectContaining({ name: 'netted_at_venue', holds: false }));
    const elsewhere = {
      log: {
        ...(v4(1, -100n, 50n) as { log: { address: Address; topics: never; data: never } }).log,
        address: POOL,
      },
    };
    expect(kinds(analyse([elsewhere]).primitives)).toEqual([]);
  });

  const SWAP = parseAbi([
    'struct Key { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
    'struct Params { bool zeroForOne; int256 amountSpecified; uint160 sqrtPriceLimitX96; }',
    'function swap(Key key, Params params, bytes hookData) returns (int256 swapDelta)',
  ]);
  const HOOK = account(9);
  /** A call of the manager; it returns what the caller pays (negative) and gets, after what the hook took. */
  const swapCall = (currency0: Address, currency1: Address, delta: readonly [bigint, bigint], over = {}) => ({
    frame: {
      from: USER,
      to: MANAGER as Address,
      input: encodeFunctionData({
        abi: SWAP,
        args: [
          { currency0, currency1, fee: 0, tickSpacing: 1, hooks: HOOK },
          { zeroForOne: true, amountSpecified: delta[0], sqrtPriceLimitX96: 1n },
          '0x',
        ],
      }),
      output: toHex((BigInt.asUintN(128, delta[0]) << 128n) | BigInt.asUintN(128, delta[1]), { size: 32 }),
      ...over,
    },
  });

  it('takes what the call returns for what the caller paid, and the rest for the hook', () => {
    const hops = (fee: Step, end: number) =>
      analyse(
        [
          swapCall(ZERO, B, [-100n, 50n], { end }),
          v4(1, -90n, 50n),
          fee,
          swapCall(B, C, [-50n, 20n]),
          v4(2, -50n, 20n),
          transfer(C, MANAGER, USER, 20n),
        ],
        { to: MANAGER, value: 100n },
      ).primitives;
    const inside = hops({ frame: { from: MANAGER, to: HOOK, value: 10n, parent: 1 } }, 3);
    expect(inside.map(gist)).toEqual([
      `swap @${MANAGER}: in 100 slip44:60, out 50 erc20:${B}`,
      `swap @${MANAGER}: in 50 erc20:${B}, out 20 erc20:${C}`,
    ]);
    expect(inside.flatMap((p) => p.claims.filter(({ holds }) => !holds))).toEqual([]);
    const outside = hops(send(MANAGER, HOOK, 10n), 2);
    expect(outside[0]!.claims).toContainEqual(
      expect.objectContaining({ name: 'netted_at_venue', holds: false }),
    );
  });

  it('knows a swap that the hook filled: the event states nothing', () => {
    const { primitives } = analyse(
      [swapCall(ZERO, C, [-100n, 20n]), v4(1, 0n, 0n), transfer(C, MANAGER, USER, 20n)],
      { to: MANAGER, value: 100n },
    );
    expect(primitives.map(gist)).toEqual([`swap @${MANAGER}: in 100 slip44:60, out 20 erc20:${C}`]);
    expect(primitives[0]!.claims.every(({ holds }) => holds)).toBe(true);
  });
});

describe('liquidity events', () => {
  it('knows a pair deposit and withdrawal by the pair token', () => {
    const added = analyse([
      transfer(A, USER, POOL, 10n),
      transfer(B, USER, POOL, 20n),
      transfer(POOL, ZERO, USER, 14n),
      event(POOL, 'Mint(address indexed sender, uint256 amount0, uint256 amount1)', [ROUTER, 10n, 20n]),
    ]);
    expect(added.primitives.map(gist)).toEqual([
      `add_liquidity @${POOL}: in 10 erc20:${A}, in 20 erc20:${B}, share_out 14 erc20:${POOL}`,
    ]);
    expect(added.primitives[0]!.roles).toContainEqual({ role: 'owner', account: USER });
    const removed = analyse([
      transfer(POOL, USER, POOL, 14n),
      transfer(POOL, POOL, ZERO, 14n),
      transfer(A, POOL, USER, 11n),
      transfer(B, POOL, USER, 19n),
      event(POOL, 'Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)', [
        ROUTER,
        11n,
        19n,
        USER,
      ]),
    ]);
    expect(removed.primitives.map(gist)).toEqual([
      `remove_liquidity @${POOL}: out 11 erc20:${A}, out 19 erc20:${B}, share_in 14 erc20:${POOL}`,
    ]);
    expect(removed.primitives[0]!.roles).toContainEqual({ role: 'owner', account: USER });
  });

  it('says nothing twice of shares that go back to the pair before it burns them', () => {
    const { primitives } = analyse(
      [
        transfer(POOL, USER, POOL, 14n),
        transfer(POOL, POOL, ZERO, 14n),
        transfer(A, POOL, ROUTER, 11n),
        transfer(B, POOL, ROUTER, 19n),
        event(POOL, 'Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)', [
          ROUTER,
          11n,
          19n,
          ROUTER,
        ]),
        transfer(A, ROUTER, USER, 11n),
        transfer(B, ROUTER, USER, 19n),
      ],
      { to: ROUTER },
    );
    expect(kinds(primitives)).toEqual(['remove_liquidity']);
  });

  it('joins pool, manager and later payout of a concentrated position into one act', () => {
    const MANAGER = '0xc36442b4a4522e871399cd717abdd847ab11fe88';
    const ticks = [-10, 10] as const;
    const added = analyse(
      [
        transfer(A, USER, POOL, 10n),
        transfer(B, USER, POOL, 20n),
        event(
          POOL,
          'Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
          [MANAGER, MANAGER, ...ticks, 5n, 10n, 20n],
        ),
        nftTransfer(MANAGER, ZERO, USER, 77n),
        event(
          MANAGER,
          'IncreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)',
          [77n, 5n, 10n, 20n],
        ),
      ],
      { to: MANAGER },
    );
    expect(added.primitives.map(gist)).toEqual([
      `add_liquidity @${MANAGER}: in 10 erc20:${A}, in 20 erc20:${B}, share_out 1 erc721:${MANAGER}/77`,
    ]);
    expect(added.primitives[0]!.roles).toContainEqual({ role: 'owner', account: USER });

    const collect = [
      transfer(A, POOL, USER, 12n),
      transfer(B, POOL, USER, 21n),
      event(
        POOL,
        'Collect(address indexed owner, address recipient, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount0, uint128 amount1)',
        [MANAGER, USER, ...ticks, 12n, 21n],
      ),
      event(
        MANAGER,
        'Collect(uint256 indexed tokenId, address recipient, uint256 amount0, uint256 amount1)',
        [77n, USER, 12n, 21n],
      ),
    ];
    expect(analyse(collect, { to: MANAGER }).primitives.map(gist)).toEqual([
      `collect_fees @${MANAGER}: out 12 erc20:${A}, out 21 erc20:${B}`,
    ]);
    const removed = analyse(
      [
        event(
          POOL,
          'Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
          [MANAGER, ...ticks, 5n, 11n, 20n],
        ),
        event(
          MANAGER,
          'DecreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)',
          [77n, 5n, 11n, 20n],
        ),
        ...collect,
      ],
      { to: MANAGER },
    );
    expect(removed.primitives.map(gist)).toEqual([
      `remove_liquidity @${MANAGER}: out 12 erc20:${A}, out 21 erc20:${B}`,
    ]);
    expect(
      removed.primitives[0]!.evidence.filter((e) => e.contract === POOL || e.contract === MANAGER),
    ).toHaveLength(4);
  });

  it('makes one deposit of one event per token', () => {
    const join = (token: string, amount: bigint) =>
      event(POOL, 'LOG_JOIN(address indexed caller, address indexed tokenIn, uint256 tokenAmountIn)', [
        USER,
        token,
        amount,
      ]);
    const { primitives } = analyse([
      join(A, 10n),
      transfer(A, USER, POOL, 10n),
      join(B, 20n),
      transfer(B, USER, POOL, 20n),
      transfer(POOL, ZERO, POOL, 3n),
      transfer(POOL, POOL, USER, 3n),
    ]);
    expect(primitives).toHaveLength(1);
    expect(primitives[0]!.legs.map((l) => `${l.role} ${l.amount}`).sort()).toEqual([
      'in 10',
      'in 20',
      'share_out 3',
    ]);
  });

  it('reads native against wrapped native where the venue wraps for its customer', () => {
    const VAULT = '0xba12222222228d8ba445958a75a0704d566bf2c8';
    const { primitives } = analyse(
      [
        event(
          VAULT,
          'Swap(bytes32 indexed poolId, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut)',
          [`0x${'1'.repeat(64)}`, WETH, B, 100n, 50n],
        ),
        send(VAULT, WETH, 100n),
        event(WETH, 'Deposit(address indexed dst, uint256 wad)', [VAULT, 100n]),
        transfer(B, VAULT, USER, 50n),
      ],
      { to: VAULT, value: 100n },
    );
    expect(primitives.map((p) => p.kind).sort()).toEqual(['swap', 'wrap']);
    expect(primitives.find((p) => p.kind === 'swap')!.legs[0]).toMatchObject({
      asset: ETH,
      amount: 100n,
      account: USER,
    });
  });
});
