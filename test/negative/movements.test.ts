// Value that seems to move and does not, or twice, or elsewhere.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from 'viem';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn } from '../devnet/chain.ts';
import { FAR_FUTURE } from '../devnet/deploy/uniswap.ts';
import { startLive, type Live } from '../positions/live.ts';
import { counts, kinds, nets } from './gist.ts';
import { tricks } from './tricks.ts';

let live: Live;
beforeAll(async () => {
  live = await startLive();
});
afterAll(() => live?.stop());

const at = (name: string): Address => live.c.at(name);
const unit = (asset: string, amount: string): bigint => live.c.units(asset, amount);
const tenth = 10n ** 17n;
const [alice, bob] = [addressOf('alice'), addressOf('bob')];
const transfer = (to: Address, amount: bigint) => fn('transfer(address,uint256)', [to, amount]);

describe('proxies in proxies', () => {
  it('move a token once', async () => {
    const token = await live.chain.deploy(live.c.own.DevProxy!, [
      await live.chain.deploy(live.c.own.DevProxy!, [
        await live.chain.deploy(live.c.own.DevToken!, ['Inner', 'INNER', 18]),
      ]),
    ]);
    await live.chain.must('maker', { to: token, data: fn('mint(address,uint256)', [alice, 100n * tenth]) });
    const hash = await live.chain.send('alice', { to: token, data: transfer(bob, 70n * tenth) });
    const report = await live.report(hash);
    expect(report.classification).toMatchObject({
      intent_kind: 'TokenTransfer',
      status: 'Proven',
      confidence: 'High',
      actor: alice,
    });
    expect([counts(report)[0], report.pipeline_stats.frames]).toEqual([1, 3]);
    expect(await live.change(hash, token, 'balanceOf(address) view returns (uint256)', [bob])).toBe(
      70n * tenth,
    );
  });

  it('take ether once, though each DELEGATECALL repeats it', async () => {
    const bank = await live.chain.deploy(live.c.own.DevProxy!, [
      await live.chain.deploy(live.c.own.DevProxy!, [at('piggybank')]),
    ]);
    const report = await live.report(
      await live.chain.send('alice', { to: bank, value: 3n * tenth, data: fn('poke(uint256)', [1n]) }),
    );
    expect(report.movements!.map((m) => [m.from, m.to, m.amount_raw])).toEqual([
      [alice, bank, String(3n * tenth)],
    ]);
  });
});

it('an inner call that fails takes no ether with it, though the transaction succeeds', async () => {
  const report = await live.report(
    await live.chain.send('alice', {
      to: MAINNET.multicall3,
      value: 3n * tenth,
      data: fn('aggregate3Value((address,bool,uint256,bytes)[])', [
        [
          [at('reverter'), true, 2n * tenth, fn('withString()')],
          [bob, false, tenth, '0x'],
        ],
      ]),
    }),
  );
  expect(report.movements!.map((m) => [m.from, m.to, m.amount_raw])).toEqual([
    [alice, MAINNET.multicall3, String(3n * tenth)],
    [MAINNET.multicall3, bob, String(tenth)],
  ]);
  expect([nets(report, at('reverter')), nets(report, MAINNET.multicall3)]).toEqual([
    [],
    [`ETH ${2n * tenth}`],
  ]);
});

describe('movements of nothing are counted aside', () => {
  it('a token sent to oneself', async () => {
    const report = await live.report(
      await live.chain.send('alice', { to: at('USDC'), data: transfer(alice, unit('USDC', '5')) }),
    );
    expect([counts(report), report.inventory_deltas, report.movements]).toEqual([[0, 1], [], []]);
    expect(report.classification).toMatchObject({
      intent_kind: 'TokenTransfer',
      intent_label: 'Send tokens to oneself: transfer() on USDC',
    });
  });

  it('ether sent to oneself', async () => {
    const report = await live.report(
      await live.chain.send('alice', { to: alice, value: tenth, gas: 21_000n }),
    );
    expect([report.classification.intent_kind, counts(report), report.inventory_deltas]).toEqual([
      'SelfTransaction',
      [0, 1],
      [],
    ]);
  });

  it('none of a token sent to another', async () => {
    const report = await live.report(
      await live.chain.send('alice', { to: at('USDC'), data: transfer(bob, 0n) }),
    );
    expect([counts(report), report.inventory_deltas]).toEqual([[0, 1], []]);
    expect(kinds(report)).not.toContain('TokenTransfer');
  });

  it('poisoning with nothing, on a genuine token: spam, whose sender is the actor and not its victims', async () => {
    const report = await live.report(
      await live.chain.send('spammer', {
        to: at('poisoner'),
        data: fn('poison(address,address[],address[])', [
          at('USDC'),
          [alice, bob],
          ['lookalike of bob', 'lookalike of carol'].map(addressOf),
        ]),
      }),
    );
    expect(report.classification).toMatchObject({
      intent_kind: 'SpamTransfer',
      status: 'Proven',
      actor: addressOf('spammer'),
    });
    expect([counts(report), report.inventory_deltas]).toEqual([[0, 2], []]);
  });

  it('transfers that a token only claims: no victim lost anything', async () => {
    const report = await live.report(
      await live.chain.send('spammer', {
        to: at('FAKE'),
        data: fn('forge(address[],address[],uint256[])', [
          [alice, bob],
          ['lookalike of bob', 'lookalike of carol'].map(addressOf),
          [250_000_000n, 100_000_000n],
        ]),
      }),
    );
    expect(report.classification).toMatchObject({
      intent_kind: 'SpamTransfer',
      status: 'Proven',
      actor: addressOf('spammer'),
    });
    expect([counts(report), report.inventory_deltas]).toEqual([[0, 2], []]);
  });
});

