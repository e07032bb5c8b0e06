import type { Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn } from '../devnet/chain.ts';
import { FAR_FUTURE } from '../devnet/deploy/uniswap.ts';
import type { TxReport } from '../../src/model/generated/report.ts';
import { toUnits } from '../devnet/scenario.ts';
import { Dollars, minimum, pairPays, units } from './byHand.ts';
import { changeOf, figures, idOf, ordinary, startStage, valuedDeltas, type Stage } from './stage.ts';

const E18 = 10n ** 18n;
const DOLLAR = 10n ** 6n;
const ETH = idOf(null);
const WETH = idOf(MAINNET.weth);
const USDC = idOf(MAINNET.usdc);
const DAI = idOf(MAINNET.dai);

let stage: Stage;
let eth: Dollars;
let usdc: Dollars;
let dai: Dollars;

beforeAll(async () => {
  stage = await startStage();
  eth = await stage.setFeed('feedEth', '3391.07');
  usdc = await stage.setFeed('feedUsdc', '0.99987');
  dai = await stage.setFeed('feedDai', '1.00021');
});
afterAll(() => stage?.stop());

/** Reserves of the pair of USDC (token0) and WETH (token1). */
const reserves = async (): Promise<readonly [usdc: bigint, weth: bigint]> => {
  const [a, b] = await stage.devnet.chain.read<[bigint, bigint, number]>(
    stage.c.at('v2PairUSDC'),
    'getReserves() view returns (uint112,uint112,uint32)',
  );
  return [a, b];
};
const sellEth = (value: bigint): Promise<Hex> =>
  stage.c.send('alice', {
    to: MAINNET.v2Router,
    value,
    data: fn('swapExactETHForTokens(uint256,address[],address,uint256)', [
      0n,
      [MAINNET.weth, MAINNET.usdc],
      addressOf('alice'),
      FAR_FUTURE,
    ]),
  });
const prices = () =>
  new Map<string, readonly [Dollars, number]>([
    [ETH, [eth, 18]],
    [WETH, [eth, 18]],
    [USDC, [usdc, 6]],
    [DAI, [dai, 18]],
  ]);

/** What the positions gained and lost, in the report's money. */
const underlyings = (report: TxReport): string[] =>
  report.position_effects.flatMap(({ underlying }) => underlying.map(({ usd }) => usd.text)).sort();

