import { keccak256 } from '../evm/keccak.ts';
import { fromString } from 'ox/Hex';
import { gasOfData } from '../evm/gas.ts';
import { TRANSFER, TRANSFER_SINGLE } from '../evm/tokenTopics.ts';
import { wordOf, ZERO_ADDRESS } from '../evm/hex.ts';
import { NATIVE_ASSET, nftId } from '../value/asset.ts';
import type { Address, Hash, Hex } from '../model/hex.ts';
import type { RawContext, RawTransaction } from '../model/upstream.ts';
import {
  encodeCall,
  encodeEvent,
  ExampleError,
  readAmount,
  type ExampleWords,
  type Path,
} from './exampleArguments.ts';
import { asWritten, type FindSignature } from './exampleNames.ts';
import type { RawExampleStep, RawExampleTransaction } from '../model/generated/rules.ts';

/** An example as a node would answer it, with the accounts of its words. */
export interface BuiltExample {
  readonly raw: RawTransaction;
  readonly context: RawContext;
  readonly addressOf: (word: string) => Address;
  /** A text with the example's words in place of their addresses. */
  readonly inWords: (text: string) => string;
}

const BLOCK: Hash = `0x${'b1'.repeat(32)}`;
const BLOCK_NUMBER = '0x1312d00';
const BUILDER: Address = `0x${'b0'.repeat(20)}`;
/**
 * The calls around transfers and events: `transferFrom`, ERC-1155's `safeTransferFrom`, a selector without
 * meaning.
 */
const TRANSFER_FROM = '0x23b872dd';
const SAFE_TRANSFER_FROM = '0xf242432a';
const SOME_CALL = '0x00000001';
const DEFAULT_DECIMALS = 18;
const GAS_PER_BLOB = 131_072n;

const quantity = (value: bigint): Hex => `0x${value.toString(16)}`;
const word = (value: bigint | Address): Hex => `0x${wordOf(value)}`;

