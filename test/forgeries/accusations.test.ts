// Blocks in which strangers trade around somebody's own trades, share a contract with somebody or play somebody's part: what
// `txreport block` says must accuse nobody of it. test/findings/chain.test.ts holds what it says of real ones.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Abi, Address, Hex } from 'viem';
import type { Finding } from '../../src/model/generated/finding.ts';
import { addressOf, type Person } from '../devnet/accounts.ts';
import { fn, fnOf, type Request } from '../devnet/chain.ts';
import {
  addLiquidity,
  amountsOf,
  at,
  bot,
  buyUsdc,
  ETHER,
  give,
  liquidity,
  mine,
  named,
  Pair,
  removeLiquidity,
  sellUsdc,
  startBlocks,
  stepOf,
  story,
  take,
} from '../findings/blockStory.ts';
import { call, compile, event, type Step } from './stage.ts';

const ALICE = addressOf('alice');
const STRANGER: Person = 'spammer';
const GWEI = 10n ** 9n;

let abi: Abi;
/** A contract of the stranger that anybody may call: it holds money of its own, and an old allowance of Alice's. */
let open: Address;
let token: Address;

beforeAll(async () => {
  await startBlocks();
  const { ctx } = story;
  const forger = compile('Forger.sol')['Forger']!;
  abi = forger.abi;
  open = await ctx.chain.deploy(forger, ['Open', 'OPEN']);
  token = await ctx.chain.deploy(forger, ['Coin', 'COIN']);
  for (const who of ['alice', STRANGER] as const) {
    await ctx.prepare(who, { to: at('WETH'), value: 60n * ETHER, data: fn('deposit()') });
    await ctx.approve(who, 'USDC', 'v2Router');
    await ctx.approve(who, 'WETH', 'v2Router');
    await ctx.approve(who, 'v2PairUSDC', 'v2Router');
  }
  for (const asset of ['WETH', 'USDC']) await ctx.approve('alice', asset, open);
  await ctx.prepare(STRANGER, {
    to: at('WETH'),
    data: fn('transfer(address,uint256)', [open, 40n * ETHER]),
  });
  await ctx.prepare(STRANGER, { to: open, value: 5n * ETHER });
  await ctx.prepare('maker', {
    to: at('USDC'),
    data: fn('transfer(address,uint256)', [addressOf(STRANGER), 100_000_000_000n]),
  });
});
afterAll(() => story?.stop());

type Sent = [who: Person, request: Request];
const play = (...steps: Step[]): Request => ({ to: open, data: fnOf(abi, 'play', [steps]) });
const pulled = (asset: string, amount: bigint): Step =>
  call(at(asset), fn('transferFrom(address,address,uint256)', [ALICE, at('v2PairUSDC'), amount]));
const paid = (asset: string, amount: bigint): Step => {
  const [to, value, data] = give(asset, 'v2PairUSDC', amount);
  return call(to, data, value);
};
const taken = (usdc: bigint, weth: bigint, to: string): Step =>
  call(at('v2PairUSDC'), take('v2PairUSDC', usdc, weth, to)[2]);
/** A router's swap whose result another account receives. */
const forAnother = (request: Request, from: string, to: Address): Request => ({
  ...request,
  data: request.data!.replace(addressOf(from).slice(2).toLowerCase(), to.slice(2).toLowerCase()) as Hex,
});
/** The pair after a buy of 10 ether, and the dollars bought. */
async function afterBuy(): Promise<[v2: Pair, bought: bigint]> {
  const v2 = await Pair.read('v2PairUSDC');
  return [v2, v2.buy(10n * ETHER)];
}

/** What a block says of transactions beyond what its builder earned. */
const others = (findings: readonly Finding[]): Finding[] =>
  findings.filter(({ finding }) => finding !== 'builder_income');

