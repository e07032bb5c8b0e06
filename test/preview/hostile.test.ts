// Transactions that a signer should not sign, and requests that cannot be run: each is warned of or refused by code.
import { concatHex, getAddress, keccak256, pad, toHex, type Address, type Hex } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AnalysisError } from '../../src/lib/errors.ts';
import { readConfig } from '../../src/service/config.ts';
import { openPreviewer, type Previewer, type PreviewReport } from '../../src/tools/preview/preview.ts';
import { differences, readExpectation } from '../../src/tools/preview/expectation.ts';
import { RequestError } from '../../src/tools/preview/readFields.ts';
import { readRequest, readSigned } from '../../src/tools/preview/readRequest.ts';
import { account, addressOf } from '../devnet/accounts.ts';
import { ETHER, fn } from '../devnet/chain.ts';
import { FAR_FUTURE } from '../devnet/deploy/uniswap.ts';
import { CORE, runStory, type Story } from '../devnet/story.ts';
import { startDialectProxy } from '../support/dialectProxy.ts';

let story: Story;
let previewer: Previewer;
const alice = addressOf('alice');
const at = (name: string): Address => story.ctx.at(name);
/** An account without code or name. */
const STRANGER = getAddress('0x00000000000000000000000000000000deadc0de');
const LIMIT = 2n ** 256n - 1n;

beforeAll(async () => {
  story = await runStory({ scenarios: CORE });
  previewer = await openPreviewer(readConfig({ RPC_URL: story.devnet.rpcUrl }));
});
afterAll(async () => {
  await previewer?.close();
  await story?.stop();
});

interface Call {
  to?: string;
  data?: Hex;
  value?: bigint;
}
interface Given {
  gas?: string;
  known?: readonly string[];
  code?: Hex;
  balance?: bigint;
}

/** Runs calls of Alice; `code` stands at the stranger's address. */
function run(
  calls: Call | Call[],
  { gas, known = [], code, balance = 0n }: Given = {},
): Promise<PreviewReport> {
  const list = [calls].flat().map((call) => ({ ...call, value: toHex(call.value ?? 0n) }));
  const overrides =
    code === undefined ? {} : { stateOverrides: { [STRANGER]: { code, balance: toHex(balance) } } };
  const request = readRequest(
    { from: alice, ...(list.length === 1 ? list[0] : { calls: list }) },
    { ...(gas === undefined ? {} : { gas }), ...overrides },
  );
  return previewer.preview(request, { known });
}
const codes = (report: PreviewReport): string[] => report.warnings.map(({ code }) => code);
const swap = (least: bigint): Call => ({
  to: at('v2Router'),
  data: fn('swapExactETHForTokens(uint256,address[],address,uint256)', [
    least,
    [at('weth'), at('usdc')],
    alice,
    FAR_FUTURE,
  ]),
  value: ETHER,
});
const latest = async (): Promise<{ miner: Hex; baseFeePerGas: Hex }> =>
  (await story.devnet.chain.rpc('eth_getBlockByNumber', ['latest', false])) as never;
/** What the first run pays for gas. */
const feeNow = async (): Promise<bigint> =>
  BigInt((await latest()).baseFeePerGas) +
  BigInt((await story.devnet.chain.rpc('eth_maxPriorityFeePerGas', [])) as Hex);
const failure = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no failure',
    (error: unknown) => (error instanceof AnalysisError ? error.message : String(error)),
  );

it.each<[string, () => Hex, string]>([
  ['in words', () => fn('withString()'), 'It would fail: '],
  ['with an error of its own', () => fn('withCustom()'), 'It would fail: '],
  ['by a division by zero', () => fn('withPanic(uint256)', [0n]), 'It would fail: '],
  ['without a word', () => fn('withNothing()'), 'It would fail: '],
  ['after logging', () => fn('afterLogging()'), 'It would fail: '],
])('a contract that refuses %s', async (_name, data, text) => {
  const report = await run({ to: at('reverter'), data: data() });
  expect(codes(report)).toEqual(['reverts']);
  expect(report.warnings[0]!.text).toContain(text);
  expect(report.execution.reverted).toBe(true);
  expect(report.movements).toEqual([]);
});

