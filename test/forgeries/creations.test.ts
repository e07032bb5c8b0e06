// Transactions that create a contract: what its constructor does with money is no side of a deployment.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodePacked, size, type Address, type Hex } from 'viem';
import type { TxReport } from '../../src/model/generated/report.ts';
import { fetchRawAnswers } from '../../src/tools/verify/fetchRawAnswers.ts';
import { verifyReport } from '../../src/tools/verify/verifyReport.ts';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { ETHER, fn, fnOf, initCode } from '../devnet/chain.ts';
import type { Contract } from '../devnet/compile.ts';
import { ATTACKER, call, compile, startStage, type Stage, type Step } from './stage.ts';

const [ALICE, BOB, ME] = [addressOf('alice'), addressOf('bob'), addressOf(ATTACKER)];
let stage: Stage;
let made: Record<string, Contract>;
let mask: Awaited<ReturnType<Stage['forger']>>;
beforeAll(async () => {
  stage = await startStage();
  made = compile('Forger.sol');
  mask = await stage.forger('Mask', 'MASK');
  for (const who of ['alice', 'bob'] as const) await stage.c.approve(who, 'USDC', mask);
}, 180_000);
afterAll(() => stage?.stop());

async function create(who: 'alice' | typeof ATTACKER, steps: readonly Step[], value = 0n): Promise<TxReport> {
  const data = initCode(made['Swept']!, [steps]);
  return stage.report(await stage.chain.send(who, { to: null, data, value, gas: 3_000_000n }));
}
/** USDC of `from`, by its allowance of old to the attacker's contract. */
const pull = (from: typeof ALICE, to: typeof ALICE): Step => {
  const move = fn('transferFrom(address,address,uint256)', [from, to, 5_000_000n]);
  return call(mask, fnOf(stage.abi, 'play', [[call(MAINNET.usdc, move)]]));
};
const purchase = (): Step => {
  const path = [MAINNET.weth, MAINNET.usdc];
  const data = fn('swapExactETHForTokens(uint256,address[],address,uint256)', [0n, path, ALICE, 1n << 40n]);
  return call(MAINNET.v2Router, data, ETHER);
};

describe('a creation', () => {
  it.each<[string, () => Step[], bigint]>([
    ['without ether', () => [], 0n],
    ['with ether that stays', () => [], ETHER],
    ['that approves', () => [call(MAINNET.usdc, fn('approve(address,uint256)', [BOB, 5n]))], 0n],
  ])('%s is a deployment, and Proven', async (_, steps, value) => {
    const { classification } = await create('alice', steps(), value);
    expect(classification).toMatchObject({
      intent_kind: 'ContractDeployment',
      status: 'Proven',
      actor: ALICE,
    });
  });

  it.each<[string, 'alice' | typeof ATTACKER, () => Step[], bigint, string]>([
    ['pays its ether to another', 'alice', () => [call(ME, '0x', ETHER)], ETHER, 'NativeTransfer'],
    ['takes the signer’s tokens', 'alice', () => [pull(ALICE, ME)], 0n, 'TokenTransfer'],
    ['takes a bystander’s tokens', ATTACKER, () => [pull(BOB, ME)], 0n, 'TokenTransfer'],
    ['hands a bystander’s tokens to another', ATTACKER, () => [pull(BOB, ALICE)], 0n, 'TokenTransfer'],
  ])('that %s is no Proven deployment', async (_, who, steps, value, kind) => {
    const { classification } = await create(who, steps(), value);
    expect(classification).toMatchObject({ intent_kind: kind, status: 'Suspected', actor: addressOf(who) });
    expect(classification.fragments.map((one) => one.kind)).toContain('ContractDeployment');
  });

  it('that buys for its signer is the purchase', async () => {
    const { classification } = await create('alice', [purchase()], ETHER);
    expect(classification).toMatchObject({ intent_kind: 'DirectSwap', status: 'Proven', actor: ALICE });
  });
});

