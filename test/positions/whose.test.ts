// Whose position, and what it holds: acts for another, through helpers, and moves between markets, as the protocols' own
// contracts emit them. A position is the account's that its market books it to; a helper has none.
import { describe, expect, it } from 'vitest';
import type { RawExampleTransaction } from '../../src/model/generated/rules.ts';
import { event, move, reportOf } from '../support/madeUp.ts';

const ERC4626_DEPOSIT =
  'Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)';
const ERC4626_WITHDRAW =
  'Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)';
const AAVE_SUPPLY =
  'Supply(address indexed reserve, address user, address indexed onBehalfOf, uint256 amount, uint16 indexed referralCode)';
const AAVE_WITHDRAW =
  'Withdraw(address indexed reserve, address indexed user, address indexed to, uint256 amount)';
const AAVE_REPAY =
  'Repay(address indexed reserve, address indexed user, address indexed repayer, uint256 amount, bool useATokens)';
const SY_DEPOSIT =
  'Deposit(address indexed caller, address indexed receiver, address indexed tokenIn, uint256 amountDeposited, uint256 amountSyOut)';
const SY_REDEEM =
  'Redeem(address indexed caller, address indexed receiver, address indexed tokenOut, uint256 amountSyToRedeem, uint256 amountTokenOut)';
const MORPHO = '0xBBBBBbbBBb9cC5e90e3b3Af64bdAF62C37EEFFCb';
const AAVE_V2 = '0x7d2768dE32b0b80b7a3454c06BdAc94A69DDc7A9';
const AAVE_V3 = '0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2';
/** Curve's, a listed one. */
const ZAP = '0xA79828DF1850E8a3A3064576f380D90aECDD3359';
const COMET = '0xc3d688B66703497DAA19211EEdff47f25384cdc3';
const PENDLE = '0x888888888889758F76e7103c6CbF23ABbF58F946';
const MARKET = `0x${'11'.repeat(32)}`;
const E18 = '0'.repeat(18);

interface Case {
  readonly name: string;
  readonly transaction: RawExampleTransaction;
  /** Null where the sentence is not the matter here. */
  readonly intent: string | null;
  readonly positions: readonly string[];
}

