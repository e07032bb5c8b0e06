// Routers that nobody lists: what they keep of a trade is said, and is no fee.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from 'viem';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { ETHER, fn, fnOf } from '../devnet/chain.ts';
import { call, openPair, startStage, type Stage } from './stage.ts';

const ALICE = addressOf('alice');
const BOB = addressOf('bob');
let stage: Stage, other: Address;
beforeAll(async () => {
  stage = await startStage();
  other = await stage.forger('Other', 'OTHER');
  await openPair(stage.chain, other, (pair) => fn('transfer(address,uint256)', [pair, 10n ** 12n]));
}, 180_000);
afterAll(() => stage?.stop());

const buy = (value: bigint) => ({
  to: MAINNET.v2Router,
  data: fn('swapExactETHForTokens(uint256,address[],address,uint256)', [
    0n,
    [MAINNET.weth, MAINNET.usdc],
    ALICE,
    1n << 40n,
  ]),
  value,
  gas: 3_000_000n,
});

describe('a router that no rule names', () => {
  it.each([
    [90n, '0.9 ETH'],
    [6n, '0.06 ETH'],
    [1n, '0.01 ETH'],
  ])('keeps %s percent: said, and Suspected', async (percent, kept) => {
    const router = await stage.forger('Router', 'ROUTER');
    const { to, data, value, gas } = buy((ETHER * (100n - percent)) / 100n);
    const play = fnOf(stage.abi, 'play', [[call(to, data, value)]]);
    const { classification, economics } = await stage.report(
      await stage.chain.send('alice', { to: router, data: play, value: ETHER, gas }),
    );
    expect(economics.token_out).toBe('1 ETH');
    expect(classification.intent_label).toMatch(
      new RegExp(
        `^Swap 1 ETH for [\\d,.]+ USDC on Uniswap V2, of which 0x\\w{4}…\\w{4} kept ${kept.replace('.', '\\.')}$`,
      ),
    );
    expect(classification).toMatchObject({ status: 'Suspected', actor: ALICE });
    expect(classification.caveats?.map(({ code }) => code)).toContain('unaccounted_value');
  });

  it('shares it out: nobody is named, and Suspected', async () => {
    const router = await stage.forger('Router', 'ROUTER');
    const { to, data, value, gas } = buy((ETHER * 98n) / 100n);
    const share = call(addressOf('bob'), '0x', ETHER / 100n);
    const play = fnOf(stage.abi, 'play', [[share, call(to, data, value)]]);
    const { classification } = await stage.report(
      await stage.chain.send('alice', { to: router, data: play, value: ETHER, gas }),
    );
    expect(classification.intent_label).toContain(', of which others kept 0.02 ETH');
    expect(classification.status).toBe('Suspected');
  });

  /** What the router does: it buys 1,000 USDC, pays Alice this part of a hundred, and Bob the rest but `dust`. */
  const split = async (router: Address, percent: bigint, dust = 0n) => {
    const path = [MAINNET.weth, MAINNET.usdc];
    const [price] = await stage.chain.read<bigint[]>(
      MAINNET.v2Router,
      'getAmountsIn(uint256,address[]) view returns (uint256[])',
      [1_000_000_000n, path],
    );
    const pay = (to: Address, amount: bigint) =>
      call(MAINNET.usdc, fn('transfer(address,uint256)', [to, amount]));
    const swap = 'swapETHForExactTokens(uint256,address[],address,uint256)';
    const buys = call(MAINNET.v2Router, fn(swap, [1_000_000_000n, path, router, 1n << 40n]), price!);
    const kept = 10_000_000n * (100n - percent) - dust;
    return { price: price!, steps: [buys, pay(ALICE, 10_000_000n * percent), pay(BOB, kept)] };
  };

  it.each([96n, 99n])('pays %s percent, and a listed router pays dust to the taker', async (percent) => {
    const router = await stage.forger('Router', 'ROUTER');
    const { price, steps } = await split(router, percent, 1_000n);
    const swap = 'swapExactTokensForETH(uint256,uint256,address[],address,uint256)';
    const dust = [
      call(MAINNET.usdc, fn('approve(address,uint256)', [MAINNET.v2Router, 1_000n])),
      call(MAINNET.v2Router, fn(swap, [1_000n, 0n, [MAINNET.usdc, MAINNET.weth], BOB, 1n << 40n])),
    ];
    const play = fnOf(stage.abi, 'play', [[...steps, ...dust]]);
    const { classification } = await stage.report(
      await stage.chain.send('alice', { to: router, data: play, value: price, gas: 3_000_000n }),
    );
    expect(classification.intent_label).not.toContain('fee');
    expect(classification.status).toBe('Suspected');
  });

  it.each([10n, 96n])('pays %s percent, and trades the rest for another account', async (percent) => {
    const router = await stage.forger('Router', 'ROUTER');
    const { price, steps } = await split(router, percent);
    const rest = 10_000_000n * (100n - percent);
    const swap = 'swapExactTokensForETH(uint256,uint256,address[],address,uint256)';
    const onward = [
      call(MAINNET.usdc, fn('approve(address,uint256)', [MAINNET.v2Router, rest])),
      call(MAINNET.v2Router, fn(swap, [rest, 0n, [MAINNET.usdc, MAINNET.weth], BOB, 1n << 40n])),
    ];
    const play = fnOf(stage.abi, 'play', [[...steps.slice(0, 2), ...onward]]);
    const { classification } = await stage.report(
      await stage.chain.send('alice', { to: router, data: play, value: price, gas: 3_000_000n }),
    );
    expect(classification.status).toBe('Suspected');
  });

  it.each([10n, 96n])('trades %s percent for Alice, and the rest for another account', async (percent) => {
    const router = await stage.forger('Router', 'ROUTER');
    const [mine, others] = [(ETHER * percent) / 100n, (ETHER * (100n - percent)) / 100n];
    const swap = 'swapExactETHForTokens(uint256,address[],address,uint256)';
    const path = [MAINNET.weth, other];
    const onward = call(MAINNET.v2Router, fn(swap, [0n, path, BOB, 1n << 40n]), others);
    const { to, data } = buy(mine);
    const play = fnOf(stage.abi, 'play', [[call(to, data, mine), onward]]);
    const { classification } = await stage.report(
      await stage.chain.send('alice', { to: router, data: play, value: ETHER, gas: 3_000_000n }),
    );
    expect(classification.intent_label).toMatch(/, of which others kept [\d.]+ ETH$/);
    expect(classification.status).toBe('Suspected');
  });

  it('is called by a listed contract that makes any call: Suspected', async () => {
    const router = await stage.forger('Router', 'ROUTER');
    const { price, steps } = await split(router, 96n);
    const play = fnOf(stage.abi, 'play', [steps]);
    const data = fn('aggregate3Value((address,bool,uint256,bytes)[])', [[[router, false, price, play]]]);
    const { classification } = await stage.report(
      await stage.chain.send('alice', { to: MAINNET.multicall3, data, value: price, gas: 3_000_000n }),
    );
    expect(classification.intent_label).toContain(' kept 40 USDC');
    expect(classification.status).toBe('Suspected');
  });

  it('is not in the way where the pool is called straight', async () => {
    const { classification } = await stage.report(await stage.chain.send('alice', buy(ETHER)));
    expect(classification.intent_label).toMatch(/^Swap 1 ETH for [\d,.]+ USDC on Uniswap V2$/);
    expect(classification.status).toBe('Proven');
  });
});
