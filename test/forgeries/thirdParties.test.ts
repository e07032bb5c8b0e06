// Listed contracts that let their callers name somebody else, or make a stranger’s calls: what is told of
// the accounts that only get a name, lose money or bring a message.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getAddress, type Address, type Hex } from 'viem';
import type { TxReport } from '../../src/model/generated/report.ts';
import { fetchRawAnswers } from '../../src/tools/verify/fetchRawAnswers.ts';
import { verifyReport } from '../../src/tools/verify/verifyReport.ts';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { ETHER, fn, fnOf } from '../devnet/chain.ts';
import { ATTACKER, call, compile, event, short, startStage, type Stage, type Step } from './stage.ts';

const [ALICE, ME] = [addressOf('alice'), addressOf(ATTACKER)];
const { usdc, weth } = MAINNET;
const MILLION = 1_000_000n;
let stage: Stage, mask: Address;

beforeAll(async () => {
  stage = await startStage();
  mask = await stage.forger('Mask', 'MASK');
  for (const to of [mask, ME]) await give(to);
}, 180_000);
afterAll(() => stage?.stop());

const give = (to: Address) =>
  stage.chain.must('maker', { to: usdc, data: fn('transfer(address,uint256)', [to, 100n * MILLION]) });
const play = (steps: readonly Step[]): Hex => fnOf(stage.abi, 'play', [steps]);
const rolesOf = ({ motifs }: TxReport, kind: string) =>
  motifs
    .filter((motif) => motif.kind === kind)
    .map(({ status, participants }) => [status, participants.map(({ role, account }) => [role, account])]);

describe('a pool that pays whom its caller names', () => {
  const { Borrower } = compile('Lent.sol');
  let borrower: Address, pair: Address, pool: Address;
  beforeAll(async () => {
    borrower = await stage.chain.deploy(Borrower!, [usdc, 6n * MILLION]);
    await give(borrower);
    const ofPair = 'getPair(address,address) view returns (address)';
    pair = await stage.chain.read(MAINNET.v2Factory, ofPair, [usdc, weth]);
    const ofPool = 'getPool(address,address,uint24) view returns (address)';
    pool = await stage.chain.read(MAINNET.v3Factory, ofPool, [usdc, weth, 500]);
  });
  const swap = (to: Address, data: Hex) =>
    fn('swap(uint256,uint256,address,bytes)', [5n * MILLION, 0n, to, data]);
  const borrow = async (at: Address, how: Hex) => {
    const data = fnOf(Borrower!.abi, 'borrow', [at, how]);
    return stage.report(await stage.chain.send(ATTACKER, { to: borrower, data, gas: 3_000_000n }));
  };

  it('lends to the account that calls it and pays back', async () => {
    const report = await borrow(pair, swap(borrower, '0x01'));
    expect(report.classification).toMatchObject({
      status: 'Proven',
      intent_kind: 'FlashLoan',
      actor: borrower,
    });
    expect(rolesOf(report, 'flash_loan')[0]![1]).toContainEqual(['borrower', borrower]);
  });

  it('lends nothing to the account that it pays for another', async () => {
    const how = fn('flash(address,uint256,uint256,bytes)', [ALICE, 5n * MILLION, 0n, '0x']);
    expect(rolesOf(await borrow(pool, how), 'flash_loan')).toEqual([
      [
        'Proven',
        [
          ['borrower', borrower],
          ['recipient', ALICE],
          ['payer', borrower],
          ['lender', pool],
        ],
      ],
    ]);
  });

  it('lends nothing of what it was paid before', async () => {
    const paid = call(usdc, fn('transfer(address,uint256)', [pair, 6n * MILLION]));
    const report = await stage.play(mask, [paid, call(pair, swap(ALICE, '0x'))]);
    expect(report.classification.status).toBe('Suspected');
    expect(rolesOf(report, 'flash_loan').map(([status]) => status)).toEqual(['Suspected']);
    const answers = await fetchRawAnswers(stage.rpcUrl, report.tx.hash);
    expect(verifyReport(report, answers)).toEqual([]);
  });
});

