import { describe, expect, it } from 'vitest';
import { account } from '../../support/builders.ts';
import {
  moves,
  movesNft,
  OTHER,
  pays,
  recognised,
  REWARD,
  says,
  TOKEN,
  USER,
  VENUE,
  ZERO,
  type Scene,
} from './scene.ts';

const SHARE = account('5a');
const HUNDRED = 100n;
const NOTHING = `0x${'0'.repeat(64)}`;

/** A scene with the kinds it must come to, and where it matters the owner. */
interface Case extends Scene {
  readonly name: string;
  readonly kinds: readonly string[];
  readonly owner?: string;
}

const CASES: readonly Case[] = [
  {
    name: 'supply to an unknown fork of a lending pool',
    kinds: ['supply'],
    owner: OTHER,
    acts: [
      moves(TOKEN, USER, SHARE, HUNDRED),
      moves(SHARE, ZERO, OTHER, HUNDRED),
      says(
        VENUE,
        'Supply(address indexed reserve, address user, address indexed onBehalfOf, uint256 amount, uint16 indexed referralCode)',
        [TOKEN, USER, OTHER, HUNDRED, 0],
      ),
    ],
  },
  {
    name: 'debt repaid with share tokens',
    kinds: ['repay'],
    owner: USER,
    acts: [
      moves(SHARE, USER, ZERO, HUNDRED),
      says(
        VENUE,
        'Repay(address indexed reserve, address indexed user, address indexed repayer, uint256 amount, bool useATokens)',
        [TOKEN, USER, USER, HUNDRED, true],
      ),
    ],
  },
  {
    name: 'a base asset that repays the debt first mints no shares',
    kinds: ['repay'],
    acts: [
      moves(TOKEN, USER, VENUE, HUNDRED),
      says(VENUE, 'Supply(address indexed from, address indexed dst, uint256 amount)', [USER, USER, HUNDRED]),
    ],
  },
  {
    name: 'the same event with shares minted is a supply',
    kinds: ['supply'],
    acts: [
      moves(TOKEN, USER, VENUE, HUNDRED),
      says(VENUE, 'Supply(address indexed from, address indexed dst, uint256 amount)', [USER, USER, HUNDRED]),
      moves(VENUE, ZERO, USER, 99n),
    ],
  },
  {
    name: 'a tokenised vault',
    kinds: ['vault_deposit'],
    owner: USER,
    acts: [
      moves(TOKEN, USER, VENUE, HUNDRED),
      moves(VENUE, ZERO, USER, 90n),
      says(VENUE, 'Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)', [
        USER,
        USER,
        HUNDRED,
        90n,
      ]),
    ],
  },
  {
    name: 'a gauge mints one to one',
    kinds: ['stake'],
    owner: USER,
    acts: [
      moves(TOKEN, USER, VENUE, HUNDRED),
      moves(VENUE, ZERO, USER, HUNDRED),
      says(VENUE, 'Deposit(address indexed provider, uint256 value)', [USER, HUNDRED]),
    ],
  },
  {
    name: 'the same event at another rate is a vault',
    kinds: ['vault_deposit'],
    owner: USER,
    acts: [
      moves(TOKEN, USER, VENUE, HUNDRED),
      moves(VENUE, ZERO, USER, 90n),
      says(VENUE, 'Deposit(address indexed provider, uint256 value)', [USER, HUNDRED]),
    ],
  },
  {
    name: 'the same event without shares is a staking pool',
    kinds: ['stake'],
    owner: USER,
    acts: [
      moves(TOKEN, USER, VENUE, HUNDRED),
      says(VENUE, 'Deposit(address indexed provider, uint256 value)', [USER, HUNDRED]),
    ],
  },
  {
    name: 'the same event of a contract that took nothing means nothing',
    kinds: [],
    acts: [
      moves(TOKEN, USER, OTHER, HUNDRED),
      says(VENUE, 'Deposit(address indexed provider, uint256 value)', [USER, HUNDRED]),
    ],
  },
  {
    name: 'shares and assets in Yearn order',
    kinds: ['vault_withdraw'],
    acts: [
      moves(VENUE, USER, ZERO, 90n),
      moves(TOKEN, VENUE, USER, HUNDRED),
      says(VENUE, 'Withdraw(address indexed recipient, uint256 shares, uint256 amount)', [
        USER,
        90n,
        HUNDRED,
      ]),
    ],
  },
  {
    name: 'amount and time of an expired lock',
    kinds: ['unstake'],
    acts: [
      moves(TOKEN, VENUE, USER, HUNDRED),
      says(VENUE, 'Withdraw(address indexed provider, uint256 value, uint256 ts)', [
        USER,
        HUNDRED,
        1_700_000_000n,
      ]),
    ],
  },
  {
    name: 'a farm entered',
    kinds: ['stake'],
    acts: [
      moves(TOKEN, USER, VENUE, HUNDRED),
      says(VENUE, 'Deposit(address indexed user, uint256 indexed pid, uint256 amount)', [USER, 3n, HUNDRED]),
    ],
  },
  {
    name: 'a farm given nothing pays its rewards',
    kinds: ['claim'],
    acts: [
      moves(REWARD, VENUE, USER, 7n),
      says(VENUE, 'Deposit(address indexed user, uint256 indexed pid, uint256 amount)', [USER, 3n, 0n]),
    ],
  },
  {
    name: 'leaving a staking pool with rewards',
    kinds: ['unstake', 'claim'],
    acts: [
      moves(TOKEN, VENUE, USER, HUNDRED),
      says(VENUE, 'Withdrawn(address indexed user, uint256 amount)', [USER, HUNDRED]),
      moves(REWARD, VENUE, USER, 7n),
      says(VENUE, 'RewardPaid(address indexed user, uint256 reward)', [USER, 7n]),
    ],
  },
  {
    name: 'a place in a tree',
    kinds: ['claim'],
    owner: OTHER,
    acts: [
      moves(REWARD, VENUE, OTHER, 7n),
      says(VENUE, 'Claimed(uint256 index, address account, uint256 amount)', [12n, OTHER, 7n]),
    ],
  },
  {
    name: 'a claim without payment',
    kinds: [],
    acts: [says(VENUE, 'Claimed(uint256 index, address account, uint256 amount)', [12n, OTHER, 7n])],
  },
  {
    name: 'token before account',
    kinds: ['claim'],
    owner: OTHER,
    acts: [
      moves(REWARD, VENUE, OTHER, 7n),
      says(VENUE, 'Claimed(address indexed token, address indexed account, uint256 amount)', [
        REWARD,
        OTHER,
        7n,
      ]),
    ],
  },
  {
    name: 'account before token',
    kinds: ['claim'],
    owner: OTHER,
    acts: [
      moves(REWARD, VENUE, OTHER, 7n),
      says(VENUE, 'Claimed(address indexed user, address indexed token, uint256 amount)', [
        OTHER,
        REWARD,
        7n,
      ]),
    ],
  },
  {
    name: 'a silent contract asked to pay',
    kinds: ['claim'],
    owner: USER,
    call: ['claim()', []],
    acts: [moves(REWARD, VENUE, USER, 7n)],
  },
  { name: 'a silent contract that pays nothing', kinds: [], call: ['claim()', []], acts: [] },
  {
    name: 'ether into an optimistic rollup, told twice',
    kinds: ['bridge_deposit'],
    owner: USER,
    acts: [
      pays(USER, VENUE, HUNDRED),
      says(
        VENUE,
        'ETHDepositInitiated(address indexed from, address indexed to, uint256 amount, bytes extraData)',
        [USER, USER, HUNDRED, '0x'],
      ),
      says(
        VENUE,
        'ETHBridgeInitiated(address indexed from, address indexed to, uint256 amount, bytes extraData)',
        [USER, USER, HUNDRED, '0x'],
      ),
    ],
  },
  {
    name: 'a relayer fills a bridge order',
    kinds: ['bridge_withdrawal'],
    acts: [
      moves(TOKEN, USER, OTHER, 99n),
      says(
        VENUE,
        'FilledRelay(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 repaymentChainId, uint256 indexed originChainId, uint256 indexed depositId, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 exclusiveRelayer, bytes32 indexed relayer, bytes32 depositor, bytes32 recipient, bytes32 messageHash, (bytes32 updatedRecipient, bytes32 updatedMessageHash, uint256 updatedOutputAmount, uint8 fillType) relayExecutionInfo)',
        [
          word(TOKEN),
          word(TOKEN),
          HUNDRED,
          99n,
          1n,
          10n,
          5n,
          0,
          0,
          NOTHING,
          word(USER),
          word(OTHER),
          word(OTHER),
          NOTHING,
          {
            updatedRecipient: word(OTHER),
            updatedMessageHash: NOTHING,
            updatedOutputAmount: 99n,
            fillType: 0,
          },
        ],
      ),
    ],
  },
  {
    name: 'a queued withdrawal pays nothing yet',
    kinds: ['withdrawal_request'],
    owner: USER,
    acts: [
      says(
        VENUE,
        'WithdrawalQueued(bytes32 withdrawalRoot, (address staker, address delegatedTo, address withdrawer, uint256 nonce, uint32 startBlock, address[] strategies, uint256[] shares) withdrawal)',
        [
          NOTHING,
          {
            staker: USER,
            delegatedTo: OTHER,
            withdrawer: USER,
            nonce: 1n,
            startBlock: 5,
            strategies: [VENUE],
            shares: [HUNDRED],
          },
        ],
      ),
    ],
  },
  {
    name: 'a listing sold',
    kinds: ['nft_trade'],
    acts: [
      says(VENUE, SEAPORT(), [
        NOTHING,
        OTHER,
        ZERO,
        USER,
        [{ itemType: 2, token: TOKEN, identifier: 9n, amount: 1n }],
        [{ itemType: 0, token: ZERO, identifier: 0n, amount: HUNDRED, recipient: OTHER }],
      ]),
      movesNft(TOKEN, OTHER, USER, 9n),
      pays(VENUE, OTHER, HUNDRED),
    ],
  },
  {
    name: 'a Safe that executes',
    kinds: ['account_execution'],
    owner: VENUE,
    acts: [says(VENUE, 'ExecutionSuccess(bytes32 txHash, uint256 payment)', [NOTHING, 0n])],
  },
  {
    name: 'a Safe whose inner call failed',
    kinds: ['account_execution_failed'],
    owner: VENUE,
    acts: [says(VENUE, 'ExecutionFailure(bytes32 indexed txHash, uint256 payment)', [NOTHING, 0n])],
  },
  {
    name: 'a vote',
    kinds: ['governance'],
    owner: USER,
    acts: [
      says(
        VENUE,
        'VoteCast(address indexed voter, uint256 proposalId, uint8 support, uint256 weight, string reason)',
        [USER, 4n, 1, HUNDRED, 'yes'],
      ),
    ],
  },
  {
    name: 'a delegation to the same delegate',
    kinds: [],
    acts: [
      says(
        VENUE,
        'DelegateChanged(address indexed delegator, address indexed fromDelegate, address indexed toDelegate)',
        [USER, OTHER, OTHER],
      ),
    ],
  },
  {
    name: 'a text record',
    kinds: ['name_service'],
    acts: [
      says(VENUE, 'TextChanged(bytes32 indexed node, string indexed indexedKey, string key, string value)', [
        NOTHING,
        'url',
        'url',
        'x',
      ]),
    ],
  },
  {
    name: 'a signature given in advance',
    kinds: ['order_placed'],
    owner: USER,
    acts: [
      says(VENUE, 'PreSignature(address indexed owner, bytes orderUid, bool signed)', [USER, '0x12', true]),
    ],
  },
  {
    name: 'a signature taken back',
    kinds: ['order_cancelled'],
    owner: USER,
    acts: [
      says(VENUE, 'PreSignature(address indexed owner, bytes orderUid, bool signed)', [USER, '0x12', false]),
    ],
  },
];

