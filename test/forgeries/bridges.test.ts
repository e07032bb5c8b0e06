// A router that nobody lists names the account that a bridge pays on the other chain: its event says so, and the report does.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Abi, Address, Hex } from 'viem';
import { getAddress } from 'viem';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn, fnOf } from '../devnet/chain.ts';
import { abiEncode } from '../devnet/deploy/accounts.ts';
import { ur } from '../devnet/scenarios/swaps.ts';
import { ATTACKER, call, compile, event, startStage, type Stage, type Step } from './stage.ts';

const ALICE = addressOf('alice');
const FIVE = 5_000_000n;
/** Optimism's standard bridge. */
const BRIDGE = '0x99C9fc46f92E8a1c0deC1b1747d010903E884bE1';
const BRIDGED =
  'ERC20BridgeInitiated(address indexed localToken, address indexed remoteToken, address indexed from, address to, ' +
  'uint256 amount, bytes extraData)';
const MOVE = 'transferFrom(address,address,uint256)';
let stage: Stage, abi: Abi, router: Address;
beforeAll(async () => {
  stage = await startStage();
  const { Puppet } = compile('Forger.sol');
  abi = Puppet!.abi;
  router = await stage.forger('Router', 'ROUTER');
  await stage.chain.placeAt(BRIDGE, Puppet!, ['Bridge', 'BRIDGE', 6]);
  await stage.c.approve('alice', 'USDC', router);
}, 180_000);
afterAll(() => stage?.stop());

/** Alice calls a router that brings five of hers to a bridge, which says so in this event. */
async function carried(bridge: Address, said: Step) {
  const steps = [call(MAINNET.usdc, fn(MOVE, [router, bridge, FIVE])), said];
  const set = fnOf(abi, 'set', [steps]);
  await stage.chain.must(ATTACKER, { to: bridge, data: set, gas: 3_000_000n });
  const play = fnOf(stage.abi, 'play', [
    [
      call(MAINNET.usdc, fn(MOVE, [ALICE, router, FIVE])),
      call(MAINNET.usdc, fn('approve(address,uint256)', [bridge, FIVE])),
      call(bridge, fn('bridge()')),
    ],
  ]);
  return stage.report(await stage.chain.send('alice', { to: router, data: play, gas: 3_000_000n }));
}

const bridged = (to: Address) =>
  carried(BRIDGE, event(BRIDGED, router, FIVE, { localToken: MAINNET.usdc, to }));

describe('what a router brings to a bridge', () => {
  it.each<[string, () => Address]>([
    ['the actor', () => ALICE],
    ['another account', () => addressOf('bob')],
    ['the router', () => router],
  ])('for %s is a position of that account', async (_, to) => {
    const { classification, position_effects: effects } = await bridged(to());
    const account = getAddress(to());
    const suffix = account === ALICE ? '' : ` for ${account.slice(0, 6)}…${account.slice(-4)}`;
    expect(classification.intent_label).toBe(`Bridge 5 USDC with Optimism bridge${suffix}`);
    expect(classification).toMatchObject({ status: 'Proven', actor: ALICE });
    expect(effects.map(({ owner, category }) => [owner, category])).toEqual([[account, 'bridge_claim']]);
  });
});

