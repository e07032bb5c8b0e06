import type { Address } from 'viem';
import { MAINNET, NATIVE } from '../addresses.ts';
import { artifact } from '../artifacts.ts';
import { addressOf } from '../accounts.ts';
import { ETHER, fn, fnOf, type Chain, type Request } from '../chain.ts';
import { erc20, type World } from '../world.ts';

const RAY = 10n ** 27n;
/** Percentages in basis points: loan to value, liquidation threshold, liquidation bonus (10500 = 5 % on top). */
const RESERVES = [
  {
    name: 'WETH',
    decimals: 18,
    feed: 'feedEth',
    ltv: 8000n,
    threshold: 8250n,
    bonus: 10_500n,
    seed: 1_000n * ETHER,
  },
  {
    name: 'USDC',
    decimals: 6,
    feed: 'feedUsdc',
    ltv: 7500n,
    threshold: 7800n,
    bonus: 10_450n,
    seed: 3_000_000n * 10n ** 6n,
  },
  {
    name: 'DAI',
    decimals: 18,
    feed: 'feedDai',
    ltv: 7500n,
    threshold: 7800n,
    bonus: 10_450n,
    seed: 3_000_000n * ETHER,
  },
] as const;

/** Aave v3 with three reserves, its pool and provider where mainnet has them, and the maker as its first supplier. */
export async function deployAave(chain: Chain, world: World): Promise<void> {
  const { assets, contracts } = world;
  const admin = addressOf('deployer');
  const token = (name: string): Address => assets[name]!.address;
  const provider = await chain.placeAt(MAINNET.aaveProvider, artifact('PoolAddressesProvider'), [
    'Aave Ethereum Market',
    admin,
  ]);
  const ask = (to: Address, signature: string, args: unknown[]) =>
    chain.as(admin, { to, data: fn(signature, args) } satisfies Request);

  await ask(provider, 'setPoolImpl(address)', [await deployPool(chain, provider)]);
  const ConfiguratorLogic = await chain.deploy(artifact('ConfiguratorLogic'));
  await ask(provider, 'setPoolConfiguratorImpl(address)', [
    await chain.deploy(artifact('PoolConfigurator', { ConfiguratorLogic })),
  ]);
  await ask(provider, 'setACLAdmin(address)', [admin]);
  const acl = await chain.deploy(artifact('ACLManager'), [provider]);
  await ask(provider, 'setACLManager(address)', [acl]);
  for (const role of ['addPoolAdmin', 'addRiskAdmin', 'addAssetListingAdmin'])
    await ask(acl, `${role}(address)`, [admin]);
  const feeds = RESERVES.map(({ feed }) => MAINNET[feed]);
  const oracle = await chain.deploy(artifact('AaveOracle'), [
    provider,
    RESERVES.map(({ name }) => token(name)),
    feeds,
    NATIVE,
    NATIVE,
    10n ** 8n,
  ]);
  await ask(provider, 'setPriceOracle(address)', [oracle]);
  await ask(provider, 'setPoolDataProvider(address)', [
    await chain.deploy(artifact('AaveProtocolDataProvider'), [provider]),
  ]);

  contracts.aaveProvider = provider;
  contracts.aavePool = await chain.read<Address>(provider, 'getPool() view returns (address)');
  contracts.aaveConfigurator = await chain.read<Address>(
    provider,
    'getPoolConfigurator() view returns (address)',
  );
  await listReserves(chain, world, token);
  for (const { name, seed } of RESERVES) {
    await chain.as(addressOf('maker'), {
      to: token(name),
      data: fn('approve(address,uint256)', [contracts.aavePool, 2n ** 256n - 1n]),
    });
    await chain.as(addressOf('maker'), {
      to: contracts.aavePool,
      data: fn('supply(address,uint256,address,uint16)', [token(name), seed, addressOf('maker'), 0]),
    });
  }
}

