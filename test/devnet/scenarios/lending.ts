import { addressOf } from '../accounts.ts';
import { MAINNET } from '../addresses.ts';
import { fn } from '../chain.ts';
import { ETH_USD } from '../deploy/tokens.ts';
import type { Ctx, Scenario } from '../scenario.ts';

const pool = (signature: string, args: unknown[]) => ({ to: MAINNET.aavePool, data: fn(signature, args) });
const setEthPrice = (c: Ctx, usd: bigint) =>
  c.prepare('deployer', { to: MAINNET.feedEth, data: fn('setAnswer(int256)', [usd * 10n ** 8n]) });

export const lending: Scenario[] = [
  {
    name: 'aave-supply',
    title: 'Judy supplies 10 WETH',
    intent: 'Supply',
    expect: {
      signer: 'judy',
      actor: 'judy',
      nets: [
        ['judy', 'WETH', '-10'],
        ['judy', 'aWETH', '10'],
        ['aWETH', 'WETH', '10'],
      ],
      motifs: ['supply'],
    },
    async setup(c) {
      await c.prepare('judy', { to: c.at('WETH'), value: c.units('ETH', '20'), data: fn('deposit()') });
      await c.approve('judy', 'WETH', 'aavePool');
    },
    run: (c) =>
      c.send(
        'judy',
        pool('supply(address,uint256,address,uint16)', [
          c.at('WETH'),
          c.units('WETH', '10'),
          addressOf('judy'),
          0,
        ]),
      ),
  },
  {
    name: 'aave-borrow',
    title: 'Judy borrows 8,000 USDC',
    intent: 'Borrow',
    expect: {
      signer: 'judy',
      actor: 'judy',
      nets: [
        ['judy', 'USDC', '8000'],
        ['judy', 'debtUSDC', '8000'],
        ['aUSDC', 'USDC', '-8000'],
      ],
      motifs: ['borrow'],
    },
    run: (c) =>
      c.send(
        'judy',
        pool('borrow(address,uint256,uint256,uint16,address)', [
          c.at('USDC'),
          c.units('USDC', '8000'),
          2n,
          0,
          addressOf('judy'),
        ]),
      ),
  },
  {
    name: 'aave-repay',
    title: 'Judy repays 3,000 USDC',
    intent: 'Repay',
    expect: {
      signer: 'judy',
      actor: 'judy',
      nets: [
        ['judy', 'USDC', '-3000'],
        ['judy', 'debtUSDC', '-'],
        ['aUSDC', 'USDC', '3000'],
      ],
      motifs: ['repay'],
    },
    setup: (c) => c.approve('judy', 'USDC', 'aavePool'),
    run: (c) =>
      c.send(
        'judy',
        pool('repay(address,uint256,uint256,address)', [
          c.at('USDC'),
          c.units('USDC', '3000'),
          2n,
          addressOf('judy'),
        ]),
      ),
  },
  {
    name: 'aave-withdraw',
    title: 'Judy withdraws 1 WETH',
    intent: 'Withdraw',
    expect: {
      signer: 'judy',
      actor: 'judy',
      nets: [
        ['judy', 'WETH', '1'],
        ['judy', 'aWETH', '-'],
        ['aWETH', 'WETH', '-1'],
      ],
      motifs: ['withdraw'],
    },
    run: (c) =>
      c.send(
        'judy',
        pool('withdraw(address,uint256,address)', [c.at('WETH'), c.units('WETH', '1'), addressOf('judy')]),
      ),
  },
  {
    name: 'aave-liquidation',
    title: "The liquidator repays 1,200 USDC of Grace's debt for her WETH",
    intent: 'Liquidation',
    expect: {
      signer: 'liquidator',
      actor: 'liquidator',
      nets: [
        ['liquidator', 'USDC', '-1200'],
        ['liquidator', 'WETH', '+'],
        ['grace', 'aWETH', '-'],
        ['grace', 'debtUSDC', '-'],
      ],
      motifs: ['liquidation'],
    },
    async setup(c) {
      await c.prepare('grace', { to: c.at('WETH'), value: c.units('ETH', '1'), data: fn('deposit()') });
      await c.approve('grace', 'WETH', 'aavePool');
      await c.prepare(
        'grace',
        pool('supply(address,uint256,address,uint16)', [
          c.at('WETH'),
          c.units('WETH', '1'),
          addressOf('grace'),
          0,
        ]),
      );
      await c.prepare(
        'grace',
        pool('borrow(address,uint256,uint256,uint16,address)', [
          c.at('USDC'),
          c.units('USDC', '2600'),
          2n,
          0,
          addressOf('grace'),
        ]),
      );
      await setEthPrice(c, 3_000n);
      await c.approve('liquidator', 'USDC', 'aavePool');
    },
    async run(c) {
      const hash = await c.send(
        'liquidator',
        pool('liquidationCall(address,address,address,uint256,bool)', [
          c.at('WETH'),
          c.at('USDC'),
          addressOf('grace'),
          c.units('USDC', '1200'),
          false,
        ]),
      );
      await setEthPrice(c, ETH_USD);
      return hash;
    },
  },
  {
    name: 'aave-flashloan',
    title: 'Ivan borrows 100,000 DAI for the length of one transaction',
    intent: 'FlashLoan',
    expect: {
      signer: 'ivan',
      actor: 'ivan',
      alsoActors: ['flashBorrower'],
      nets: [
        ['flashBorrower', 'DAI', '-50'],
        ['aDAI', 'DAI', '50'],
      ],
      motifs: ['flash_loan'],
    },
    setup: async (c) => {
      await c.prepare('ivan', {
        to: c.at('DAI'),
        data: fn('transfer(address,uint256)', [c.at('flashBorrower'), c.units('DAI', '100')]),
      });
    },
    run: (c) =>
      c.send('ivan', {
        to: c.at('flashBorrower'),
        data: fn('borrow(address,address,uint256,bytes)', [
          MAINNET.aavePool,
          c.at('DAI'),
          c.units('DAI', '100000'),
          '0x',
        ]),
      }),
  },
];
