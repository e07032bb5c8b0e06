// Exchanges through a listed aggregator that runs any steps, as its executors do: what movements show, and what they do not.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getAddress, type Address, type Hex } from 'viem';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { ETHER, fn, fnOf } from '../devnet/chain.ts';
import { fields } from '../devnet/scenarios/delegated.ts';
import { safeTransaction } from '../devnet/scenarios/safe.ts';
import { settle } from '../devnet/scenarios/settlement.ts';
import {
  ATTACKER,
  call,
  compile,
  event,
  signForPermit2,
  startStage,
  type Stage,
  type Step,
} from './stage.ts';

const [ALICE, BOB] = [addressOf('alice'), addressOf('bob')];
/** OKX' router, which the rules list as an aggregator. */
const ROUTER: Address = '0x5E1f62Dac767b0491e3CE72469C217365D5B48cC';
const SOLD = 3_000_000_000n;
const MINT = 'Transfer(address indexed from, address indexed to, uint256 value)';
const ZERO: Address = `0x${'0'.repeat(40)}`;
let stage: Stage;
let dealer: Address;
beforeAll(async () => {
  stage = await startStage();
  await stage.chain.placeAt(ROUTER, compile('Forger.sol')['Forger']!, ['Router', 'ROUTER']);
  dealer = await stage.forger('Dealer', 'DEALER');
  for (const to of [dealer, BOB])
    await stage.chain.must('maker', {
      to: MAINNET.usdc,
      data: fn('transfer(address,uint256)', [to, 20n * SOLD]),
    });
  await stage.c.approve('bob', 'USDC', dealer);
}, 180_000);
afterAll(() => stage?.stop());

const usdc = (signature: string, args: unknown[]): Step => call(MAINNET.usdc, fn(signature, args));
const paid = usdc('transfer(address,uint256)', [ALICE, SOLD]);
const play = (steps: readonly Step[]) => fnOf(stage.abi, 'play', [steps]);

const does = (steps: readonly Step[]): Step => call(dealer, play(steps));

/** Alice sends the router one ether, and the dealer whom the router pays it to does these steps. */
const trade = async (steps: readonly Step[], router = ROUTER) =>
  stage.report(
    await stage.chain.send('alice', {
      to: router,
      data: play([call(dealer, play(steps), ETHER)]),
      value: ETHER,
      gas: 3_000_000n,
    }),
  );

describe('an exchange at a dealer that nobody lists', () => {
  it('is Proven by its movements through a listed aggregator', async () => {
    const { classification } = await trade([paid]);
    expect(classification).toMatchObject({
      status: 'Proven',
      confidence: 'Medium',
      actor: ALICE,
      intent_label: 'Swap 1 ETH for 3,000 USDC on OKX DEX Router 1.0.7',
      fragments: [{ kind: classification.intent_kind, status: 'Proven', confidence: 'Medium' }],
    });
  });

  it('is Suspected through a router that nobody lists', async () => {
    const { classification } = await trade([paid], await stage.forger('Router', 'ROUTER'));
    expect(classification.status).toBe('Suspected');
  });

  it('is Alice’s where the router logs the calls of a wallet', async () => {
    const router = await stage.forger('Router', 'ROUTER');
    const logs = [
      event(
        'CallExecuted(address indexed sender, address indexed to, uint256 value, bytes data)',
        ALICE,
        ETHER,
      ),
      event(
        'Execute(address indexed sender, address indexed target, uint256 ethValue, bytes data)',
        ALICE,
        ETHER,
      ),
    ];
    const data = play([...logs, call(dealer, play([paid]), ETHER)]);
    const hash = await stage.chain.send('alice', { to: router, data, value: ETHER, gas: 3_000_000n });
    const { classification } = await stage.report(hash);
    expect([classification.actor, classification.status]).toEqual([ALICE, 'Suspected']);
  });

  it('is Suspected where the dealer pulls another account’s tokens', async () => {
    const { classification } = await trade([
      usdc('transferFrom(address,address,uint256)', [BOB, ALICE, SOLD]),
    ]);
    expect(classification.status).toBe('Suspected');
  });

  it.each(['Borrowed(address indexed user, uint256 amount)', 'Opened(address indexed by, uint256 amount)'])(
    'is Suspected where the dealer tells of something else: %s',
    async (signature) => {
      const { classification } = await trade([paid, event(signature, ALICE, SOLD)]);
      expect(classification.status).toBe('Suspected');
    },
  );

  it('is Suspected where a share is made for what was given', async () => {
    const { classification } = await trade([event(MINT, ALICE, SOLD, { from: ZERO, to: ALICE })]);
    expect([classification.status, classification.intent_kind]).not.toEqual(['Proven', 'DirectSwap']);
    expect([classification.status, classification.intent_kind]).not.toEqual(['Proven', 'AggregatedSwap']);
  });

  it('is not Alice’s where a stranger has the router take her tokens', async () => {
    await stage.c.approve('alice', 'USDC', ROUTER);
    const { classification } = await stage.report(
      await stage.chain.send(ATTACKER, {
        to: ROUTER,
        data: play([
          usdc('transferFrom(address,address,uint256)', [ALICE, dealer, SOLD / 10n]),
          call(ALICE, '0x', ETHER / 100n),
        ]),
        value: ETHER / 100n,
        gas: 3_000_000n,
      }),
    );
    expect([classification.actor, classification.status]).not.toEqual([ALICE, 'Proven']);
  });
});

