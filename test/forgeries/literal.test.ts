// Sentences that say no more than the movements: what a stranger's contract says beside them names nobody else.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressOf } from '../devnet/accounts.ts';
import { ETHER, fn, fnOf } from '../devnet/chain.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { ATTACKER, call, compile, event, startStage, type Stage, type Step } from './stage.ts';
import { toHex, type Address, type Hex } from 'viem';

const [ALICE, MALLORY] = [addressOf('alice'), addressOf(ATTACKER)];
const TRANSFER = 'Transfer(address indexed from, address indexed to, uint256 value)';
const MINT = 'Transfer(address indexed from, address indexed to, uint256 indexed tokenId)';
const ZERO: Address = `0x${'0'.repeat(40)}`;
let stage: Stage;
let forger: Address;
beforeAll(async () => {
  stage = await startStage();
  forger = await stage.forger('Forger', 'FORGER');
}, 180_000);
afterAll(() => stage?.stop());

describe('a call that moves nothing', () => {
  it('is its signer’s, whoever an event of unknown meaning names', async () => {
    const { classification } = await stage.play(forger, [
      event('Bound(address indexed owner, uint256 amount)', ALICE, ETHER),
    ]);
    expect(classification).toMatchObject({
      intent_kind: 'ContractCall',
      status: 'Suspected',
      actor: MALLORY,
    });
    expect(classification.intent_label).toMatch(/^Call 0x/);
  });

  it.each([
    ['a stake', 'Staked(address indexed user, uint256 amount)'],
    ['a deposit', 'Deposit(address indexed owner, uint256 assets)'],
    ['a transfer', TRANSFER],
  ])('proves no %s of the account its event names', async (_, signature) => {
    const { classification, position_effects: positions } = await stage.play(forger, [
      event(signature, ALICE, ETHER),
    ]);
    if (classification.status === 'Proven')
      expect(classification).toMatchObject({ intent_kind: 'ContractCall', actor: MALLORY });
    expect(positions.filter(({ owner, status }) => owner === ALICE && status === 'Proven')).toEqual([]);
  });
});

describe('an NFT minted to an account that asked for nothing', () => {
  it('is no Proven mint of its', async () => {
    const { classification } = await stage.play(forger, [
      event(MINT, ALICE, 7n, { from: ZERO, tokenId: 7n }),
      event('Bought(address indexed buyer, uint256 price)', ALICE, ETHER),
    ]);
    expect([classification.actor, classification.status]).not.toEqual([ALICE, 'Proven']);
  });

  it('is no Proven mint of who paid for it, where it went on at once', async () => {
    const steps = [
      event(MINT, ALICE, 8n, { from: ZERO, tokenId: 8n }),
      event(MINT, ALICE, 8n, { to: MALLORY, tokenId: 8n }),
    ];
    const request = { to: forger, data: fnOf(stage.abi, 'play', [steps]), value: ETHER, gas: 1_000_000n };
    const { classification } = await stage.report(await stage.chain.send('alice', request));
    expect([classification.intent_kind, classification.status]).toEqual(['NativeTransfer', 'Suspected']);
  });
});

describe('a transfer by a contract that its caller commands', () => {
  it('of another account’s balance is none of that account’s', async () => {
    const { classification } = await stage.play(forger, [
      event(TRANSFER, ALICE, ETHER, { from: ALICE, to: addressOf('bob') }),
    ]);
    expect([classification.actor, classification.status]).not.toEqual([ALICE, 'Proven']);
  });
});

