import {
  concatHex,
  encodeAbiParameters,
  encodePacked,
  keccak256,
  parseAbiParameters,
  stringToHex,
  type Address,
  type Hex,
} from 'viem';
import { MAINNET, NATIVE } from '../addresses.ts';
import { artifact } from '../artifacts.ts';
import { addressOf } from '../accounts.ts';
import { ETHER, fn, type Chain } from '../chain.ts';
import { erc20, type World } from '../world.ts';
import { ETH_USD } from './tokens.ts';

const USD6 = 10n ** 6n;
const MAX = 2n ** 256n - 1n;
export const FAR_FUTURE = 4_000_000_000n;

/** The v2, v3 and v4 cores with their routers. */
export async function deployUniswap(chain: Chain, { contracts }: World): Promise<void> {
  const deployer = addressOf('deployer');
  const place = async (role: keyof typeof MAINNET, name: string, args: unknown[] = []) => {
    contracts[role] = await chain.placeAt(MAINNET[role], artifact(name), args);
  };
  await place('v2Factory', 'UniswapV2Factory', [deployer]);
  await place('sushiFactory', 'UniswapV2Factory', [deployer]);
  await place('v2Router', 'UniswapV2Router02', [MAINNET.v2Factory, MAINNET.weth]);
  await place('v3Factory', 'UniswapV3Factory');
  const NFTDescriptor = await chain.deploy(artifact('NFTDescriptor'));
  const descriptor = await chain.deploy(artifact('NonfungibleTokenPositionDescriptor', { NFTDescriptor }), [
    MAINNET.weth,
    stringToHex('ETH', { size: 32 }),
  ]);
  await place('v3Positions', 'NonfungiblePositionManager', [MAINNET.v3Factory, MAINNET.weth, descriptor]);
  await place('v3Router', 'SwapRouter', [MAINNET.v3Factory, MAINNET.weth]);
  await place('v3Router02', 'SwapRouter02', [
    MAINNET.v2Factory,
    MAINNET.v3Factory,
    MAINNET.v3Positions,
    MAINNET.weth,
  ]);
  await place('v4PoolManager', 'PoolManager', [deployer]);
  await place('v4Positions', 'PositionManager', [
    MAINNET.v4PoolManager,
    MAINNET.permit2,
    300_000n,
    NATIVE,
    MAINNET.weth,
  ]);
  await place('universalRouter', 'UniversalRouter', [
    {
      permit2: MAINNET.permit2,
      weth9: MAINNET.weth,
      v2Factory: MAINNET.v2Factory,
      v3Factory: MAINNET.v3Factory,
      pairInitCodeHash: keccak256(artifact('UniswapV2Pair').bytecode),
      poolInitCodeHash: keccak256(artifact('UniswapV3Pool').bytecode),
      v4PoolManager: MAINNET.v4PoolManager,
      v3NFTPositionManager: MAINNET.v3Positions,
      v4PositionManager: MAINNET.v4Positions,
      spokePool: deployer,
    },
  ]);
}