async function deployPool(chain: Chain, provider: Address): Promise<Address> {
  const libraries: Record<string, Address> = {};
  for (const name of [
    'BridgeLogic',
    'BorrowLogic',
    'EModeLogic',
    'LiquidationLogic',
    'PoolLogic',
    'SupplyLogic',
  ])
    libraries[name] = await chain.deploy(artifact(name));
  libraries.FlashLoanLogic = await chain.deploy(artifact('FlashLoanLogic', libraries));
  return chain.deploy(artifact('AavePool', libraries), [provider]);
}

async function listReserves(
  chain: Chain,
  { assets, contracts }: World,
  token: (name: string) => Address,
): Promise<void> {
  const admin = addressOf('deployer');
  const pool = contracts.aavePool!;
  const configurator = contracts.aaveConfigurator!;
  const [aToken, stable, variable] = [
    await chain.deploy(artifact('AToken'), [pool]),
    await chain.deploy(artifact('StableDebtToken'), [pool]),
    await chain.deploy(artifact('VariableDebtToken'), [pool]),
  ];
  const strategy = await chain.deploy(artifact('InterestRateStrategy'), [
    MAINNET.aaveProvider,
    (RAY * 8n) / 10n,
    0n,
    (RAY * 4n) / 100n,
    (RAY * 75n) / 100n,
    RAY / 200n,
    (RAY * 75n) / 100n,
    RAY / 100n,
    (RAY * 8n) / 100n,
    RAY / 5n,
  ]);
  // Mainnet listed two more between WETH and USDC; with stand-ins for them, our tokens get mainnet's addresses.
  const listed = [
    RESERVES[0],
    { name: 'ACORN', decimals: 18 },
    { name: 'TRUFFLE', decimals: 18 },
    ...RESERVES.slice(1),
  ];
  const inputs = listed.map(({ name, decimals }) => ({
    aTokenImpl: aToken,
    stableDebtTokenImpl: stable,
    variableDebtTokenImpl: variable,
    underlyingAssetDecimals: decimals,
    interestRateStrategyAddress: strategy,
    underlyingAsset: token(name),
    treasury: addressOf('house'),
    incentivesController: NATIVE,
    aTokenName: `Aave Ethereum ${name}`,
    aTokenSymbol: `aEth${name}`,
    variableDebtTokenName: `Aave Ethereum Variable Debt ${name}`,
    variableDebtTokenSymbol: `variableDebtEth${name}`,
    stableDebtTokenName: `Aave Ethereum Stable Debt ${name}`,
    stableDebtTokenSymbol: `stableDebtEth${name}`,
    params: '0x10',
  }));
  await chain.as(admin, {
    to: configurator,
    data: fnOf(artifact('PoolConfigurator', { ConfiguratorLogic: NATIVE }).abi, 'initReserves', [inputs]),
  });
  for (const { name, decimals, ltv, threshold, bonus } of RESERVES) {
    const configure = (signature: string, args: unknown[]) =>
      chain.as(admin, { to: configurator, data: fn(signature, [token(name), ...args]) });
    await configure('configureReserveAsCollateral(address,uint256,uint256,uint256)', [ltv, threshold, bonus]);
    await configure('setReserveBorrowing(address,bool)', [true]);
    await configure('setReserveFactor(address,uint256)', [1000n]);
    await configure('setReserveFlashLoaning(address,bool)', [true]);
    const [a, , v] = await chain.read<[Address, Address, Address]>(
      await chain.read<Address>(MAINNET.aaveProvider, 'getPoolDataProvider() view returns (address)'),
      'getReserveTokensAddresses(address) view returns (address,address,address)',
      [token(name)],
    );
    assets[`a${name}`] = erc20(a, `aEth${name}`, `Aave Ethereum ${name}`, decimals, true);
    assets[`debt${name}`] = erc20(
      v,
      `variableDebtEth${name}`,
      `Aave Ethereum Variable Debt ${name}`,
      decimals,
      true,
    );
  }
  await chain.as(admin, { to: configurator, data: fn('updateFlashloanPremiumTotal(uint128)', [5n]) });
}
