// What the shipped rules call transactions whose pieces tempt them to a wrong answer.
import { describe, expect, it } from 'vitest';
import { account } from '../../support/builders.ts';
import {
  calls,
  creates,
  moves,
  movesNft,
  OTHER,
  pays,
  REWARD,
  says,
  TOKEN,
  unwraps,
  USER,
  VENUE,
  verdictOf,
  WETH,
  wraps,
  ZERO,
  type Act,
  type Scene,
} from './scene.ts';
import type { Address } from '../../../src/model/hex.ts';

const AMOUNT = 5_000_000n;
const SHARES = 4_000_000n;
const FEE = 5_000n;
const PRICE = 777_777n;
const POOL = account('90');
const POOL_B = account('91');
const VAULT = account('92');
const NFT = account('93');
/** 1inch Router v5, which the rules list as an aggregator. */
const AGGREGATOR: Address = '0x1111111254eeb25477b68fb85ed929f73a960582';
/** Listed for withdrawals; its code is its own. */
const LIDO_WITHDRAWALS: Address = '0x889edc2edab5f40e902b864ad4d7ade8e412f9b1';
const ENTRY_POINT: Address = '0x0000000071727de22e5e9d8baf0edac6f37da032';
const SOMETHING = ['unheardOf(uint256)', [7n]] as const;
const unheard = (at: Address): Act => says(at, 'Unheard(uint256 value)', [7n]);

async function verdict(scene: Partial<Scene> & Pick<Scene, 'acts'>): Promise<string> {
  const { kind, status, actor } = await verdictOf({ call: SOMETHING, ...scene });
  return `${kind} ${status}${actor === USER ? '' : ` of ${actor}`}`;
}

function swap(
  pool: Address,
  by: Address,
  [give, given]: [Address, bigint],
  [take, taken]: [Address, bigint],
) {
  const event =
    'Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)';
  return [
    moves(give, by, pool, given),
    moves(take, pool, by, taken),
    says(pool, event, [by, given, 0n, 0n, taken, by]),
  ];
}
const deposit = (by: Address, owner = by): Act[] => [
  moves(TOKEN, by, VAULT, AMOUNT),
  moves(VAULT, ZERO, owner, SHARES),
  says(VAULT, 'Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)', [
    by,
    owner,
    AMOUNT,
    SHARES,
  ]),
];

describe('wrapping through a router', () => {
  it('is a wrap, with or without a fee', async () => {
    const wrapped = wraps(AGGREGATOR, AMOUNT);
    const to = AGGREGATOR;
    expect(
      await verdict({ to, value: AMOUNT, acts: [...wrapped, moves(WETH, AGGREGATOR, USER, AMOUNT)] }),
    ).toBe('WrapNative Proven');
    const withFee = [moves(WETH, AGGREGATOR, USER, AMOUNT - FEE), moves(WETH, AGGREGATOR, OTHER, FEE)];
    expect(await verdict({ to, value: AMOUNT, acts: [...wrapped, ...withFee] })).toBe('WrapNative Suspected');
  });

  it('is an unwrap the other way round', async () => {
    const acts = [
      moves(WETH, USER, VENUE, AMOUNT),
      ...unwraps(VENUE, AMOUNT),
      pays(VENUE, USER, AMOUNT - FEE),
      pays(VENUE, OTHER, FEE),
      unheard(VENUE),
    ];
    expect(await verdict({ acts })).toBe('UnwrapNative Suspected');
  });

  it('is a payment where most of it was kept', async () => {
    const acts = [
      ...wraps(VENUE, AMOUNT),
      moves(WETH, VENUE, USER, AMOUNT / 2n),
      moves(WETH, VENUE, OTHER, AMOUNT / 2n),
    ];
    expect(await verdict({ value: AMOUNT, acts })).toBe('NativeTransfer Suspected');
  });
});

