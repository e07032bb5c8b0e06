// Trades that are easily taken for something else, and events that claim trades.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address, Hex } from 'viem';
import { addressOf, type Person } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn } from '../devnet/chain.ts';
import { FAR_FUTURE } from '../devnet/deploy/uniswap.ts';
import { amountOut } from '../devnet/scenarios/mev.ts';
import { startLive, type Live } from '../positions/live.ts';
import { counts, kinds, nets } from './gist.ts';
import { tricks } from './tricks.ts';

let live: Live;
beforeAll(async () => {
  live = await startLive();
});
afterAll(() => live?.stop());

type Call = [to: Address, value: bigint, data: Hex];
const CALLS = '(address,uint256,bytes)[]';
const at = (name: string): Address => live.c.at(name);
const unit = (asset: string, amount: string): bigint => live.c.units(asset, amount);
const approve = (spender: Address, amount: bigint): Hex => fn('approve(address,uint256)', [spender, amount]);
const pairSwap = (usdc: bigint, weth: bigint, to: Address): Hex =>
  fn('swap(uint256,uint256,address,bytes)', [usdc, weth, to, '0x']);
async function aggregate(who: Person, from: string, amount: bigint, to: string, calls: Call[]): Promise<Hex> {
  await live.c.approve(who, from, 'aggregator');
  return live.chain.send(who, {
    to: at('aggregator'),
    data: fn(`swap(address,uint256,address,uint256,${CALLS})`, [at(from), amount, at(to), 0n, calls]),
  });
}

describe('a route of an aggregator', () => {
  it('that gains on a loop on its way is still a swap of its customer, and no arbitrage', async () => {
    const amount = unit('USDC', '1000');
    const weth = await amountOut(live.c, 'v2PairUSDC', amount, false);
    const usdc = await amountOut(live.c, 'sushiPairUSDC', weth, true);
    const calls: Call[] = [
      [at('USDC'), 0n, fn('transfer(address,uint256)', [at('v2PairUSDC'), amount])],
      [at('v2PairUSDC'), 0n, pairSwap(0n, weth, at('sushiPairUSDC'))],
      [at('sushiPairUSDC'), 0n, pairSwap(usdc, 0n, at('aggregator'))],
      [at('USDC'), 0n, approve(at('oddPool'), usdc)],
      [at('oddPool'), 0n, fn('zwap(bool,uint256,uint256)', [true, usdc, 0n])],
    ];
    expect(usdc).toBeGreaterThan(amount);
    const hash = await aggregate('grace', 'USDC', amount, 'DAI', calls);
    const report = await live.report(hash);
    // The last venue is known by what it did alone: enough for a swap, not for proof.
    expect(report.classification).toMatchObject({
      intent_kind: 'AggregatedSwap',
      status: 'Suspected',
      actor: addressOf('grace'),
    });
    expect(kinds(report)).not.toContain('AtomicArbitrage');
    expect(report.economics.realized_pnl.supported).toBe(false);
    const dai = await live.change(hash, at('DAI'), 'balanceOf(address) view returns (uint256)', [
      addressOf('grace'),
    ]);
    expect(nets(report, addressOf('grace'))).toEqual([`DAI ${dai}`, `USDC -${amount}`]);
    expect(report.pipeline_stats.scopes).toBe(1);
  });

  it('back to where it began, at a loss, is one affair of its customer', async () => {
    const amount = unit('USDC', '2000');
    const weth = await amountOut(live.c, 'v2PairUSDC', amount, false);
    const back = (value: bigint, path: string[]): Hex =>
      fn('swapExactTokensForTokens(uint256,uint256,address[],address,uint256)', [
        value,
        0n,
        path.map(at),
        at('aggregator'),
        FAR_FUTURE,
      ]);
    const hash = await aggregate('heidi', 'USDC', amount, 'USDC', [
      [at('USDC'), 0n, approve(MAINNET.v2Router, amount)],
      [MAINNET.v2Router, 0n, back(amount, ['USDC', 'WETH'])],
      [at('WETH'), 0n, approve(MAINNET.v2Router, weth)],
      [MAINNET.v2Router, 0n, back(weth, ['WETH', 'USDC'])],
    ]);
    const report = await live.report(hash);
    const lost = await live.change(hash, at('USDC'), 'balanceOf(address) view returns (uint256)', [
      addressOf('heidi'),
    ]);
    expect(lost).toBeLessThan(0n);
    expect(kinds(report)).not.toContain('AtomicArbitrage');
    expect(nets(report, addressOf('heidi'))).toEqual([`USDC ${lost}`]);
    expect(report.pipeline_stats.scopes).toBe(1);
  });

  it('that hands back what it did not need is a swap of the rest', async () => {
    const [pulled, used] = [unit('USDC', '1000'), unit('USDC', '600')];
    const received = await amountOut(live.c, 'v2PairUSDC', used, false);
    const report = await live.report(
      await aggregate('ivan', 'USDC', pulled, 'WETH', [
        [at('USDC'), 0n, approve(MAINNET.v2Router, used)],
        [
          MAINNET.v2Router,
          0n,
          fn('swapExactTokensForTokens(uint256,uint256,address[],address,uint256)', [
            used,
            0n,
            [at('USDC'), at('WETH')],
            at('aggregator'),
            FAR_FUTURE,
          ]),
        ],
      ]),
    );
    expect(report.classification).toMatchObject({
      intent_kind: 'DirectSwap',
      status: 'Proven',
      confidence: 'High',
      intent_label: expect.stringMatching(/^Swap 600 USDC for 0\.\d+ WETH on Uniswap V2$/),
    });
    expect(kinds(report)).toEqual(['DirectSwap', 'DirectSwap', 'Refund']);
    expect(nets(report, addressOf('ivan'))).toEqual([`USDC -${used}`, `WETH ${received}`]);
    const gross = report.inventory_deltas.find(
      (d) => d.subject === addressOf('ivan') && d.asset.symbol === 'USDC',
    )!;
    expect([gross.outflow_raw, gross.inflow_raw]).toEqual([pulled.toString(), (pulled - used).toString()]);
  });
});

