import { encodeAbiParameters, getAddress, type Address, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn } from '../devnet/chain.ts';
import { mintV3 } from '../devnet/deploy/uniswap.ts';
import { settle } from '../devnet/scenarios/settlement.ts';
import { handleOps } from '../devnet/scenarios/smartAccounts.ts';
import type { TxReport } from '../../src/model/generated/report.ts';
import { SHIPPED_RULES } from '../../src/rules/read/listFiles.ts';
import { checkPrices } from '../../src/tools/verify/checkPrices.ts';
import { contractReader } from '../../src/tools/verify/fetchRawAnswers.ts';
import { readPriceRules } from '../../src/tools/verify/ruleFacts.ts';
import { usdText } from '../../src/value/money.ts';
import { exactSums } from '../../src/tools/client/seenBy.ts';
import type { TxReport as ClientReport } from '../../src/tools/client/report.ts';
import { Dollars } from './byHand.ts';
import { figures, idOf, contractsOf, startStage, type Stage } from './stage.ts';

const E18 = 10n ** 18n;
const CONTRACTS = contractsOf('Shares.sol');
const ETH = Dollars.of('3391.07');
const USDC = Dollars.of('0.99987');
const DAI = Dollars.of('1.00021');
const BTC = Dollars.of('64123.45');
const USDE = Dollars.of('0.9991');
const BAL = Dollars.of('2.37');
const AAVE = Dollars.of('181.9');

const WBTC: Address = '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599';
const USDE_TOKEN: Address = '0x4c9EDD5852cd905f086C759E8383e09bff1E68B3';
const WSTETH: Address = '0x7f39C581F595B53c5cb19bD0b3f8dA6c935E2Ca0';
const STETH: Address = '0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84';
const BAL_TOKEN: Address = '0xba100000625a3754423978a60c9317c58a424e3D';
const FEEDS: readonly [feed: Address, price: string][] = [
  ['0xF4030086522a5bEEa4988F8cA5B36dbC97BeE88c', '64123.45'],
  ['0xa569d910839Ae8865Da8F8e70FfFb0cBA869F961', '0.9991'],
  ['0xdF2917806E30300537aEB49A7663062F4d1F2b5F', '2.37'],
  ['0xCfE54B5cD566aB89272946F602D76Ea879CAb4a8', '3388'],
  ['0x547a514d5e3769680Ce22B2361c10Ea13619e8a9', '181.9'],
];

let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
  const { chain, contracts } = stage.devnet;
  for (const [feed, price] of FEEDS) {
    await chain.placeAt(feed, contracts['PriceFeed']!, ['feed']);
    await chain.as(addressOf('deployer'), {
      to: feed,
      data: fn('setAnswer(int256)', [Dollars.of(price).times(10n ** 8n).n / Dollars.of(price).d]),
    });
  }
  await stage.setFeed('feedEth', '3391.07');
  await stage.setFeed('feedUsdc', '0.99987');
  await stage.setFeed('feedDai', '1.00021');
  await stage.setFeed('feedUsdt', '1');
  // Bases whose rates are known tell their decimals themselves.
  for (const [address, symbol, decimals] of [
    [WBTC, 'WBTC', 8],
    [USDE_TOKEN, 'USDe', 18],
    [BAL_TOKEN, 'BAL', 18],
    [STETH, 'stETH', 18],
    [WSTETH, 'wstETH', 18],
    ['0x7Fc66500c84A76Ad7e9c93437bFc5Ac33E2DDaE9', 'AAVE', 18],
  ] as const)
    await share(symbol, decimals, address);
});
afterAll(() => stage?.stop());

const words = (...values: (bigint | Address)[]): Hex =>
  encodeAbiParameters(
    values.map(() => ({ type: 'uint256' })),
    values.map(BigInt),
  );

/** Places a token with views, or deploys it; the maker holds all of it. */
async function share(symbol: string, decimals: number, at: Address | null = null): Promise<Address> {
  const { chain } = stage.devnet;
  const contract = CONTRACTS['Share']!;
  const address = at ? await chain.placeAt(getAddress(at), contract) : await chain.deploy(contract);
  await chain.as(addressOf('deployer'), {
    to: address,
    data: fn('init(string,uint8,address)', [symbol, decimals, addressOf('maker')]),
  });
  return address;
}

async function plainContract(at: Address): Promise<Address> {
  return stage.devnet.chain.placeAt(getAddress(at), CONTRACTS['Answers']!);
}

