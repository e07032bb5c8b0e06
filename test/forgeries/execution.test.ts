// Tokens that leave an account for its execution: told beside the act, and doubted where a stranger took them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from 'viem';
import type { TxReport } from '../../src/model/generated/report.ts';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { ETHER, fn, fnOf, type Request } from '../devnet/chain.ts';
import { FAR_FUTURE } from '../devnet/deploy/uniswap.ts';
import { multiSend, safeTransaction } from '../devnet/scenarios/safe.ts';
import { handleOps } from '../devnet/scenarios/smartAccounts.ts';
import { ATTACKER, call, compile, event, permit, short, startStage, type Stage } from './stage.ts';

const [MALLORY, DAVE] = [addressOf(ATTACKER), addressOf('dave')];
const { usdc, dai } = MAINNET;
let stage: Stage;
let erin: Address, safe: Address, mask: Address, sponsor: Address;
const { Sponsor, Chime } = compile('Forger.sol');

const pay = (to: Address, amount: bigint) => ({
  to: usdc,
  data: fn('transfer(address,uint256)', [to, amount]),
});
const allow = (spender: Address) => ({
  to: usdc,
  data: fn('approve(address,uint256)', [spender, 1n << 255n]),
});
const pull = (from: Address, to: Address, amount: bigint) =>
  call(usdc, fn('transferFrom(address,address,uint256)', [from, to, amount]));
const swap = (to: Address) => ({
  to: MAINNET.v2Router,
  data: fn('swapExactTokensForETH(uint256,uint256,address[],address,uint256)', [
    500_000_000n,
    0n,
    [usdc, MAINNET.weth],
    to,
    FAR_FUTURE,
  ]),
});
const sent = async (by: 'bundler' | 'relayer', request: Request): Promise<TxReport> =>
  stage.report(await stage.chain.send(by, { ...request, gas: 3_000_000n }));

beforeAll(async () => {
  stage = await startStage();
  const { c, chain } = stage;
  [erin, safe] = [c.at('erinAccount'), c.at('treasury')];
  mask = await stage.forger('Mask', 'MASK');
  sponsor = await chain.deploy(Sponsor!);
  const deposit = { to: MAINNET.entryPoint, value: ETHER, data: fn('depositTo(address)', [sponsor]) };
  await chain.must('maker', deposit);
  // The stranger's contracts have allowances of old.
  const calls = [allow(mask), allow(sponsor), allow(MAINNET.v2Router)];
  await chain.must('bundler', await handleOps(c, [{ owner: 'erin', create: true, calls }]));
  const batch = await safeTransaction(c, multiSend(c, [allow(mask), allow(MAINNET.v2Router)]));
  await chain.must('relayer', { ...batch, gas: 1_000_000n });
}, 180_000);
afterAll(() => stage?.stop());

describe('what a paymaster takes', () => {
  const sponsored = async (called: { to: Address; data: `0x${string}` }): Promise<TxReport> => {
    const taken = [pull(erin, sponsor, 90_000_000n)];
    await stage.chain.must(ATTACKER, {
      to: sponsor,
      data: fnOf(Sponsor!.abi, 'set', [taken]),
      gas: 900_000n,
    });
    return sent(
      'bundler',
      await handleOps(stage.c, [{ owner: 'erin', paymaster: sponsor, calls: [called] }]),
    );
  };

  it.each<[string, () => ReturnType<typeof pay>, RegExp]>([
    ['a swap', () => swap(erin), /^Swap 500 USDC for .* on Uniswap V2, paying 90 USDC for execution$/],
    ['a payment', () => pay(DAVE, 5_000_000n), /^Send 5 USDC to 0x\S+, paying 90 USDC for execution$/],
  ])('is told beside %s', async (_, called, label) => {
    const { classification } = await sponsored(called());
    expect(classification).toMatchObject({ actor: erin, status: 'Proven' });
    expect(classification.intent_label).toMatch(label);
  });
});

describe('what the submitter takes', () => {
  it('as the refund that a Safe’s owners signed is told beside the act', async () => {
    const refund = { safeTxGas: 300_000n, baseGas: 50_000n, gasPrice: 10n ** 15n, gasToken: dai };
    const { classification } = await sent(
      'relayer',
      await safeTransaction(stage.c, { ...swap(safe), ...refund }),
    );
    expect(classification).toMatchObject({ actor: safe, status: 'Proven' });
    expect(classification.intent_label).toMatch(
      /^Swap 500 USDC for .*, paying 1?\d\d\.\d+ DAI for execution$/,
    );
  });

  it('by an allowance of old, beside a user operation, is doubted and told', async () => {
    const { data } = await handleOps(stage.c, [{ owner: 'erin', calls: [swap(erin)] }]);
    const steps = [pull(erin, MALLORY, 777_000_000n), call(MAINNET.entryPoint, data!)];
    const { classification } = await stage.play(mask, steps);
    expect(classification).toMatchObject({ actor: erin, status: 'Suspected' });
    expect(classification.caveats!.map(({ code }) => code)).toContain('unasked_pull');
    expect(classification.intent_label).toContain(`paying 777 USDC to ${short(MALLORY)}`);
  });
});