/** Opens the venues at one common price, as the maker. */
export async function openPools(chain: Chain, world: World): Promise<void> {
  const { assets, contracts } = world;
  const maker = addressOf('maker');
  const token = (name: string): Address => assets[name]!.address;
  for (const name of ['USDC', 'USDT', 'DAI', 'WETH', 'TOLL'])
    for (const spender of [MAINNET.v2Router, MAINNET.v3Positions])
      await chain.as(maker, { to: token(name), data: fn('approve(address,uint256)', [spender, MAX]) });

  for (const [name, unit] of [
    ['USDC', USD6],
    ['USDT', USD6],
    ['DAI', ETHER],
    ['TOLL', ETHER],
  ] as const) {
    const amount = 2_000n * ETH_USD * unit;
    await chain.as(maker, {
      to: MAINNET.v2Router,
      value: 2_000n * ETHER,
      data: fn('addLiquidityETH(address,uint256,uint256,uint256,address,uint256)', [
        token(name),
        amount,
        0n,
        0n,
        maker,
        FAR_FUTURE,
      ]),
    });
    await notePair(chain, world, MAINNET.v2Factory, 'v2', name);
  }
  // The second v2 venue is four per cent dearer: what an arbitrage needs.
  await chain.as(maker, {
    to: MAINNET.sushiFactory,
    data: fn('createPair(address,address)', [token('WETH'), token('USDC')]),
  });
  const sushi = await notePair(chain, world, MAINNET.sushiFactory, 'sushi', 'USDC');
  await chain.as(maker, { to: token('WETH'), data: fn('transfer(address,uint256)', [sushi, 500n * ETHER]) });
  await chain.as(maker, {
    to: token('USDC'),
    data: fn('transfer(address,uint256)', [sushi, (500n * ETH_USD * USD6 * 104n) / 100n]),
  });
  await chain.as(maker, { to: sushi, data: fn('mint(address)', [maker]) });

  contracts.v3UsdcWeth = await openV3(chain, maker, [token('USDC'), token('WETH')], 500, [
    6_800_000n * USD6,
    2_000n * ETHER,
  ]);
  contracts.v3WethUsdt = await openV3(chain, maker, [token('WETH'), token('USDT')], 3000, [
    1_000n * ETHER,
    3_400_000n * USD6,
  ]);
  assets['v3-position'] = {
    kind: 'erc721',
    address: MAINNET.v3Positions,
    symbol: 'UNI-V3-POS',
    name: 'Uniswap V3 Positions NFT-V1',
    decimals: 0,
  };
  assets['v4-position'] = {
    kind: 'erc721',
    address: MAINNET.v4Positions,
    symbol: 'UNI-V4-POSM',
    name: 'Uniswap v4 Positions NFT',
    decimals: 0,
  };
  await openV4(chain, maker, token);
  for (const [name, amount] of [
    ['USDC', 1_000_000n * USD6],
    ['DAI', 1_000_000n * ETHER],
  ] as const)
    await chain.as(maker, {
      to: token(name),
      data: fn('transfer(address,uint256)', [contracts.oddPool, amount]),
    });
}

async function notePair(
  chain: Chain,
  { assets, contracts }: World,
  factory: Address,
  venue: string,
  name: string,
): Promise<Address> {
  const pair = await chain.read<Address>(factory, 'getPair(address,address) view returns (address)', [
    MAINNET.weth,
    assets[name]!.address,
  ]);
  contracts[`${venue}Pair${name}`] = pair;
  assets[`${venue}-LP-${name}`] = erc20(pair, 'UNI-V2', 'Uniswap V2');
  return pair;
}

async function openV3(
  chain: Chain,
  maker: Address,
  [token0, token1]: [Address, Address],
  fee: number,
  [amount0, amount1]: [bigint, bigint],
): Promise<Address> {
  await chain.as(maker, {
    to: MAINNET.v3Positions,
    data: fn('createAndInitializePoolIfNecessary(address,address,uint24,uint160)', [
      token0,
      token1,
      fee,
      sqrtPriceX96(amount0, amount1),
    ]),
  });
  const edge = fee === 500 ? 887_270 : 887_220;
  await chain.as(maker, {
    to: MAINNET.v3Positions,
    data: mintV3([token0, token1], fee, [-edge, edge], [amount0, amount1], maker),
  });
  return chain.read(MAINNET.v3Factory, 'getPool(address,address,uint24) view returns (address)', [
    token0,
    token1,
    fee,
  ]);
}

/** Calldata of the v3 position manager's mint. */
export const mintV3 = (
  [token0, token1]: [Address, Address],
  fee: number,
  [low, high]: [number, number],
  [amount0, amount1]: [bigint, bigint],
  to: Address,
): Hex =>
  fn('mint((address,address,uint24,int24,int24,uint256,uint256,uint256,uint256,address,uint256))', [
    [token0, token1, fee, low, high, amount0, amount1, 0n, 0n, to, FAR_FUTURE],
  ]);

