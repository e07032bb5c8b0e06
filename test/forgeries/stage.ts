// A devnet with forgers on it: contracts that emit any event, make any call and move anybody's balance of themselves.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  encodeAbiParameters,
  encodeEventTopics,
  parseAbiItem,
  type Abi,
  type AbiEvent,
  type AbiParameter,
  type Address,
  type Hex,
} from 'viem';
import type { RunningServer } from '../../src/service/server.ts';
import type { TxReport } from '../../src/model/generated/report.ts';
import { account, addressOf, type Person } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { ETHER, fn, fnOf, type Chain } from '../devnet/chain.ts';
import type { Contract } from '../devnet/compile.ts';
import { startDevnet } from '../devnet/deploy.ts';
import { FAR_FUTURE } from '../devnet/deploy/uniswap.ts';
import { Ctx } from '../devnet/scenario.ts';
import { fields, typed } from '../devnet/scenarios/delegated.ts';
import { startDemoService } from '../devnet/service.ts';

/** A step of a forger: an event of its own where `to` is the zero address, else a call. */
export interface Step {
  readonly to: Address;
  readonly value: bigint;
  readonly data: Hex;
  readonly topics: readonly Hex[];
}

const NOBODY: Address = '0x0000000000000000000000000000000000000000';

export interface Stage {
  readonly c: Ctx;
  readonly chain: Chain;
  readonly abi: Abi;
  readonly rpcUrl: string;
  forger(name: string, symbol: string): Promise<Address>;
  /** The attacker calls a forger with these steps. */
  play(forger: Address, steps: readonly Step[]): Promise<TxReport>;
  report(hash: Hex): Promise<TxReport>;
  stop(): Promise<void>;
}

export const ATTACKER = 'spammer';

export async function startStage(): Promise<Stage> {
  const devnet = await startDevnet();
  let server: RunningServer;
  try {
    server = await startDemoService(devnet.rpcUrl);
  } catch (error) {
    await devnet.stop();
    throw error;
  }
  const { chain } = devnet;
  const contract = compile('Forger.sol')['Forger']!;
  const report = async (hash: Hex): Promise<TxReport> => {
    if ((await chain.receipt(hash)).status !== '0x1') throw new Error('the forgery itself reverted');
    const response = await fetch(`${server.url}/analyze`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tx_hash: hash }),
    });
    if (response.status !== 200) throw new Error(await response.text());
    return (await response.json()) as TxReport;
  };
  return {
    c: new Ctx(chain, devnet.world, devnet.contracts),
    chain,
    abi: contract.abi,
    rpcUrl: devnet.rpcUrl,
    forger: (name, symbol) => chain.deploy(contract, [name, symbol]),
    play: async (forger, steps) =>
      report(
        await chain.send(ATTACKER, {
          to: forger,
          data: fnOf(contract.abi, 'play', [steps]),
          gas: 3_000_000n,
        }),
      ),
    report,
    stop: async () => {
      await server.close();
      await devnet.stop();
    },
  };
}

export const call = (to: Address, data: Hex, value = 0n): Step => ({ to, value, data, topics: [] });

/** As labels write an account. */
export const short = (address: Address): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

/** Morpho's Bundler3, a listed contract that makes any call for anybody. */
export const BUNDLER: Address = '0x6566194141eefa99Af43Bb5Aa71460Ca2Dc90245';

interface Permit {
  readonly owner: Person;
  readonly spender: Address;
  readonly value: bigint;
  /** Left out: the owner. */
  readonly signer?: Person;
  /** Left out: USDC, whose nonce is read. */
  readonly token?: Address;
}

/** The call of a permit (EIP-2612) in the domain of USDC. */
export async function permit({ chain }: Stage, made: Permit): Promise<Step> {
  const { spender, value, signer = made.owner, token = MAINNET.usdc } = made;
  const owner = addressOf(made.owner);
  const read = 'nonces(address) view returns (uint256)';
  const nonce = token === MAINNET.usdc ? await chain.read<bigint>(token, read, [owner]) : 0n;
  const domain = { name: 'USD Coin', version: '1', chainId: 1, verifyingContract: token };
  const Permit = fields('address owner, address spender, uint256 value, uint256 nonce, uint256 deadline');
  const message = { owner, spender, value, nonce, deadline: FAR_FUTURE };
  const signature = await typed(signer, domain, 'Permit', { Permit }, message);
  const list = 'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)';
  return call(token, fn(list, [owner, spender, value, FAR_FUTURE, ...signature]));
}