function SEAPORT(): string {
  return 'OrderFulfilled(bytes32 orderHash, address indexed offerer, address indexed zone, address recipient, (uint8 itemType, address token, uint256 identifier, uint256 amount)[] offer, (uint8 itemType, address token, uint256 identifier, uint256 amount, address recipient)[] consideration)';
}

function word(address: string): string {
  return `0x${address.slice(2).padStart(64, '0')}`;
}

describe('what events and calls mean at contracts nobody has listed', () => {
  it.each(CASES)('$name', ({ kinds, owner, ...scene }) => {
    const found = recognised(scene);
    expect(found.map((p) => p.kind)).toEqual(kinds);
    if (owner !== undefined) expect(found[0]?.roles).toContainEqual({ role: 'owner', account: owner });
    for (const p of found) expect(p.protocol?.matchedBy ?? 'family').toBe('family');
  });
});

describe('what the same words mean at known contracts', () => {
  const COMET = '0xc3d688b66703497daa19211eedff47f25384cdc3';
  const STAKED_DOLLAR = '0x9d39a5de30e57443bff2a8307a4256c8797a3497';
  const ADAPTER = '0x2f0b23f53734252bda2277357e97e1517d6b042a';

  it('a base asset taken out of Compound v3 without burning shares is a loan', () => {
    const [loan] = recognised({
      to: COMET,
      acts: [
        moves(TOKEN, COMET, USER, HUNDRED),
        says(COMET, 'Withdraw(address indexed src, address indexed to, uint256 amount)', [
          USER,
          USER,
          HUNDRED,
        ]),
      ],
    });
    expect(loan).toMatchObject({ kind: 'borrow', protocol: { slug: 'compound-v3', matchedBy: 'address' } });
  });

  it('shares redeemed into a silo wait there', () => {
    const [request] = recognised({
      to: STAKED_DOLLAR,
      acts: [
        moves(STAKED_DOLLAR, USER, ZERO, 90n),
        moves(TOKEN, STAKED_DOLLAR, OTHER, HUNDRED),
        says(
          STAKED_DOLLAR,
          'Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)',
          [USER, OTHER, USER, HUNDRED, 90n],
        ),
      ],
    });
    expect(request).toMatchObject({ kind: 'withdrawal_request', protocol: { slug: 'ethena' } });
  });

  it('an anonymous note with the selector of exit() is collateral taken out', () => {
    const note = says(
      ADAPTER,
      'Note(address indexed caller, address indexed usr, uint256 indexed wad, bytes data)',
      [OTHER, USER, HUNDRED, '0x'],
    );
    if (!('log' in note)) throw new Error('a note is a log');
    const topics = [`0xef693bed${'0'.repeat(56)}` as const, ...note.log.topics.slice(1)];
    const [exit] = recognised({
      to: ADAPTER,
      acts: [moves(TOKEN, ADAPTER, USER, HUNDRED), { log: { ...note.log, topics } }],
    });
    expect(exit).toMatchObject({
      kind: 'withdraw',
      protocol: { slug: 'makerdao-vault' },
      roles: [
        { role: 'owner', account: OTHER },
        { role: 'recipient', account: USER },
      ],
    });
  });
});
