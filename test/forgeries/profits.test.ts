// Cycles through real pairs whose bot ends with more than the pairs gave: by pulls, gifts and its own other money.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getAddress, type Address, type Hex } from 'viem';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { ETHER, fn, fnOf } from '../devnet/chain.ts';
import { pairPays } from '../prices/byHand.ts';
import { ATTACKER, call, compile, event, startStage, type Stage, type Step } from './stage.ts';

const ALICE = addressOf('alice');
const PUT = ETHER / 4n;
const DOLLARS = 3_000_000_000n;
/** Less than a hundredth of what passes between the pairs. */
const FEW = 8_000_000n;

let stage: Stage;
let bot: Address, second: Address;

beforeAll(async () => {
  stage = await startStage();
  bot = await stage.forger('Bot', 'BOT');
  second = await stage.forger('Second', 'SECOND');
  const { c, chain } = stage;
  for (const [who, amount] of [
    [ATTACKER, 60n * ETHER],
    ['alice', 30n * ETHER],
  ] as const)
    await chain.must(who, { to: MAINNET.weth, value: amount, data: fn('deposit()') });
  for (const to of [bot, second])
    await chain.must(ATTACKER, {
      to: MAINNET.weth,
      data: fn('transfer(address,uint256)', [to, 25n * ETHER]),
    });
  await chain.must(ATTACKER, { to: second, value: 20n * ETHER });
  await chain.must('maker', {
    to: MAINNET.usdc,
    data: fn('transfer(address,uint256)', [second, 5n * DOLLARS]),
  });
  // A bystander's allowances of old.
  for (const token of ['WETH', 'USDC']) await c.approve('alice', token, bot);
});
afterAll(() => stage?.stop());

const reserves = (pair: Address): Promise<[bigint, bigint]> =>
  stage.chain.read(pair, 'getReserves() view returns (uint112,uint112,uint32)');
const give = (token: Address, to: Address, amount: bigint): Step =>
  call(token, fn('transfer(address,uint256)', [to, amount]));
const pull = (token: Address, to: Address, amount: bigint): Step =>
  call(token, fn('transferFrom(address,address,uint256)', [ALICE, to, amount]));
const swap = (pair: Address, usdc: bigint, weth: bigint, to: Address): Step =>
  call(pair, fn('swap(uint256,uint256,address,bytes)', [usdc, weth, to, '0x']));
/** The bot's other contract does it. */
const bySecond = (...steps: Step[]): Step => call(second, fnOf(stage.abi, 'play', [steps]));

interface Additions {
  readonly before?: readonly Step[] | ((pair: Address) => readonly Step[]);
  readonly between?: (pair: Address) => readonly Step[];
  readonly after?: readonly Step[];
  /** WETH and dollars by which others change the second pair's reserves before the cycle. */
  readonly stirred?: readonly [usdc: bigint, weth: bigint];
  /** More than the pair's price: paid out of the tokens that others put into it. */
  readonly extraWeth?: bigint;
  readonly extraUsdc?: bigint;
}

/** WETH into one pair, its dollars into the other, WETH out of that; resolves to the report and the pairs' own gain. */
async function play({
  before = [],
  between = () => [],
  after = [],
  extraWeth = 0n,
  extraUsdc = 0n,
  stirred = [0n, 0n],
}: Additions) {
  const pairs = [stage.c.at('sushiPairUSDC'), stage.c.at('v2PairUSDC')] as const;
  const [firstUsdc, firstWeth] = await reserves(pairs[0]);
  const [secondUsdc, secondWeth] = await reserves(pairs[1]);
  const dollars = pairPays(PUT, firstWeth, firstUsdc);
  const got = pairPays(dollars, secondUsdc, secondWeth);
  const paid = pairPays(dollars + extraUsdc, secondUsdc + stirred[0], secondWeth + stirred[1]) + extraWeth;
  const data: Hex = fnOf(stage.abi, 'play', [
    [
      ...(typeof before === 'function' ? before(pairs[1]) : before),
      give(MAINNET.weth, pairs[0], PUT),
      swap(pairs[0], dollars, 0n, pairs[1]),
      ...between(pairs[1]),
      swap(pairs[1], 0n, paid, bot),
      ...after,
    ],
  ]);
  const hash = await stage.chain.send(ATTACKER, { to: bot, data, gas: 3_000_000n });
  return { report: await stage.report(hash), gain: got - PUT };
}