/** Lets a contract answer a call with these words. */
async function tell(at: Address, call: Hex, ...values: (bigint | Address)[]): Promise<void> {
  await stage.devnet.chain.as(addressOf('deployer'), {
    to: at,
    data: fn('answer(bytes,bytes)', [call, words(...values)]),
  });
}

const send = (token: Address, amount: bigint): Promise<Hex> =>
  stage.c.send('maker', { to: token, data: fn('transfer(address,uint256)', [addressOf('erin'), amount]) });

/** Sends some of a token; what it is worth, to the cent, in the net and in both balances. */
async function priced(token: Address, amount: bigint, decimals: number, price: Dollars): Promise<TxReport> {
  const hash = await send(token, amount);
  const report = await stage.ask(hash);
  const worth = price.for(amount, decimals);
  expect(figures(report)).toMatchObject({
    before: new Dollars(0n).minus(worth).text,
    after: new Dollars(0n).minus(worth).minus(ETH.for(await stage.gas(hash))).text,
    refused: [],
    unpriced: [],
  });
  const usd = (who: 'maker' | 'erin') =>
    report.inventory_deltas.find((d) => d.subject === addressOf(who) && d.asset.id === idOf(token))!.usd.text;
  expect([usd('erin'), usd('maker')]).toEqual([worth.text, new Dollars(0n).minus(worth).text]);
  return report;
}

/** The code with which the price of a token that is sent is refused. */
async function refusal(token: Address, hash: Promise<Hex> | null = null): Promise<string | undefined> {
  const report = await stage.ask(await (hash ?? send(token, E18)));
  expect(report.economics.net_usd_before_gas.available).toBe(false);
  return report.economics.valuation.refusals!.find(({ asset_id }) => asset_id === idOf(token))?.code;
}

const RATE = 1_034_567_890_123_456_789n;
const SUPPLY = fn('totalSupply()');

