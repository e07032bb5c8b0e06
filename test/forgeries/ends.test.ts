// Exchanges at unlisted pools that a listed aggregator states, and forgeries of them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from 'viem';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { ETHER, fn, fnOf } from '../devnet/chain.ts';
import { ATTACKER, call, compile, event, startStage, type Stage, type Step } from './stage.ts';

/** ParaSwap's listed Augustus v5, played by a forger that states what its caller asks it to. */
const ROUTER: Address = '0xDEF171Fe48CF0115B1d80b88dc8eAB59176FEe57';
/** Balancer's listed vault, played by a forger likewise. */
const VAULT: Address = '0xBA12222222228d8Ba445958a75a0704d566BF2C8';
const ALICE = addressOf('alice');
const BOB = addressOf('bob');
const FIVE = 5_000_000n;
const GOT = ETHER / 1_000n;

let stage: Stage;
let open: Address, venue: Address, donor: Address, usdt: Address;

beforeAll(async () => {
  stage = await startStage();
  const { c, chain } = stage;
  await chain.placeAt(ROUTER, compile('Forger.sol')['Forger']!, ['Router', 'ROUTER']);
  await chain.placeAt(VAULT, compile('Forger.sol')['Forger']!, ['Vault', 'VAULT']);
  open = await stage.forger('Open router', 'OPEN');
  venue = await stage.forger('Venue', 'VENUE');
  donor = await stage.forger('Donor', 'DONOR');
  usdt = await stage.forger('Tether USD', 'USDT');
  for (const to of [ROUTER, VAULT, open, venue]) await c.approve('alice', 'USDC', to);
  for (const to of [ROUTER, venue]) await c.approve('bob', 'USDC', to);
  await chain.must(ATTACKER, { to: MAINNET.weth, data: fn('deposit()'), value: ETHER });
  for (const to of [venue, donor, VAULT])
    await chain.must(ATTACKER, {
      to: MAINNET.weth,
      data: fn('transfer(address,uint256)', [to, ETHER / 10n]),
    });
  for (const to of [ALICE, BOB])
    await chain.must('maker', {
      to: MAINNET.usdc,
      data: fn('transfer(address,uint256)', [to, 100n * FIVE]),
    });
}, 180_000);
afterAll(() => stage?.stop());

const pull = (to: Address, amount = FIVE, from = ALICE): Step =>
  call(MAINNET.usdc, fn('transferFrom(address,address,uint256)', [from, to, amount]));
const give = (to: Address, amount = GOT): Step =>
  call(MAINNET.weth, fn('transfer(address,uint256)', [to, amount]));
const does = (at: Address, ...steps: Step[]): Step => call(at, fnOf(stage.abi, 'play', [steps]));
const states = (destToken: Address = MAINNET.weth, receivedAmount = GOT, who = ALICE): Step =>
  event(
    'SwappedV3(bytes16 uuid, address partner, uint256 feePercent, address initiator, address indexed beneficiary, address indexed srcToken, address indexed destToken, uint256 srcAmount, uint256 receivedAmount, uint256 expectedAmount)',
    who,
    FIVE,
    { srcToken: MAINNET.usdc, destToken, receivedAmount },
  );

async function playedBy(who: 'alice' | typeof ATTACKER, at: Address, steps: readonly Step[]) {
  const data = fnOf(stage.abi, 'play', [steps]);
  return stage.report(await stage.chain.send(who, { to: at, data, gas: 3_000_000n }));
}

/** Alice's dollars over the router to the venue, the venue's ether over the router to her. */
const traded = (...inside: Step[]): Step[] => [
  pull(ROUTER),
  call(MAINNET.usdc, fn('transfer(address,uint256)', [venue, FIVE])),
  does(venue, ...inside, give(ROUTER)),
  give(ALICE),
  states(),
];

