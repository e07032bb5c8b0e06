// Routers that nobody lists: what they keep of a trade is said, and is no fee.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { ETHER, fn, fnOf } from '../devnet/chain.ts';
import { call, startStage, type Stage } from './stage.ts';

const ALICE = addressOf('alice');
let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
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

  it('is not in the way where the pool is called straight', async () => {
    const { classification } = await stage.report(await stage.chain.send('alice', buy(ETHER)));
    expect(classification.intent_label).toMatch(/^Swap 1 ETH for [\d,.]+ USDC on Uniswap V2$/);
    expect(classification.status).toBe('Proven');
  });
});
