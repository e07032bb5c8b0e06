// Ways to take money from whoever signs, each in three disguises, alone and behind a router that the rules list.
import { getAddress, keccak256, pad, toFunctionSelector, toHex, type Address, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/service/config.ts';
import { openPreviewer, type Previewer, type PreviewReport } from '../../src/tools/preview/preview.ts';
import { differences } from '../../src/tools/preview/expectation.ts';
import { readRequest } from '../../src/tools/preview/readRequest.ts';
import { account, addressOf } from '../devnet/accounts.ts';
import { ETHER, fn } from '../devnet/chain.ts';
import { runStory, type Story } from '../devnet/story.ts';

let story: Story;
let previewer: Previewer;
const alice = addressOf('alice');
const at = (name: string): Address => story.ctx.at(name);
const DRAINER = getAddress(`0x${'d'.repeat(39)}1`);
/** A token that grants allowances and logs none; a proxy with code that replaces its own; a keeper of operators. */
const [SILENT, PROXY, KEEPER] = [2, 3, 4].map((i) => getAddress(`0x${'5'.repeat(39)}${i}`)) as [
  Address,
  Address,
  Address,
];
const MOST = 2n ** 256n - 1n;
let apeId: bigint;

const word = (value: string | bigint): string =>
  (typeof value === 'string' ? pad(value as Hex) : toHex(value, { size: 32 })).slice(2);
/** Instructions: a call with calldata of a selector and words. */
const calls = (to: string, data: Hex): string => {
  const bytes = data.slice(2).padEnd(Math.ceil((data.length - 2) / 64) * 64, '0');
  const chunks = bytes
    .match(/.{64}/g)!
    .map((chunk, i) => `7f${chunk}60${(32 * i).toString(16).padStart(2, '0')}52`);
  const size = ((data.length - 2) / 2).toString(16).padStart(2, '0');
  return `${chunks.join('')}5f5f60${size}5f5f73${to.slice(2)}5af150`;
};
const sends = (to: string): string => `5f5f5f5f3473${to.slice(2)}5af150`;
const log = (signature: string, topics: string[], data = ''): string => {
  const pushed = [...topics.toReversed().map((topic) => word(topic)), keccak256(toHex(signature)).slice(2)];
  const stored = data === '' ? '' : `7f${data}5f52`;
  return `${stored}${pushed.map((topic) => `7f${topic}`).join('')}60${data === '' ? '00' : '20'}5fa${pushed.length.toString(16)}`;
};
const IMPLEMENTATION = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';
const SILENT_TOKEN = '0x5f3560e01c63095ea7b314601857602435545f5260205ff35b602435600435550000';
/** Keeps whom its caller let act by `setOperator`, and tells of it by this view alone. */
const keeperOf = (view: string): string => {
  const [set, get] = ['setOperator(address,bool)', view].map((one) => toFunctionSelector(one).slice(2));
  return `5f3560e01c8063${set}14601b5763${get}146024575f5ffd5b6024356004355500` + `5b602435545f5260205ff3`;
};

interface Call {
  readonly to: string;
  readonly data?: Hex;
  readonly value?: bigint;
}
interface Way {
  /** Code of the drainer. */
  readonly code?: string;
  /** Ether sent to it. */
  readonly value?: bigint;
  /** Calls of the signer itself beside that to the drainer. */
  readonly beside?: readonly Call[];
  readonly delegates?: boolean;
  /** Code of the keeper of operators. */
  readonly keeper?: string;
  /** Texts of warnings, or of what differs from an expectation. */
  readonly warned: RegExp;
}
const approve = (to: string, signature: string, args: unknown[]): readonly Call[] => [
  { to, data: fn(signature, args) },
];
const TRANSFER_FROM = 'transferFrom(address,address,uint256)';

const WAYS: Readonly<Record<string, () => Way>> = {
  'ether that is kept': () => ({ value: ETHER, warned: /^1 ETH leaves and nothing comes back/ }),
  'ether that is passed on': () => ({
    value: ETHER,
    code: sends(addressOf('bob')),
    warned: /^1 ETH leaves and nothing comes back/,
  }),
  'tokens by an old allowance': () => ({
    code: calls(at('usdc'), fn(TRANSFER_FROM, [alice, DRAINER, 5_000_000n])),
    warned: /^5 USDC leaves and nothing comes back/,
  }),
  'an NFT by an old permission': () => ({
    code: calls(at('APE'), fn(TRANSFER_FROM, [alice, DRAINER, apeId])),
    warned: /^Devnet Apes #\d+ leaves and nothing comes back/,
  }),
  'a transfer among other calls': () => ({
    beside: approve(at('usdc'), 'transfer(address,uint256)', [DRAINER, 9_000_000n]),
    warned: /^sends 9000000 \(smallest units\) of 0x/,
  }),
  'an unlimited allowance': () => ({
    beside: approve(at('usdc'), 'approve(address,uint256)', [DRAINER, 2n ** 200n]),
    warned: /may take all USDC, now and later/,
  }),
  'a limited allowance': () => ({
    beside: approve(at('usdc'), 'approve(address,uint256)', [DRAINER, 6_000_000n]),
    warned: /may take 6 USDC and is not listed/,
  }),
  'all NFTs of a collection': () => ({
    beside: approve(at('APE'), 'setApprovalForAll(address,bool)', [DRAINER, true]),
    warned: /may take all APE, now and later/,
  }),
  'an allowance at a keeper of allowances': () => ({
    beside: approve(at('permit2'), 'approve(address,address,uint160,uint48)', [
      at('usdc'),
      DRAINER,
      2n ** 160n - 1n,
      1_900_000_000,
    ]),
    warned: /may take all USDC until 2030-03-17 17:46:40 UTC/,
  }),
  'credit at a lending market': () => ({
    beside: approve(at('debtUSDC'), 'approveDelegation(address,uint256)', [DRAINER, MOST]),
    warned: /may borrow all variableDebtEthUSD…, now and later/,
  }),
  'an allowance that nothing logs': () => ({
    beside: approve(SILENT, 'approve(address,uint256)', [DRAINER, MOST]),
    warned: /may take all 0x5555…5552, now and later/,
  }),
  'the code of the account': () => ({ delegates: true, warned: /^It lets 0x\w{40} run the code of 0xd/i }),
  'the code of a proxy': () => ({ beside: [{ to: PROXY, data: '0x00000000' }], warned: /runs the code of/ }),
};

const DISGUISES: Readonly<Record<string, () => string>> = {
  'a log of a stake': () => log('Staked(address,uint256)', [alice], word(ETHER)),
  'a unit of its own token': () => log('Transfer(address,address,uint256)', [DRAINER, alice], word(1n)),
  'shares that it mints': () =>
    log('Transfer(address,address,uint256)', [`0x${'0'.repeat(40)}`, alice], word(ETHER)),
};

beforeAll(async () => {
  story = await runStory({ scenarios: [] });
  previewer = await openPreviewer(readConfig({ RPC_URL: story.devnet.rpcUrl }));
  const { chain } = story.devnet;
  apeId = await chain.read<bigint>(at('APE'), 'nextId() view returns (uint256)');
  await chain.as(alice, { to: at('APE'), data: fn('give(address)', [alice]) });
  await chain.as(alice, { to: at('APE'), data: fn('approve(address,uint256)', [DRAINER, apeId]) });
  await chain.as(alice, { to: at('usdc'), data: fn('approve(address,uint256)', [DRAINER, 5_000_000n]) });
});
afterAll(async () => {
  await previewer?.close();
  await story?.stop();
});

async function run(way: Way, disguise: string, isRouted: boolean): Promise<PreviewReport> {
  const router = at('v2Router');
  const code = (hex: string): Hex => `0x${hex}00`;
  const stateOverrides = {
    [DRAINER]: { code: code(`${way.code ?? ''}${disguise}`) },
    [SILENT]: { code: SILENT_TOKEN },
    ...(way.keeper && { [KEEPER]: { code: code(way.keeper) } }),
    [PROXY]: { code: code(`73${DRAINER.slice(2)}7f${IMPLEMENTATION.slice(2)}55`) },
    ...(isRouted && { [router]: { code: code(sends(DRAINER)) } }),
  };
  const claim: Call = { to: isRouted ? router : DRAINER, data: '0x4e71d92d', value: way.value ?? 0n };
  const list = [...(way.beside ?? []), claim].map(({ value = 0n, ...call }) => ({
    ...call,
    value: toHex(value),
  }));
  const signed = await account('alice').signAuthorization({ chainId: 1, address: DRAINER, nonce: 99 });
  const { address, nonce, yParity, r, s } = signed;
  const tuple = { address, chainId: '0x1', nonce: toHex(nonce), yParity: toHex(yParity!), r, s };
  const authorizationList = way.delegates ? [tuple] : [];
  const request = readRequest(
    { from: alice, calls: list, authorizationList },
    { stateOverrides, gas: '5000000' },
  );
  return previewer.preview(request);
}

describe.each(Object.keys(WAYS))('%s', (name) => {
  const cases = Object.keys(DISGUISES).flatMap((disguise) => [
    [disguise, false] as const,
    [disguise, true] as const,
  ]);
  it.each(cases)('behind %s, by a listed router: %s', async (disguise, isRouted) => {
    const report = await run(WAYS[name]!(), DISGUISES[disguise]!(), isRouted);
    expect(report.execution.reverted).toBe(false);
    const nothing = { [at('usdc')]: '0', native: '0' };
    const expected = { most_sent: nothing, allowed_spenders: [], control_changes: [] };
    const failed = differences(report, expected);
    const texts = [...report.warnings.map(({ text }) => text), ...failed];
    expect(
      texts.some((text) => WAYS[name]!().warned.test(text)),
      texts.join('\n'),
    ).toBe(true);
  });
});

it.each(
  [
    'isOperator',
    'isAuthorized',
    'hasApprovedRelayer',
    'hasPermission',
    'can',
    'isAccountOperatorAuthorized',
  ].map((name) => `${name}(address,address)`),
)('an account that may act for the signer, as %s tells', async (view) => {
  const beside = approve(KEEPER, 'setOperator(address,bool)', [DRAINER, true]);
  const { warnings } = await run({ keeper: keeperOf(view), beside, warned: /./ }, '', false);
  expect(warnings.map(({ text }) => text)).toContainEqual(
    expect.stringMatching(/may take all 0x5555…5554, now and later$/),
  );
});
