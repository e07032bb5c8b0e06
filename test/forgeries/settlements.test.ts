// Settlements of several owners' orders, and forgeries of them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from 'viem';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { ETHER, fn, fnOf } from '../devnet/chain.ts';
import { settle } from '../devnet/scenarios/settlement.ts';
import { ATTACKER, call, event, startStage, type Stage, type Step } from './stage.ts';

const ALICE = addressOf('alice');
const BOB = addressOf('bob');
const FIVE = 5_000_000n;

let stage: Stage;
let venue: Address, usdt: Address;

beforeAll(async () => {
  stage = await startStage();
  venue = await stage.forger('Venue', 'VENUE');
  usdt = await stage.forger('Tether USD', 'USDT');
  for (const owner of ['alice', 'bob'] as const) await stage.c.approve(owner, 'USDC', venue);
  const { chain } = stage;
  for (const to of [ALICE, BOB])
    await chain.must('maker', {
      to: MAINNET.usdc,
      data: fn('transfer(address,uint256)', [to, 100n * FIVE]),
    });
  for (const to of [venue, MAINNET.cowSettlement])
    await chain.must('maker', {
      to: MAINNET.dai,
      data: fn('transfer(address,uint256)', [to, 100n * ETHER]),
    });
});
afterAll(() => stage?.stop());

const pull = (to: Address, amount = FIVE, from = ALICE): Step =>
  call(MAINNET.usdc, fn('transferFrom(address,address,uint256)', [from, to, amount]));
const give = (token: Address, to: Address, amount: bigint): Step =>
  call(token, fn('transfer(address,uint256)', [to, amount]));
const does = (at: Address, steps: readonly Step[]): Step => call(at, fnOf(stage.abi, 'play', [steps]));

async function played(steps: readonly Step[]) {
  const data = fnOf(stage.abi, 'play', [steps]);
  return stage.report(await stage.chain.send(ATTACKER, { to: venue, data, gas: 3_000_000n }));
}

describe('a settlement of several owners', () => {
  const traded = (who: Address): Step =>
    event(
      'Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
      who,
      FIVE,
      { sellToken: MAINNET.usdc, buyToken: MAINNET.dai, buyAmount: ETHER, feeAmount: 0n },
    );
  const settled = (who: Address): Step[] => [
    pull(venue, FIVE, who),
    does(venue, [give(MAINNET.dai, who, ETHER)]),
    traded(who),
  ];

  it('at the listed settlement is proven, of no single actor', async () => {
    for (const owner of ['alice', 'bob'] as const) await stage.c.approve(owner, 'USDC', MAINNET.cowRelayer);
    const request = await settle(
      stage.c,
      ['USDC', 'DAI'],
      [10n ** 12n, 1n],
      [
        { owner: 'alice', sell: ['USDC', '3'], buy: ['DAI', '0'] },
        { owner: 'bob', sell: ['USDC', '4'], buy: ['DAI', '0'] },
      ],
    );
    const report = await stage.report(await stage.chain.send('solver', { ...request, gas: 5_000_000n }));
    expect(report.classification).toMatchObject({
      status: 'Proven',
      actor: null,
      intent_label: 'Settle 2 orders of several owners on CoW Protocol Settlement, paying 7 DAI',
    });
    expect(report.attribution.orders.map(({ owner }) => owner).sort()).toEqual([ALICE, BOB].sort());
  });

  it('does not count the order of the account that settles them', async () => {
    const { chain } = stage;
    const solver = addressOf('solver');
    const given = fn('transfer(address,uint256)', [solver, FIVE]);
    await chain.must('maker', { to: MAINNET.usdc, data: given });
    for (const owner of ['alice', 'bob', 'solver'] as const)
      await stage.c.approve(owner, 'USDC', MAINNET.cowRelayer);
    const request = await settle(
      stage.c,
      ['USDC', 'DAI'],
      [10n ** 12n, 1n],
      (['alice', 'bob', 'solver'] as const).map((owner) => ({
        owner,
        sell: ['USDC', '2'],
        buy: ['DAI', '0'],
      })),
    );
    const { classification } = await stage.report(
      await chain.send('solver', { ...request, gas: 5_000_000n }),
    );
    expect(classification).toMatchObject({
      status: 'Proven',
      actor: null,
      intent_label: 'Settle 2 orders of several owners on CoW Protocol Settlement, paying 4 DAI',
    });
  });

  it.each<[string, () => Step[]]>([
    ['in its events alone', () => [traded(ALICE), traded(BOB)]],
    ['by allowances of old', () => [...settled(ALICE), ...settled(BOB)]],
    ['with itself as one of them', () => [...settled(ALICE), traded(addressOf(ATTACKER))]],
    [
      'in tokens of its own',
      () =>
        [ALICE, BOB].flatMap((who) => [
          call(usdt, fn('transferFrom(address,address,uint256)', [who, venue, FIVE])),
          traded(who),
        ]),
    ],
  ])('that a stranger’s contract states %s is proven of nobody', async (_, steps) => {
    const { classification } = await played(steps());
    expect(classification.status).toBe('Suspected');
  });
});