describe('a silent receipt', () => {
  const receive = async (step: Step) =>
    (await stage.report(await stage.chain.send('alice', { to: dealer, data: play([step]), gas: 1_000_000n })))
      .classification;

  it('from the contract that was called is Proven, and says no more', async () => {
    expect(await receive(paid)).toMatchObject({
      intent_kind: 'TokenTransfer',
      status: 'Proven',
      actor: ALICE,
      intent_label: expect.stringMatching(/^Receive 3,000 USDC from 0x/),
    });
  });

  it('pulled from an account that asked for nothing is Suspected', async () => {
    const pulled = await receive(usdc('transferFrom(address,address,uint256)', [BOB, ALICE, SOLD]));
    expect(pulled.status).toBe('Suspected');
  });

  it('of ether with an event beside it is Suspected', async () => {
    const steps = [
      call(ALICE, '0x', ETHER / 2n),
      event('Left(address indexed by, uint256 amount)', ALICE, ETHER),
    ];
    const { classification } = await stage.report(
      await stage.chain.send('alice', { to: dealer, data: play(steps), gas: 1_000_000n }),
    );
    expect(classification.status).toBe('Suspected');
  });
});

describe('a receipt swept from an address for one payment', () => {
  const sweeper = () => compile('Forger.sol')['Sweeper']!;
  const WHERE =
    'where(bytes32 salt, (address to, uint256 value, bytes data, bytes32[] topics)[] steps) view returns (address)';
  const salt = `0x${'00'.repeat(32)}`;
  /** A contract that Alice has made does these steps, with a payment of `token` that waits at its address. */
  const swept = async (steps: readonly Step[], token: Address = MAINNET.usdc) => {
    const { chain } = stage;
    const { abi } = sweeper();
    const maker = await chain.deploy(sweeper(), []);
    const box: Address = await chain.read(maker, WHERE, [salt, steps]);
    await chain.must('maker', { to: token, data: fn('transfer(address,uint256)', [box, SOLD]) });
    await chain.must('maker', { to: dealer, data: play([usdc('approve(address,uint256)', [box, SOLD])]) });
    const data = fnOf(abi, 'sweep', [salt, steps]);
    return (await stage.report(await chain.send('alice', { to: maker, data, gas: 3_000_000n })))
      .classification;
  };

  it('is Proven, and says no more', async () => {
    expect(await swept([paid])).toMatchObject({
      intent_kind: 'TokenTransfer',
      status: 'Proven',
      actor: ALICE,
      intent_label: expect.stringMatching(/^Receive 3,000 USDC from 0x/),
    });
  });

  it.each<[string, () => Step[]]>([
    [
      'pulled from an account that let it',
      () => [usdc('transferFrom(address,address,uint256)', [dealer, ALICE, SOLD])],
    ],
    ['in a token of its own', () => [call(dealer, fn('transfer(address,uint256)', [ALICE, SOLD]))]],
    [
      'beside a name of its own for it',
      () => [paid, event('Unstaked(address by, uint256 amount)', ALICE, SOLD)],
    ],
    [
      'beside a loan that it tells of',
      () => [paid, event('Borrowed(address user, uint256 amount)', ALICE, SOLD)],
    ],
    [
      'and sent on',
      () => [
        usdc('transfer(address,uint256)', [BOB, SOLD / 2n]),
        usdc('transfer(address,uint256)', [ALICE, 5n]),
      ],
    ],
  ])('is Suspected %s', async (_, steps) => {
    expect((await swept(steps())).status).toBe('Suspected');
  });
});