describe('a wrapper before a market', () => {
  /** Pendle's router, which calls nothing but what a market needs. */
  const ROUTER: Address = '0x888888888889758f76e7103c6cbf23abbf58f946';
  const WRAPPER = account('94');
  const wrapper = (act: string, at: Address, amounts: readonly bigint[]): Act =>
    says(
      WRAPPER,
      `${act}(address indexed caller, address indexed receiver, address indexed token, uint256 a, uint256 b)`,
      [at, POOL, TOKEN, ...amounts],
    );
  const traded = (bought: bigint, given: bigint): Act =>
    says(
      POOL,
      'Swap(address indexed caller, address indexed receiver, int256 netPtOut, int256 netSyOut, uint256 netSyFee, uint256 netSyToReserve)',
      [USER, USER, bought, given, 0n, 0n],
    );
  const buys = (by: Address): Act[] => [
    moves(TOKEN, USER, by, AMOUNT),
    moves(TOKEN, by, WRAPPER, AMOUNT),
    moves(TOKEN, WRAPPER, OTHER, AMOUNT),
    moves(WRAPPER, ZERO, POOL, SHARES),
    wrapper('Deposit', by, [AMOUNT, SHARES]),
    moves(REWARD, POOL, USER, PRICE),
    traded(PRICE, -SHARES),
  ];
  it('is a step of the trade through a listed router', async () => {
    expect(await verdict({ to: ROUTER, acts: buys(ROUTER) })).toBe('DirectSwap Proven');
    expect(await verdict({ to: VENUE, acts: buys(VENUE) })).toBe('DirectSwap Suspected');
  });
});

describe('a vault on the way', () => {
  const zapIn = (by: Address): Act[] => [
    moves(REWARD, USER, by, PRICE),
    ...swap(POOL, by, [REWARD, PRICE], [TOKEN, AMOUNT]),
    ...deposit(by),
    moves(VAULT, by, USER, SHARES),
  ];
  it('is a hop of the swap an aggregator was asked for', async () => {
    expect(await verdict({ to: AGGREGATOR, acts: zapIn(AGGREGATOR) })).toBe('AggregatedSwap Suspected');
    const last = [
      ...swap(POOL_B, AGGREGATOR, [VAULT, SHARES], [NFT, PRICE]),
      moves(NFT, AGGREGATOR, USER, PRICE),
    ];
    const acts = [...zapIn(AGGREGATOR).slice(0, -1), ...last];
    expect(await verdict({ to: AGGREGATOR, acts })).toBe('AggregatedSwap Proven');
  });

  it('is the purpose of an unknown contract that swaps first and deposits for the actor', async () => {
    const acts = [...zapIn(VENUE).slice(0, -deposit(VENUE).length - 1), ...deposit(VENUE, USER)];
    expect(await verdict({ acts })).toBe('VaultDeposit Suspected');
  });

  it('is the last hop of a swap whose router mints the shares to itself', async () => {
    expect(await verdict({ acts: zapIn(VENUE) })).toBe('AggregatedSwap Suspected');
  });
});

describe('zapping out of a pool', () => {
  const zapOut = (by: Address): Act[] => [
    moves(POOL, USER, by, SHARES),
    moves(POOL, by, POOL, SHARES),
    moves(POOL, POOL, ZERO, SHARES),
    moves(TOKEN, POOL, by, AMOUNT),
    moves(REWARD, POOL, by, PRICE),
    says(POOL, 'Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)', [
      by,
      AMOUNT,
      PRICE,
      by,
    ]),
    ...swap(POOL_B, by, [TOKEN, AMOUNT], [NFT, 666_666n]),
    ...swap(VAULT, by, [REWARD, PRICE], [NFT, 333_333n]),
    moves(NFT, by, USER, 999_999n),
  ];
  it('is no swap, although both sides were swapped', async () => {
    expect(await verdict({ acts: zapOut(VENUE) })).toBe('RemoveLiquidity Suspected');
  });

  it('is a swap at an aggregator', async () => {
    expect(await verdict({ to: AGGREGATOR, acts: zapOut(AGGREGATOR) })).toMatch('AggregatedSwap');
  });
});

