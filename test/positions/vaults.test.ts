// ERC-4626 shares, plain staking, and deposits that no rule speaks of.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address, Hex } from 'viem';
import { addressOf, type Person } from '../devnet/accounts.ts';
import { fn } from '../devnet/chain.ts';
import { gist, startLive, type Live } from './live.ts';

let live: Live;
beforeAll(async () => {
  live = await startLive();
});
afterAll(() => live?.stop());

const at = (name: string): Address => live.c.at(name);
const dai = (amount: string): bigint => live.c.units('DAI', amount);
const shares = (hash: Hex, who: Person) =>
  live.change(hash, at('vDAI'), 'balanceOf(address) view returns (uint256)', [addressOf(who)]);
const holding = (hash: Hex, who: Person) =>
  live.change(hash, at('DAI'), 'balanceOf(address) view returns (uint256)', [addressOf(who)]);
const vault = (who: Person, signature: string, args: unknown[]) =>
  live.chain.send(who, { to: at('vDAI'), data: fn(signature, args) });
const effects = async (hash: Hex) => (await live.report(hash)).position_effects;

describe('ERC-4626', () => {
  beforeAll(async () => {
    for (const who of ['heidi', 'grace'] as const) await live.c.approve(who, 'DAI', 'vDAI');
  });

  it('a deposit is shares for assets', async () => {
    const hash = await vault('heidi', 'deposit(uint256,address)', [dai('1000'), addressOf('heidi')]);
    const [effect, ...rest] = await effects(hash);
    expect(rest).toEqual([]);
    expect(gist(effect!, live.c)).toEqual({
      what: 'increase vault',
      owner: addressOf('heidi'),
      token: `${await shares(hash, 'heidi')} vDAI`,
      parts: [`principal ${await holding(hash, 'heidi')} DAI`],
    });
    expect(effect).toMatchObject({
      market: at('vDAI'),
      // An unlisted contract: its own event alone says that the exchange left a position.
      status: 'Suspected',
      confidence: 'Medium',
      protocol: { matched_by: 'family' },
    });
  });

  it("shares bought for another account are the other's, at the price of the day", async () => {
    await live.chain.must('ivan', {
      to: at('DAI'),
      data: fn('transfer(address,uint256)', [at('vDAI'), dai('170')]),
    });
    const hash = await vault('grace', 'mint(uint256,address)', [dai('500'), addressOf('dave')]);
    const [effect, ...rest] = await effects(hash);
    expect(rest).toEqual([]);
    expect(await shares(hash, 'dave')).toBe(dai('500'));
    expect(gist(effect!, live.c)).toEqual({
      what: 'increase vault',
      owner: addressOf('dave'),
      token: `${dai('500')} vDAI`,
      parts: [`principal ${await holding(hash, 'grace')} DAI`],
    });
    expect(await holding(hash, 'grace')).toBeLessThan(-dai('500'));
  });

  it("a withdrawal by an allowed caller to a third account is the owner's", async () => {
    await live.chain.must('heidi', {
      to: at('vDAI'),
      data: fn('approve(address,uint256)', [addressOf('frank'), dai('10000')]),
    });
    const hash = await vault('frank', 'withdraw(uint256,address,address)', [
      dai('400'),
      addressOf('erin'),
      addressOf('heidi'),
    ]);
    const [effect, ...rest] = await effects(hash);
    expect(rest).toEqual([]);
    expect(await holding(hash, 'erin')).toBe(dai('400'));
    expect(gist(effect!, live.c)).toEqual({
      what: 'decrease vault',
      owner: addressOf('heidi'),
      token: `${await shares(hash, 'heidi')} vDAI`,
      parts: [`principal ${dai('400')} DAI`],
    });
  });

  it('all shares redeemed', async () => {
    const all = await live.chain.read<bigint>(at('vDAI'), 'balanceOf(address) view returns (uint256)', [
      addressOf('heidi'),
    ]);
    const hash = await vault('heidi', 'redeem(uint256,address,address)', [
      all,
      addressOf('heidi'),
      addressOf('heidi'),
    ]);
    const [effect] = await effects(hash);
    expect(gist(effect!, live.c)).toEqual({
      what: 'decrease vault',
      owner: addressOf('heidi'),
      token: `-${all} vDAI`,
      parts: [`principal ${await holding(hash, 'heidi')} DAI`],
    });
  });
});

describe('staking', () => {
  const pool = (who: Person, data: Hex) => live.chain.send(who, { to: at('stakingPool'), data });
  const staked = (hash: Hex) =>
    live.change(hash, at('stakingPool'), 'balanceOf(address) view returns (uint256)', [addressOf('ivan')]);

  it("stakes and unstakes what the pool's own books say", async () => {
    await live.c.approve('ivan', 'ACORN', 'stakingPool');
    const put = await pool('ivan', fn('stake(uint256)', [dai('100')]));
    expect((await effects(put)).map((e) => gist(e, live.c))).toEqual([
      {
        what: 'increase stake',
        owner: addressOf('ivan'),
        token: null,
        parts: [`principal -${await staked(put)} ACORN`],
      },
    ]);
    const took = await pool('ivan', fn('withdraw(uint256)', [dai('60')]));
    expect((await effects(took)).map((e) => gist(e, live.c))).toEqual([
      {
        what: 'decrease stake',
        owner: addressOf('ivan'),
        token: null,
        parts: [`principal ${-(await staked(took))} ACORN`],
      },
    ]);
  });

  it('a reward paid with a further stake is no part of the position', async () => {
    const hash = await pool('ivan', fn('stake(uint256)', [dai('5')]));
    const report = await live.report(hash);
    expect(report.position_effects.map((e) => gist(e, live.c))).toEqual([
      {
        what: 'increase stake',
        owner: addressOf('ivan'),
        token: null,
        parts: [`principal -${dai('5')} ACORN`],
      },
    ]);
    expect(report.classification.fragments.map((f) => f.kind).sort()).toEqual(['ClaimRewards', 'Stake']);
  });
});

describe('where no rule speaks', () => {
  it('shares minted for ether are a position, by structure alone', async () => {
    const hash = await live.chain.send('judy', { to: at('rbETH'), value: dai('3'), data: fn('submit()') });
    const [effect, ...rest] = await effects(hash);
    expect(rest).toEqual([]);
    expect(gist(effect!, live.c)).toEqual({
      what: 'increase vault',
      owner: addressOf('judy'),
      token: `${await live.change(hash, at('rbETH'), 'balanceOf(address) view returns (uint256)', [addressOf('judy')])} rbETH`,
      parts: [`principal -${dai('3')} ETH`],
    });
    expect(effect).toMatchObject({ status: 'Suspected', confidence: 'Low', protocol: null });
  });

  it('a payment into a contract that gives nothing for it is only hinted at by its words', async () => {
    await live.c.approve('frank', 'ACORN', 'novel');
    const found = await effects(
      await live.chain.send('frank', { to: at('novel'), data: fn('enter(uint256)', [dai('300')]) }),
    );
    expect(found).toMatchObject([
      { category: 'stake', status: 'Suspected', confidence: 'Low', protocol: null },
    ]);
  });
});