describe('a cycle through two real pairs', () => {
  it('is worth what the pairs left, to the wei', async () => {
    const { report, gain } = await play({});
    expect(gain).toBeGreaterThan(0n);
    expect(report.classification).toMatchObject({ intent_kind: 'AtomicArbitrage', status: 'Proven' });
    expect(report.economics.realized_pnl.entries.map(({ gross_raw: raw }) => raw)).toEqual([String(gain)]);
  });

  it.each<[string, () => Additions]>([
    ['a bystander’s WETH, pulled before it', () => ({ before: [pull(MAINNET.weth, bot, 5n * ETHER)] })],
    ['a bystander’s WETH, pulled after it', () => ({ after: [pull(MAINNET.weth, bot, 5n * ETHER)] })],
    [
      'a bystander’s WETH, put into the second pair',
      () => ({
        between: (pair) => [pull(MAINNET.weth, pair, 2n * ETHER)],
        extraWeth: (2n * ETHER * 99n) / 100n,
      }),
    ],
    ['WETH of its own other contract', () => ({ before: [bySecond(give(MAINNET.weth, bot, 5n * ETHER))] })],
    ['ether of its own other contract', () => ({ after: [bySecond(call(bot, '0x', 5n * ETHER))] })],
    [
      'WETH that its other contract puts into the second pair',
      () => ({
        between: (pair) => [bySecond(give(MAINNET.weth, pair, 2n * ETHER))],
        extraWeth: (2n * ETHER * 99n) / 100n,
      }),
    ],
    [
      'a bystander’s dollars, put into the second pair',
      () => ({ between: (pair) => [pull(MAINNET.usdc, pair, DOLLARS)], extraUsdc: DOLLARS }),
    ],
    [
      'a few of a bystander’s dollars, put into the second pair',
      () => ({ between: (pair) => [pull(MAINNET.usdc, pair, FEW)], extraUsdc: FEW }),
    ],
    [
      'a few of a bystander’s dollars, over its other contract',
      () => ({
        between: (pair) => [pull(MAINNET.usdc, second, FEW), bySecond(give(MAINNET.usdc, pair, FEW))],
        extraUsdc: FEW,
      }),
    ],
    [
      'its other contract’s dollars, put into the second pair',
      () => ({ between: (pair) => [bySecond(give(MAINNET.usdc, pair, DOLLARS))], extraUsdc: DOLLARS }),
    ],
    [
      'the sale of a bystander’s dollars in its name',
      () => ({
        before: [pull(MAINNET.usdc, bot, DOLLARS)],
        after: [give(MAINNET.usdc, ALICE, DOLLARS / 3n)],
      }),
    ],
  ])('has no profit above the pairs’ own with %s', async (_, additions) => {
    const { report, gain } = await play(additions());
    const { realized_pnl: pnl, structural_profit_usd: profit } = report.economics;
    expect(pnl.entries.every(({ gross_raw: raw }) => BigInt(raw) <= gain)).toBe(true);
    if (!pnl.supported) expect(profit.available).toBe(false);
    if (report.classification.status === 'Proven')
      expect(report.classification.intent_label).not.toMatch(/ for [\d.]+ W?ETH$/);
    expect([addressOf(ATTACKER), bot, null]).toContain(report.classification.actor);
  });
});