describe('lending and vaults that only changed hands', () => {
  it('1. an Aave deposit token is worth its asset', async () => {
    const token = await share('aEthUSDC', 6, '0x98C23E9d8f34FEFb1B7BD6a91B7FF122F4e16F5c');
    await tell(token, fn('UNDERLYING_ASSET_ADDRESS()'), MAINNET.usdc);
    const report = await priced(token, 1_234_567_891n, 6, USDC);
    expect(report.economics.valuation.prices!.find((p) => p.asset_id === idOf(token))).toMatchObject({
      method: 'wrapper',
      rests_on: [idOf(MAINNET.usdc)],
    });
  });

  it('2. an Aave deposit token of staked ether is worth its rate in its rate', async () => {
    const token = await share('aEthwstETH', 18, '0x0B925eD163218f6662a35e0f0371Ac234f9E9371');
    await tell(WSTETH, fn('stEthPerToken()'), RATE);
    await priced(token, 3n * E18, 18, Dollars.of('3388').times(RATE, E18));
  });

  it('3. a Compound v3 balance is worth its base token', async () => {
    const token = await share('cWETHv3', 18, '0xA17581A9E3356d9A858b789D68B4d866e593aE94');
    await tell(token, fn('baseToken()'), MAINNET.weth);
    await priced(token, 7n * E18, 18, ETH);
  });

  it('4. a Compound v2 market that the comptroller lists is worth its exchange rate', async () => {
    const comptroller = await plainContract('0x3d9819210A31b4961b30EF54bE2aeD79B9c9Cd3B');
    const token = await share('cUSDC', 8);
    await tell(token, fn('underlying()'), MAINNET.usdc);
    // Mantissa: underlying units per token unit times 10^18.
    await tell(token, fn('exchangeRateStored()'), 224_317_604_312_345n);
    await tell(comptroller, fn('markets(address)', [token]), 1n, 0n);
    const price = USDC.times(224_317_604_312_345n * 10n ** 8n, 10n ** 24n);
    await priced(token, 50_000n * 10n ** 8n, 8, price);
  });

  it('5. a market that no comptroller lists is refused, whatever it says', async () => {
    const token = await share('cFAKE', 8);
    await tell(token, fn('underlying()'), MAINNET.usdc);
    await tell(token, fn('exchangeRateStored()'), 10n ** 30n);
    expect(await refusal(token)).toBe('no_source');
  });

  const PROBE = 10n ** 27n;
  const convert = fn('convertToAssets(uint256)', [PROBE]);

  it('6. a vault of a factory open to anybody has no price by its own word', async () => {
    const factory = await plainContract('0x1897A8997241C1cD4bD0698647e4EB7213535c24');
    const token = await share('mUSDC', 18);
    await tell(factory, fn('isMetaMorpho(address)', [token]), 1n);
    await tell(token, fn('asset()'), MAINNET.usdc);
    await tell(token, convert, 1_087_654_321_000_000n);
    expect(await refusal(token)).toBe('own_word');
  });

  it('6a. a listed vault of it is worth its rate', async () => {
    const token = await share('steakUSDC', 18, '0xBEEF01735c132Ada46AA9aA4c54623cAA92A64CB');
    await tell(token, fn('asset()'), MAINNET.usdc);
    await tell(token, convert, 1_087_654_321_000_000n);
    await priced(token, 1_000n * E18, 18, USDC.times(1_087_654_321_000_000n * E18, PROBE * 10n ** 6n));
  });

  it('7. its rate moved by more than 5 % in the same transaction is refused', async () => {
    const registry = await plainContract('0xd40ecF29e001c76Dcc4cC0D9cd50520CE845B038');
    const token = await share('yvDAI-0', 18);
    await tell(registry, fn('isEndorsed(address)', [token]), 1n);
    await tell(token, fn('asset()'), MAINNET.dai);
    await tell(token, convert, PROBE);
    await priced(token, E18, 18, DAI);
    const moved = stage.c.send('maker', {
      to: token,
      data: fn('transferAndAnswer(address,uint256,bytes,bytes)', [
        addressOf('erin'),
        E18,
        convert,
        words((PROBE * 106n) / 100n),
      ]),
    });
    expect(await refusal(token, moved)).toBe('self_referential');
  });

  it("8. a stranger's vault that only changed hands is refused", async () => {
    const token = await share('vFAKE', 18);
    await tell(token, fn('asset()'), MAINNET.dai);
    await tell(token, convert, PROBE * 1_000n);
    expect(await refusal(token)).toBe('no_source');
  });

  it('9. a vault that Yearn endorsed is worth its rate', async () => {
    const token = await share('yvDAI-1', 18);
    await tell('0xd40ecF29e001c76Dcc4cC0D9cd50520CE845B038', fn('isEndorsed(address)', [token]), 1n);
    await tell(token, fn('asset()'), MAINNET.dai);
    await tell(token, convert, (PROBE * 11n) / 10n);
    await priced(token, 200n * E18, 18, DAI.times(11n, 10n));
  });

  it('10. a Yearn v2 share is worth its price per share, in units of its own decimals', async () => {
    const token = await share('yvUSDC', 6, '0xa354F35829Ae975e850e23e9615b11Da1B3dC4DE');
    await tell(token, fn('token()'), MAINNET.usdc);
    await tell(token, fn('pricePerShare()'), 1_123_456n);
    await tell(token, fn('decimals()'), 6n);
    await priced(token, 10_000n * 10n ** 6n, 6, USDC.times(1_123_456n, 10n ** 6n));
  });

  it('11. a share of a proven vault in an asset without a price is refused', async () => {
    const token = await share('yvACORN', 18);
    await tell('0xd40ecF29e001c76Dcc4cC0D9cd50520CE845B038', fn('isEndorsed(address)', [token]), 1n);
    await tell(token, fn('asset()'), stage.c.at('ACORN'));
    await tell(token, convert, PROBE);
    expect(await refusal(token)).toBe('no_source');
  });
});

