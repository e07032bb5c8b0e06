// Lanes, outcome tokens, records and claims of shares: a stranger's contract that says the same proves none of them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeFunctionData, parseAbi, type Address } from 'viem';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn } from '../devnet/chain.ts';
import { ATTACKER, call, event, startStage, type Stage, type Step } from './stage.ts';

const ALICE = addressOf('alice');
const AMOUNT = 7n;
const WORD = `0x${'11'.repeat(32)}` as const;
let stage: Stage;
let forger: Address;
beforeAll(async () => {
  stage = await startStage();
  forger = await stage.forger('Ramp', 'RAMP');
  await stage.chain.must(ATTACKER, { to: MAINNET.weth, data: fn('deposit()'), value: 10n ** 16n });
  await stage.chain.must(ATTACKER, {
    to: MAINNET.weth,
    data: fn('transfer(address,uint256)', [forger, 10n ** 16n]),
  });
}, 180_000);
afterAll(() => stage?.stop());

const gift = (): Step => call(MAINNET.weth, fn('transfer(address,uint256)', [ALICE, AMOUNT]));
const share = (from: Address, to: Address): Step =>
  call(forger, fn('transferFrom(address,address,uint256)', [from, to, AMOUNT]));

/** The call by which a CCIP ramp delivers a message to itself, with tokens for Alice. */
const delivery = (): Step => {
  const abi = parseAbi([
    'struct H { bytes32 messageId; uint64 sourceChainSelector; uint64 destChainSelector; uint64 sequenceNumber; uint64 nonce; }',
    'struct T { bytes sourcePoolAddress; address destTokenAddress; uint32 destGasAmount; bytes extraData; uint256 amount; }',
    'struct M { H header; bytes sender; bytes data; address receiver; uint256 gasLimit; T[] tokenAmounts; }',
    'function executeSingleMessage(M message, bytes[] offchainTokenData, uint32[] tokenGasOverrides)',
  ]);
  const header = {
    messageId: WORD,
    sourceChainSelector: 1n,
    destChainSelector: 2n,
    sequenceNumber: 3n,
    nonce: 4n,
  };
  const token = {
    sourcePoolAddress: '0x',
    destTokenAddress: MAINNET.weth,
    destGasAmount: 0,
    extraData: '0x',
    amount: AMOUNT,
  } as const;
  const message = {
    header,
    sender: '0x',
    data: '0x',
    receiver: ALICE,
    gasLimit: 0n,
    tokenAmounts: [token],
  } as const;
  return call(forger, encodeFunctionData({ abi, args: [message, [], []] }));
};

const STRANGERS: Record<string, () => Step[]> = {
  'a delivery by a ramp of its own': () => [delivery(), gift()],
  'tokens sent by a ramp of its own': () => [
    event(
      'CCIPSendRequested((uint64 sourceChainSelector, address sender, address receiver, uint64 sequenceNumber, uint256 gasLimit, bool strict, uint64 nonce, address feeToken, uint256 feeTokenAmount, bytes data, (address token, uint256 amount)[] tokenAmounts, bytes[] sourceTokenData, bytes32 messageId) message)',
      ALICE,
      AMOUNT,
    ),
  ],
  'collateral split into outcomes': () => [
    share(ALICE, forger),
    event(
      'PositionSplit(address indexed stakeholder, address collateralToken, bytes32 indexed parentCollectionId, bytes32 indexed conditionId, uint256[] partition, uint256 amount)',
      ALICE,
      AMOUNT,
      { collateralToken: forger },
    ),
  ],
  'outcomes redeemed': () => [
    gift(),
    event(
      'PayoutRedemption(address indexed redeemer, address indexed collateralToken, bytes32 indexed parentCollectionId, bytes32 conditionId, uint256[] indexSets, uint256 payout)',
      ALICE,
      AMOUNT,
      { collateralToken: MAINNET.weth },
    ),
  ],
  'a lock that ends later': () => [
    event(
      'Deposit(address indexed provider, uint256 value, uint256 indexed locktime, int128 type, uint256 ts)',
      ALICE,
      AMOUNT,
      { value: 0n },
    ),
  ],
  'an order cancelled': () => [
    event('OrderCanceled(address indexed maker, bytes32 orderHash, uint256 remainingRaw)', ALICE, AMOUNT),
  ],
  'a trade cancelled': () => [
    event('CancelTrade(address indexed user, bytes32 hash, uint256 index, uint256 amount)', ALICE, AMOUNT),
  ],
  'shares claimed': () => [
    share(forger, ALICE),
    event(
      'Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
      ALICE,
      AMOUNT,
    ),
  ],
};

describe.each(Object.entries(STRANGERS))('%s, says a stranger’s contract', (_, steps) => {
  it('is no Proven act or position of the account it names', async () => {
    const { classification, position_effects: positions } = await stage.play(forger, steps());
    expect([classification.actor, classification.status]).not.toEqual([ALICE, 'Proven']);
    expect(positions.filter(({ owner, status }) => owner === ALICE && status === 'Proven')).toEqual([]);
    if (classification.status === 'Proven')
      expect(classification.intent_kind).not.toMatch(/Bridge|Vault|Order|Stake/);
  });
});

describe('a contract that trades what it holds', () => {
  const SWAP = 'swapExactTokensForTokens(uint256,uint256,address[],address,uint256)';
  const trade = (told: Step): Step[] => [
    call(MAINNET.weth, fn('approve(address,uint256)', [MAINNET.v2Router, 10n ** 12n])),
    call(MAINNET.v2Router, fn(SWAP, [10n ** 12n, 0n, [MAINNET.weth, MAINNET.usdc], forger, 1n << 40n])),
    told,
  ];

  it('acts for itself where its event tells nothing', async () => {
    const { classification } = await stage.play(forger, trade(event('Done()', ALICE, AMOUNT)));
    expect(classification).toMatchObject({ intent_kind: 'DirectSwap', status: 'Proven', actor: forger });
  });

  it('may act for others where its event tells of somebody', async () => {
    const { classification } = await stage.play(forger, trade(event('Done(address by)', ALICE, AMOUNT)));
    expect([classification.actor, classification.status]).not.toEqual([forger, 'Proven']);
    expect([classification.actor, classification.status]).not.toEqual([ALICE, 'Proven']);
  });
});