/** Somebody else's WETH in the second pair, by an act there just before the cycle. */
describe('a cycle after an act of another at a pool of its own', () => {
  const MUCH = 2n * ETHER;
  const FAIR = 400_000_000n;
  const mint = (pair: Address, to: Address): Step => call(pair, fn('mint(address)', [to]));
  const staked = (): Step =>
    event('Staked(address indexed user, uint256 amount)', second, MUCH, { user: second });
  const sold = [-1n, MUCH] as const;
  const added = [FAIR, MUCH] as const;

  it.each<[string, (pair: Address) => readonly Step[], readonly [bigint, bigint]]>([
    [
      'its other contract sells for one unit',
      (p) => [bySecond(give(MAINNET.weth, p, MUCH), swap(p, 1n, 0n, second))],
      sold,
    ],
    [
      'its other contract sells for one unit of the bot',
      (p) => [bySecond(give(MAINNET.weth, p, MUCH), swap(p, 1n, 0n, bot))],
      sold,
    ],
    [
      'a bystander’s WETH is sold for one unit',
      (p) => [pull(MAINNET.weth, p, MUCH), swap(p, 1n, 0n, bot)],
      sold,
    ],
    [
      'a bystander’s WETH is sold for one unit for it',
      (p) => [pull(MAINNET.weth, p, MUCH), swap(p, 1n, 0n, ALICE)],
      sold,
    ],
    [
      'a bystander’s WETH is sold by way of its other contract',
      (p) => [
        pull(MAINNET.weth, second, MUCH),
        bySecond(give(MAINNET.weth, p, MUCH), swap(p, 1n, 0n, second)),
      ],
      sold,
    ],
    [
      'its other contract adds liquidity of one side',
      (p) => [bySecond(give(MAINNET.weth, p, MUCH), give(MAINNET.usdc, p, FAIR), mint(p, second))],
      added,
    ],
    [
      'its other contract adds liquidity for the bot',
      (p) => [bySecond(give(MAINNET.weth, p, MUCH), give(MAINNET.usdc, p, FAIR), mint(p, bot))],
      added,
    ],
    [
      'a bystander’s money is made liquidity of its own',
      (p) => [pull(MAINNET.weth, p, MUCH), pull(MAINNET.usdc, p, FAIR), mint(p, ALICE)],
      added,
    ],
    [
      'a bystander’s money is made liquidity of the bot',
      (p) => [pull(MAINNET.weth, p, MUCH), pull(MAINNET.usdc, p, FAIR), mint(p, bot)],
      added,
    ],
    [
      'its other contract pays and calls it a stake',
      (p) => [bySecond(give(MAINNET.weth, p, MUCH), staked()), call(p, fn('sync()'))],
      [0n, MUCH],
    ],
    [
      'its other contract pays',
      (p) => [bySecond(give(MAINNET.weth, p, MUCH)), call(p, fn('sync()'))],
      [0n, MUCH],
    ],
    [
      'a bystander’s WETH is put there',
      (p) => [pull(MAINNET.weth, p, MUCH), call(p, fn('sync()'))],
      [0n, MUCH],
    ],
  ])('has no proven profit where %s', async (_, before, stirred) => {
    const { report } = await play({ before, stirred });
    const { realized_pnl: pnl, structural_profit_usd: profit } = report.economics;
    expect([pnl.supported, pnl.entries, profit.available]).toEqual([false, [], false]);
    const { intent_kind: kind, status } = report.classification;
    expect([kind, status]).not.toEqual(['AtomicArbitrage', 'Proven']);
    for (const one of report.position_effects) if (one.owner === ALICE) expect(one.status).toBe('Suspected');
  });

  it('has its profit where the act was at another pool', async () => {
    const { report, gain } = await play({
      before: [
        bySecond(
          call(MAINNET.weth, fn('deposit()'), ETHER),
          give(MAINNET.weth, stage.c.at('v2PairDAI'), ETHER),
          swap(stage.c.at('v2PairDAI'), 1n, 0n, second),
        ),
      ],
    });
    expect(report.economics.realized_pnl.entries.map(({ gross_raw: raw }) => raw)).toEqual([String(gain)]);
  });
});

describe('a swap at a real pair', () => {
  it.each<[string, () => Step, bigint?]>([
    ['beside a bystander’s WETH, pulled by an allowance of old', () => pull(MAINNET.weth, bot, 5n * ETHER)],
    ['beside WETH of its own other contract', () => bySecond(give(MAINNET.weth, bot, 5n * ETHER))],
    ['beside ether of its own other contract', () => bySecond(call(bot, '0x', 5n * ETHER))],
    [
      'with a bystander’s dollars in it',
      () => pull(MAINNET.usdc, stage.c.at('v2PairUSDC'), 5_000_000n),
      5_000_000n,
    ],
    ['beside a little WETH of a bystander', () => pull(MAINNET.weth, bot, ETHER / 1_000n)],
  ])('is not Proven for more than the pair paid: %s', async (_, beside, more = 0n) => {
    const { c, chain } = stage;
    const pair = c.at('v2PairUSDC');
    const sold = 10_000_000n;
    await chain.must('maker', { to: MAINNET.usdc, data: fn('transfer(address,uint256)', [bot, sold]) });
    const paid = pairPays(sold + more, ...(await reserves(pair)));
    const data = fnOf(stage.abi, 'play', [
      more > 0n
        ? [give(MAINNET.usdc, pair, sold), beside(), swap(pair, 0n, paid, bot)]
        : [give(MAINNET.usdc, pair, sold), swap(pair, 0n, paid, bot), beside()],
    ]);
    const report = await stage.report(await chain.send(ATTACKER, { to: bot, data, gas: 3_000_000n }));
    expect(report.classification.status).toBe('Suspected');
    expect(report.classification.caveats!.map(({ code }) => code)).toContain('unaccounted_value');
  });
});