it('change of an exact-out trade is no income: what was sent less what came back was sold', async () => {
  const put = unit('ETH', '1');
  const hash = await live.chain.send('dave', {
    to: MAINNET.v3Router02,
    value: put,
    data: fn('multicall(bytes[])', [
      [
        fn('exactOutputSingle((address,address,uint24,address,uint256,uint256,uint160))', [
          [at('WETH'), at('USDC'), 500, addressOf('dave'), unit('USDC', '700'), put, 0n],
        ]),
        fn('refundETH()'),
      ],
    ]),
  });
  const report = await live.report(hash);
  const sold = await live.change(hash, at('WETH'), 'balanceOf(address) view returns (uint256)', [
    at('v3UsdcWeth'),
  ]);
  expect(report.classification).toMatchObject({
    intent_kind: 'DirectSwap',
    status: 'Proven',
    confidence: 'High',
  });
  expect(kinds(report)).toEqual(['DirectSwap', 'WrapNative', 'DirectSwap', 'Refund']);
  expect(nets(report, addressOf('dave'))).toEqual([`ETH -${sold}`, `USDC ${unit('USDC', '700')}`]);
});

it('Swap events of a contract in which nothing moved are no trade', async () => {
  const boaster = await live.chain.deploy(tricks().Boaster);
  const report = await live.report(
    await live.chain.send('erin', {
      to: boaster,
      data: fn('boast(address,uint256,uint256)', [addressOf('erin'), 10n ** 18n, 5n * 10n ** 9n]),
    }),
  );
  expect(report.classification).toMatchObject({ intent_kind: 'ContractCall', status: 'Suspected' });
  expect([report.motifs, report.movements, report.inventory_deltas, counts(report)]).toEqual([
    [],
    [],
    [],
    [0, 2],
  ]);
  // Nor do they turn a payment into one.
  const paid = await live.report(
    await live.chain.send('erin', {
      to: boaster,
      value: unit('ETH', '0.1'),
      data: fn('boast(address,uint256,uint256)', [addressOf('erin'), 10n ** 17n, 5n * 10n ** 8n]),
    }),
  );
  expect(kinds(paid).filter((kind) => /Swap|Arbitrage/.test(kind))).toEqual([]);
  expect(nets(paid, addressOf('erin'))).toEqual([`ETH -${unit('ETH', '0.1')}`]);
});
