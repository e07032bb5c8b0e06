// Events with wording of their own: each must bind to what moved, and mean nothing where nothing did.
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
  type Act,
  type Scene,
} from './scene.ts';

const SHARE = account('5a');
const HUNDRED = 100n;
const ID = `0x${'7'.repeat(64)}`;
const UPDATE = '((bool sign, uint256 value) deltaWei, (bool sign, uint128 value) newPar) update';
const DEPOSIT = `LogDeposit(address indexed accountOwner, uint256 accountNumber, uint256 market, ${UPDATE}, address from)`;
const WITHDRAW = `LogWithdraw(address indexed accountOwner, uint256 accountNumber, uint256 market, ${UPDATE}, address to)`;
const TICKETS =
  'Withdrawal(address indexed operator, address indexed from, address indexed token, uint256 amount, uint256 redeemed)';
const CCIP =
  'CCIPMessageSent(uint64 indexed destChainSelector, uint64 indexed sequenceNumber, ((bytes32 messageId, uint64 sourceChainSelector, uint64 destChainSelector, uint64 sequenceNumber, uint64 nonce) header, address sender, bytes data, bytes receiver, bytes extraArgs, address feeToken, uint256 feeTokenAmount, uint256 feeValueJuels, (address sourcePoolAddress, bytes destTokenAddress, bytes extraData, uint256 amount, bytes destExecData)[] tokenAmounts) message)';
const NTT =
  'TransferSent(bytes32 indexed recipient, bytes32 indexed refundAddress, uint256 amount, uint256 fee, uint16 recipientChain, uint64 sequence)';
const RARIBLE =
  'Buy(address indexed sellToken, uint256 indexed sellTokenId, uint256 sellValue, address owner, address buyToken, uint256 buyTokenId, uint256 buyValue, address buyer, uint256 amount, uint256 salt)';
const SHIELD =
  'Shield(uint256 treeNumber, uint256 startPosition, (bytes32 npk, (uint8 tokenType, address tokenAddress, uint256 tokenSubID) token, uint120 value)[] commitments, (bytes32[3] encryptedBundle, bytes32 shieldKey)[] shieldCiphertext, uint256[] fees)';

const LENT =
  'LendBorrowTrade(address indexed account, uint16 indexed currencyId, uint40 maturity, int256 netAssetCash, int256 netfCash)';
const OPTIONS =
  'Redeem(address indexed otoken, address indexed redeemer, address indexed receiver, address collateralAsset, uint256 otokenBurned, uint256 payout)';

interface Case extends Scene {
  readonly name: string;
  readonly kind: string;
  readonly role?: readonly [role: string, account: string];
}

const into = (amount = HUNDRED): Act => moves(TOKEN, USER, VENUE, amount);
const outOf = (amount = HUNDRED): Act => moves(TOKEN, VENUE, USER, amount);
const minted = (at = VENUE, amount = 90n): Act => moves(at, ZERO, USER, amount);
const burnt = (at = VENUE, amount = 90n): Act => moves(at, USER, ZERO, amount);