describe('a message of another chain', () => {
  /** 1inch's router, and contracts of two bridges that make the calls of messages. */
  const BOOK = getAddress('0x111111125421cA6dc452d289314280a0f8842A65');
  const BRIDGES: [Address, string][] = [
    [MAINNET.optimismPortal, 'Optimism bridge'],
    [getAddress('0xd19d4B5d358258f05D7B411E21A1460D11B0876F'), 'Linea bridge'],
  ];
  beforeAll(async () => {
    for (const at of [BOOK, ...BRIDGES.map(([bridge]) => bridge)])
      await stage.chain.placeAt(at, compile('Forger.sol')['Forger']!, ['', '']);
  });

  it.each(BRIDGES)('makes no request of the account that brings it: %s, %s', async (bridge, name) => {
    const cancelled = event('OrderCancelled(bytes32 orderHash)', ALICE, 0n);
    const data = play([call(BOOK, play([cancelled]))]);
    const report = await stage.report(await stage.chain.send('heidi', { to: bridge, data, gas: 1_000_000n }));
    expect(report.classification.intent_label).toBe(`Cancel an order on 1inch, by ${name}`);
    expect(rolesOf(report, 'order_cancelled')).toEqual([
      [
        'Proven',
        [
          ['owner', bridge],
          ['venue', BOOK],
        ],
      ],
    ]);
    expect(report.position_effects).toEqual([]);
  });
});

describe('a deposit whose depositor the caller names', () => {
  const DEPOSITS = getAddress('0x4cD00E387622C35bDDB9b4c962C136462338BC31');

  it('is a claim of the account that paid', async () => {
    const { chain } = stage;
    await chain.placeAt(DEPOSITS, compile('Forger.sol')['Forger']!, ['', '']);
    const allow = fn('approve(address,uint256)', [DEPOSITS, 100n * MILLION]);
    await chain.must(ATTACKER, { to: usdc, data: allow });
    const told = 'RelayErc20Deposit(address from, address token, uint256 amount, bytes32 id)';
    const steps = [
      call(usdc, fn('transferFrom(address,address,uint256)', [ME, DEPOSITS, 5n * MILLION])),
      event(told, ALICE, 5n * MILLION, { token: usdc }),
    ];
    const report = await stage.report(
      await chain.send(ATTACKER, { to: DEPOSITS, data: play(steps), gas: 1_000_000n }),
    );
    expect(report.classification).toMatchObject({
      status: 'Proven',
      actor: ME,
      intent_label: 'Bridge 5 USDC with Relay',
    });
    expect(report.position_effects.map(({ owner, status }) => [owner, status])).toEqual([[ME, 'Proven']]);
  });
});

describe('a withdrawal requested for another account', () => {
  const QUEUE = getAddress('0x889edC2eDab5f40e902b864aD4d7AdE8E412F9B1');
  const REQUESTED =
    'WithdrawalRequested(uint256 indexed requestId, address indexed requestor, address indexed owner, ' +
    'uint256 amountOfStETH, uint256 amountOfShares)';
  const MINTED = 'Transfer(address indexed from, address indexed to, uint256 indexed tokenId)';
  const ZERO: Address = `0x${'0'.repeat(40)}`;
  /** The stranger's contract, which Alice pays, asks for it. */
  const requested = async (owner: Address) => {
    const asks = play([
      call(usdc, fn('transferFrom(address,address,uint256)', [mask, QUEUE, 5n * MILLION])),
      event(REQUESTED, owner, 5n * MILLION, { requestId: 7n, requestor: mask }),
      event(MINTED, owner, 7n, { from: ZERO, tokenId: 7n }),
    ]);
    const paid = call(usdc, fn('transferFrom(address,address,uint256)', [ALICE, mask, 5n * MILLION]));
    const request = { to: mask, data: play([paid, call(QUEUE, asks)]), gas: 2_000_000n };
    return stage.report(await stage.chain.send('alice', request));
  };
  beforeAll(async () => {
    const { chain, c } = stage;
    await chain.placeAt(QUEUE, compile('Forger.sol')['Forger']!, ['', '']);
    await give(ALICE);
    await c.approve('alice', 'USDC', mask);
    const allow = call(usdc, fn('approve(address,uint256)', [QUEUE, 100n * MILLION]));
    await chain.must(ATTACKER, { to: mask, data: play([allow]) });
  });

  it.each<[string, Address, RegExp]>([
    ['the account that paid', ALICE, /^Request a withdrawal of 5 USDC from Lido, receiving /],
    [
      'another',
      addressOf('bob'),
      new RegExp(`^Request a withdrawal of 5 USDC from Lido for ${short(addressOf('bob'))}$`),
    ],
  ])('is a position of %s', async (_, owner, label) => {
    const { classification, position_effects: effects } = await requested(owner);
    expect(classification).toMatchObject({ status: 'Proven', actor: ALICE });
    expect(classification.intent_label).toMatch(label);
    expect(effects.map((one) => [one.owner, one.effect, one.status])).toEqual([[owner, 'open', 'Proven']]);
  });
});