describe('an order settled at a listed contract', () => {
  let sold = 2n;
  /** A solver settles Bob's order, and does these steps in the same settlement. */
  const settled = async (steps: readonly Step[] = []) => {
    await stage.c.approve('bob', 'USDC', MAINNET.cowRelayer);
    sold += 1n; // Equal orders would be one order, which is filled once.
    for (const to of [MAINNET.cowSettlement, dealer])
      await stage.chain.must('maker', {
        to: MAINNET.dai,
        data: fn('transfer(address,uint256)', [to, 20n * ETHER]),
      });
    const request = await settle(
      stage.c,
      ['USDC', 'DAI'],
      [10n ** 12n, 1n],
      [{ owner: 'bob', sell: ['USDC', String(sold)], buy: ['DAI', '1'] }],
      steps.map(({ to, value, data }) => [to, value, data]),
    );
    const { classification } = await stage.report(
      await stage.chain.send('solver', { ...request, gas: 5_000_000n }),
    );
    return classification;
  };
  const ofBob = (status: string) => ({ actor: BOB, status });
  const dai = (signature: string, args: unknown[]): Step => call(MAINNET.dai, fn(signature, args));

  it('is its owner’s, and Proven by movements', async () => {
    expect(await settled()).toMatchObject({
      ...ofBob('Proven'),
      intent_label: expect.stringMatching(/^Swap 3 USDC for 3 DAI/),
    });
  });

  it.each<[string, () => Step[]]>([
    [
      'more of what it sells is taken from its owner',
      () => [does([usdc('transferFrom(address,address,uint256)', [BOB, dealer, SOLD / 1000n])])],
    ],
    ['the settlement pays its owner more', () => [dai('transfer(address,uint256)', [BOB, ETHER])]],
    ['another account pays its owner too', () => [does([dai('transfer(address,uint256)', [BOB, ETHER])])]],
    ['a share is made for its owner', () => [does([event(MINT, BOB, SOLD, { from: ZERO, to: BOB })])]],
  ])('is not Proven as an exchange where %s', async (_, steps) => {
    expect(await settled(steps())).not.toMatchObject(ofBob('Proven'));
  });

  it('is nobody’s where only a stranger’s contract tells of it', async () => {
    const told = event(
      'Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
      BOB,
      SOLD / 1000n,
      { sellToken: MAINNET.usdc, buyToken: MAINNET.dai, buyAmount: ETHER, feeAmount: 0n },
    );
    const { classification } = await stage.play(dealer, [
      usdc('transferFrom(address,address,uint256)', [BOB, dealer, SOLD / 1000n]),
      dai('transfer(address,uint256)', [BOB, ETHER]),
      told,
    ]);
    expect(classification.status).toBe('Suspected');
  });
});

describe('a duty that a stranger’s contract logs', () => {
  const posted = event(
    'OutputProposed(bytes32 indexed outputRoot, uint256 indexed l2OutputIndex, uint256 indexed l2BlockNumber, uint256 l1Timestamp)',
    ALICE,
    5n,
  );
  const status = async (steps: readonly Step[]) => (await stage.play(dealer, steps)).classification;

  it('is a call and no more', async () => {
    const { intent_label: label, ...rest } = await status([posted]);
    expect(rest).toMatchObject({ intent_kind: 'ContractCall', status: 'Proven' });
    expect(label).toMatch(/^Call /);
    expect(label).not.toMatch(/rollup/);
  });

  it.each([
    [
      'an event of unknown meaning',
      () => event('Bound(address indexed owner, uint256 amount)', ALICE, ETHER),
    ],
    ['a stake', () => event('Staked(address indexed user, uint256 amount)', ALICE, ETHER)],
    ['a payment', () => call(BOB, '0x', 5n)],
  ])('beside %s proves nothing', async (_, step) => {
    expect((await status([posted, step()])).status).toBe('Suspected');
  });
});