describe('what several contracts pay one account at the word of their caller', () => {
  const BOB = addressOf('bob');
  const paid = (token: Address): Step => call(token, fn('transfer(address,uint256)', [BOB, 5_000_000n]));
  const does = (at: Address, step: Step): Step => call(at, fnOf(stage.abi, 'play', [[step]]));
  let deposits: readonly Address[];
  let lookAlike: Address;
  beforeAll(async () => {
    const { chain, c } = stage;
    lookAlike = await stage.forger('USD Coin', 'USDC');
    deposits = [await stage.forger('One', 'ONE'), await stage.forger('Two', 'TWO')];
    for (const to of [...deposits, ALICE]) {
      const data = fn('transfer(address,uint256)', [to, 100_000_000n]);
      await chain.must('maker', { to: MAINNET.usdc, data });
    }
    await c.approve('alice', 'USDC', forger);
  });

  it('is Proven, and an act of none of them', async () => {
    const { classification } = await stage.play(
      forger,
      deposits.map((one) => does(one, paid(MAINNET.usdc))),
    );
    expect(classification).toMatchObject({ intent_kind: 'TokenTransfer', status: 'Proven', actor: MALLORY });
    expect(classification.intent_label).toMatch(/^Move 10 USDC of several accounts to 0x/);
  });

  it.each<[string, () => Step[]]>([
    [
      'with what an allowance of old lets it take of an account',
      () => [
        does(deposits[0]!, paid(MAINNET.usdc)),
        call(MAINNET.usdc, fn('transferFrom(address,address,uint256)', [ALICE, BOB, 5_000_000n])),
      ],
    ],
    ['in a token under another’s name', () => deposits.map((one) => does(one, paid(lookAlike)))],
    [
      'with an event that names the one that was paid',
      () => [
        ...deposits.map((one) => does(one, paid(MAINNET.usdc))),
        event('Bound(address indexed owner, uint256 amount)', BOB, 5_000_000n),
      ],
    ],
  ])('is Suspected %s', async (_, steps) => {
    expect((await stage.play(forger, steps())).classification.status).toBe('Suspected');
  });
});

describe('ether sent without calldata to a contract', () => {
  it('that says nothing is a payment, and Proven', async () => {
    const { classification } = await stage.report(
      await stage.chain.send('alice', { to: forger, value: ETHER, gas: 100_000n }),
    );
    expect(classification).toMatchObject({ intent_kind: 'NativeTransfer', status: 'Proven', actor: ALICE });
  });

  it('that logs its receipt is a payment, and Proven; with calldata it is not', async () => {
    const treasury = await stage.chain.deploy(compile('Forger.sol')['Treasury']!, []);
    const send = async (data: Hex = '0x') =>
      (
        await stage.report(
          await stage.chain.send('alice', { to: treasury, value: ETHER, gas: 100_000n, data }),
        )
      ).classification;
    expect(await send()).toMatchObject({ intent_kind: 'NativeTransfer', status: 'Proven', actor: ALICE });
    expect((await send('0x12345678')).status).toBe('Suspected');
  });

  it('that says something may be anything, and is Suspected', async () => {
    const bell = await stage.chain.deploy(compile('Forger.sol')['Doorbell']!, []);
    const { classification } = await stage.report(
      await stage.chain.send('alice', { to: bell, value: ETHER, gas: 100_000n }),
    );
    expect(classification.status).toBe('Suspected');
  });
});

describe('a function of unknown purpose whose event is of no known kind', () => {
  const counted = async (data: Hex, value: bigint, from = 'alice') => {
    const counter = await stage.chain.deploy(compile('Forger.sol')['Counter']!, []);
    return stage.report(await stage.chain.send(from, { to: counter, value, gas: 200_000n, data }));
  };
  const count = (word: bigint): Hex => fn('count(uint256)', [word]);

  it('is a call, and Proven of its signer, where the event names nobody', async () => {
    const { classification } = await counted(count(77n), 0n);
    expect(classification).toMatchObject({ intent_kind: 'ContractCall', status: 'Proven', actor: ALICE });
    expect(classification.intent_label).toMatch(/^Call .*0x\w{4}…\w{4}$/);
  });

  it('is a payment, and Proven of its signer, where it kept ether or handed it on', async () => {
    const kept = await counted(count(77n), ETHER);
    expect(kept.classification).toMatchObject({
      intent_kind: 'NativeTransfer',
      status: 'Proven',
      actor: ALICE,
    });
    expect(kept.classification.intent_label).toMatch(/^Pay 1 ETH to 0x/);
    const passed = await counted(fn('passOn(address)', [MALLORY]), ETHER);
    expect(passed.classification).toMatchObject({ status: 'Proven', actor: ALICE });
    expect(passed.classification.intent_label).toContain(MALLORY.slice(0, 6));
  });

  it.each([
    ['its signer', ALICE],
    ['a stranger', addressOf('bob')],
  ])('is Suspected where the event names %s', async (_, account) => {
    expect((await counted(count(BigInt(account)), 0n)).classification.status).toBe('Suspected');
    expect((await counted(count(BigInt(account)), ETHER)).classification.status).toBe('Suspected');
  });

  it('says nothing Proven of an account that did not sign', async () => {
    const report = await counted(count(BigInt(ALICE)), ETHER, ATTACKER);
    expect(report.classification.actor).not.toBe(ALICE);
    const proven = report.position_effects.filter(({ status }) => status === 'Proven');
    expect(proven).toEqual([]);
  });
});