it('nonces that are used and that wait, and a gas limit that is too low', async () => {
  const nonce = await story.devnet.chain.nonce('alice');
  const pay = (stated: bigint | number): object => ({
    from: alice,
    to: bob,
    value: '1',
    nonce: toHex(stated),
  });
  const told = async (stated: number): Promise<string[]> =>
    (await previewer.preview(readRequest(pay(stated)))).warnings.map(
      ({ code: one, text }) => `${one}: ${text}`,
    );
  expect(await told(nonce)).toEqual([]);
  expect(await told(0)).toEqual([
    `nonce: Its nonce 0 is used already: the next one is ${nonce}, and no node takes it`,
  ]);
  expect((await told(nonce + 2))[0]).toContain(`waits until ${nonce} to ${nonce + 1} are used`);
  // The inner call gets all but a 64th of the gas, and the outer one fails with a little left.
  const stores = `0x${[0, 1, 2, 3].map((slot) => `6001600${slot}55`).join('')}00`;
  const caller = `0x5f5f5f5f5f73${word(STRANGER).slice(24)}5af16022575f5ffd5b00`;
  const other = getAddress(`0x${'6'.repeat(40)}`);
  const request = readRequest(
    { from: alice, to: other, data: '0x00000000', gas: '100000' },
    { stateOverrides: { [STRANGER]: { code: stores }, [other]: { code: caller } } },
  );
  const { warnings, execution } = await previewer.preview(request);
  expect(execution.reverted).toBe(true);
  expect(warnings.map((one) => one.code)).toEqual(['reverts', 'gas_limit_reached']);
});

it('an endless loop ends with its gas', async () => {
  // JUMPDEST PUSH1 0 JUMP
  const report = await run({ to: STRANGER, data: '0x00000000' }, { code: '0x5b600056', gas: '100000' });
  expect(codes(report)).toEqual(['reverts', 'gas_limit_reached']);
  expect(report.execution.gas_used).toBe(100_000);
});

it('a contract that calls itself as deep as it can', async () => {
  // CALL(gas, this, 0, 0, 0, 0, 0)
  const report = await run(
    { to: STRANGER, data: '0x00000000' },
    { code: '0x5f5f5f5f5f305af100', gas: '16777216' },
  );
  expect(report.execution.reverted).toBe(false);
  expect(report.pipeline_stats.frames).toBeGreaterThan(100);
});

it('thousands of calls until the gas is spent', async () => {
  // A loop of STATICCALL(gas, caller, 0, 0, 0, 0).
  const loop = '0x5b5f5f5f5f335afa50600056';
  const report = await run({ to: STRANGER, data: '0x00000000' }, { code: loop, gas: '500000' });
  expect(codes(report)).toEqual(['reverts', 'gas_limit_reached']);
  expect(report.pipeline_stats.frames).toBeGreaterThan(3_000);
});

it('an unlimited allowance for a known router, and for a stranger', async () => {
  const approve = (spender: string): Call => ({
    to: at('usdc'),
    data: fn('approve(address,uint256)', [spender, LIMIT]),
  });
  expect(codes(await run(approve(at('v2Router'))))).toEqual(['unlimited_allowance']);
  const report = await run(approve(STRANGER));
  expect(codes(report)).toEqual(['unlimited_allowance', 'unknown_spender']);
  expect(report.warnings[0]!.accounts).toContain(at('usdc'));
  expect(report.classification.intent_kind).toBe('Approval');
});

