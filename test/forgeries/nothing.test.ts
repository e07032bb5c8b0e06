// Transfers of nothing and to oneself, which a contract logs of the account that called it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from 'viem';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn, fnOf } from '../devnet/chain.ts';
import { ATTACKER, call, event, startStage, type Stage, type Step } from './stage.ts';

const [ALICE, BOB, ME] = [addressOf('alice'), addressOf('bob'), addressOf(ATTACKER)];
const [FUNGIBLE, NFT] = ['uint256 value', 'uint256 indexed id'];
let stage: Stage, shop: Address, token: Address;
beforeAll(async () => {
  stage = await startStage();
  [shop, token] = [await stage.forger('Shop', 'SHOP'), await stage.forger('Token', 'TKN')];
  await stage.c.approve('alice', 'USDC', shop);
}, 180_000);
afterAll(() => stage?.stop());

const verdict = async (to: Address, data: `0x${string}`) =>
  (await stage.report(await stage.chain.send('alice', { to, data, gas: 3_000_000n }))).classification;
/** Alice calls the attacker's shop, which does this. */
const visit = (steps: readonly Step[]) => verdict(shop, fnOf(stage.abi, 'play', [steps]));
const logged = (from: Address, to: Address, amount: bigint, last = FUNGIBLE): Step =>
  event(`Transfer(address indexed from, address indexed to, ${last})`, from, amount, { from, to });
const usdc = (signature: string, ...args: unknown[]): Step => call(MAINNET.usdc, fn(signature, args));

describe('a transfer to oneself', () => {
  it.each<[string, () => Step[]]>([
    ['a token that nobody lists', () => [logged(ALICE, ALICE, 5n)]],
    [
      'another token of the stranger',
      () => [call(token, fnOf(stage.abi, 'play', [[logged(ALICE, ALICE, 5n)]]))],
    ],
    ['an NFT', () => [logged(ALICE, ALICE, 5n, NFT)]],
    [
      'a real token, by an allowance of old',
      () => [usdc('transferFrom(address,address,uint256)', ALICE, ALICE, 5n)],
    ],
  ])('is none of the caller’s where the called contract has it logged: %s', async (_, steps) => {
    const { intent_label: label, status, actor } = await visit(steps());
    expect([label, status, actor]).toEqual([expect.stringMatching(/^Call /), 'Suspected', ALICE]);
  });

  it('is the caller’s where it called the token', async () => {
    const own = await verdict(MAINNET.usdc, fn('transfer(address,uint256)', [ALICE, 5n]));
    expect([own.intent_label, own.status]).toEqual(['Send tokens to oneself: transfer() on USDC', 'Proven']);
  });
});

describe('a transfer of nothing', () => {
  it('to the caller, or out of the contract that it called, is no address poisoning', async () => {
    for (const to of [ALICE, BOB]) {
      const { intent_kind: kind, status } = await visit([usdc('transfer(address,uint256)', to, 0n)]);
      expect([kind, status]).toEqual(['ContractCall', 'Suspected']);
    }
  });

  it('between accounts that took no part is', async () => {
    const { intent_kind: kind, status } = await visit([
      usdc('transferFrom(address,address,uint256)', BOB, ME, 0n),
    ]);
    expect([kind, status]).toEqual(['SpamTransfer', 'Proven']);
  });
});
