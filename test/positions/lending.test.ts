// Aave v3 as mainnet runs it: who owes and owns what, principal apart from interest, held against the tokens' own books.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address, Hex } from 'viem';
import { addressOf, type Person } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn } from '../devnet/chain.ts';
import { gist, startLive, type Live } from './live.ts';
import type { PositionEffect } from '../../src/model/generated/report.ts';

let live: Live;
beforeAll(async () => {
  live = await startLive();
});
afterAll(() => live?.stop());

const pool = (signature: string, args: unknown[]) => ({ to: MAINNET.aavePool, data: fn(signature, args) });
const at = (name: string): Address => live.c.at(name);
const supply = (who: Person, asset: string, amount: bigint, owner: Person = who) =>
  live.chain.send(
    who,
    pool('supply(address,uint256,address,uint16)', [at(asset), amount, addressOf(owner), 0]),
  );
const borrow = (who: Person, asset: string, amount: bigint) =>
  live.chain.send(
    who,
    pool('borrow(address,uint256,uint256,uint16,address)', [at(asset), amount, 2n, 0, addressOf(who)]),
  );
const repay = (who: Person, asset: string, amount: bigint, owner: Person = who) =>
  live.chain.send(
    who,
    pool('repay(address,uint256,uint256,address)', [at(asset), amount, 2n, addressOf(owner)]),
  );
const withdraw = (who: Person, asset: string, amount: bigint, to: Person = who) =>
  live.chain.send(who, pool('withdraw(address,uint256,address)', [at(asset), amount, addressOf(to)]));
const weth = (amount: string): bigint => live.c.units('WETH', amount);
const usdc = (amount: string): bigint => live.c.units('USDC', amount);
async function later(seconds: number): Promise<void> {
  const { timestamp } = (await live.chain.rpc('eth_getBlockByNumber', ['latest', false])) as {
    timestamp: Hex;
  };
  await live.chain.rpc('anvil_setNextBlockTimestamp', [Number(timestamp) + seconds]);
}

async function fundWeth(who: Person, amount: string): Promise<void> {
  await live.chain.must(who, { to: at('WETH'), value: weth(amount), data: fn('deposit()') });
  await live.c.approve(who, 'WETH', 'aavePool');
}

const RAY = 10n ** 27n;
/**
 * What a holder's token says of the transaction: by how much the balance changed since it was last touched (interest that was
 * due and not yet written down is not part of it), and how much of that was interest.
 */
async function books(hash: Hex, token: string, holder: Person): Promise<{ delta: bigint; interest: bigint }> {
  const of = [addressOf(holder)];
  const scaled = await live.read<bigint>(
    hash,
    'before',
    at(token),
    'scaledBalanceOf(address) view returns (uint256)',
    of,
  );
  const index = await live.read<bigint>(
    hash,
    'before',
    at(token),
    'getPreviousIndex(address) view returns (uint256)',
    of,
  );
  const indexAfter = await live.read<bigint>(
    hash,
    'after',
    at(token),
    'getPreviousIndex(address) view returns (uint256)',
    of,
  );
  const after = await live.read<bigint>(
    hash,
    'after',
    at(token),
    'balanceOf(address) view returns (uint256)',
    of,
  );
  const ray = (a: bigint, b: bigint): bigint => (a * b + RAY / 2n) / RAY;
  return { delta: after - ray(scaled, index), interest: ray(scaled, indexAfter) - ray(scaled, index) };
}

/** Amounts that Aave rounds by ray arithmetic may be one unit off between a balance and the Transfer it writes. */
function near(actual: string | null, wanted: bigint): void {
  const gap = BigInt(actual!) - wanted;
  expect(gap <= 1n && gap >= -1n, `${actual} beside ${wanted}`).toBe(true);
}