describe('staked, restaked, bridged and principal tokens', () => {
  const TABLE: readonly [name: string, token: Address, call: string, at: Address | null][] = [
    ['rETH', '0xae78736Cd615f374D3085123A210448E74Fc6393', 'getExchangeRate()', null],
    ['wBETH', '0xa2E3356610840701BDf5611a53974510Ae27E2e1', 'exchangeRate()', null],
    [
      'ETHx',
      '0xA35b1B31Ce002FBF2058D22F30f95D405200A15b',
      'getExchangeRate()',
      '0xcf5EA1b38380f6aF39068375516Daf40Ed70D299',
    ],
    [
      'rsETH',
      '0xA1290d69c65A6Fe4DF752f95823fae25cB99e5A7',
      'rsETHPrice()',
      '0x349A73444b1a310BAe67ef67973022020d70020d',
    ],
    [
      'ezETH',
      '0xbf5495Efe5DB9ce00f80364C8B423567e58d2110',
      'getRate()',
      '0x387dBc0fB00b26fb085aa658527D5BE98302c84C',
    ],
  ];
  it.each(TABLE)('12. %s by the rate its protocol tells', async (symbol, address, call, at) => {
    const token = await share(symbol, 18, address);
    await tell(at ? await plainContract(at) : token, fn(call), RATE);
    await priced(token, 2n * E18, 18, ETH.times(RATE, E18));
  });

  it('13. eETH is worth ether, staked AAVE is worth AAVE', async () => {
    await priced(await share('eETH', 18, '0x35fA164735182de50811E8e2E824cFb9B6118ac2'), 5n * E18, 18, ETH);
    await priced(await share('stkAAVE', 18, '0x4da27a545c0c5B758a6BA100e3a049001de870f5'), E18, 18, AAVE);
  });

  it('14. bridged bitcoin of eight and of eighteen decimals is worth bitcoin', async () => {
    const cb = await share('cbBTC', 8, '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf');
    await priced(cb, 12_345_678n, 8, BTC);
    const t = await share('tBTC', 18, '0x18084fbA666a33d37592fA2633fD49a74DD93a88');
    await priced(t, 123_456_789_000_000_000n, 18, BTC);
  });

  it("15. a principal token by the average of Pendle's oracle", async () => {
    const oracle = await plainContract('0x9a9Fa8338dd5E5B2188006f1Cd2Ef26d921650C2');
    const token = await share('PT-sUSDE-29MAY2025', 18, '0xb7de5dFCb74d25c2f21841fbd6230355C50d9308');
    const market = '0xB162B764044697cf03617C2EFbcB1f42e31E4766';
    const rate = 971_234_567_890_123_456n;
    await tell(oracle, fn('getPtToAssetRate(address,uint32)', [market, 900]), rate);
    await priced(token, 10_000n * E18, 18, USDE.times(rate, E18));
  });

  it('16. a listed token whose contract does not answer is refused', async () => {
    const token = await share('swETH', 18, '0xf951E335afb289353dc249e82926178EaC7DEd78');
    expect(await refusal(token)).toBe('no_source');
  });
});