describe('a block in which strangers act around somebody', () => {
  it.each<[string, () => Promise<Sent[]>]>([
    [
      'a trade of one gwei between her own buy and sale',
      async () => {
        const [, bought] = await afterBuy();
        return [
          ['alice', buyUsdc('alice', 10n * ETHER)],
          [STRANGER, buyUsdc(STRANGER, GWEI)],
          ['alice', sellUsdc('alice', bought)],
        ];
      },
    ],
    [
      'trades of dust by two strangers',
      async () => {
        const [, bought] = await afterBuy();
        return [
          ['alice', buyUsdc('alice', 10n * ETHER)],
          [STRANGER, buyUsdc(STRANGER, GWEI)],
          ['dave', buyUsdc('dave', 50n * GWEI)],
          ['alice', sellUsdc('alice', bought)],
        ];
      },
    ],
    [
      'dust traded by a contract that anybody may call',
      async () => {
        const [v2, bought] = await afterBuy();
        const dust = v2.buy(1_000n * GWEI);
        return [
          ['alice', buyUsdc('alice', 10n * ETHER)],
          [STRANGER, play(paid('WETH', 1_000n * GWEI), taken(dust, 0n, open))],
          ['alice', sellUsdc('alice', bought)],
        ];
      },
    ],
    [
      'a trade of weight, and she lost by her own',
      async () => {
        const [, bought] = await afterBuy();
        return [
          ['alice', buyUsdc('alice', 10n * ETHER)],
          [STRANGER, buyUsdc(STRANGER, ETHER / 5n)],
          ['alice', sellUsdc('alice', bought)],
        ];
      },
    ],
    [
      'a trade of weight, and her gain is a gift of the contract she sold through',
      async () => {
        const [v2, bought] = await afterBuy();
        v2.buy(ETHER / 5n);
        return [
          ['alice', buyUsdc('alice', 10n * ETHER)],
          [STRANGER, buyUsdc(STRANGER, ETHER / 5n)],
          [
            'alice',
            play(
              pulled('USDC', bought),
              taken(0n, v2.sell(bought), 'alice'),
              call(at('WETH'), fn('transfer(address,uint256)', [ALICE, ETHER])),
            ),
          ],
        ];
      },
    ],
    [
      'a trade of weight, and her gain is a gift of the contract she bought through',
      async () => {
        const [, bought] = await afterBuy();
        return [
          ['alice', play(pulled('WETH', 10n * ETHER), taken(bought, 0n, 'alice'), call(ALICE, '0x', ETHER))],
          [STRANGER, buyUsdc(STRANGER, ETHER / 5n)],
          ['alice', sellUsdc('alice', bought)],
        ];
      },
    ],
    [
      'a buy of another that pays her what she then sells',
      async () => {
        const [, bought] = await afterBuy();
        return [
          [STRANGER, forAnother(buyUsdc(STRANGER, 10n * ETHER), STRANGER, ALICE)],
          ['bob', buyUsdc('bob', 30n * ETHER)],
          ['alice', sellUsdc('alice', bought)],
        ];
      },
    ],
    [
      'a sale of another that pays her what she had bought with',
      async () => {
        const [, bought] = await afterBuy();
        return [
          ['alice', buyUsdc('alice', 10n * ETHER)],
          ['bob', buyUsdc('bob', 30n * ETHER)],
          [STRANGER, forAnother(sellUsdc(STRANGER, bought), STRANGER, ALICE)],
        ];
      },
    ],
    [
      'a sale of what she bought, by an old allowance',
      async () => {
        const [v2, bought] = await afterBuy();
        v2.buy(30n * ETHER);
        return [
          ['alice', buyUsdc('alice', 10n * ETHER)],
          ['bob', buyUsdc('bob', 30n * ETHER)],
          [STRANGER, play(pulled('USDC', bought), taken(0n, v2.sell(bought), 'alice'))],
        ];
      },
    ],
    [
      'a buy and a sale with her money, by an old allowance',
      async () => {
        const [v2, bought] = await afterBuy();
        v2.buy(30n * ETHER);
        return [
          [STRANGER, play(pulled('WETH', 10n * ETHER), taken(bought, 0n, 'alice'))],
          ['bob', buyUsdc('bob', 30n * ETHER)],
          [STRANGER, play(pulled('USDC', bought), taken(0n, v2.sell(bought), 'alice'))],
        ];
      },
    ],
    [
      'a pool and tokens that a contract she calls makes up',
      async () => {
        const [amount, back] = [1_000_000n, 2_000_000n];
        const swap = (into: bigint, out: bigint): Step =>
          event(
            'Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
            ALICE,
            0n,
            { amount0In: into, amount1Out: out, amount1In: 0n, amount0Out: 0n },
          );
        const moved = (from: Address, to: Address, value: bigint): Step =>
          call(token, fn('transferFrom(address,address,uint256)', [from, to, value]));
        const trade = (who: Address): Step[] => [
          moved(who, open, amount),
          moved(open, who, back),
          swap(amount, back),
        ];
        return [
          ['alice', play(...trade(ALICE))],
          [STRANGER, play(...trade(addressOf(STRANGER)))],
          ['alice', play(...trade(ALICE))],
        ];
      },
    ],
    [
      'a trade of dust between liquidity she adds and removes',
      async () => {
        const [usdc, shares] = await liquidity(5n * ETHER);
        return [
          ['alice', addLiquidity(5n * ETHER, usdc, ALICE)],
          [STRANGER, buyUsdc(STRANGER, GWEI)],
          ['alice', removeLiquidity(shares, ALICE)],
        ];
      },
    ],
    [
      'liquidity that another adds in her name before a trade, and she removes',
      async () => {
        const [usdc, shares] = await liquidity(5n * ETHER);
        return [
          [STRANGER, addLiquidity(5n * ETHER, usdc, ALICE)],
          ['bob', buyUsdc('bob', 20n * ETHER)],
          ['alice', removeLiquidity(shares, ALICE)],
        ];
      },
    ],
    [
      'a cycle with her money, by an old allowance, behind a trade',
      async () => {
        const [v2, sushi] = [await Pair.read('v2PairUSDC'), await Pair.read('sushiPairUSDC')];
        v2.buy(60n * ETHER);
        const usdc = sushi.buy(5n * ETHER);
        const weth = v2.sell(usdc);
        return [
          ['bob', buyUsdc('bob', 60n * ETHER)],
          [
            STRANGER,
            play(
              call(
                at('WETH'),
                fn('transferFrom(address,address,uint256)', [ALICE, at('sushiPairUSDC'), 5n * ETHER]),
              ),
              call(at('sushiPairUSDC'), take('sushiPairUSDC', usdc, 0n, 'v2PairUSDC')[2]),
              taken(0n, weth, 'alice'),
            ),
          ],
        ];
      },
    ],
  ])('proves nothing of her: %s', async (_, sent) => {
    const { findings } = await mine(await sent());
    for (const { status, confidence, entity, finding, transactions } of others(findings)) {
      // Of a searcher's own doings the block may say what it will; she is then no party.
      if (status === 'Proven') expect([finding, entity.includes(ALICE)]).toEqual([finding, false]);
      else if (entity.includes(ALICE)) {
        const signed = transactions.filter(({ account }) => account === ALICE);
        expect([finding, confidence, signed.length > 0]).toEqual([finding, expect.anything(), true]);
      }
    }
  });

  it('tells of two callers of one open contract at Low, and names no more than who signed', async () => {
    const [v2, bought] = await afterBuy();
    v2.buy(30n * ETHER);
    const { findings } = await mine([
      [STRANGER, play(paid('WETH', 10n * ETHER), taken(bought, 0n, open))],
      ['bob', buyUsdc('bob', 30n * ETHER)],
      ['alice', play(paid('USDC', bought), taken(0n, v2.sell(bought), open))],
    ]);
    const signers = [ALICE, addressOf(STRANGER)].sort();
    expect(
      others(findings).map(({ finding, status, confidence, entity }) => [
        finding,
        status,
        confidence,
        entity,
      ]),
    ).toEqual([['sandwich', 'Suspected', 'Low', signers]]);
  });

  it('proves no back-run of a searcher whose cycle comes after dust of a stranger', async () => {
    // The pools are brought apart in a block before.
    await mine([['bob', buyUsdc('bob', 60n * ETHER)]]);
    const [v2, sushi] = [await Pair.read('v2PairUSDC'), await Pair.read('sushiPairUSDC')];
    v2.buy(GWEI);
    const usdc = sushi.buy(5n * ETHER);
    const weth = v2.sell(usdc);
    const { findings } = await mine([
      [STRANGER, buyUsdc(STRANGER, GWEI)],
      [
        'searcher',
        bot('WETH', [
          give('WETH', 'sushiPairUSDC', 5n * ETHER),
          take('sushiPairUSDC', usdc, 0n, 'v2PairUSDC'),
          take('v2PairUSDC', 0n, weth, 'arbBot'),
        ]),
      ],
    ]);
    expect(others(findings).map(({ status }) => status)).not.toContain('Proven');
  });
});

