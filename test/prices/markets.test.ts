import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { encodeFunctionData, type Address, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn } from '../devnet/chain.ts';
import { mintV3, sqrtPriceX96 } from '../devnet/deploy/uniswap.ts';
import { Dollars, units } from './byHand.ts';
import { figures, idOf, oracleContracts, ordinary, startStage, type Stage } from './stage.ts';

const E18 = 10n ** 18n;
const ETH = idOf(null);
const WETH = idOf(MAINNET.weth);
const TWAP = { priceSources: ['chainlink', 'vault', 'wrapper', 'lp', 'twap'] as const };

let stage: Stage;
let eth: Dollars;
/** A token nobody has a feed for, in a deep pool against WETH: 400 for one ether. */
let truffle: Address;
let pool: Address;
/** Another, in a pool of a few dollars. */
let acorn: Address;

beforeAll(async () => {
  stage = await startStage();
  const { c, devnet } = stage;
  [truffle, acorn] = [c.at('TRUFFLE'), c.at('ACORN')];
  for (const token of [truffle, acorn])
    await c.prepare('maker', {
      to: token,
      data: fn('approve(address,uint256)', [MAINNET.v3Positions, 2n ** 256n - 1n]),
    });
  const open = async (token: Address, ether: bigint): Promise<Address> => {
    const [token0, token1] = [token, MAINNET.weth].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)) as [
      Address,
      Address,
    ];
    const amounts = (token0 === token ? [400n * ether, ether] : [ether, 400n * ether]) as [bigint, bigint];
    await c.prepare('maker', {
      to: MAINNET.v3Positions,
      gas: 8_000_000n,
      data: fn('createAndInitializePoolIfNecessary(address,address,uint24,uint160)', [
        token0,
        token1,
        3000,
        sqrtPriceX96(...amounts),
      ]),
    });
    await c.prepare('maker', {
      to: MAINNET.v3Positions,
      gas: 2_000_000n,
      data: mintV3([token0, token1], 3000, [-887_220, 887_220], amounts, addressOf('maker')),
    });
    const made = await devnet.chain.read<Address>(
      MAINNET.v3Factory,
      'getPool(address,address,uint24) view returns (address)',
      [token0, token1, 3000],
    );
    await c.prepare('maker', {
      to: made,
      gas: 2_000_000n,
      data: fn('increaseObservationCardinalityNext(uint16)', [20]),
    });
    return made;
  };
  pool = await open(truffle, 500n * E18);
  await open(acorn, E18 / 100n);
  await stage.pass(2_400);
  eth = await stage.setFeed('feedEth', '3391.07');
  for (const feed of ['feedUsdc', 'feedDai'] as const) await stage.setFeed(feed, '1');
});
afterAll(() => stage?.stop());

const transfer = (token: Address, amount: bigint): Promise<Hex> =>
  stage.c.send('maker', { to: token, data: fn('transfer(address,uint256)', [addressOf('erin'), amount]) });

/** 1.0001^tick by plain multiplication of fractions. */
function atTick(tick: number): Dollars {
  const power = (base: bigint, exponent: number): bigint => base ** BigInt(exponent);
  return tick >= 0
    ? new Dollars(power(10_001n, tick), power(10_000n, tick))
    : new Dollars(power(10_000n, -tick), power(10_001n, -tick));
}

