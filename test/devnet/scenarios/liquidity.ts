import { getAddress, type Address, type Hex } from 'viem';
import { addressOf } from '../accounts.ts';
import { MAINNET, NATIVE } from '../addresses.ts';
import { fn } from '../chain.ts';
import { FAR_FUTURE, mintV3, sqrt, sqrtPriceX96, V4, V4_MINT, v4Actions, v4Key } from '../deploy/uniswap.ts';
import type { Ctx, Scenario } from '../scenario.ts';

const pair = (c: Ctx): [Address, Address] => [c.at('USDC'), c.at('WETH')];

/** The id of the ERC-721 minted by a transaction (fourth topic of its Transfer from zero). */
export async function mintedId(c: Ctx, hash: Hex, collection: Address): Promise<bigint> {
  const { logs } = await c.chain.receipt(hash);
  const log = logs.find(
    (l) => getAddress(l.address) === collection && l.topics.length === 4 && BigInt(l.topics[1]!) === 0n,
  );
  if (!log) throw new Error(`${hash} minted nothing at ${collection}`);
  return BigInt(log.topics[3]!);
}

/** multicall of a position manager: remove all of a v3 position's liquidity and collect what it released. */
export async function closeV3(c: Ctx, id: bigint, to: string): Promise<Hex> {
  const position = await c.chain.read<unknown[]>(
    MAINNET.v3Positions,
    'positions(uint256) view returns (uint96,address,address,address,uint24,int24,int24,uint128,uint256,uint256,uint128,uint128)',
    [id],
  );
  return fn('multicall(bytes[])', [
    [
      fn('decreaseLiquidity((uint256,uint128,uint256,uint256,uint256))', [
        [id, position[7], 0n, 0n, FAR_FUTURE],
      ]),
      collectV3(id, c.at(to)),
    ],
  ]);
}
export const collectV3 = (id: bigint, to: Address): Hex =>
  fn('collect((uint256,address,uint128,uint128))', [[id, to, 2n ** 128n - 1n, 2n ** 128n - 1n]]);

