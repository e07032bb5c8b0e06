// What an unlisted contract takes beside an act on a position is said, and keeps the report from being proven.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Abi, Address } from 'viem';
import type { TxReport } from '../../src/model/generated/report.ts';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET, NATIVE } from '../devnet/addresses.ts';
import { ETHER, fn, fnOf } from '../devnet/chain.ts';
import { mintedId } from '../devnet/scenarios/liquidity.ts';
import { ATTACKER, call, compile, event, short, startStage, type Stage, type Step } from './stage.ts';

const ALICE = addressOf('alice');
const FIVE = 5_000_000n;
const CAROL = addressOf('carol');
const VOTED =
  'VoteCast(address indexed voter, uint256 proposalId, uint8 support, uint256 weight, string reason)';
const FULFILLED =
  'OrderFulfilled(bytes32 orderHash, address indexed offerer, address indexed zone, address recipient, ' +
  '(uint8 itemType, address token, uint256 identifier, uint256 amount)[] offer, ' +
  '(uint8 itemType, address token, uint256 identifier, uint256 amount, address recipient)[] consideration)';
const MARKET = '0x0000000000000068F116a894984e2DB1123eB395';
let market: Address;
let stage: Stage, abi: Abi, puppet: Address, router: Address;
beforeAll(async () => {
  stage = await startStage();
  const { Puppet } = compile('Forger.sol');
  abi = Puppet!.abi;
  puppet = await stage.chain.deploy(Puppet!, ['Vault', 'VAULT', 6]);
  router = await stage.forger('Router', 'ROUTER');
  market = await stage.chain.placeAt(MARKET, Puppet!, ['Market', 'MARKET', 6]);
  await stage.c.approve('alice', 'WETH', router);
  await stage.chain.must('alice', { to: MAINNET.weth, data: fn('deposit()'), value: 20n * ETHER });
  for (const token of ['USDC', 'DAI'])
    for (const spender of [puppet, router]) await stage.c.approve('alice', token, spender);
  await stage.chain.must('alice', {
    to: MAINNET.usdc,
    data: fn('transfer(address,uint256)', [puppet, 10n * FIVE]),
  });
  await stage.c.approve('alice', 'USDC', 'aavePool');
  const supply = fn('supply(address,uint256,address,uint16)', [MAINNET.usdc, 10n * FIVE, ALICE, 0]);
  await stage.chain.must('alice', { to: MAINNET.aavePool, data: supply });
  const delegate = fn('approveDelegation(address,uint256)', [puppet, 10n ** 12n]);
  await stage.chain.must('alice', { to: stage.c.at('debtUSDC'), data: delegate });
}, 180_000);
afterAll(() => stage?.stop());

const pull = (token: Address, to: Address, amount: bigint): Step =>
  call(token, fn('transferFrom(address,address,uint256)', [ALICE, to, amount]));

/** Alice calls the function of a contract that then takes these steps. */
async function calls(data: `0x${string}`, steps: readonly Step[], value = 0n): Promise<TxReport> {
  const set = fnOf(abi, 'set', [steps]);
  await stage.chain.must(ATTACKER, { to: puppet, data: set, gas: 6_000_000n });
  return stage.report(await stage.chain.send('alice', { to: puppet, data, value, gas: 6_000_000n }));
}

const claims = (steps: readonly Step[], value?: bigint) =>
  calls(
    fn('claim()'),
    [
      call(MAINNET.usdc, fn('transfer(address,uint256)', [ALICE, FIVE])),
      event('RewardPaid(address indexed user, uint256 reward)', ALICE, FIVE),
      ...steps,
    ],
    value,
  );

const deposits = (steps: readonly Step[]) =>
  calls(fn('deposit(uint256,address)', [FIVE, ALICE]), [
    pull(MAINNET.usdc, puppet, FIVE),
    event('Transfer(address indexed from, address indexed to, uint256 value)', NATIVE, 4_000_000n, {
      to: ALICE,
    }),
    event(
      'Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
      ALICE,
      FIVE,
      {
        shares: 4_000_000n,
      },
    ),
    ...steps,
  ]);

