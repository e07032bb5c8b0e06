import { addressOf } from '../accounts.ts';
import { encodeAbiParameters, parseAbiParameters, type Address, type Hex } from 'viem';
import { MAINNET } from '../addresses.ts';
import { fn } from '../chain.ts';
import { FAR_FUTURE } from '../deploy/uniswap.ts';
import type { Ctx, Scenario } from '../scenario.ts';
import { v3Single } from './swaps.ts';

type Call = [to: Address, value: bigint, data: Hex];
const CALLS = '(address,uint256,bytes)[]';
export const encodeCalls = (calls: Call[]): Hex => encodeAbiParameters(parseAbiParameters(CALLS), [calls]);
const swapPair = (out0: bigint, out1: bigint, to: Address): Hex =>
  fn('swap(uint256,uint256,address,bytes)', [out0, out1, to, '0x']);

/** What a v2 pair pays for an input, by its own formula; token0 of both pairs is USDC and token1 WETH. */
export async function amountOut(c: Ctx, pair: string, amountIn: bigint, wethIn: boolean): Promise<bigint> {
  const [usdc, weth] = await c.chain.read<[bigint, bigint, number]>(
    c.at(pair),
    'getReserves() view returns (uint112,uint112,uint32)',
  );
  const [reserveIn, reserveOut] = wethIn ? [weth, usdc] : [usdc, weth];
  return (amountIn * 997n * reserveOut) / (reserveIn * 1000n + amountIn * 997n);
}

/** Sell WETH where it is dear, pass the USDC straight to the other pair, take the WETH there. */
export async function cycle(c: Ctx, amount: bigint, to: Address): Promise<Call[]> {
  const usdc = await amountOut(c, 'sushiPairUSDC', amount, true);
  const weth = await amountOut(c, 'v2PairUSDC', usdc, false);
  return [
    [c.at('WETH'), 0n, fn('transfer(address,uint256)', [c.at('sushiPairUSDC'), amount])],
    [c.at('sushiPairUSDC'), 0n, swapPair(usdc, 0n, c.at('v2PairUSDC'))],
    [c.at('v2PairUSDC'), 0n, swapPair(0n, weth, to)],
  ];
}

export const runBot = (c: Ctx, calls: Call[], builderPayment: bigint) => ({
  to: c.at('arbBot'),
  data: fn(`run(${CALLS},address,uint256)`, [calls, c.at('WETH'), builderPayment]),
});
const aggregate = (c: Ctx, asset: string, amount: string, calls: Call[]) => ({
  to: c.at('aggregator'),
  data: fn(`swap(address,uint256,address,uint256,${CALLS})`, [
    c.at(asset),
    c.units(asset, amount),
    c.at(asset),
    0n,
    calls,
  ]),
});
const v2Swap = (c: Ctx, amount: bigint, path: string[], to: string): Hex =>
  fn('swapExactTokensForTokens(uint256,uint256,address[],address,uint256)', [
    amount,
    0n,
    path.map(c.at),
    c.at(to),
    FAR_FUTURE,
  ]);
const allow = (c: Ctx, asset: string, spender: string, amount: bigint): Call => [
  c.at(asset),
  0n,
  fn('approve(address,uint256)', [c.at(spender), amount]),
];