describe('shares of pools that only changed hands', () => {
  it('17. of a Uniswap pair, proven by its address', async () => {
    const { c, devnet } = stage;
    const pair = c.at('v2PairUSDC');
    const [usdc, weth] = await devnet.chain.read<[bigint, bigint]>(
      pair,
      'getReserves() view returns (uint112,uint112,uint32)',
    );
    const supply = await devnet.chain.read<bigint>(pair, 'totalSupply() view returns (uint256)');
    const owner = addressOf('maker');
    const held = await devnet.chain.read<bigint>(pair, 'balanceOf(address) view returns (uint256)', [owner]);
    const amount = held / 3n;
    expect(amount).toBeGreaterThan(0n);
    const all = USDC.for(usdc, 6).plus(ETH.for(weth));
    await priced(pair, amount, 18, all.times(E18, supply));
  });

  it('18. of a contract that says it is such a pair but lies elsewhere: refused', async () => {
    const token = await share('UNI-V2', 18);
    await tell(token, fn('token0()'), MAINNET.usdc);
    await tell(token, fn('token1()'), MAINNET.weth);
    await tell(token, fn('getReserves()'), 10n ** 15n, 10n ** 24n, 1n);
    await tell(token, SUPPLY, E18);
    expect(await refusal(token)).toBe('no_source');
  });

  it('19. of a Curve pool that the registry knows, by what it holds', async () => {
    const registry = await plainContract('0xF98B45FA17DE75FB1aD0e7aFD971b0ca00e379fC');
    const token = await share('USDCDAI', 18);
    await tell(registry, fn('is_registered(address)', [token]), 1n);
    await tell(token, fn('coins(uint256)', [0n]), MAINNET.usdc);
    await tell(token, fn('coins(uint256)', [1n]), MAINNET.dai);
    await tell(token, fn('balances(uint256)', [0n]), 7_000_000n * 10n ** 6n);
    await tell(token, fn('balances(uint256)', [1n]), 3_000_000n * E18);
    await tell(token, SUPPLY, 9_500_000n * E18);
    const price = USDC.times(7_000_000n).plus(DAI.times(3_000_000n)).times(1n, 9_500_000n);
    await priced(token, 1_000n * E18, 18, price);
  });

  it('20. of a Curve pool that was drained in the same transaction: refused', async () => {
    const token = await share('DRAINED', 18);
    await tell('0xF98B45FA17DE75FB1aD0e7aFD971b0ca00e379fC', fn('is_registered(address)', [token]), 1n);
    await tell(token, fn('coins(uint256)', [0n]), MAINNET.usdc);
    await tell(token, fn('coins(uint256)', [1n]), '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE');
    await tell(token, fn('balances(uint256)', [0n]), 3_391_070n * 10n ** 6n);
    await tell(token, fn('balances(uint256)', [1n]), 1_000n * E18);
    await tell(token, SUPPLY, 1_000n * E18);
    await priced(token, E18, 18, USDC.times(3_391_070n).plus(ETH.times(1_000n)).times(1n, 1_000n));
    const drained = stage.c.send('maker', {
      to: token,
      data: fn('transferAndAnswer(address,uint256,bytes,bytes)', [
        addressOf('erin'),
        E18,
        fn('balances(uint256)', [1n]),
        words(500n * E18),
      ]),
    });
    expect(await refusal(token, drained)).toBe('self_referential');
  });

  it('21. of the pool of three dollars, whose share is a token of its own', async () => {
    const pool = await plainContract('0xbEbc44782C7dB0a1A60Cb6fe97d0b483032FF1C7');
    const token = await share('3Crv', 18, '0x6c3F90f043a72FA612cbac8115EE7e52BDe6E490');
    for (const [i, amount] of [60n * E18, 50n * 10n ** 6n, 40n * 10n ** 6n].entries())
      await tell(pool, fn('balances(uint256)', [BigInt(i)]), amount * 1_000_000n);
    await tell(token, SUPPLY, 145_000_000n * E18);
    const all = DAI.times(60n).plus(USDC.times(50n)).plus(new Dollars(40n));
    await priced(token, 321n * E18, 18, all.times(1n, 145n));
  });

  it('22. of a weighted Balancer pool, by what the vault holds for it', async () => {
    const vault = await plainContract('0xBA12222222228d8Ba445958a75a0704d566BF2C8');
    const token = await share('B-80BAL-20WETH', 18, '0x5c6Ee304399DBdB9C8Ef030aB642B10820DB8F56');
    const id = '0x5c6ee304399dbdb9c8ef030ab642b10820db8f56000200000000000000000014';
    const answer = [96n, 192n, 1n, 2n, BAL_TOKEN, MAINNET.weth, 2n, 27_000_000n * E18, 4_700n * E18] as const;
    await tell(vault, fn('getPoolTokens(bytes32)', [id]), ...answer);
    await tell(token, SUPPLY, 11_000_000n * E18);
    const price = BAL.times(27_000_000n).plus(ETH.times(4_700n)).times(1n, 11_000_000n);
    await priced(token, 100n * E18, 18, price);
  });
});

