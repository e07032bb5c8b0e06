// Attacks of many kinds by old allowances, foreign code and odd tokens: none is Proven of a bystander, none makes worth.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { concatHex, keccak256, toHex, type Address, type Hex } from 'viem';
import type { TxReport } from '../../src/model/generated/report.ts';
import { account, addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { ETHER, fn, fnOf } from '../devnet/chain.ts';
import type { Contract } from '../devnet/compile.ts';
import { ATTACKER, call, compile, event, startStage, type Stage, type Step } from './stage.ts';

let stage: Stage;
let kinds: Record<string, Contract>;
let forger: Contract;
let venue: Address, plain: Address;
const ALICE = addressOf('alice');
const BOB = addressOf('bob');
const ME = addressOf(ATTACKER);
const FIVE = 5_000_000n;
const ZERO: Address = '0x0000000000000000000000000000000000000000';
/** Listed contracts that run code of whoever calls them: a zone, an executor, a filler, a target. */
const LISTED = {
  'a Seaport zone': '0x00000000000000ADc04C56Bf30aC9d3c0aAF14dC',
  'a 1inch executor': '0x111111125421cA6dc452d289314280a0f8842A65',
  'an older 1inch executor': '0x1111111254EEB25477B68fb85Ed929f73A960582',
  'a UniswapX filler': '0x00000011F84B9aa48e5f8aA8B9897600006289Be',
  'a 0x target': '0xDef1C0ded9bec7F1a1670819833240f027b25EfF',
} as const satisfies Record<string, Address>;

beforeAll(async () => {
  stage = await startStage();
  kinds = compile('Kinds.sol') as Record<string, Contract>;
  forger = compile('Forger.sol')['Forger']!;
  venue = await stage.forger('Venue', 'VENUE');
  plain = await stage.forger('Plain', 'PLAIN');
  for (const at of Object.values(LISTED)) await stage.chain.placeAt(at, forger, ['Host', 'HOST']);
  for (const to of [venue, MAINNET.multicall3]) await stage.c.approve('alice', 'USDC', to);
  for (const to of [venue, ...Object.values(LISTED)]) {
    await stage.chain.must('alice', {
      to: MAINNET.usdc,
      data: fn('transfer(address,uint256)', [to, 4n * FIVE]),
    });
    await stage.chain.must(ATTACKER, { to: MAINNET.weth, data: fn('deposit()'), value: ETHER });
    await stage.chain.must(ATTACKER, {
      to: MAINNET.weth,
      data: fn('transfer(address,uint256)', [to, ETHER]),
    });
  }
});
afterAll(() => stage?.stop());

const pull = (from: Address, to: Address, token: Address = MAINNET.usdc): Step =>
  call(token, fn('transferFrom(address,address,uint256)', [from, to, FIVE]));
const give = (to: Address, token: Address = MAINNET.weth, amount = 7n): Step =>
  call(token, fn('transfer(address,uint256)', [to, amount]));
const play = (at: Address, steps: readonly Step[]): Step => call(at, fnOf(stage.abi, 'play', [steps]));
const swapped = (to: Address): Step =>
  event(
    'Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
    to,
    0n,
    { amount0In: FIVE, amount1Out: 7n },
  );
const owned = (signature: string, who: Address, given = {}): Step => event(signature, who, FIVE, given);

async function played(who: 'alice' | typeof ATTACKER, at: Address, steps: readonly Step[], value = 0n) {
  return stage.report(
    await stage.chain.send(who, { to: at, value, data: fnOf(stage.abi, 'play', [steps]), gas: 6_000_000n }),
  );
}

/** That a real token moved is a fact, whoever asked for it. */
const isFact = (m: TxReport['motifs'][number]): boolean =>
  m.kind === 'transfer' && m.assets_out.every(({ asset }) => asset.address === MAINNET.usdc);

/** Nothing is Proven of the bystander: no verdict, no position, no act with it as the one who did it. */
function expectNothingOf(report: TxReport, victim: Address): void {
  const { status, actor, intent_label: label } = report.classification;
  const acts = report.motifs
    .filter((m) => m.status === 'Proven' && !isFact(m))
    .filter((m) => m.participants.some((p) => ACTING.has(p.role) && p.account === victim))
    .map((m) => m.kind);
  const positions = report.position_effects.filter((e) => e.owner === victim && e.status === 'Proven');
  if (process.env['SHOW']) console.log(status, label, actor === victim ? 'VICTIM' : '', acts.join());
  expect([status, actor]).not.toEqual(['Proven', victim]);
  expect(acts).toEqual([]);
  expect(positions).toEqual([]);
  expect(report.economics.realized_pnl.supported, 'no profit').toBe(false);
}
const ACTING: ReadonlySet<string> = new Set([
  'owner',
  'seller',
  'buyer',
  'borrower',
  'depositor',
  'maker',
  'taker',
]);

describe.each(Object.entries(LISTED))('%s', (_, host) => {
  it.each<[string, () => Step[]]>([
    ['pulls by an old allowance', () => [play(venue, [pull(ALICE, ME)])]],
    ['sells what it pulls', () => [play(venue, [pull(ALICE, venue), give(ALICE), swapped(ALICE)])]],
    [
      'stakes for a bystander',
      () => [play(venue, [pull(ALICE, venue), owned('Staked(address indexed user, uint256 amount)', ALICE)])],
    ],
    [
      'is paid by the host in between',
      () => [give(ME, MAINNET.usdc, FIVE), play(venue, [pull(ALICE, ME), give(ALICE)])],
    ],
  ])('%s', async (_how, steps) => {
    expectNothingOf(await played(ATTACKER, host, steps()), ALICE);
  });
});

describe('contracts that make any call', () => {
  it('a multicall that somebody once approved', async () => {
    const data = fn('aggregate3((address,bool,bytes)[])', [
      [[MAINNET.usdc, false, fn('transferFrom(address,address,uint256)', [ALICE, ME, FIVE])]],
    ]);
    const hash = await stage.chain.send(ATTACKER, { to: MAINNET.multicall3, data, gas: 1_000_000n });
    expectNothingOf(await stage.report(hash), ALICE);
  });

  it('a pool of a listed factory that calls back whoever pays it with another’s tokens', async () => {
    const pool = await stage.chain.read<Address>(
      MAINNET.v2Factory,
      'getPair(address,address) view returns (address)',
      [MAINNET.usdc, MAINNET.weth],
    );
    const callback = await stage.chain.deploy(kinds['Callback']!, [venue]);
    await stage.c.approve('alice', 'USDC', callback);
    const pays = call(MAINNET.usdc, fn('transferFrom(address,address,uint256)', [ALICE, pool, FIVE]));
    await stage.chain.must(ATTACKER, {
      to: callback,
      data: fnOf(kinds['Callback']!.abi, 'set', [[pays]]),
      gas: 1_000_000n,
    });
    // The pool pays the callback, which has it pulled from the bystander.
    const outs = MAINNET.usdc.toLowerCase() < MAINNET.weth.toLowerCase() ? [0n, 1000n] : [1000n, 0n];
    const swap = call(pool, fn('swap(uint256,uint256,address,bytes)', [...outs, callback, '0x01']));
    expectNothingOf(await played(ATTACKER, venue, [swap]), ALICE);
  });

  it.each<[string, (who: Address) => Step[]]>([
    [
      'a reward',
      (who) => [
        give(who, MAINNET.usdc, FIVE),
        owned('RewardPaid(address indexed user, uint256 reward)', who),
      ],
    ],
    [
      'an unstake',
      (who) => [give(who, MAINNET.usdc, FIVE), owned('Withdrawn(address indexed user, uint256 amount)', who)],
    ],
    ['a stake', (who) => [pull(who, venue), owned('Staked(address indexed user, uint256 amount)', who)]],
    ['a sale', (who) => [pull(who, venue), give(who), swapped(who)]],
  ])('an account whose code anybody may have call the contract that tells %s of it', async (_, steps) => {
    const judy = addressOf('judy');
    const code = await stage.chain.deploy(kinds['OpenCaller']!);
    await stage.c.approve('judy', 'USDC', venue);
    await stage.chain.must('maker', {
      to: MAINNET.usdc,
      data: fn('transfer(address,uint256)', [judy, 10n * FIVE]),
    });
    const next = await account('judy').signAuthorization({
      chainId: 1,
      address: code,
      nonce: (await stage.chain.nonce('judy')) + 1,
    });
    await stage.chain.must('judy', { to: BOB, authorizationList: [next] });
    await stage.chain.spendNonce('judy');
    const callback = await stage.chain.deploy(kinds['Callback']!, [venue]);
    const told = play(venue, steps(judy));
    await stage.chain.must(ATTACKER, {
      to: callback,
      data: fnOf(kinds['Callback']!.abi, 'set', [[told]]),
      gas: 2_000_000n,
    });
    // The account calls the stranger's contract, which speaks through another, and the one that speaks itself.
    const puppet = compile('Forger.sol')['Puppet']!;
    const talker = await stage.chain.deploy(puppet, ['Talker', 'TALK', 6]);
    await stage.c.approve('judy', 'USDC', talker);
    await stage.chain.must('maker', {
      to: MAINNET.usdc,
      data: fn('transfer(address,uint256)', [talker, 10n * FIVE]),
    });
    await stage.chain.must(ATTACKER, { to: MAINNET.weth, data: fn('deposit()'), value: 100n });
    await stage.chain.must(ATTACKER, {
      to: MAINNET.weth,
      data: fn('transfer(address,uint256)', [talker, 100n]),
    });
    const spoken = steps(judy).map((step) => ({
      ...step,
      data: step.data.replaceAll(venue.slice(2).toLowerCase(), talker.slice(2).toLowerCase()) as Hex,
    }));
    await stage.chain.must(ATTACKER, {
      to: talker,
      data: fnOf(puppet.abi, 'set', [spoken]),
      gas: 2_000_000n,
    });
    for (const to of [callback, talker]) {
      const hash = await stage.chain.send(ATTACKER, {
        to: judy,
        data: fn('poke(address)', [to]),
        gas: 3_000_000n,
      });
      expectNothingOf(await stage.report(hash), judy);
    }
  });

  it('a wallet that approves any signature', async () => {
    const wallet = await stage.chain.deploy(kinds['OpenCaller']!);
    await stage.chain.must('maker', {
      to: MAINNET.usdc,
      data: fn('transfer(address,uint256)', [wallet, 10n * FIVE]),
    });
    await stage.chain.rpc('anvil_setBalance', [wallet, '0x1bc16d674ec80000']);
    await stage.chain.as(wallet, {
      to: MAINNET.usdc,
      data: fn('approve(address,uint256)', [venue, 1n << 128n]),
      gas: 200_000n,
    });
    const asked = call(wallet, fn('isValidSignature(bytes32,bytes)', [keccak256('0x01'), '0x']));
    expectNothingOf(
      await played(ATTACKER, venue, [asked, pull(wallet, venue), give(wallet), swapped(wallet)]),
      wallet,
    );
    expectNothingOf(await played(ATTACKER, venue, [asked, pull(wallet, ME)]), wallet);
  });
});

describe('code that changes', () => {
  it('a token whose implementation changes between two transfers', async () => {
    const [first, second] = await Promise.all([0, 1].map(async () => stage.forger('Turn', 'TURN')));
    const proxy = await stage.chain.deploy(kinds['Turncoat']!);
    const turn = (code: Address) => call(proxy, fn('turn(address)', [code]));
    const report = await played(ATTACKER, venue, [
      turn(first!),
      pull(ALICE, ME, proxy),
      turn(second!),
      pull(ALICE, BOB, proxy),
    ]);
    expectNothingOf(report, ALICE);
  });

  it('a contract made in the same transaction at an address known before', async () => {
    const maker = await stage.chain.deploy(kinds['Maker']!);
    const init = concatHex([forger.bytecode, encodeNames('Made', 'MADE')]);
    const salt = toHex(7, { size: 32 });
    const at = `0x${keccak256(concatHex(['0xff', maker, salt, keccak256(init)])).slice(-40)}` as Address;
    await stage.c.approve('alice', 'USDC', at);
    const report = await played(ATTACKER, venue, [
      call(maker, fn('make(bytes,bytes32)', [init, salt])),
      play(at, [pull(ALICE, at), owned('Staked(address indexed user, uint256 amount)', ALICE)]),
      play(at, [give(ME, MAINNET.usdc, FIVE)]),
    ]);
    expectNothingOf(report, ALICE);
  });
});

function encodeNames(name: string, symbol: string): Hex {
  return `0x${fn('f(string,string)', [name, symbol]).slice(10)}`;
}

describe('odd tokens', () => {
  const WAYS = ['once', 'twice', 'by ERC-223 too', 'by ERC-6909 too', 'by ERC-777 too'];
  for (const decimals of [0, 18, 255])
    for (const [way, told] of WAYS.entries())
      it(`with ${decimals} decimals, telling a transfer ${told}`, async () => {
        const token = await stage.chain.deploy(kinds['Echo']!, [decimals, way]);
        expectNothingOf(await played(ATTACKER, venue, [pull(ALICE, ME, token), give(ALICE)]), ALICE);
        // Of its own caller it is told once, or not Proven.
        const data = fn('transfer(address,uint256)', [BOB, FIVE]);
        const report = await stage.report(await stage.chain.send('alice', { to: token, data }));
        const moved = report.movements!.filter((m) => m.to === BOB).map((m) => m.amount_raw);
        const { status, actor } = report.classification;
        if (process.env['SHOW']) console.log(report.classification.intent_label, status, moved.join());
        if (status === 'Proven') expect([actor, moved]).toEqual([ALICE, [`${FIVE}`]]);
        for (const { asset, usd } of report.inventory_deltas)
          if (asset.address === token) expect(usd.text).toBe('—');
      });

  it.each(['USDC\n\u202eETH', 'A'.repeat(5_000), 'b>x', '\u0000', '","actor":"0x'])(
    'named %#',
    async (symbol) => {
      const token = await stage.forger(symbol, symbol);
      const report = await played(ATTACKER, venue, [pull(ALICE, ME, token), give(ALICE)]);
      expectNothingOf(report, ALICE);
      expect(report.classification.intent_label.length).toBeLessThan(400);
      // eslint-disable-next-line no-control-regex
      expect(report.classification.intent_label).not.toMatch(/[\u0000-\u001f\u202a-\u202e<]/);
    },
  );
});

describe('books of the stranger about a bystander', () => {
  const shares = (to: Address): Step =>
    event('Transfer(address indexed from, address indexed to, uint256 value)', to, FIVE - 1n, { from: ZERO });
  it.each<[string, () => Step[]]>([
    [
      'a vault that was donated to',
      () => [
        pull(ME, venue),
        give(venue, MAINNET.usdc, FIVE),
        shares(ALICE),
        event(
          'Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
          ALICE,
          FIVE,
          { shares: FIVE - 1n },
        ),
      ],
    ],
    [
      'a position manager',
      () => [
        pull(ALICE, venue),
        event('Transfer(address indexed from, address indexed to, uint256 indexed tokenId)', ALICE, 7n, {
          from: ZERO,
          tokenId: 7n,
        }),
        event(
          'IncreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)',
          ALICE,
          FIVE,
          { tokenId: 7n, amount1: 0n },
        ),
      ],
    ],
    [
      'a factory and its pool',
      () => [
        event(
          'PairCreated(address indexed token0, address indexed token1, address pair, uint256)',
          venue,
          1n,
          { token0: MAINNET.usdc, token1: MAINNET.weth, pair: venue },
        ),
        pull(ALICE, venue),
        give(ALICE),
        swapped(ALICE),
      ],
    ],
    [
      'a lender',
      () => [
        give(ALICE, MAINNET.usdc, FIVE),
        event(
          'Borrow(address indexed reserve, address user, address indexed onBehalfOf, uint256 amount, uint8 interestRateMode, uint256 borrowRate, uint16 indexed referralCode)',
          ALICE,
          FIVE,
          { reserve: MAINNET.usdc },
        ),
      ],
    ],
    [
      'a bridge',
      () => [
        pull(ALICE, venue),
        event(
          'TokenSent(address indexed sender, string destinationChain, string destinationAddress, string symbol, uint256 amount)',
          ALICE,
          FIVE,
        ),
      ],
    ],
    [
      'a token that wraps ether',
      () => [
        call(plain, '0x', 7n),
        play(plain, [event('Deposit(address indexed dst, uint256 wad)', ALICE, 7n)]),
      ],
    ],
    [
      'a payment of nothing',
      () => [call(MAINNET.usdc, fn('transferFrom(address,address,uint256)', [ALICE, ME, 0n]))],
    ],
    [
      'a rebase',
      () => [
        call(plain, fn('transferFrom(address,address,uint256)', [ALICE, BOB, FIVE])),
        play(plain, [event('LogRebase(uint256 indexed epoch, uint256 totalSupply)', ALICE, FIVE)]),
      ],
    ],
  ])('%s', async (_, steps) => {
    await stage.c.approve(ATTACKER, 'USDC', venue);
    expectNothingOf(await played(ATTACKER, venue, steps(), 7n), ALICE);
  });
});