describe('a real sandwich by one signer', () => {
  it.each(['alone', 'beside dust of a stranger'])(
    'is proven, with its profit to the unit: %s',
    async (story) => {
      const dust: Sent[] = story === 'alone' ? [] : [[STRANGER, buyUsdc(STRANGER, GWEI)]];
      const v2 = await Pair.read('v2PairUSDC');
      const bought = v2.buy(20n * ETHER);
      v2.buy(30n * ETHER);
      if (dust.length > 0) v2.buy(GWEI);
      const profit = v2.sell(bought) - 20n * ETHER;
      const { hashes, findings } = await mine([
        ['alice', buyUsdc('alice', 20n * ETHER)],
        ['bob', buyUsdc('bob', 30n * ETHER)],
        ...dust,
        ['alice', sellUsdc('alice', bought)],
      ]);
      const [sandwich, ...more] = named(findings, 'sandwich');
      expect(more).toEqual([]);
      expect([sandwich!.status, sandwich!.caveats, sandwich!.entity]).toEqual(['Proven', [], [ALICE]]);
      expect(stepOf(sandwich!, 'victim')).toContain(hashes[1]);
      expect(amountsOf(sandwich!, 'profit').map(([, , raw]) => raw)).toEqual([String(profit)]);
    },
  );
});
