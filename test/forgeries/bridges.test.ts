// A router that nobody lists names the account that a bridge pays on the other chain: its event says so, and the report does.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Abi, Address } from 'viem';
import { getAddress } from 'viem';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn, fnOf } from '../devnet/chain.ts';
import { ATTACKER, call, compile, event, startStage, type Stage } from './stage.ts';

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
