// A router that nobody lists names the account that a bridge pays on the other chain: its event says so, and the report does.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Abi, Address } from 'viem';
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

/** Alice calls a router that brings five of hers to the bridge, to be paid to `to` on the other chain. */
async function bridged(to: Address) {
  const steps = [
    call(MAINNET.usdc, fn(MOVE, [router, BRIDGE, FIVE])),
    event(BRIDGED, router, FIVE, { localToken: MAINNET.usdc, to }),
  ];
  const set = fnOf(abi, 'set', [steps]);
  await stage.chain.must(ATTACKER, { to: BRIDGE, data: set, gas: 3_000_000n });
  const play = fnOf(stage.abi, 'play', [
    [
      call(MAINNET.usdc, fn(MOVE, [ALICE, router, FIVE])),
      call(MAINNET.usdc, fn('approve(address,uint256)', [BRIDGE, FIVE])),
      call(BRIDGE, fn('bridge()')),
    ],
  ]);
  return stage.report(await stage.chain.send('alice', { to: router, data: play, gas: 3_000_000n }));
}

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
  const fills = async (steps: readonly Step[], before: readonly Step[] = []) =>
    (await stage.play(router, [...before, call(ORDERS, fnOf(stage.abi, 'play', [[...steps, filled]]))]))
      .classification;

  it('is Proven of its recipient where the contract paid out of what it held', async () => {
    expect(await fills([pay(BOB, FIVE)])).toMatchObject({
      actor: BOB,
      status: 'Proven',
      intent_label: 'Receive 5 USDC from Mayan Swift',
    });
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
