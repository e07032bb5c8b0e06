import { describe, expect, it } from 'vitest';
import { holderCalls, planHolders, readHolders } from '../../../src/stages/1-fetch/context/holderReads.ts';
import { holdersIn } from '../../../src/stages/4-primitives/match/holders.ts';
import { buildValueFlow } from '../../../src/stages/3-flow/buildValueFlow.ts';
import { nftId } from '../../../src/value/asset.ts';
import {
  calls,
  movesNft,
  OTHER,
  says,
  shippedRules,
  staged,
  USER,
  VENUE,
  ZERO,
  type Act,
} from '../rules-content/scene.ts';
import type { Address, Hex } from '../../../src/model/hex.ts';

const rules = shippedRules();
/** Published by docs.uniswap.org. */
const MANAGER: Address = '0xc36442b4a4522e871399cd717abdd847ab11fe88';
const INCREASE =
  'IncreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)';
const increase = (at: Address, id: bigint): Act => says(at, INCREASE, [id, 1n, 2n, 3n]);
const withdraw = says(
  VENUE,
  'WithdrawFromLockupStream(uint256 indexed streamId, address indexed to, uint128 amount)',
  [9n, OTHER, 5n],
);
const plan = (...acts: readonly Act[]) => planHolders(staged({ acts }), rules);
const uint = (value: bigint): string => value.toString(16).padStart(64, '0');
const word = (account: Address): Hex => `0x${uint(BigInt(account))}`;

describe('holders of NFTs in the second round trip', () => {
  it('are asked of the emitter, of a stranger where any may speak, before the block and at its end', () => {
    const call = { to: MANAGER, data: `0x6352211e${uint(7n)}`, apart: `holders ${MANAGER}` };
    expect(holderCalls(plan(increase(MANAGER, 7n)))).toEqual([{ ...call, before: true }, call]);
    expect(holderCalls(plan(withdraw))[1]).toMatchObject({ to: VENUE, data: `0x6352211e${uint(9n)}` });
  });

  it('are not asked where no role wants one', () => {
    expect(plan(says(MANAGER, 'Transfer(address,address,uint256)', [USER, USER, 7n])).size).toBe(0);
    expect(plan(calls(USER, MANAGER, 'increaseLiquidity(uint256)', [7n])).size).toBe(0);
  });

  it('are cut where there are many', () => {
    expect(plan(...Array.from({ length: 60 }, (_, i) => increase(MANAGER, BigInt(i)))).size).toBe(40);
  });

  const asked = plan(increase(MANAGER, 7n));
  const NFT = nftId('erc721', MANAGER, 7n);
  it.each([
    ['alike', [word(USER), word(USER)], USER],
    ['minted in the block', [null, word(USER)], USER],
    ['burnt in the block', [word(USER), null], USER],
    ['burnt, with a contract that answers zero', [word(USER), word(ZERO)], USER],
    ['another after the block: who held it then is not known', [word(USER), word(OTHER)], undefined],
    ['no NFT', [null, null], undefined],
    ['no address', [`0x${'ff'.repeat(32)}` as Hex, '0x01' as Hex], undefined],
    ['unread by the node', [word(USER), undefined], undefined],
  ] as const)('answers %s', (_, answers, holder) => {
    expect(readHolders(asked, answers).get(NFT)).toBe(holder);
  });
});

describe('the holder at a moment of the transaction', () => {
  const answered = new Map([[nftId('erc721', MANAGER, 7n), VENUE]]);
  const at = (seq: number, ...acts: readonly Act[]) => {
    const tx = staged({ acts });
    const last = tx.logs[seq]?.seq ?? Infinity;
    return holdersIn(buildValueFlow(tx, rules), answered, tx)(MANAGER, 7n, last);
  };
  it('is who the transaction’s own movements show, whatever the contract answers', () => {
    expect(at(0, increase(MANAGER, 7n), movesNft(MANAGER, USER, OTHER, 7n))).toBe(USER);
    expect(at(1, movesNft(MANAGER, USER, OTHER, 7n), increase(MANAGER, 7n))).toBe(OTHER);
    expect(at(0, increase(MANAGER, 7n), movesNft(MANAGER, ZERO, OTHER, 7n))).toBe(OTHER);
    expect(at(1, movesNft(MANAGER, USER, ZERO, 7n), increase(MANAGER, 7n))).toBe(USER);
  });
  it('is the contract’s answer where the NFT did not move', () => {
    expect(at(0, increase(MANAGER, 7n), movesNft(MANAGER, USER, OTHER, 8n))).toBe(VENUE);
  });
});