describe('an exchange at an unlisted pool', () => {
  it('that a listed aggregator states to the unit is proven, at Medium', async () => {
    const report = await playedBy('alice', ROUTER, traded());
    expect(report.motifs.find(({ kind }) => kind === 'swap')?.status).toBe('Suspected');
    expect(report.motifs.find(({ kind }) => kind === 'aggregation')?.status).toBe('Proven');
    expect(report.classification).toMatchObject({ status: 'Proven', confidence: 'Medium', actor: ALICE });
    expect(report.classification.intent_label).toContain('Swap 5 USDC for 0.001 WETH');
    expect(report.classification.caveats!.map(({ code }) => code)).toContain('unknown_protocol');
  });

  it('that a listed aggregator arranges without a word is proven by its movements, at Medium', async () => {
    const { classification } = await playedBy('alice', ROUTER, traded().slice(0, -1));
    expect(classification).toMatchObject({ status: 'Proven', confidence: 'Medium', actor: ALICE });
    expect(classification.intent_label).toContain('Swap 5 USDC for 0.001 WETH');
  });

  it.each<[string, () => Address, () => Step[]]>([
    [
      'at a router nobody lists',
      () => open,
      () => [
        pull(open),
        call(MAINNET.usdc, fn('transfer(address,uint256)', [venue, FIVE])),
        does(venue, give(open)),
        give(ALICE),
        states(),
      ],
    ],
    [
      'that gave less than is stated',
      () => ROUTER,
      () => [...traded().slice(0, -1), states(MAINNET.weth, GOT + 1_000n)],
    ],
    [
      'with a donor’s ether',
      () => ROUTER,
      () => [
        does(donor, give(ROUTER)),
        ...traded().slice(0, -2),
        give(ALICE, 2n * GOT),
        states(MAINNET.weth, 2n * GOT),
      ],
    ],
    ['with a bystander’s dollars', () => ROUTER, () => traded(pull(venue, FIVE, BOB))],
    [
      'for a token under another’s name',
      () => ROUTER,
      () => [
        pull(venue),
        call(usdt, fn('transferFrom(address,address,uint256)', [venue, ALICE, FIVE])),
        states(usdt, FIVE),
      ],
    ],
  ])('stays Suspected %s', async (_, at, steps) => {
    expect((await playedBy('alice', at(), steps())).classification.status).toBe('Suspected');
  });

  it('that a stranger makes with an allowance of old is not proven of its owner', async () => {
    const { classification } = await playedBy(ATTACKER, ROUTER, traded());
    expect(classification.status).toBe('Suspected');
  });

  it('with a bystander as the pool is not proven', async () => {
    const { c, chain } = stage;
    await chain.must('bob', { to: MAINNET.weth, data: fn('deposit()'), value: ETHER });
    await c.approve('bob', 'WETH', ROUTER);
    const robbed = [
      pull(ROUTER),
      call(MAINNET.usdc, fn('transfer(address,uint256)', [BOB, FIVE])),
      call(MAINNET.weth, fn('transferFrom(address,address,uint256)', [BOB, ALICE, GOT])),
      states(),
    ];
    expect((await playedBy('alice', ROUTER, robbed)).classification.status).toBe('Suspected');
  });
});

describe('an amount that a venue settles net', () => {
  it('is named though its token never moved', async () => {
    const swap = (tokenIn: Address, amountIn: bigint, tokenOut: Address, amountOut: bigint): Step =>
      event(
        'Swap(bytes32 indexed poolId, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut)',
        ALICE,
        FIVE,
        { tokenIn, tokenOut, amountIn, amountOut },
      );
    const hops = [swap(MAINNET.usdc, FIVE, usdt, FIVE), swap(usdt, 2n * FIVE, MAINNET.weth, GOT)];
    const { classification } = await playedBy('alice', VAULT, [pull(VAULT), ...hops, give(ALICE)]);
    expect(classification).toMatchObject({ status: 'Suspected', actor: ALICE });
    expect(classification.caveats!.map(({ text }) => text).join()).toContain('an amount of ');
  });
});
