// Positions at a real market that a stranger pays for with a bystander's tokens.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from 'viem';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { ETHER, fn } from '../devnet/chain.ts';
import { ATTACKER, call, startStage, type Stage, type Step } from './stage.ts';

const [ALICE, BOB, ME] = [addressOf('alice'), addressOf('bob'), addressOf(ATTACKER)];
const FIVE = 5_000_000n;
const MAX = 2n ** 256n - 1n;
let stage: Stage, mask: Address;
beforeAll(async () => {
  stage = await startStage();
  mask = await stage.forger('Mask', 'MASK');
  const { c, chain } = stage;
  const pool = (signature: string, ...args: unknown[]) =>
    chain.must('alice', { to: MAINNET.aavePool, data: fn(signature, args), gas: 2_000_000n });
  await chain.must('alice', { to: MAINNET.weth, data: fn('deposit()'), value: ETHER });
  for (const [who, token, spender] of [
    ['alice', 'WETH', 'aavePool'],
    ['bob', 'USDC', mask],
    [ATTACKER, 'USDC', mask],
  ] as const)
    await c.approve(who, token, spender);
  await pool('supply(address,uint256,address,uint16)', MAINNET.weth, ETHER, ALICE, 0);
  await pool('borrow(address,uint256,uint256,uint16,address)', MAINNET.usdc, 100n * FIVE, 2n, 0, ALICE);
}, 180_000);
afterAll(() => stage?.stop());

const repaid = (from: Address): Step[] => [
  call(MAINNET.usdc, fn('transferFrom(address,address,uint256)', [from, mask, FIVE])),
  call(MAINNET.usdc, fn('approve(address,uint256)', [MAINNET.aavePool, MAX])),
  call(MAINNET.aavePool, fn('repay(address,uint256,uint256,address)', [MAINNET.usdc, FIVE, 2n, ALICE])),
];

describe('a debt of another, repaid through a contract', () => {
  it('with the signer’s own tokens is Proven', async () => {
    const { classification } = await stage.play(mask, repaid(ME));
    expect(classification).toMatchObject({ intent_kind: 'Repay', status: 'Proven', actor: ME });
  });

  it('with tokens of a bystander, by an allowance of old, is not', async () => {
    const { classification, position_effects: effects } = await stage.play(mask, repaid(BOB));
    expect([classification.status, classification.actor]).toEqual(['Suspected', ME]);
    expect(classification.caveats?.map(({ code }) => code)).toContain('unasked_pull');
    expect(effects.map(({ owner, effect }) => [owner, effect])).toEqual([[ALICE, 'decrease']]);
  });
});