describe('what the spender of a permit takes for the submitter', () => {
  const GRACE = addressOf('grace');
  it('is told by whom it went to: the permit says nothing of execution', async () => {
    await stage.chain.must('maker', { ...pay(GRACE, 50_000_000n) });
    const steps = [pull(GRACE, DAVE, 2_000_000n), pull(GRACE, MALLORY, 3_000_000n)];
    const { classification, economics } = await stage.play(mask, [
      await permit(stage, { owner: 'grace', spender: mask, value: 5_000_000n }),
      ...steps,
    ]);
    expect(classification).toMatchObject({ actor: GRACE, status: 'Proven' });
    expect(classification.intent_label).toBe(
      `Send 2 USDC to ${short(DAVE)}, paying 3 USDC to ${short(MALLORY)}`,
    );
    expect(economics.fee_paid_by_subject).toBe(false);
  });
});

it('counts all user operations of a bundle, those that move nothing too', async () => {
  const greeting = { to: MAINNET.weth, data: fn('balanceOf(address)', [DAVE]) };
  const request = await handleOps(stage.c, [
    { owner: 'erin', calls: [swap(erin)] },
    { owner: 'frank', calls: [greeting], create: true },
  ]);
  const { classification } = await sent('bundler', request);
  expect(classification).toMatchObject({ actor: null, status: 'Proven' });
  expect(classification.intent_label).toBe('Execute 2 user operations of several accounts');
});

describe('a user operation that a stranger’s contract logs', () => {
  const operated = (sender: Address, paymaster: Address) =>
    event(
      'UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
      sender,
      5n,
      { sender, paymaster },
    );
  const bought = (to: Address) => ({
    to: MAINNET.v2Router,
    value: ETHER / 10n,
    data: fn('swapExactETHForTokens(uint256,address[],address,uint256)', [
      0n,
      [MAINNET.weth, usdc],
      to,
      FAR_FUTURE,
    ]),
  });
  beforeAll(async () => {
    for (const account of [safe, erin])
      await stage.chain.rpc('anvil_setBalance', [account, '0xde0b6b3a7640000']);
  });

  it.each<[string, () => Promise<Address>]>([
    ['a bystander', () => Promise.resolve(DAVE)],
    [
      'the pool',
      () =>
        stage.chain.read(MAINNET.v2Factory, 'getPair(address,address) view returns (address)', [
          usdc,
          MAINNET.weth,
        ]),
    ],
  ])('makes no paymaster of %s, and takes nothing out of a Safe’s swap', async (_, paymaster) => {
    const { to, data } = await safeTransaction(stage.c, bought(safe));
    const { classification, attribution } = await stage.play(mask, [
      operated(safe, await paymaster()),
      call(to!, data!),
    ]);
    expect(classification).toMatchObject({ actor: safe, status: 'Proven', intent_kind: 'DirectSwap' });
    expect(classification.intent_label).toMatch(/^Swap 0\.1 ETH for 33\d\.\d+ USDC on Uniswap V2$/);
    expect(attribution).toMatchObject({ paymaster: null, entry_point: null, fee_payer: MALLORY });
  });

  it('hides no payment of a real one, whose account pays for it', async () => {
    const { topics, data } = operated(DAVE, DAVE);
    const chime = await stage.chain.deploy(Chime!, [topics, data]);
    const calls = [{ to: chime, value: ETHER / 20n, data: '0x' as const }, bought(erin)];
    const { classification, attribution } = await sent(
      'bundler',
      await handleOps(stage.c, [{ owner: 'erin', calls }]),
    );
    expect(classification.actor).toBe(erin);
    expect(classification.intent_label).toMatch(
      /^Swap 0\.15 ETH for 33\d\.\d+ USDC on Uniswap V2, of which 0x\S+ kept 0\.05 ETH$/,
    );
    expect(attribution).toMatchObject({
      paymaster: null,
      entry_point: MAINNET.entryPoint,
      fee_payer: erin,
    });
  });

  it('of another in a bundle names no paymaster of the actor’s', async () => {
    const deposit = { to: MAINNET.entryPoint, value: ETHER / 10n, data: fn('depositTo(address)', [sponsor]) };
    await stage.chain.must('maker', deposit);
    await stage.chain.must(ATTACKER, { to: sponsor, data: fnOf(Sponsor!.abi, 'set', [[]]), gas: 900_000n });
    const greeting = { to: MAINNET.weth, data: fn('balanceOf(address)', [DAVE]) };
    const { classification, attribution } = await sent(
      'bundler',
      await handleOps(stage.c, [
        { owner: 'frank', paymaster: sponsor, calls: [greeting] },
        { owner: 'erin', calls: [pay(DAVE, 5_000_000n)] },
      ]),
    );
    expect(classification).toMatchObject({ actor: erin, status: 'Proven' });
    expect(attribution).toMatchObject({ paymaster: null, fee_payer: erin });
  });
});
