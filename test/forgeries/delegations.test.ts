// EIP-7702 authorisations that strangers bring: those without effect delegate nothing, and those with effect sign no call.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  concatHex,
  decodeFunctionData,
  encodeAbiParameters,
  getAddress,
  hexToSignature,
  keccak256,
  type AbiFunction,
  type Address,
  type Hex,
} from 'viem';
import type { TxReport } from '../../src/model/generated/report.ts';
import { account, addressOf, type Person } from '../devnet/accounts.ts';
import { MAINNET, NATIVE } from '../devnet/addresses.ts';
import { artifact } from '../devnet/artifacts.ts';
import { fn, fnOf, type Request } from '../devnet/chain.ts';
import { batch } from '../devnet/scenarios/delegated.ts';
import { safeTransaction } from '../devnet/scenarios/safe.ts';
import { settle } from '../devnet/scenarios/settlement.ts';
import { handleOps } from '../devnet/scenarios/smartAccounts.ts';
import { ATTACKER, call, compile, event, short, startStage, type Stage } from './stage.ts';

const ME = addressOf(ATTACKER);
const FRIEND = addressOf('bob');
const { usdc } = MAINNET;
const FIVE = 5_000_000n;
/** Code that the rules list: it asks the account's owner for each call. */
const LISTED = getAddress('0x63c0c19a282a1B52b07dD5a65b58948A07DAE32B');
const { SignedBatch, OperatedCode } = compile('Forger.sol');
/** Another such code. */
const OPERATED = getAddress('0xe6Cae83BdE06E4c305530e199D7217f42808555B');

let stage: Stage;
let mask: Address;
let open: Address;

beforeAll(async () => {
  stage = await startStage();
  mask = await stage.forger('Mask', 'MASK');
  // It makes any call, whoever asks.
  open = stage.c.at('batchDelegate');
  await stage.chain.placeAt(LISTED, SignedBatch!);
  for (const owner of ['grace', 'heidi', 'ivan', 'judy'] as const)
    await stage.chain.must('maker', { to: usdc, data: pay(addressOf(owner), 20n * FIVE) });
}, 180_000);
afterAll(() => stage?.stop());
// An authorisation that takes effect spends a nonce too.
beforeEach(() => stage.chain.forgetNonces());

const pay = (to: Address, amount = FIVE): Hex => fn('transfer(address,uint256)', [to, amount]);

/** An authorisation for a nonce so many after the account's next one. */
async function tuple(owner: Person, address: Address, later = 0, chainId = 1) {
  const nonce = (await stage.chain.nonce(owner)) + later;
  return account(owner).signAuthorization({ chainId, address, nonce });
}
const sent = async (by: Person, request: Request): Promise<TxReport> =>
  stage.report(await stage.chain.send(by, { gas: 3_000_000n, ...request }));
const effects = ({ attribution }: TxReport) => attribution.delegations.map((one) => one.took_effect);

