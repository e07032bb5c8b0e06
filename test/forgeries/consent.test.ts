// Whose act it is: a listed contract's mention, a stale delegation, foreign code, a signature or an event is nobody's consent.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address, Hex } from 'viem';
import type { TxReport } from '../../src/model/generated/report.ts';
import { account, addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { ETHER, fn, fnOf } from '../devnet/chain.ts';
import { abiEncode } from '../devnet/deploy/accounts.ts';
import { FAR_FUTURE } from '../devnet/deploy/uniswap.ts';
import { safeTransaction } from '../devnet/scenarios/safe.ts';
import { handleOps } from '../devnet/scenarios/smartAccounts.ts';
import { ur } from '../devnet/scenarios/swaps.ts';
import { HOSTS, startHosts, type Hosts } from './hosts.ts';
import {
  ATTACKER,
  BUNDLER,
  call,
  compile,
  event,
  openPair,
  startStage,
  type Stage,
  type Step,
} from './stage.ts';

let stage: Stage;
let at: Hosts;
let abi: ReturnType<typeof compile>[string]['abi'];
let trapAbi: ReturnType<typeof compile>[string]['abi'];
let pair: Address;
/** Tokens of the stranger that play steps whenever they are called. */
const token = {} as Record<Kind, Address>;
type Kind = 'plain token' | 'NFT' | 'impersonating symbol' | 'real pair';
const KINDS: readonly Kind[] = ['plain token', 'NFT', 'impersonating symbol', 'real pair'];

const FRIEND = addressOf('bob');
const NOBODY: Address = '0x0000000000000000000000000000000000000000';
const MILLION = 1_000_000_000_000n;
const OUT = ETHER / 100n;

beforeAll(async () => {
  stage = await startStage();
  at = await startHosts(stage);
  const { Puppet, Trap } = compile('Forger.sol');
  abi = Puppet!.abi;
  trapAbi = Trap!.abi;
  const deploy = (name: string, symbol: string, decimals: number) =>
    stage.chain.deploy(Puppet!, [name, symbol, decimals]);
  token['plain token'] = await deploy('Plain', 'PLAIN', 6);
  token['NFT'] = await deploy('Art', 'ART', 0);
  token['impersonating symbol'] = await deploy('Tether USD', 'USDT', 6);
  token['real pair'] = await deploy('Paired', 'PAIRED', 6);
  pair = await openPair(stage.chain, token['real pair'], () => fn('hold(uint256)', [MILLION]));
});
afterAll(() => stage?.stop());

const must = (to: Address, data: Hex, value = 0n) =>
  stage.chain.must(ATTACKER, { to, data, value, gas: 6_000_000n });

const ERC20 = 'Transfer(address indexed from, address indexed to, uint256 value)';
const ERC721 = 'Transfer(address indexed from, address indexed to, uint256 indexed tokenId)';
let round = 0n;

/** Makes the token log a payment of the victim as soon as it is called; returns the steps that must follow. */
async function prepare(kind: Kind, victim: Address): Promise<Step[]> {
  const of = token[kind];
  const to = kind === 'real pair' ? pair : FRIEND;
  const logged =
    kind === 'NFT'
      ? event(ERC721, victim, ++round, { from: victim, to, tokenId: round })
      : event(ERC20, victim, MILLION, { from: victim, to, value: MILLION });
  await must(of, fnOf(abi, 'set', [[logged]]));
  if (kind !== 'real pair') return [];
  await must(of, fn('hold(uint256)', [MILLION * (++round + 10n)]));
  await must(pair, fn('sync()'));
  await must(of, fn('hold(uint256)', [MILLION * (++round + 10n)]));
  const outs = of.toLowerCase() < MAINNET.weth.toLowerCase() ? [0n, OUT] : [OUT, 0n];
  return [call(pair, fn('swap(uint256,uint256,address,bytes)', [...outs, victim, '0x']))];
}

const poke = (kind: Kind): Step => call(token[kind], fnOf(abi, 'run', []));

/** The victim did no more than this; null where it did nothing. */
type Honest = TxReport['classification'] | null;

/** Proven of the victim only what it did. */
function expectHonest(report: TxReport, victim: Address, honest: Honest): void {
  const said = report.classification;
  const text = `${said.status} ${said.confidence} ${said.intent_kind} ${said.intent_label} ${report.attribution.ground} ${report.movements!.map(({ flags }) => flags?.[0] ?? '-').join(' ')}`;
  if (process.env['SHOW'])
    console.log(
      text,
      said.actor === victim ? 'VICTIM' : said.actor,
      JSON.stringify(said.caveats?.map(({ code }) => code)),
    );
  if (said.status !== 'Proven' || said.actor !== victim) return;
  // Orders differ in their amounts.
  const plain = (label: string) => label.replace(/\b\d+ (USDC|DAI)/g, '# $1');
  const done = honest === null ? 'not proven' : plain(`${honest.intent_kind} ${honest.intent_label}`);
  expect(plain(text)).toContain(done);
}

const honestly = new Map<string, Honest>();
async function honest(host: (typeof HOSTS)[number]): Promise<Honest> {
  if (!honestly.has(host)) honestly.set(host, (await at.hosts[host]!.run([])).classification);
  return honestly.get(host)!;
}

describe('a listed contract that mentions the account', () => {
  const vehicles: Record<string, (of: Address, victim: Address) => Step[]> = {
    'as recipient of a sweep': (of, victim) => [
      call(
        MAINNET.universalRouter,
        ur([0x04], [abiEncode(['address', 'address', 'uint256'], [of, victim, 0n])]),
      ),
    ],
    'as recipient of a transfer': (of, victim) => [
      call(
        MAINNET.universalRouter,
        ur([0x05], [abiEncode(['address', 'address', 'uint256'], [of, victim, MILLION])]),
      ),
    ],
    'in a balance check': (of, victim) => [
      call(
        MAINNET.universalRouter,
        ur([0x0e], [abiEncode(['address', 'address', 'uint256'], [victim, of, 0n])]),
      ),
      call(of, fnOf(abi, 'run', [])),
    ],
    'as recipient at another router': (of, victim) => [
      call(MAINNET.v3Router, fn('sweepToken(address,uint256,address)', [of, 0n, victim])),
    ],
  };
  for (const host of HOSTS)
    for (const kind of KINDS)
      for (const [vehicle, steps] of Object.entries(vehicles))
        it(`${vehicle}: ${kind}, beside ${host}`, async () => {
          const act = await honest(host);
          const victim = at.hosts[host]!.victim();
          const after = await prepare(kind, victim);
          expectHonest(
            await at.hosts[host]!.run([...steps(token[kind], victim), ...after], true),
            victim,
            act,
          );
        });
});

describe('a delegation that has no effect here', () => {
  const judy = addressOf('judy');
  let tuple: unknown;
  const delegate = async () => {
    if (tuple) return;
    const code = await stage.chain.deploy(compile('Forger.sol')['OpenDelegate']!);
    const nonce = (await stage.chain.nonce('judy')) + 1;
    tuple = await account('judy').signAuthorization({ chainId: 1, address: code, nonce });
    await stage.chain.must('judy', { to: FRIEND, authorizationList: [tuple] });
    await stage.chain.spendNonce('judy');
  };
  for (const kind of KINDS)
    for (const [how, steps] of Object.entries({
      'its open function calls the token': (of: Address) => [call(judy, fn('poke(address)', [of]))],
      'its open function calls another': (of: Address) => [
        call(judy, fn('poke(address)', [MAINNET.usdc])),
        call(of, fnOf(abi, 'run', [])),
      ],
    }))
      for (const replayed of [true, false])
        it(`${how}: ${kind}, ${replayed ? 'replayed' : 'in the code alone'}`, async () => {
          await delegate();
          const after = await prepare(kind, judy);
          const request = {
            to: at.mask,
            data: fnOf(stage.abi, 'play', [[...steps(token[kind]), ...after]]),
            gas: 3_000_000n,
            ...(replayed ? { authorizationList: [tuple] } : {}),
          };
          expectHonest(await stage.report(await stage.chain.send(ATTACKER, request)), judy, null);
        });
  it('for a nonce that the account’s own transaction takes: its open function is called', async () => {
    await delegate();
    const { chain } = stage;
    const nonce = await chain.nonce('judy');
    const spent = await account('judy').signAuthorization({ chainId: 1, address: NOBODY, nonce });
    await chain.rpc('evm_setAutomine', [false]);
    const own = chain.send('judy', { to: FRIEND, value: 1n, gas: 30_000n });
    const pending = async () => Number(await chain.rpc('eth_getTransactionCount', [judy, 'pending']));
    await expect.poll(pending).toBe(nonce + 1);
    const data = fn('poke(address)', [MAINNET.usdc]);
    const poked = chain.send(ATTACKER, { to: judy, data, authorizationList: [spent] });
    await expect.poll(() => chain.rpc('txpool_status', [])).toMatchObject({ pending: '0x2' });
    await chain.rpc('evm_mine', []);
    await chain.rpc('evm_setAutomine', [true]);
    await own;
    expectHonest(await stage.report(await poked), judy, null);
  });
});

describe('foreign code below the account\u2019s own call', () => {
  /** The account pays the trap, which runs the steps. */
  const payers: Record<string, { victim(): Address; run(): Promise<TxReport> }> = {
    'a Safe': {
      victim: () => stage.c.at('treasury'),
      run: async () => {
        await fund(stage.c.at('treasury'));
        const request = await safeTransaction(stage.c, { to: at.trap, value: OUT, data: '0x' });
        return stage.report(await stage.chain.send('relayer', { ...request, gas: 3_000_000n }));
      },
    },
    'a smart account': {
      victim: () => stage.c.at('erinAccount'),
      run: async () => {
        const create = (await stage.chain.code(stage.c.at('erinAccount'))) === '0x';
        await fund(stage.c.at('erinAccount'));
        const request = await handleOps(stage.c, [
          { owner: 'erin', calls: [{ to: at.trap, value: OUT, data: '0x' }], create },
        ]);
        return stage.report(await stage.chain.send('bundler', { ...request, gas: 6_000_000n }));
      },
    },
    'a delegated account': {
      victim: () => addressOf('ivan'),
      run: async () => {
        const data = fn('execute((address,uint256,bytes)[])', [[[at.trap, OUT, '0x']]]);
        const tuple = await account('ivan').signAuthorization({
          chainId: 1,
          address: stage.c.at('batchDelegate'),
          nonce: await stage.chain.nonce('ivan'),
        });
        const hash = await stage.chain.send('relayer', {
          to: addressOf('ivan'),
          data,
          gas: 3_000_000n,
          authorizationList: [tuple],
        });
        await stage.chain.spendNonce('ivan');
        return stage.report(hash);
      },
    },
  };
  const fund = (who: Address) => stage.chain.rpc('anvil_setBalance', [who, '0x1bc16d674ec80000']);
  const paid = (report: TxReport) => /^Send 0\.01 ETH to \S+$/.test(report.classification.intent_label);
  for (const [who, { victim, run }] of Object.entries(payers)) {
    for (const kind of KINDS)
      it(`${kind}: ${who} pays it`, async () => {
        const after = await prepare(kind, victim());
        await must(at.trap, fnOf(trapAbi, 'set', [[poke(kind), ...after]]));
        const report = await run();
        expectHonest(report, victim(), paid(report) ? report.classification : null);
      });
    it(`an allowance of old: ${who} pays it`, async () => {
      await at.allow(victim());
      const pulled = fn('transferFrom(address,address,uint256)', [victim(), FRIEND, 3_000_007n]);
      await must(at.trap, fnOf(trapAbi, 'set', [[call(MAINNET.usdc, pulled)]]));
      const report = await run();
      expectHonest(report, victim(), paid(report) ? report.classification : null);
    });
  }
  const CALLERS: Readonly<Record<string, Address>> = {
    'Morpho Bundler3': BUNDLER,
    'the messenger of OP Mainnet': '0x25ace71c97B33Cc4729CF772ae268934F7ab5fA1',
  };
  for (const [name, caller] of Object.entries(CALLERS))
    for (const kind of ['listed', 'made-up'] as const)
      it(`a pull of a ${kind} token by ${name}, which makes any call, after a Safe paid for it`, async () => {
        const safe = payers['a Safe']!;
        if ((await stage.chain.code(caller)) === '0x')
          await stage.chain.placeAt(caller, compile('Forger.sol')['Forger']!, ['Any', 'ANY']);
        await at.allow(safe.victim());
        const approve = fn('approve(address,uint256)', [caller, 1n << 128n]);
        await stage.chain.as(safe.victim(), { to: MAINNET.usdc, data: approve, gas: 200_000n });
        const of = kind === 'listed' ? MAINNET.usdc : await stage.forger('Plain', 'PLAIN');
        const pulled = fn('transferFrom(address,address,uint256)', [safe.victim(), FRIEND, 3_000_007n]);
        const asked = call(caller, fnOf(stage.abi, 'play', [[call(of, pulled)]]));
        await must(at.trap, fnOf(trapAbi, 'set', [[asked]]));
        const report = await safe.run();
        expectHonest(report, safe.victim(), paid(report) ? report.classification : null);
      });
});

describe('a signature for one movement', () => {
  const grace = addressOf('grace');
  const robbed = (amount: bigint): Step =>
    call(MAINNET.usdc, fn('transferFrom(address,address,uint256)', [grace, FRIEND, amount]));
  for (const host of [
    'a payment signed for EIP-3009',
    'a permit that the stranger saw in the mempool',
  ] as const)
    for (const [name, amount] of Object.entries({
      'of its own amount': host.includes('permit') ? 7n : 5_000_000n,
      'of four times as much': 20_000_000n,
      'of the number in its field `validBefore`': 4_000_000_000n,
      'of another amount': 3_000_007n,
    }))
      it(`covers no pull ${name}, beside ${host}`, async () => {
        const act = await honest(host);
        const maker = fn('transfer(address,uint256)', [grace, 20_000_000_000n]);
        await stage.chain.must('maker', { to: MAINNET.usdc, data: maker });
        await stage.chain.as(grace, {
          to: MAINNET.usdc,
          data: fn('approve(address,uint256)', [at.mask, 1n << 128n]),
          gas: 200_000n,
        });
        expectHonest(await at.hosts[host]!.run([robbed(amount)], true), grace, act);
      });

  for (const spender of ['v2Router', 'mask'] as const)
    it(`is none of an allowance: a Safe approves 700 for ${spender} and is robbed of 700`, async () => {
      const safe = stage.c.at('treasury');
      await at.allow(safe);
      const maker = fn('transfer(address,uint256)', [safe, 7_000_000_000n]);
      await stage.chain.must('maker', { to: MAINNET.usdc, data: maker });
      const approve = fn('approve(address,uint256)', [
        spender === 'mask' ? at.trap : MAINNET.v2Router,
        700_000_000n,
      ]);
      const request = await safeTransaction(stage.c, { to: MAINNET.usdc, data: approve });
      const pull = fn('transferFrom(address,address,uint256)', [safe, FRIEND, 700_000_000n]);
      const report = await stage.play(at.mask, [call(request.to!, request.data!), call(MAINNET.usdc, pull)]);
      const { status, intent_kind: kind, actor } = report.classification;
      expect([status, kind, actor]).not.toEqual(['Proven', 'TokenTransfer', safe]);
      expectHonest(report, safe, kind === 'Approval' ? report.classification : null);
    });
});

describe('an approval that the owner never gave', () => {
  const approvals: Record<string, (victim: Address) => Step> = {
    'of a token': (victim) =>
      event('Approval(address indexed owner, address indexed spender, uint256 value)', victim, 1n << 255n, {
        spender: at.mask,
      }),
    'of an NFT': (victim) =>
      event('Approval(address indexed owner, address indexed spender, uint256 indexed id)', victim, 7n, {
        spender: at.mask,
      }),
    'of a collection': (victim) =>
      event('ApprovalForAll(address indexed owner, address indexed spender, bool approved)', victim, 1n, {
        spender: at.mask,
      }),
  };
  for (const host of HOSTS)
    for (const kind of ['plain token', 'impersonating symbol'] as const)
      for (const [name, made] of Object.entries(approvals))
        it(`${name}: ${kind}, beside ${host}`, async () => {
          const act = await honest(host);
          const victim = at.hosts[host]!.victim();
          await must(token[kind], fnOf(abi, 'set', [[made(victim)]]));
          const report = await at.hosts[host]!.run([poke(kind)], true);
          expectHonest(report, victim, act);
          for (const { owner, asset, status, flags } of report.allowances ?? [])
            if (asset.address === token[kind])
              expect([owner, status, flags]).toEqual([victim, 'Suspected', ['unasked']]);
        });
  it('where it is all there is names no owner as actor, and says unasked', async () => {
    const victim = addressOf('heidi');
    await must(token['plain token'], fnOf(abi, 'set', [[approvals['of a token']!(victim)]]));
    const report = await stage.play(at.mask, [poke('plain token')]);
    expect(report.classification.actor).not.toBe(victim);
    expect(report.allowances).toMatchObject([{ status: 'Suspected', flags: ['unasked'] }]);
    expect(report.classification.intent_kind).not.toBe('Approval');
  });
  it('is not the signer\u2019s for a permit of words that its calldata holds', async () => {
    const [signer, amount] = [addressOf(ATTACKER), 1n << 255n];
    await must(token['plain token'], fnOf(abi, 'set', [[approvals['of a token']!(signer)]]));
    const permit = 'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)';
    const [r, s] = [`0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`];
    const made = fn(permit, [signer, at.mask, amount, 2_000_000_000n, 27, r, s]);
    const report = await stage.play(at.mask, [call(token['plain token'], made)]);
    expect(report.allowances).toMatchObject([{ owner: signer, status: 'Suspected', flags: ['unasked'] }]);
  });
  it('but the token itself, of its own balance, is its word about itself alone', async () => {
    const own = token['plain token'];
    await must(own, fnOf(abi, 'set', [[approvals['of a token']!(own)]]));
    const { allowances, classification } = await stage.play(at.mask, [poke('plain token')]);
    expect(allowances).toMatchObject([{ owner: own, status: 'Proven', flags: [] }]);
    expect(classification.actor).not.toBe(own);
    expect(classification.intent_label).toMatch(/ of PLAIN\[0x/);
  });
});

// Whoever submits a signed act may add what it likes, in listed tokens and in its own.
it.each(['a listed token', 'a token of the stranger', 'a token under another\u2019s name'])(
  'a gift of %s beside what a Safe signed leaves its swap proven, and is no part of it',
  async (kind) => {
    const safe = stage.c.at('treasury');
    const path = [MAINNET.weth, MAINNET.dai];
    const buy = fn('swapExactETHForTokens(uint256,address[],address,uint256)', [0n, path, safe, 10n ** 12n]);
    const request = await safeTransaction(stage.c, { to: MAINNET.v2Router, value: OUT, data: buy });
    const fund = fn('transfer(address,uint256)', [at.mask, MILLION]);
    await stage.chain.must('maker', { to: MAINNET.usdc, data: fund });
    const own = token[kind === 'a token of the stranger' ? 'plain token' : 'impersonating symbol'];
    const of = kind === 'a listed token' ? MAINNET.usdc : own;
    const logged = event(ERC20, safe, MILLION, { from: at.mask, to: safe, value: MILLION });
    await must(own, fnOf(abi, 'set', [[logged]]));
    const gift = call(of, fn('transfer(address,uint256)', [safe, MILLION]));
    const { classification, inventory_deltas: deltas } = await stage.play(at.mask, [
      gift,
      call(request.to!, request.data!),
    ]);
    const { status, actor, intent_label: label, caveats } = classification;
    expect([status, actor, caveats]).toEqual(['Proven', safe, []]);
    expect(label).toMatch(/^Swap 0\.01 ETH for [\d,.]+ DAI on Uniswap V2$/);
    const got = deltas.find((d) => d.subject === safe && d.asset.address?.toLowerCase() === of.toLowerCase());
    expect(got?.delta_raw).toBe(`${MILLION}`);
  },
);

/** A token runs its maker's code inside a swap that an account asked for, with the swap's numbers at hand. */
describe('a token in a Safe’s swap that spends an allowance of old', () => {
  const { usdc, v2Factory, v2Router } = MAINNET;
  const IN = 500_000_000n;
  let safe: Address, fake: Address;
  beforeAll(async () => {
    const { c, chain } = stage;
    safe = c.at('treasury');
    fake = await chain.deploy(compile('Forger.sol')['Puppet']!, ['Fake', 'FAKE', 6]);
    const give = (to: Address, amount: bigint) => fn('transfer(address,uint256)', [to, amount]);
    for (const [to, amount] of [
      [addressOf(ATTACKER), 10n * IN],
      [safe, 100n * IN],
    ] as const)
      await chain.must('maker', { to: usdc, data: give(to, amount) });
    await must(v2Factory, fn('createPair(address,address)', [usdc, fake]));
    const pairOf = 'getPair(address,address) view returns (address)';
    const made = await chain.read<Address>(v2Factory, pairOf, [usdc, fake]);
    await must(usdc, give(made, 10n * IN));
    await must(fake, fnOf(abi, 'hold', [MILLION]));
    await must(made, fn('mint(address)', [addressOf(ATTACKER)]));
    for (const to of [fake, v2Router])
      await chain.as(safe, { to: usdc, data: fn('approve(address,uint256)', [to, 1n << 255n]) });
  });

  it.each<[string, bigint]>([
    ['for as much again', IN],
    ['for as many units as the deadline has seconds', FAR_FUTURE],
  ])('%s, is not the Safe’s payment', async (_, amount) => {
    const taken = fn('transferFrom(address,address,uint256)', [safe, FRIEND, amount]);
    await must(fake, fnOf(abi, 'set', [[call(usdc, taken)]]));
    const list =
      'swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256,uint256,address[],address,uint256)';
    const data = fn(list, [IN, 0n, [usdc, fake], safe, FAR_FUTURE]);
    const request = await safeTransaction(stage.c, { to: v2Router, data });
    const report = await stage.report(await stage.chain.send('relayer', { ...request, gas: 3_000_000n }));
    expect(report.movements!.map(({ to, amount_raw: raw }) => [to, raw])).toContainEqual([
      FRIEND,
      `${amount}`,
    ]);
    expect(report.classification).toMatchObject({ actor: safe, status: 'Suspected' });
    expect(report.classification.caveats!.map(({ code }) => code)).toContain('unasked_pull');
  });
});

describe('an approval by a Safe, beside an allowance of old', () => {
  const { usdc } = MAINNET;
  let safe: Address, nft: Address;
  beforeAll(async () => {
    const { c, chain } = stage;
    safe = c.at('treasury');
    nft = await chain.deploy(c.own['DevNft']!, ['Art', 'ART']);
    for (let id = 1; id <= 3; id++) await chain.must('maker', { to: nft, data: fn('give(address)', [safe]) });
    const give = fn('transfer(address,uint256)', [safe, 7_000_000_000n]);
    await chain.must('maker', { to: usdc, data: give });
    await at.allow(safe);
  });

  const operator = (approved: boolean): Hex => fn('setApprovalForAll(address,bool)', [at.mask, approved]);
  const take = (of: Address, amount: bigint): Step =>
    call(of, fn('transferFrom(address,address,uint256)', [safe, FRIEND, amount]));

  it.each<[string, boolean, () => [to: Address, data: Hex], () => Step]>([
    [
      'that takes it back is no consent to what was taken',
      true,
      () => [nft, operator(false)],
      () => take(nft, 1n),
    ],
    [
      'for one NFT is none to another',
      false,
      () => [nft, fn('approve(address,uint256)', [at.mask, 3n])],
      () => take(nft, 2n),
    ],
    [
      'for less is none to what was taken before',
      true,
      () => [usdc, fn('approve(address,uint256)', [at.mask, 700_000_000n])],
      () => take(usdc, 700_000_000n),
    ],
  ])('%s', async (_, before, approval, taken) => {
    await stage.chain.as(safe, { to: nft, data: operator(true) });
    const [to, data] = approval();
    const request = await safeTransaction(stage.c, { to, data });
    const steps = [call(request.to!, request.data!), taken()];
    const report = await stage.play(at.mask, before ? steps.reverse() : steps);
    expect(report.movements).toMatchObject([{ from: safe, to: FRIEND }]);
    expect(report.classification).toMatchObject({ actor: safe, status: 'Suspected' });
    expect(report.classification.caveats!.map(({ code }) => code)).toContain('unasked_pull');
  });

  it('for an NFT is consent to its taking', async () => {
    const approve = fn('approve(address,uint256)', [at.mask, 3n]);
    const request = await safeTransaction(stage.c, { to: nft, data: approve });
    const report = await stage.play(at.mask, [call(request.to!, request.data!), take(nft, 3n)]);
    expect(report.classification).toMatchObject({ actor: safe, status: 'Proven' });
  });
});