describe("a family's event of a listed contract", () => {
  const stake = (at: Address): Partial<Scene> & Pick<Scene, 'acts'> => ({
    to: at,
    acts: [
      moves(TOKEN, USER, at, AMOUNT),
      says(at, 'Staked(address indexed user, uint256 amount)', [USER, AMOUNT]),
    ],
  });

  it('proves what the contract did with exactly that amount', async () => {
    expect(await verdict(stake(LIDO_WITHDRAWALS))).toBe('Stake Proven');
  });

  it('proves nothing where the contract runs what its callers hand it', async () => {
    expect(await verdict(stake(AGGREGATOR))).toBe('Stake Suspected');
  });
});

describe('a contract created on the way', () => {
  const created = creates(VENUE, POOL_B);
  it('is the purpose where events speak of nothing else', async () => {
    const named = says(VENUE, 'Unheard(address value)', [POOL_B]);
    expect(await verdict({ acts: [created, named, unheard(POOL_B)] })).toBe('ContractDeployment Proven');
    expect(await verdict({ acts: [created, unheard(VENUE)] })).toBe('ContractCall Suspected');
  });

  it('does not change what else happened', async () => {
    const wrapped = [...wraps(VENUE, AMOUNT), moves(WETH, VENUE, USER, AMOUNT)];
    expect(await verdict({ value: AMOUNT, acts: [created, ...wrapped] })).toBe('WrapNative Proven');
  });
});

describe('delegation (EIP-7702)', () => {
  it.each([
    ['of an account that somebody else brings on chain', { to: OTHER, authorities: [OTHER] }, ` of ${OTHER}`],
    ['of an account that is not called', { to: VENUE, authorities: [OTHER] }, ''],
    ['of the signer', { to: USER, authorities: [USER] }, ''],
  ])('%s is the purpose where it was only set up', async (_, scene, actor) => {
    expect(await verdict({ ...scene, acts: [unheard(scene.to)] })).toBe(
      `AccountDelegation Suspected${actor}`,
    );
  });

  it('is a means where the account did something', async () => {
    const acts = [calls(OTHER, POOL, ...SOMETHING), ...swap(POOL, OTHER, [TOKEN, AMOUNT], [REWARD, PRICE])];
    expect(await verdict({ to: OTHER, authorities: [OTHER], acts })).toMatch('DirectSwap');
  });
});

describe('the refund of an EntryPoint', () => {
  const operation = [
    calls(ENTRY_POINT, OTHER, ...SOMETHING),
    says(
      ENTRY_POINT,
      'UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
      [`0x${'ab'.repeat(32)}`, OTHER, VENUE, 1n, true, 3_000n, 1_000n],
    ),
    pays(ENTRY_POINT, USER, 3_000n),
  ];
  it('is no movement of the operation', async () => {
    expect(await verdict({ to: ENTRY_POINT, acts: [...operation, unheard(OTHER)] })).toBe(
      `ContractCall Suspected of ${OTHER}`,
    );
  });

  it('does not hide what the operation did', async () => {
    const approval = says(TOKEN, 'Approval(address indexed owner, address indexed spender, uint256 value)', [
      OTHER,
      VENUE,
      AMOUNT,
    ]);
    expect(await verdict({ to: ENTRY_POINT, acts: [approval, ...operation] })).toBe(
      `Approval Proven of ${OTHER}`,
    );
  });
});

describe('staking through a helper that pays the receipt out of its stock', () => {
  const acts = [
    moves(TOKEN, USER, VENUE, AMOUNT),
    moves(TOKEN, VENUE, VAULT, AMOUNT),
    calls(VENUE, VAULT, 'stake(uint256 amount, address recipient)', [AMOUNT, USER]),
    moves(REWARD, VAULT, USER, AMOUNT),
  ];
  it('is no swap', async () => {
    expect(await verdict({ call: ['stake(uint256 amount)', [AMOUNT]], acts })).toBe('Stake Suspected');
    expect(await verdict({ call: ['swap(uint256 amount)', [AMOUNT]], acts })).toMatch('DirectSwap');
  });
});

