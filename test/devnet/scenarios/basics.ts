import { addressOf } from '../accounts.ts';
import { fn, initCode } from '../chain.ts';
import type { Scenario } from '../scenario.ts';
import { multiSend, safeTransaction } from './safe.ts';

/** Minting, burning, deploying, calling, and what a Safe does every day. */
export const basics: Scenario[] = [
  {
    name: 'nft-mint',
    title: 'Bob mints two NFTs for 0.05 ETH each',
    intent: 'NftMint',
    expect: {
      signer: 'bob',
      actor: 'bob',
      nets: [
        ['bob', 'ETH', '-0.1'],
        ['bob', 'APE#4', '1'],
        ['bob', 'APE#5', '1'],
        ['APE', 'ETH', '0.1'],
      ],
      motifs: ['nft_mint'],
    },
    run: (c) =>
      c.send('bob', { to: c.at('APE'), value: c.units('ETH', '0.1'), data: fn('mint(uint256)', [2n]) }),
  },
  {
    name: 'token-mint',
    title: 'The maker mints itself 1,000 ACORN',
    intent: 'TokenMint',
    expect: { signer: 'maker', actor: 'maker', nets: [['maker', 'ACORN', '1000']], motifs: ['mint'] },
    run: (c) =>
      c.send('maker', {
        to: c.at('ACORN'),
        data: fn('mint(address,uint256)', [addressOf('maker'), c.units('ACORN', '1000')]),
      }),
  },
  {
    name: 'token-burn',
    title: 'Alice burns 10 ACORN',
    intent: 'TokenBurn',
    expect: { signer: 'alice', actor: 'alice', nets: [['alice', 'ACORN', '-10']], motifs: ['burn'] },
    run: (c) => c.send('alice', { to: c.at('ACORN'), data: fn('burn(uint256)', [c.units('ACORN', '10')]) }),
  },
  {
    name: 'deployment',
    title: 'Erin deploys a contract',
    intent: 'ContractDeployment',
    expect: { signer: 'erin', actor: 'erin', nets: [], motifs: [] },
    run: (c) => c.send('erin', { to: null, data: initCode(c.own.Piggybank!) }),
  },
  {
    name: 'contract-call',
    title: 'Frank makes a contract say something unintelligible',
    intent: 'ContractCall',
    expect: { signer: 'frank', actor: 'frank', nets: [], motifs: [] },
    run: (c) => c.send('frank', { to: c.at('novel'), data: fn('howl(uint256)', [3n]) }),
  },
  {
    name: 'unknown-deposit',
    title: 'Frank puts 300 ACORN into a protocol nobody knows',
    intent: 'Unknown',
    alsoAcceptable: ['TokenTransfer', 'Stake', 'ContractCall'],
    expect: {
      signer: 'frank',
      actor: 'frank',
      nets: [
        ['frank', 'ACORN', '-300'],
        ['novel', 'ACORN', '300'],
      ],
      motifs: [],
    },
    setup: (c) => c.approve('frank', 'ACORN', 'novel'),
    run: (c) => c.send('frank', { to: c.at('novel'), data: fn('enter(uint256)', [c.units('ACORN', '300')]) }),
  },
  {
    name: 'safe-transfer',
    title: "A relayer executes the Safe's payment of 1,200 USDC",
    intent: 'TokenTransfer',
    expect: {
      signer: 'relayer',
      actor: 'treasury',
      nets: [
        ['treasury', 'USDC', '-1200'],
        ['dave', 'USDC', '1200'],
      ],
      motifs: ['transfer'],
    },
    run: async (c) =>
      c.send(
        'relayer',
        await safeTransaction(c, {
          to: c.at('USDC'),
          data: fn('transfer(address,uint256)', [addressOf('dave'), c.units('USDC', '1200')]),
        }),
      ),
  },
  {
    name: 'safe-multisend',
    title: "An owner executes the Safe's payroll: USDC, DAI and ETH",
    intent: 'BatchTransfer',
    expect: {
      signer: 'alice',
      actor: 'treasury',
      motifs: ['batch_transfer'],
      nets: [
        ['treasury', 'USDC', '-500'],
        ['treasury', 'DAI', '-700'],
        ['treasury', 'ETH', '-0.5'],
        ['dave', 'USDC', '500'],
        ['erin', 'DAI', '700'],
        ['frank', 'ETH', '0.5'],
      ],
    },
    run: async (c) =>
      c.send(
        'alice',
        await safeTransaction(
          c,
          multiSend(c, [
            {
              to: c.at('USDC'),
              data: fn('transfer(address,uint256)', [addressOf('dave'), c.units('USDC', '500')]),
            },
            {
              to: c.at('DAI'),
              data: fn('transfer(address,uint256)', [addressOf('erin'), c.units('DAI', '700')]),
            },
            { to: addressOf('frank'), value: c.units('ETH', '0.5'), data: '0x' },
          ]),
        ),
      ),
  },
];