it('an account with a name that lists no contract keeps its name and its address', async () => {
  const burn = getAddress('0x000000000000000000000000000000000000dEaD');
  const call = { to: at('usdc'), data: fn('approve(address,uint256)', [burn, LIMIT]) };
  const { warnings } = await run(call);
  const spenders = new Set(warnings.map(({ text }) => text.split(' may take ')[0]!));
  expect(spenders.size).toBe(1);
  expect([...spenders][0]).toContain(burn);
});

it('a limited allowance for a stranger, and its revocation', async () => {
  const approve = (amount: bigint): Call => ({
    to: at('usdc'),
    data: fn('approve(address,uint256)', [STRANGER, amount]),
  });
  expect(codes(await run(approve(5_000_000n)))).toEqual(['unknown_spender']);
  expect(codes(await run([approve(5_000_000n), approve(0n)]))).not.toContain('unlimited_allowance');
});

it('an unlimited allowance beside a payment of the same token, in either order', async () => {
  const approve: Call = { to: at('usdc'), data: fn('approve(address,uint256)', [STRANGER, LIMIT]) };
  const pay: Call = { to: at('usdc'), data: fn('transfer(address,uint256)', [addressOf('bob'), 1n]) };
  for (const calls of [
    [approve, pay],
    [pay, approve],
  ])
    expect(codes(await run(calls)).slice(0, 2)).toEqual(['unlimited_allowance', 'unknown_spender']);
});

it('all NFTs of a collection for a stranger', async () => {
  const report = await run({
    to: at('APE'),
    data: fn('setApprovalForAll(address,bool)', [STRANGER, true]),
  });
  expect(codes(report)).toEqual(['unlimited_allowance', 'unknown_spender']);
});

it("a token that logs another account's approval warns nobody of it", async () => {
  // LOG3 of Approval(bob, stranger, 1): MSTORE(0, 1), topics pushed last to first.
  const topic = '8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925';
  const forged = `0x60015f527f${word(STRANGER)}7f${word(addressOf('bob'))}7f${topic}60205fa300` as Hex;
  expect(codes(await run({ to: STRANGER, data: '0x00000000' }, { code: forged }))).toEqual([]);
});

const poisoned = (address: string): Address =>
  getAddress(
    concatHex([
      address.slice(0, 8).toLowerCase() as Hex,
      pad('0x', { size: 14 }),
      `0x${address.slice(-6).toLowerCase()}`,
    ]),
  );

it('recipients that look like somebody known', async () => {
  const bob = addressOf('bob');
  const known = [addressOf('carol'), bob];
  const pay = (to: string): Call => ({ to, value: ETHER });
  expect(codes(await run(pay(poisoned(bob)), { known }))).toEqual(['resembles_known_address']);
  expect(codes(await run(pay(bob), { known }))).toEqual([]);
  const transfer: Call = {
    to: at('usdc'),
    data: fn('transfer(address,uint256)', [poisoned(bob), 5_000_000n]),
  };
  const report = await run(transfer, { known });
  expect(codes(report)).toEqual(['resembles_known_address']);
  expect(report.warnings[0]!.accounts[1]).toBe(bob);
});

it('value for nothing: a claim that takes ether', async () => {
  const report = await run({ to: STRANGER, data: '0x4e71d92d', value: ETHER }, { code: '0x00' });
  expect(codes(report)).toEqual(['nothing_received']);
  expect(report.warnings[0]!.text).toBe('1 ETH leaves and nothing comes back');
});

/** Pays twice what it got where the condition holds, else keeps it. A condition takes 35 bytes. */
const generousIf = (condition: string): Hex => `0x${condition}602757005b5f5f5f5f343401335af100`;
const than = (limit: bigint): string => `7f${toHex(limit, { size: 32 }).slice(2)}`;