describe('liquidity between two ticks', () => {
  const pool: [Address, Address] = [MAINNET.usdc, MAINNET.weth];
  const position = async (id: bigint): Promise<{ liquidity: bigint; owed: [bigint, bigint] }> => {
    const words = await stage.devnet.chain.read<bigint[]>(
      MAINNET.v3Positions,
      'positions(uint256) view returns (uint96,address,address,address,uint24,int24,int24,uint128,uint256,uint256,uint128,uint128)',
      [id],
    );
    return { liquidity: words[7]!, owed: [words[10]!, words[11]!] };
  };
  /** Dollars in floating point: the two amounts at the price that the feeds give (Uniswap v3 whitepaper, 6.29 and 6.30). */
  function worth(liquidity: bigint, low: number, high: number): number {
    const [usdc, eth] = [0.99987, 3391.07];
    const root = Math.sqrt(usdc / 1e6 / (eth / 1e18));
    const [a, b] = [low, high].map((tick) => Math.sqrt(1.0001 ** tick)) as [number, number];
    const at = Math.min(Math.max(root, a), b);
    const l = Number(liquidity);
    return ((l * (1 / at - 1 / b)) / 1e6) * usdc + ((l * (at - a)) / 1e18) * eth;
  }
  const nft = (id: bigint): string => `eip155:1/erc721:${MAINNET.v3Positions.toLowerCase()}/${id}`;
  let id: bigint;

  it('23. a position that is minted is worth what it holds at market prices', async () => {
    const { c, devnet } = stage;
    await c.approve('bob', 'USDC', 'v3Positions');
    await c.approve('bob', 'WETH', 'v3Positions');
    await c.prepare('bob', { to: MAINNET.weth, value: 2n * E18, data: fn('deposit()') });
    const hash = await c.send('bob', {
      to: MAINNET.v3Positions,
      gas: 1_000_000n,
      data: mintV3(pool, 500, [190_000, 203_000], [5_000n * 10n ** 6n, 2n * E18], addressOf('bob')),
    });
    const { logs } = (await devnet.chain.receipt(hash)) as unknown as {
      logs: { address: string; topics: Hex[] }[];
    };
    id = BigInt(logs.find(({ topics }) => topics.length === 4 && BigInt(topics[1]!) === 0n)!.topics[3]!);
    const report = await stage.ask(hash);
    const { liquidity } = await position(id);
    const line = report.inventory_deltas.find((d) => d.asset.id === nft(id) && d.delta_raw === '1')!;
    expect(line.usd.text).toBe(`$${worth(liquidity, 190_000, 203_000).toFixed(2)}`);
    expect(report.economics.net_usd_before_gas.available).toBe(true);
  });

  it('24. and the same when it only changes hands, or is far from the market', async () => {
    const { c } = stage;
    const far = await c.send('bob', {
      to: MAINNET.v3Positions,
      gas: 1_000_000n,
      data: mintV3(pool, 500, [205_000, 210_000], [700n * 10n ** 6n, 0n], addressOf('bob')),
    });
    const hash = await c.send('bob', {
      to: MAINNET.v3Positions,
      data: fn('transferFrom(address,address,uint256)', [addressOf('bob'), addressOf('carol'), id]),
    });
    const { liquidity } = await position(id);
    const value = worth(liquidity, 190_000, 203_000).toFixed(2);
    const moved = await stage.ask(hash);
    expect(moved.economics.net_usd_before_gas.text).toBe(`$-${value}`);
    expect(moved.economics.valuation.prices!.find((p) => p.asset_id === nft(id))).toMatchObject({
      method: 'lp_share',
      rests_on: [idOf(MAINNET.usdc), 'eip155:1/slip44:60'],
    });
    const one = (await stage.ask(far)).inventory_deltas.find((d) => d.asset.id === nft(id + 1n))!;
    const { liquidity: dollars } = await position(id + 1n);
    expect(one.usd.text.replace('-', '')).toBe(`$${worth(dollars, 205_000, 210_000).toFixed(2)}`);
    // All of it lies in dollars.
    expect(worth(dollars, 205_000, 210_000)).toBeCloseTo(700 * 0.99987, 2);
  });
});

