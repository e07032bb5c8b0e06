// Contracts of other projects, as their npm packages ship them. Nothing of theirs is copied into this repository.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Abi, Address, Hex } from 'viem';
import type { Contract } from './compile.ts';

const require = createRequire(import.meta.url);

interface Artifact {
  abi: Abi;
  bytecode?: string | { object: string; linkReferences?: LinkReferences };
  evm?: { bytecode: { object: string } };
  linkReferences?: LinkReferences;
}
type LinkReferences = Record<string, Record<string, { start: number; length: number }[]>>;

const UNISWAP_V3 = '@uniswap/v3-periphery/artifacts/contracts';
const SAFE = '@safe-global/safe-contracts/build/artifacts/contracts';
const SEAPORT = '@opensea/seaport-js/src/artifacts/seaport/contracts';
const AAVE = '@aave/core-v3/artifacts/contracts';

/** Where each artifact lies inside its package. */
const PATHS = {
  WETH9: 'canonical-weth/build/contracts/WETH9.json',
  UniswapV2Factory: '@uniswap/v2-core/build/UniswapV2Factory.json',
  UniswapV2Router02: '@uniswap/v2-periphery/build/UniswapV2Router02.json',
  UniswapV2Pair: '@uniswap/v2-core/build/UniswapV2Pair.json',
  UniswapV3Pool: '@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json',
  UniswapV3Factory: '@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json',
  NFTDescriptor: `${UNISWAP_V3}/libraries/NFTDescriptor.sol/NFTDescriptor.json`,
  NonfungibleTokenPositionDescriptor: `${UNISWAP_V3}/NonfungibleTokenPositionDescriptor.sol/NonfungibleTokenPositionDescriptor.json`,
  NonfungiblePositionManager: `${UNISWAP_V3}/NonfungiblePositionManager.sol/NonfungiblePositionManager.json`,
  SwapRouter: `${UNISWAP_V3}/SwapRouter.sol/SwapRouter.json`,
  SwapRouter02: '@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json',
  PoolManager: '@uniswap/v4-periphery/foundry-out/PoolManager.sol/PoolManager.default.json',
  PositionManager: '@uniswap/v4-periphery/foundry-out/PositionManager.sol/PositionManager.json',
  UniversalRouter: '@uniswap/universal-router/artifacts/contracts/UniversalRouter.sol/UniversalRouter.json',
  Safe: `${SAFE}/Safe.sol/Safe.json`,
  SafeProxyFactory: `${SAFE}/proxies/SafeProxyFactory.sol/SafeProxyFactory.json`,
  SafeFallbackHandler: `${SAFE}/handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler.json`,
  MultiSend: `${SAFE}/libraries/MultiSend.sol/MultiSend.json`,
  EntryPoint: '@account-abstraction/contracts/artifacts/EntryPoint.json',
  SimpleAccountFactory: '@account-abstraction/contracts/artifacts/SimpleAccountFactory.json',
  GPv2Settlement: '@cowprotocol/contracts/deployments/mainnet/GPv2Settlement.json',
  GPv2AllowList: '@cowprotocol/contracts/deployments/mainnet/GPv2AllowListAuthentication_Implementation.json',
  Seaport: `${SEAPORT}/Seaport.sol/Seaport.json`,
  ConduitController: `${SEAPORT}/conduit/ConduitController.sol/LocalConduitController.json`,
  PoolAddressesProvider: `${AAVE}/protocol/configuration/PoolAddressesProvider.sol/PoolAddressesProvider.json`,
  ACLManager: `${AAVE}/protocol/configuration/ACLManager.sol/ACLManager.json`,
  AaveOracle: `${AAVE}/misc/AaveOracle.sol/AaveOracle.json`,
  AaveProtocolDataProvider: `${AAVE}/misc/AaveProtocolDataProvider.sol/AaveProtocolDataProvider.json`,
  AavePool: `${AAVE}/protocol/pool/Pool.sol/Pool.json`,
  PoolConfigurator: `${AAVE}/protocol/pool/PoolConfigurator.sol/PoolConfigurator.json`,
  AToken: `${AAVE}/protocol/tokenization/AToken.sol/AToken.json`,
  StableDebtToken: `${AAVE}/protocol/tokenization/StableDebtToken.sol/StableDebtToken.json`,
  VariableDebtToken: `${AAVE}/protocol/tokenization/VariableDebtToken.sol/VariableDebtToken.json`,
  InterestRateStrategy: `${AAVE}/protocol/pool/DefaultReserveInterestRateStrategy.sol/DefaultReserveInterestRateStrategy.json`,
  ...Object.fromEntries(
    [
      'BridgeLogic',
      'BorrowLogic',
      'EModeLogic',
      'FlashLoanLogic',
      'LiquidationLogic',
      'PoolLogic',
      'SupplyLogic',
      'ConfiguratorLogic',
    ].map((name) => [name, `${AAVE}/protocol/libraries/logic/${name}.sol/${name}.json`]),
  ),
} as Record<string, string>;

/**
 * ABI and linked init code of a third-party contract.
 * @throws Error when the package is missing or a library it needs is not in `libraries`.
 */
export function artifact(name: string, libraries: Record<string, Address> = {}): Contract {
  const path = PATHS[name];
  if (!path) throw new Error(`unknown artifact ${name}`);
  const json = JSON.parse(readFileSync(packageFile(path), 'utf8')) as Artifact;
  const object = typeof json.bytecode === 'string' ? json.bytecode : json.bytecode?.object;
  const bytecode = (object ?? json.evm?.bytecode.object ?? '').replace(/^0x/, '');
  return { abi: json.abi, bytecode: link(name, bytecode, json.linkReferences ?? {}, libraries) };
}

function link(
  name: string,
  code: string,
  references: LinkReferences,
  libraries: Record<string, Address>,
): Hex {
  let linked = code;
  for (const library of Object.values(references))
    for (const [wanted, places] of Object.entries(library)) {
      const address = libraries[wanted];
      if (!address) throw new Error(`${name} needs the library ${wanted}`);
      for (const { start } of places)
        linked = linked.slice(0, start * 2) + address.slice(2).toLowerCase() + linked.slice(start * 2 + 40);
    }
  return `0x${linked}`;
}

/** Some packages do not export their package.json, so the file is looked for in the module directories. */
function packageFile(path: string): string {
  for (const directory of require.resolve.paths(path) ?? []) {
    try {
      readFileSync(join(directory, path));
      return join(directory, path);
    } catch {
      /* next */
    }
  }
  throw new Error(`${path} is not installed (a development dependency)`);
}

/** Permit2's runtime code: its npm package has none, but Uniswap's v4 test helper carries it as a literal. */
export function permit2Code(): Hex {
  const source = readFileSync(
    packageFile('@uniswap/v4-periphery/lib/permit2/test/utils/DeployPermit2.sol'),
    'utf8',
  );
  const literal = /hex"([0-9a-f]+)"/.exec(source)?.[1];
  if (!literal) throw new Error('no Permit2 code in DeployPermit2.sol');
  return `0x${literal}`;
}

/** Multicall3's init code from viem, which does not export it from its root. */
export function multicall3(): Contract {
  const file = join(dirname(packageFile('viem/package.json')), 'constants/contracts.ts');
  const literal = /multicall3Bytecode\s*=\s*'(0x[0-9a-f]+)'/.exec(readFileSync(file, 'utf8'))?.[1];
  if (!literal) throw new Error('no Multicall3 code in viem');
  return { abi: [], bytecode: literal as Hex };
}

/** Packages whose versions decide what lands on chain, for the cache key. */
export const lockFile = (): string =>
  readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8');