it.each<[string, () => Promise<string>]>([
  ['gas limit', async () => `${than(10_000_000n)}5a11`],
  ['fee', async () => `${than((await feeNow()) + 1n)}3a11`],
  ['fee recipient', async () => `${than(BigInt((await latest()).miner))}4114`],
])('a contract that goes by the %s', async (_name, condition) => {
  const hostile = generousIf(await condition());
  const report = await run(
    { to: STRANGER, data: '0x4e71d92d', value: ETHER },
    { code: hostile, balance: 5n * ETHER },
  );
  expect(codes(report)[0]).toBe('depends_on_environment');
  const [sent, received] = ['it sends 1 ETH in one', 'it receives 1 ETH in one'];
  const { text } = report.warnings[0]!;
  expect(text.includes(sent) || text.includes(received), text).toBe(true);
  expect(report.classification).toMatchObject({ status: 'Suspected', confidence: 'Low' });
  expect(differences(report, readExpectation({})).length).toBe(1);
});

it('a contract that pays only where gas costs nothing', async () => {
  const free = `${than(1n)}3a10`;
  const report = await run(
    { to: STRANGER, data: '0x4e71d92d', value: ETHER },
    { code: generousIf(free), balance: 5n * ETHER },
  );
  expect(codes(report)).toEqual(['nothing_received']);
});

it('a sender without ether for the fee, and calls that spend all it has', async () => {
  const poor = addressOf('bob');
  const stateOverrides = { [poor]: { balance: toHex(ETHER) } };
  const half = { to: alice, value: toHex(ETHER / 2n) };
  const request = readRequest({ from: poor, calls: [half, half] }, { stateOverrides });
  expect((await previewer.preview(request)).execution.reverted).toBe(false);
  const more = readRequest(
    { from: poor, calls: [half, half, { to: alice, value: '0x1' }] },
    { stateOverrides },
  );
  expect(await failure(previewer.preview(more))).toMatch(/insufficient/);
});

it('an account that runs the code of a stranger from then on', async () => {
  const signed = await account('alice').signAuthorization({ chainId: 1, address: STRANGER, nonce: 99 });
  const hex = (value: number | bigint): Hex => toHex(value);
  const authorization = {
    chainId: hex(signed.chainId),
    address: signed.address,
    nonce: hex(signed.nonce),
    yParity: hex(signed.yParity!),
    r: signed.r,
    s: signed.s,
  };
  const request = readRequest({
    from: alice,
    to: addressOf('bob'),
    value: '1',
    authorizationList: [authorization],
  });
  expect(codes(await previewer.preview(request))).toContain('control_changes');
});

const word = (hex: string): string => pad(hex as Hex).slice(2);
/** Instructions: SSTORE(slot, value), and a log without data. */
const store = (slot: string, value: string): string => `7f${word(value)}7f${word(slot)}55`;
const log = (signature: string, ...topics: string[]): string => {
  const pushed = [...topics.toReversed().map(word), keccak256(toHex(signature)).slice(2)];
  return `${pushed.map((topic) => `7f${topic}`).join('')}5f5fa${pushed.length}`;
};
const code = (...parts: string[]): Hex => `0x${parts.join('')}00`;
const IMPLEMENTATION = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';
const ADMIN = '0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103';
const EVENT = 'OwnershipTransferred(address,address)';
const bob = addressOf('bob');

it.each<[string, Hex, string | null]>([
  ['a proxy upgraded without a log', code(store(IMPLEMENTATION, bob)), `runs the code of ${bob}`],
  ['the administrator of a proxy', code(store(ADMIN, bob)), `is administered by ${bob}`],
  ['an owner stored and logged', code(store('0x05', bob), log(EVENT, alice, bob)), 'It changes who controls'],
  ['an owner that is only logged', code(log(EVENT, alice, bob)), null],
  ['another slot without a log', code(store('0x05', bob)), null],
])('%s', async (_name, hex, text) => {
  const { warnings } = await run({ to: STRANGER, data: '0x00000000' }, { code: hex });
  expect(warnings.map((one) => one.code)).toEqual(text === null ? [] : ['control_changes']);
  expect(warnings[0]?.text ?? '').toContain(text ?? '');
  expect(warnings[0]?.accounts[0]).toBe(text === null ? undefined : STRANGER);
});

