import { concatHex, pad, toHex, type Address, type Hex } from 'viem';
import { account, addressOf, type Person } from '../accounts.ts';
import { MAINNET } from '../addresses.ts';
import { fn, fnOf, type Request } from '../chain.ts';
import { artifact } from '../artifacts.ts';
import { FAR_FUTURE } from '../deploy/uniswap.ts';
import type { Ctx, Scenario } from '../scenario.ts';
import { safeCreation } from '../deploy/accounts.ts';
import { multiSend, safeTransaction } from './safe.ts';

export interface UserOp {
  owner: Person;
  calls: { to: Address; value?: bigint; data: Hex }[];
  create?: boolean;
  paymaster?: Address;
}

const GWEI = 10n ** 9n;
/** Two 128-bit numbers in one word, as a packed user operation has them. */
const two = (high: bigint, low: bigint): Hex =>
  concatHex([toHex(high, { size: 16 }), toHex(low, { size: 16 })]);

async function packed(c: Ctx, { owner, calls, create, paymaster }: UserOp) {
  const sender = c.at(`${owner}Account`);
  const [only] = calls;
  const op = {
    sender,
    nonce: await c.chain.read<bigint>(
      MAINNET.entryPoint,
      'getNonce(address,uint192) view returns (uint256)',
      [sender, 0n],
    ),
    initCode: create
      ? concatHex([c.at('accountFactory'), fn('createAccount(address,uint256)', [addressOf(owner), 0n])])
      : ('0x' as Hex),
    callData:
      calls.length === 1
        ? fn('execute(address,uint256,bytes)', [only!.to, only!.value ?? 0n, only!.data])
        : fn('executeBatch((address,uint256,bytes)[])', [
            calls.map(({ to, value, data }) => [to, value ?? 0n, data]),
          ]),
    accountGasLimits: two(500_000n, 600_000n),
    preVerificationGas: 60_000n,
    gasFees: two(GWEI / 10n, 2n * GWEI),
    paymasterAndData: paymaster
      ? concatHex([paymaster, pad(toHex(100_000n), { size: 16 }), pad(toHex(50_000n), { size: 16 })])
      : ('0x' as Hex),
    signature: '0x' as Hex,
  };
  const { abi } = artifact('EntryPoint');
  const hash = (await c.chain.rpc('eth_call', [
    { to: MAINNET.entryPoint, data: fnOf(abi, 'getUserOpHash', [op]) },
    'latest',
  ])) as Hex;
  return { ...op, signature: await account(owner).sign({ hash }) };
}

/** handleOps by the bundler, who is also the beneficiary of the fees. */
export async function handleOps(c: Ctx, ops: UserOp[]): Promise<Request> {
  const list = [];
  for (const op of ops) list.push(await packed(c, op));
  return {
    to: MAINNET.entryPoint,
    gas: 3_000_000n,
    data: fnOf(artifact('EntryPoint').abi, 'handleOps', [list, addressOf('bundler')]),
  };
}

const pay = (c: Ctx, asset: string, to: string, amount: string) => ({
  to: c.at(asset),
  data: fn('transfer(address,uint256)', [c.at(to), c.units(asset, amount)]),
});
const swapOut = (c: Ctx, amount: string, to: Address, least = 0n) =>
  fn('swapExactTokensForETH(uint256,uint256,address[],address,uint256)', [
    c.units('USDC', amount),
    least,
    ['USDC', 'WETH'].map(c.at),
    to,
    FAR_FUTURE,
  ]);
const allowRouter = (c: Ctx, amount: string) => ({
  to: c.at('USDC'),
  data: fn('approve(address,uint256)', [MAINNET.v2Router, c.units('USDC', amount)]),
});