describe('NFTs and several owners', () => {
  let market: Address;
  let picture: Address;
  beforeAll(async () => {
    const { chain } = stage.devnet;
    // Where Seaport 1.5 stands: only a listed marketplace's word counts for sellers that sent no transaction.
    market = await chain.placeAt('0x00000000000000ADc04C56Bf30aC9d3c0aAF14dC', CONTRACTS['Market']!);
    picture = await chain.deploy(CONTRACTS['Picture']!);
  });
  const mint = (to: 'carol' | 'dave', id: bigint) =>
    stage.c.prepare('maker', { to: picture, data: fn('mint(address,uint256)', [addressOf(to), id]) });

  it('25. a purchase: the NFT at what was paid, fees included', async () => {
    const { c } = stage;
    await mint('carol', 1n);
    const price = 2n * E18;
    const fee = E18 / 20n;
    const hash = await c.send('erin', {
      to: market,
      value: price,
      gas: 1_000_000n,
      data: fn('buy(address,uint256,address,uint256,address,uint256)', [
        picture,
        1n,
        addressOf('carol'),
        price,
        addressOf('maker'),
        fee,
      ]),
    });
    const report = await stage.ask(hash);
    expect(report.classification.intent_kind).toBe('NftTrade');
    expect(report.economics.net_usd_before_gas.text).toBe('$0.00');
    expect(report.economics.inflow_usd.text).toBe(ETH.for(price).text);
    expect(report.economics.warnings).toContain('OwnSalePrice');
    expect(report.economics.nft_sales).toMatchObject([
      {
        buyer: addressOf('erin'),
        seller: addressOf('carol'),
        units_raw: '1',
        price_usd: { text: ETH.for(price).text },
        proceeds_usd: { text: ETH.for(price - fee).text },
        fees_usd: { text: ETH.for(fee).text },
      },
    ]);
    const seller = report.inventory_deltas
      .filter((d) => d.subject === addressOf('carol'))
      .map((d) => d.usd.text);
    expect(seller.sort()).toEqual([ETH.for(-price).text, ETH.for(price - fee).text].sort());
    expect(report.economics.valuation.prices!.find((p) => p.asset_id.includes('erc721'))).toMatchObject({
      method: 'own_trade',
      source: market,
      price_exact: '6782.14',
    });
  });

  it('26. two bought at once: each at its own price, fees shared as the prices are', async () => {
    await mint('carol', 2n);
    await mint('dave', 3n);
    const prices = [3n * E18, E18] as const;
    const fees = prices.map((price) => price / 40n);
    const hash = await stage.c.send('erin', {
      to: market,
      value: 4n * E18,
      gas: 1_000_000n,
      data: fn('buyTwo(address,uint256[2],address[2],uint256[2],address,uint256[2])', [
        picture,
        [2n, 3n],
        [addressOf('carol'), addressOf('dave')],
        prices,
        addressOf('maker'),
        fees,
      ]),
    });
    const report = await stage.ask(hash);
    expect(report.economics.net_usd_before_gas.text).toBe('$0.00');
    expect(report.economics.nft_sales!.map((sale) => [sale.price_usd.text, sale.fees_usd.text])).toEqual(
      prices.map((price, i) => [ETH.for(price).text, ETH.for(fees[i]!).text]),
    );
  });

  it('27. an NFT that is given away has no price', async () => {
    const hash = await stage.c.send('erin', {
      to: picture,
      data: fn('transferFrom(address,address,uint256)', [addressOf('erin'), addressOf('bob'), 1n]),
    });
    const report = await stage.ask(hash);
    expect(report.economics.valuation.refusals).toMatchObject([{ code: 'nft_no_floor' }]);
    expect(report.economics.nft_sales).toBeUndefined();
  });

  it('28. a batch of two orders: what each owner sent and received', async () => {
    const { c } = stage;
    await c.approve('grace', 'USDC', 'cowRelayer');
    await c.approve('heidi', 'DAI', 'cowRelayer');
    const hash = await c.send(
      'solver',
      await settle(
        c,
        ['USDC', 'DAI'],
        [c.units('DAI', '1000'), c.units('USDC', '1000')],
        [
          { owner: 'grace', receiver: 'dave', sell: ['USDC', '1000'], buy: ['DAI', '990'] },
          { owner: 'heidi', sell: ['DAI', '1000'], buy: ['USDC', '990'] },
        ],
      ),
    );
    const report = await stage.ask(hash);
    expect(report.attribution.actor).toBeNull();
    const [dollars, dai] = [USDC.times(1_000n), DAI.times(1_000n)];
    expect(report.economics.by_owner).toEqual([
      {
        owner: addressOf('grace'),
        accounts: [addressOf('grace'), addressOf('dave')],
        inflow_usd: { text: dai.text, available: true },
        net_usd_before_gas: { text: dai.minus(dollars).text, available: true },
        token_in: '1000 DAI',
        token_out: '1000 USDC',
      },
      {
        owner: addressOf('heidi'),
        accounts: [addressOf('heidi')],
        inflow_usd: { text: dollars.text, available: true },
        net_usd_before_gas: { text: dollars.minus(dai).text, available: true },
        token_in: '1000 USDC',
        token_out: '1000 DAI',
      },
    ]);
    // Not rounded, and Grace with the account that her DAI went to.
    const [grace, heidi] = [[addressOf('grace'), addressOf('dave')], [addressOf('heidi')]].map((accounts) =>
      exactSums(report as ClientReport, accounts[0]!, accounts),
    );
    expect([usdText(grace!.inflow!), usdText(grace!.net!)]).toEqual([dai.text, dai.minus(dollars).text]);
    expect([usdText(heidi!.inflow!), usdText(heidi!.net!)]).toEqual([dollars.text, dollars.minus(dai).text]);
  });

  it('29. a bundle of two user operations: what each account paid', async () => {
    const { c } = stage;
    const pay = (amount: string) => ({
      to: c.at('USDC'),
      data: fn('transfer(address,uint256)', [addressOf('dave'), c.units('USDC', amount)]),
    });
    const hash = await c.send(
      'bundler',
      await handleOps(c, [
        { owner: 'erin', create: true, calls: [pay('10')] },
        { owner: 'frank', create: true, calls: [pay('20')] },
      ]),
    );
    const report = await stage.ask(hash);
    const owners = report.economics.by_owner!;
    expect(owners.map(({ owner }) => owner)).toEqual([c.at('erinAccount'), c.at('frankAccount')]);
    for (const [i, amount] of [10n, 20n].entries()) {
      const fee = report.inventory_deltas.find(
        (d) => d.subject === owners[i]!.owner && d.asset.kind === 'native',
      );
      const paid = USDC.times(amount).plus(ETH.for(-BigInt(fee?.delta_raw ?? '0')));
      expect(owners[i]!.net_usd_before_gas.text).toBe(new Dollars(0n).minus(paid).text);
    }
  });

  it('30. one actor: no list of owners', async () => {
    const report = await stage.ask(await send(MAINNET.dai, E18));
    expect(report.economics.by_owner).toBeUndefined();
  });
});