describe('early exchanges and sales', () => {
  const ETHER_DELTA: Address = '0x8d12a197cb00d4747a1fe03395095ce2a5cc6819';
  it('trade balances that they keep without moving anything', async () => {
    const trade =
      'Trade(address tokenGet, uint256 amountGet, address tokenGive, uint256 amountGive, address get, address give)';
    const acts = [says(ETHER_DELTA, trade, [TOKEN, AMOUNT, ZERO, PRICE, OTHER, USER])];
    expect(await verdict({ to: ETHER_DELTA, acts })).toBe('AggregatedSwap Suspected');
  });

  it('sell new tokens for ether that goes on to a wallet; a vault keeps it', async () => {
    const minted = moves(TOKEN, ZERO, USER, SHARES);
    const sale = [minted, pays(VENUE, OTHER, AMOUNT)];
    expect(await verdict({ value: AMOUNT, acts: sale })).toBe('TokenMint Suspected');
    expect(await verdict({ value: AMOUNT, acts: [minted] })).toBe('VaultDeposit Suspected');
  });
});

describe('an NFT sent to a contract', () => {
  const sent = movesNft(NFT, USER, VENUE, 5n);
  const incentive = `0x${'ab'.repeat(32)}`;
  const staked = 'TokenStaked(uint256 indexed tokenId, bytes32 indexed incentiveId, uint128 liquidity)';
  it.each([
    ['that logs nothing', [sent], 'NftTransfer Proven'],
    ['that logs the unheard of', [sent, unheard(VENUE)], 'NftTransfer Suspected'],
    ['that stakes it', [sent, says(VENUE, staked, [5n, incentive, 9n])], 'Stake Suspected'],
  ])('%s', async (_, acts, expected) => {
    const call = ['safeTransferFrom(address from, address to, uint256 id)', [USER, VENUE, 5n]] as const;
    expect(await verdict({ to: NFT, call, acts })).toBe(expected);
  });
  it('by a call that states none is not proven', async () => {
    expect(await verdict({ to: NFT, acts: [sent] })).toBe('NftTransfer Suspected');
  });
});

it('an allowance at Permit2 itself is proven', async () => {
  const PERMIT2: Address = '0x000000000022d473030f116ddee9f6b43ac78ba3';
  const approval =
    'Approval(address indexed owner, address indexed token, address indexed spender, uint160 amount, uint48 expiration)';
  const acts = [says(PERMIT2, approval, [USER, TOKEN, VENUE, AMOUNT, 9])];
  expect(await verdict({ to: PERMIT2, acts })).toBe('Approval Proven');
});

describe('an NFT', () => {
  const sale = [movesNft(NFT, OTHER, USER, 5n), pays(VENUE, OTHER, AMOUNT)];
  it.each([
    ['to the seller', moves(TOKEN, ZERO, OTHER, FEE)],
    ['to the buyer', moves(TOKEN, ZERO, USER, FEE)],
    ['of an NFT', movesNft(POOL, ZERO, OTHER, 6n)],
  ])('is sold, whatever was minted beside it: %s', async (_, minted) => {
    expect(await verdict({ value: AMOUNT, acts: [...sale, minted] })).toBe('NftTrade Suspected');
  });

  it('is minted, not bought, where it did not exist before', async () => {
    const acts = [movesNft(NFT, ZERO, USER, 5n), pays(VENUE, OTHER, AMOUNT)];
    expect(await verdict({ value: AMOUNT, acts })).toMatch('NftMint');
  });

  it('that an escrow gives back is no reward', async () => {
    const acts = [movesNft(NFT, VENUE, USER, 5n), unheard(VENUE)];
    expect(await verdict({ call: ['release(uint256)', [5n]], acts })).toBe('NftTransfer Suspected');
    expect(await verdict({ call: ['withdraw(uint256[])', [[5n]]], acts })).toBe('Unstake Suspected');
  });
});

