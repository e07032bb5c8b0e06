import { concatHex, encodePacked, toHex, type Hex } from 'viem';
import { addressOf } from '../accounts.ts';
import { MAINNET, NATIVE } from '../addresses.ts';
import { fn } from '../chain.ts';
import { abiEncode } from '../deploy/accounts.ts';
import { FAR_FUTURE, plan, V4, v4Key } from '../deploy/uniswap.ts';
import type { Ctx, Scenario } from '../scenario.ts';

/** The universal router's word for "keep it here for the next command". */
const ROUTER_ITSELF = '0x0000000000000000000000000000000000000002';

export const ur = (commands: number[], inputs: Hex[]): Hex =>
  fn('execute(bytes,bytes[],uint256)', [
    concatHex(commands.map((code) => toHex(code, { size: 1 }))),
    inputs,
    FAR_FUTURE,
  ]);

export const v3Single = (
  c: Ctx,
  tokenIn: string,
  tokenOut: string,
  fee: number,
  to: string,
  amountIn: bigint,
): Hex =>
  fn('exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))', [
    [c.at(tokenIn), c.at(tokenOut), fee, c.at(to), amountIn, 0n, 0n],
  ]);

/** One swap within the v4 pool manager: exact input, paid and taken in full. */
export const v4Swap = (key: ReturnType<typeof v4Key>, zeroForOne: boolean, amountIn: bigint): Hex =>
  plan([
    [
      V4.swapIn,
      '((address,address,uint24,int24,address) key, bool zeroForOne, uint128 amountIn, uint128 amountOutMinimum, bytes hookData)',
      [
        {
          key: [key.currency0, key.currency1, key.fee, key.tickSpacing, key.hooks],
          zeroForOne,
          amountIn,
          amountOutMinimum: 0n,
          hookData: '0x',
        },
      ],
    ],
    [V4.settleAll, 'address, uint256', [zeroForOne ? key.currency0 : key.currency1, amountIn]],
    [V4.takeAll, 'address, uint256', [zeroForOne ? key.currency1 : key.currency0, 0n]],
  ]);

