import { encodePacked, type Address } from 'viem';
import { addressOf, type Person } from '../devnet/accounts.ts';
import { MAINNET, NATIVE } from '../devnet/addresses.ts';
import { fn } from '../devnet/chain.ts';
import { abiEncode } from '../devnet/deploy/accounts.ts';
import { FAR_FUTURE, mintV3, sqrt, V4, V4_MINT, v4Actions, v4Key } from '../devnet/deploy/uniswap.ts';
import { closeV3, collectV3, mintedId } from '../devnet/scenarios/liquidity.ts';
import { cycle, encodeCalls, runBot } from '../devnet/scenarios/mev.ts';
import { settle } from '../devnet/scenarios/settlement.ts';
import { ur, v3Single, v4Swap } from '../devnet/scenarios/swaps.ts';
import { NotNow, STABLES, type Action, type Dice } from './dice.ts';

const far = FAR_FUTURE;
const v2 = (signature: string, args: unknown[]) => ({
  to: MAINNET.v2Router,
  gas: 1_500_000n,
  data: fn(signature, args),
});
const pool = (signature: string, args: unknown[]) => ({
  to: MAINNET.aavePool,
  gas: 1_500_000n,
  data: fn(signature, args),
});

/** A path of two to four distinct tokens with pairs of WETH between them. */
function path(d: Dice, first: string): string[] {
  if (first === 'WETH') return ['WETH', d.pick(STABLES)];
  const last = d.pick(STABLES.filter((name) => name !== first));
  return d.chance(0.5) ? [first, 'WETH'] : [first, 'WETH', last];
}

/** Positions opened by these actions, to be changed and closed by later ones. */
const opened = new WeakMap<
  object,
  { v3: [owner: Person, id: bigint][]; v4: [owner: Person, id: bigint][] }
>();
const positionsOf = (d: Dice) => {
  if (!opened.has(d.c)) opened.set(d.c, { v3: [], v4: [] });
  return opened.get(d.c)!;
};

const ROUTER_ITSELF = '0x0000000000000000000000000000000000000002';