/** A router takes so much of Alice's and supplies five at a listed market for her. */
async function supplies(taken: bigint, value = 0n, steps: readonly Step[] = []): Promise<TxReport> {
  const play = fnOf(stage.abi, 'play', [
    [
      pull(MAINNET.usdc, router, taken),
      call(MAINNET.usdc, fn('approve(address,uint256)', [MAINNET.aavePool, FIVE])),
      call(MAINNET.aavePool, fn('supply(address,uint256,address,uint16)', [MAINNET.usdc, FIVE, ALICE, 0])),
      ...steps,
    ],
  ]);
  return stage.report(await stage.chain.send('alice', { to: router, data: play, value, gas: 3_000_000n }));
}

/** The router sells five for somebody else. */
const sells = (): Step[] => {
  const swap = 'swapExactTokensForETH(uint256,uint256,address[],address,uint256)';
  const path = [MAINNET.usdc, MAINNET.weth];
  return [
    call(MAINNET.usdc, fn('approve(address,uint256)', [MAINNET.v2Router, FIVE])),
    call(MAINNET.v2Router, fn(swap, [FIVE, 0n, path, addressOf('bob'), 1n << 40n])),
  ];
};

/** A contract borrows three in Alice's name and pays them out. */
const borrows = (to: Address, amount: bigint) => {
  const borrow = 'borrow(address,uint256,uint256,uint16,address)';
  const paid = call(MAINNET.usdc, fn('transfer(address,uint256)', [to, amount]));
  return calls(fn('go()'), [
    call(MAINNET.aavePool, fn(borrow, [MAINNET.usdc, 3_000_000n, 2n, 0, ALICE])),
    ...(amount > 0n ? [paid] : []),
  ]);
};

/** Alice buys an NFT of Carol's for one wrapped ether at a listed marketplace, through a router that takes so much. */
async function buys(taken: bigint): Promise<TxReport> {
  const { chain, c } = stage;
  const collection = c.at('APE');
  const mint = { to: collection, data: fn('mint(uint256)', [1n]), value: ETHER / 20n };
  const id = await mintedId(c, await chain.send('carol', mint), collection);
  const approval = fn('setApprovalForAll(address,bool)', [market, true]);
  await chain.must('carol', { to: collection, data: approval });
  const nft = { itemType: 2, token: collection, identifier: id, amount: 1n };
  const price = { itemType: 1, token: MAINNET.weth, identifier: 0n, amount: ETHER, recipient: CAROL };
  const given = { offerer: CAROL, zone: NATIVE, recipient: ALICE, offer: [nft], consideration: [price] };
  const move = 'transferFrom(address,address,uint256)';
  const steps = [
    event(FULFILLED, CAROL, 1n, given),
    call(collection, fn(move, [CAROL, ALICE, id])),
    call(MAINNET.weth, fn(move, [router, CAROL, ETHER])),
  ];
  await chain.must(ATTACKER, { to: market, data: fnOf(abi, 'set', [steps]), gas: 6_000_000n });
  const play = fnOf(stage.abi, 'play', [
    [
      pull(MAINNET.weth, router, taken),
      call(MAINNET.weth, fn('approve(address,uint256)', [market, ETHER])),
      call(market, fn('fulfillOrder()')),
    ],
  ]);
  return stage.report(await chain.send('alice', { to: router, data: play, gas: 3_000_000n }));
}

const votes = (steps: readonly Step[]) =>
  calls(fn('castVote(uint256,uint8)', [7n, 1]), [event(VOTED, ALICE, 7n), ...steps]);

const thousand = (): Step => pull(MAINNET.dai, puppet, 1_000n * ETHER);