export const swaps: Scenario[] = [
  {
    name: 'wrap',
    title: 'Bob wraps 5 ETH',
    intent: 'WrapNative',
    expect: {
      signer: 'bob',
      actor: 'bob',
      nets: [
        ['bob', 'ETH', '-5'],
        ['bob', 'WETH', '5'],
      ],
      motifs: ['wrap'],
    },
    run: (c) => c.send('bob', { to: c.at('WETH'), value: c.units('ETH', '5'), data: fn('deposit()') }),
  },
  {
    name: 'unwrap',
    title: 'Bob unwraps 2 WETH',
    intent: 'UnwrapNative',
    expect: {
      signer: 'bob',
      actor: 'bob',
      nets: [
        ['bob', 'ETH', '2'],
        ['bob', 'WETH', '-2'],
      ],
      motifs: ['unwrap'],
    },
    run: (c) => c.send('bob', { to: c.at('WETH'), data: fn('withdraw(uint256)', [c.units('WETH', '2')]) }),
  },
  {
    name: 'approval',
    title: 'Alice allows the v2 router 5,000 USDC',
    intent: 'Approval',
    expect: { signer: 'alice', actor: 'alice', nets: [], motifs: ['approval'] },
    run: (c) =>
      c.send('alice', {
        to: c.at('USDC'),
        data: fn('approve(address,uint256)', [MAINNET.v2Router, c.units('USDC', '5000')]),
      }),
  },
  {
    name: 'swap-v2-eth-usdc',
    title: 'Alice swaps 1 ETH for USDC on v2',
    intent: 'DirectSwap',
    expect: {
      signer: 'alice',
      actor: 'alice',
      nets: [
        ['alice', 'ETH', '-1'],
        ['alice', 'USDC', '+'],
        ['v2PairUSDC', 'WETH', '1'],
        ['v2PairUSDC', 'USDC', '-'],
      ],
      motifs: ['swap'],
    },
    run: (c) =>
      c.send('alice', {
        to: MAINNET.v2Router,
        value: c.units('ETH', '1'),
        data: fn('swapExactETHForTokens(uint256,address[],address,uint256)', [
          0n,
          [c.at('WETH'), c.at('USDC')],
          addressOf('alice'),
          FAR_FUTURE,
        ]),
      }),
  },
  {
    name: 'swap-v2-usdt-eth',
    title: 'Bob swaps 2,000 USDT for ETH on v2',
    intent: 'DirectSwap',
    expect: {
      signer: 'bob',
      actor: 'bob',
      nets: [
        ['bob', 'USDT', '-2000'],
        ['bob', 'ETH', '+'],
        ['v2PairUSDT', 'USDT', '2000'],
        ['v2PairUSDT', 'WETH', '-'],
      ],
      motifs: ['swap'],
    },
    setup: (c) => c.approve('bob', 'USDT', 'v2Router'),
    run: (c) =>
      c.send('bob', {
        to: MAINNET.v2Router,
        data: fn('swapExactTokensForETH(uint256,uint256,address[],address,uint256)', [
          c.units('USDT', '2000'),
          0n,
          [c.at('USDT'), c.at('WETH')],
          addressOf('bob'),
          FAR_FUTURE,
        ]),
      }),
  },
  {
    name: 'swap-v3',
    title: 'Carol swaps 3,400 USDC for WETH on v3',
    intent: 'DirectSwap',
    expect: {
      signer: 'carol',
      actor: 'carol',
      nets: [
        ['carol', 'USDC', '-3400'],
        ['carol', 'WETH', '+'],
        ['v3UsdcWeth', 'USDC', '3400'],
        ['v3UsdcWeth', 'WETH', '-'],
      ],
      motifs: ['swap'],
    },
    setup: (c) => c.approve('carol', 'USDC', 'v3Router02'),
    run: (c) =>
      c.send('carol', {
        to: MAINNET.v3Router02,
        data: v3Single(c, 'USDC', 'WETH', 500, 'carol', c.units('USDC', '3400')),
      }),
  },
  {
    name: 'swap-v3-universal',
    title: 'Dave swaps 2 ETH for USDC on v3 by the universal router',
    intent: 'DirectSwap',
    expect: {
      signer: 'dave',
      actor: 'dave',
      nets: [
        ['dave', 'ETH', '-2'],
        ['dave', 'USDC', '+'],
        ['v3UsdcWeth', 'WETH', '2'],
        ['v3UsdcWeth', 'USDC', '-'],
      ],
      motifs: ['swap'],
    },
    run: (c) =>
      c.send('dave', {
        to: MAINNET.universalRouter,
        value: c.units('ETH', '2'),
        data: ur(
          [0x0b, 0x00],
          [
            abiEncode(['address', 'uint256'], [ROUTER_ITSELF, c.units('ETH', '2')]),
            abiEncode(
              ['address', 'uint256', 'uint256', 'bytes', 'bool'],
              [
                addressOf('dave'),
                c.units('ETH', '2'),
                0n,
                encodePacked(['address', 'uint24', 'address'], [c.at('WETH'), 500, c.at('USDC')]),
                false,
              ],
            ),
          ],
        ),
      }),
  },
  {
    name: 'swap-v4',
    title: 'Erin swaps 1 ETH for USDC on v4',
    intent: 'DirectSwap',
    expect: {
      signer: 'erin',
      actor: 'erin',
      nets: [
        ['erin', 'ETH', '-1'],
        ['erin', 'USDC', '+'],
        ['v4PoolManager', 'ETH', '1'],
        ['v4PoolManager', 'USDC', '-'],
      ],
      motifs: ['swap'],
    },
    run: (c) =>
      c.send('erin', {
        to: MAINNET.universalRouter,
        value: c.units('ETH', '1'),
        data: ur([0x10], [v4Swap(v4Key(NATIVE, c.at('USDC')), true, c.units('ETH', '1'))]),
      }),
  },
  {
    name: 'swap-unknown-amm',
    title: 'Frank swaps 1,000 USDC for DAI at a venue nobody knows',
    intent: 'DirectSwap',
    expect: {
      signer: 'frank',
      actor: 'frank',
      nets: [
        ['frank', 'USDC', '-1000'],
        ['frank', 'DAI', '+'],
        ['oddPool', 'USDC', '1000'],
        ['oddPool', 'DAI', '-'],
      ],
      motifs: ['swap'],
    },
    setup: (c) => c.approve('frank', 'USDC', 'oddPool'),
    run: (c) =>
      c.send('frank', {
        to: c.at('oddPool'),
        data: fn('zwap(bool,uint256,uint256)', [true, c.units('USDC', '1000'), 0n]),
      }),
  },
  {
    name: 'swap-two-hops',
    title: 'Grace swaps 5,000 USDC for DAI by way of WETH',
    intent: 'AggregatedSwap',
    expect: {
      signer: 'grace',
      actor: 'grace',
      motifs: ['swap', 'swap'],
      nets: [
        ['grace', 'USDC', '-5000'],
        ['grace', 'DAI', '+'],
        ['v2PairUSDC', 'USDC', '5000'],
        ['v2PairUSDC', 'WETH', '-'],
        ['v2PairDAI', 'WETH', '+'],
        ['v2PairDAI', 'DAI', '-'],
      ],
    },
    setup: (c) => c.approve('grace', 'USDC', 'v2Router'),
    run: (c) =>
      c.send('grace', {
        to: MAINNET.v2Router,
        data: fn('swapExactTokensForTokens(uint256,uint256,address[],address,uint256)', [
          c.units('USDC', '5000'),
          0n,
          ['USDC', 'WETH', 'DAI'].map(c.at),
          addressOf('grace'),
          FAR_FUTURE,
        ]),
      }),
  },
  {
    name: 'swap-split',
    title: 'Heidi swaps 20,000 USDC for WETH, split over v2 and v3',
    intent: 'AggregatedSwap',
    expect: {
      signer: 'heidi',
      actor: 'heidi',
      motifs: ['swap', 'swap'],
      nets: [
        ['heidi', 'USDC', '-20000'],
        ['heidi', 'WETH', '+'],
        ['v2PairUSDC', 'USDC', '8000'],
        ['v3UsdcWeth', 'USDC', '12000'],
        ['v2PairUSDC', 'WETH', '-'],
        ['v3UsdcWeth', 'WETH', '-'],
        ['aggregator', 'USDC', '0'],
      ],
    },
    setup: (c) => c.approve('heidi', 'USDC', 'aggregator'),
    run: (c) =>
      c.send('heidi', {
        to: c.at('aggregator'),
        data: fn('swap(address,uint256,address,uint256,(address,uint256,bytes)[])', [
          c.at('USDC'),
          c.units('USDC', '20000'),
          c.at('WETH'),
          0n,
          [
            [c.at('USDC'), 0n, fn('approve(address,uint256)', [MAINNET.v2Router, c.units('USDC', '8000')])],
            [
              MAINNET.v2Router,
              0n,
              fn('swapExactTokensForTokens(uint256,uint256,address[],address,uint256)', [
                c.units('USDC', '8000'),
                0n,
                ['USDC', 'WETH'].map(c.at),
                c.at('aggregator'),
                FAR_FUTURE,
              ]),
            ],
            [
              c.at('USDC'),
              0n,
              fn('approve(address,uint256)', [MAINNET.v3Router02, c.units('USDC', '12000')]),
            ],
            [
              MAINNET.v3Router02,
              0n,
              v3Single(c, 'USDC', 'WETH', 500, 'aggregator', c.units('USDC', '12000')),
            ],
          ],
        ]),
      }),
  },
  {
    name: 'reverted-slippage',
    title: 'Alice wants too much for 1 ETH and is refused',
    intent: 'Reverted',
    expect: { signer: 'alice', actor: 'alice', reverted: true, nets: [], motifs: [] },
    run: (c) =>
      c.send('alice', {
        to: MAINNET.v2Router,
        value: c.units('ETH', '1'),
        data: fn('swapExactETHForTokens(uint256,address[],address,uint256)', [
          c.units('USDC', '9000'),
          [c.at('WETH'), c.at('USDC')],
          addressOf('alice'),
          FAR_FUTURE,
        ]),
      }),
  },
];
