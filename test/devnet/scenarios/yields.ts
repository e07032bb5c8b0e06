import { addressOf } from '../accounts.ts';
import { fn } from '../chain.ts';
import type { Scenario } from '../scenario.ts';

/** Vaults, staking, airdrops, a sale, and the protocol with events of its own. */
export const yields: Scenario[] = [
  {
    name: 'vault-deposit',
    title: 'Heidi puts 1,000 DAI into an ERC-4626 vault',
    intent: 'VaultDeposit',
    expect: {
      signer: 'heidi',
      actor: 'heidi',
      nets: [
        ['heidi', 'DAI', '-1000'],
        ['heidi', 'vDAI', '1000'],
        ['vDAI', 'DAI', '1000'],
      ],
      motifs: ['vault_deposit'],
    },
    setup: (c) => c.approve('heidi', 'DAI', 'vDAI'),
    run: (c) =>
      c.send('heidi', {
        to: c.at('vDAI'),
        data: fn('deposit(uint256,address)', [c.units('DAI', '1000'), addressOf('heidi')]),
      }),
  },
  {
    name: 'vault-withdraw',
    title: 'Heidi takes 400 DAI out again',
    intent: 'VaultWithdraw',
    expect: {
      signer: 'heidi',
      actor: 'heidi',
      nets: [
        ['heidi', 'DAI', '400'],
        ['heidi', 'vDAI', '-400'],
        ['vDAI', 'DAI', '-400'],
      ],
      motifs: ['vault_withdraw'],
    },
    run: (c) =>
      c.send('heidi', {
        to: c.at('vDAI'),
        data: fn('withdraw(uint256,address,address)', [
          c.units('DAI', '400'),
          addressOf('heidi'),
          addressOf('heidi'),
        ]),
      }),
  },
  {
    name: 'stake',
    title: 'Ivan stakes 100 ACORN',
    intent: 'Stake',
    expect: {
      signer: 'ivan',
      actor: 'ivan',
      nets: [
        ['ivan', 'ACORN', '-100'],
        ['stakingPool', 'ACORN', '100'],
      ],
      motifs: ['stake'],
    },
    setup: (c) => c.approve('ivan', 'ACORN', 'stakingPool'),
    run: (c) =>
      c.send('ivan', { to: c.at('stakingPool'), data: fn('stake(uint256)', [c.units('ACORN', '100')]) }),
  },
  {
    name: 'claim-rewards',
    title: 'Ivan claims his staking reward',
    intent: 'ClaimRewards',
    expect: {
      signer: 'ivan',
      actor: 'ivan',
      nets: [
        ['ivan', 'TRUFFLE', '0.0012'],
        ['stakingPool', 'TRUFFLE', '-0.0012'],
      ],
      motifs: ['claim_rewards'],
    },
    run: (c) => c.send('ivan', { to: c.at('stakingPool'), data: fn('getReward()') }),
  },
  {
    name: 'unstake',
    title: 'Ivan unstakes 60 ACORN',
    intent: 'Unstake',
    expect: {
      signer: 'ivan',
      actor: 'ivan',
      nets: [
        ['ivan', 'ACORN', '60'],
        ['stakingPool', 'ACORN', '-60'],
      ],
      motifs: ['unstake'],
    },
    run: (c) =>
      c.send('ivan', { to: c.at('stakingPool'), data: fn('withdraw(uint256)', [c.units('ACORN', '60')]) }),
  },
  {
    name: 'airdrop-claim',
    title: 'Judy claims 42 ACORN of an airdrop',
    intent: 'ClaimRewards',
    expect: {
      signer: 'judy',
      actor: 'judy',
      nets: [
        ['judy', 'ACORN', '42'],
        ['airdrop', 'ACORN', '-42'],
      ],
      motifs: ['claim_rewards'],
    },
    run: (c) =>
      c.send('judy', {
        to: c.at('airdrop'),
        data: fn('claim(uint256,address,uint256,bytes32[])', [
          7n,
          addressOf('judy'),
          c.units('ACORN', '42'),
          [],
        ]),
      }),
  },
  {
    name: 'nft-sale',
    title: "Dave buys Carol's NFT for 2 ETH on a market",
    intent: 'NftTrade',
    expect: {
      signer: 'dave',
      actor: 'dave',
      nets: [
        ['dave', 'ETH', '-2'],
        ['dave', 'APE#3', '1'],
        ['carol', 'APE#3', '-1'],
        ['carol', 'ETH', '1.95'],
        ['house', 'ETH', '0.05'],
      ],
      motifs: ['nft_trade'],
    },
    async setup(c) {
      await c.prepare('carol', {
        to: c.at('APE'),
        data: fn('setApprovalForAll(address,bool)', [c.at('nftMarket'), true]),
      });
      await c.prepare('carol', {
        to: c.at('nftMarket'),
        data: fn('list(address,uint256,uint256)', [c.at('APE'), 3n, c.units('ETH', '2')]),
      });
    },
    run: (c) =>
      c.send('dave', {
        to: c.at('nftMarket'),
        value: c.units('ETH', '2'),
        data: fn('buy(address,uint256)', [c.at('APE'), 3n]),
      }),
  },
  {
    name: 'nft-burn',
    title: 'Bob burns one of his NFTs',
    intent: 'NftBurn',
    expect: { signer: 'bob', actor: 'bob', nets: [['bob', 'APE#4', '-1']], motifs: ['burn'] },
    run: (c) => c.send('bob', { to: c.at('APE'), data: fn('burn(uint256)', [4n]) }),
  },
  {
    name: 'liquid-stake',
    title: 'Judy gives 3 ETH for a rebasing token',
    intent: 'Stake',
    alsoAcceptable: ['TokenMint', 'VaultDeposit', 'Unknown'],
    expect: {
      signer: 'judy',
      actor: 'judy',
      nets: [
        ['judy', 'ETH', '-3'],
        ['judy', 'rbETH', '3'],
        ['rbETH', 'ETH', '3'],
      ],
      motifs: ['stake'],
    },
    run: (c) => c.send('judy', { to: c.at('rbETH'), value: c.units('ETH', '3'), data: fn('submit()') }),
  },
  {
    name: 'rebase',
    title: "The rebasing token grows by 0.3 in everybody's hands, without a Transfer",
    intent: 'ContractCall',
    alsoAcceptable: ['Unknown'],
    expect: { signer: 'house', actor: 'house', nets: [], motifs: [] },
    run: (c) =>
      c.send('house', { to: c.at('rbETH'), data: fn('rebase(uint256)', [c.units('rbETH', '0.3')]) }),
  },
  {
    name: 'rebase-transfer',
    title: 'Judy sends Dave 1 of the rebasing token',
    intent: 'TokenTransfer',
    expect: {
      signer: 'judy',
      actor: 'judy',
      nets: [
        ['judy', 'rbETH', '-'],
        ['dave', 'rbETH', '+'],
      ],
      motifs: ['transfer'],
    },
    run: (c) =>
      c.send('judy', {
        to: c.at('rbETH'),
        data: fn('transfer(address,uint256)', [addressOf('dave'), c.units('rbETH', '1')]),
      }),
  },
  {
    name: 'novel-harvest',
    title: 'Frank gathers 9 TRUFFLE from the protocol nobody knows',
    intent: 'Unknown',
    alsoAcceptable: ['TokenTransfer', 'ClaimRewards', 'ContractCall'],
    expect: {
      signer: 'frank',
      actor: 'frank',
      nets: [
        ['frank', 'TRUFFLE', '9'],
        ['novel', 'TRUFFLE', '-9'],
      ],
      motifs: [],
    },
    run: (c) => c.send('frank', { to: c.at('novel'), data: fn('harvest()') }),
  },
  {
    name: 'novel-leave',
    title: 'Frank leaves the protocol nobody knows with 100 ACORN',
    intent: 'Unknown',
    alsoAcceptable: ['TokenTransfer', 'Unstake', 'ContractCall'],
    expect: {
      signer: 'frank',
      actor: 'frank',
      nets: [
        ['frank', 'ACORN', '100'],
        ['novel', 'ACORN', '-100'],
      ],
      motifs: [],
    },
    run: (c) => c.send('frank', { to: c.at('novel'), data: fn('leave(uint256)', [c.units('ACORN', '300')]) }),
  },
];