/** A figure that anybody can check: what came in less what went out, to the cent, with the fee apart. */
describe('everyday transactions, by hand', () => {
  it('says that feeds were left out, so that no refusal is held against them', async () => {
    const hash = await sellEth(E18);
    const { valuation } = (await stage.ask(hash, { priceSources: ['vault', 'wrapper', 'lp'] })).economics;
    expect(valuation.sources_left_out).toEqual(['chainlink']);
    expect(valuation.unpriced_assets.sort()).toEqual([ETH, WETH, USDC].sort());
    expect((await stage.ask(hash)).economics.valuation.sources_left_out).toBeUndefined();
  });

  it('1. a swap', async () => {
    const [reserveUsdc, reserveWeth] = await reserves();
    const hash = await sellEth(2n * E18);
    const out = pairPays(2n * E18, reserveWeth, reserveUsdc);
    const report = await stage.ask(hash);
    expect(report.classification.intent_kind).toBe('DirectSwap');
    expect(figures(report)).toEqual(
      ordinary({
        gasWei: await stage.gas(hash),
        eth,
        inflow: usdc.for(out, 6),
        outflow: eth.for(2n * E18),
        in: `${units(out, 6)} USDC`,
        out: '2 ETH',
        assets: [3, 3],
        prices: { [USDC]: '0.99987', [WETH]: '3391.07', [ETH]: '3391.07' },
      }),
    );
    const { reported, byHand } = valuedDeltas(report, await stage.measure(hash), prices());
    expect(reported).toEqual(byHand);
    expect(byHand.length).toBeGreaterThanOrEqual(4);
  });

  it('2. a loss: a sale so large that the pool pays far less than the market', async () => {
    const [reserveUsdc, reserveWeth] = await reserves();
    const hash = await sellEth(400n * E18);
    const out = pairPays(400n * E18, reserveWeth, reserveUsdc);
    const lost = usdc.for(out, 6).minus(eth.for(400n * E18));
    const report = await stage.ask(hash);
    expect(figures(report)).toEqual(
      ordinary({
        gasWei: await stage.gas(hash),
        eth,
        inflow: usdc.for(out, 6),
        outflow: eth.for(400n * E18),
        in: `${units(out, 6)} USDC`,
        out: '400 ETH',
        assets: [3, 3],
        prices: { [USDC]: '0.99987', [WETH]: '3391.07', [ETH]: '3391.07' },
      }),
    );
    expect(report.economics.net_usd_before_gas.text).toBe(lost.text);
    expect(lost.text).toMatch(/^\$-2\d{5}\.\d\d$/);
    // Back again, so that the pool stands where the others stand.
    await stage.c.approve('alice', 'USDC', 'v2Router');
    await stage.c.prepare('alice', {
      to: MAINNET.v2Router,
      data: fn('swapTokensForExactETH(uint256,uint256,address[],address,uint256)', [
        401n * E18,
        10n ** 18n,
        [MAINNET.usdc, MAINNET.weth],
        addressOf('alice'),
        FAR_FUTURE,
      ]),
    });
  });

  it('7. gas and nothing else', async () => {
    const hash = await stage.c.send('carol', {
      to: MAINNET.usdc,
      data: fn('approve(address,uint256)', [MAINNET.v2Router, 5n * DOLLAR]),
    });
    const report = await stage.ask(hash);
    expect(figures(report)).toEqual(
      ordinary({
        gasWei: await stage.gas(hash),
        eth,
        inflow: new Dollars(0n),
        outflow: new Dollars(0n),
        in: '',
        out: '',
        assets: [0, 0],
        prices: { [ETH]: '3391.07' },
      }),
    );
    expect(report.economics.net_usd_after_gas.text).toBe(eth.for(-(await stage.gas(hash))).text);
  });

  it('5. liquidity added to a pair', async () => {
    const { c, devnet } = stage;
    const pair = c.at('v2PairUSDC');
    await c.approve('bob', 'USDC', 'v2Router');
    const [reserveUsdc, reserveWeth] = await reserves();
    const supply = await devnet.chain.read<bigint>(pair, 'totalSupply() view returns (uint256)');
    const hash = await c.send('bob', {
      to: MAINNET.v2Router,
      value: 3n * E18,
      data: fn('addLiquidityETH(address,uint256,uint256,uint256,address,uint256)', [
        MAINNET.usdc,
        6_800n * DOLLAR,
        0n,
        0n,
        addressOf('bob'),
        FAR_FUTURE,
      ]),
    });
    // The router takes as much ether as the pool's price wants for the dollars; the pair mints by the lesser side.
    const ether = (6_800n * DOLLAR * reserveWeth) / reserveUsdc;
    const shares = minimum((6_800n * DOLLAR * supply) / reserveUsdc, (ether * supply) / reserveWeth);
    // A share is worth its part of both reserves, as they were before this transaction.
    const share = usdc.for(reserveUsdc, 6).plus(eth.for(reserveWeth)).times(E18, supply);
    const report = await stage.ask(hash);
    const lp = idOf(pair);
    const { prices: reported, ...rest } = figures(report);
    const { prices: _, ...expected } = ordinary({
      gasWei: await stage.gas(hash),
      eth,
      inflow: share.for(shares).plus(eth.for(3n * E18 - ether)),
      outflow: usdc.for(6_800n * DOLLAR, 6).plus(eth.for(3n * E18)),
      in: `${units(shares, 18)} UNI-V2`,
      out: `6800 USDC, ${units(ether, 18)} ETH`,
      assets: [4, 4],
      prices: {},
    });
    expect(rest).toEqual(expected);
    // The price is a quotient: thirty digits of it are kept, and everything is computed from those.
    const kept = Dollars.of(reported[lp]!);
    const apart = kept.minus(share);
    expect(apart.n < 0n ? -apart.n : apart.n).toBeLessThanOrEqual((apart.d * share.n) / share.d / 10n ** 29n);
    expect(reported[lp]!.replace('.', '').length).toBeGreaterThanOrEqual(28);
    expect(underlyings(report)).toEqual([usdc.for(-6_800n * DOLLAR, 6).text, eth.for(-ether).text].sort());
    const { reported: said, byHand } = valuedDeltas(
      report,
      await stage.measure(hash),
      new Map([...prices(), [lp, [share, 18]]]),
    );
    expect(said).toEqual(byHand);
    expect(report.economics.valuation.prices!.find((p) => p.asset_id === lp)).toMatchObject({
      method: 'lp_share',
      source: pair,
      stale: false,
    });
  });

  it('6. shares of a vault that the rules do not know have no price by its own word', async () => {
    const { c } = stage;
    const vault = c.at('vDAI');
    for (const who of ['heidi', 'ivan'] as const) await c.approve(who, 'DAI', 'vDAI');
    await c.prepare('heidi', {
      to: vault,
      data: fn('deposit(uint256,address)', [4_000n * E18, addressOf('heidi')]),
    });
    await c.prepare('heidi', { to: MAINNET.dai, data: fn('transfer(address,uint256)', [vault, 500n * E18]) });
    const assets = 4_500n * E18;
    const supply = 4_000n * E18;
    const hash = await c.send('ivan', {
      to: vault,
      data: fn('deposit(uint256,address)', [1_234n * E18, addressOf('ivan')]),
    });
    // OpenZeppelin's ERC-4626 adds one virtual share and one virtual asset.
    const shares = (1_234n * E18 * (supply + 1n)) / (assets + 1n);
    const report = await stage.ask(hash);
    expect(report.classification.intent_kind).toBe('VaultDeposit');
    const { economics } = report;
    expect([economics.token_in, economics.token_out]).toEqual([`${units(shares, 18)} vDAI`, '1234 DAI']);
    expect(economics.valuation.refusals).toMatchObject([{ asset_id: idOf(vault), code: 'own_word' }]);
    expect(economics.inflow_usd.available).toBe(false);
    expect(economics.net_usd_before_gas.available).toBe(false);
    expect(underlyings(report)).toEqual([dai.for(-1_234n * E18).text]);
    expect(changeOf(await stage.measure(hash), addressOf('ivan'), vault)).toBe(shares);
  });

  it('8. a token that nothing prices: no figure rests on it, the others stand', async () => {
    const { c } = stage;
    await c.approve('bob', 'ACORN', 'disperse');
    const acorn = idOf(c.at('ACORN'));
    const sent = await c.send('bob', {
      to: c.at('ACORN'),
      data: fn('transfer(address,uint256)', [addressOf('carol'), 250n * E18]),
    });
    const report = await stage.ask(sent);
    expect(figures(report)).toEqual(
      ordinary({
        gasWei: await stage.gas(sent),
        eth,
        inflow: new Dollars(0n),
        outflow: null,
        in: '',
        out: '250 ACORN',
        assets: [0, 1],
        prices: { [ETH]: '3391.07' },
        unpriced: [acorn],
        refused: [`${acorn} no_source`],
        warnings: ['PartialValuation'],
      }),
    );
    // A swap into such a token: what went out is known, what came in is not, so neither is the net.
    const toll = idOf(c.at('TOLL'));
    const bought = await c.send('carol', {
      to: MAINNET.v2Router,
      value: E18,
      data: fn('swapExactETHForTokensSupportingFeeOnTransferTokens(uint256,address[],address,uint256)', [
        0n,
        [MAINNET.weth, c.at('TOLL')],
        addressOf('carol'),
        FAR_FUTURE,
      ]),
    });
    const swap = await stage.ask(bought);
    const received = changeOf(await stage.measure(bought), addressOf('carol'), c.at('TOLL'));
    expect(figures(swap)).toEqual(
      ordinary({
        gasWei: await stage.gas(bought),
        eth,
        inflow: '— unpriced_asset',
        outflow: null,
        in: `${units(received, 18)} TOLL`,
        out: '1 ETH',
        assets: [2, 3],
        prices: { [WETH]: '3391.07', [ETH]: '3391.07' },
        unpriced: [toll],
        refused: [`${toll} no_source`],
        warnings: ['PartialValuation'],
      }),
    );
    const { reported, byHand } = valuedDeltas(swap, await stage.measure(bought), prices());
    expect(reported).toEqual(byHand);
    expect(byHand.filter((line) => line.endsWith('—')).length).toBeGreaterThan(1);
  });
});

