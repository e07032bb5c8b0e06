// Signatures on typed data, previewed as what they allow, with the contracts that take them.
import { readFileSync } from 'node:fs';
import { getAddress, parseAbi, type Address, type Hex } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../src/service/config.ts';
import { openPreviewer, type Previewer, type PreviewReport } from '../../src/tools/preview/preview.ts';
import { differences } from '../../src/tools/preview/expectation.ts';
import { readRequest } from '../../src/tools/preview/readRequest.ts';
import { addressOf } from '../devnet/accounts.ts';
import { fn } from '../devnet/chain.ts';
import { runStory, type Story } from '../devnet/story.ts';

let story: Story;
let previewer: Previewer;
const [alice, bob] = [addressOf('alice'), addressOf('bob')];
const at = (name: string): Address => story.ctx.at(name);
const STRANGER = getAddress('0x00000000000000000000000000000000deadc0de');
const MOST = 2n ** 256n - 1n;
const SOON = 1_900_000_000n;
const UNTIL = '2030-03-17 17:46:40 UTC';
const SEAPORT = getAddress('0x0000000000000068F116a894984e2DB1123eB395');

const factory = (path: string): Hex =>
  /_bytecode = "(0x[0-9a-f]+)"/.exec(
    readFileSync(
      new URL(
        `../../node_modules/@opensea/seaport-js/lib/typechain-types/factories/seaport/contracts/${path}__factory.js`,
        import.meta.url,
      ),
      'utf8',
    ),
  )![1] as Hex;

beforeAll(async () => {
  story = await runStory({ scenarios: [] });
  previewer = await openPreviewer(readConfig({ RPC_URL: story.devnet.rpcUrl }));
  const { chain } = story.devnet;
  const bytecode = factory('conduit/ConduitController.sol/LocalConduitController');
  const controller = await chain.deploy({ abi: [], bytecode });
  const abi = parseAbi(['constructor(address conduitController)']);
  await chain.placeAt(SEAPORT, { abi, bytecode: factory('Seaport') }, [controller]);
});
afterAll(async () => {
  await previewer?.close();
  await story?.stop();
});

type Fields = readonly string[];
const typesOf = (structs: Record<string, Fields>) =>
  Object.fromEntries(
    Object.entries(structs).map(([name, fields]) => [
      name,
      fields.map((field) => ({ type: field.split(' ')[0]!, name: field.split(' ')[1]! })),
    ]),
  );

