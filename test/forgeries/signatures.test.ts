// Whose signature a transaction carries: real forwarders and wallets authorise, and what only looks like them does not.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { concatHex, hashTypedData, type Address, type Hex } from 'viem';
import type { TxReport } from '../../src/model/generated/report.ts';
import { account, addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn, fnOf } from '../devnet/chain.ts';
import {
  ATTACKER,
  BUNDLER,
  call,
  compile,
  event,
  openPair,
  permit,
  startStage,
  type Stage,
  type Step,
} from './stage.ts';

const VICTIM = addressOf('alice');
const FRIEND = addressOf('bob');
const AMOUNT = 7n * 10n ** 18n;
const UNTIL = 4_000_000_000;

let stage: Stage;
let relay: Address;
let token: Address;
let wallet: Address;
let mask: Address;
let plain: Address;

beforeAll(async () => {
  stage = await startStage();
  const { chain } = stage;
  const { Relay, ForwardedToken, YesWallet } = compile('Forwarded.sol');
  relay = await chain.deploy(Relay!);
  token = await chain.deploy(ForwardedToken!, [relay]);
  wallet = await chain.deploy(YesWallet!);
  mask = await stage.forger('Mask', 'MASK');
  plain = await stage.forger('Plain', 'PLAIN');
  for (const to of [VICTIM, wallet])
    await chain.must('maker', { to: token, data: fn('mint(address,uint256)', [to, 100n * AMOUNT]) });
});
afterAll(() => stage?.stop());

const FIELDS = [
  'address from',
  'address to',
  'uint256 value',
  'uint256 gas',
  'uint256 nonce',
  'uint48 deadline',
  'bytes data',
];
const EXECUTE =
  'execute((address from,address to,uint256 value,uint256 gas,uint48 deadline,bytes data,bytes signature) request)';

/** A request in the victim's name to send its tokens, signed by `signer` for a forwarder. */
async function request(signer: 'alice' | typeof ATTACKER, forwarder: Address, nonce: bigint) {
  const data = fn('transfer(address,uint256)', [FRIEND, AMOUNT]);
  const fields = { from: VICTIM, to: token, value: 0n, gas: 200_000n, deadline: UNTIL, data };
  const types = FIELDS.map((field) => {
    const [type, name] = field.split(' ');
    return { type: type!, name: name! };
  });
  const signature = await account(signer).signTypedData({
    domain: { name: 'ERC2771Forwarder', version: '1', chainId: 1, verifyingContract: forwarder },
    types: { ForwardRequest: types },
    primaryType: 'ForwardRequest',
    message: { ...fields, nonce },
  });
  return fn(EXECUTE, [[VICTIM, token, 0n, 200_000n, UNTIL, data, signature]]);
}

const pull = (of: Address, from: Address): Step =>
  call(of, fn('transferFrom(address,address,uint256)', [from, FRIEND, AMOUNT]));

function expectNoneBut(report: TxReport, allowed: readonly Address[]): void {
  const { status, actor } = report.classification;
  if (status === 'Proven') expect(allowed, JSON.stringify(report.classification)).toContain(actor);
}

describe('forwarded requests (ERC-2771)', () => {
  it('signed by their author make it the actor, whoever relays them', async () => {
    const data = await request('alice', relay, 0n);
    const report = await stage.report(await stage.chain.send('relayer', { to: relay, data, gas: 500_000n }));
    expect(report.attribution).toMatchObject({
      actor: VICTIM,
      ground: 'authorised',
      mode: 'meta_transaction',
      submitter_role: 'relayer',
    });
    expect(report.classification).toMatchObject({ intent_kind: 'TokenTransfer', actor: VICTIM });
    expect(report.economics.warnings).toContain('FeeNotPaidBySubject');
  });

  it('signed by another prove nothing at a forwarder that asks for no signature', async () => {
    for (const [signer, forwarder] of [
      [ATTACKER, mask],
      ['alice', relay],
    ] as const) {
      // Either the attacker's signature in the victim's name, or the victim's for the real forwarder.
      const data = await request(signer, forwarder, 0n);
      const report = await stage.play(mask, [pull(plain, VICTIM), call(plain, data)]);
      expect(report.attribution.ground).not.toBe('authorised');
      expectNoneBut(report, [addressOf(ATTACKER), mask, plain]);
    }
  });
});