const CASES: readonly Case[] = [
  {
    name: "collateral put in for another is the other's",
    transaction: {
      to: MORPHO,
      call: 'supplyCollateral((address,address,address,address,uint256),uint256,address,bytes)',
      args: [['LOAN', 'TOKEN', 'oracle', 'irm', 1], '5e18', 'friend', '0x'],
      steps: [
        event(
          'SupplyCollateral(bytes32 indexed id, address indexed caller, address indexed onBehalf, uint256 assets)',
          MORPHO,
          [MARKET, 'actor', 'friend', '5e18'],
        ),
        move('5e18', 'TOKEN', 'actor', MORPHO),
      ],
    },
    intent: 'Supply',
    positions: [`lending_supply increase friend: principal -5${E18}`],
  },
  {
    name: "collateral paid out to another was the owner's",
    transaction: {
      to: MORPHO,
      steps: [
        event(
          'WithdrawCollateral(bytes32 indexed id, address caller, address indexed onBehalf, address indexed receiver, uint256 assets)',
          MORPHO,
          [MARKET, 'actor', 'actor', 'friend', '5e18'],
        ),
        move('5e18', 'TOKEN', MORPHO, 'friend'),
      ],
    },
    intent: 'Withdraw',
    positions: [`lending_supply decrease actor: principal 5${E18}`],
  },
  {
    name: "a loan paid out to another is the borrower's",
    transaction: {
      to: MORPHO,
      steps: [
        event(
          'Borrow(bytes32 indexed id, address caller, address indexed onBehalf, address indexed receiver, uint256 assets, uint256 shares)',
          MORPHO,
          [MARKET, 'actor', 'actor', 'friend', '5e18', '4e18'],
        ),
        move('5e18', 'TOKEN', MORPHO, 'friend'),
      ],
    },
    intent: 'Borrow',
    positions: [`lending_debt increase actor: debt 5${E18}`],
  },
  {
    name: "a debt repaid for another is the other's",
    transaction: {
      to: MORPHO,
      steps: [
        event(
          'Repay(bytes32 indexed id, address indexed caller, address indexed onBehalf, uint256 assets, uint256 shares)',
          MORPHO,
          [MARKET, 'actor', 'friend', '5e18', '4e18'],
        ),
        move('5e18', 'TOKEN', 'actor', MORPHO),
      ],
    },
    intent: 'Repay',
    positions: [`lending_debt decrease friend: debt -5${E18}`],
  },
  {
    name: 'the base asset supplied for another',
    transaction: {
      to: COMET,
      steps: [
        move('5e18', 'TOKEN', 'actor', COMET),
        event('Supply(address indexed from, address indexed dst, uint256 amount)', COMET, [
          'actor',
          'friend',
          '5e18',
        ]),
        move('5e18', COMET, 'zero', 'friend'),
      ],
    },
    intent: 'Supply',
    positions: [`lending_supply increase friend: principal -5${E18}`],
  },
  {
    name: 'a supply whose receipts another holds',
    transaction: {
      to: AAVE_V3,
      steps: [
        move('5e18', 'TOKEN', 'actor', 'ATOKEN'),
        move('5e18', 'ATOKEN', 'zero', 'friend'),
        event(AAVE_SUPPLY, AAVE_V3, ['TOKEN', 'actor', 'friend', '5e18', 0]),
      ],
    },
    intent: 'Supply',
    positions: [`lending_supply increase friend: principal -5${E18}`],
  },
  {
    name: 'a withdrawal paid to another',
    transaction: {
      to: AAVE_V3,
      steps: [
        move('5e18', 'ATOKEN', 'actor', 'zero'),
        move('5e18', 'TOKEN', 'ATOKEN', 'friend'),
        event(AAVE_WITHDRAW, AAVE_V3, ['TOKEN', 'actor', 'friend', '5e18']),
      ],
    },
    intent: 'Withdraw',
    positions: [`lending_supply decrease actor: principal 5${E18}`],
  },
  {
    name: 'a debt repaid with receipts shrinks both',
    transaction: {
      to: AAVE_V3,
      steps: [
        move('5e18', 'DEBT', 'actor', 'zero'),
        move('5e18', 'ATOKEN', 'actor', 'zero'),
        event(AAVE_REPAY, AAVE_V3, ['TOKEN', 'actor', 'actor', '5e18', true]),
      ],
    },
    intent: 'Repay',
    positions: ['lending_debt decrease actor: ', 'lending_supply decrease actor: '],
  },
  {
    name: 'a zap that hands the shares on',
    transaction: {
      to: 'zap',
      steps: [
        move('5e18', 'TOKEN', 'actor', 'zap'),
        move('5e18', 'TOKEN', 'zap', 'pool'),
        move('7e18', 'OTHER', 'pool', 'zap'),
        move('7e18', 'OTHER', 'zap', 'VAULT'),
        move('6e18', 'VAULT', 'zero', 'zap'),
        event(ERC4626_DEPOSIT, 'VAULT', ['zap', 'zap', '7e18', '6e18']),
        move('6e18', 'VAULT', 'zap', 'actor'),
      ],
    },
    // The vault was one more venue of the way: it dealt with the zap alone, and the actor bought its shares.
    intent: 'AggregatedSwap',
    positions: [`vault increase actor: principal -5${E18}`],
  },
  {
    name: 'a zap that has the shares minted to its user',
    transaction: {
      to: ZAP,
      steps: [
        move('5e18', 'TOKEN', 'actor', ZAP),
        move('5e18', 'TOKEN', ZAP, 'pool'),
        move('7e18', 'OTHER', 'pool', ZAP),
        move('7e18', 'OTHER', ZAP, 'VAULT'),
        move('6e18', 'VAULT', 'zero', 'actor'),
        event(ERC4626_DEPOSIT, 'VAULT', [ZAP, 'actor', '7e18', '6e18']),
      ],
    },
    intent: 'VaultDeposit',
    positions: [`vault increase actor: principal -5${E18}`],
  },
  {
    name: 'a zap out of a vault',
    transaction: {
      to: 'zap',
      steps: [
        move('6e18', 'VAULT', 'actor', 'zap'),
        move('6e18', 'VAULT', 'zap', 'zero'),
        move('7e18', 'OTHER', 'VAULT', 'zap'),
        event(ERC4626_WITHDRAW, 'VAULT', ['zap', 'zap', 'zap', '7e18', '6e18']),
        move('7e18', 'OTHER', 'zap', 'pool'),
        move('5e18', 'TOKEN', 'pool', 'zap'),
        move('5e18', 'TOKEN', 'zap', 'actor'),
      ],
    },
    intent: null,
    positions: [`vault decrease actor: principal 5${E18}`],
  },
  {
    name: 'a move from Aave v2 to v3',
    transaction: {
      to: 'migrator',
      steps: [
        move('5e18', 'AOLD', 'actor', 'migrator'),
        move('5e18', 'AOLD', 'migrator', 'zero'),
        move('5e18', 'TOKEN', 'AOLD', 'migrator'),
        event(AAVE_WITHDRAW, AAVE_V2, ['TOKEN', 'migrator', 'migrator', '5e18']),
        move('5e18', 'TOKEN', 'migrator', 'ANEW'),
        move('5e18', 'ANEW', 'zero', 'actor'),
        event(AAVE_SUPPLY, AAVE_V3, ['TOKEN', 'migrator', 'actor', '5e18', 0]),
      ],
    },
    intent: 'PositionMigration',
    positions: [
      `lending_supply decrease actor: principal 5${E18}`,
      `lending_supply increase actor: principal -5${E18}`,
    ],
  },
  {
    name: 'a move from Compound v2 to v3',
    transaction: {
      to: 'migrator',
      steps: [
        move('6e18', 'CTOKEN', 'actor', 'migrator'),
        move('5e18', 'TOKEN', 'CTOKEN', 'migrator'),
        move('6e18', 'CTOKEN', 'migrator', 'CTOKEN'),
        event('Redeem(address redeemer, uint256 redeemAmount, uint256 redeemTokens)', 'CTOKEN', [
          'migrator',
          '5e18',
          '6e18',
        ]),
        move('5e18', 'TOKEN', 'migrator', COMET),
        event(
          'SupplyCollateral(address indexed from, address indexed dst, address indexed asset, uint256 amount)',
          COMET,
          ['migrator', 'actor', 'TOKEN', '5e18'],
        ),
      ],
    },
    intent: 'PositionMigration',
    positions: [
      `lending_supply decrease actor: principal 5${E18}`,
      `lending_supply increase actor: principal -5${E18}`,
    ],
  },
  {
    name: 'a move between vaults',
    transaction: {
      to: 'migrator',
      steps: [
        move('6e18', 'VAULTA', 'actor', 'migrator'),
        move('6e18', 'VAULTA', 'migrator', 'zero'),
        move('5e18', 'TOKEN', 'VAULTA', 'migrator'),
        event(ERC4626_WITHDRAW, 'VAULTA', ['migrator', 'migrator', 'migrator', '5e18', '6e18']),
        move('5e18', 'TOKEN', 'migrator', 'VAULTB'),
        move('4e18', 'VAULTB', 'zero', 'actor'),
        event(ERC4626_DEPOSIT, 'VAULTB', ['migrator', 'actor', '5e18', '4e18']),
      ],
    },
    intent: 'PositionMigration',
    positions: [`vault decrease actor: principal 5${E18}`, `vault increase actor: principal -5${E18}`],
  },
  {
    name: 'principal and yield token split',
    transaction: {
      to: PENDLE,
      steps: [
        move('5e18', 'TOKEN', 'actor', PENDLE),
        move('5e18', 'TOKEN', PENDLE, 'SY'),
        move('5e18', 'SY', 'zero', 'YT'),
        event(SY_DEPOSIT, 'SY', [PENDLE, 'YT', 'TOKEN', '5e18', '5e18']),
        move('6e18', 'PT', 'zero', 'actor'),
        move('6e18', 'YT', 'zero', 'actor'),
        event(
          'Mint(address indexed caller, address indexed receiverPT, address indexed receiverYT, uint256 amountSyToMint, uint256 amountPYOut)',
          'YT',
          [PENDLE, 'actor', 'actor', '5e18', '6e18'],
        ),
      ],
    },
    intent: 'VaultDeposit',
    positions: [`vault increase actor: principal -5${E18}`],
  },
  {
    name: 'principal and yield token merged',
    transaction: {
      to: PENDLE,
      steps: [
        move('6e18', 'PT', 'actor', 'YT'),
        move('6e18', 'YT', 'actor', 'YT'),
        move('6e18', 'PT', 'YT', 'zero'),
        move('6e18', 'YT', 'YT', 'zero'),
        move('5e18', 'SY', 'YT', 'SY'),
        event(
          'Burn(address indexed caller, address indexed receiver, uint256 amountPYToRedeem, uint256 amountSyOut)',
          'YT',
          [PENDLE, 'SY', '6e18', '5e18'],
        ),
        move('5e18', 'SY', 'SY', 'zero'),
        move('5e18', 'TOKEN', 'SY', 'actor'),
        event(SY_REDEEM, 'SY', [PENDLE, 'actor', 'TOKEN', '5e18', '5e18']),
      ],
    },
    intent: 'VaultWithdraw',
    positions: [`vault decrease actor: principal 5${E18}`],
  },
  {
    name: 'a requested deposit is an order',
    transaction: {
      to: 'VAULT',
      steps: [
        move('7e18', 'TOKEN', 'actor', 'VAULT'),
        event(
          'DepositRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 assets)',
          'VAULT',
          ['actor', 'actor', 5, 'actor', '7e18'],
        ),
      ],
    },
    intent: 'OrderPlacement',
    positions: [`order open actor: principal -7${E18}`],
  },
  {
    name: 'and its claim the only increase',
    transaction: {
      to: 'VAULT',
      steps: [
        move('5e18', 'VAULT', 'VAULT', 'actor'),
        event(ERC4626_DEPOSIT, 'VAULT', ['actor', 'actor', '7e18', '5e18']),
      ],
    },
    intent: null,
    positions: ['vault increase actor: '],
  },
  {
    name: 'a requested redemption is a request',
    transaction: {
      to: 'VAULT',
      steps: [
        move('7e18', 'VAULT', 'actor', 'VAULT'),
        event(
          'RedeemRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 shares)',
          'VAULT',
          ['actor', 'actor', 5, 'actor', '7e18'],
        ),
      ],
    },
    intent: 'WithdrawalRequest',
    positions: ['withdrawal_request open actor: '],
  },
  {
    name: 'and its claim the only decrease',
    transaction: {
      to: 'VAULT',
      steps: [
        move('7e18', 'TOKEN', 'VAULT', 'actor'),
        event(ERC4626_WITHDRAW, 'VAULT', ['actor', 'actor', 'actor', '7e18', '5e18']),
      ],
    },
    intent: 'VaultWithdraw',
    positions: [`vault decrease actor: principal 7${E18}`],
  },
];