export interface PoolKey {
  currency0: Address;
  currency1: Address;
  fee: number;
  tickSpacing: number;
  hooks: Address;
}
const KEY = '(address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks)';
export const v4Key = (currency0: Address, currency1: Address, fee = 500, tickSpacing = 10): PoolKey => ({
  currency0,
  currency1,
  fee,
  tickSpacing,
  hooks: NATIVE,
});

/** Calldata of the v4 position manager: a packed list of action codes, each with its own arguments. */
export const v4Actions = (actions: [code: number, types: string, values: unknown[]][]): Hex =>
  fn('modifyLiquidities(bytes,uint256)', [plan(actions), FAR_FUTURE]);

export function plan(actions: [code: number, types: string, values: unknown[]][]): Hex {
  const codes = concatHex(actions.map(([code]) => encodePacked(['uint8'], [code])));
  const inputs = actions.map(([, types, values]) =>
    encodeAbiParameters(parseAbiParameters(types), values as never),
  );
  return encodeAbiParameters(parseAbiParameters('bytes, bytes[]'), [codes, inputs]);
}

/** Codes of the v4 periphery's actions (v4-periphery, Actions.sol). */
export const V4 = {
  increase: 0x00,
  decrease: 0x01,
  mint: 0x02,
  swapIn: 0x06,
  swapInPath: 0x07,
  settleAll: 0x0c,
  settlePair: 0x0d,
  takeAll: 0x0f,
  takePair: 0x11,
  sweep: 0x14,
} as const;
export const V4_MINT = `${KEY} key, int24 low, int24 high, uint256 liquidity, uint128 max0, uint128 max1, address owner, bytes hook`;

async function openV4(chain: Chain, maker: Address, token: (name: string) => Address): Promise<void> {
  const key = v4Key(NATIVE, token('USDC'));
  const stable = v4Key(token('DAI'), token('USDC'), 100, 1);
  const initialize = (poolKey: PoolKey, price: bigint) =>
    chain.as(maker, {
      to: MAINNET.v4PoolManager,
      data: fn(`initialize(${KEY},uint160) returns (int24)`, [poolKey, price]),
    });
  await initialize(key, sqrtPriceX96(1n * ETHER, ETH_USD * USD6));
  await initialize(stable, sqrtPriceX96(1n * ETHER, USD6));
  for (const name of ['USDC', 'DAI']) await permit2Approve(chain, maker, token(name), MAINNET.v4Positions);
  const open = (poolKey: PoolKey, edge: number, liquidity: bigint, value: bigint) =>
    chain.as(maker, {
      to: MAINNET.v4Positions,
      value,
      data: v4Actions([
        [V4.mint, V4_MINT, [poolKey, -edge, edge, liquidity, 2n ** 127n, 2n ** 127n, maker, '0x']],
        [V4.settlePair, 'address, address', [poolKey.currency0, poolKey.currency1]],
        ...(value > 0n
          ? [[V4.sweep, 'address, address', [NATIVE, maker]] as [number, string, unknown[]]]
          : []),
      ]),
    });
  // Liquidity of a full-range position is sqrt(amount0 * amount1): 1,000 ETH and 3.4 million USDC; 2 million of each stable.
  await open(key, 887_270, sqrt(1_000n * ETHER * 3_400_000n * USD6), 1_100n * ETHER);
  await open(stable, 887_272, sqrt(2_000_000n * ETHER * 2_000_000n * USD6), 0n);
}

/** The two approvals Permit2 needs: the token's to Permit2, and Permit2's to the spender. */
export async function permit2Approve(
  chain: Chain,
  owner: Address,
  token: Address,
  spender: Address,
): Promise<void> {
  await chain.as(owner, { to: token, data: fn('approve(address,uint256)', [MAINNET.permit2, MAX]) });
  await chain.as(owner, {
    to: MAINNET.permit2,
    data: fn('approve(address,address,uint160,uint48)', [
      token,
      spender,
      2n ** 160n - 1n,
      281_474_976_710_655,
    ]),
  });
}

export function sqrt(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** sqrt(amount1/amount0) as a Q64.96 number, from the raw amounts of both tokens. */
export const sqrtPriceX96 = (amount0: bigint, amount1: bigint): bigint => sqrt((amount1 << 192n) / amount0);