it('a swap that accepts any price, and one that does not', async () => {
  const open = await run(swap(0n));
  expect(open.classification.intent_kind).toBe('DirectSwap');
  expect(codes(open)).toEqual(['slippage']);
  expect(open.warnings[0]!.text).toContain('100 % less');
  const paid = BigInt(
    open.inventory_deltas.find(({ subject, asset }) => subject === alice && asset.kind === 'erc20')!
      .delta_raw,
  );
  expect(codes(await run(swap((paid * 99n) / 100n)))).toEqual([]);
  expect(codes(await run(swap((paid * 80n) / 100n)))).toEqual(['slippage']);
  expect(codes(await run(swap(paid + 1n)))).toEqual(['reverts']);
});

it('calls of one account as one act: the second runs on what the first left', async () => {
  const amount = 1_000_000n;
  const approve: Call = { to: at('usdc'), data: fn('approve(address,uint256)', [at('v2Router'), amount]) };
  const sell: Call = {
    to: at('v2Router'),
    data: fn('swapExactTokensForETH(uint256,uint256,address[],address,uint256)', [
      amount,
      1n,
      [at('usdc'), at('weth')],
      alice,
      FAR_FUTURE,
    ]),
  };
  await story.devnet.chain.as(alice, {
    to: at('usdc'),
    data: fn('approve(address,uint256)', [at('v2Router'), 0n]),
  });
  const alone = await run(sell);
  expect(alone.execution.reverted).toBe(true);
  const both = await run([approve, sell]);
  expect(both.execution.reverted).toBe(false);
  expect(both.economics.token_out).toBe('1 USDC');
  expect(both.classification.actor).toBe(alice);
  expect(both.allowances!.some(({ spender }) => spender === at('v2Router'))).toBe(true);
  const failing = await run([approve, { to: at('reverter'), data: fn('withString()') }]);
  expect(codes(failing)[0]).toBe('reverts');
  expect(failing.movements).toEqual([]);
});

it('a signed transaction: its signer is recovered and its hash kept, and mined it does the same', async () => {
  const nonce = await story.devnet.chain.nonce('bob');
  const raw = await account('bob').signTransaction({
    chainId: 1,
    nonce,
    type: 'eip1559',
    gas: 100_000n,
    maxFeePerGas: 5_000_000_000n,
    maxPriorityFeePerGas: 100_000_000n,
    to: addressOf('carol'),
    value: ETHER,
  });
  const preview = await previewer.preview(await readSigned(raw));
  expect(preview.tx.signer).toBe(addressOf('bob'));
  const hash = (await story.devnet.chain.rpc('eth_sendRawTransaction', [raw])) as Hex;
  story.devnet.chain.forgetNonces();
  expect(preview.tx.hash).toBe(hash);
  const receipt = await story.devnet.chain.receipt(hash);
  expect(preview.execution.gas_used).toBe(Number(receipt.gasUsed));
});

it('runs on the pending block, after what waits there', async () => {
  const { rpc } = story.devnet.chain;
  const carol = addressOf('carol');
  const send: Call = {
    to: at('usdc'),
    data: fn('transferFrom(address,address,uint256)', [carol, alice, 5n]),
  };
  const approve = { from: carol, to: at('usdc'), data: fn('approve(address,uint256)', [alice, 5n]) };
  const request = readRequest({ from: alice, ...send });
  await rpc('evm_setAutomine', [false]);
  try {
    const hash = (await rpc('eth_sendTransaction', [{ ...approve, gas: '0x186a0' }])) as string;
    expect(await rpc('eth_getTransactionReceipt', [hash])).toBe(null);
    const [latest, pending] = [
      await previewer.preview(request),
      await previewer.preview({ ...request, block: 'pending' }),
    ];
    expect(latest.execution.reverted).toBe(true);
    expect(pending.execution.reverted).toBe(false);
    expect(pending.movements).toHaveLength(1);
  } finally {
    await rpc('evm_setAutomine', [true]);
    await rpc('evm_mine', []);
    story.devnet.chain.forgetNonces();
  }
});