describe('what a router brings to a bridge that it lets pay a stranger', () => {
  const SPOKE_POOL = '0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5';
  const RAINBOW = '0x23Ddd3e3692d1861Ed57EDE224608875809e127f';
  const word = (account: Address) => abiEncode(['address'], [account]);
  beforeAll(async () => {
    const { Puppet } = compile('Forger.sol');
    for (const at of [SPOKE_POOL, RAINBOW] as const)
      await stage.chain.placeAt(at, Puppet!, ['Bridge', 'BRIDGE', 6]);
  });

  const deposited = (recipient: Hex) =>
    event(
      'FundsDeposited(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, ' +
        'uint256 indexed destinationChainId, uint256 indexed depositId, uint32 quoteTimestamp, uint32 fillDeadline, ' +
        'uint32 exclusivityDeadline, bytes32 indexed depositor, bytes32 recipient, bytes32 exclusiveRelayer, bytes message)',
      ALICE,
      FIVE,
      { inputToken: word(MAINNET.usdc), depositor: word(ALICE), recipient },
    );

  it('is for that account where the event names it', async () => {
    const said = deposited(word(addressOf('bob')));
    const { classification, position_effects: effects } = await carried(SPOKE_POOL, said);
    const bob = getAddress(addressOf('bob'));
    expect(classification).toMatchObject({
      intent_label: `Bridge 5 USDC with Across for ${bob.slice(0, 6)}…${bob.slice(-4)}`,
      status: 'Proven',
      actor: ALICE,
    });
    expect(effects).toMatchObject([{ owner: bob, category: 'bridge_claim' }]);
  });

  it.each<[string, Address, () => Step]>([
    [
      'its payer',
      RAINBOW,
      () =>
        event(
          'Locked(address indexed token, address indexed sender, uint256 amount, string accountId)',
          router,
          FIVE,
          {
            token: MAINNET.usdc,
            accountId: 'stranger.near',
          },
        ),
    ],
    ['whom its payer named', SPOKE_POOL, () => deposited(`0x${'5e'.repeat(32)}`)],
  ])('is not Proven where it names nobody but %s', async (_, bridge, said) => {
    const { classification, position_effects: effects } = await carried(bridge, said());
    expect(classification).toMatchObject({ intent_kind: 'BridgeDeposit', status: 'Suspected', actor: ALICE });
    expect(classification.caveats!.map(({ code }) => code)).toContain('contradiction');
    expect(effects).toMatchObject([{ owner: ALICE, category: 'bridge_claim', status: 'Suspected' }]);
  });

  it('is its payer’s own where it pays the bridge itself', async () => {
    const set = fnOf(abi, 'set', [
      [call(MAINNET.usdc, fn(MOVE, [ALICE, SPOKE_POOL, FIVE])), deposited(`0x${'5e'.repeat(32)}`)],
    ]);
    await stage.chain.must(ATTACKER, { to: SPOKE_POOL, data: set, gas: 3_000_000n });
    await stage.c.approve('alice', 'USDC', SPOKE_POOL);
    const hash = await stage.chain.send('alice', { to: SPOKE_POOL, data: fn('bridge()'), gas: 3_000_000n });
    const { classification, position_effects: effects } = await stage.report(hash);
    expect(classification).toMatchObject({ intent_label: 'Bridge 5 USDC with Across', status: 'Proven' });
    expect(effects).toMatchObject([{ owner: ALICE, category: 'bridge_claim' }]);
  });
});

/** Mayan Swift's orders: the event tells their key alone, and anybody may fill one of his own making. */
describe('an order from another chain, filled here', () => {
  const ORDERS = getAddress('0xC38e4e6A15593f908255214653d3D947CA1c2338');
  const BOB = addressOf('bob');
  const { usdc } = MAINNET;
  const pay = (to: Address, amount: bigint) => call(usdc, fn('transfer(address,uint256)', [to, amount]));
  const pull = (to: Address, amount: bigint) => call(usdc, fn(MOVE, [router, to, amount]));
  const filled = event('OrderFulfilled(bytes32 key, uint64 sequence, uint256 netAmount)', BOB, FIVE, {
    sequence: 0n,
  });
  const sweep = abiEncode(['address', 'address', 'uint256'], [usdc, ORDERS, 0n]);

  beforeAll(async () => {
    const { chain } = stage;
    await chain.placeAt(ORDERS, compile('Forger.sol')['Forger']!, ['Orders', 'ORDERS']);
    const allow = fnOf(stage.abi, 'play', [
      [call(usdc, fn('approve(address,uint256)', [ORDERS, 1n << 200n]))],
    ]);
    await chain.must(ATTACKER, { to: router, data: allow });
    for (const to of [ORDERS, router])
      await chain.must('maker', { to: usdc, data: fn('transfer(address,uint256)', [to, 20n * FIVE]) });
    // One unit that somebody left behind.
    await chain.must('maker', {
      to: usdc,
      data: fn('transfer(address,uint256)', [MAINNET.universalRouter, 1n]),
    });
  });
  /** The router calls the contract of orders with these steps, after others. */
  const report = (steps: readonly Step[], before: readonly Step[] = []) =>
    stage.play(router, [...before, call(ORDERS, fnOf(stage.abi, 'play', [[...steps, filled]]))]);
  const fills = async (...given: Parameters<typeof report>) => (await report(...given)).classification;

  it('was owed to nobody that this chain shows, even where the contract paid out of what it held', async () => {
    const { classification, position_effects: effects } = await report([pay(BOB, FIVE)]);
    expect(classification).not.toMatchObject({ actor: BOB, status: 'Proven' });
    expect(effects).toMatchObject([{ owner: BOB, category: 'bridge_claim', status: 'Suspected' }]);
  });

  it.each<[string, () => [steps: readonly Step[], before?: readonly Step[]]]>([
    ['through it', () => [[pull(ORDERS, FIVE), pay(BOB, FIVE)]]],
    ['through it, and leaves one unit', () => [[pull(ORDERS, FIVE + 1n), pay(BOB, FIVE)]]],
    ['through it, all but one unit', () => [[pull(ORDERS, FIVE - 1n), pay(BOB, FIVE)]]],
    [
      'through a listed router that held one unit',
      () => [
        [pay(BOB, FIVE)],
        [pay(MAINNET.universalRouter, FIVE - 1n), call(MAINNET.universalRouter, ur([0x04], [sweep]))],
      ],
    ],
    ['itself', () => [[pull(BOB, FIVE)]]],
  ])('is not where the filler pays %s', async (_, given) => {
    expect(await fills(...given())).not.toMatchObject({ actor: BOB, status: 'Proven' });
  });
});