/** Dai for dollars at a module that keeps these in an account of its own, and back at a pair that pays more. */
describe('a cycle through a module with a till', () => {
  const PSM = getAddress('0xf6e72Db5454dd049d0788e411b06CfAF16853042');
  const SUM = 1_000_000_000n;
  let pair: Address;
  beforeAll(async () => {
    const { chain, c } = stage;
    const { LightPsm, Pocket } = compile('Forger.sol');
    const pocket = await chain.deploy(Pocket!, [MAINNET.usdc, PSM]);
    await chain.placeAt(PSM, LightPsm!, [MAINNET.dai, MAINNET.usdc, pocket]);
    const pay = (token: Address, to: Address, amount: bigint) =>
      chain.must('maker', { to: token, data: fn('transfer(address,uint256)', [to, amount]) });
    for (const to of [pocket, ALICE]) await pay(MAINNET.usdc, to, 100n * SUM);
    await pay(MAINNET.dai, bot, 10_000n * ETHER);
    const tokens = [MAINNET.usdc, MAINNET.dai];
    await chain.must('maker', {
      to: MAINNET.v2Factory,
      data: fn('createPair(address,address)', tokens),
      gas: 5_000_000n,
    });
    pair = await chain.read(MAINNET.v2Factory, 'getPair(address,address) view returns (address)', tokens);
    await pay(MAINNET.usdc, pair, 200n * SUM);
    await pay(MAINNET.dai, pair, 220_000n * ETHER);
    await chain.must('maker', { to: pair, data: fn('mint(address)', [addressOf('maker')]), gas: 500_000n });
    await c.approve('alice', 'USDC', bot);
  });

  /** The dollars that the module pays to `paid`, and more into the pair. */
  async function traded(paid: Address, into: readonly Step[], dollars: bigint) {
    const [usdc, dai] = await reserves(pair);
    const isFirst = BigInt(MAINNET.dai) < BigInt(MAINNET.usdc);
    const [held, owed] = isFirst ? [dai, usdc] : [usdc, dai];
    const out = pairPays(dollars, held, owed);
    const steps = [
      call(MAINNET.dai, fn('approve(address,uint256)', [PSM, 1_000n * ETHER])),
      call(PSM, fn('buyGem(address,uint256)', [paid, SUM])),
      ...into,
      isFirst ? swap(pair, out, 0n, bot) : swap(pair, 0n, out, bot),
      // All that is left, so that the signer gains it.
      give(MAINNET.dai, addressOf(ATTACKER), out - 1_000n * ETHER),
    ];
    return { report: await stage.play(bot, steps), gain: out - 1_000n * ETHER };
  }

  it('is worth what module and pair left, to the wei', async () => {
    const { report, gain } = await traded(bot, [give(MAINNET.usdc, pair, SUM)], SUM);
    expect(gain).toBeGreaterThan(0n);
    expect(report.classification).toMatchObject({ intent_kind: 'AtomicArbitrage', status: 'Proven' });
    expect(report.economics.realized_pnl.entries.map(({ gross_raw: raw }) => raw)).toEqual([String(gain)]);
  });

  it.each<[string, () => readonly Step[], () => Address, bigint]>([
    [
      'more dollars of a bystander',
      () => [pull(MAINNET.usdc, bot, SUM), give(MAINNET.usdc, pair, 2n * SUM)],
      () => bot,
      2n * SUM,
    ],
    [
      'a bystander’s dollars in place of the module’s',
      () => [pull(MAINNET.usdc, pair, SUM)],
      () => second,
      SUM,
    ],
  ])('is not proven with %s', async (_, into, paid, dollars) => {
    const { report } = await traded(paid(), into(), dollars);
    const { status, intent_label: label } = report.classification;
    if (status === 'Proven') expect(label).not.toMatch(/^Arbitrage/);
    expect(report.economics.realized_pnl.entries).toEqual([]);
  });
});