describe('10. markets, honest and moved', () => {
  it('prices a token by the average of its pool, where that is asked for', async () => {
    const hash = await transfer(truffle, 1_000n * E18);
    const [, tick] = await stage.devnet.chain.read<[bigint, number]>(
      pool,
      'slot0() view returns (uint160,int24,uint16,uint16,uint16,uint8,bool)',
    );
    const inWeth =
      BigInt(truffle) < BigInt(MAINNET.weth) ? atTick(tick) : new Dollars(atTick(tick).d, atTick(tick).n);
    const worth = eth.times(1_000n * inWeth.n, inWeth.d);
    expect(worth.text).toMatch(/^\$84\d\d\.\d\d$/);
    const report = await stage.ask(hash, TWAP);
    const gasWei = await stage.gas(hash);
    const { prices, ...rest } = figures(report);
    const { prices: _, ...expected } = ordinary({
      gasWei,
      eth,
      inflow: new Dollars(0n),
      outflow: worth,
      in: '',
      out: '1000 TRUFFLE',
      assets: [1, 1],
      prices: {},
    });
    expect(rest).toEqual(expected);
    expect(Object.keys(prices)).toEqual([idOf(truffle), ETH]);
    expect(report.economics.valuation.prices!.find((p) => p.asset_id === idOf(truffle))).toMatchObject({
      method: 'pool_twap',
      source: pool,
      stale: false,
    });

    // It is off unless configured: then the token has no price.
    const standard = figures(await stage.ask(hash));
    expect([standard.before, standard.refused]).toEqual(['— unpriced_asset', [`${idOf(truffle)} no_source`]]);
  });

  it('never prices a token by the pool that this very transaction moved', async () => {
    const { c } = stage;
    const hash = await c.send('dave', {
      to: MAINNET.v3Router02,
      value: 100n * E18,
      data: fn('exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))', [
        [MAINNET.weth, truffle, 3000, addressOf('dave'), 100n * E18, 0n, 0n],
      ]),
    });
    const report = await stage.ask(hash, TWAP);
    const gasWei = await stage.gas(hash);
    const received = report.inventory_deltas.find(
      (d) => d.subject === addressOf('dave') && d.asset.symbol === 'TRUFFLE',
    )!;
    expect(figures(report)).toEqual(
      ordinary({
        gasWei,
        eth,
        inflow: '— unpriced_asset',
        outflow: null,
        in: `${units(BigInt(received.delta_raw), 18)} TRUFFLE`,
        out: '100 ETH',
        assets: [2, 3],
        prices: { [WETH]: '3391.07', [ETH]: '3391.07' },
        unpriced: [idOf(truffle)],
        refused: [`${idOf(truffle)} self_referential`],
        warnings: ['PartialValuation'],
      }),
    );
    expect(report.economics.valuation.refusals![0]).toMatchObject({
      observed: pool,
      reason: expect.stringContaining('this transaction moved') as string,
    });
    expect(received.usd).toMatchObject({ available: false, text: '—' });
  });

  it('refuses a market in which there is next to nothing', async () => {
    const report = await stage.ask(await transfer(acorn, 5n * E18), TWAP);
    const [refusal] = report.economics.valuation.refusals!;
    // A hundredth of an ether on the ether's side; the average hardly differs from the price it was opened at.
    expect(refusal).toMatchObject({ code: 'low_liquidity', threshold: '$50000.00' });
    expect(refusal!.observed).toMatch(/^\$33\.\d\d$/);
    expect(report.economics.net_usd_before_gas.available).toBe(false);
  });

  it('refuses a share of a pair whose price the same transaction pushed', async () => {
    const { c, devnet } = stage;
    const pusher = await devnet.chain.deploy(oracleContracts()['Pusher']!);
    const pair = c.at('v2PairUSDC');
    await c.prepare('frank', { to: MAINNET.weth, value: 450n * E18, data: fn('deposit()') });
    for (const token of [MAINNET.weth, MAINNET.usdc])
      await c.prepare('frank', {
        to: token,
        data: fn('approve(address,uint256)', [pusher, 2n ** 256n - 1n]),
      });
    const hash = await c.send('frank', {
      to: pusher,
      data: encodeFunctionData({
        abi: oracleContracts()['Pusher']!.abi,
        functionName: 'push',
        args: [pair, MAINNET.weth, MAINNET.usdc, 400n * E18, 10n * E18, 20_000n * 10n ** 6n],
      }),
    });
    const report = await stage.ask(hash);
    const refusal = report.economics.valuation.refusals!.find((r) => r.asset_id === idOf(pair));
    expect(refusal).toMatchObject({ code: 'self_referential', threshold: '500 bps' });
    // Per share: what stood on either side after the push, at prices from elsewhere.
    const [usdcAfter, wethAfter] = await devnet.chain.read<[bigint, bigint]>(
      pair,
      'getReserves() view returns (uint112,uint112,uint32)',
    );
    const supply = await devnet.chain.read<bigint>(pair, 'totalSupply() view returns (uint256)');
    expect(refusal!.observed).toBe(
      `${Dollars.of('1').for(usdcAfter, 6).times(E18, supply).text} beside ${eth.for(wethAfter).times(E18, supply).text}`,
    );
    expect(report.economics.inflow_usd).toMatchObject({
      available: false,
      reason: expect.stringContaining(`${idOf(pair)} (self_referential)`) as string,
    });
  });

  it('does not take the word of a vault for its own worth', async () => {
    const { c, devnet } = stage;
    const { abi } = oracleContracts()['BoastfulVault']!;
    const vault = await devnet.chain.deploy(oracleContracts()['BoastfulVault']!, [MAINNET.dai]);
    const gift = await c.send('spammer', {
      to: vault,
      data: encodeFunctionData({ abi, functionName: 'mint', args: [addressOf('erin'), 7n * E18] }),
    });
    const given = await stage.ask(gift);
    expect(given.economics.valuation.refusals!.filter((r) => r.asset_id === idOf(vault))).toMatchObject([
      { code: 'own_word' },
    ]);
    expect(given.economics.valuation.unpriced_assets).toEqual([idOf(vault)]);

    await c.prepare('erin', {
      to: MAINNET.dai,
      data: fn('approve(address,uint256)', [vault, 2n ** 256n - 1n]),
    });
    const bought = await stage.ask(
      await c.send('erin', {
        to: vault,
        data: encodeFunctionData({ abi, functionName: 'deposit', args: [10n * E18] }),
      }),
    );
    expect(bought.economics.valuation.refusals!.filter((r) => r.asset_id === idOf(vault))).toMatchObject([
      { code: 'own_word' },
    ]);
    expect(bought.economics.inflow_usd.available).toBe(false);
  });
});