/** Pools of three generations, an unknown one, lending, vaults, stakes, orders and arbitrage. */
export const tradeActions: Record<string, Action> = {
  'v2, token for token': async (d) => {
    const [from, first] = [d.who(), d.pick([...STABLES, 'WETH'])];
    const amount = await d.some(first, from);
    await d.c.approve(from, first, 'v2Router');
    return {
      from,
      ...v2('swapExactTokensForTokens(uint256,uint256,address[],address,uint256)', [
        amount,
        d.chance(0.1) ? 2n ** 200n : 0n,
        path(d, first).map(d.c.at),
        d.receiver(),
        far,
      ]),
    };
  },
  'v2, ether in': async (d) => {
    const from = d.who();
    const to = d.pick([...STABLES]);
    return d.chance(0.5)
      ? {
          from,
          value: d.wei(),
          ...v2('swapExactETHForTokens(uint256,address[],address,uint256)', [
            0n,
            ['WETH', to].map(d.c.at),
            addressOf(from),
            far,
          ]),
        }
      : {
          from,
          value: 10n ** 18n,
          ...v2('swapETHForExactTokens(uint256,address[],address,uint256)', [
            d.share(d.c.units(to, '2000'), 1n),
            ['WETH', to].map(d.c.at),
            addressOf(from),
            far,
          ]),
        };
  },
  'v2, ether out': async (d) => {
    const [from, first] = [d.who(), d.pick(STABLES)];
    const amount = await d.some(first, from);
    await d.c.approve(from, first, 'v2Router');
    return {
      from,
      ...v2('swapExactTokensForETH(uint256,uint256,address[],address,uint256)', [
        amount,
        0n,
        [first, 'WETH'].map(d.c.at),
        d.receiver(),
        far,
      ]),
    };
  },
  'v2, taxed': async (d) => {
    const from = d.who();
    if (d.chance(0.5))
      return {
        from,
        value: d.wei(),
        ...v2('swapExactETHForTokensSupportingFeeOnTransferTokens(uint256,address[],address,uint256)', [
          0n,
          ['WETH', 'TOLL'].map(d.c.at),
          addressOf(from),
          far,
        ]),
      };
    const amount = await d.some('TOLL', from, 4n);
    await d.c.approve(from, 'TOLL', 'v2Router');
    return {
      from,
      ...v2('swapExactTokensForETHSupportingFeeOnTransferTokens(uint256,uint256,address[],address,uint256)', [
        amount,
        0n,
        ['TOLL', 'WETH'].map(d.c.at),
        addressOf(from),
        far,
      ]),
    };
  },
  'v2, liquidity in': async (d) => {
    const [from, token] = [d.who(), d.pick(STABLES)];
    await d.c.approve(from, token, 'v2Router');
    return {
      from,
      value: d.wei(),
      ...v2('addLiquidityETH(address,uint256,uint256,uint256,address,uint256)', [
        d.c.at(token),
        await d.some(token, from, 10n),
        0n,
        0n,
        addressOf(from),
        far,
      ]),
    };
  },
  'v2, liquidity out': async (d) => {
    const [from, token] = [d.who(), d.pick(STABLES)];
    const amount = await d.some(`v2-LP-${token}`, from, 1n);
    await d.c.approve(from, `v2-LP-${token}`, 'v2Router');
    return {
      from,
      ...v2('removeLiquidityETH(address,uint256,uint256,uint256,address,uint256)', [
        d.c.at(token),
        amount,
        0n,
        0n,
        addressOf(from),
        far,
      ]),
    };
  },
  v3: async (d) => {
    const [from, [token, fee]] = [
      d.who(),
      d.pick([
        ['USDC', 500],
        ['USDT', 3000],
      ] as const),
    ];
    const [first, second] = d.chance(0.5) ? [token, 'WETH'] : ['WETH', token];
    const amount = await d.some(first, from);
    await d.c.approve(from, first, 'v3Router02');
    return {
      from,
      to: MAINNET.v3Router02,
      data: v3Single(d.c, first, second, fee, d.chance(0.8) ? from : 'dave', amount),
    };
  },
  'v3, exact out': async (d) => {
    const from = d.who();
    await d.c.approve(from, 'USDC', 'v3Router02');
    return {
      from,
      to: MAINNET.v3Router02,
      data: fn('exactOutputSingle((address,address,uint24,address,uint256,uint256,uint160))', [
        [
          d.c.at('USDC'),
          d.c.at('WETH'),
          500,
          addressOf(from),
          d.wei() / 2n,
          await d.balance('USDC', from),
          0n,
        ],
      ]),
    };
  },
  'v3, wrapped by the universal router': async (d) => {
    const [from, value] = [d.who(), d.wei()];
    return {
      from,
      to: MAINNET.universalRouter,
      value,
      data: ur(
        [0x0b, 0x00],
        [
          abiEncode(['address', 'uint256'], [ROUTER_ITSELF, value]),
          abiEncode(
            ['address', 'uint256', 'uint256', 'bytes', 'bool'],
            [
              addressOf(from),
              value,
              0n,
              encodePacked(['address', 'uint24', 'address'], [d.c.at('WETH'), 500, d.c.at('USDC')]),
              false,
            ],
          ),
        ],
      ),
    };
  },
  'v3, position opened': async (d) => {
    const from = d.who();
    await d.c.approve(from, 'USDC', 'v3Positions');
    await d.c.approve(from, 'WETH', 'v3Positions');
    const [usdc, weth] = [await d.some('USDC', from), await d.some('WETH', from, 4n)];
    const low = 190_000 + 10 * d.below(500);
    const hash = await d.c.send(from, {
      to: MAINNET.v3Positions,
      data: mintV3(
        [d.c.at('USDC'), d.c.at('WETH')],
        500,
        [low, low + 10 * (1 + d.below(1_000))],
        [usdc, weth],
        addressOf(from),
      ),
    });
    const id = await mintedId(d.c, hash, MAINNET.v3Positions).catch(() => null);
    if (id !== null) positionsOf(d).v3.push([from, id]);
    return hash;
  },
  'v3, position collected or closed': async (d) => {
    const own = positionsOf(d).v3;
    if (own.length === 0) throw new NotNow();
    const at = d.below(own.length);
    const [from, id] = own[at]!;
    if (d.chance(0.5)) return { from, to: MAINNET.v3Positions, data: collectV3(id, addressOf(from)) };
    own.splice(at, 1);
    return { from, to: MAINNET.v3Positions, data: await closeV3(d.c, id, from) };
  },
  v4: async (d) => {
    const [from, value] = [d.who(), d.wei()];
    return {
      from,
      to: MAINNET.universalRouter,
      value,
      data: ur([0x10], [v4Swap(v4Key(NATIVE, d.c.at('USDC')), true, value)]),
    };
  },
  'v4, token in': async (d) => {
    const [from, amount] = [d.who(), d.share(d.c.units('USDC', '3000'), 1n)];
    await d.c.permit2(from, 'USDC', 'universalRouter');
    return {
      from,
      to: MAINNET.universalRouter,
      data: ur([0x10], [v4Swap(v4Key(NATIVE, d.c.at('USDC')), false, amount)]),
    };
  },
  'v4, position opened': async (d) => {
    const from = d.who();
    await d.c.permit2(from, 'USDC', 'v4Positions');
    const key = v4Key(NATIVE, d.c.at('USDC'));
    const value = d.wei();
    const hash = await d.c.send(from, {
      to: MAINNET.v4Positions,
      value,
      gas: 1_500_000n,
      data: v4Actions([
        [
          V4.mint,
          V4_MINT,
          [
            key,
            -887_270,
            887_270,
            sqrt((value / 2n) * (((value / 2n) * 3_400n) / 10n ** 12n)),
            value,
            d.c.units('USDC', '4000'),
            addressOf(from),
            '0x',
          ],
        ],
        [V4.settlePair, 'address, address', [key.currency0, key.currency1]],
        [V4.sweep, 'address, address', [NATIVE, addressOf(from)]],
      ]),
    });
    const id = await mintedId(d.c, hash, MAINNET.v4Positions).catch(() => null);
    if (id !== null) positionsOf(d).v4.push([from, id]);
    return hash;
  },
  'v4, position reduced': async (d) => {
    const own = positionsOf(d).v4;
    if (own.length === 0) throw new NotNow();
    const [from, id] = d.pick(own);
    const all = await d.c.chain.read<bigint>(
      MAINNET.v4Positions,
      'getPositionLiquidity(uint256) view returns (uint128)',
      [id],
    );
    return {
      from,
      to: MAINNET.v4Positions,
      data: v4Actions([
        [
          V4.decrease,
          'uint256 id, uint256 liquidity, uint128 min0, uint128 min1, bytes hook',
          [id, d.share(all, 2n), 0n, 0n, '0x'],
        ],
        [V4.takePair, 'address, address, address', [NATIVE, d.c.at('USDC'), addressOf(from)]],
      ]),
    };
  },
  'an unknown pool': async (d) => {
    const [from, aForB] = [d.who(), d.chance(0.5)];
    const first = aForB ? 'USDC' : 'DAI';
    await d.c.approve(from, first, 'oddPool');
    return {
      from,
      to: d.c.at('oddPool'),
      data: fn('zwap(bool,uint256,uint256)', [aForB, await d.some(first, from), 0n]),
    };
  },
  'split by an aggregator': async (d) => {
    const from = d.who();
    const amount = await d.some('USDC', from, 10n);
    await d.c.approve(from, 'USDC', 'aggregator');
    const [one, two] = [amount / 3n, amount / 2n];
    const calls = [
      [d.c.at('USDC'), 0n, fn('approve(address,uint256)', [MAINNET.v2Router, one])],
      [
        MAINNET.v2Router,
        0n,
        fn('swapExactTokensForTokens(uint256,uint256,address[],address,uint256)', [
          one,
          0n,
          ['USDC', 'WETH'].map(d.c.at),
          d.c.at('aggregator'),
          far,
        ]),
      ],
      [d.c.at('USDC'), 0n, fn('approve(address,uint256)', [MAINNET.v3Router02, two])],
      [MAINNET.v3Router02, 0n, v3Single(d.c, 'USDC', 'WETH', 500, 'aggregator', two)],
    ];
    return {
      from,
      to: d.c.at('aggregator'),
      data: fn('swap(address,uint256,address,uint256,(address,uint256,bytes)[])', [
        d.c.at('USDC'),
        amount,
        d.c.at('WETH'),
        0n,
        calls,
      ]),
    };
  },
  lend: async (d) => {
    const [from, asset] = [d.who(), d.pick(['WETH', 'USDC', 'DAI'] as const)];
    await d.c.approve(from, asset, 'aavePool');
    const roll = d.below(4);
    if (roll === 0)
      return {
        from,
        ...pool('supply(address,uint256,address,uint16)', [
          d.c.at(asset),
          await d.some(asset, from, 5n),
          addressOf(from),
          0,
        ]),
      };
    if (roll === 1)
      return {
        from,
        ...pool('borrow(address,uint256,uint256,uint16,address)', [
          d.c.at('USDC'),
          d.share(d.c.units('USDC', '300'), 1n),
          2n,
          0,
          addressOf(from),
        ]),
      };
    if (roll === 2)
      return {
        from,
        ...pool('repay(address,uint256,uint256,address)', [
          d.c.at(asset),
          d.chance(0.5) ? 2n ** 256n - 1n : await d.some(asset, from),
          2n,
          addressOf(from),
        ]),
      };
    return {
      from,
      ...pool('withdraw(address,uint256,address)', [
        d.c.at(asset),
        await d.some(`a${asset}`, from, 3n),
        d.receiver(),
      ]),
    };
  },
  'flash loan': async (d) => {
    const from = d.who();
    await d.c.prepare(from, {
      to: d.c.at('DAI'),
      data: fn('transfer(address,uint256)', [d.c.at('flashBorrower'), d.c.units('DAI', '60')]),
    });
    return {
      from,
      to: d.c.at('flashBorrower'),
      data: fn('borrow(address,address,uint256,bytes)', [
        MAINNET.aavePool,
        d.c.at('DAI'),
        d.share(d.c.units('DAI', '100000'), 1n),
        '0x',
      ]),
    };
  },
  vault: async (d) => {
    const from = d.who();
    await d.c.approve(from, 'DAI', 'vDAI');
    const me = addressOf(from);
    return d.chance(0.6)
      ? { from, to: d.c.at('vDAI'), data: fn('deposit(uint256,address)', [await d.some('DAI', from), me]) }
      : {
          from,
          to: d.c.at('vDAI'),
          data: fn('redeem(uint256,address,address)', [await d.some('vDAI', from, 2n), d.receiver(), me]),
        };
  },
  'gift to the vault': async (d) => {
    const from = d.who();
    return {
      from,
      to: d.c.at('DAI'),
      data: fn('transfer(address,uint256)', [d.c.at('vDAI'), await d.some('DAI', from, 100n)]),
    };
  },
  stake: async (d) => {
    const from = d.who();
    await d.c.approve(from, 'ACORN', 'stakingPool');
    const roll = d.below(3);
    if (roll === 0)
      return { from, to: d.c.at('stakingPool'), data: fn('stake(uint256)', [await d.some('ACORN', from)]) };
    if (roll === 1) return { from, to: d.c.at('stakingPool'), data: fn('getReward()') };
    return {
      from,
      to: d.c.at('stakingPool'),
      data: fn('withdraw(uint256)', [await d.some('stakingPool', from, 2n)]),
    };
  },
  'an unknown protocol': async (d) => {
    const from = d.who();
    await d.c.approve(from, 'ACORN', 'novel');
    return {
      from,
      to: d.c.at('novel'),
      data: d.chance(0.6) ? fn('enter(uint256)', [await d.some('ACORN', from)]) : fn('harvest()'),
    };
  },
  'nft sale': async (d) => {
    const next = await d.c.chain.read<bigint>(d.c.at('APE'), 'nextId() view returns (uint256)');
    const price = d.wei();
    const seller = d.who();
    await d.c.prepare(seller, { to: d.c.at('APE'), value: 5n * 10n ** 16n, data: fn('mint(uint256)', [1n]) });
    await d.c.prepare(seller, {
      to: d.c.at('APE'),
      data: fn('setApprovalForAll(address,bool)', [d.c.at('nftMarket'), true]),
    });
    await d.c.prepare(seller, {
      to: d.c.at('nftMarket'),
      data: fn('list(address,uint256,uint256)', [d.c.at('APE'), next, price]),
    });
    return {
      from: d.who(),
      to: d.c.at('nftMarket'),
      value: price,
      data: fn('buy(address,uint256)', [d.c.at('APE'), next]),
    };
  },
  'two orders settled': async (d) => {
    const [one, two] = [d.who(), d.who()];
    if (one === two) throw new NotNow();
    const amount = String(1 + d.below(900));
    await d.c.approve(one, 'USDC', 'cowRelayer');
    await d.c.approve(two, 'DAI', 'cowRelayer');
    return {
      from: 'solver',
      ...(await settle(
        d.c,
        ['USDC', 'DAI'],
        [d.c.units('DAI', amount), d.c.units('USDC', amount)],
        [
          { owner: one, sell: ['USDC', amount], buy: ['DAI', amount] },
          { owner: two, sell: ['DAI', amount], buy: ['USDC', amount] },
        ],
      )),
    };
  },
  arbitrage: async (d) => {
    const bot = d.c.at('arbBot');
    if ((await d.balance('WETH', 'arbBot')) < 3n * 10n ** 18n) {
      await d.c.prepare('searcher', { to: d.c.at('WETH'), value: 4n * 10n ** 18n, data: fn('deposit()') });
      await d.c.prepare('searcher', {
        to: d.c.at('WETH'),
        data: fn('transfer(address,uint256)', [bot, 4n * 10n ** 18n]),
      });
    }
    const calls = await cycle(d.c, d.wei(), bot);
    return { from: 'searcher', ...runBot(d.c, calls, d.chance(0.5) ? d.wei() / 1_000n : 0n) };
  },
  'arbitrage by flash loan': async (d) => {
    const borrower: Address = d.c.at('flashBorrower');
    const amount = d.wei();
    return {
      from: 'searcher',
      to: borrower,
      gas: 2_000_000n,
      data: fn('borrow(address,address,uint256,bytes)', [
        MAINNET.aavePool,
        d.c.at('WETH'),
        amount,
        encodeCalls(await cycle(d.c, amount, borrower)),
      ]),
    };
  },
};