describe('9. a feed that no longer speaks', () => {
  it('is used with a warning for a day beyond its heartbeat, and then refused', async () => {
    const { c } = stage;
    const send = (): Promise<Hex> => c.send('dave', { to: addressOf('erin'), value: E18 });
    // Ether is promised every hour: after an hour and a half it is old.
    await stage.pass(5_400);
    const old = await send();
    const late = await stage.ask(old);
    expect(figures(late)).toEqual(
      ordinary({
        gasWei: await stage.gas(old),
        eth,
        inflow: new Dollars(0n),
        outflow: eth.for(E18),
        in: '',
        out: '1 ETH',
        assets: [1, 1],
        prices: { [ETH]: '3391.07' },
        warning: true,
        warnings: ['StalePrice'],
      }),
    );
    expect(late.economics.valuation.prices![0]!.stale).toBe(true);
    expect(late.economics.valuation.prices![0]!.age_s).toBeGreaterThan(5_400);

    await stage.pass(86_400);
    const gone = await send();
    const report = await stage.ask(gone);
    expect(figures(report)).toEqual({
      ...ordinary({
        gasWei: await stage.gas(gone),
        eth,
        inflow: new Dollars(0n),
        outflow: null,
        in: '',
        out: '1 ETH',
        assets: [0, 1],
        prices: {},
      }),
      gas: [units(await stage.gas(gone), 18), '— unpriced_asset'],
      fee: '— unpriced_asset',
      unpriced: [ETH],
      refused: [`${ETH} stale_price`],
      warnings: ['PartialValuation'],
    });
    const [refusal] = report.economics.valuation.refusals!;
    expect(refusal).toMatchObject({ threshold: '90000 s', code: 'stale_price' });
    expect(Number.parseInt(refusal!.observed!, 10)).toBeGreaterThan(90_000);
    expect(report.economics.valuation.snapshot_id).toBeNull();
  });
});