describe('what a stranger’s contract takes by an allowance of old and passes on', () => {
  const [BOB, CAROL] = [addressOf('bob'), addressOf('carol')];
  const ROBBED = 'transferFrom(address,address,uint256)';
  const taken = (token: Address, amount: bigint) => call(token, fn(ROBBED, [ALICE, mask, amount]));
  beforeAll(async () => {
    const { chain, c } = stage;
    await give(ALICE);
    await chain.must('alice', { to: weth, data: fn('deposit()'), value: ETHER });
    for (const token of ['USDC', 'WETH']) await c.approve('alice', token, mask);
    const allow = call(usdc, fn('approve(address,uint256)', [MAINNET.v2Router, 100n * MILLION]));
    await chain.must(ATTACKER, { to: mask, data: play([allow]) });
  });

  it('is no payment of the account to several', async () => {
    const pay = (to: Address) => call(usdc, fn('transfer(address,uint256)', [to, MILLION]));
    const report = await stage.play(mask, [taken(usdc, 3n * MILLION), pay(ME), pay(BOB), pay(CAROL)]);
    expect(report.motifs.map(({ kind, status }) => [kind, status])).toEqual([
      ['batch_transfer', 'Suspected'],
      ['transfer', 'Suspected'],
      ['transfer', 'Suspected'],
      ['transfer', 'Suspected'],
    ]);
  });

  it('is no trade of the account’s, only its money', async () => {
    const path = [usdc, weth, MAINNET.dai];
    const list = 'swapExactTokensForTokens(uint256,uint256,address[],address,uint256)';
    const trade = call(MAINNET.v2Router, fn(list, [10n * MILLION, 0n, path, ME, 1n << 40n]));
    const report = await stage.play(mask, [taken(usdc, 10n * MILLION), trade]);
    const [[status, roles]] = rolesOf(report, 'route') as [[string, [string, Address][]]];
    expect([status, roles.filter(([role]) => role !== 'pool')]).toEqual([
      'Proven',
      [
        ['source', ALICE],
        ['recipient', ME],
      ],
    ]);
    expect(report.classification).toMatchObject({ status: 'Suspected', actor: ME });
  });

  it.each(['a router', 'the pair, afterwards', 'two routes'])(
    'is no trade of the account’s that gets the proceeds, by %s',
    async (how) => {
      const list = 'swapExactTokensForTokens(uint256,uint256,address[],address,uint256)';
      const trade = (path: readonly Address[]) =>
        call(MAINNET.v2Router, fn(list, [5n * MILLION, 0n, path, ALICE, 1n << 40n]));
      const ofPair = 'getPair(address,address) view returns (address)';
      const pair = await stage.chain.read<Address>(MAINNET.v2Factory, ofPair, [usdc, weth]);
      const out = 10n ** 12n;
      const amounts = BigInt(usdc) < BigInt(weth) ? [0n, out] : [out, 0n];
      const lent = [
        call(usdc, fn('transfer(address,uint256)', [pair, 5n * MILLION])),
        call(pair, fn('swap(uint256,uint256,address,bytes)', [...amounts, ALICE, '0x'])),
        taken(usdc, 5n * MILLION),
      ];
      const routed = [taken(usdc, 5n * MILLION), trade([usdc, weth, MAINNET.dai])];
      const steps =
        how === 'a router'
          ? [taken(usdc, 5n * MILLION), trade([usdc, weth])]
          : how === 'two routes'
            ? routed
            : lent;
      const { classification, motifs } = await stage.play(mask, steps);
      expect(classification.status).toBe('Suspected');
      const ownersOf = motifs
        .filter(({ kind, status }) => /^(swap|route)$/.test(kind) && status === 'Proven')
        .map(({ participants }) => participants.find(({ role }) => role === 'owner')?.account);
      expect(ownersOf.length).toBeGreaterThan(0);
      expect(ownersOf).not.toContain(ALICE);
    },
  );

  it.each([ALICE, BOB])('is nothing that the signer unwrapped, whoever gets the ether: %s', async (to) => {
    const unwrap = call(weth, fn('withdraw(uint256)', [ETHER / 10n]));
    const steps = [taken(weth, ETHER / 10n), unwrap, call(to, '0x', ETHER / 10n)];
    const { classification } = await stage.play(mask, steps);
    expect([classification.status, classification.actor]).toEqual(['Suspected', ME]);
  });
});