describe('an order whose event states no amounts, filled by a stranger', () => {
  const SILENT = getAddress('0x1111111254EEB25477B68fb85Ed929f73A960582');
  const NAMELESS = getAddress('0x111111125421cA6dc452d289314280a0f8842A65');
  const [PAID, FILLER] = [addressOf('grace'), addressOf('heidi')];
  const HASH: Hex = `0x${'77'.repeat(32)}`;
  const price = ETHER / 20n;
  const events: Record<Address, Step> = {
    [SILENT]: event('OrderFilled(address indexed maker, bytes32 orderHash, uint256 remaining)', BOB, 0n, {
      orderHash: HASH,
    }),
    [NAMELESS]: event('OrderFilled(bytes32 orderHash, uint256 remaining)', BOB, 0n, { orderHash: HASH }),
  };
  const dai = (to: Address, amount: bigint): Step =>
    call(MAINNET.dai, fn('transfer(address,uint256)', [to, amount]));
  const transferFrom = (token: Address, from: Address, to: Address, amount: bigint): Step =>
    call(token, fn('transferFrom(address,address,uint256)', [from, to, amount]));

  beforeAll(async () => {
    const { chain, c } = stage;
    const { usdc: token, dai: paid } = MAINNET;
    await chain.must('maker', { to: token, data: fn('transfer(address,uint256)', [BOB, 100n * SOLD]) });
    await chain.must('maker', { to: paid, data: fn('transfer(address,uint256)', [dealer, 10n * ETHER]) });
    for (const at of [SILENT, NAMELESS]) {
      await chain.placeAt(at, compile('Forger.sol')['Forger']!, ['Orders', 'ORDERS']);
      await c.approve('bob', 'USDC', at);
      const approve = call(paid, fn('approve(address,uint256)', [at, 100n * ETHER]));
      await chain.must(ATTACKER, { to: dealer, data: play([approve]) });
    }
  });

  /**
   * Bob sells 3,000 USDC; the exchange takes what the order asks for from the dealer, who does these steps after
   * it, and those inside when the exchange calls back.
   */
  const filled = async (
    exchange: Address,
    receiver: Address,
    steps: readonly Step[],
    inside: readonly Step[] = [],
  ) => {
    const sold = transferFrom(MAINNET.usdc, BOB, FILLER, SOLD);
    const paid = transferFrom(MAINNET.dai, dealer, receiver, price);
    const { classification } = await stage.play(dealer, [
      call(exchange, play([sold, ...inside, paid, events[exchange]!])),
      ...steps,
    ]);
    return classification;
  };

  for (const exchange of [SILENT, NAMELESS]) {
    it(`is Proven by what the exchange pays its owner: ${exchange}`, async () => {
      expect(await filled(exchange, BOB, [])).toMatchObject({
        actor: BOB,
        status: 'Proven',
        intent_label: expect.stringMatching(/^Swap 3,000 USDC for 0.05 DAI/) as string,
      });
    });

    it(`is Proven by what another, whom the exchange pays, passes on less a fee: ${exchange}`, async () => {
      const fees = await stage.forger('Fees', 'FEES');
      const paid = transferFrom(MAINNET.dai, dealer, fees, price);
      const rest = call(fees, play([dai(BOB, (price / 10n) * 9n)]));
      const sold = transferFrom(MAINNET.usdc, BOB, FILLER, SOLD);
      const fill = call(exchange, play([sold, paid, rest, events[exchange]!]));
      const { classification } = await stage.play(dealer, [fill]);
      expect(classification).toMatchObject({ actor: BOB, status: 'Proven' });
    });

    const byExchange = (amount: bigint) =>
      does([call(exchange, play([transferFrom(MAINNET.dai, dealer, BOB, amount)]))]);
    it.each<[string, Address, () => Step[], (() => Step[])?]>([
      ['pays it dust, and the exchange another', PAID, () => [dai(BOB, 1_000n)]],
      ['pays it as much again', BOB, () => [dai(BOB, price)]],
      ['has the exchange pay it dust by another call', PAID, () => [byExchange(1_000n)]],
      ['has the exchange pay it as much again', BOB, () => [byExchange(price)]],
      ['has the exchange pay it dust from inside', PAID, () => [], () => [byExchange(1_000n)]],
      ['has the exchange pay it as much again from inside', BOB, () => [], () => [byExchange(price)]],
    ])(`is not Proven where the stranger %s: ${exchange}`, async (_, receiver, steps, inside = () => []) => {
      expect(await filled(exchange, receiver, steps(), inside())).not.toMatchObject({
        actor: BOB,
        status: 'Proven',
      });
    });
  }

  it('is cancelled by the Safe that calls for it, not by the account that executes that', async () => {
    const said = event('OrderCancelled(bytes32 orderHash)', BOB, 0n, { orderHash: HASH });
    const request = await safeTransaction(stage.c, { to: NAMELESS, data: play([said]) });
    const report = await stage.report(await stage.chain.send('relayer', { ...request, gas: 1_000_000n }));
    const actor = stage.c.at('treasury');
    expect(report.classification).toMatchObject({ actor, intent_label: 'Cancel an order on 1inch' });
    expect(report.position_effects.map(({ owner }) => owner)).toEqual([actor]);
    expect(report.motifs.flatMap(({ participants }) => participants.map((one) => one.account))).not.toContain(
      addressOf('relayer'),
    );
  });
});