interface Emitted {
  readonly address: Address;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

/** A call in the form of geth's callTracer. */
interface Call {
  type: 'CALL' | 'CREATE';
  from: Address;
  to: Address;
  value: Hex;
  input: Hex;
  output?: Hex;
  logs: (Emitted & { position: Hex })[];
  calls: Call[];
}

const answerOf = ({ answer = '0x' }: RawExampleTransaction): Hex => answer as Hex;

/** Code that takes no step did not run. */
const gasOf = ({ length }: readonly RawExampleStep[], input: Hex): Hex =>
  quantity(length > 0 ? 200_000n : BigInt(gasOfData(input)));

function callOf(from: Address, to: Address, value: bigint, input: Hex): Call {
  return { type: 'CALL', from, to, value: quantity(value), input, logs: [], calls: [] };
}

/**
 * Turns the words of an example into the answers of a node: accounts are words, amounts whole numbers,
 * events and calls given by signature and arguments. `index`: its place in a block of several.
 * @throws ExampleError
 */
export function buildExample(
  example: RawExampleTransaction,
  find: FindSignature = asWritten,
  index = 0,
): BuiltExample {
  const hash: Hash = `0x${(0x5c + index).toString(16).repeat(32)}`;
  const words = new Map<string, string>();
  const addressOf = (name: string): Address => {
    if (name === 'zero') return ZERO_ADDRESS;
    if (/^0x[0-9a-fA-F]{40}$/.test(name)) return name.toLowerCase() as Address;
    const address = (example.tokens?.[name]?.address?.toLowerCase() ??
      `0x${keccak256(fromString(`account of an example: ${name}`)).slice(26)}`) as Address;
    words.set(address, name);
    return address;
  };
  const { steps = [], value = 0, tokens = {}, blobs = 0, delegates = {}, holders = {} } = example;
  const to = addressOf(example.to);
  const sent = readAmount(value, ['value']);
  const input = encodeCall(example.call ?? '0x', example.args ?? [], [], { addressOf, find });
  const root = callOf(addressOf(example.from ?? 'actor'), to, sent, input);
  root.output = answerOf(example);
  const logs: Emitted[] = [];
  const symbols = new Map<Address, string>();
  const within: Building['within'] = (account, asked = SOME_CALL, by = to) => {
    if (account === to) return root;
    const call = callOf(by, account, 0n, asked);
    within(by).calls.push(call);
    return call;
  };
  const emit: Building['emit'] = (log, asked, by) => {
    logs.push(log);
    const { logs: own, calls } = within(log.address, asked, by);
    own.push({ ...log, position: quantity(BigInt(calls.length)) });
  };
  for (const [i, step] of steps.entries())
    applyStep(step, ['steps', i], { root, within, emit, addressOf, find, symbols });
  const moved = new Set(symbols.values());
  for (const token of Object.keys(tokens))
    if (!moved.has(token)) throw new ExampleError(['tokens', token], `no step moves ${token}`);

  const tx = { hash, blockHash: BLOCK, from: root.from, to, value: root.value, input: root.input };
  const delegations = new Map(
    Object.entries(delegates).map(([one, code]) => [addressOf(one), addressOf(code)]),
  );
  const authorizationList = [...delegations].map(([authority, address]) => ({
    address,
    nonce: authority === root.from ? '0x8' : '0x0',
  }));
  return {
    addressOf,
    inWords: (text) =>
      text
        .replace(/(eip155:1\/erc(?:721|1155):0x[0-9a-fA-F]{40})\//g, '$1#')
        .replace(
          /(?:eip155:1\/erc(?:20|721|1155):)?(0x[0-9a-fA-F]{40})\b/g,
          (shown, address: string) => words.get(address.toLowerCase()) ?? shown,
        )
        .replaceAll(NATIVE_ASSET, 'native'),
    raw: {
      hash,
      tx: { ...tx, type: '0x2', nonce: '0x7', gasPrice: '0x3b9aca00', authorizationList },
      receipt: {
        transactionHash: hash,
        blockHash: BLOCK,
        blockNumber: BLOCK_NUMBER,
        from: root.from,
        gasUsed: gasOf(steps, input),
        effectiveGasPrice: '0x3b9aca00',
        blobGasUsed: quantity(BigInt(blobs) * GAS_PER_BLOB),
        blobGasPrice: '0x1',
        contractAddress: null,
        status: '0x1',
        logs: logs.map((log, at) => ({ ...log, logIndex: quantity(BigInt(at)), transactionHash: hash })),
      },
      trace: { dialect: 'call_tracer', result: root },
    },
    context: {
      block: {
        number: BLOCK_NUMBER,
        hash: BLOCK,
        timestamp: '0x6553f100',
        baseFeePerGas: '0x3b9aca00',
        miner: BUILDER,
      },
      tokens: new Map(
        [...symbols].map(([address, symbol]) => {
          const { decimals = DEFAULT_DECIMALS } = tokens[symbol] ?? {};
          return [address, { address, symbol, name: symbol, decimals }];
        }),
      ),
      prices: [],
      refusals: [],
      delegations,
      authorities: [...delegations.keys()].map((one) => (one === ZERO_ADDRESS ? null : one)),
      nonces: new Map([...delegations.keys()].map((one) => [one, { before: 0n, after: 1n }])),
      holders: new Map(
        Object.entries(holders).map(([nft, account]) => {
          const [token, id] = nft.split('#') as [string, string];
          return [nftId('erc721', addressOf(token), readAmount(id, ['holders', nft])), addressOf(account)];
        }),
      ),
    },
  };
}

interface Building extends ExampleWords {
  readonly root: Call;
  /** The call of an account in which it does something: the transaction's own, or one made for it. */
  readonly within: (account: Address, asked?: Hex, by?: Address) => Call;
  readonly emit: (log: Emitted, asked?: Hex, by?: Address) => void;
  readonly symbols: Map<Address, string>;
}

function applyStep(step: RawExampleStep, path: Path, building: Building): void {
  const { root, within, emit, addressOf } = building;
  const by = step.by === undefined ? root.to : addressOf(step.by);
  if ('event' in step) emit({ address: by, ...encodeEvent(step.event, step.args ?? [], path, building) });
  else if ('create' in step)
    within(by).calls.push({ ...callOf(by, addressOf(step.create), 0n, '0x'), type: 'CREATE' });
  else if ('call' in step) {
    const value = readAmount(step.value ?? 0, [...path, 'value']);
    const input = encodeCall(step.call, step.args ?? [], path, building);
    root.calls.push(callOf(by, addressOf(step.on), value, input));
  } else move(step, by, path, building);
}

type Move = Extract<RawExampleStep, { move: unknown }>;

function move(step: Move, by: Address, path: Path, building: Building): void {
  const { within, emit, addressOf, symbols } = building;
  const [from, to] = [addressOf(step.from), addressOf(step.to)];
  const amount = readAmount(step.move, [...path, 'move']);
  if (step.asset === 'native') {
    within(from).calls.push(callOf(from, to, amount, '0x'));
    return;
  }
  const token = addressOf(step.asset);
  symbols.set(token, step.asset);
  const ends = [TRANSFER, word(from), word(to)] as const;
  if (step.id !== undefined) {
    const id = readAmount(step.id, [...path, 'id']);
    const data = `${word(id)}${word(amount).slice(2)}` as Hex;
    const topics = [TRANSFER_SINGLE, word(by), word(from), word(to)] as const;
    const asked = asking(step, SAFE_TRANSFER_FROM, from, to, id, amount, 0xa0n, 0n);
    emit({ address: token, topics, data }, asked, by);
    return;
  }
  const nft = step.nft === undefined ? null : readAmount(step.nft, [...path, 'nft']);
  const log =
    nft === null
      ? { topics: ends, data: word(amount) }
      : { topics: [...ends, word(nft)], data: '0x' as const };
  emit({ address: token, ...log }, asking(step, TRANSFER_FROM, from, to, nft ?? amount), by);
}

/** The calldata that asks a token for a movement; one that is unasked has a call without meaning. */
const asking = ({ unasked }: Move, selector: Hex, ...words: readonly (bigint | Address)[]): Hex =>
  unasked ? SOME_CALL : `${selector}${words.map(wordOf).join('')}`;