describe('an order at the listed settlement', () => {
  const filled = (who: Address): Step =>
    event(
      'Fill(bytes32 indexed orderHash, address indexed filler, address indexed swapper, uint256 nonce)',
      who,
      1n,
      { filler: BOB },
    );
  const traded = (who: Address, sellAmount = 1n): Step =>
    event(
      'Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
      who,
      0n,
      { sellToken: MAINNET.usdc, buyToken: MAINNET.dai, sellAmount, buyAmount: 1n, feeAmount: 0n },
    );
  const order = { owner: ALICE, receiver: ALICE, protocol: 'cow-protocol' };
  let units = 10n;

  beforeAll(() => stage.c.approve('alice', 'USDC', MAINNET.cowRelayer));

  it.each<[string, () => Step[]]>([
    ['nothing', () => []],
    ['that another filled it for somebody else', () => [filled(ALICE)]],
    ['that it is its own', () => [traded(ALICE, units * 1_000_000n), filled(ALICE)]],
    ['another order, which it pays', () => [pull(venue, 1n, BOB), give(MAINNET.dai, BOB, 1n), traded(BOB)]],
    ['another order, paid by nobody', () => [traded(BOB), filled(BOB)]],
  ])('is the only one, whatever a stranger says: %s', async (_, steps) => {
    units++;
    const sell: [string, string] = ['USDC', String(units)];
    const request = await settle(
      stage.c,
      ['USDC', 'DAI'],
      [10n ** 12n, 1n],
      [{ owner: 'alice', sell, buy: ['DAI', '0'] }],
      [[venue, 0n, does(venue, steps()).data]],
    );
    const report = await stage.report(await stage.chain.send('solver', { ...request, gas: 5_000_000n }));
    expect(report.classification).toMatchObject({
      status: 'Proven',
      actor: ALICE,
      intent_label: `Swap ${units} USDC for ${units} DAI, settled by CoW Protocol Settlement`,
    });
    expect(report.attribution).toMatchObject({
      orders: [order],
      settlement_contract: MAINNET.cowSettlement,
      beneficiary: ALICE,
    });
    const [proven, ...more] = report.motifs.filter(({ status }) => status === 'Proven');
    expect(more.map(({ kind }) => kind).filter((kind) => kind !== 'transfer')).toEqual([]);
    expect(proven!.participants.map(({ role, account }) => [role, account])).toEqual([
      ['owner', ALICE],
      ['recipient', ALICE],
      ['payer', ALICE],
      ['settlement', MAINNET.cowSettlement],
    ]);
  });
});

describe('deliveries of a bridge to several accounts', () => {
  const released = (who: Address): Step =>
    event(
      'WithdrawalFinalized(address l1Token, address indexed from, address indexed to, uint256 indexed exitNum, uint256 amount)',
      who,
      FIVE,
      { l1Token: MAINNET.usdc, from: who, to: who, exitNum: 1n },
    );

  it.each<[string, (who: Address) => Step[]]>([
    ['with what it really pays', (who) => [give(MAINNET.usdc, who, FIVE), released(who)]],
    ['in its events alone', (who) => [released(who)]],
    [
      'with one owner’s money for the other',
      (who) => [pull(who === ALICE ? BOB : ALICE, FIVE, who), released(who)],
    ],
  ])('that a stranger’s contract states %s are proven of nobody', async (_, steps) => {
    const { chain } = stage;
    await chain.must('maker', {
      to: MAINNET.usdc,
      data: fn('transfer(address,uint256)', [venue, 2n * FIVE]),
    });
    const { classification } = await played([ALICE, BOB].flatMap(steps));
    expect(classification.status).toBe('Suspected');
  });
});
