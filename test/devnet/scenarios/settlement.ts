import { addressOf, account, type Person } from '../accounts.ts';
import { MAINNET } from '../addresses.ts';
import { artifact } from '../artifacts.ts';
import { fn, fnOf, type Request } from '../chain.ts';
import { FAR_FUTURE } from '../deploy/uniswap.ts';
import type { Ctx, Scenario } from '../scenario.ts';
import type { Hex } from 'viem';

interface Order {
  owner: Person;
  receiver?: Person;
  sell: [asset: string, amount: string];
  buy: [asset: string, least: string];
}

const ORDER = [
  'address sellToken',
  'address buyToken',
  'address receiver',
  'uint256 sellAmount',
  'uint256 buyAmount',
  'uint32 validTo',
  'bytes32 appData',
  'uint256 feeAmount',
  'string kind',
  'bool partiallyFillable',
  'string sellTokenBalance',
  'string buyTokenBalance',
].map((field) => {
  const [type, name] = field.split(' ');
  return { name: name!, type: type! };
});
const APP_DATA: Hex = `0x${'00'.repeat(32)}`;
const VALID_TO = 4_000_000_000;

/** settle() of fill-or-kill sell orders at the given clearing prices, one per token. */
export async function settle(
  c: Ctx,
  tokens: string[],
  prices: bigint[],
  orders: Order[],
  interactions: unknown[][] = [],
): Promise<Request> {
  const trades = [];
  for (const order of orders) trades.push(await trade(c, tokens, order));
  return {
    to: MAINNET.cowSettlement,
    gas: 2_000_000n,
    data: fnOf(artifact('GPv2Settlement').abi, 'settle', [
      tokens.map(c.at),
      prices,
      trades,
      [[], interactions, []],
    ]),
  };
}

async function trade(c: Ctx, tokens: string[], { owner, receiver, sell, buy }: Order) {
  const common = {
    receiver: addressOf(receiver ?? owner),
    sellAmount: c.units(...sell),
    buyAmount: c.units(...buy),
    validTo: VALID_TO,
    appData: APP_DATA,
    feeAmount: 0n,
  };
  const signature = await account(owner).signTypedData({
    domain: { name: 'Gnosis Protocol', version: 'v2', chainId: 1, verifyingContract: MAINNET.cowSettlement },
    types: { Order: ORDER },
    primaryType: 'Order',
    message: {
      ...common,
      sellToken: c.at(sell[0]),
      buyToken: c.at(buy[0]),
      kind: 'sell',
      partiallyFillable: false,
      sellTokenBalance: 'erc20',
      buyTokenBalance: 'erc20',
    },
  } as never);
  // Flags 0: sell order, fill or kill, plain balances, EIP-712 signature.
  return {
    ...common,
    sellTokenIndex: BigInt(tokens.indexOf(sell[0])),
    buyTokenIndex: BigInt(tokens.indexOf(buy[0])),
    flags: 0n,
    executedAmount: c.units(...sell),
    signature,
  };
}

/** What the solver does with the sold tokens: a v2 swap inside the settlement contract. */
const viaV2 = (c: Ctx, sell: string, amount: string, buy: string) => [
  [c.at(sell), 0n, fn('approve(address,uint256)', [MAINNET.v2Router, c.units(sell, amount)])],
  [
    MAINNET.v2Router,
    0n,
    fn('swapExactTokensForTokens(uint256,uint256,address[],address,uint256)', [
      c.units(sell, amount),
      0n,
      [c.at(sell), c.at(buy)],
      MAINNET.cowSettlement,
      FAR_FUTURE,
    ]),
  ],
];

export const settlement: Scenario[] = [
  {
    name: 'cow-one-order',
    title: "A solver settles Grace's order of 3,000 USDC for WETH",
    intent: 'AggregatedSwap',
    expect: {
      signer: 'solver',
      actor: 'grace',
      nets: [
        ['grace', 'USDC', '-3000'],
        ['grace', 'WETH', '0.86'],
        ['v2PairUSDC', 'USDC', '3000'],
        ['cowSettlement', 'WETH', '+'],
      ],
      motifs: ['order_fill', 'swap'],
    },
    setup: (c) => c.approve('grace', 'USDC', 'cowRelayer'),
    run: async (c) =>
      c.send(
        'solver',
        await settle(
          c,
          ['USDC', 'WETH'],
          [c.units('WETH', '0.86'), c.units('USDC', '3000')],
          [{ owner: 'grace', sell: ['USDC', '3000'], buy: ['WETH', '0.85'] }],
          viaV2(c, 'USDC', '3000', 'WETH'),
        ),
      ),
  },
  {
    name: 'cow-other-receiver',
    title: "Grace's order pays out to Dave",
    intent: 'AggregatedSwap',
    expect: {
      signer: 'solver',
      actor: 'grace',
      nets: [
        ['grace', 'USDC', '-1500'],
        ['dave', 'WETH', '0.43'],
        ['v2PairUSDC', 'USDC', '1500'],
      ],
      motifs: ['order_fill', 'swap'],
    },
    run: async (c) =>
      c.send(
        'solver',
        await settle(
          c,
          ['USDC', 'WETH'],
          [c.units('WETH', '0.43'), c.units('USDC', '1500')],
          [{ owner: 'grace', receiver: 'dave', sell: ['USDC', '1500'], buy: ['WETH', '0.42'] }],
          viaV2(c, 'USDC', '1500', 'WETH'),
        ),
      ),
  },
  {
    name: 'cow-two-orders',
    title: "Two orders meet without a pool: Grace's USDC for Heidi's DAI",
    intent: 'AggregatedSwap',
    expect: {
      signer: 'solver',
      actor: null,
      nets: [
        ['grace', 'USDC', '-1000'],
        ['grace', 'DAI', '1000'],
        ['heidi', 'DAI', '-1000'],
        ['heidi', 'USDC', '1000'],
      ],
      motifs: ['order_fill', 'order_fill'],
    },
    setup: (c) => c.approve('heidi', 'DAI', 'cowRelayer'),
    run: async (c) =>
      c.send(
        'solver',
        await settle(
          c,
          ['USDC', 'DAI'],
          [c.units('DAI', '1000'), c.units('USDC', '1000')],
          [
            { owner: 'grace', sell: ['USDC', '1000'], buy: ['DAI', '990'] },
            { owner: 'heidi', sell: ['DAI', '1000'], buy: ['USDC', '990'] },
          ],
        ),
      ),
  },
];