/** The position's token changed by what was put in, less what was taken out, and the interest: exact, to the unit. */
function adds(effect: PositionEffect): void {
  const sum = (roles: string[]) =>
    effect.underlying.filter((u) => roles.includes(u.role)).reduce((n, u) => n + BigInt(u.delta_raw), 0n);
  const debt = effect.category === 'lending_debt';
  const moved = sum(['principal', 'debt', 'collateral']);
  const put = effect.effect === 'liquidate' || debt ? moved : -moved;
  // Interest paid out with a withdrawal is no principal of it.
  const paid = effect.category === 'lending_supply' && ['decrease', 'close'].includes(effect.effect);
  expect(BigInt(effect.position_delta_raw!)).toBe(put + (paid ? 0n : debt ? -1n : 1n) * sum(['interest']));
}

describe('supply and withdrawal', () => {
  it('a first supply is principal alone', async () => {
    await fundWeth('judy', '40');
    const hash = await supply('judy', 'WETH', weth('10'));
    const { position_effects: effects } = await live.report(hash);
    expect(effects.map((e) => gist(e, live.c))).toEqual([
      {
        what: 'open lending_supply',
        owner: addressOf('judy'),
        token: `${weth('10')} aWETH`,
        parts: [`principal -${weth('10')} WETH`],
      },
    ]);
    expect(effects[0]!.market).toBe(MAINNET.aavePool);
    expect(effects[0]).toMatchObject({
      status: 'Proven',
      confidence: 'High',
      protocol: { slug: 'aave-v3', matched_by: 'address' },
    });
    near(effects[0]!.position_delta_raw, (await books(hash, 'aWETH', 'judy')).delta);
  });

  it('a later supply tells the interest it is credited with', async () => {
    await live.chain.must(
      'judy',
      pool('borrow(address,uint256,uint256,uint16,address)', [
        at('WETH'),
        weth('4'),
        2n,
        0,
        addressOf('judy'),
      ]),
    );
    await later(40 * 86_400);
    const hash = await supply('judy', 'WETH', weth('3'));
    const [effect] = (await live.report(hash)).position_effects;
    const { delta, interest } = await books(hash, 'aWETH', 'judy');
    expect(interest).toBeGreaterThan(1_000_000n);
    expect(gist(effect!, live.c)).toMatchObject({
      what: 'increase lending_supply',
      owner: addressOf('judy'),
      parts: [`principal -${weth('3')} WETH`, expect.stringMatching(/^interest \d+ WETH$/)],
    });
    near(effect!.position_delta_raw, delta);
    near(effect!.underlying[1]!.delta_raw, interest);
    adds(effect!);
  });

  it("a supply for another account is the other's", async () => {
    const hash = await supply('judy', 'WETH', weth('2'), 'heidi');
    const report = await live.report(hash);
    expect(report.position_effects.map((e) => gist(e, live.c))).toEqual([
      {
        what: 'open lending_supply',
        owner: addressOf('heidi'),
        token: `${weth('2')} aWETH`,
        parts: [`principal -${weth('2')} WETH`],
      },
    ]);
    near(report.position_effects[0]!.position_delta_raw, (await books(hash, 'aWETH', 'heidi')).delta);
  });

  it("a withdrawal to another account is taken off the owner's position", async () => {
    await later(10 * 86_400);
    const hash = await withdraw('judy', 'WETH', weth('1'), 'dave');
    const {
      position_effects: [effect, ...rest],
    } = await live.report(hash);
    const { delta, interest } = await books(hash, 'aWETH', 'judy');
    expect(rest).toEqual([]);
    expect(gist(effect!, live.c)).toMatchObject({
      what: 'decrease lending_supply',
      owner: addressOf('judy'),
      parts: [expect.stringMatching(/^principal \d+ WETH$/), expect.stringMatching(/^interest \d+ WETH$/)],
    });
    expect(effect!.underlying.reduce((sum, { delta_raw }) => sum + BigInt(delta_raw), 0n)).toBe(weth('1'));
    expect(
      await live.change(hash, at('WETH'), 'balanceOf(address) view returns (uint256)', [addressOf('dave')]),
    ).toBe(weth('1'));
    near(effect!.position_delta_raw, delta);
    near(effect!.underlying[1]!.delta_raw, interest);
    adds(effect!);
  });
});