describe('a transfer to oneself', () => {
  it('is a transfer', async () => {
    const call = ['transfer(address,uint256)', [USER, AMOUNT]] as const;
    expect(await verdict({ to: TOKEN, call, acts: [moves(TOKEN, USER, USER, AMOUNT)] })).toBe(
      'TokenTransfer Proven',
    );
    const own = ['transferFrom(address,address,uint256)', [USER, USER, 5n]] as const;
    expect(await verdict({ to: NFT, call: own, acts: [movesNft(NFT, USER, USER, 5n)] })).toBe(
      'NftTransfer Proven',
    );
  });

  it('of somebody else is none of the actor', async () => {
    expect(await verdict({ to: TOKEN, acts: [moves(TOKEN, OTHER, OTHER, AMOUNT)] })).toBe(
      'ContractCall Suspected',
    );
  });
});

describe('an event with other arguments indexed', () => {
  const claimed = says(VENUE, 'Claimed(address indexed account, uint256 indexed amount)', [USER, AMOUNT]);
  it('tells why value moved, where nothing else does', async () => {
    expect(await verdict({ acts: [moves(TOKEN, VENUE, USER, AMOUNT), claimed] })).toBe(
      'ClaimRewards Suspected',
    );
    const swapped = swap(POOL, VENUE, [TOKEN, AMOUNT], [REWARD, PRICE]);
    const acts = [moves(TOKEN, USER, VENUE, AMOUNT), ...swapped, moves(REWARD, VENUE, USER, PRICE), claimed];
    expect(await verdict({ acts })).toMatch('DirectSwap');
  });
});

describe('an unknown event that records a payment', () => {
  const record = says(VENUE, 'Unheard(address who, uint256 amount)', [USER, AMOUNT]);
  it('makes it custody, and a payout its end', async () => {
    expect(await verdict({ acts: [moves(TOKEN, USER, VENUE, AMOUNT), record] })).toBe('Stake Suspected');
    expect(await verdict({ acts: [moves(TOKEN, VENUE, USER, AMOUNT), record] })).toBe('Unstake Suspected');
  });

  it('ends it too where interest was added to the amount asked for', async () => {
    const call = ['unheardOf(uint256,uint256)', [7n, AMOUNT]] as const;
    const paid = (amount: bigint) => ({ call, acts: [moves(TOKEN, VENUE, USER, amount), record] });
    expect(await verdict(paid(AMOUNT + AMOUNT / 20n))).toBe('Unstake Suspected');
    expect(await verdict(paid(AMOUNT + AMOUNT / 5n))).toBe('Unknown Suspected');
    expect(await verdict({ acts: paid(AMOUNT + AMOUNT / 20n).acts })).toBe('Unknown Suspected');
  });

  it('is none where the called contract passed the function on to the payer, which it empties', async () => {
    const sweep = ['sweep(address,uint256)', [USER, AMOUNT]] as const;
    const emptied = [
      moves(TOKEN, POOL, USER, AMOUNT),
      says(POOL, 'Unheard(address who, uint256 amount)', [USER, AMOUNT]),
    ];
    expect(await verdict({ call: sweep, acts: [calls(VENUE, POOL, ...sweep), ...emptied] })).toBe(
      'TokenTransfer Suspected',
    );
    expect(await verdict({ call: sweep, acts: emptied })).toBe('Unstake Suspected');
  });

  it.each([
    ['of native currency', { value: AMOUNT, acts: [record] }],
    ['of another amount', { acts: [moves(TOKEN, USER, VENUE, AMOUNT + 1n), record] }],
    [
      'at a stranger',
      {
        acts: [
          moves(TOKEN, USER, OTHER, AMOUNT),
          says(POOL, 'Unheard(address who, uint256 amount)', [USER, AMOUNT]),
        ],
      },
    ],
    [
      'split between two',
      { acts: [moves(TOKEN, USER, VENUE, AMOUNT), moves(TOKEN, USER, OTHER, AMOUNT), record] },
    ],
    [
      'for something minted',
      { acts: [moves(TOKEN, USER, VENUE, AMOUNT), movesNft(NFT, ZERO, USER, 5n), record] },
    ],
  ])('but not a payment %s', async (_, scene) => {
    expect(await verdict(scene)).not.toMatch('Stake');
  });
});