describe('a contract that nobody lists', () => {
  it.each<[string, () => Promise<TxReport>, RegExp]>([
    ['a claim', () => claims([]), /^Claim 5 USDC from \S+$/],
    ['a deposit', () => deposits([]), /^Deposit 5 USDC into \S+$/],
    ['a supply', () => supplies(FIVE), /^Supply 5 USDC to Aave v3$/],
    ['a vote', () => votes([]), /^Vote for proposal 7 in \S+$/],
    ['a sale', () => buys(ETHER), /^Buy .* for 1 WETH on /],
    ['a loan', () => borrows(ALICE, 3_000_000n), /^Borrow 3 USDC from Aave v3$/],
  ])('takes nothing beside %s: Proven', async (_, run, label) => {
    const { classification } = await run();
    expect(classification.intent_label).toMatch(label);
    expect(classification).toMatchObject({ status: 'Proven', actor: ALICE });
  });

  it.each<[string, () => Address, bigint]>([
    ['keeps part of a loan', () => ALICE, 2_000_000n],
    ['passes a loan on to another account', () => addressOf('bob'), 3_000_000n],
  ])('%s: Suspected', async (_, to, amount) => {
    expect((await borrows(to(), amount)).classification.status).toBe('Suspected');
  });

  it.each<[string, () => Promise<TxReport>]>([
    ['a token beside a vote', () => votes([thousand()])],
    ['more than the price of a sale', () => buys(2n * ETHER)],
  ])('takes %s: Suspected', async (_, run) => {
    const { classification } = await run();
    expect(classification).toMatchObject({ status: 'Suspected', actor: ALICE });
    expect(classification.caveats?.map(({ code }) => code)).toContain('unaccounted_value');
  });

  it('keeps a loan: said', async () => {
    expect((await borrows(ALICE, 0n)).classification.intent_label).toMatch(/^Borrow 3 USDC .*, paid to 0x/);
  });

  it.each<[string, () => Promise<TxReport>, RegExp]>([
    ['a token beside a claim', () => claims([thousand()]), /^Claim 5 USDC from .*, paying 1,000 DAI$/],
    ['ether beside a claim', () => claims([], ETHER), /^Claim 5 USDC from .*, paying 1 ETH$/],
    ['a token beside a deposit', () => deposits([thousand()]), /^Deposit 5 USDC .*, paying 1,000 DAI$/],
    [
      'more than it deposits',
      () => deposits([pull(MAINNET.usdc, puppet, 2n * FIVE)]),
      /^Deposit 5 USDC .*, paying 10 USDC$/,
    ],
    [
      'more than it supplies, and trades that for itself',
      () => supplies(2n * FIVE, 0n, sells()),
      /^Supply 5 USDC to Aave v3, paying 5 USDC$/,
    ],
    ['more than it supplies', () => supplies(2n * FIVE), /^Supply 5 USDC to Aave v3, paying 5 USDC$/],
    ['ether beside a supply', () => supplies(FIVE, ETHER), /^Supply 5 USDC to Aave v3, paying 1 ETH$/],
  ])('takes %s: said, and Suspected', async (_, run, label) => {
    const { classification } = await run();
    expect(classification.intent_label).toMatch(label);
    expect(classification).toMatchObject({ status: 'Suspected', actor: ALICE });
    expect(classification.caveats?.map(({ code }) => code)).toContain('unaccounted_value');
  });
});

it('a loan on credit of old is no loan for the account that owes it', async () => {
  const delegate = fn('approveDelegation(address,uint256)', [addressOf(ATTACKER), 10n ** 12n]);
  await stage.chain.must('alice', { to: stage.c.at('debtUSDC'), data: delegate });
  const borrow = fn('borrow(address,uint256,uint256,uint16,address)', [MAINNET.usdc, FIVE, 2n, 0, ALICE]);
  const { classification, position_effects: positions } = await stage.report(
    await stage.chain.send(ATTACKER, { to: MAINNET.aavePool, data: borrow, gas: 1_000_000n }),
  );
  expect(positions).toMatchObject([
    { owner: ALICE, category: 'lending_debt', position_delta_raw: '5000000' },
  ]);
  expect(classification).toMatchObject({
    actor: addressOf(ATTACKER),
    status: 'Proven',
    intent_label: `Borrow 5 USDC from Aave v3, owed by ${short(ALICE)}`,
  });
});
