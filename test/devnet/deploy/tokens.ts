import { encodeFunctionData, padHex, toHex, type Address } from 'viem';
import { MAINNET, NATIVE } from '../addresses.ts';
import { artifact, multicall3, permit2Code } from '../artifacts.ts';
import { PEOPLE, addressOf } from '../accounts.ts';
import { ETHER, fn, type Chain } from '../chain.ts';
import type { Contracts } from '../compile.ts';
import { erc20, type World } from '../world.ts';

/** ETH/USD when the story begins, in whole dollars; every venue is opened at this price. */
export const ETH_USD = 3_400n;

/** Native coin, the four tokens everybody knows, our odd ones, NFTs and price feeds. */
export async function deployTokens(chain: Chain, own: Contracts, world: World): Promise<void> {
  const { assets, contracts } = world;
  assets.ETH = { kind: 'native', address: NATIVE, symbol: 'ETH', name: 'Ether', decimals: 18 };
  await chain.placeAt(MAINNET.weth, artifact('WETH9'));
  // WETH9 sets its name in field initialisers, which the constructor runs.
  assets.WETH = erc20(MAINNET.weth, 'WETH', 'Wrapped Ether');
  await chain.placeAt(MAINNET.usdcImplementation, own.UsdcLike!);
  await chain.placeAt(MAINNET.usdc, own.DevProxy!, [MAINNET.usdcImplementation]);
  assets.USDC = erc20(MAINNET.usdc, 'USDC', 'USD Coin', 6);
  await chain.placeAt(MAINNET.usdt, own.UsdtLike!, [addressOf('maker')]);
  assets.USDT = erc20(MAINNET.usdt, 'USDT', 'Tether USD', 6);
  await chain.placeAt(MAINNET.dai, own.DevToken!, ['Dai Stablecoin', 'DAI', 18]);
  assets.DAI = erc20(MAINNET.dai, 'DAI', 'Dai Stablecoin');
  assets.TOLL = erc20(await chain.deploy(own.FeeToken!, [addressOf('house')]), 'TOLL', 'Toll Token');
  assets.rbETH = erc20(await chain.deploy(own.RebaseToken!), 'rbETH', 'Rebasing Ether', 18, true);
  assets.ACORN = erc20(await chain.deploy(own.DevToken!, ['Acorn', 'ACORN', 18]), 'ACORN', 'Acorn');
  assets.TRUFFLE = erc20(await chain.deploy(own.DevToken!, ['Truffle', 'TRUFFLE', 18]), 'TRUFFLE', 'Truffle');
  assets.vDAI = erc20(await chain.deploy(own.DevVault!, [MAINNET.dai]), 'vDAI', 'Vault DAI');
  // Its symbol imitates USDC with a Cyrillic letter, as such tokens do; its Transfers have nothing to do with balances.
  assets.FAKE = erc20(
    await chain.deploy(own.PoisonToken!, ['USD Coin', 'USD\u0421']),
    'USD\u0421',
    'USD Coin',
    6,
    true,
  );
  assets.APE = {
    kind: 'erc721',
    address: await chain.deploy(own.DevNft!, ['Devnet Apes', 'APE']),
    symbol: 'APE',
    name: 'Devnet Apes',
    decimals: 0,
  };
  assets.ITEM = {
    kind: 'erc1155',
    address: await chain.deploy(own.Dev1155!),
    symbol: 'ITEM',
    name: 'Arcade Items',
    decimals: 0,
  };
  contracts.poisoner = await chain.deploy(own.Poisoner!);
  await chain.placeAt(MAINNET.multicall3, multicall3());
  await chain.rpc('anvil_setCode', [MAINNET.permit2, permit2Code()]);
  contracts.permit2 = MAINNET.permit2;
  await deployFeeds(chain, own, world);
}