describe('the end of a position', () => {
  it('is told by the collateral that switches itself off, and not by one switched off by hand', async () => {
    await fundWeth('carol', '5');
    const opened = await supply('carol', 'WETH', weth('5'));
    expect((await live.report(opened)).position_effects.map((e) => e.effect)).toEqual(['open']);
    await later(86_400);
    const part = await withdraw('carol', 'WETH', weth('1'));
    expect((await live.report(part)).position_effects.map((e) => e.effect)).toEqual(['decrease']);
    const all = await withdraw('carol', 'WETH', 2n ** 256n - 1n);
    const {
      position_effects: [effect, ...rest],
    } = await live.report(all);
    expect([effect!.effect, rest]).toEqual(['close', []]);
    expect(
      await live.read(all, 'after', at('aWETH'), 'balanceOf(address) view returns (uint256)', [
        addressOf('carol'),
      ]),
    ).toBe(0n);
    near(effect!.position_delta_raw, (await books(all, 'aWETH', 'carol')).delta);
    adds(effect!);
  });
});

describe('debt', () => {
  it('a loan is the debt token, and what was borrowed', async () => {
    const hash = await borrow('heidi', 'USDC', usdc('900'));
    const { position_effects: effects, classification } = await live.report(hash);
    expect(effects.map((e) => gist(e, live.c))).toEqual([
      {
        what: 'increase lending_debt',
        owner: addressOf('heidi'),
        token: `${usdc('900')} debtUSDC`,
        parts: [`debt ${usdc('900')} USDC`],
      },
    ]);
    expect(classification.fragments.map((f) => f.kind)).toEqual(['Borrow']);
    near(effects[0]!.position_delta_raw, (await books(hash, 'debtUSDC', 'heidi')).delta);
  });

  it('a second loan tells the interest that was due on the first', async () => {
    await later(200 * 86_400);
    const hash = await borrow('heidi', 'USDC', usdc('50'));
    const {
      position_effects: [effect],
    } = await live.report(hash);
    const { delta, interest } = await books(hash, 'debtUSDC', 'heidi');
    expect(interest).toBeGreaterThan(0n);
    expect(gist(effect!, live.c)).toMatchObject({
      what: 'increase lending_debt',
      parts: [`debt ${usdc('50')} USDC`, expect.stringMatching(/^interest -\d+ USDC$/)],
    });
    near(effect!.position_delta_raw, delta);
    near((-BigInt(effect!.underlying[1]!.delta_raw)).toString(), interest);
    adds(effect!);
  });

  it("a repayment for another account shrinks the other's debt", async () => {
    await later(200 * 86_400);
    await live.c.approve('ivan', 'USDC', 'aavePool');
    const hash = await repay('ivan', 'USDC', usdc('100'), 'heidi');
    const { position_effects: effects, inventory_deltas: deltas } = await live.report(hash);
    const { delta, interest } = await books(hash, 'debtUSDC', 'heidi');
    expect(effects.map((e) => gist(e, live.c))).toMatchObject([
      {
        what: 'decrease lending_debt',
        owner: addressOf('heidi'),
        parts: [`debt -${usdc('100')} USDC`, expect.stringMatching(/^interest -\d+ USDC$/)],
      },
    ]);
    near(effects[0]!.position_delta_raw, delta);
    near((-BigInt(effects[0]!.underlying[1]!.delta_raw)).toString(), interest);
    adds(effects[0]!);
    expect(
      deltas.find((d) => d.subject === addressOf('ivan') && d.asset.address === MAINNET.usdc)!.delta_raw,
    ).toBe(`-${usdc('100')}`);
  });

  it('a debt paid with supplied tokens changes two positions', async () => {
    await live.c.approve('heidi', 'USDC', 'aavePool');
    await live.chain.must(
      'heidi',
      pool('supply(address,uint256,address,uint16)', [at('USDC'), usdc('300'), addressOf('heidi'), 0]),
    );
    const hash = await live.chain.send(
      'heidi',
      pool('repayWithATokens(address,uint256,uint256)', [at('USDC'), usdc('200'), 2n]),
    );
    const { position_effects: effects } = await live.report(hash);
    expect(effects.map((e) => gist(e, live.c))).toMatchObject([
      { what: 'decrease lending_debt', owner: addressOf('heidi') },
      { what: 'decrease lending_supply', owner: addressOf('heidi') },
    ]);
    near(effects[0]!.position_delta_raw, (await books(hash, 'debtUSDC', 'heidi')).delta);
    near(effects[1]!.position_delta_raw, (await books(hash, 'aUSDC', 'heidi')).delta);
  });
});

