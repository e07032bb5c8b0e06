// What a stranger's contracts can write into the chain must not make a bystander the proven actor of anything.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { concatHex, pad, toHex, type Address, type Hex } from 'viem';
import { loadRules } from '../../src/service/loadRules.ts';
import type { TxReport } from '../../src/model/generated/report.ts';
import { account, addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { artifact } from '../devnet/artifacts.ts';
import { ETHER, fn, fnOf } from '../devnet/chain.ts';
import { ATTACKER, call, event, openPair, startStage, type Stage, type Step } from './stage.ts';

let stage: Stage;
/** Tokens under the attacker's control, and a contract that only emits events. */
let fake: { usdt: Address; cyrillic: Address; wide: Address; plain: Address; other: Address; mask: Address };
beforeAll(async () => {
  stage = await startStage();
  fake = {
    usdt: await stage.forger('Tether USD', 'USDT'),
    cyrillic: await stage.forger('USD Coin', 'U\u0405DC'),
    wide: await stage.forger('USD Coin', '\uff35\uff33\uff24\uff23'),
    plain: await stage.forger('Plain', 'PLAIN'),
    other: await stage.forger('Other', 'OTHER'),
    mask: await stage.forger('Mask', 'MASK'),
  };
});
afterAll(() => stage?.stop());

const VICTIM = addressOf('alice');
const FRIEND = addressOf('bob');
const MILLION = 1_000_000_000_000n;

const pull = (token: Address, from: Address, to: Address, amount = MILLION): Step =>
  call(token, fn('transferFrom(address,address,uint256)', [from, to, amount]));
const shout = (token: Address, from: Address, to: Address): Step =>
  call(token, fnOf(stage.abi, 'play', [[event(TRANSFER, from, MILLION, { from, to, value: MILLION })]]));
const TRANSFER = 'Transfer(address indexed from, address indexed to, uint256 value)';

/** In the victim's name: a payment of a token called USDT, or a trade of two tokens nobody knows. */
const stories: Record<string, () => Step[]> = {
  'a payment that a token called USDT only logs': () => [shout(fake.usdt, VICTIM, FRIEND)],
  'a payment that a token called USDT makes unasked': () => [pull(fake.usdt, VICTIM, FRIEND)],
  'a trade of two unknown tokens': () => [
    pull(fake.plain, VICTIM, fake.mask),
    pull(fake.other, fake.mask, VICTIM),
  ],
};

/** Events and calls that name an account as the one it was all for. */
const claims: Record<string, () => Step> = {
  UserOperationEvent: () =>
    event(
      'UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
      VICTIM,
      1n,
      { paymaster: ZERO },
    ),
  AuthorizationUsed: () =>
    event('AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)', VICTIM, 1n),
  'permit (EIP-2612)': () =>
    call(
      fake.plain,
      fn('permit(address,address,uint256,uint256,uint8,bytes32,bytes32)', [
        VICTIM,
        fake.mask,
        MILLION,
        2n ** 40n,
        27,
        WORD,
        WORD,
      ]),
    ),
  'permit with a nonce': () =>
    call(
      fake.plain,
      fn('permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)', [
        VICTIM,
        fake.mask,
        0n,
        2n ** 40n,
        true,
        27,
        WORD,
        WORD,
      ]),
    ),
  transferWithAuthorization: () =>
    call(
      fake.plain,
      fn('transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)', [
        VICTIM,
        fake.mask,
        MILLION,
        0n,
        2n ** 40n,
        WORD,
        28,
        WORD,
        WORD,
      ]),
    ),
  Fill: () =>
    event(
      'Fill(bytes32 indexed orderHash, address indexed filler, address indexed swapper, uint256 nonce)',
      VICTIM,
      1n,
    ),
  Trade: () =>
    event(
      'Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
      VICTIM,
      MILLION,
      { sellToken: fake.plain, buyToken: fake.other },
    ),
  ExecutionSuccess: () => event('ExecutionSuccess(bytes32 txHash, uint256 payment)', VICTIM, 0n),
  MetaTransactionExecuted: () =>
    event(
      'MetaTransactionExecuted(address userAddress, address relayerAddress, bytes functionSignature)',
      VICTIM,
      1n,
    ),
  Claimed: () => event('Claimed(address indexed account, uint256 amount)', VICTIM, MILLION),
  Deposit: () =>
    event(
      'Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
      VICTIM,
      MILLION,
    ),
  Withdraw: () =>
    event(
      'Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)',
      VICTIM,
      MILLION,
    ),
};
const ZERO: Address = '0x0000000000000000000000000000000000000000';
const WORD: Hex = `0x${'11'.repeat(32)}`;

/** A bystander is never proven to have acted, and no token under another's name is priced, proven or called by that name alone. */
function expectHarmless(report: TxReport): void {
  const { status, confidence, actor } = report.classification;
  const says = JSON.stringify(report.classification);
  // An event or a token's own word names no actor.
  expect(actor, says).not.toBe(VICTIM);
  if (status === 'Proven') {
    const own = [addressOf(ATTACKER), ...Object.values(fake)];
    expect(own, says).toContain(actor);
  }
  const impersonated = report.inventory_deltas.filter(({ asset }) => asset.flags?.includes('impersonates'));
  for (const { usd } of impersonated) expect(usd.text).toBe('—');
  const fakes: readonly string[] = [fake.usdt, fake.cyrillic, fake.wide];
  for (const { asset } of report.inventory_deltas)
    expect(asset.flags ?? []).toEqual(asset.address && fakes.includes(asset.address) ? ['impersonates'] : []);
  if (impersonated.some(({ subject }) => subject === actor))
    expect([status, confidence]).not.toEqual(['Proven', 'High']);
  for (const text of [
    report.classification.intent_label,
    report.economics.token_in,
    report.economics.token_out,
  ])
    expect(text ?? '', says).not.toMatch(/\b\d[\d.]* (USDT|U\u0405DC)(?!\[)/u);
}

describe('an event or call that names a bystander', () => {
  for (const [claim, step] of Object.entries(claims))
    for (const [story, steps] of Object.entries(stories))
      it(`${claim}, with ${story}`, async () => {
        expectHarmless(await stage.play(fake.mask, [...steps(), step()]));
      });
});

it('no event of any family in the rules proves a bystander', async () => {
  const rulebook = loadRules();
  const shapes = new Map<string, string>();
  for (const { signature, mappings } of rulebook.events.values())
    for (const { anyEmitter, shape } of mappings)
      if (anyEmitter && !shapes.has(shape)) shapes.set(shape, signature);
  expect(shapes.size).toBeGreaterThan(60);
  for (const signature of shapes.values()) {
    const story = stories['a trade of two unknown tokens']!();
    expectHarmless(await stage.play(fake.mask, [...story, event(signature, VICTIM, MILLION)]));
  }
});

describe('a vault of the attacker whose token calls itself after a protocol', () => {
  it('is named so in the report, and nothing rests on the name', async () => {
    const [owner, vault] = [addressOf(ATTACKER), await stage.forger('Moo Curve ETH', 'mooCurveETH')];
    const plain = await stage.forger('Some Vault', 'SOME');
    const told = await stage.play(vault, deposit(owner, vault));
    const untold = await stage.play(plain, deposit(owner, plain));
    const names = ({ motifs }: TxReport) =>
      motifs.flatMap(({ protocol }) => (protocol?.named_by ? [[protocol.slug, protocol.named_by]] : []));
    expect(names(told)).toEqual([['beefy', 'token']]);
    expect(names(untold)).toEqual([]);
    for (const { protocol } of told.motifs)
      if (protocol?.slug === 'beefy') expect(protocol).not.toHaveProperty('matched_by');
    const { intent_kind: kind, status, confidence, intent_label: label } = told.classification;
    expect([kind, status, confidence]).toEqual([
      untold.classification.intent_kind,
      untold.classification.status,
      untold.classification.confidence,
    ]);
    expect([status, label.includes('Beefy')]).toEqual(['Suspected', false]);
    expectHarmless(told);
  });
});

/** A payment into the vault, shares out of nothing, and the event of ERC-4626. */
function deposit(owner: Address, vault: Address): Step[] {
  return [
    pull(fake.plain, owner, vault),
    event(TRANSFER, owner, MILLION, { from: ZERO, to: owner }),
    event(
      'Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
      owner,
      MILLION,
    ),
  ];
}

describe('at real contracts', () => {
  it('a real pair fed with the attacker\u2019s token in the name of a bystander', async () => {
    const pair = await paired(fake.plain);
    const out = ETHER / 100n;
    const report = await stage.play(fake.mask, [
      pull(fake.plain, VICTIM, pair, MILLION),
      call(pair, fn('swap(uint256,uint256,address,bytes)', [...outOf(fake.plain, out), VICTIM, '0x'])),
    ]);
    expect(report.classification.actor).not.toBe(VICTIM);
    expect(report.classification.intent_label).toContain('claims an act of');
    expectHarmless(report);
  });

  it('the same with a token under the name of another', async () => {
    const pair = await paired(fake.usdt);
    const report = await stage.play(fake.mask, [
      pull(fake.usdt, VICTIM, pair, MILLION),
      call(
        pair,
        fn('swap(uint256,uint256,address,bytes)', [...outOf(fake.usdt, ETHER / 100n), VICTIM, '0x']),
      ),
    ]);
    expect(report.classification.status).toBe('Suspected');
    expectHarmless(report);
  });

  it('a user operation at the real EntryPoint, of a contract that plays a bystander\u2019s payment', async () => {
    const { abi } = artifact('EntryPoint');
    const op = {
      sender: fake.mask,
      nonce: 0n,
      initCode: '0x',
      callData: fnOf(stage.abi, 'play', [[shout(fake.usdt, VICTIM, FRIEND)]]),
      accountGasLimits: concatHex([pad(toHex(500_000n), { size: 16 }), pad(toHex(900_000n), { size: 16 })]),
      preVerificationGas: 50_000n,
      gasFees: concatHex([pad(toHex(0n), { size: 16 }), pad(toHex(0n), { size: 16 })]),
      paymasterAndData: '0x',
      signature: '0x',
    };
    const data = fnOf(abi, 'handleOps', [[op], addressOf(ATTACKER)]);
    const hash = await stage.chain.send(ATTACKER, { to: MAINNET.entryPoint, data, gas: 3_000_000n });
    const report = await stage.report(hash);
    expect(report.attribution).toMatchObject({
      actor: fake.mask,
      ground: 'listed',
      mode: 'smart_account_4337',
    });
    expectHarmless(report);
  });

  it('the same event from a forger beside the real EntryPoint proves nothing', async () => {
    const report = await stage.play(fake.mask, [
      claims['UserOperationEvent']!(),
      pull(fake.plain, VICTIM, FRIEND),
    ]);
    expect(report.attribution).toMatchObject({ actor: addressOf(ATTACKER), ground: 'signed' });
    expect(report.classification.intent_label).toContain('claims an act of');
  });

  it('a batch through a contract everybody uses', async () => {
    const batch = [
      { target: fake.usdt, allowFailure: false, callData: pull(fake.usdt, VICTIM, FRIEND).data },
    ];
    const data = fn('aggregate3((address target,bool allowFailure,bytes callData)[] calls)', [batch]);
    expectHarmless(await stage.report(await stage.chain.send(ATTACKER, { to: MAINNET.multicall3, data })));
  });

  it('an account that the attacker delegates to a forger acts for itself alone', async () => {
    const signer = account('attackers second');
    const authorization = await signer.signAuthorization({
      contractAddress: fake.mask,
      chainId: 1,
      nonce: 0,
    });
    const data = fnOf(stage.abi, 'play', [[pull(fake.usdt, VICTIM, FRIEND), claims['Fill']!()]]);
    const hash = await stage.chain.send(ATTACKER, {
      to: signer.address,
      data,
      gas: 2_000_000n,
      authorizationList: [authorization],
    });
    const report = await stage.report(hash);
    if (report.classification.status === 'Proven') expect(report.classification.actor).not.toBe(VICTIM);
    expect(report.attribution.delegations[0]).toMatchObject({
      authority: signer.address,
      delegate: fake.mask,
    });
  });
});

describe('what a stranger\u2019s contract says beside a real act', () => {
  const aave = (signature: string, args: unknown[]): Step => call(MAINNET.aavePool, fn(signature, args));
  /** Wrapped ether of the attacker's contract, which the lending pool may take. */
  async function fund(forger: Address, amount: bigint): Promise<Step> {
    await stage.chain.must(ATTACKER, { to: MAINNET.weth, data: fn('deposit()'), value: amount });
    await stage.chain.must(ATTACKER, {
      to: MAINNET.weth,
      data: fn('transfer(address,uint256)', [forger, amount]),
    });
    return call(MAINNET.weth, fn('approve(address,uint256)', [MAINNET.aavePool, amount]));
  }

  it('a token\u2019s word on interest does not become part of a real withdrawal', async () => {
    const [own, paid] = [fake.mask, ETHER / 10n];
    const approve = await fund(own, ETHER);
    const report = await stage.play(own, [
      approve,
      aave('supply(address,uint256,address,uint16)', [MAINNET.weth, ETHER, own, 0]),
      event(TRANSFER, own, MILLION, { from: ZERO, to: own }),
      event(
        'Mint(address indexed caller, address indexed onBehalfOf, uint256 value, uint256 balanceIncrease, uint256 index)',
        own,
        MILLION,
        { balanceIncrease: MILLION + paid },
      ),
      aave('withdraw(address,uint256,address)', [MAINNET.weth, paid, own]),
    ]);
    const touched = report.position_effects.map(({ position_asset: token }) => token?.address);
    expect(touched.length).toBeGreaterThan(0);
    expect(touched).not.toContain(own);
    expectHarmless(report);
  });

  it('a conversion at an unlisted contract before a real supply leaves it Suspected', async () => {
    const [own, amount] = [fake.mask, ETHER / 2n];
    const approve = await fund(own, amount);
    const report = await stage.play(own, [
      pull(fake.plain, addressOf(ATTACKER), own),
      event('Migrated(address indexed account, uint256 amount)', addressOf(ATTACKER), amount),
      approve,
      aave('supply(address,uint256,address,uint16)', [MAINNET.weth, amount, addressOf(ATTACKER), 0]),
    ]);
    expect(report.motifs.map(({ kind }) => kind)).toContain('supply');
    expect(report.classification.status).toBe('Suspected');
    expectHarmless(report);
  });

  it('a delivery that an unlisted bridge states is Suspected, with real assets too', async () => {
    const amount = ETHER / 2n;
    await fund(fake.mask, amount);
    const report = await stage.play(fake.mask, [
      call(MAINNET.weth, fn('transfer(address,uint256)', [VICTIM, amount])),
      event(
        'TokensBridged(address indexed token, address indexed recipient, uint256 value, bytes32 indexed messageId)',
        VICTIM,
        amount,
        { token: MAINNET.weth },
      ),
    ]);
    expect(report.classification).toMatchObject({ intent_kind: 'BridgeWithdrawal', status: 'Suspected' });
    expectHarmless(report);
  });
});

describe('a token under the name of another', () => {
  for (const [name, who] of [
    ['usdt', 'USDT at another address'],
    ['cyrillic', 'a Cyrillic letter'],
    ['wide', 'full-width letters'],
  ] as const)
    it(`is flagged, shown with its address, neither priced nor proven: ${who}`, async () => {
      const data = fn('transfer(address,uint256)', [FRIEND, MILLION]);
      const report = await stage.report(await stage.chain.send(ATTACKER, { to: fake[name], data }));
      expect(report.classification).toMatchObject({
        intent_kind: 'TokenTransfer',
        status: 'Suspected',
        confidence: 'Medium',
        actor: addressOf(ATTACKER),
      });
      const short = `${fake[name].slice(0, 6)}…${fake[name].slice(-4)}`;
      expect(report.classification.intent_label).toContain(`[${short}]`);
      expect(report.economics.valuation.refusals).toMatchObject([{ code: 'spam_asset' }]);
      expectHarmless(report);
    });

  it('an unlisted token that logs a bystander\u2019s payment unasked marks its source unverified', async () => {
    const report = await stage.play(fake.mask, [shout(fake.plain, VICTIM, FRIEND)]);
    expect(report.movements!.map(({ flags }) => flags)).toEqual([['unverified_source']]);
    expect(report.classification.status).toBe('Suspected');
    expectHarmless(report);
  });

  it('what the signer itself sends of an unlisted token is as good as ever', async () => {
    const data = fn('transfer(address,uint256)', [FRIEND, MILLION]);
    const report = await stage.report(await stage.chain.send(ATTACKER, { to: fake.plain, data }));
    expect(report.classification).toMatchObject({ status: 'Proven', actor: addressOf(ATTACKER) });
    expect(report.movements!.map(({ flags }) => flags)).toEqual([undefined]);
  });
});

/** A real pair of the token with wrapped ether. */
const paired = (token: Address): Promise<Address> =>
  openPair(stage.chain, token, (pair) => fn('transfer(address,uint256)', [pair, MILLION]), ETHER);

const outOf = (token: Address, weth: bigint): [bigint, bigint] =>
  token.toLowerCase() < MAINNET.weth.toLowerCase() ? [0n, weth] : [weth, 0n];
