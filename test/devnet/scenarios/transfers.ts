import { addressOf } from '../accounts.ts';
import { fn } from '../chain.ts';
import type { Scenario } from '../scenario.ts';

export const transfers: Scenario[] = [
  {
    name: 'native-transfer',
    title: 'Alice sends Bob 1.5 ETH',
    intent: 'NativeTransfer',
    expect: {
      signer: 'alice',
      actor: 'alice',
      nets: [
        ['alice', 'ETH', '-1.5'],
        ['bob', 'ETH', '1.5'],
      ],
      motifs: ['transfer'],
    },
    run: (c) => c.send('alice', { to: addressOf('bob'), value: c.units('ETH', '1.5'), gas: 21_000n }),
  },
  {
    name: 'token-transfer',
    title: 'Alice sends Bob 250 USDC (behind a proxy)',
    intent: 'TokenTransfer',
    expect: {
      signer: 'alice',
      actor: 'alice',
      nets: [
        ['alice', 'USDC', '-250'],
        ['bob', 'USDC', '250'],
      ],
      motifs: ['transfer'],
    },
    run: (c) =>
      c.send('alice', {
        to: c.at('USDC'),
        data: fn('transfer(address,uint256)', [addressOf('bob'), c.units('USDC', '250')]),
      }),
  },
  {
    name: 'usdt-transfer',
    title: 'Bob sends Carol 100 USDT (returns nothing)',
    intent: 'TokenTransfer',
    expect: {
      signer: 'bob',
      actor: 'bob',
      nets: [
        ['bob', 'USDT', '-100'],
        ['carol', 'USDT', '100'],
      ],
      motifs: ['transfer'],
    },
    run: (c) =>
      c.send('bob', {
        to: c.at('USDT'),
        data: fn('transfer(address,uint256)', [addressOf('carol'), c.units('USDT', '100')]),
      }),
  },
  {
    name: 'nft-transfer',
    title: 'Alice gives Bob an ERC-721',
    intent: 'NftTransfer',
    expect: {
      signer: 'alice',
      actor: 'alice',
      nets: [
        ['alice', 'APE#1', '-1'],
        ['bob', 'APE#1', '1'],
      ],
      motifs: ['transfer'],
    },
    run: (c) =>
      c.send('alice', {
        to: c.at('APE'),
        data: fn('safeTransferFrom(address,address,uint256)', [addressOf('alice'), addressOf('bob'), 1n]),
      }),
  },
  {
    name: 'erc1155-single',
    title: 'Carol gives Bob five of an ERC-1155 id',
    intent: 'NftTransfer',
    expect: {
      signer: 'carol',
      actor: 'carol',
      nets: [
        ['carol', 'ITEM#1', '-5'],
        ['bob', 'ITEM#1', '5'],
      ],
      motifs: ['transfer'],
    },
    run: (c) =>
      c.send('carol', {
        to: c.at('ITEM'),
        data: fn('safeTransferFrom(address,address,uint256,uint256,bytes)', [
          addressOf('carol'),
          addressOf('bob'),
          1n,
          5n,
          '0x',
        ]),
      }),
  },
  {
    name: 'erc1155-batch',
    title: 'Carol gives Bob two ERC-1155 ids at once',
    intent: 'NftTransfer',
    alsoAcceptable: ['BatchTransfer'],
    expect: {
      signer: 'carol',
      actor: 'carol',
      motifs: ['transfer', 'transfer'],
      nets: [
        ['carol', 'ITEM#2', '-3'],
        ['carol', 'ITEM#3', '-4'],
        ['bob', 'ITEM#2', '3'],
        ['bob', 'ITEM#3', '4'],
      ],
    },
    run: (c) =>
      c.send('carol', {
        to: c.at('ITEM'),
        data: fn('safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)', [
          addressOf('carol'),
          addressOf('bob'),
          [2n, 3n],
          [3n, 4n],
          '0x',
        ]),
      }),
  },
  {
    name: 'batch-native',
    title: 'Dave pays three people in ETH, change comes back',
    intent: 'BatchTransfer',
    expect: {
      signer: 'dave',
      actor: 'dave',
      motifs: ['batch_transfer'],
      nets: [
        ['dave', 'ETH', '-6'],
        ['alice', 'ETH', '1'],
        ['bob', 'ETH', '2'],
        ['carol', 'ETH', '3'],
        ['disperse', 'ETH', '0'],
      ],
    },
    run: (c) =>
      c.send('dave', {
        to: c.at('disperse'),
        value: c.units('ETH', '6.5'),
        data: fn('disperseEther(address[],uint256[])', [
          ['alice', 'bob', 'carol'].map(addressOf),
          ['1', '2', '3'].map((n) => c.units('ETH', n)),
        ]),
      }),
  },
  {
    name: 'batch-token',
    title: 'Dave pays three people in DAI',
    intent: 'BatchTransfer',
    expect: {
      signer: 'dave',
      actor: 'dave',
      motifs: ['batch_transfer'],
      nets: [
        ['dave', 'DAI', '-600'],
        ['alice', 'DAI', '100'],
        ['bob', 'DAI', '200'],
        ['carol', 'DAI', '300'],
        ['disperse', 'DAI', '0'],
      ],
    },
    setup: (c) => c.approve('dave', 'DAI', 'disperse'),
    run: (c) =>
      c.send('dave', {
        to: c.at('disperse'),
        data: fn('disperseToken(address,address[],uint256[])', [
          c.at('DAI'),
          ['alice', 'bob', 'carol'].map(addressOf),
          ['100', '200', '300'].map((n) => c.units('DAI', n)),
        ]),
      }),
  },
  {
    name: 'self-transaction',
    title: 'Alice cancels a nonce by an empty transaction to herself',
    intent: 'SelfTransaction',
    expect: { signer: 'alice', actor: 'alice', nets: [], motifs: [] },
    run: (c) => c.send('alice', { to: addressOf('alice'), gas: 21_000n }),
  },
  {
    name: 'spam-zero-value',
    title: 'A poisoner moves nothing between strangers, on genuine USDC',
    intent: 'SpamTransfer',
    expect: { signer: 'spammer', actor: 'spammer', nets: [], motifs: [] },
    run: (c) =>
      c.send('spammer', {
        to: c.at('poisoner'),
        data: fn('poison(address,address[],address[])', [
          c.at('USDC'),
          ['alice', 'bob'].map(addressOf),
          ['lookalike of bob', 'lookalike of carol'].map(addressOf),
        ]),
      }),
  },
  {
    name: 'spam-forged',
    title: 'A false USDC claims transfers that nobody made',
    intent: 'SpamTransfer',
    expect: {
      signer: 'spammer',
      actor: 'spammer',
      nets: [
        ['alice', 'FAKE', '0'],
        ['bob', 'FAKE', '0'],
      ],
      motifs: [],
    },
    run: (c) =>
      c.send('spammer', {
        to: c.at('FAKE'),
        data: fn('forge(address[],address[],uint256[])', [
          ['alice', 'bob'].map(addressOf),
          ['lookalike of bob', 'lookalike of carol'].map(addressOf),
          [250_000_000n, 100_000_000n],
        ]),
      }),
  },
];
