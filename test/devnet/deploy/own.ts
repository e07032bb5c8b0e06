import { MAINNET } from '../addresses.ts';
import { addressOf } from '../accounts.ts';
import type { Chain } from '../chain.ts';
import type { Contracts } from '../compile.ts';
import type { World } from '../world.ts';

/** Our own small venues and protocols, at whatever addresses CREATE gives them. */
export async function deployOwn(chain: Chain, own: Contracts, { assets, contracts }: World): Promise<void> {
  const put = async (role: string, name: string, args: unknown[] = []) => {
    contracts[role] = await chain.deploy(own[name]!, args);
  };
  await put('disperse', 'Disperse');
  await put('aggregator', 'MiniAggregator');
  await put('arbBot', 'ArbBot', [addressOf('searcher')]);
  await put('oddPool', 'OddPool', [MAINNET.usdc, MAINNET.dai]);
  await put('nftMarket', 'NftMarket', [addressOf('house')]);
  await put('stakingPool', 'StakingPool', [assets.ACORN!.address, assets.TRUFFLE!.address]);
  await put('airdrop', 'AirdropDistributor', [assets.ACORN!.address]);
  await put('flashBorrower', 'FlashBorrower');
  await put('batchDelegate', 'BatchDelegate');
  await put('novel', 'NovelProtocol', [assets.ACORN!.address, assets.TRUFFLE!.address]);
  await put('reverter', 'Reverter');
  await put('forwardLibrary', 'ForwardLibrary');
  await put('valueForwarder', 'ValueForwarder', [contracts.forwardLibrary]);
  await put('bomb', 'Bomb');
  await put('piggybank', 'Piggybank');
  await put('permitRelay', 'PermitRelay');
  await put('paymaster', 'OpenPaymaster');
}