describe('an authorisation without effect', () => {
  const nothing = (to: Address) => ({
    status: 'Proven',
    intent_kind: 'ContractCall',
    intent_label: `Submit an authorisation without effect to ${short(to)}`,
  });

  it.each<[string, Person, () => ReturnType<typeof tuple>]>([
    ['for a later nonce', 'judy', () => tuple('judy', mask, 7)],
    ['for another chain', 'judy', () => tuple('judy', mask, 0, 5)],
    ['that would revoke one', 'judy', () => tuple('judy', NATIVE, 7)],
    // Its nonce is the transaction's own.
    ['of the sender itself', ATTACKER, () => tuple(ATTACKER, mask)],
  ])('%s delegates nothing', async (_, __, made) => {
    const report = await sent(ATTACKER, { to: FRIEND, authorizationList: [await made()] });
    expect(report.classification).toMatchObject(nothing(FRIEND));
    expect(effects(report)).toEqual([false]);
  });

  it('that had its effect before delegates nothing again', async () => {
    const used = await tuple('judy', mask);
    const first = await sent(ATTACKER, { to: FRIEND, authorizationList: [used] });
    expect(first.classification).toMatchObject({
      status: 'Proven',
      intent_kind: 'AccountDelegation',
      intent_label: `Delegate ${short(addressOf('judy'))} to ${short(mask)}`,
    });
    const again = await sent(ATTACKER, { to: FRIEND, authorizationList: [used] });
    expect(again.classification).toMatchObject(nothing(FRIEND));
    expect([first, again].map(effects)).toEqual([[true], [false]]);
  });

  it('is no setup where an event comes with it', async () => {
    const said = event('Initialized(uint64 version)', FRIEND, 1n);
    const report = await sent(ATTACKER, {
      to: mask,
      data: fnOf(stage.abi, 'play', [[said]]),
      authorizationList: [await tuple('judy', mask, 7)],
    });
    expect(report.classification.intent_kind).not.toBe('AccountDelegation');
  });

  it('is left out beside one that has it', async () => {
    const both = [await tuple('judy', open, 7), await tuple('judy', mask)];
    const report = await sent(ATTACKER, { to: FRIEND, authorizationList: both });
    expect(report.classification.intent_label).toBe(`Delegate ${short(addressOf('judy'))} to ${short(mask)}`);
    expect(effects(report)).toEqual([false, true]);
  });

  it('of two that follow on each other, the last is told', async () => {
    const both = [await tuple('judy', open), await tuple('judy', mask, 1)];
    const report = await sent(ATTACKER, { to: FRIEND, authorizationList: both });
    expect(report.classification.intent_label).toBe(`Delegate ${short(addressOf('judy'))} to ${short(mask)}`);
    expect(effects(report)).toEqual([true, true]);
  });
});

describe('an authorisation that takes effect', () => {
  it('for code that anybody may call proves no payment of the account', async () => {
    const report = await sent(ATTACKER, {
      to: addressOf('ivan'),
      data: batch([[usdc, 0n, pay(ME)]]),
      authorizationList: [await tuple('ivan', open)],
    });
    expect(effects(report)).toEqual([true]);
    expect(report.attribution).toMatchObject({ mode: 'delegated_7702', ground: 'claimed' });
    expect(report.classification).toMatchObject({ actor: addressOf('ivan'), status: 'Suspected' });
    expect(report.classification.caveats!.map(({ code }) => code)).toContain('stale_delegation');
  });

  it('proves none that a contract of the stranger has its code make either', async () => {
    const { classification } = await sent(ATTACKER, {
      to: mask,
      data: fnOf(stage.abi, 'play', [[call(addressOf('ivan'), batch([[usdc, 0n, pay(FRIEND)]]))]]),
      authorizationList: [await tuple('ivan', open)],
    });
    expect(classification.status).toBe('Suspected');
  });

  it('for listed code proves what its owner signed', async () => {
    const steps = [call(usdc, pay(FRIEND))];
    const [calls] = (SignedBatch!.abi.find((one) => 'name' in one && one.name === 'execute') as AbiFunction)
      .inputs;
    const hash = keccak256(encodeAbiParameters([calls!], [steps]));
    const { v, r, s } = hexToSignature(await account('heidi').sign({ hash }));
    const report = await sent('relayer', {
      to: addressOf('heidi'),
      data: fnOf(SignedBatch!.abi, 'execute', [steps, v, r, s]),
      authorizationList: [await tuple('heidi', LISTED)],
    });
    expect(report.attribution).toMatchObject({ mode: 'delegated_7702', ground: 'authorised' });
    expect(report.classification).toMatchObject({
      actor: addressOf('heidi'),
      status: 'Proven',
      intent_label: `Send 5 USDC to ${short(FRIEND)}`,
    });
  });

  it('of the signer leaves its payments its own', async () => {
    const { classification } = await sent('ivan', {
      to: addressOf('ivan'),
      data: batch([[usdc, 0n, pay(FRIEND)]]),
      authorizationList: [await tuple('ivan', open, 1)],
    });
    expect(classification).toMatchObject({
      actor: addressOf('ivan'),
      status: 'Proven',
      intent_label: `Send 5 USDC to ${short(FRIEND)}`,
    });
  });
});