export const smartAccounts: Scenario[] = [
  {
    name: 'userop-first',
    title: "A bundler creates Erin's account and sends its 100 USDC",
    intent: 'TokenTransfer',
    expect: {
      signer: 'bundler',
      actor: 'erinAccount',
      nets: [
        ['erinAccount', 'USDC', '-100'],
        ['erinAccount', 'ETH', '-'],
        ['dave', 'USDC', '100'],
        ['bundler', 'ETH', '+'],
      ],
      motifs: ['user_operation', 'transfer'],
    },
    run: async (c) =>
      c.send(
        'bundler',
        await handleOps(c, [{ owner: 'erin', create: true, calls: [pay(c, 'USDC', 'dave', '100')] }]),
      ),
  },
  {
    name: 'userop-swap',
    title: "Erin's account swaps 500 USDC for ETH",
    intent: 'DirectSwap',
    expect: {
      signer: 'bundler',
      actor: 'erinAccount',
      nets: [
        ['erinAccount', 'USDC', '-500'],
        ['erinAccount', 'ETH', '+'],
        ['v2PairUSDC', 'USDC', '500'],
      ],
      motifs: ['user_operation', 'swap'],
    },
    run: async (c) =>
      c.send(
        'bundler',
        await handleOps(c, [
          {
            owner: 'erin',
            calls: [
              allowRouter(c, '500'),
              { to: MAINNET.v2Router, data: swapOut(c, '500', c.at('erinAccount')) },
            ],
          },
        ]),
      ),
  },
  {
    name: 'userop-two',
    title: 'Two user operations of two accounts in one bundle',
    intent: 'TokenTransfer',
    alsoAcceptable: ['BatchTransfer', 'ContractCall', 'Unknown'],
    expect: {
      signer: 'bundler',
      actor: null,
      nets: [
        ['erinAccount', 'USDC', '-10'],
        ['frankAccount', 'USDC', '-20'],
        ['dave', 'USDC', '10'],
        ['carol', 'USDC', '20'],
      ],
      motifs: ['user_operation', 'user_operation'],
    },
    run: async (c) =>
      c.send(
        'bundler',
        await handleOps(c, [
          { owner: 'erin', calls: [pay(c, 'USDC', 'dave', '10')] },
          { owner: 'frank', create: true, calls: [pay(c, 'USDC', 'carol', '20')] },
        ]),
      ),
  },
  {
    name: 'userop-paymaster',
    title: "A paymaster pays for Frank's account",
    intent: 'TokenTransfer',
    expect: {
      signer: 'bundler',
      actor: 'frankAccount',
      nets: [
        ['frankAccount', 'USDC', '-30'],
        ['dave', 'USDC', '30'],
        ['bundler', 'ETH', '+'],
        ['entryPoint', 'ETH', '-'],
      ],
      motifs: ['user_operation', 'transfer'],
    },
    run: async (c) =>
      c.send(
        'bundler',
        await handleOps(c, [
          { owner: 'frank', paymaster: c.at('paymaster'), calls: [pay(c, 'USDC', 'dave', '30')] },
        ]),
      ),
  },
  {
    name: 'userop-failed',
    title: 'A user operation whose call reverts: paid for, no effect',
    intent: 'ContractCall',
    alsoAcceptable: ['Unknown', 'Reverted'],
    never: ['TokenTransfer', 'DirectSwap'],
    expect: {
      signer: 'bundler',
      actor: 'frankAccount',
      nets: [
        ['frankAccount', 'USDC', '0'],
        ['frankAccount', 'ETH', '-'],
      ],
      motifs: ['user_operation'],
    },
    run: async (c) =>
      c.send('bundler', await handleOps(c, [{ owner: 'frank', calls: [pay(c, 'USDC', 'dave', '1000000')] }])),
  },
  {
    name: 'safe-refund',
    title: 'The Safe pays 400 DAI and repays its executor in ETH',
    intent: 'TokenTransfer',
    expect: {
      signer: 'relayer',
      actor: 'treasury',
      nets: [
        ['treasury', 'DAI', '-400'],
        ['treasury', 'ETH', '-'],
        ['dave', 'DAI', '400'],
        ['relayer', 'ETH', '+'],
      ],
      motifs: ['transfer'],
    },
    run: async (c) =>
      c.send(
        'relayer',
        await safeTransaction(c, {
          ...pay(c, 'DAI', 'dave', '400'),
          safeTxGas: 100_000n,
          baseGas: 50_000n,
          gasPrice: 2n * GWEI,
        }),
      ),
  },
  {
    name: 'safe-failure',
    title: "The Safe's payment fails inside; the transaction succeeds",
    intent: 'ContractCall',
    alsoAcceptable: ['Unknown', 'Reverted'],
    never: ['TokenTransfer'],
    expect: {
      signer: 'relayer',
      actor: 'treasury',
      nets: [
        ['treasury', 'USDC', '0'],
        ['dave', 'USDC', '0'],
      ],
      motifs: [],
    },
    run: async (c) =>
      c.send(
        'relayer',
        await safeTransaction(c, { ...pay(c, 'USDC', 'dave', '10000000'), safeTxGas: 100_000n }),
      ),
  },
  {
    name: 'safe-swap',
    title: 'The Safe approves and swaps 2,000 USDC for ETH',
    intent: 'DirectSwap',
    expect: {
      signer: 'bob',
      actor: 'treasury',
      nets: [
        ['treasury', 'USDC', '-2000'],
        ['treasury', 'ETH', '+'],
        ['v2PairUSDC', 'USDC', '2000'],
      ],
      motifs: ['swap'],
    },
    run: async (c) =>
      c.send(
        'bob',
        await safeTransaction(
          c,
          multiSend(c, [
            allowRouter(c, '2000'),
            { to: MAINNET.v2Router, data: swapOut(c, '2000', c.at('treasury')) },
          ]),
        ),
      ),
  },
  {
    name: 'safe-creation',
    title: 'Dave creates a Safe for himself',
    intent: 'AccountAdministration',
    alsoAcceptable: ['ContractDeployment'],
    recorded: false,
    expect: { signer: 'dave', actor: 'dave', nets: [], motifs: [] },
    run: (c) => c.send('dave', { to: MAINNET.safeFactory, data: safeCreation([addressOf('dave')], 1n, 7n) }),
  },
  {
    name: 'safe-add-owner',
    title: 'The Safe takes Dave in as an owner',
    intent: 'AccountAdministration',
    expect: { signer: 'alice', actor: 'treasury', nets: [], motifs: [] },
    run: async (c) =>
      c.send(
        'alice',
        await safeTransaction(c, {
          to: c.at('treasury'),
          data: fn('addOwnerWithThreshold(address,uint256)', [addressOf('dave'), 2n]),
        }),
      ),
  },
];
