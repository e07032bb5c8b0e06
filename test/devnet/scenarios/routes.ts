import { encodePacked } from 'viem';
import { addressOf } from '../accounts.ts';
import { MAINNET, NATIVE } from '../addresses.ts';
import { fn } from '../chain.ts';
import { abiEncode } from '../deploy/accounts.ts';
import { FAR_FUTURE, plan, V4, v4Actions } from '../deploy/uniswap.ts';
import type { Scenario } from '../scenario.ts';
import { ur } from './swaps.ts';

const ROUTER_ITSELF = '0x0000000000000000000000000000000000000002';

/** Swaps, approvals and positions that are easily misread. */
export const routes: Scenario[] = [
  {
    name: 'swap-exact-out',
    title: 'Bob buys exactly 1,000 USDC and gets change of his ETH',
    intent: 'DirectSwap',
    expect: {
      signer: 'bob',
      actor: 'bob',
      nets: [
        ['bob', 'ETH', '-'],
        ['bob', 'USDC', '1000'],
        ['v2PairUSDC', 'USDC', '-1000'],
        ['v2Router', 'ETH', '0'],
      ],
      motifs: ['swap'],
    },
    run: (c) =>
      c.send('bob', {
        to: MAINNET.v2Router,
        value: c.units('ETH', '1'),
        data: fn('swapETHForExactTokens(uint256,address[],address,uint256)', [
          c.units('USDC', '1000'),
          ['WETH', 'USDC'].map(c.at),
          addressOf('bob'),
          FAR_FUTURE,
        ]),
      }),
  },
  {
    name: 'swap-for-another',
    title: 'Alice swaps 500 USDC and Dave gets the ETH',
    intent: 'DirectSwap',
    alsoAcceptable: ['TokenTransfer', 'Unknown'],
    expect: {
      signer: 'alice',
      actor: 'alice',
      nets: [
        ['alice', 'USDC', '-500'],
        ['dave', 'ETH', '+'],
        ['v2PairUSDC', 'USDC', '500'],
      ],
      motifs: ['swap'],
    },
    setup: (c) => c.approve('alice', 'USDC', 'v2Router'),
    run: (c) =>
      c.send('alice', {
        to: MAINNET.v2Router,
        data: fn('swapExactTokensForETH(uint256,uint256,address[],address,uint256)', [
          c.units('USDC', '500'),
          0n,
          ['USDC', 'WETH'].map(c.at),
          addressOf('dave'),
          FAR_FUTURE,
        ]),
      }),
  },
  {
    name: 'swap-fee-on-transfer',
    title: 'Alice sells 100 TOLL, of which the token keeps its toll',
    intent: 'DirectSwap',
    expect: {
      signer: 'alice',
      actor: 'alice',
      nets: [
        ['alice', 'TOLL', '-100'],
        ['alice', 'ETH', '+'],
        ['house', 'TOLL', '1'],
        ['v2PairTOLL', 'TOLL', '99'],
        ['v2PairTOLL', 'WETH', '-'],
      ],
      motifs: ['swap'],
    },
    setup: (c) => c.approve('alice', 'TOLL', 'v2Router'),
    run: (c) =>
      c.send('alice', {
        to: MAINNET.v2Router,
        data: fn(
          'swapExactTokensForETHSupportingFeeOnTransferTokens(uint256,uint256,address[],address,uint256)',
          [c.units('TOLL', '100'), 0n, ['TOLL', 'WETH'].map(c.at), addressOf('alice'), FAR_FUTURE],
        ),
      }),
  },
  {
    name: 'fee-on-transfer',
    title: 'Alice sends Bob 100 TOLL; 99 arrive',
    intent: 'TokenTransfer',
    never: ['BatchTransfer'],
    expect: {
      signer: 'alice',
      actor: 'alice',
      nets: [
        ['alice', 'TOLL', '-100'],
        ['bob', 'TOLL', '99'],
        ['house', 'TOLL', '1'],
      ],
      motifs: ['transfer'],
    },
    run: (c) =>
      c.send('alice', {
        to: c.at('TOLL'),
        data: fn('transfer(address,uint256)', [addressOf('bob'), c.units('TOLL', '100')]),
      }),
  },
  {
    name: 'swap-house-fee',
    title: 'Dave swaps 1 ETH on v3 and the front end keeps 0.25 %',
    intent: 'DirectSwap',
    expect: {
      signer: 'dave',
      actor: 'dave',
      nets: [
        ['dave', 'ETH', '-1'],
        ['dave', 'USDC', '+'],
        ['house', 'USDC', '+'],
        ['v3UsdcWeth', 'USDC', '-'],
      ],
      motifs: ['swap', 'protocol_fee'],
    },
    run: (c) =>
      c.send('dave', {
        to: MAINNET.universalRouter,
        value: c.units('ETH', '1'),
        data: ur(
          [0x0b, 0x00, 0x06, 0x04],
          [
            abiEncode(['address', 'uint256'], [ROUTER_ITSELF, c.units('ETH', '1')]),
            abiEncode(
              ['address', 'uint256', 'uint256', 'bytes', 'bool'],
              [
                ROUTER_ITSELF,
                c.units('ETH', '1'),
                0n,
                encodePacked(['address', 'uint24', 'address'], [c.at('WETH'), 500, c.at('USDC')]),
                false,
              ],
            ),
            abiEncode(['address', 'address', 'uint256'], [c.at('USDC'), addressOf('house'), 25n]),
            abiEncode(['address', 'address', 'uint256'], [c.at('USDC'), addressOf('dave'), 0n]),
          ],
        ),
      }),
  },
  {
    name: 'swap-v4-two-hops',
    title: 'Erin swaps 1 ETH for DAI through two pools of the v4 singleton',
    intent: 'AggregatedSwap',
    never: ['DirectSwap'],
    expect: {
      signer: 'erin',
      actor: 'erin',
      nets: [
        ['erin', 'ETH', '-1'],
        ['erin', 'DAI', '+'],
        ['v4PoolManager', 'ETH', '1'],
        ['v4PoolManager', 'DAI', '-'],
        ['v4PoolManager', 'USDC', '0'],
      ],
      motifs: ['swap', 'swap'],
    },
    run: (c) =>
      c.send('erin', {
        to: MAINNET.universalRouter,
        value: c.units('ETH', '1'),
        data: ur(
          [0x10],
          [
            plan([
              [
                V4.swapInPath,
                '(address currencyIn, (address,uint24,int24,address,bytes)[] path, uint256[] maxHopSlippage, uint128 amountIn, uint128 amountOutMinimum)',
                [
                  {
                    currencyIn: NATIVE,
                    path: [
                      [c.at('USDC'), 500, 10, NATIVE, '0x'],
                      [c.at('DAI'), 100, 1, NATIVE, '0x'],
                    ],
                    maxHopSlippage: [],
                    amountIn: c.units('ETH', '1'),
                    amountOutMinimum: 0n,
                  },
                ],
              ],
              [V4.settleAll, 'address, uint256', [NATIVE, c.units('ETH', '1')]],
              [V4.takeAll, 'address, uint256', [c.at('DAI'), 0n]],
            ]),
          ],
        ),
      }),
  },
  {
    name: 'swap-v3-two-hops',
    title: 'Carol swaps 1,000 USDC for USDT over two v3 pools',
    intent: 'AggregatedSwap',
    never: ['DirectSwap'],
    expect: {
      signer: 'carol',
      actor: 'carol',
      nets: [
        ['carol', 'USDC', '-1000'],
        ['carol', 'USDT', '+'],
        ['v3UsdcWeth', 'USDC', '1000'],
        ['v3WethUsdt', 'USDT', '-'],
        ['v3Router02', 'WETH', '0'],
      ],
      motifs: ['swap', 'swap'],
    },
    setup: (c) => c.approve('carol', 'USDC', 'v3Router02'),
    run: (c) =>
      c.send('carol', {
        to: MAINNET.v3Router02,
        data: fn('exactInput((bytes,address,uint256,uint256))', [
          [
            encodePacked(
              ['address', 'uint24', 'address', 'uint24', 'address'],
              [c.at('USDC'), 500, c.at('WETH'), 3000, c.at('USDT')],
            ),
            addressOf('carol'),
            c.units('USDC', '1000'),
            0n,
          ],
        ]),
      }),
  },
  {
    name: 'wrap-plain',
    title: 'Bob wraps 1 ETH by simply sending it',
    intent: 'WrapNative',
    expect: {
      signer: 'bob',
      actor: 'bob',
      nets: [
        ['bob', 'ETH', '-1'],
        ['bob', 'WETH', '1'],
      ],
      motifs: ['wrap'],
    },
    run: (c) => c.send('bob', { to: c.at('WETH'), value: c.units('ETH', '1') }),
  },
  {
    name: 'approval-nft',
    title: 'Bob lets the market move all his NFTs',
    intent: 'Approval',
    expect: { signer: 'bob', actor: 'bob', nets: [], motifs: ['approval'] },
    run: (c) =>
      c.send('bob', {
        to: c.at('APE'),
        data: fn('setApprovalForAll(address,bool)', [c.at('nftMarket'), true]),
      }),
  },
  {
    name: 'approval-permit2',
    title: 'Bob lets the universal router take USDC through Permit2',
    intent: 'Approval',
    expect: { signer: 'bob', actor: 'bob', nets: [], motifs: ['approval'] },
    run: (c) =>
      c.send('bob', {
        to: MAINNET.permit2,
        data: fn('approve(address,address,uint160,uint48)', [
          c.at('USDC'),
          MAINNET.universalRouter,
          c.units('USDC', '5000'),
          4_000_000_000,
        ]),
      }),
  },
  {
    name: 'approval-revoked',
    title: "Alice takes the v2 router's allowance back",
    intent: 'Approval',
    expect: { signer: 'alice', actor: 'alice', nets: [], motifs: ['approval'] },
    run: (c) =>
      c.send('alice', { to: c.at('USDC'), data: fn('approve(address,uint256)', [MAINNET.v2Router, 0n]) }),
  },
  {
    name: 'increase-liquidity-v3',
    title: 'The maker adds ETH and USDC to its v3 position and gets change',
    intent: 'AddLiquidity',
    expect: {
      signer: 'maker',
      actor: 'maker',
      nets: [
        ['maker', 'ETH', '-'],
        ['maker', 'USDC', '-3000'],
        ['v3UsdcWeth', 'USDC', '3000'],
        ['v3UsdcWeth', 'WETH', '+'],
        ['v3Positions', 'ETH', '0'],
      ],
      motifs: ['add_liquidity'],
    },
    run: (c) =>
      c.send('maker', {
        to: MAINNET.v3Positions,
        value: c.units('ETH', '1.5'),
        data: fn('multicall(bytes[])', [
          [
            fn('increaseLiquidity((uint256,uint256,uint256,uint256,uint256,uint256))', [
              [1n, c.units('USDC', '3000'), c.units('ETH', '1.5'), 0n, 0n, FAR_FUTURE],
            ]),
            fn('refundETH()'),
          ],
        ]),
      }),
  },
  {
    name: 'collect-fees-v4',
    title: 'The maker collects what its v4 position has earned',
    intent: 'CollectFees',
    expect: {
      signer: 'maker',
      actor: 'maker',
      nets: [
        ['maker', 'ETH', '+'],
        ['v4PoolManager', 'ETH', '-'],
      ],
      motifs: ['collect_fees'],
    },
    run: (c) =>
      c.send('maker', {
        to: MAINNET.v4Positions,
        data: v4Actions([
          [
            V4.decrease,
            'uint256 id, uint256 liquidity, uint128 min0, uint128 min1, bytes hook',
            [1n, 0n, 0n, 0n, '0x'],
          ],
          [V4.takePair, 'address, address, address', [NATIVE, c.at('USDC'), addressOf('maker')]],
        ]),
      }),
  },
];
