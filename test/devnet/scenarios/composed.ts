import { addressOf, type Person } from '../accounts.ts';
import { MAINNET } from '../addresses.ts';
import { fn } from '../chain.ts';
import type { Ctx, Scenario } from '../scenario.ts';
import { erc20 } from '../world.ts';
import { cycle } from './mev.ts';

const NO_DATA = '0x';
const pool = (signature: string, args: unknown[]) => ({ to: MAINNET.aavePool, data: fn(signature, args) });

/** Deploys a contract of this file's scenarios under a role. */
async function put(c: Ctx, role: string, name: string, args: unknown[] = []): Promise<void> {
  c.world.contracts[role] = await c.chain.deploy(c.own[name]!, args);
}

const give = (c: Ctx, from: Person, asset: string, to: string, amount: string) =>
  c.prepare(from, {
    to: c.at(asset),
    data: fn('transfer(address,uint256)', [c.at(to), c.units(asset, amount)]),
  });

/** A pool of stakes and rewards, and one who has staked 200 DAI in it. */
async function stakeAt(c: Ctx, role: string, reward: string, who: Person): Promise<void> {
  await put(c, role, 'ExitPool', [c.at('DAI'), c.at(reward)]);
  await give(c, 'maker', reward, role, '10');
  await c.approve(who, 'DAI', role);
  await c.prepare(who, { to: c.at(role), data: fn('stake(uint256)', [c.units('DAI', '200')]) });
}