describe('a permit that another account brings', () => {
  const { usdc } = MAINNET;
  const spender = MAINNET.v2Router;
  /** In the victim's name: its router may take 5 USDC. */
  const made = (signer: 'alice' | typeof ATTACKER, token: Address): Promise<Step> =>
    permit(stage, { owner: 'alice', spender, value: 5_000_000n, signer, token });

  it.each(['alone', 'through a contract of its own'])('%s is its signer’s approval', async (how) => {
    const step = await made('alice', usdc);
    const report =
      how === 'alone'
        ? await stage.report(await stage.chain.send('relayer', { to: usdc, data: step.data }))
        : await stage.play(mask, [step]);
    expect(report.attribution).toMatchObject({ actor: VICTIM, mode: 'permit_pull', ground: 'authorised' });
    expect(report.classification).toMatchObject({
      intent_kind: 'Approval',
      intent_label: 'Approve Uniswap V2 Router 02 to spend 5 USDC',
    });
  });

  it('says nothing of what the stranger logs beside it', async () => {
    const said = event('Voted(address indexed voter, uint256 weight)', VICTIM, 1n);
    const report = await stage.play(mask, [await made('alice', usdc), said]);
    expect(report.attribution.actor).not.toBe(VICTIM);
  });

  it('signed by another is nobody’s at a token that takes any signature', async () => {
    const puppet = compile('Forger.sol')['Puppet']!;
    const lax = await stage.chain.deploy(puppet, ['USD Coin', 'LAX', 6]);
    const approval = 'Approval(address indexed owner, address indexed spender, uint256 value)';
    const said = event(approval, VICTIM, 5_000_000n, { spender: MAINNET.v2Router });
    await stage.chain.must(ATTACKER, { to: lax, data: fnOf(puppet.abi, 'set', [[said]]), gas: 900_000n });
    const report = await stage.play(mask, [await made(ATTACKER, lax)]);
    expect(report.attribution.actor).not.toBe(VICTIM);
    expect((await stage.play(mask, [await made('alice', lax)])).attribution.actor).toBe(VICTIM);
  });
});

describe('signatures of contract wallets (EIP-1271)', () => {
  const permit = (signature: Hex) =>
    fn('permitTransferFrom(((address,uint256),uint256,uint256),(address,uint256),address,bytes)', [
      [[token, AMOUNT], 1n, 2n ** 40n],
      [FRIEND, AMOUNT],
      wallet,
      signature,
    ]);
  const ask = (of: Address): Step =>
    call(of, fn('isValidSignature(bytes32,bytes)', [`0x${'11'.repeat(32)}`, '0x']));

  it('asked for by a stranger’s contract authorise nothing', async () => {
    const claim = event('AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)', wallet, 1n);
    const report = await stage.play(mask, [ask(wallet), pull(plain, wallet), claim]);
    expect(report.attribution.ground).not.toBe('authorised');
    expectNoneBut(report, [addressOf(ATTACKER), mask, plain]);
  });

  it('of old that a listed contract asks for, which makes any call, authorise nothing', async () => {
    const safe = stage.c.at('treasury');
    await stage.chain.placeAt(BUNDLER, compile('Forger.sol')['Forger']!, ['Bundler3', 'ANY']);
    const pair = await openPair(stage.chain, plain, (to) =>
      fn('transfer(address,uint256)', [to, 10n ** 24n]),
    );
    const hash: Hex = `0x${'11'.repeat(32)}`;
    const digest = hashTypedData({
      domain: { chainId: 1, verifyingContract: safe },
      types: { SafeMessage: [{ name: 'message', type: 'bytes' }] },
      primaryType: 'SafeMessage',
      message: { message: hash },
    });
    const owners = ['alice', 'bob'].sort((a, b) => (BigInt(addressOf(a)) < BigInt(addressOf(b)) ? -1 : 1));
    const signatures = await Promise.all(owners.map((owner) => account(owner).sign({ hash: digest })));
    const outs = BigInt(plain) < BigInt(MAINNET.weth) ? [0n, 10n ** 12n] : [10n ** 12n, 0n];
    const steps = [
      call(safe, fn('isValidSignature(bytes32,bytes)', [hash, concatHex(signatures)])),
      call(plain, fn('transferFrom(address,address,uint256)', [safe, pair, AMOUNT])),
      call(pair, fn('swap(uint256,uint256,address,bytes)', [...outs, safe, '0x'])),
    ];
    const report = await stage.play(mask, [call(BUNDLER, fnOf(stage.abi, 'play', [steps]))]);
    expect(report.movements!.map(({ to }) => to)).toEqual([pair, safe]);
    expect(report.attribution.ground).not.toBe('authorised');
    expectNoneBut(report, [addressOf(ATTACKER), mask, plain]);
  });

  it('of a real Safe that does not approve stop the forgery', async () => {
    const forged = stage.chain.send(ATTACKER, {
      to: mask,
      data: fnOf(stage.abi, 'play', [[ask(stage.c.at('treasury')), pull(plain, VICTIM)]]),
      gas: 2_000_000n,
    });
    await expect(forged.then((hash) => stage.report(hash))).rejects.toThrow('reverted');
  });

  it('that only a call to a token looks like: its answer is no approval', async () => {
    const report = await stage.play(mask, [ask(plain), pull(plain, VICTIM)]);
    expect(report.attribution.ground).not.toBe('authorised');
    expectNoneBut(report, [addressOf(ATTACKER), mask, plain]);
  });

  it('that a transfer of permissions in a wallet’s name cannot skip: without allowance it reverts', async () => {
    const hash = await stage.chain.send(ATTACKER, { to: MAINNET.permit2, data: permit('0x'), gas: 500_000n });
    expect((await stage.chain.receipt(hash)).status).toBe('0x0');
  });
});

