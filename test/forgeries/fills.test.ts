// Orders whose settlements state no amounts: what these took and paid is the order's, what a filler adds is not.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  encodeAbiParameters,
  getAddress,
  hexToSignature,
  keccak256,
  toHex,
  type Address,
  type Hex,
} from 'viem';
import type { TxReport } from '../../src/model/generated/report.ts';
import { account, addressOf, type Person } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { ETHER, fn, fnOf } from '../devnet/chain.ts';
import { fields, typed } from '../devnet/scenarios/delegated.ts';
import { settle } from '../devnet/scenarios/settlement.ts';
import { ATTACKER, call, compile, signForPermit2, startStage, type Stage, type Step } from './stage.ts';

/** A reactor of UniswapX, and 1inch's router, as the rules list them. */
const REACTOR = getAddress('0x6000da47483062A0D734Ba3dc7576Ce6A0B645C4');
const BOOK = getAddress('0x111111125421cA6dc452d289314280a0f8842A65');
const [ALICE, BOB, HEIDI] = (['alice', 'bob', 'heidi'] as const).map(addressOf) as [
  Address,
  Address,
  Address,
];
const { usdc, dai, weth } = MAINNET;
const MILLION = 1_000_000n;
const { Filler, Reactor, Book, Yes } = compile('Filled.sol');
const NOBODY: Address = '0x0000000000000000000000000000000000000000';

let stage: Stage;
let filler: Address;
let nonces = 0n;

beforeAll(async () => {
  stage = await startStage();
  const { chain, c } = stage;
  await chain.placeAt(REACTOR, Reactor!, [MAINNET.permit2]);
  await chain.placeAt(BOOK, Book!);
  filler = await chain.deploy(Filler!);
  for (const to of [filler, ALICE, addressOf(ATTACKER), addressOf('grace')])
    for (const [token, amount] of [[usdc, 50_000n * MILLION] as const, [dai, 50_000n * ETHER] as const])
      await chain.must('maker', { to: token, data: fn('transfer(address,uint256)', [to, amount]) });
  for (const owner of ['alice', 'grace', ATTACKER] as const) {
    await chain.must(owner, { to: weth, data: fn('deposit()'), value: 20n * ETHER });
    for (const token of ['USDC', 'DAI', 'WETH'])
      for (const spender of [BOOK, MAINNET.permit2, MAINNET.cowRelayer])
        await c.approve(owner, token, spender);
  }
  await chain.must(ATTACKER, { to: weth, data: fn('transfer(address,uint256)', [filler, ETHER]) });
  const allow = (token: Address, spender: Address): Step =>
    call(token, fn('approve(address,uint256)', [spender, 10n ** 60n]));
  const steps = [usdc, dai, weth].flatMap((token) => [allow(token, REACTOR), allow(token, BOOK)]);
  await chain.must(ATTACKER, { to: filler, data: fnOf(Filler!.abi, 'play', [steps]), gas: 3_000_000n });
}, 180_000);
afterAll(() => stage?.stop());

const play = async (steps: readonly Step[]): Promise<TxReport> => {
  const data = fnOf(Filler!.abi, 'play', [steps]);
  return stage.report(await stage.chain.send(ATTACKER, { to: filler, data, gas: 5_000_000n }));
};
const STEPS = [
  {
    type: 'tuple[]',
    components: [
      { name: 'to', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'data', type: 'bytes' },
      { name: 'topics', type: 'bytes32[]' },
    ],
  },
] as const;
const inside = (steps: readonly Step[]): Hex =>
  steps.length === 0 ? '0x' : encodeAbiParameters(STEPS, [steps as never]);

/** Alice's signed payment to Bob, which anybody may bring (EIP-3009). */
async function payment(): Promise<Step> {
  const list =
    'address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce';
  const nonce = toHex(++nonces, { size: 32 });
  const message = {
    from: ALICE,
    to: BOB,
    value: 5n * MILLION,
    validAfter: 0n,
    validBefore: 4_000_000_000n,
    nonce,
  };
  const domain = { name: 'USD Coin', version: '1', chainId: 1, verifyingContract: usdc };
  const types = { TransferWithAuthorization: fields(list) };
  const signature = await typed('alice', domain, 'TransferWithAuthorization', types, message);
  const call_ =
    'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)';
  return call(usdc, fn(call_, [...Object.values(message), ...signature]));
}

type Amount = readonly [token: Address, amount: bigint];
type Output = readonly [...Amount, to: Address];