describe('liquidation', () => {
  const price = (usd: bigint) =>
    live.chain.must('deployer', { to: MAINNET.feedEth, data: fn('setAnswer(int256)', [usd * 10n ** 8n]) });
  beforeAll(async () => {
    await fundWeth('grace', '1');
    await live.chain.must(
      'grace',
      pool('supply(address,uint256,address,uint16)', [at('WETH'), weth('1'), addressOf('grace'), 0]),
    );
    await live.chain.must(
      'grace',
      pool('borrow(address,uint256,uint256,uint16,address)', [
        at('USDC'),
        usdc('2600'),
        2n,
        0,
        addressOf('grace'),
      ]),
    );
    await live.c.approve('liquidator', 'USDC', 'aavePool');
    await price(3_000n);
  });
  const liquidate = (debt: bigint, shares: boolean) =>
    live.chain.send('liquidator', {
      ...pool('liquidationCall(address,address,address,uint256,bool)', [
        at('WETH'),
        at('USDC'),
        addressOf('grace'),
        debt,
        shares,
      ]),
    });

  it("shrinks the borrower's debt and collateral, each with its token", async () => {
    const hash = await liquidate(usdc('700'), false);
    const { position_effects: effects } = await live.report(hash);
    const seized = await live.change(hash, at('WETH'), 'balanceOf(address) view returns (uint256)', [
      addressOf('liquidator'),
    ]);
    expect(effects.map((e) => gist(e, live.c))).toMatchObject([
      {
        what: 'liquidate lending_debt',
        owner: addressOf('grace'),
        token: expect.stringMatching(/^-\d+ debtUSDC$/),
      },
      {
        what: 'liquidate lending_supply',
        owner: addressOf('grace'),
        token: expect.stringMatching(/^-\d+ aWETH$/),
      },
    ]);
    expect(effects[0]!.underlying[0]).toMatchObject({ role: 'debt', delta_raw: `-${usdc('700')}` });
    expect(effects[1]!.underlying[0]).toMatchObject({ role: 'collateral', delta_raw: `-${seized}` });
    near(effects[0]!.position_delta_raw, (await books(hash, 'debtUSDC', 'grace')).delta);
    near(effects[1]!.position_delta_raw, (await books(hash, 'aWETH', 'grace')).delta);
    for (const effect of effects) adds(effect);
    for (const { liquidation } of effects)
      expect(liquidation).toMatchObject({
        liquidator: addressOf('liquidator'),
        borrower: addressOf('grace'),
        debt_covered_raw: usdc('700').toString(),
        collateral_seized_raw: seized.toString(),
      });
  });

  it('that takes the share tokens themselves gives the liquidator a position', async () => {
    const hash = await liquidate(usdc('300'), true);
    const { position_effects: effects } = await live.report(hash);
    expect(effects.map((e) => gist(e, live.c))).toMatchObject([
      {
        what: 'liquidate lending_debt',
        owner: addressOf('grace'),
        token: expect.stringMatching(/^-\d+ debtUSDC$/),
      },
      {
        what: 'liquidate lending_supply',
        owner: addressOf('grace'),
        token: expect.stringMatching(/^-\d+ aWETH$/),
      },
      {
        what: 'increase lending_supply',
        owner: addressOf('liquidator'),
        token: expect.stringMatching(/^\d+ aWETH$/),
      },
      {
        what: 'collect lending_supply',
        owner: addressOf('grace'),
        token: expect.stringMatching(/^\d+ aWETH$/),
      },
    ]);
    near(effects[2]!.position_delta_raw, (await books(hash, 'aWETH', 'liquidator')).delta);
    expect(BigInt(effects[1]!.position_delta_raw!)).toBe(-BigInt(effects[2]!.position_delta_raw!));
    await price(3_400n);
  });
});