export const mev: Scenario[] = [
  {
    name: 'arbitrage-builder',
    title: 'A bot trades between two pools and pays the builder',
    intent: 'AtomicArbitrage',
    expect: {
      signer: 'searcher',
      actor: 'arbBot',
      alsoActors: ['searcher'],
      motifs: ['swap', 'swap', 'cycle'],
      nets: [
        ['arbBot', 'WETH', '+'],
        ['builder', 'ETH', '0.002'],
        ['sushiPairUSDC', 'WETH', '1'],
        ['sushiPairUSDC', 'USDC', '-'],
        ['v2PairUSDC', 'USDC', '+'],
        ['v2PairUSDC', 'WETH', '-'],
      ],
    },
    async setup(c) {
      await c.prepare('searcher', { to: c.at('WETH'), value: c.units('ETH', '10'), data: fn('deposit()') });
      await c.prepare('searcher', {
        to: c.at('WETH'),
        data: fn('transfer(address,uint256)', [c.at('arbBot'), c.units('WETH', '10')]),
      });
    },
    run: async (c) =>
      c.send(
        'searcher',
        runBot(c, await cycle(c, c.units('WETH', '1'), c.at('arbBot')), c.units('ETH', '0.002')),
      ),
  },
  {
    name: 'arbitrage-plain',
    title: 'The bot trades again and pays nobody',
    intent: 'AtomicArbitrage',
    expect: {
      signer: 'searcher',
      actor: 'arbBot',
      alsoActors: ['searcher'],
      nets: [
        ['arbBot', 'WETH', '+'],
        ['sushiPairUSDC', 'WETH', '0.5'],
        ['builder', 'ETH', '0'],
      ],
      motifs: ['swap', 'swap', 'cycle'],
    },
    run: async (c) =>
      c.send('searcher', runBot(c, await cycle(c, c.units('WETH', '0.5'), c.at('arbBot')), 0n)),
  },
  {
    name: 'arbitrage-flashloan',
    title: "The same with borrowed WETH: nothing of one's own put in",
    intent: 'AtomicArbitrage',
    expect: {
      signer: 'searcher',
      actor: 'flashBorrower',
      alsoActors: ['searcher'],
      nets: [
        ['flashBorrower', 'WETH', '+'],
        ['sushiPairUSDC', 'WETH', '0.5'],
      ],
      motifs: ['flash_loan', 'swap', 'swap', 'cycle'],
    },
    async run(c) {
      const params = encodeCalls(await cycle(c, c.units('WETH', '0.5'), c.at('flashBorrower')));
      return c.send('searcher', {
        to: c.at('flashBorrower'),
        data: fn('borrow(address,address,uint256,bytes)', [
          MAINNET.aavePool,
          c.at('WETH'),
          c.units('WETH', '0.5'),
          params,
        ]),
      });
    },
  },
  {
    name: 'arbitrage-callback',
    title: 'The bot takes USDC first and pays the lending pair out of the proceeds',
    intent: 'AtomicArbitrage',
    expect: {
      signer: 'searcher',
      actor: 'arbBot',
      alsoActors: ['searcher'],
      nets: [
        ['arbBot', 'WETH', '+'],
        ['sushiPairUSDC', 'WETH', '0.4'],
        ['v2PairUSDC', 'WETH', '-'],
      ],
      motifs: ['swap', 'swap', 'cycle'],
    },
    async run(c) {
      const amount = c.units('WETH', '0.4');
      const usdc = await amountOut(c, 'sushiPairUSDC', amount, true);
      const weth = await amountOut(c, 'v2PairUSDC', usdc, false);
      const due = encodeCalls([
        [c.at('USDC'), 0n, fn('transfer(address,uint256)', [c.at('v2PairUSDC'), usdc])],
        [c.at('v2PairUSDC'), 0n, swapPair(0n, weth, c.at('arbBot'))],
        [c.at('WETH'), 0n, fn('transfer(address,uint256)', [c.at('sushiPairUSDC'), amount])],
      ]);
      return c.send(
        'searcher',
        runBot(
          c,
          [
            [
              c.at('sushiPairUSDC'),
              0n,
              fn('swap(uint256,uint256,address,bytes)', [usdc, 0n, c.at('arbBot'), due]),
            ],
          ],
          0n,
        ),
      );
    },
  },
  {
    name: 'bot-inventory-swap',
    title: 'The bot turns 500 USDC of its own into WETH, straight at a v3 pool',
    intent: 'DirectSwap',
    never: ['AtomicArbitrage'],
    expect: {
      signer: 'searcher',
      actor: 'arbBot',
      alsoActors: ['searcher'],
      nets: [
        ['arbBot', 'USDC', '-500'],
        ['arbBot', 'WETH', '+'],
        ['v3UsdcWeth', 'USDC', '500'],
        ['v3UsdcWeth', 'WETH', '-'],
      ],
      motifs: ['swap'],
    },
    setup: async (c) => {
      await c.prepare('searcher', {
        to: c.at('USDC'),
        data: fn('transfer(address,uint256)', [c.at('arbBot'), c.units('USDC', '500')]),
      });
    },
    run(c) {
      const due = encodeCalls([
        [c.at('USDC'), 0n, fn('transfer(address,uint256)', [c.at('v3UsdcWeth'), c.units('USDC', '500')])],
      ]);
      // The lowest price a pool may be driven to (TickMath.MIN_SQRT_RATIO + 1): no limit.
      const swap = fn('swap(address,bool,int256,uint160,bytes)', [
        c.at('arbBot'),
        true,
        c.units('USDC', '500'),
        4_295_128_740n,
        due,
      ]);
      return c.send('searcher', runBot(c, [[c.at('v3UsdcWeth'), 0n, swap]], 0n));
    },
  },
  {
    name: 'arbitrage-failed',
    title: 'The bot comes too late and gives up',
    intent: 'Reverted',
    never: ['AtomicArbitrage'],
    expect: { signer: 'searcher', actor: 'searcher', reverted: true, nets: [], motifs: [] },
    async run(c) {
      // The wrong way round: buys dear and sells cheap, so the bot's own check fails.
      const amount = c.units('WETH', '0.5');
      const usdc = await amountOut(c, 'v2PairUSDC', amount, true);
      const weth = await amountOut(c, 'sushiPairUSDC', usdc, false);
      return c.send(
        'searcher',
        runBot(
          c,
          [
            [c.at('WETH'), 0n, fn('transfer(address,uint256)', [c.at('v2PairUSDC'), amount])],
            [c.at('v2PairUSDC'), 0n, swapPair(usdc, 0n, c.at('sushiPairUSDC'))],
            [c.at('sushiPairUSDC'), 0n, swapPair(0n, weth, c.at('arbBot'))],
          ],
          0n,
        ),
      );
    },
  },
  {
    name: 'round-trip',
    title: 'Grace sends 1,000 USDC round through two pools, at a loss',
    intent: 'AggregatedSwap',
    alsoAcceptable: ['Unknown', 'ContractCall', 'TokenTransfer'],
    never: ['AtomicArbitrage', 'DirectSwap'],
    expect: {
      signer: 'grace',
      actor: 'grace',
      nets: [
        ['grace', 'USDC', '-'],
        ['v2PairUSDC', 'USDC', '1000'],
        ['v2PairUSDC', 'WETH', '-'],
        ['v3UsdcWeth', 'WETH', '+'],
        ['v3UsdcWeth', 'USDC', '-'],
      ],
      motifs: ['swap', 'swap', 'cycle'],
    },
    setup: (c) => c.approve('grace', 'USDC', 'aggregator'),
    async run(c) {
      const amount = c.units('USDC', '1000');
      const weth = await amountOut(c, 'v2PairUSDC', amount, false);
      return c.send(
        'grace',
        aggregate(c, 'USDC', '1000', [
          allow(c, 'USDC', 'v2Router', amount),
          [MAINNET.v2Router, 0n, v2Swap(c, amount, ['USDC', 'WETH'], 'aggregator')],
          allow(c, 'WETH', 'v3Router02', weth),
          [MAINNET.v3Router02, 0n, v3Single(c, 'WETH', 'USDC', 500, 'aggregator', weth)],
        ]),
      );
    },
  },
  {
    name: 'wash-trade',
    title: 'Grace trades there and back in the same pool',
    intent: 'DirectSwap',
    alsoAcceptable: ['Unknown', 'ContractCall', 'AggregatedSwap', 'TokenTransfer'],
    never: ['AtomicArbitrage'],
    expect: {
      signer: 'grace',
      actor: 'grace',
      nets: [
        ['grace', 'USDC', '-'],
        ['v2PairUSDC', 'USDC', '+'],
      ],
      motifs: ['swap', 'swap'],
    },
    async run(c) {
      const amount = c.units('USDC', '2000');
      const weth = await amountOut(c, 'v2PairUSDC', amount, false);
      return c.send(
        'grace',
        aggregate(c, 'USDC', '2000', [
          allow(c, 'USDC', 'v2Router', amount),
          [MAINNET.v2Router, 0n, v2Swap(c, amount, ['USDC', 'WETH'], 'aggregator')],
          allow(c, 'WETH', 'v2Router', weth),
          [MAINNET.v2Router, 0n, v2Swap(c, weth, ['WETH', 'USDC'], 'aggregator')],
        ]),
      );
    },
  },
  {
    name: 'sweep-profit',
    title: 'The searcher takes 1 WETH home from the bot: no trade at all',
    intent: 'TokenTransfer',
    never: ['AtomicArbitrage'],
    expect: {
      signer: 'searcher',
      actor: 'searcher',
      alsoActors: ['arbBot'],
      nets: [
        ['arbBot', 'WETH', '-1'],
        ['searcher', 'WETH', '1'],
      ],
      motifs: ['transfer'],
    },
    run: (c) =>
      c.send('searcher', {
        to: c.at('arbBot'),
        data: fn('sweep(address,address,uint256)', [
          c.at('WETH'),
          addressOf('searcher'),
          c.units('WETH', '1'),
        ]),
      }),
  },
];