/** Previews a request of a wallet; the first struct is the primary type. */
function sign(
  contract: Address,
  structs: Record<string, Fields>,
  message: object,
  stateOverrides = {},
): Promise<PreviewReport> {
  const [primaryType] = Object.keys(structs);
  const domain = { name: 'any', chainId: 1, verifyingContract: contract };
  const typed = JSON.stringify(
    { types: typesOf(structs), primaryType, domain, message },
    (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
  );
  return previewer.preview(
    readRequest({ method: 'eth_signTypedData_v4', params: [alice, typed] }, { stateOverrides }),
  );
}
const codes = (report: PreviewReport): string[] => report.warnings.map(({ code }) => code);
const texts = (report: PreviewReport): string => report.warnings.map(({ text }) => text).join('; ');

const PERMIT = ['address owner', 'address spender', 'uint256 value', 'uint256 nonce', 'uint256 deadline'];
const DETAILS = ['address token', 'uint160 amount', 'uint48 expiration', 'uint48 nonce'];
const TRANSFER = ['address spender', 'uint256 nonce', 'uint256 deadline'];
const PERMISSIONS = ['address token', 'uint256 amount'];

const permit = (spender: Address, value = MOST) =>
  sign(at('usdc'), { Permit: PERMIT }, { owner: alice, spender, value, nonce: 0, deadline: SOON });
const details = (token: string, amount = 2n ** 160n - 1n) => ({
  token: at(token),
  amount,
  expiration: SOON,
  nonce: 0,
});
const single = (spender: Address) =>
  sign(
    at('permit2'),
    {
      PermitSingle: ['PermitDetails details', 'address spender', 'uint256 sigDeadline'],
      PermitDetails: DETAILS,
    },
    { details: details('usdc'), spender, sigDeadline: SOON },
  );
const batch = (spender: Address) =>
  sign(
    at('permit2'),
    {
      PermitBatch: ['PermitDetails[] details', 'address spender', 'uint256 sigDeadline'],
      PermitDetails: DETAILS,
    },
    { details: [details('usdc', 5_000_000n), details('dai')], spender, sigDeadline: SOON },
  );
const witness = (spender: Address) =>
  sign(
    at('permit2'),
    {
      PermitWitnessTransferFrom: ['TokenPermissions permitted', ...TRANSFER, 'Order witness'],
      Order: ['address offerer', 'uint256 least'],
      TokenPermissions: PERMISSIONS,
    },
    {
      permitted: {
        token: at('usdc'),
        amount: 7000000n,
      },
      spender,
      nonce: 3,
      deadline: SOON,
      witness: {
        offerer: alice,
        least: 1n,
      },
    },
  );

it.each<[string, (spender: Address) => Promise<PreviewReport>, string]>([
  ['Permit', permit, `may take all USDC, now and later`],
  ['PermitSingle', single, `may take all USDC until ${UNTIL}`],
  ['PermitBatch', batch, `may take all DAI until ${UNTIL}`],
  ['PermitWitnessTransferFrom', witness, `may take 7 USDC until ${UNTIL}`],
])('%s for a listed spender and for a stranger', async (name, ask, text) => {
  const [listed, unlisted] = [await ask(at('v2Router')), await ask(STRANGER)];
  expect(codes(listed)).not.toContain('unknown_spender');
  expect(codes(unlisted)).toContain('unknown_spender');
  expect(texts(unlisted)).toContain(`${STRANGER} ${text}`);
  expect(listed.classification.intent_kind).toBe('Approval');
  expect(unlisted.classification.caveats!.find(({ code }) => code === 'signature')!.text).toContain(UNTIL);
  expect(differences(unlisted, { allowed_spenders: [at('v2Router')] }).length).toBeGreaterThan(0);
  expect(differences(listed, { allowed_spenders: [at('v2Router')] })).toEqual([]);
  expect(codes(listed).includes('unlimited_allowance'), name).toBe(!text.includes('7 USDC'));
});

const SAFE_TX = [
  'address to',
  'uint256 value',
  'bytes data',
  'uint8 operation',
  'uint256 safeTxGas',
  'uint256 baseGas',
  'uint256 gasPrice',
  'address gasToken',
  'address refundReceiver',
  'uint256 nonce',
];
const safe = (to: Address, data: Hex, operation = 0, stateOverrides = {}) =>
  sign(
    at('treasury'),
    { SafeTx: SAFE_TX },
    {
      to,
      value: 0,
      data,
      operation,
      safeTxGas: 0,
      baseGas: 0,
      gasPrice: 0,
      nonce: 0,
      gasToken: `0x${'0'.repeat(40)}`,
      refundReceiver: `0x${'0'.repeat(40)}`,
    },
    stateOverrides,
  );

it('a Safe transaction is previewed as the Safe executes it, of which one owner signs', async () => {
  const pay = await safe(at('usdc'), fn('transfer(address,uint256)', [bob, 5_000_000n]));
  expect(pay.execution.reverted).toBe(false);
  expect(pay.classification.actor).toBe(at('treasury'));
  expect(pay.classification.intent_label).toContain('5 USDC');
  const approve = (spender: Address) => safe(at('usdc'), fn('approve(address,uint256)', [spender, MOST]));
  expect(codes(await approve(at('v2Router')))).toEqual(['unlimited_allowance']);
  expect(codes(await approve(STRANGER))).toEqual(['unlimited_allowance', 'unknown_spender']);
  const owner = fn('addOwnerWithThreshold(address,uint256)', [STRANGER, 1n]);
  const taken = await safe(at('treasury'), owner);
  expect(codes(taken)).toContain('control_changes');
  expect(differences(taken, { control_changes: [] }).length).toBeGreaterThan(0);
  // What Safes keep in their first slot is the code they run.
  const replaced = await safe(STRANGER, '0x00000000', 1, {
    [STRANGER]: { code: `0x73${bob.slice(2)}5f5500` },
  });
  expect(texts(replaced)).toContain(`${at('treasury')} obeys ${bob} from then on`);
  const module = await safe(STRANGER, '0x00000000', 1, { [STRANGER]: { code: '0x600160075500' } });
  expect(texts(module)).toBe(`${at('treasury')} changes its own storage`);
  // A stranger who holds the signature can wait until the Safe has as much.
  const early = await safe(at('usdc'), fn('transfer(address,uint256)', [bob, 10n ** 30n]));
  expect(early).toMatchObject({ execution: { reverted: true }, classification: { status: 'Suspected' } });
  expect(texts(early)).toMatch(/^It fails now, and may work later: /);
  const harmless = await safe(STRANGER, '0x00000000', 1, { [STRANGER]: { code: '0x00' } });
  expect(codes(harmless)).toEqual([]);
});

const ITEM = [
  'uint8 itemType',
  'address token',
  'uint256 identifierOrCriteria',
  'uint256 startAmount',
  'uint256 endAmount',
];
const ORDER = {
  OrderComponents: [
    'address offerer',
    'address zone',
    'OfferItem[] offer',
    'ConsiderationItem[] consideration',
    'uint8 orderType',
    'uint256 startTime',
    'uint256 endTime',
    'bytes32 zoneHash',
    'uint256 salt',
    'bytes32 conduitKey',
    'uint256 counter',
  ],
  ConsiderationItem: [...ITEM, 'address recipient'],
  OfferItem: ITEM,
};
const ZERO = `0x${'0'.repeat(64)}`;
const item = (itemType: number, token: string, id: bigint, amount: bigint) => ({
  itemType,
  token,
  identifierOrCriteria: id,
  startAmount: amount,
  endAmount: amount,
});
const NOBODY = `0x${'0'.repeat(40)}`;
const order = (contract: Address, offer: object[], consideration: object[]) =>
  sign(contract, ORDER, {
    offerer: alice,
    zone: NOBODY,
    offer,
    consideration,
    orderType: 0,
    startTime: 0,
    endTime: SOON,
    zoneHash: ZERO,
    salt: 1,
    conduitKey: ZERO,
    counter: 0,
  });
const ether = (amount: bigint, recipient: Address) => ({ ...item(0, NOBODY, 0n, amount), recipient });

it('a Seaport order states what leaves, what comes back and until when', async () => {
  const usdc = item(1, at('usdc'), 0n, 3_000_000_000n);
  const fair = await order(SEAPORT, [usdc], [ether(10n ** 18n, alice)]);
  expect(fair.execution.reverted).toBe(false);
  expect(fair.classification.intent_label).toBe('Offer 3,000 USDC for 1 ETH');
  expect(codes(fair)).toEqual([]);
  const nothing = await order(SEAPORT, [usdc], [ether(10n ** 18n, STRANGER)]);
  expect(nothing.classification.intent_label).toBe('Offer 3,000 USDC for nothing');
  expect(texts(nothing)).toBe('3,000 USDC leaves and nothing comes back');
  const dust = await order(SEAPORT, [usdc], [ether(1n, alice)]);
  expect(codes(dust)).toEqual(['nothing_received']);
  const ape = await order(SEAPORT, [item(2, at('APE'), 1n, 1n)], [ether(1n, alice)]);
  expect(ape.classification.intent_label).toMatch(/^Offer Devnet Apes #1 for (?:1 × 10⁻¹⁸|0\.0{17}1) ETH$/);
});

it('an order for a contract that is not listed', async () => {
  const report = await order(at('nftMarket'), [item(2, at('APE'), 1n, 1n)], [ether(10n ** 18n, alice)]);
  expect(codes(report)).toContain('unknown_contract');
});

it.each<[string, unknown, string]>([
  ['another chain', { domain: { chainId: 10 } }, 'another chain'],
  ['a type that is not read', { primaryType: 'Vote', types: { Vote: [] } }, 'Vote is not read'],
  ['another order of fields', { types: typesOf({ Permit: PERMIT.toReversed() }) }, 'Permit is not read'],
  ['another owner', { message: { owner: bob } }, 'not its signer'],
  ['no amount', { message: { value: undefined } }, 'uint256 is missing'],
])('%s is refused', (_name, change, text) => {
  const base = {
    types: typesOf({ Permit: PERMIT }),
    primaryType: 'Permit',
    domain: { chainId: 1, verifyingContract: STRANGER },
    message: { owner: alice, spender: STRANGER, value: '1', nonce: '0', deadline: '1' },
  };
  const given = change as typeof base;
  const typed = {
    ...base,
    ...given,
    domain: {
      ...base.domain,
      ...given.domain,
    },
    message: {
      ...base.message,
      ...given.message,
    },
  };
  expect(() => readRequest({ method: 'eth_signTypedData_v4', params: [alice, typed] })).toThrow(text);
});