describe('verify --prices', () => {
  it('31. finds a price that is a thousandth off, whatever its source', async () => {
    const rules = readPriceRules([SHIPPED_RULES]);
    const methods = new Set<string>();
    for (const report of stage.reports()) {
      const prices = report.economics.valuation.prices ?? [];
      for (const [i, price] of prices.entries()) {
        const kind = `${price.method} ${price.asset_id.includes('/erc721:') ? 'NFT' : ''}`;
        if (methods.has(kind)) continue;
        methods.add(kind);
        const changed = structuredClone(report);
        const exact = Number(price.price_exact) * 1.001;
        changed.economics.valuation.prices![i]!.price_exact = exact.toFixed(18);
        const found: string[] = [];
        const read = contractReader(stage.devnet.rpcUrl, report.tx.block_number);
        await checkPrices(changed, { read, rules, priceApiUrl: null }, (_, at) => found.push(at));
        expect(found.some((at) => at.startsWith(`/economics/valuation/prices/${i}`))).toBe(true);
      }
    }
    expect([...methods].sort()).toEqual([
      'chainlink ',
      'erc4626 ',
      'lp_share ',
      'lp_share NFT',
      'own_trade NFT',
      'wrapper ',
    ]);
  });

  /** Places where `verify --prices` finds fault with a changed report of a payment of 5 DAI. */
  async function faults(change: (valuation: TxReport['economics']['valuation']) => void): Promise<string[]> {
    const report = structuredClone(await stage.ask(await send(MAINNET.dai, 5n * E18)));
    change(report.economics.valuation);
    const found: string[] = [];
    const read = contractReader(stage.devnet.rpcUrl, report.tx.block_number);
    const rules = readPriceRules([SHIPPED_RULES]);
    await checkPrices(report, { read, rules, priceApiUrl: null }, (_, at) => found.push(at));
    return found;
  }
  const DAI = `eip155:1/erc20:${MAINNET.dai.toLowerCase()}`;

  it('32. finds a stablecoin valued by the feed of ether, or of another stablecoin', async () => {
    for (const source of [MAINNET.feedEth, MAINNET.feedUsdc])
      expect(
        await faults(({ prices }) => {
          prices!.find(({ asset_id: id }) => id === DAI)!.source = source;
        }),
      ).toEqual(['/economics/valuation/prices/0/source']);
    const other = await faults(({ prices }) => {
      Object.assign(prices!.find(({ asset_id: id }) => id === DAI)!, { price_exact: '3391', method: 'http' });
    });
    expect(other).toEqual(['/economics/valuation/prices/0']);
  });

  it('33. finds a price refused though the feed answers', async () => {
    const refuse =
      (code: string) =>
      (valuation: TxReport['economics']['valuation']): void => {
        valuation.prices = valuation.prices!.filter(({ asset_id: id }) => id !== DAI);
        valuation.unpriced_assets = [DAI];
        const refusal = { asset_id: DAI, code, reason: '', observed: null, threshold: null };
        valuation.refusals = [refusal as NonNullable<typeof valuation.refusals>[number]];
      };
    for (const code of ['no_source', 'stale_price', 'self_referential', 'low_liquidity'])
      expect(await faults(refuse(code))).toEqual(['/economics/valuation/unpriced_assets/0']);
    expect(await faults(refuse('price_deviation'))).toEqual([]);
  });
});