/** A swapper's signed order at the reactor. */
async function swap(owner: Person, [token, amount]: Amount, outputs: readonly Output[]) {
  const nonce = ++nonces;
  const list = outputs.map(([asset, sum, to]) => ({ token: asset, amount: sum, to }));
  const parts = [
    { name: 'token', type: 'address' },
    { name: 'amount', type: 'uint256' },
    { name: 'to', type: 'address' },
  ];
  const hash = keccak256(encodeAbiParameters([{ type: 'tuple[]', components: parts }], [list as never]));
  const signed =
    'TokenPermissions permitted, address spender, uint256 nonce, uint256 deadline, Order witness';
  const types = { PermitWitnessTransferFrom: fields(signed), Order: fields('bytes32 outputs') };
  const permitted = { token, amount };
  const message = { permitted, spender: REACTOR, nonce, deadline: 1n << 40n, witness: { outputs: hash } };
  const signature = await signForPermit2(owner, 'PermitWitnessTransferFrom', types, message);
  return { swapper: addressOf(owner), nonce, token, amount, outputs: list, signature };
}
const filled = async (orders: readonly ReturnType<typeof swap>[], steps: readonly Step[] = []) =>
  play([call(REACTOR, fnOf(Reactor!.abi, 'execute', [await Promise.all(orders), inside(steps)]))]);

/** What each proven order at the reactor gave its owner for what, in the order of the events. */
const traded = ({ motifs }: TxReport) =>
  motifs
    .filter(({ kind, status }) => kind === 'order_settled' && status === 'Proven')
    .map(({ assets_in: got, assets_out: gave }) =>
      [gave, got].map((side) => side.map(({ amount, asset }) => `${amount} ${asset.symbol}`).join()),
    );

describe('an order at a reactor, whose event states no amounts', () => {
  const sold = () => swap('alice', [weth, ETHER], [[dai, 3_000n * ETHER, ALICE]]);

  it('is what the reactor took and paid', async () => {
    const report = await filled([sold()]);
    expect(report.classification).toMatchObject({
      status: 'Proven',
      actor: ALICE,
      intent_label: 'Swap 1 WETH for 3,000 DAI, settled by UniswapX',
    });
    expect(traded(report)).toEqual([['1 WETH', '3000 DAI']]);
  });

  it('sold nothing of a payment that its filler brings along', async () => {
    const report = await filled([sold()], [await payment()]);
    expect(report.classification.status).toBe('Suspected');
    expect(traded(report)).toEqual([['1 WETH', '3000 DAI']]);
  });

  it('got nothing of what its filler adds', async () => {
    const gift = call(usdc, fn('transfer(address,uint256)', [ALICE, MILLION]));
    const report = await filled([swap('alice', [weth, ETHER], [[usdc, 3_000n * MILLION, HEIDI]])], [gift]);
    expect(report.classification.status).toBe('Suspected');
    expect(traded(report)).toEqual([]);
  });

  it('keeps its price beside another of the same owner', async () => {
    const other = swap('alice', [dai, 10n * ETHER], [[usdc, 9n * MILLION, ALICE]]);
    const report = await filled([swap('alice', [weth, ETHER], [[usdc, 3_000n * MILLION, ALICE]]), other]);
    expect(report.classification.intent_label).toBe(
      'Swap 1 WETH and 10 DAI for 3,009 USDC, settled by UniswapX',
    );
    expect(traded(report)).toEqual([
      ['1 WETH', '3000 USDC'],
      ['10 DAI', '9 USDC'],
    ]);
  });

  it.each<[string, () => ReturnType<typeof swap>]>([
    ['an order of the owner', () => swap('alice', [dai, 10n * ETHER], [[usdc, 9n * MILLION, ALICE]])],
    ['an order of the stranger', () => swap(ATTACKER, [dai, 10n * ETHER], [[usdc, 9n * MILLION, ALICE]])],
  ])('that pays another account has no price that %s paid', async (_, made) => {
    const elsewhere = () => swap('alice', [weth, ETHER], [[usdc, 3_000n * MILLION, HEIDI]]);
    for (const orders of [
      [elsewhere(), made()],
      [made(), elsewhere()],
    ]) {
      const report = await filled(orders);
      expect(report.classification.status).toBe('Suspected');
      for (const [gave, got] of traded(report)) if (gave === '1 WETH') expect(got).toBe('');
    }
  });
});