/** A signature in Permit2's domain, of a message with token and amount among its types. */
export const signForPermit2 = (
  owner: Person,
  primaryType: string,
  types: Readonly<Record<string, object>>,
  message: object,
): Promise<Hex> =>
  account(owner).signTypedData({
    domain: { name: 'Permit2', chainId: 1, verifyingContract: MAINNET.permit2 },
    types: { ...types, TokenPermissions: fields('address token, uint256 amount') },
    primaryType,
    message,
  } as never);

/**
 * A real pair of the token with wrapped ether, with liquidity from the attacker; `fund`: the call of the token
 * that puts in its part.
 */
export async function openPair(
  chain: Chain,
  token: Address,
  fund: (pair: Address) => Hex,
  ether = 10n * ETHER,
): Promise<Address> {
  const must = (to: Address, data: Hex, value = 0n) =>
    chain.must(ATTACKER, { to, data, value, gas: 6_000_000n });
  const pairOf = 'getPair(address,address) view returns (address)';
  await must(MAINNET.v2Factory, fn('createPair(address,address)', [token, MAINNET.weth]));
  const pair = await chain.read<Address>(MAINNET.v2Factory, pairOf, [token, MAINNET.weth]);
  await must(MAINNET.weth, fn('deposit()'), ether);
  await must(MAINNET.weth, fn('transfer(address,uint256)', [pair, ether]));
  await must(token, fund(pair));
  await must(pair, fn('mint(address)', [addressOf(ATTACKER)]));
  return pair;
}

/** An event in the layout of its signature: every address is `who`, every number `amount`, unless given by name. */
export function event(
  signature: string,
  who: Address,
  amount: bigint,
  given: Readonly<Record<string, unknown>> = {},
): Step {
  const abi = parseAbiItem(`event ${signature}` as 'event E()') as AbiEvent;
  const valueOf = (input: AbiParameter): unknown =>
    input.name !== undefined && input.name in given ? given[input.name] : filler(input, who, amount);
  const plain = abi.inputs.filter((input) => !input.indexed);
  // Dynamic indexed arguments are hashes: no forgery needs more than a word there.
  const args = abi.inputs.filter((input) => input.indexed).map(valueOf);
  const topics = encodeEventTopics({ abi: [abi], args } as never) as Hex[];
  return { to: NOBODY, value: 0n, data: encodeAbiParameters(plain, plain.map(valueOf) as never), topics };
}

function filler(input: AbiParameter, who: Address, amount: bigint): unknown {
  const array = /^(.*)\[(\d*)\]$/.exec(input.type);
  if (array) {
    const item = { ...input, type: array[1]! };
    return Array.from({ length: array[2] ? Number(array[2]) : 1 }, () => filler(item, who, amount));
  }
  if (input.type === 'tuple')
    return (input as unknown as { components: AbiParameter[] }).components.map((part) =>
      filler(part, who, amount),
    );
  if (input.type === 'address') return who;
  if (input.type === 'bool') return true;
  if (input.type === 'string') return 'forged';
  if (input.type === 'bytes') return '0x';
  const bytes = /^bytes(\d+)$/.exec(input.type);
  if (bytes) return `0x${'11'.repeat(Number(bytes[1]))}`;
  const bits = Number(/\d+$/.exec(input.type)?.[0] ?? 256);
  if (bits <= 48) return 1;
  return bits >= 64 ? amount : 1n;
}

const require = createRequire(import.meta.url);

/** The contracts of a source file of this folder, by name. */
export function compile(file: string): Record<string, Contract> {
  const solc = require('solc') as { compile(input: string, callbacks: object): string };
  const content = readFileSync(new URL(file, import.meta.url), 'utf8');
  const input = {
    language: 'Solidity',
    sources: { [file]: { content } },
    settings: {
      optimizer: { enabled: true },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  };
  const imported = (path: string) => ({ contents: readFileSync(require.resolve(path), 'utf8') });
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: imported })) as {
    errors?: { severity: string; formattedMessage: string }[];
    contracts: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>;
  };
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map((e) => e.formattedMessage).join('\n'));
  return Object.fromEntries(
    Object.entries(output.contracts[file]!).map(([name, { abi, evm }]) => [
      name,
      { abi, bytecode: `0x${evm.bytecode.object}` as Hex },
    ]),
  );
}