it('more ether than there is', async () => {
  expect(await failure(run({ to: addressOf('bob'), value: 10n ** 30n }))).toMatch(
    /^the upstream node did not start the simulation: insufficient balance for transfer/,
  );
});

it('a node without any method for it, and a block that does not exist', async () => {
  const bare = await startDialectProxy(story.devnet.rpcUrl, /^(?:debug_|trace_|eth_simulate)/);
  const other = await openPreviewer(readConfig({ RPC_URL: bare.url }));
  const request = readRequest({ from: alice, to: addressOf('bob'), value: '1' });
  expect(await failure(other.preview(request))).toMatch(/^the upstream node cannot simulate this/);
  await other.close();
  await bare.close();
  expect(await failure(previewer.preview({ ...request, block: 10n ** 9n }))).not.toBe('no failure');
});

it.each<[string, unknown]>([
  ['from', { to: alice }],
  ['from', { from: 'alice', to: alice }],
  ['to', { from: alice }],
  ['data', { from: alice, to: alice, data: '0xabc' }],
  ['value', { from: alice, to: alice, value: '1 ether' }],
  ['calls', { from: alice, calls: [] }],
  ['calls', { from: alice, calls: Array.from({ length: 33 }, () => ({ to: alice })) }],
  ['call', { from: alice, calls: [null] }],
  ['paymaster', { from: alice, to: alice, paymaster: alice }],
  ['authority', { from: alice, calls: [{ to: alice, authority: alice }] }],
  ['capabilities', { from: alice, calls: [{ to: alice }], capabilities: { permissions: {} } }],
  ['input', { from: alice, to: alice, data: '0x01', input: '0x02' }],
  ['chain', { from: alice, to: alice, chainId: '0xa' }],
  ['eth_sign', { method: 'eth_sign', params: [alice, '0x00'] }],
  ['request', 'hello'],
  ['request', { params: [] }],
])('a request without a right %s is refused', (field, request) => {
  expect(() => readRequest(request)).toThrow(RequestError);
  expect(() => readRequest(request)).toThrow(field);
});

it('unknown overrides and broken signed transactions are refused', async () => {
  const request = { from: alice, to: alice };
  expect(() => readRequest(request, { stateOverrides: { [alice]: { balances: '0x1' } } })).toThrow(
    'balances',
  );
  expect(() => readRequest(request, { stateOverrides: { me: {} } })).toThrow('override');
  await expect(readSigned('0x02f8')).rejects.toThrow(RequestError);
  await expect(readSigned('hello')).rejects.toThrow(RequestError);
  const other = await account('bob').signTransaction({
    chainId: 10,
    type: 'eip1559',
    gas: 21_000n,
    to: alice,
  });
  await expect(readSigned(other)).rejects.toThrow('another chain');
});

it('an expectation holds or says where it does not', async () => {
  const report = await run(swap(0n));
  const usdc = at('usdc');
  const holds = readExpectation({
    intent_kind: 'DirectSwap',
    least_received: { [usdc]: '1' },
    most_sent: { native: '1' },
    allowed_spenders: [],
  });
  expect(differences(report, holds)).toEqual([]);
  const broken = readExpectation({
    intent_kind: 'Stake',
    least_received: { [usdc]: '1000000000' },
    most_sent: { native: '0.999999999999999999' },
  });
  expect(differences(report, broken)).toHaveLength(3);
  expect(() => readExpectation({ slippage: 1 })).toThrow('slippage');
  expect(() => readExpectation({ most_sent: { native: 1 } })).toThrow('most_sent');
});