export const liquidity: Scenario[] = [
  {
    name: 'add-liquidity-v2',
    title: 'Alice adds ETH and USDC to a v2 pair',
    intent: 'AddLiquidity',
    expect: {
      signer: 'alice',
      actor: 'alice',
      nets: [
        ['alice', 'ETH', '-'],
        ['alice', 'USDC', '-6800'],
        ['alice', 'v2-LP-USDC', '+'],
        ['v2PairUSDC', 'USDC', '6800'],
        ['v2PairUSDC', 'WETH', '+'],
      ],
      motifs: ['add_liquidity'],
    },
    setup: (c) => c.approve('alice', 'USDC', 'v2Router'),
    run: (c) =>
      c.send('alice', {
        to: MAINNET.v2Router,
        value: c.units('ETH', '2.1'),
        data: fn('addLiquidityETH(address,uint256,uint256,uint256,address,uint256)', [
          c.at('USDC'),
          c.units('USDC', '6800'),
          0n,
          0n,
          addressOf('alice'),
          FAR_FUTURE,
        ]),
      }),
  },
  {
    name: 'remove-liquidity-v2',
    title: 'Alice takes her v2 liquidity back',
    intent: 'RemoveLiquidity',
    expect: {
      signer: 'alice',
      actor: 'alice',
      nets: [
        ['alice', 'ETH', '+'],
        ['alice', 'USDC', '+'],
        ['alice', 'v2-LP-USDC', '-'],
      ],
      motifs: ['remove_liquidity'],
    },
    setup: (c) => c.approve('alice', 'v2-LP-USDC', 'v2Router'),
    run: async (c) =>
      c.send('alice', {
        to: MAINNET.v2Router,
        data: fn('removeLiquidityETH(address,uint256,uint256,uint256,address,uint256)', [
          c.at('USDC'),
          await c.chain.read(c.at('v2PairUSDC'), 'balanceOf(address) view returns (uint256)', [
            addressOf('alice'),
          ]),
          0n,
          0n,
          addressOf('alice'),
          FAR_FUTURE,
        ]),
      }),
  },
  {
    name: 'add-liquidity-v3',
    title: 'Bob opens a v3 position',
    intent: 'AddLiquidity',
    expect: {
      signer: 'bob',
      actor: 'bob',
      nets: [
        ['bob', 'USDC', '-'],
        ['bob', 'WETH', '-'],
        ['bob', 'v3-position#3', '1'],
        ['v3UsdcWeth', 'USDC', '+'],
        ['v3UsdcWeth', 'WETH', '+'],
      ],
      motifs: ['add_liquidity'],
    },
    async setup(c) {
      await c.approve('bob', 'USDC', 'v3Positions');
      await c.approve('bob', 'WETH', 'v3Positions');
    },
    async run(c) {
      const hash = await c.send('bob', {
        to: MAINNET.v3Positions,
        data: mintV3(
          pair(c),
          500,
          [190_000, 203_000],
          [c.units('USDC', '5000'), c.units('WETH', '2')],
          addressOf('bob'),
        ),
      });
      c.notes.set('bobV3', await mintedId(c, hash, MAINNET.v3Positions));
      return hash;
    },
  },
  {
    name: 'collect-fees-v3',
    title: 'The maker collects what its v3 position has earned',
    intent: 'CollectFees',
    expect: {
      signer: 'maker',
      actor: 'maker',
      nets: [
        ['maker', 'USDC', '+'],
        ['maker', 'WETH', '+'],
        ['v3UsdcWeth', 'USDC', '-'],
        ['v3UsdcWeth', 'WETH', '-'],
      ],
      motifs: ['collect_fees'],
    },
    run: (c) => c.send('maker', { to: MAINNET.v3Positions, data: collectV3(1n, addressOf('maker')) }),
  },
  {
    name: 'remove-liquidity-v3',
    title: 'Bob closes his v3 position',
    intent: 'RemoveLiquidity',
    expect: {
      signer: 'bob',
      actor: 'bob',
      nets: [
        ['bob', 'USDC', '+'],
        ['bob', 'WETH', '+'],
        ['v3UsdcWeth', 'USDC', '-'],
        ['v3UsdcWeth', 'WETH', '-'],
      ],
      motifs: ['remove_liquidity'],
    },
    run: async (c) =>
      c.send('bob', { to: MAINNET.v3Positions, data: await closeV3(c, c.notes.get('bobV3')!, 'bob') }),
  },
  {
    name: 'add-liquidity-v4',
    title: 'Carol opens a v4 position',
    intent: 'AddLiquidity',
    expect: {
      signer: 'carol',
      actor: 'carol',
      nets: [
        ['carol', 'ETH', '-'],
        ['carol', 'USDC', '-'],
        ['carol', 'v4-position#3', '1'],
        ['v4PoolManager', 'ETH', '+'],
        ['v4PoolManager', 'USDC', '+'],
      ],
      motifs: ['add_liquidity'],
    },
    setup: (c) => c.permit2('carol', 'USDC', 'v4Positions'),
    async run(c) {
      const key = v4Key(NATIVE, c.at('USDC'));
      const amount = sqrt(c.units('ETH', '1') * c.units('USDC', '3400'));
      const hash = await c.send('carol', {
        to: MAINNET.v4Positions,
        value: c.units('ETH', '1.2'),
        data: v4Actions([
          [
            V4.mint,
            V4_MINT,
            [
              key,
              -887_270,
              887_270,
              amount,
              c.units('ETH', '1.2'),
              c.units('USDC', '4000'),
              addressOf('carol'),
              '0x',
            ],
          ],
          [V4.settlePair, 'address, address', [key.currency0, key.currency1]],
          [V4.sweep, 'address, address', [NATIVE, addressOf('carol')]],
        ]),
      });
      c.notes.set('carolV4', await mintedId(c, hash, MAINNET.v4Positions));
      return hash;
    },
  },
  {
    name: 'remove-liquidity-v4',
    title: 'Carol takes half of it back',
    intent: 'RemoveLiquidity',
    expect: {
      signer: 'carol',
      actor: 'carol',
      nets: [
        ['carol', 'ETH', '+'],
        ['carol', 'USDC', '+'],
        ['v4PoolManager', 'ETH', '-'],
        ['v4PoolManager', 'USDC', '-'],
      ],
      motifs: ['remove_liquidity'],
    },
    async run(c) {
      const id = c.notes.get('carolV4')!;
      const all = await c.chain.read<bigint>(
        MAINNET.v4Positions,
        'getPositionLiquidity(uint256) view returns (uint128)',
        [id],
      );
      return c.send('carol', {
        to: MAINNET.v4Positions,
        data: v4Actions([
          [
            V4.decrease,
            'uint256 id, uint256 liquidity, uint128 min0, uint128 min1, bytes hook',
            [id, all / 2n, 0n, 0n, '0x'],
          ],
          [V4.takePair, 'address, address, address', [NATIVE, c.at('USDC'), addressOf('carol')]],
        ]),
      });
    },
  },
  {
    name: 'pool-creation-v2',
    title: 'Dave opens a v2 pair for ACORN and WETH',
    intent: 'PoolCreation',
    recorded: false,
    expect: { signer: 'dave', actor: 'dave', nets: [], motifs: ['pool_creation'] },
    run: (c) =>
      c.send('dave', {
        to: MAINNET.v2Factory,
        gas: 4_000_000n,
        data: fn('createPair(address,address)', [c.at('ACORN'), c.at('WETH')]),
      }),
  },
  {
    name: 'pool-creation-v3',
    title: 'Dave opens a v3 pool for ACORN and WETH',
    intent: 'PoolCreation',
    recorded: false,
    expect: { signer: 'dave', actor: 'dave', nets: [], motifs: ['pool_creation'] },
    run(c) {
      const [token0, token1] = [c.at('ACORN'), c.at('WETH')].sort((a, b) =>
        BigInt(a) < BigInt(b) ? -1 : 1,
      ) as [Address, Address];
      return c.send('dave', {
        to: MAINNET.v3Positions,
        gas: 6_000_000n,
        data: fn('createAndInitializePoolIfNecessary(address,address,uint24,uint160)', [
          token0,
          token1,
          3000,
          sqrtPriceX96(1n, 1n),
        ]),
      });
    },
  },
  {
    name: 'pool-creation-v4',
    title: 'Dave opens a v4 pool for ETH and ACORN',
    intent: 'PoolCreation',
    expect: { signer: 'dave', actor: 'dave', nets: [], motifs: ['pool_creation'] },
    run: (c) =>
      c.send('dave', {
        to: MAINNET.v4PoolManager,
        data: fn('initialize((address,address,uint24,int24,address),uint160)', [
          Object.values(v4Key(NATIVE, c.at('ACORN'), 3000, 60)),
          sqrtPriceX96(1n, 1n),
        ]),
      }),
  },
];