const CASES: readonly Case[] = [
  {
    name: 'lent at a fixed rate',
    kind: 'supply',
    role: ['owner', USER],
    acts: [into(), says(VENUE, LENT, [USER, 3n, 1_700_000_000n, -HUNDRED, 105n])],
  },
  {
    name: 'borrowed at a fixed rate',
    kind: 'borrow',
    role: ['owner', USER],
    acts: [outOf(), says(VENUE, LENT, [USER, 3n, 1_700_000_000n, HUNDRED, -105n])],
  },
  {
    name: 'options redeemed for their collateral',
    kind: 'vault_withdraw',
    role: ['owner', USER],
    acts: [
      moves(SHARE, USER, ZERO, 90n),
      moves(TOKEN, OTHER, USER, HUNDRED),
      says(VENUE, OPTIONS, [SHARE, USER, USER, TOKEN, 90n, HUNDRED]),
    ],
  },
  {
    name: 'a bond unlocked below its value',
    kind: 'vault_withdraw',
    role: ['owner', USER],
    acts: [
      burnt(),
      outOf(80n),
      says(
        VENUE,
        'Usd0ppUnlockedFloorPrice(address indexed user, uint256 usd0ppAmount, uint256 usd0Amount)',
        [USER, 90n, 80n],
      ),
    ],
  },
  {
    name: 'staked for a validator',
    kind: 'stake',
    role: ['owner', USER],
    acts: [
      into(),
      says(VENUE, 'StakeIncreased(address indexed staker, address indexed validator, uint256 amount)', [
        USER,
        OTHER,
        HUNDRED,
      ]),
    ],
  },
  {
    name: 'tokens bought with sealed bids',
    kind: 'claim',
    role: ['owner', USER],
    acts: [
      outOf(),
      says(
        VENUE,
        'ClaimedFromOrder(uint256 indexed auctionId, uint64 indexed userId, uint96 buyAmount, uint96 sellAmount)',
        [1n, 2n, 50n, 60n],
      ),
    ],
  },
  {
    name: 'margin put in',
    kind: 'supply',
    role: ['owner', USER],
    acts: [
      into(),
      says(VENUE, DEPOSIT, [
        USER,
        0n,
        1n,
        { deltaWei: { sign: true, value: HUNDRED }, newPar: { sign: true, value: 99n } },
        USER,
      ]),
    ],
  },
  {
    name: 'margin taken out',
    kind: 'withdraw',
    acts: [
      outOf(),
      says(VENUE, WITHDRAW, [
        USER,
        0n,
        1n,
        { deltaWei: { sign: false, value: HUNDRED }, newPar: { sign: true, value: 5n } },
        USER,
      ]),
    ],
  },
  {
    name: 'all margin taken out',
    kind: 'withdraw',
    acts: [
      outOf(),
      says(VENUE, WITHDRAW, [
        USER,
        0n,
        1n,
        { deltaWei: { sign: false, value: HUNDRED }, newPar: { sign: false, value: 0n } },
        USER,
      ]),
    ],
  },
  {
    name: 'more than the margin taken out',
    kind: 'borrow',
    acts: [
      outOf(),
      says(VENUE, WITHDRAW, [
        USER,
        0n,
        1n,
        { deltaWei: { sign: false, value: HUNDRED }, newPar: { sign: false, value: 5n } },
        USER,
      ]),
    ],
  },
  {
    name: 'a vote by reputation',
    kind: 'governance',
    role: ['owner', USER],
    acts: [
      says(
        VENUE,
        'VoteProposal(bytes32 indexed proposalId, address indexed organization, address indexed voter, uint256 vote, uint256 reputation)',
        [ID, OTHER, USER, 1n, HUNDRED],
      ),
    ],
  },
  {
    name: 'a vote of a guild member',
    kind: 'governance',
    role: ['owner', USER],
    acts: [
      says(
        VENUE,
        'SubmitVote(uint256 proposalId, uint256 indexed proposalIndex, address indexed delegateKey, address indexed memberAddress, uint8 uintVote)',
        [1n, 2n, OTHER, USER, 1],
      ),
    ],
  },
  {
    name: 'a member leaves a guild',
    kind: 'vault_withdraw',
    role: ['owner', USER],
    acts: [
      moves(TOKEN, OTHER, USER, HUNDRED),
      says(VENUE, 'Ragequit(address indexed memberAddress, uint256 sharesToBurn)', [USER, 3n]),
    ],
  },
  {
    name: 'a deposit for tickets',
    kind: 'vault_deposit',
    role: ['owner', USER],
    acts: [
      into(),
      minted(SHARE, HUNDRED),
      says(
        VENUE,
        'Deposited(address indexed operator, address indexed to, address indexed token, uint256 amount)',
        [USER, USER, SHARE, HUNDRED],
      ),
    ],
  },
  {
    name: 'tickets handed back',
    kind: 'vault_withdraw',
    acts: [burnt(SHARE, HUNDRED), outOf(), says(VENUE, TICKETS, [USER, USER, SHARE, HUNDRED, HUNDRED])],
  },
  {
    name: 'a sealed order',
    kind: 'order_placed',
    role: ['owner', USER],
    acts: [
      into(),
      says(
        VENUE,
        'NewSellOrder(uint256 indexed auctionId, uint64 indexed userId, uint96 buyAmount, uint96 sellAmount)',
        [1n, 2n, 5n, HUNDRED],
      ),
    ],
  },
  {
    name: 'a sealed order taken back',
    kind: 'order_cancelled',
    role: ['owner', USER],
    acts: [
      outOf(),
      says(
        VENUE,
        'CancellationSellOrder(uint256 indexed auctionId, uint64 indexed userId, uint96 buyAmount, uint96 sellAmount)',
        [1n, 2n, 5n, HUNDRED],
      ),
    ],
  },
  {
    name: 'a stake for a provider',
    kind: 'stake',
    role: ['owner', USER],
    acts: [
      into(),
      says(
        VENUE,
        'Staked(uint8 indexed stakeType, address indexed owner, address indexed stakingProvider, address beneficiary, address authorizer, uint96 amount)',
        [2, USER, OTHER, OTHER, OTHER, HUNDRED],
      ),
    ],
  },
  {
    name: 'a stake taken from a provider',
    kind: 'unstake',
    role: ['owner', USER],
    acts: [
      outOf(),
      says(VENUE, 'Unstaked(address indexed stakingProvider, uint96 amount)', [OTHER, HUNDRED]),
    ],
  },
  {
    name: 'a locked stake',
    kind: 'stake',
    acts: [
      into(),
      says(
        VENUE,
        'StakeLocked(address indexed user, uint256 amount, uint256 secs, bytes32 kekId, address source)',
        [USER, HUNDRED, 9n, ID, USER],
      ),
    ],
  },
  {
    name: 'a locked stake set free',
    kind: 'unstake',
    acts: [
      outOf(),
      says(
        VENUE,
        'WithdrawLocked(address indexed user, uint256 amount, bytes32 kekId, address destination)',
        [USER, HUNDRED, ID, USER],
      ),
    ],
  },
  {
    name: 'a pool joined',
    kind: 'vault_deposit',
    role: ['owner', USER],
    acts: [
      into(),
      minted(),
      says(VENUE, 'Joined(address indexed staker, uint256 deposited, uint256 minted)', [USER, HUNDRED, 90n]),
    ],
  },
  {
    name: 'a pool left',
    kind: 'vault_withdraw',
    role: ['owner', USER],
    acts: [burnt(), outOf(), says(VENUE, 'Exited(address indexed staker, uint256 amount)', [USER, 90n])],
  },
  {
    name: 'a token locked on its way to another chain',
    kind: 'bridge_deposit',
    role: ['owner', USER],
    acts: [into(), says(VENUE, NTT, [ID, ID, HUNDRED, 0n, 1, 5n])],
  },
  {
    name: 'a token burnt on its way to another chain',
    kind: 'bridge_deposit',
    role: ['owner', USER],
    acts: [burnt(TOKEN, HUNDRED), says(VENUE, NTT, [ID, ID, HUNDRED, 0n, 1, 5n])],
  },
  {
    name: 'a token minted that came from another chain',
    kind: 'bridge_withdrawal',
    role: ['owner', USER],
    acts: [minted(TOKEN, HUNDRED), says(VENUE, 'TransferRedeemed(bytes32 indexed digest)', [ID])],
  },
  {
    name: 'a message with tokens',
    kind: 'bridge_deposit',
    role: ['owner', USER],
    acts: [
      moves(TOKEN, USER, OTHER, HUNDRED),
      says(VENUE, CCIP, [
        1n,
        2n,
        {
          header: {
            messageId: ID,
            sourceChainSelector: 1n,
            destChainSelector: 2n,
            sequenceNumber: 3n,
            nonce: 4n,
          },
          sender: USER,
          data: '0x',
          receiver: '0x',
          extraArgs: '0x',
          feeToken: SHARE,
          feeTokenAmount: 1n,
          feeValueJuels: 1n,
          tokenAmounts: [
            {
              sourcePoolAddress: OTHER,
              destTokenAddress: '0x',
              extraData: '0x',
              amount: HUNDRED,
              destExecData: '0x',
            },
          ],
        },
      ]),
    ],
  },
  {
    name: 'tokens burnt for coins',
    kind: 'bridge_deposit',
    role: ['owner', USER],
    acts: [
      burnt(TOKEN, HUNDRED),
      says(VENUE, 'LogBurn(bytes to, uint256 amount, uint256 indexed n, bytes indexed indexedTo)', [
        '0x12',
        HUNDRED,
        1n,
        '0x12',
      ]),
    ],
  },
  {
    name: 'coins turned into tokens',
    kind: 'bridge_withdrawal',
    role: ['owner', USER],
    acts: [
      minted(TOKEN, HUNDRED),
      says(
        VENUE,
        'LogMint(address indexed to, uint256 amount, uint256 indexed n, bytes32 indexed messageHash)',
        [USER, HUNDRED, 1n, ID],
      ),
    ],
  },
  {
    name: 'an NFT bought from its owner',
    kind: 'nft_trade',
    role: ['buyer', USER],
    acts: [
      movesNft(TOKEN, OTHER, USER, 7n),
      says(VENUE, RARIBLE, [TOKEN, 7n, 1n, OTHER, ZERO, 0n, HUNDRED, USER, 1n, 3n]),
      pays(USER, OTHER, HUNDRED),
    ],
  },
  {
    name: 'a bid for an NFT taken',
    kind: 'nft_trade',
    role: ['seller', USER],
    acts: [
      moves(SHARE, OTHER, USER, HUNDRED),
      movesNft(TOKEN, USER, OTHER, 7n),
      says(VENUE, RARIBLE, [SHARE, 0n, HUNDRED, OTHER, TOKEN, 7n, 1n, USER, HUNDRED, 3n]),
    ],
  },
  {
    name: 'an auction that ended',
    kind: 'nft_trade',
    role: ['buyer', OTHER],
    acts: [
      movesNft(TOKEN, VENUE, OTHER, 7n),
      says(
        VENUE,
        'AuctionEnded(uint256 indexed auctionId, uint256 indexed tokenId, address indexed tokenContract, address tokenOwner, address curator, address winner, uint256 amount, uint256 curatorFee, address auctionCurrency)',
        [1n, 7n, TOKEN, USER, ZERO, OTHER, HUNDRED, 0n, ZERO],
      ),
    ],
  },
  {
    name: 'value hidden',
    kind: 'vault_deposit',
    role: ['owner', USER],
    acts: [into(), says(VENUE, SHIELD, [0n, 0n, [], [], [1n]])],
  },
  {
    name: 'value brought out of hiding',
    kind: 'vault_withdraw',
    role: ['owner', USER],
    acts: [
      outOf(),
      says(
        VENUE,
        'Unshield(address to, (uint8 tokenType, address tokenAddress, uint256 tokenSubID) token, uint256 amount, uint256 fee)',
        [USER, { tokenType: 0, tokenAddress: TOKEN, tokenSubID: 0n }, HUNDRED, 1n],
      ),
    ],
  },
  {
    name: 'a share of a split paid out',
    kind: 'claim',
    role: ['owner', USER],
    acts: [
      pays(VENUE, USER, HUNDRED),
      says(
        VENUE,
        'Withdrawal(address indexed account, uint256 ethAmount, address[] tokens, uint256[] tokenAmounts)',
        [USER, HUNDRED, [], []],
      ),
    ],
  },
  {
    name: 'a swap that mints what it gives',
    kind: 'swap',
    acts: [
      into(),
      minted(SHARE, HUNDRED),
      says(
        VENUE,
        'Swap(address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut, address indexed from, address to)',
        [TOKEN, SHARE, HUNDRED, HUNDRED, USER, USER],
      ),
    ],
  },
  {
    name: 'shares of a pool bought',
    kind: 'add_liquidity',
    role: ['owner', USER],
    acts: [
      into(),
      minted(),
      says(VENUE, 'BuyShares(address to, uint256 increaseShares, uint256 totalShares)', [USER, 90n, 900n]),
    ],
  },
  {
    name: 'shares of a pool sold',
    kind: 'remove_liquidity',
    role: ['owner', USER],
    acts: [
      burnt(),
      outOf(),
      says(VENUE, 'SellShares(address payer, address to, uint256 decreaseShares, uint256 totalShares)', [
        USER,
        USER,
        90n,
        900n,
      ]),
    ],
  },
  {
    name: 'bins filled',
    kind: 'add_liquidity',
    role: ['owner', USER],
    acts: [
      into(),
      says(
        VENUE,
        'DepositedToBins(address indexed sender, address indexed to, uint256[] ids, bytes32[] amounts)',
        [USER, USER, [1n], [ID]],
      ),
    ],
  },
  {
    name: 'a wallet of several signers that executes',
    kind: 'account_execution',
    role: ['owner', VENUE],
    acts: [
      says(
        VENUE,
        'Transacted(address msgSender, address otherSigner, bytes32 operation, address toAddress, uint256 value, bytes data)',
        [USER, OTHER, ID, OTHER, HUNDRED, '0x'],
      ),
      pays(VENUE, OTHER, HUNDRED),
    ],
  },
];