describe('positions are told of the account that has them, once', () => {
  it.each(CASES)('$name', async ({ transaction, intent, positions }) => {
    const told = await reportOf(transaction);
    expect(told.positions).toEqual(positions);
    if (intent !== null) expect(told.report.classification.intent_kind).toBe(intent);
  });

  it('a headline about the position of another says whose', async () => {
    const { report } = await reportOf(CASES[0]!.transaction);
    const { owner } = report.position_effects[0]!;
    expect(report.classification.intent_label).toBe(
      `Supply 5 TOKEN to Morpho for ${owner.slice(0, 6)}…${owner.slice(-4)}`,
    );
    expect(owner).not.toBe(report.classification.actor);
  });

  it('a repayment with receipts names them, not the debt token', async () => {
    const { transaction } = CASES.find(({ name }) => name.startsWith('a debt repaid with receipts'))!;
    const { report } = await reportOf(transaction);
    expect(report.classification.intent_label).toBe('Repay 5 ATOKEN to Aave v3');
  });

  it('a move names where the position is now', async () => {
    const { transaction } = CASES.find(({ name }) => name === 'a move from Aave v2 to v3')!;
    const { report } = await reportOf(transaction);
    expect(report.classification.intent_label).toBe('Migrate 5 TOKEN to Aave v3');
  });
});