describe('an order at a book that logs no owner', () => {
  const list =
    'address maker, address receiver, address makerAsset, address takerAsset, uint256 making, uint256 taking, uint256 salt';
  async function offer(
    owner: Person,
    gives: Amount,
    takes: Amount,
    receiver = NOBODY,
    signer: Person = owner,
  ) {
    const message = {
      maker: addressOf(owner),
      receiver,
      makerAsset: gives[0],
      takerAsset: takes[0],
      making: gives[1],
      taking: takes[1],
      salt: ++nonces,
    };
    const domain = { name: 'Book', version: '1', chainId: 1, verifyingContract: BOOK };
    const { r, s, v } = hexToSignature(
      await account(signer).signTypedData({
        domain,
        types: { Offer: fields(list) },
        primaryType: 'Offer',
        message,
      } as never),
    );
    return { message, r, vs: toHex(BigInt(s) | (v === 28n ? 1n << 255n : 0n), { size: 32 }) };
  }
  type Made = Awaited<ReturnType<typeof offer>>;
  const fill = (
    { message, r, vs }: Made,
    amount: bigint,
    target: Address,
    steps: readonly Step[] = [],
  ): Hex => fnOf(Book!.abi, 'fillOrder', [message, r, vs, amount, target, inside(steps)]);
  const take = async (data: Hex) =>
    stage.report(await stage.chain.send(ATTACKER, { to: BOOK, data, gas: 3_000_000n }));
  const honest = {
    status: 'Proven',
    actor: ALICE,
    intent_label: 'Swap 1 WETH for 3,000 USDC, settled by 1inch Router v6',
  };

  it('is its maker’s', async () => {
    const made = await offer('alice', [weth, ETHER], [usdc, 3_000n * MILLION]);
    expect((await take(fill(made, ETHER, HEIDI))).classification).toMatchObject(honest);
  });

  it('is its maker’s at a later fill, which asks for no signature', async () => {
    const made = await offer('alice', [weth, 2n * ETHER], [usdc, 6_000n * MILLION]);
    for (const _ of ['first', 'second'])
      expect((await take(fill(made, ETHER, HEIDI))).classification).toMatchObject(honest);
  });

  it('is not of an account whose code says yes to anything, at the first fill or a later one', async () => {
    const yes = await stage.chain.deploy(Yes!);
    const nonce = await stage.chain.nonce('grace');
    const authorizationList = [await account('grace').signAuthorization({ chainId: 1, address: yes, nonce })];
    await stage.chain.must('maker', { to: HEIDI, data: '0x', authorizationList, gas: 100_000n });
    stage.chain.forgetNonces();
    const { message } = await offer('grace', [weth, 2n * ETHER], [usdc, 2n * MILLION], NOBODY, ATTACKER);
    const data = fnOf(Book!.abi, 'fillContractOrder', [message, '0x', ETHER, HEIDI]);
    for (const _ of ['first', 'second']) {
      const { classification, attribution } = await take(data);
      expect(classification.status).toBe('Suspected');
      expect(attribution.delegations).toMatchObject([{ authority: addressOf('grace'), delegate: yes }]);
    }
  });

  it('is not the payment’s that its filler brings along', async () => {
    const made = await offer(ATTACKER, [dai, 10n], [weth, ETHER / 1_000n], ALICE);
    for (const steps of [[], [await payment()]]) {
      const after = steps.length === 0 ? [await payment()] : [];
      const report = await play([call(BOOK, fill(made, 5n, filler, steps)), ...after]);
      expect(report.classification.actor).not.toBe(ALICE);
      expect(report.attribution.orders.map(({ owner }) => owner)).not.toContain(ALICE);
    }
  });
});

describe('an order whose settlement pays another as much', () => {
  /** Alice's order of so many dollars, settled, and as much paid to Heidi where the solver does that. */
  async function settled(amount: bigint, isNoisy: boolean, receiver?: Person): Promise<TxReport> {
    const to = MAINNET.cowSettlement;
    await stage.chain.must('maker', { to: dai, data: fn('transfer(address,uint256)', [to, 100n * ETHER]) });
    const order = { owner: 'alice' as const, ...(receiver && { receiver }) };
    const request = await settle(
      stage.c,
      ['USDC', 'DAI'],
      [10n ** 12n, 1n],
      [{ ...order, sell: ['USDC', String(amount)], buy: ['DAI', '0'] }],
      isNoisy ? [[dai, 0n, fn('transfer(address,uint256)', [HEIDI, amount * ETHER])]] : [],
    );
    return stage.report(await stage.chain.send('solver', { ...request, gas: 3_000_000n }));
  }

  it('is paid to its owner', async () => {
    expect((await settled(14n, true)).attribution).toMatchObject({
      beneficiary: ALICE,
      orders: [{ owner: ALICE, receiver: ALICE, protocol: 'cow-protocol' }],
    });
  });

  it.each<[string, amount: bigint, isNoisy: boolean]>([
    ['to the account that it names', 13n, false],
    ['to nobody in particular where a solver pays another as much', 12n, true],
  ])('for another account is paid %s', async (_, amount, isNoisy) => {
    const { attribution } = await settled(amount, isNoisy, 'dave');
    const receiver = isNoisy ? null : addressOf('dave');
    expect(attribution.orders).toMatchObject([{ owner: ALICE, receiver }]);
  });
});