describe('a message of a bus', () => {
  const BUS = account('b5');
  const sent = says(BUS, 'PacketSent(bytes encodedPayload, bytes options, address sendLibrary)', [
    '0x1234',
    '0x',
    OTHER,
  ]);
  const LISTED: Address = '0x99c9fc46f92e8a1c0dec1b1747d010903e884be1'; // Optimism's standard bridge
  const deliveredBy = (bus: Address) =>
    says(bus, 'Process(uint32 indexed origin, bytes32 indexed sender, address indexed recipient)', [
      1,
      `0x${'ab'.repeat(32)}`,
      VENUE,
    ]);
  const delivered = deliveredBy(BUS);
  it.each([
    ['was locked', [moves(TOKEN, USER, VENUE, AMOUNT)]],
    ['was burnt', [moves(TOKEN, USER, ZERO, AMOUNT)]],
    [
      'was swapped first',
      [moves(REWARD, USER, VENUE, PRICE), ...swap(POOL, VENUE, [REWARD, PRICE], [TOKEN, AMOUNT])],
    ],
  ])('makes a bridge deposit of what %s, whichever application sent it', async (_, acts) => {
    expect(await verdict({ acts: [...acts, sent] })).toBe('BridgeDeposit Suspected');
  });

  it.each([
    ['released', moves(TOKEN, VENUE, USER, AMOUNT)],
    ['minted', moves(TOKEN, ZERO, USER, AMOUNT)],
    // A stranger's bus and token can name anybody: the signer stays the actor.
    ['minted to somebody else', moves(TOKEN, ZERO, OTHER, AMOUNT)],
  ])('makes a bridge withdrawal of what was %s', async (_, act) => {
    expect(await verdict({ acts: [act, delivered] })).toBe('BridgeWithdrawal Suspected');
  });

  it('names who was paid where the bus is listed', async () => {
    const acts = [moves(TOKEN, ZERO, OTHER, AMOUNT), deliveredBy(LISTED)];
    expect(await verdict({ acts })).toBe(`BridgeWithdrawal Suspected of ${OTHER}`);
  });

  it('says nothing about value that went the other way, or was exchanged', async () => {
    expect(await verdict({ acts: [moves(TOKEN, VENUE, USER, AMOUNT), sent] })).not.toMatch('Bridge');
    expect(await verdict({ acts: [moves(TOKEN, USER, VENUE, AMOUNT), delivered] })).not.toMatch('Bridge');
    expect(await verdict({ acts: [...deposit(USER), sent] })).toMatch('VaultDeposit');
    expect(await verdict({ acts: [sent] })).toMatch('ContractCall');
  });
});

describe('a known bridge that alone pays', () => {
  it('is withdrawn from, whoever is paid', async () => {
    const bridge: Address = '0x99c9fc46f92e8a1c0dec1b1747d010903e884be1'; // Optimism's standard bridge
    expect(await verdict({ acts: [moves(TOKEN, bridge, OTHER, AMOUNT)] })).toMatch(
      'BridgeWithdrawal Suspected',
    );
    const both = [moves(TOKEN, bridge, OTHER, AMOUNT), moves(REWARD, VENUE, OTHER, AMOUNT)];
    expect(await verdict({ acts: both })).not.toMatch('Bridge');
  });
});

describe('liquidity of a pool that no shape knows', () => {
  it('is added for an NFT where both assets stay with one account that did not issue it', async () => {
    const nft = movesNft(VENUE, ZERO, USER, 5n);
    const sentTo = (payee: Address) => [
      moves(TOKEN, USER, payee, AMOUNT),
      moves(REWARD, USER, POOL, PRICE),
      nft,
    ];
    expect(await verdict({ acts: sentTo(POOL) })).toBe('AddLiquidity Suspected');
    expect(await verdict({ acts: sentTo(POOL_B) })).toBe('NftMint Suspected');
    const paid = [moves(TOKEN, USER, NFT, AMOUNT), moves(REWARD, USER, NFT, PRICE)];
    expect(await verdict({ to: NFT, acts: [...paid, movesNft(NFT, ZERO, USER, 5n)] })).toBe(
      'NftMint Suspected',
    );
  });
});