describe('a user operation of a delegated account', () => {
  let anyones: Address;
  const operated = async (owner: Person, code: Address | null) => {
    stage.c.world.contracts[`${owner}Account`] = addressOf(owner);
    const request = await handleOps(stage.c, [{ owner, calls: [{ to: usdc, data: pay(FRIEND) }] }]);
    const authorizationList = code === null ? {} : { authorizationList: [await tuple(owner, code)] };
    return sent('bundler', { ...request, ...authorizationList });
  };
  beforeAll(async () => {
    anyones = await stage.chain.deploy(OperatedCode!, [false]);
    await stage.chain.placeAt(OPERATED, OperatedCode!, [true]);
  });

  it('whose code takes those of anybody proves no payment of it', async () => {
    for (const code of [anyones, null]) {
      const { attribution, classification } = await operated('judy', code);
      expect(attribution).toMatchObject({ mode: 'smart_account_4337', ground: 'claimed' });
      expect(classification).toMatchObject({ actor: addressOf('judy'), status: 'Suspected' });
      expect(classification.caveats!.map((one) => one.code)).toContain('claimed_actor');
    }
  });

  it('whose listed code asks its owner proves it', async () => {
    for (const code of [OPERATED, null]) {
      const { attribution, classification } = await operated('grace', code);
      expect(attribution).toMatchObject({ mode: 'smart_account_4337', ground: 'listed' });
      expect(classification).toMatchObject({
        actor: addressOf('grace'),
        status: 'Proven',
        intent_label: `Send 5 USDC to ${short(FRIEND)}`,
      });
    }
  });
});

describe('code that a later transaction of the block changes', () => {
  const rpc: Stage['chain']['rpc'] = (...of) => stage.chain.rpc(...of);
  const waiting = async (count: number): Promise<void> => {
    const status = (await rpc('txpool_status', [])) as { pending: Hex };
    if (Number(status.pending) < count) await waiting(count);
  };
  /** Both in one block, in this order. */
  const inOneBlock = async (first: () => Promise<TxReport>, then: () => Promise<unknown>) => {
    await rpc('evm_setAutomine', [false]);
    const report = first();
    await waiting(1);
    const next = then();
    await waiting(2);
    await rpc('evm_mine', []);
    await rpc('evm_setAutomine', [true]);
    await next;
    return report;
  };
  const operated = async (owner: Person): Promise<TxReport> => {
    stage.c.world.contracts[`${owner}Account`] = addressOf(owner);
    return sent('bundler', await handleOps(stage.c, [{ owner, calls: [{ to: usdc, data: pay(FRIEND) }] }]));
  };

  it.each([
    ['to listed code', () => OPERATED],
    ['back to none', () => NATIVE],
  ])('%s proves nothing of what ran before', async (_, next) => {
    const anyones = await stage.chain.deploy(OperatedCode!, [false]);
    const [before, after] = [await tuple('judy', anyones), await tuple('judy', next(), 1)];
    await sent('relayer', { to: FRIEND, authorizationList: [before] });
    const set = () => stage.chain.send('relayer', { to: FRIEND, authorizationList: [after], gas: 900_000n });
    const { attribution, classification } = await inOneBlock(() => operated('judy'), set);
    expect(attribution).toMatchObject({ mode: 'smart_account_4337', ground: 'claimed' });
    expect(classification).toMatchObject({ actor: addressOf('judy'), status: 'Suspected' });
  });
});

describe('a Safe’s code that an account delegates to', () => {
  it('and that a stranger set up proves no payment of it', async () => {
    const [to, none] = [addressOf('heidi'), NATIVE];
    const list = 'setup(address[],uint256,address,bytes,address,address,uint256,address)';
    const data = fn(list, [[ME], 1n, none, '0x', none, none, 0n, none]);
    await sent(ATTACKER, { to, data, authorizationList: [await tuple('heidi', MAINNET.safe)] });
    const signed = () => safeTransaction(stage.c, { to: usdc, data: pay(FRIEND) }, to, [ATTACKER]);
    const direct = await sent(ATTACKER, await signed());
    // A contract of the stranger calls it, and only its event tells of it.
    const below = await stage.play(mask, [call(to, (await signed()).data!)]);
    for (const { attribution, classification } of [direct, below]) {
      expect(attribution).toMatchObject({ mode: 'safe', ground: 'claimed' });
      expect(classification).toMatchObject({ actor: to, status: 'Suspected' });
    }
  });
});