describe('a feed that answers in the very block', () => {
  /** A new answer of the ether feed, then a payment, in one block. */
  async function payAt(price: string): Promise<Hex> {
    const { rpc } = stage.devnet;
    const send = (from: string, transaction: object): Promise<Hex> =>
      rpc('eth_sendTransaction', [{ from, gas: '0x493e0', ...transaction }]) as Promise<Hex>;
    await rpc('evm_setAutomine', [false]);
    await send(addressOf('deployer'), {
      to: MAINNET.feedEth,
      data: fn('setAnswer(int256)', [toUnits(price, 8)]),
    });
    const paid = await send(addressOf('dave'), { to: addressOf('erin'), value: '0xde0b6b3a7640000' });
    await rpc('evm_mine', []);
    await rpc('evm_setAutomine', [true]);
    return paid;
  }

  it('is used where it moved little, and refused where it moved by more than 5 %', async () => {
    await stage.setFeed('feedEth', '3391.07');
    const little = await stage.ask(await payAt('3550'));
    expect(little.economics.net_usd_before_gas.text).toBe('$-3550.00');
    expect(little.economics.valuation.prices).toMatchObject([{ price_exact: '3550', age_s: 0 }]);

    const much = await stage.ask(await payAt('3910.5'));
    expect(much.economics.net_usd_before_gas.available).toBe(false);
    expect(much.economics.valuation.refusals).toMatchObject([
      {
        asset_id: ETH,
        code: 'self_referential',
        reason: 'the chainlink price moved within the block',
        observed: '3550 to 3910.5',
        threshold: '500 bps',
      },
    ]);
  });
});