/** Kinds that tell of an act which moves nothing by itself. */
const WITHOUT_VALUE = new Set(['governance', 'account_execution']);

describe('events with wording of their own', () => {
  it.each(CASES)('$name', ({ kind, role, ...scene }) => {
    const found = recognised(scene);
    expect(found.map((p) => p.kind)).toEqual([kind]);
    if (role) expect(found[0]!.roles).toContainEqual({ role: role[0], account: role[1] });
  });

  it.each(CASES.filter(({ kind }) => !WITHOUT_VALUE.has(kind)))(
    '$name: nothing where nothing moved',
    ({ kind, acts }) => {
      const word = acts.filter(
        (act) => 'log' in act && act.log.address === VENUE && act.log.topics[0] !== TRANSFER,
      );
      expect(recognised({ acts: word }).map((p) => p.kind)).not.toContain(kind);
    },
  );

  it('a loan for one transaction is neither margin nor debt', () => {
    const bot = account('b0');
    const found = recognised({
      to: bot,
      acts: [
        moves(TOKEN, VENUE, bot, HUNDRED),
        moves(TOKEN, bot, OTHER, HUNDRED),
        moves(REWARD, OTHER, bot, 7n),
        moves(REWARD, bot, SHARE, 7n),
        moves(TOKEN, SHARE, bot, 120n),
        moves(TOKEN, bot, VENUE, 101n),
        says(VENUE, WITHDRAW, [
          bot,
          0n,
          1n,
          { deltaWei: { sign: false, value: HUNDRED }, newPar: { sign: false, value: 99n } },
          bot,
        ]),
        says(VENUE, DEPOSIT, [
          bot,
          0n,
          1n,
          { deltaWei: { sign: true, value: 101n }, newPar: { sign: true, value: 1n } },
          bot,
        ]),
      ],
    });
    const kinds = found.map((p) => p.kind);
    expect(kinds.filter((kind) => ['supply', 'withdraw', 'borrow', 'repay'].includes(kind))).toEqual([]);
  });
});