describe('at real pools, markets and the EntryPoint', () => {
  const weth = MAINNET.weth;
  const own = [addressOf(ATTACKER)];

  it('a deposit to the EntryPoint in a bystander’s name', async () => {
    const data = fn('depositTo(address)', [VICTIM]);
    const report = await stage.report(
      await stage.chain.send(ATTACKER, { to: MAINNET.entryPoint, value: 5n, data }),
    );
    expectNoneBut(report, own);
  });

  it('a supply to a lending market in a bystander’s name', async () => {
    const { chain } = stage;
    await chain.must(ATTACKER, { to: weth, data: fn('deposit()'), value: 10n ** 16n });
    await chain.must(ATTACKER, {
      to: weth,
      data: fn('approve(address,uint256)', [MAINNET.aavePool, 10n ** 16n]),
    });
    const data = fn('supply(address,uint256,address,uint16)', [weth, 10n ** 16n, VICTIM, 0]);
    const report = await stage.report(
      await chain.send(ATTACKER, { to: MAINNET.aavePool, data, gas: 1_000_000n }),
    );
    expectNoneBut(report, own);
  });

  it('a swap at a router whose proceeds go to a bystander', async () => {
    const data = fn('swapExactETHForTokens(uint256,address[],address,uint256)', [
      0n,
      [weth, MAINNET.usdc],
      VICTIM,
      2n ** 40n,
    ]);
    const request = { to: MAINNET.v2Router, value: 10n ** 15n, data, gas: 1_000_000n };
    const report = await stage.report(await stage.chain.send(ATTACKER, request));
    expectNoneBut(report, own);
    expect(report.classification.actor).toBe(own[0]);
  });

  it('a forger that swaps at a real pool and names a bystander in every family’s event of an order', async () => {
    const fill = event(
      'Fill(bytes32 indexed orderHash, address indexed filler, address indexed swapper, uint256 nonce)',
      VICTIM,
      1n,
    );
    const swap = call(
      MAINNET.v2Router,
      fn('swapExactETHForTokens(uint256,address[],address,uint256)', [
        0n,
        [weth, MAINNET.usdc],
        VICTIM,
        2n ** 40n,
      ]),
      10n ** 15n,
    );
    const data = fnOf(stage.abi, 'play', [[pull(plain, VICTIM), swap, fill]]);
    const hash = await stage.chain.send(ATTACKER, { to: mask, value: 10n ** 15n, data, gas: 2_000_000n });
    expectNoneBut(await stage.report(hash), [...own, mask, plain]);
  });
});

it.each([
  ['went through', 'Puppet', ['Relay', 'RELAY', 6], 'account_execution', 'Call OpenGSN'],
  [
    'failed',
    'Forger',
    ['Relay', 'RELAY'],
    'account_execution_failed',
    'Have OpenGSN make a signed call, which failed',
  ],
] as const)(
  'a request is executed as its forwarder answers: the call %s',
  async (_, code, args, kind, label) => {
    const at: Address = '0xAa3E82b4c4093b4bA13Cb5714382C99ADBf750cA';
    // The one answers every call with one, the other with zero.
    const answering = await stage.chain.deploy(compile('Forger.sol')[code]!, [...args]);
    await stage.chain.rpc('anvil_setCode', [at, await stage.chain.code(answering)]);
    const signature =
      'execute((address from,address to,uint256 value,uint256 gas,uint256 nonce,bytes data,uint256 validUntil) req,' +
      'bytes32 domainSeparator,bytes32 requestTypeHash,bytes suffixData,bytes sig)';
    const word = `0x${'11'.repeat(32)}`;
    const made = [[VICTIM, token, 0n, 100_000n, 0n, '0x', 0n], word, word, '0x', '0x'];
    const { motifs, classification } = await stage.report(
      await stage.chain.send(ATTACKER, { to: at, data: fn(signature, made), gas: 1_000_000n }),
    );
    expect(motifs.map((one) => [one.kind, one.status])).toEqual([[kind, 'Proven']]);
    expect(classification).toMatchObject({ actor: VICTIM, status: 'Proven', intent_label: label });
  },
);