describe('an order of a delegated account that its code alone approved (EIP-1271)', () => {
  const AMBIRE = getAddress('0x5A7FC11397E9a8AD41BF10bf13F22B0a63f96f6d');
  const SEAPORT = getAddress('0x0000000000000068F116a894984e2DB1123eB395');
  const { YesWallet } = compile('Forwarded.sol');
  const { abi } = artifact('GPv2Settlement');
  const seaport = artifact('Seaport');
  let lax: Address;
  let sold = 0;

  beforeAll(async () => {
    const { chain } = stage;
    lax = await chain.deploy(YesWallet!);
    await chain.placeAt(AMBIRE, YesWallet!);
    await chain.placeAt(SEAPORT, seaport, [await chain.deploy(artifact('ConduitController'))]);
    const data = fn('transfer(address,uint256)', [MAINNET.cowSettlement, 10n ** 20n]);
    await chain.must('maker', { to: MAINNET.dai, data });
    for (const owner of ['frank', 'erin'] as const) {
      await chain.must('maker', { to: usdc, data: pay(addressOf(owner), 20n * FIVE) });
      for (const spender of [MAINNET.cowRelayer, SEAPORT]) await stage.c.approve(owner, 'USDC', spender);
    }
  });
  const delegate = async (owner: Person, code: Address) => {
    await sent('relayer', { to: FRIEND, authorizationList: [await tuple(owner, code)] });
    stage.chain.forgetNonces();
  };
  /** A solver settles these owners' orders, which no key signed. */
  const settled = async (owners: readonly Person[]): Promise<TxReport> => {
    const orders = owners.map(
      (owner) => ({ owner, sell: ['USDC', `${++sold}`], buy: ['DAI', '0'] }) as never,
    );
    const request = await settle(stage.c, ['USDC', 'DAI'], [10n ** 12n, 1n], orders);
    const { args } = decodeFunctionData({ abi, data: request.data! });
    const [tokens, prices, trades, steps] = args as [unknown, unknown, object[], unknown];
    const unsigned = trades.map((trade, i) => {
      return { ...trade, flags: 0x40n, signature: concatHex([addressOf(owners[i]!), '0x12']) };
    });
    return sent('solver', {
      to: request.to ?? null,
      data: fnOf(abi, 'settle', [tokens, prices, unsigned, steps]),
    });
  };
  /** A stranger fills an order to give 5 USDC for nothing. */
  const given = async (offerer: Address): Promise<TxReport> => {
    const [zero, salt] = [`0x${'00'.repeat(32)}` as const, BigInt(++sold)];
    const item = { itemType: 1, token: usdc, identifierOrCriteria: 0n, startAmount: FIVE, endAmount: FIVE };
    const times = { startTime: 0n, endTime: 4_000_000_000n, zoneHash: zero, salt, conduitKey: zero };
    const what = { offerer, zone: NATIVE, offer: [item], consideration: [], orderType: 0 };
    const parameters = { ...what, ...times, totalOriginalConsiderationItems: 0n };
    const order = { parameters, signature: '0x12' };
    return sent(ATTACKER, { to: SEAPORT, data: fnOf(seaport.abi, 'fulfillOrder', [order, zero]) });
  };

  it('proves nothing of it where anybody may have that code act', async () => {
    for (const owner of ['frank', 'erin'] as const) await delegate(owner, lax);
    const acts = [
      () => settled(['frank']),
      () => settled(['frank', 'erin']),
      () => given(addressOf('frank')),
    ];
    for (const made of acts) expect((await made()).classification.status).toBe('Suspected');
  });

  it('is its own where listed code asks the owner', async () => {
    await delegate('frank', AMBIRE);
    const { classification } = await settled(['frank']);
    expect(classification).toMatchObject({ actor: addressOf('frank'), status: 'Proven' });
    expect((await given(addressOf('frank'))).classification).toMatchObject({
      actor: addressOf('frank'),
      status: 'Proven',
      intent_label: `Send 5 USDC to ${short(ME)}`,
    });
  });
});