describe('other sources', () => {
  it('finds feeds of tokens the rules do not list in the registry, in dollars and in ether', async () => {
    const { devnet } = stage;
    const { abi } = oracleContracts()['Registry']!;
    const address = '0x47Fb2585D2C56Fe188D0E6ec628a38b74fCeeeDf';
    await devnet.chain.placeAt(address, oracleContracts()['Registry']!);
    const set = (quote: Address, answer: bigint, decimals: number) =>
      devnet.chain.as(addressOf('deployer'), {
        to: address,
        data: encodeFunctionData({ abi, functionName: 'set', args: [acorn, quote, answer, decimals] }),
      });
    await set('0x0000000000000000000000000000000000000348', 12_345_678n, 8);
    const inDollars = await transfer(acorn, 300n * E18);
    expect(figures(await stage.ask(inDollars))).toEqual(
      ordinary({
        gasWei: await stage.gas(inDollars),
        eth,
        inflow: new Dollars(0n),
        outflow: Dollars.of('0.12345678').for(300n * E18),
        in: '',
        out: '300 ACORN',
        assets: [1, 1],
        prices: { [idOf(acorn)]: '0.12345678', [ETH]: '3391.07' },
      }),
    );
    // A feed in ether beside it, within 5 %: both may stand, and the one in dollars is the newer or first.
    await set('0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', 36n * 10n ** 12n, 18);
    const both = await stage.ask(await transfer(acorn, 1n * E18));
    expect(both.economics.valuation.refusals).toEqual([]);
    // Far from it, neither may.
    await set('0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', 50n * 10n ** 12n, 18);
    const apart = await stage.ask(await transfer(acorn, 1n * E18));
    expect(apart.economics.valuation.refusals).toMatchObject([
      {
        asset_id: idOf(acorn),
        code: 'price_deviation',
        observed: `0.12345678 to ${units(339_107n * 50n * 10n ** 12n, 20)}`,
        threshold: '500 bps',
      },
    ]);
    expect(apart.economics.net_usd_before_gas.available).toBe(false);
  });

  it('prices a wrapper by its rate and its base, though the base did not move', async () => {
    const { c, devnet } = stage;
    const [steth, wsteth] = [
      '0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84',
      '0x7f39C581F595B53c5cb19bD0b3f8dA6c935E2Ca0',
    ] as const;
    const { Token, Wrapper } = oracleContracts();
    await devnet.chain.placeAt(steth, Token!, ['stETH', 18]);
    const rate = 1_188_765_432_109_876_543n;
    await devnet.chain.placeAt(wsteth, Wrapper!, ['wstETH', rate]);
    const feed = '0xCfE54B5cD566aB89272946F602D76Ea879CAb4a8';
    await devnet.chain.placeAt(feed, devnet.contracts['PriceFeed']!, ['STETH / USD']);
    await devnet.chain.as(addressOf('deployer'), {
      to: feed,
      data: fn('setAnswer(int256)', [338_800_000_000n]),
    });
    await c.prepare('maker', {
      to: wsteth,
      data: fn('mint(address,uint256)', [addressOf('maker'), 50n * E18]),
    });
    const hash = await transfer(wsteth, 2n * E18);
    const price = Dollars.of('3388').times(rate, E18);
    expect(figures(await stage.ask(hash))).toEqual(
      ordinary({
        gasWei: await stage.gas(hash),
        eth,
        inflow: new Dollars(0n),
        outflow: price.times(2n),
        in: '',
        out: '2 wstETH',
        assets: [1, 1],
        prices: { [idOf(wsteth)]: units(338_800n * rate, 20), [idOf(steth)]: '3388', [ETH]: '3391.07' },
      }),
    );
  });

  it('asks an HTTP source for the time of the block, never for today, and holds it against the feeds', async () => {
    const asked: string[] = [];
    const dai = `ethereum:${MAINNET.dai.toLowerCase()}`;
    let answer: (timestamp: number) => object = () => ({});
    const server: Server = createServer((request, response) => {
      asked.push(request.url!);
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ coins: { [dai]: answer(Number(/historical\/(\d+)/.exec(request.url!)![1])) } }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const settings = { priceApiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    try {
      const hash = await transfer(MAINNET.dai, 100n * E18);
      const { timestamp } = (await stage.devnet.rpc('eth_getBlockByNumber', ['latest', false])) as {
        timestamp: Hex;
      };
      const refusals = async () => (await stage.ask(hash, settings)).economics.valuation.refusals!;
      answer = (at) => ({ price: 1.002, timestamp: at - 100, confidence: 0.99 });
      expect(await refusals()).toEqual([]);
      answer = (at) => ({ price: 1.09, timestamp: at - 100, confidence: 0.99 });
      expect(await refusals()).toMatchObject([{ code: 'price_deviation', observed: '1 to 1.09' }]);
      // A price from another day says nothing about the block: the feed stands alone.
      answer = (at) => ({ price: 2, timestamp: at + 20 * 86_400, confidence: 0.99 });
      expect(await refusals()).toEqual([]);
      expect(new Set(asked.map((url) => /historical\/(\d+)/.exec(url)![1]))).toEqual(
        new Set([String(Number(timestamp))]),
      );
    } finally {
      server.close();
    }
  });

  it('gives one id to one set of prices', async () => {
    const [first, second] = [await transfer(MAINNET.dai, E18), await transfer(MAINNET.dai, 2n * E18)];
    const id = async (hash: Hex) => (await stage.ask(hash)).economics.valuation.snapshot_id;
    expect(await id(first)).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await id(first)).toBe(await id(first));
    // Another block is another snapshot, whatever the prices.
    expect(await id(first)).not.toBe(await id(second));
  });
});