describe('a contract that is gone at the end', () => {
  it.each<[bigint, string, string, RegExp]>([
    [0n, 'ContractCall', 'Suspected', /^Call 0x\w{4}…\w{4}$/],
    [ETHER, 'NativeTransfer', 'Proven', /^Pay 1 ETH to 0x\w{4}…\w{4}$/],
  ])('is no deployment: made with %s wei', async (value, kind, status, label) => {
    const hash = await stage.chain.send('alice', { to: null, data: initCode(made['Gone']!, [ME]), value });
    const report = await stage.report(hash);
    expect(report.classification).toMatchObject({ intent_kind: kind, status, actor: ALICE });
    expect(report.classification.intent_label).toMatch(label);
    expect(report.motifs.map((one) => one.kind)).not.toContain('deployment');
    expect(verifyReport(report, await fetchRawAnswers(stage.rpcUrl, hash))).toEqual([]);
  });
});

describe('a proxy that the factory of Safes makes', () => {
  const ZERO = `0x${'0'.repeat(40)}` as const;
  let salt = 1_000n;
  const proxy = async (singleton: Address, init: Hex): Promise<TxReport['classification']> => {
    const data = fn('createProxyWithNonce(address,bytes,uint256)', [singleton, init, ++salt]);
    const request = { to: MAINNET.safeFactory, data, gas: 3_000_000n };
    return (await stage.report(await stage.chain.send('alice', request))).classification;
  };
  const setup = (to: Address, data: Hex): Hex =>
    fn('setup(address[],uint256,address,bytes,address,address,uint256,address)', [
      [ALICE],
      1n,
      to,
      data,
      MAINNET.safeFallback,
      ZERO,
      0n,
      ZERO,
    ]);
  const usurp = async (): Promise<Address> => stage.chain.deploy(compile('Kinds.sol')['Usurper']!);
  const usurped = fn('usurp(address)', [ME]);
  const sends = (to: Address, operation: number): Hex =>
    fn('multiSend(bytes)', [
      encodePacked(
        ['uint8', 'address', 'uint256', 'uint256', 'bytes'],
        [operation, to, 0n, BigInt(size(usurped)), usurped],
      ),
    ]);

  it.each<[string, () => Promise<readonly [Address, Hex]>]>([
    ['is set up', async () => [MAINNET.safe, setup(ZERO, '0x')]],
    ['is not set up yet', async () => [MAINNET.safe, '0x']],
    ['makes calls to be set up', async () => [MAINNET.safe, setup(MAINNET.multiSend, sends(mask, 0))]],
  ])('is a Safe where it runs a Safe’s code and %s', async (_, args) => {
    expect(await proxy(...(await args()))).toMatchObject({
      intent_kind: 'AccountAdministration',
      status: 'Proven',
      actor: ALICE,
      intent_label: expect.stringMatching(/^Create the Safe 0x\w{4}…\w{4}$/) as string,
    });
  });

  it.each<[string, () => Promise<readonly [Address, Hex]>]>([
    ['any contract’s code', async () => [mask, '0x']],
    ['any contract’s code, which is called', async () => [mask, setup(ZERO, '0x')]],
    ['the code of another known contract', async () => [MAINNET.multiSend, '0x']],
    ['a Safe’s code, then any', async () => [MAINNET.safe, setup(await usurp(), usurped)]],
    [
      'a Safe’s code, then any by way of MultiSend',
      async () => [MAINNET.safe, setup(MAINNET.multiSend, sends(await usurp(), 1))],
    ],
  ])('is no Safe where it runs %s', async (_, args) => {
    expect(await proxy(...(await args()))).toMatchObject({
      matched_rule: 'proxy-creation',
      intent_label: expect.stringMatching(/^Create the proxy 0x\w{4}…\w{4} by Safe proxy factory$/) as string,
    });
  });
});
