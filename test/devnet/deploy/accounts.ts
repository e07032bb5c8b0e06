import { encodeAbiParameters, getAddress, type Address, type Hex } from 'viem';
import { MAINNET, NATIVE } from '../addresses.ts';
import { artifact } from '../artifacts.ts';
import { addressOf } from '../accounts.ts';
import { ETHER, fn, type Chain } from '../chain.ts';
import type { World } from '../world.ts';

export const SAFE_OWNERS = ['alice', 'bob', 'carol'] as const;

/** Safe 1.4.1 with one two-of-three Safe, ERC-4337's EntryPoint with its sample account factory, and CoW. */
export async function deployAccounts(chain: Chain, world: World): Promise<void> {
  await deploySafe(chain, world);
  await deployEntryPoint(chain, world);
  await deployCow(chain, world);
}

async function deploySafe(chain: Chain, { assets, contracts }: World): Promise<void> {
  for (const [role, name] of [
    ['safe', 'Safe'],
    ['safeFactory', 'SafeProxyFactory'],
    ['safeFallback', 'SafeFallbackHandler'],
    ['multiSend', 'MultiSend'],
  ] as const)
    contracts[role] = await chain.placeAt(MAINNET[role], artifact(name));
  contracts.treasury = await createSafe(chain, SAFE_OWNERS.map(addressOf), 2n, 1n);
  for (const [name, amount] of [
    ['USDC', 50_000n * 10n ** 6n],
    ['DAI', 50_000n * ETHER],
  ] as const)
    await chain.as(addressOf('maker'), {
      to: assets[name]!.address,
      data: fn('transfer(address,uint256)', [contracts.treasury, amount]),
    });
  await chain.as(addressOf('maker'), { to: contracts.treasury, value: 10n * ETHER });
}

/** Calldata of createProxyWithNonce for a Safe of these owners. */
export const safeCreation = (owners: Address[], threshold: bigint, nonce: bigint): Hex => {
  const setup = fn('setup(address[],uint256,address,bytes,address,address,uint256,address)', [
    owners,
    threshold,
    NATIVE,
    '0x',
    MAINNET.safeFallback,
    NATIVE,
    0n,
    NATIVE,
  ]);
  return fn('createProxyWithNonce(address,bytes,uint256)', [MAINNET.safe, setup, nonce]);
};

async function createSafe(
  chain: Chain,
  owners: Address[],
  threshold: bigint,
  nonce: bigint,
): Promise<Address> {
  const { logs } = await chain.as(addressOf('deployer'), {
    to: MAINNET.safeFactory,
    data: safeCreation(owners, threshold, nonce),
  });
  // ProxyCreation(address indexed proxy, address singleton) is the factory's only event.
  const created = logs.find((log) => log.address.toLowerCase() === MAINNET.safeFactory.toLowerCase());
  if (!created) throw new Error('the Safe factory created nothing');
  return getAddress(`0x${created.topics[1]!.slice(26)}`);
}

async function deployEntryPoint(chain: Chain, { assets, contracts }: World): Promise<void> {
  contracts.entryPoint = await chain.placeAt(MAINNET.entryPoint, artifact('EntryPoint'));
  contracts.accountFactory = await chain.deploy(artifact('SimpleAccountFactory'), [MAINNET.entryPoint]);
  await chain.as(addressOf('maker'), {
    to: MAINNET.entryPoint,
    value: 5n * ETHER,
    data: fn('depositTo(address)', [contracts.paymaster]),
  });
  for (const owner of ['erin', 'frank']) {
    const smart = await chain.read<Address>(
      contracts.accountFactory,
      'getAddress(address,uint256) view returns (address)',
      [addressOf(owner), 0n],
    );
    contracts[`${owner}Account`] = smart;
    await chain.as(addressOf('maker'), { to: smart, value: 5n * ETHER });
    await chain.as(addressOf('maker'), {
      to: assets.USDC!.address,
      data: fn('transfer(address,uint256)', [smart, 5_000n * 10n ** 6n]),
    });
  }
}

async function deployCow(chain: Chain, { contracts }: World): Promise<void> {
  contracts.cowAllowList = await chain.placeAt(MAINNET.cowAllowList, artifact('GPv2AllowList'));
  contracts.cowSettlement = await chain.placeAt(MAINNET.cowSettlement, artifact('GPv2Settlement'), [
    MAINNET.cowAllowList,
    MAINNET.balancerVault,
  ]);
  contracts.cowRelayer = await chain.read<Address>(
    MAINNET.cowSettlement,
    'vaultRelayer() view returns (address)',
  );
  const manager = addressOf('deployer');
  await chain.as(manager, { to: MAINNET.cowAllowList, data: fn('initializeManager(address)', [manager]) });
  await chain.as(manager, {
    to: MAINNET.cowAllowList,
    data: fn('addSolver(address)', [addressOf('solver')]),
  });
}

export const abiEncode = (types: string[], values: unknown[]): Hex =>
  encodeAbiParameters(
    types.map((type) => ({ type })),
    values as never,
  );