/** Acts of several parts: bridges, bundles, leverage, vaults that lend on, exits with a reward, tips. */
export const composed: Scenario[] = [
  {
    name: 'bridge-ether',
    title: 'Alice sends 2 ETH to a rollup through its standard bridge',
    intent: 'BridgeDeposit',
    expect: {
      signer: 'alice',
      actor: 'alice',
      nets: [
        ['alice', 'ETH', '-2'],
        ['portal', 'ETH', '2'],
      ],
      motifs: ['bridge_deposit'],
    },
    async setup(c) {
      c.world.contracts.portal = await c.chain.placeAt(MAINNET.optimismPortal, c.own.Portal!);
      c.world.contracts.bridge = await c.chain.placeAt(MAINNET.optimismBridge, c.own.StandardBridge!, [
        MAINNET.optimismPortal,
      ]);
    },
    run: (c) =>
      c.send('alice', {
        to: c.at('bridge'),
        value: c.units('ETH', '2'),
        data: fn('depositETH(uint32,bytes)', [200_000, NO_DATA]),
      }),
  },
  {
    name: 'bridge-token',
    title: 'Bob sends 1,500 DAI to a rollup through its standard bridge',
    intent: 'BridgeDeposit',
    expect: {
      signer: 'bob',
      actor: 'bob',
      nets: [
        ['bob', 'DAI', '-1500'],
        ['bridge', 'DAI', '1500'],
      ],
      motifs: ['bridge_deposit'],
    },
    setup: (c) => c.approve('bob', 'DAI', 'bridge'),
    run: (c) =>
      c.send('bob', {
        to: c.at('bridge'),
        data: fn('depositERC20(address,address,uint256,uint32,bytes)', [
          c.at('DAI'),
          c.at('DAI'),
          c.units('DAI', '1500'),
          200_000,
          NO_DATA,
        ]),
      }),
  },
  {
    name: 'bridge-withdrawal',
    title: 'Carol takes 0.75 ETH back from the rollup',
    intent: 'BridgeWithdrawal',
    expect: {
      signer: 'carol',
      actor: 'carol',
      nets: [
        ['carol', 'ETH', '0.75'],
        ['portal', 'ETH', '-0.75'],
      ],
      motifs: ['bridge_withdrawal'],
    },
    run: (c) =>
      c.send('carol', {
        to: c.at('portal'),
        data: fn('finalizeWithdrawalTransaction((uint256,address,address,uint256,uint256,bytes))', [
          [
            1n,
            c.at('bridge'),
            c.at('bridge'),
            c.units('ETH', '0.75'),
            200_000n,
            fn('finalizeBridgeETH(address,address,uint256,bytes)', [
              addressOf('carol'),
              addressOf('carol'),
              c.units('ETH', '0.75'),
              NO_DATA,
            ]),
          ],
        ]),
      }),
  },
  {
    name: 'nft-bundle',
    title: 'Dave buys two NFTs of Carol and one of Erin for one payment of 3.3 ETH',
    intent: 'NftTrade',
    expect: {
      signer: 'dave',
      actor: 'dave',
      nets: [
        ['dave', 'ETH', '-3.3'],
        ['dave', 'OAK#1', '1'],
        ['dave', 'OAK#2', '1'],
        ['dave', 'OAK#3', '1'],
        ['carol', 'OAK#1', '-1'],
        ['carol', 'OAK#2', '-1'],
        ['carol', 'ETH', '2.4375'],
        ['erin', 'OAK#3', '-1'],
        ['erin', 'ETH', '0.78'],
        ['house', 'ETH', '0.0825'],
      ],
      motifs: ['nft_trade', 'nft_trade', 'nft_trade'],
    },
    async setup(c) {
      await put(c, 'bundleMarket', 'BundleMarket', [addressOf('house')]);
      const address = await c.chain.deploy(c.own.DevNft!, ['Devnet Oaks', 'OAK']);
      c.world.assets.OAK = { kind: 'erc721', address, symbol: 'OAK', name: 'Devnet Oaks', decimals: 0 };
      for (const [id, [seller, price]] of (
        [
          ['carol', '1'],
          ['carol', '1.5'],
          ['erin', '0.8'],
        ] as const
      ).entries()) {
        await c.prepare('maker', { to: address, data: fn('give(address)', [addressOf(seller)]) });
        await c.prepare(seller, {
          to: address,
          data: fn('setApprovalForAll(address,bool)', [c.at('bundleMarket'), true]),
        });
        await c.prepare(seller, {
          to: c.at('bundleMarket'),
          data: fn('list(address,uint256,uint256)', [address, BigInt(id + 1), c.units('ETH', price)]),
        });
      }
    },
    run: (c) =>
      c.send('dave', {
        to: c.at('bundleMarket'),
        value: c.units('ETH', '3.3'),
        data: fn('buy(address,uint256[])', [c.at('OAK'), [1n, 2n, 3n]]),
      }),
  },
  {
    name: 'leverage',
    title: 'Frank supplies 5 WETH, borrows 8,000 USDC and supplies what they buy',
    intent: 'Supply',
    alsoAcceptable: ['Borrow'],
    expect: {
      signer: 'frank',
      actor: 'frank',
      nets: [
        ['frank', 'WETH', '-5'],
        ['frank', 'aWETH', '+'],
        ['frank', 'debtUSDC', '8000'],
        ['v2PairUSDC', 'USDC', '8000'],
        ['v2PairUSDC', 'WETH', '-'],
      ],
      motifs: ['supply', 'borrow', 'swap', 'supply'],
    },
    async setup(c) {
      await put(c, 'leverager', 'Leverager');
      await c.prepare('frank', { to: c.at('WETH'), value: c.units('ETH', '5'), data: fn('deposit()') });
      await c.approve('frank', 'WETH', 'leverager');
      await c.prepare('frank', {
        to: c.at('debtUSDC'),
        data: fn('approveDelegation(address,uint256)', [c.at('leverager'), c.units('USDC', '8000')]),
      });
    },
    run: (c) =>
      c.send('frank', {
        to: c.at('leverager'),
        gas: 2_000_000n,
        data: fn('open(address,address,address,uint256,address,uint256)', [
          MAINNET.aavePool,
          MAINNET.v2Router,
          c.at('WETH'),
          c.units('WETH', '5'),
          c.at('USDC'),
          c.units('USDC', '8000'),
        ]),
      }),
  },
  {
    name: 'vault-supplies-on',
    title: 'Heidi puts 1,000 DAI into a vault that supplies them at the lending pool',
    intent: 'VaultDeposit',
    expect: {
      signer: 'heidi',
      actor: 'heidi',
      nets: [
        ['heidi', 'DAI', '-1000'],
        ['heidi', 'cvDAI', '1000'],
        ['aDAI', 'DAI', '1000'],
      ],
      motifs: ['vault_deposit', 'supply'],
    },
    async setup(c) {
      const address = await c.chain.deploy(c.own.CarryVault!, [c.at('DAI'), MAINNET.aavePool, c.at('aDAI')]);
      c.world.assets.cvDAI = erc20(address, 'cvDAI', 'Carry DAI');
      await c.approve('heidi', 'DAI', 'cvDAI');
    },
    run: (c) =>
      c.send('heidi', {
        to: c.at('cvDAI'),
        data: fn('deposit(uint256,address)', [c.units('DAI', '1000'), addressOf('heidi')]),
      }),
  },
  {
    name: 'vault-withdraws-on',
    title: 'Heidi takes 400 DAI back from the vault that supplied them',
    intent: 'VaultWithdraw',
    expect: {
      signer: 'heidi',
      actor: 'heidi',
      nets: [
        ['heidi', 'DAI', '400'],
        ['heidi', 'cvDAI', '-'],
        ['aDAI', 'DAI', '-400'],
      ],
      motifs: ['vault_withdraw', 'withdraw'],
    },
    run: (c) =>
      c.send('heidi', {
        to: c.at('cvDAI'),
        data: fn('withdraw(uint256,address,address)', [
          c.units('DAI', '400'),
          addressOf('heidi'),
          addressOf('heidi'),
        ]),
      }),
  },
  {
    name: 'exit-with-reward',
    title: 'Ivan leaves a staking pool with his 200 DAI and a reward in WETH',
    intent: 'Unstake',
    expect: {
      signer: 'ivan',
      actor: 'ivan',
      nets: [
        ['ivan', 'DAI', '200'],
        ['ivan', 'WETH', '0.0024'],
        ['exitPool', 'DAI', '-200'],
        ['exitPool', 'WETH', '-0.0024'],
      ],
      motifs: ['unstake', 'claim_rewards'],
    },
    setup: (c) => stakeAt(c, 'exitPool', 'WETH', 'ivan'),
    run: (c) => c.send('ivan', { to: c.at('exitPool'), data: fn('exit()') }),
  },
  {
    name: 'exit-same-token',
    title: 'Grace leaves a staking pool with her 200 DAI and a reward in DAI',
    intent: 'Unstake',
    expect: {
      signer: 'grace',
      actor: 'grace',
      nets: [
        ['grace', 'DAI', '200.0024'],
        ['samePool', 'DAI', '-200.0024'],
      ],
      motifs: ['unstake', 'claim_rewards'],
    },
    setup: (c) => stakeAt(c, 'samePool', 'DAI', 'grace'),
    run: (c) => c.send('grace', { to: c.at('samePool'), data: fn('exit()') }),
  },
  {
    name: 'arbitrage-flashloan-tip',
    title: 'A flash loan, two pools, and 0.01 ETH of the result to the builder',
    intent: 'AtomicArbitrage',
    expect: {
      signer: 'searcher',
      actor: 'flashTipper',
      alsoActors: ['searcher'],
      nets: [
        ['flashTipper', 'WETH', '+'],
        ['sushiPairUSDC', 'WETH', '2'],
        ['aWETH', 'WETH', '0.001'],
        ['builder', 'ETH', '0.01'],
      ],
      motifs: ['flash_loan', 'swap', 'swap', 'cycle'],
    },
    async setup(c) {
      await put(c, 'flashTipper', 'FlashTipper', [addressOf('searcher')]);
      // 60,000 USDC make WETH dear at the second pair.
      const sushi = c.at('sushiPairUSDC');
      const [usdc, weth] = await c.chain.read<[bigint, bigint, number]>(
        sushi,
        'getReserves() view returns (uint112,uint112,uint32)',
      );
      const paid = c.units('USDC', '60000');
      const out = (paid * 997n * weth) / (usdc * 1000n + paid * 997n);
      await give(c, 'maker', 'USDC', 'sushiPairUSDC', '60000');
      await c.prepare('maker', {
        to: sushi,
        data: fn('swap(uint256,uint256,address,bytes)', [0n, out, addressOf('maker'), NO_DATA]),
      });
    },
    run: async (c) =>
      c.send('searcher', {
        to: c.at('flashTipper'),
        data: fn('run(address,address,uint256,uint256,(address,uint256,bytes)[])', [
          MAINNET.aavePool,
          c.at('WETH'),
          c.units('WETH', '2'),
          c.units('ETH', '0.01'),
          await cycle(c, c.units('WETH', '2'), c.at('flashTipper')),
        ]),
      }),
  },
  {
    name: 'aave-repay-with-receipt',
    title: 'Judy repays 1,000 USDC of her debt with her own aUSDC',
    intent: 'Repay',
    expect: {
      signer: 'judy',
      actor: 'judy',
      nets: [
        ['judy', 'aUSDC', '-'],
        ['judy', 'debtUSDC', '-'],
      ],
      motifs: ['repay'],
    },
    async setup(c) {
      await c.approve('judy', 'USDC', 'aavePool');
      await c.prepare(
        'judy',
        pool('supply(address,uint256,address,uint16)', [
          c.at('USDC'),
          c.units('USDC', '2000'),
          addressOf('judy'),
          0,
        ]),
      );
    },
    run: (c) =>
      c.send(
        'judy',
        pool('repayWithATokens(address,uint256,uint256)', [c.at('USDC'), c.units('USDC', '1000'), 2n]),
      ),
  },
  {
    name: 'aave-repay-all',
    title: 'Judy repays all that is left of her debt',
    intent: 'Repay',
    expect: {
      signer: 'judy',
      actor: 'judy',
      nets: [
        ['judy', 'USDC', '-'],
        ['judy', 'debtUSDC', '-'],
        ['aUSDC', 'USDC', '+'],
      ],
      motifs: ['repay'],
    },
    run: (c) =>
      c.send(
        'judy',
        pool('repay(address,uint256,uint256,address)', [
          c.at('USDC'),
          2n ** 256n - 1n,
          2n,
          addressOf('judy'),
        ]),
      ),
  },
];