describe('a payment of a bridge', () => {
  const SPOKE_POOL = '0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5';
  const BOB = addressOf('bob');
  const word = (account: Address) => abiEncode(['address'], [account]);
  const FILLED =
    'FilledRelay(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, ' +
    'uint256 repaymentChainId, uint256 indexed originChainId, uint256 indexed depositId, uint32 fillDeadline, ' +
    'uint32 exclusivityDeadline, bytes32 exclusiveRelayer, bytes32 indexed relayer, bytes32 depositor, ' +
    'bytes32 recipient, bytes32 messageHash, (bytes32 updatedRecipient, bytes32 updatedMessageHash, ' +
    'uint256 updatedOutputAmount, uint8 fillType) relayExecutionInfo)';
  const FINALIZED = BRIDGED.replace('Initiated', 'Finalized');
  const given = { outputToken: word(MAINNET.usdc), depositor: word(BOB), recipient: word(BOB) };

  beforeAll(async () => {
    const { Forger } = compile('Forger.sol');
    for (const bridge of [SPOKE_POOL, BRIDGE] as const) {
      await stage.chain.placeAt(bridge, Forger!, ['Bridge', 'BRIDGE']);
      for (const to of [bridge, router])
        await stage.chain.must('maker', {
          to: MAINNET.usdc,
          data: fn('transfer(address,uint256)', [to, 4n * FIVE]),
        });
    }
  });
  /** The bridge, which a stranger calls, pays Bob with these steps. */
  function paid(bridge: Address, steps: readonly Step[]) {
    const allow = call(MAINNET.usdc, fn('approve(address,uint256)', [bridge, FIVE]));
    return stage.play(router, [allow, call(bridge, fnOf(stage.abi, 'play', [steps]))]);
  }

  it.each([
    ['an account', () => word(router)],
    ['no account of this chain', (): Hex => `0x${'5e'.repeat(32)}`],
  ])(
    'by an order that its filler may have made up closes no proven claim: %s is repaid',
    async (_, relayer) => {
      const { classification, position_effects: effects } = await paid(SPOKE_POOL, [
        call(MAINNET.usdc, fn(MOVE, [router, BOB, FIVE])),
        event(FILLED, BOB, FIVE, { ...given, relayer: relayer() }),
      ]);
      expect(classification.intent_label).toContain('5 USDC from Across');
      expect(classification).not.toMatchObject({ actor: BOB, status: 'Proven' });
      expect(effects).toMatchObject([
        { owner: BOB, category: 'bridge_claim', effect: 'close', status: 'Suspected' },
      ]);
    },
  );

  it('of what it held, by its own message, closes one', async () => {
    const { position_effects: effects } = await paid(BRIDGE, [
      call(MAINNET.usdc, fn('transfer(address,uint256)', [BOB, FIVE])),
      event(FINALIZED, BOB, FIVE, { localToken: MAINNET.usdc }),
    ]);
    expect(effects).toMatchObject([
      { owner: BOB, category: 'bridge_claim', effect: 'close', status: 'Proven' },
    ]);
  });
});