describe('an order in a batch, whose event states no amounts', () => {
  const REACTOR = getAddress('0x6000da47483062A0D734Ba3dc7576Ce6A0B645C4');
  const [ME, PAID] = [addressOf(ATTACKER), addressOf('grace')];
  const price = ETHER / 20n;

  beforeAll(async () => {
    const { chain, c } = stage;
    await chain.placeAt(REACTOR, compile('Forger.sol')['Forger']!, ['Reactor', 'REACTOR']);
    for (const who of ['bob', ATTACKER] as const) {
      const data = fn('transfer(address,uint256)', [addressOf(who), 10n * SOLD]);
      await chain.must('maker', { to: MAINNET.usdc, data });
      await c.approve(who, 'USDC', MAINNET.permit2);
    }
    await chain.must('maker', {
      to: MAINNET.dai,
      data: fn('transfer(address,uint256)', [dealer, 10n * ETHER]),
    });
    const approve = call(MAINNET.dai, fn('approve(address,uint256)', [REACTOR, 100n * ETHER]));
    await chain.must(ATTACKER, { to: dealer, data: play([approve]) });
  });

  let nonce = 900n;
  /** A pull that the owner signed for the reactor. */
  const pull = async (who: 'bob' | typeof ATTACKER, amount: bigint): Promise<Step> => {
    const permitted = { token: MAINNET.usdc, amount };
    const message = { permitted, spender: REACTOR, nonce: ++nonce, deadline: 4_000_000_000n };
    const signed = fields('TokenPermissions permitted, address spender, uint256 nonce, uint256 deadline');
    const signature = await signForPermit2(
      who,
      'PermitTransferFrom',
      { PermitTransferFrom: signed },
      message,
    );
    return call(
      MAINNET.permit2,
      fn(
        'permitTransferFrom(((address token,uint256 amount) permitted,uint256 nonce,uint256 deadline) permit,(address to,uint256 requestedAmount) details,address owner,bytes signature)',
        [message, { to: dealer, requestedAmount: amount }, addressOf(who), signature],
      ),
    );
  };
  const pays = (to: Address, amount: bigint): Step =>
    call(MAINNET.dai, fn('transferFrom(address,address,uint256)', [dealer, to, amount]));
  const filled = (swapper: Address, byte: string): Step =>
    event(
      'Fill(bytes32 indexed orderHash, address indexed filler, address indexed swapper, uint256 nonce)',
      swapper,
      5n,
      { orderHash: `0x${byte.repeat(32)}`, filler: dealer },
    );
  const batch = async (steps: readonly Step[]) =>
    (await stage.play(dealer, [call(REACTOR, play(steps))])).classification;

  it('is Proven where it is the only one', async () => {
    const steps = [await pull('bob', SOLD), pays(BOB, price), filled(BOB, '11')];
    expect(await batch(steps)).toMatchObject({
      actor: BOB,
      status: 'Proven',
      intent_label: expect.stringMatching(/^Swap 3,000 USDC for 0.05 DAI/) as string,
    });
  });

  it.each([
    ['dust', PAID, 1_000n],
    ['as much again', BOB, price],
  ] as const)('is not Proven where an order of the filler pays its owner %s', async (_, to, amount) => {
    const pulls = [await pull('bob', SOLD), await pull(ATTACKER, 1n)];
    const steps = [...pulls, pays(to, price), filled(BOB, '11'), pays(BOB, amount), filled(ME, '22')];
    expect(await batch(steps)).not.toMatchObject({ actor: BOB, status: 'Proven' });
  });
});