type FeedName = 'feedEth' | 'feedUsdc' | 'feedUsdt' | 'feedDai';
const FEEDS: [FeedName, string, bigint][] = [
  ['feedEth', 'ETH / USD', ETH_USD * 10n ** 8n],
  ['feedUsdc', 'USDC / USD', 99_990_000n],
  ['feedUsdt', 'USDT / USD', 100_010_000n],
  ['feedDai', 'DAI / USD', 99_980_000n],
];

async function deployFeeds(chain: Chain, own: Contracts, { contracts }: World): Promise<void> {
  for (const [name, description] of FEEDS)
    contracts[name] = await chain.placeAt(MAINNET[name], own.PriceFeed!, [description]);
  await updateFeeds(chain);
}

/** A new round of every feed at the same prices. */
export async function updateFeeds(chain: Chain): Promise<void> {
  for (const [name, , answer] of FEEDS)
    await chain.as(addressOf('deployer'), { to: MAINNET[name], data: fn('setAnswer(int256)', [answer]) });
}

/** Everybody gets native coin and 100,000 of each stablecoin; the maker gets enough to open the venues. */
export async function fund(chain: Chain, own: Contracts, { assets, contracts }: World): Promise<void> {
  for (const name of PEOPLE)
    await chain.rpc('anvil_setBalance', [
      addressOf(name),
      toHex((name === 'maker' ? 100_000n : 500n) * ETHER),
    ]);
  const maker = addressOf('maker');
  const token = (name: string): Address => assets[name]!.address;
  const mint = (name: string, to: Address, amount: bigint) =>
    chain.as(maker, {
      to: token(name),
      data: encodeFunctionData({ abi: own.DevToken!.abi, functionName: 'mint', args: [to, amount] }),
    });
  for (const [name, unit] of [
    ['USDC', 10n ** 6n],
    ['DAI', ETHER],
    ['TOLL', ETHER],
    ['ACORN', ETHER],
    ['TRUFFLE', ETHER],
  ] as const)
    await mint(name, maker, 100_000_000n * unit);
  await chain.as(maker, { to: token('USDT'), data: fn('issue(uint256)', [100_000_000n * 10n ** 6n]) });
  await mint('TOLL', addressOf('alice'), 10_000n * ETHER);
  // Disperse pays everybody at once, which keeps the number of set-up blocks small.
  const users = PEOPLE.filter((name) => name !== 'maker' && name !== 'builder').map(addressOf);
  for (const [name, each] of [
    ['USDC', 100_000n * 10n ** 6n],
    ['DAI', 100_000n * ETHER],
    ['ACORN', 10_000n * ETHER],
  ] as const) {
    await chain.as(maker, {
      to: token(name),
      data: fn('approve(address,uint256)', [contracts.disperse, each * BigInt(users.length)]),
    });
    await chain.as(maker, {
      to: contracts.disperse!,
      data: fn('disperseToken(address,address[],uint256[])', [token(name), users, users.map(() => each)]),
    });
  }
  for (const user of users.slice(0, 10))
    await chain.as(maker, {
      to: token('USDT'),
      data: fn('transfer(address,uint256)', [user, 100_000n * 10n ** 6n]),
    });
  await chain.as(maker, { to: token('WETH'), value: 40_000n * ETHER });
  for (const name of ['stakingPool', 'airdrop', 'novel'] as const) {
    const paid = name === 'novel' ? 'TRUFFLE' : name === 'airdrop' ? 'ACORN' : 'TRUFFLE';
    await chain.as(maker, {
      to: token(paid),
      data: fn('transfer(address,uint256)', [contracts[name], 1_000_000n * ETHER]),
    });
  }
  for (const name of ['alice', 'bob', 'carol'])
    await chain.as(maker, { to: token('APE'), data: fn('give(address)', [addressOf(name)]) });
  for (const id of [1n, 2n, 3n])
    await chain.as(maker, {
      to: token('ITEM'),
      data: fn('mint(address,uint256,uint256)', [addressOf('carol'), id, 100n]),
    });
}

/** A storage word, for the few places where a contract offers no way in. */
export const word = (value: bigint | Address) =>
  padHex(toHex(typeof value === 'bigint' ? value : BigInt(value)), { size: 32 });