describe('odd tokens are marked', () => {
  it('one that keeps a part of what is sent', async () => {
    const hash = await live.chain.send('alice', { to: at('TOLL'), data: transfer(bob, unit('TOLL', '100')) });
    const report = await live.report(hash);
    expect([alice, bob, addressOf('house')].map((who) => nets(report, who))).toEqual([
      [`TOLL -${unit('TOLL', '100')} (fee_on_transfer)`],
      [`TOLL ${unit('TOLL', '99')} (fee_on_transfer)`],
      [`TOLL ${unit('TOLL', '1')} (fee_on_transfer)`],
    ]);
    expect(await live.change(hash, at('TOLL'), 'balanceOf(address) view returns (uint256)', [bob])).toBe(
      unit('TOLL', '99'),
    );
  });

  it('one whose balances grow by themselves', async () => {
    await live.chain.must('judy', { to: at('rbETH'), value: unit('ETH', '3'), data: fn('submit()') });
    const report = await live.report(
      await live.chain.send('judy', { to: at('rbETH'), data: transfer(addressOf('dave'), 10n * tenth) }),
    );
    expect([addressOf('judy'), addressOf('dave')].map((who) => nets(report, who))).toEqual([
      [`rbETH -${10n * tenth} (rebasing)`],
      [`rbETH ${10n * tenth} (rebasing)`],
    ]);
  });
});

describe('wrapped ether', () => {
  const loudly = async (): Promise<void> => {
    const loud = await live.chain.deploy(tricks().LoudWeth, [true]);
    await live.chain.rpc('anvil_setCode', [MAINNET.weth, await live.chain.code(loud)]);
  };
  const wraps = async () => {
    const wrapped = await live.report(
      await live.chain.send('bob', { to: MAINNET.weth, value: unit('ETH', '2'), data: fn('deposit()') }),
    );
    const unwrapped = await live.report(
      await live.chain.send('bob', { to: MAINNET.weth, data: fn('withdraw(uint256)', [unit('ETH', '1')]) }),
    );
    return [wrapped, unwrapped].map((report) => [
      report.classification.intent_kind,
      report.classification.status,
      counts(report)[0],
      nets(report, bob).map((net) => net.split(' (')[0]),
    ]);
  };
  const swap = async () => {
    const report = await live.report(
      await live.chain.send('carol', {
        to: MAINNET.v2Router,
        value: unit('ETH', '1'),
        data: fn('swapExactETHForTokens(uint256,address[],address,uint256)', [
          0n,
          [at('WETH'), at('USDC')],
          addressOf('carol'),
          FAR_FUTURE,
        ]),
      }),
    );
    return [
      report.classification.intent_kind,
      report.classification.status,
      report.pipeline_stats.economic_movements,
      nets(report, at('v2Router')),
    ];
  };

  it('is counted once, whether or not its contract also logs a Transfer', async () => {
    const expected = [
      ['WrapNative', 'Proven', 2, [`ETH -${unit('ETH', '2')}`, `WETH ${unit('ETH', '2')}`]],
      ['UnwrapNative', 'Proven', 2, [`ETH ${unit('ETH', '1')}`, `WETH -${unit('ETH', '1')}`]],
    ];
    const quiet = [await wraps(), await swap()];
    await loudly();
    expect([await wraps(), await swap()]).toEqual(quiet);
    expect(quiet).toEqual([expected, ['DirectSwap', 'Proven', 5, []]]);
  });

  it('of a contract nobody listed invents no second token', async () => {
    const unlisted = await live.chain.deploy(tricks().LoudWeth, [true]);
    const hash = await live.chain.send('bob', {
      to: unlisted,
      value: unit('ETH', '2'),
      data: fn('deposit()'),
    });
    const report = await live.report(hash);
    expect(nets(report, bob).map((net) => net.split(' (')[0])).toEqual([
      `ETH -${unit('ETH', '2')}`,
      `WETH ${unit('ETH', '2')}`,
    ]);
    expect(await live.change(hash, unlisted, 'balanceOf(address) view returns (uint256)', [bob])).toBe(
      unit('ETH', '2'),
    );
    expect(report.classification.confidence).not.toBe('High');
  });
});