describe('ether with the reference of an order', () => {
  const SOLVER: Address = '0xf70da97812CB96acDF810712Aa562db8dfA3dbEF';

  it('from a bridge’s own account is a delivery; from anybody else it is none', async () => {
    await stage.chain.rpc('anvil_setBalance', [SOLVER, toHex(10n * ETHER)]);
    const { transactionHash: hash } = await stage.chain.as(SOLVER, {
      to: ALICE,
      value: ETHER,
      data: '0x00ffe1be',
      gas: 100_000n,
    });
    expect((await stage.report(hash)).classification).toMatchObject({
      intent_kind: 'BridgeWithdrawal',
      status: 'Proven',
      actor: ALICE,
    });
    const sent = await stage.chain.send(ATTACKER, { to: ALICE, value: ETHER, data: '0x00ffe1be' });
    const { classification } = await stage.report(sent);
    expect(classification.intent_kind).not.toBe('BridgeWithdrawal');
    expect(classification.actor).toBe(MALLORY);
  });

  it('to a bridge’s own account is its signer’s deposit, whoever the calldata names', async () => {
    const data: Hex = `0x00ff6506${ALICE.slice(2).padStart(64, '0')}`;
    const sent = await stage.chain.send(ATTACKER, { to: SOLVER, value: ETHER, data });
    expect((await stage.report(sent)).classification).toMatchObject({
      intent_kind: 'BridgeDeposit',
      status: 'Proven',
      actor: MALLORY,
    });
  });
});

describe('an event of a listed contract that no second source confirms', () => {
  const MANAGER: Address = '0x39053D51B77DC0d36036Fc1fCc8Cb819df8Ef37A';
  const DELEGATED = 'StakerDelegated(address indexed staker, address indexed operator)';
  const delegates = (staker: Address) => event(DELEGATED, staker, 0n, { operator: addressOf('bob') });

  it('is an act of the signer that it names, who called the contract, and of nobody else', async () => {
    await stage.chain.rpc('anvil_setCode', [
      MANAGER,
      await stage.chain.rpc('eth_getCode', [forger, 'latest']),
    ]);
    const own = (await stage.play(MANAGER, [delegates(MALLORY)])).classification;
    expect(own).toMatchObject({ intent_kind: 'GovernanceAction', status: 'Proven', actor: MALLORY });
    const others = (await stage.play(MANAGER, [delegates(ALICE)])).classification;
    expect([others.actor, others.status]).not.toEqual([ALICE, 'Proven']);
    expect([others.intent_kind, others.status]).not.toEqual(['GovernanceAction', 'Proven']);
  });

  it('is no Proven act where a stranger’s contract logs it', async () => {
    const { classification } = await stage.play(forger, [delegates(MALLORY)]);
    expect([classification.intent_kind, classification.status]).not.toEqual(['GovernanceAction', 'Proven']);
  });

  it('is no Proven act where a stranger’s contract called the listed one', async () => {
    const data = fnOf(stage.abi, 'play', [[delegates(MALLORY)]]);
    const { classification } = await stage.play(forger, [call(MANAGER, data)]);
    expect([classification.intent_kind, classification.status]).not.toEqual(['GovernanceAction', 'Proven']);
  });
});