describe('tokens that predate the standards', () => {
  const MKR = '0x9f8f72aa9304c8b593d555f12ef6589cc3a579a2';
  const SKY = '0x56072c95faa701256059aa122697b133aded9279';
  const CONVERTER = '0xbdcfca946b6cdd965f99a839e4435bcdc1bc470b';
  const GNT = '0xa74476443119a942de498590fe1f2454d7d4ac0d';
  const GLM = '0x7dd9c5cba05e151c895fde1cf355c9a1d5da6429';
  const AGENT = '0xbfad98d76598961827ba832108c21445aa4fee9a';
  const BURN = 'Burn(address indexed guy, uint256 wad)';

  it('burn without a Transfer: MKR turned into SKY', () => {
    const found = recognised({
      to: CONVERTER,
      acts: [
        says(MKR, BURN, [USER, 750012160000000000n]),
        moves(SKY, ZERO, USER, 18000291840000000000000n),
        says(
          CONVERTER,
          'MkrToSky(address indexed caller, address indexed usr, uint256 mkrAmt, uint256 skyAmt)',
          [USER, USER, 750012160000000000n, 18000291840000000000000n],
        ),
      ],
    });
    expect(found).toMatchObject([
      {
        kind: 'migration',
        protocol: { slug: 'sky', matchedBy: 'address' },
        legs: [{ role: 'in', asset: `eip155:1/erc20:${MKR}`, amount: 750012160000000000n }, { role: 'out' }],
      },
    ]);
  });

  it('burn without a Transfer: GNT turned into GLM', () => {
    const amount = 5920000000000000000000n;
    const found = recognised({
      to: GNT,
      call: ['migrate(uint256)', [amount]],
      acts: [
        moves(GLM, ZERO, USER, amount),
        says(AGENT, 'Migrated(address from, address token, uint256 amount)', [USER, GLM, amount]),
        says(GNT, 'Migrate(address indexed from, address indexed to, uint256 value)', [USER, AGENT, amount]),
      ],
    });
    expect(found).toMatchObject([
      {
        kind: 'migration',
        protocol: { slug: 'golem', matchedBy: 'address' },
        legs: [
          { role: 'in', asset: `eip155:1/erc20:${GNT}` },
          { role: 'out', asset: `eip155:1/erc20:${GLM}` },
        ],
      },
    ]);
  });

  it('are believed only at their own addresses', () => {
    const found = recognised({ acts: [says(TOKEN, BURN, [USER, HUNDRED])] });
    expect(found).toEqual([]);
  });
});

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