it("a flash loan changes no position, and its fee is the market's", async () => {
  await live.chain.must('ivan', {
    to: at('DAI'),
    data: fn('transfer(address,uint256)', [at('flashBorrower'), live.c.units('DAI', '100')]),
  });
  const hash = await live.chain.send('ivan', {
    to: at('flashBorrower'),
    data: fn('borrow(address,address,uint256,bytes)', [
      MAINNET.aavePool,
      at('DAI'),
      live.c.units('DAI', '100000'),
      '0x',
    ]),
  });
  const { position_effects: effects, motifs } = await live.report(hash);
  expect(effects).toEqual([]);
  const loan = motifs.find((m) => m.kind === 'flash_loan')!;
  expect([loan.assets_in[0]!.amount_raw, loan.assets_out[0]!.amount_raw]).toEqual([
    '100000000000000000000000',
    '100050000000000000000000',
  ]);
  expect(await live.change(hash, at('DAI'), 'balanceOf(address) view returns (uint256)', [at('aDAI')])).toBe(
    50n * 10n ** 18n,
  );
});

/** Interest of the position and the amount taken out or paid back, as two changes of one token. */
function split(effects: readonly PositionEffect[], delta: bigint, interest: bigint): void {
  expect(effects.map(({ effect }) => effect)).toEqual(['collect', 'decrease']);
  expect(new Set(effects.map(({ position_asset }) => position_asset!.id)).size).toBe(1);
  near(effects[0]!.position_delta_raw, interest);
  near(`${effects.reduce((sum, { position_delta_raw }) => sum + BigInt(position_delta_raw!), 0n)}`, delta);
}

describe('interest above the amount', () => {
  it('stands beside a smaller withdrawal, although the token was minted', async () => {
    await later(3_000 * 86_400);
    const hash = await withdraw('judy', 'WETH', 10n ** 12n);
    const { position_effects: effects, classification } = await live.report(hash);
    const { delta, interest } = await books(hash, 'aWETH', 'judy');
    expect(delta).toBeGreaterThan(0n);
    expect(classification).toMatchObject({ intent_kind: 'Withdraw', status: 'Proven' });
    split(effects, delta, interest);
    expect(effects.map((e) => gist(e, live.c).parts)).toEqual([
      [expect.stringMatching(/^interest \d+ WETH$/)],
      [`principal ${10n ** 12n} WETH`],
    ]);
  });

  it('stands beside a smaller repayment', async () => {
    await live.chain.must(
      'heidi',
      pool('borrow(address,uint256,uint256,uint16,address)', [
        at('USDC'),
        usdc('500'),
        2n,
        0,
        addressOf('heidi'),
      ]),
    );
    await later(400 * 86_400);
    await live.c.approve('heidi', 'USDC', 'aavePool');
    const hash = await repay('heidi', 'USDC', 1_000n);
    const { position_effects: effects } = await live.report(hash);
    const { delta, interest } = await books(hash, 'debtUSDC', 'heidi');
    expect(delta).toBeGreaterThan(0n);
    split(effects, delta, interest);
    expect(effects.map((e) => gist(e, live.c).parts)).toEqual([
      [expect.stringMatching(/^interest -\d+ USDC$/)],
      ['debt -1000 USDC'],
    ]);
  });
});
