import { attempt } from '../../lib/attempt.ts';
import { isRecord, itemsOf } from '../../lib/shape.ts';

/** A JSON object of unknown content. */
type Json = Record<string, unknown>;

export interface RawFrame {
  readonly path: string;
  readonly type: string;
  readonly from: string;
  readonly to: string;
  readonly context: string;
  /** Wei that moved, 0 where a failed frame or the call type undoes it. */
  readonly value: bigint;
  readonly failed: boolean;
  readonly input: string;
  /** Return data of the call. */
  readonly output: string;
}

export interface RawLog {
  readonly index: number;
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** The node's answers for one transaction, as JSON-RPC sent them. */
export interface RawAnswers {
  readonly tx: unknown;
  readonly receipt: unknown;
  readonly block: unknown;
  readonly callTracer: unknown;
  readonly parityTrace: unknown;
  /** `prestateTracer` with `diffMode`, where the node has it. */
  readonly prestateDiff: unknown;
  /** Code of the accounts named, which shows delegations (EIP-7702: `0xef0100‖address`). */
  readonly codes?: readonly unknown[];
}

/** The node's answers on a transaction, read here again: no claim is checked by the code that made it. */
export type RawChain = Readonly<ReturnType<typeof readRawChain>>;
type StateDiff = Record<'pre' | 'post', Record<string, Json>>;

const object = (value: unknown): Json => (isRecord(value) ? value : {});
const lower = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '');
/** A JSON-RPC quantity; anything else reads as zero, which then fails the comparison it is used in. */
export const quantity = (value: unknown): bigint =>
  typeof value === 'string' || typeof value === 'number' ? (attempt(() => BigInt(value)) ?? 0n) : 0n;

/** Asset id of ether. */
export const NATIVE = 'eip155:1/slip44:60';
export const ZERO = `0x${'0'.repeat(40)}`;

/** The token's address in an asset id; empty for ether. */
export const tokenOf = (assetId: string): string => /0x[0-9a-f]{40}/.exec(assetId)?.[0] ?? '';
/** Whether two addresses are one, in any letter case. */
export const isSame = (a: string, b: string | undefined): boolean => a.toLowerCase() === b?.toLowerCase();
export const size = (n: bigint): bigint => (n < 0n ? -n : n);

/** Words of 32 bytes, without `0x`. */
export const wordsIn = (hex: string): string[] => hex.slice(2).match(/.{64}/g) ?? [];
/** An unsigned integer as a word of 32 bytes, without `0x`. */
export const wordHex = (value: bigint | number): string => value.toString(16).padStart(64, '0');

/** The words of a log, arguments in topics first, without `0x`. */
export const wordsOf = ({ topics, data }: RawLog): string[] => [
  ...topics.slice(1).map((topic) => topic.slice(2)),
  ...wordsIn(data),
];

/** Wei per gas that the sender paid. */
export const gasPrice = ({ receipt, tx }: RawChain): bigint =>
  quantity(receipt['effectiveGasPrice'] ?? tx['gasPrice']);

/** Wei that gas and blob gas cost. */
export const gasCost = (chain: RawChain): bigint =>
  quantity(chain.receipt['gasUsed']) * gasPrice(chain) +
  quantity(chain.receipt['blobGasUsed']) * quantity(chain.receipt['blobGasPrice']);

/** A call as the tracer wrote it, with the numbers of the calls above it and its own. */
interface Traced extends Omit<RawFrame, 'path' | 'context'> {
  readonly address: readonly number[];
}

/** Calls in execution order. */
function* fromCallTracer(root: Json): Generator<Traced> {
  const stack: [Json, number[]][] = [[root, []]];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const [frame, address] = next;
    yield {
      address,
      type: String(frame['type'] ?? ''),
      from: lower(frame['from']),
      to: lower(frame['to']),
      value: quantity(frame['value']),
      failed: typeof frame['error'] === 'string' && frame['error'] !== '',
      input: lower(frame['input']),
      output: lower(frame['output']),
    };
    for (const [i, call] of [...itemsOf(frame['calls']).entries()].reverse())
      stack.push([object(call), [...address, i]]);
  }
}

const PARITY_TYPES: Readonly<Record<string, string>> = {
  create: 'CREATE',
  suicide: 'SELFDESTRUCT',
  selfdestruct: 'SELFDESTRUCT',
};

function* fromParity(items: readonly unknown[]): Generator<Traced> {
  for (const item of items.map(object)) {
    const [action, result] = [object(item['action']), object(item['result'])];
    const callType = String(action['callType'] ?? 'call').toUpperCase();
    const type = item['type'] === 'call' ? callType : PARITY_TYPES[String(item['type'])];
    if (type === undefined) continue;
    yield {
      address: itemsOf(item['traceAddress']).map(Number),
      type,
      from: lower(action['from'] ?? action['address']),
      to: lower(action['to'] ?? action['refundAddress'] ?? result['address']),
      value: quantity(action['value'] ?? action['balance']),
      failed: typeof item['error'] === 'string',
      input: lower(action['input']),
      output: lower(result['output']),
    };
  }
}

/** Calls that run another's code on their own state. */
const BORROWING: ReadonlySet<string> = new Set(['DELEGATECALL', 'CALLCODE']);

/** Frames in execution order, numbered as in reports: no value-less calls to precompiles (0x01–0x1ff). */
function numberFrames(calls: Iterable<Traced>): Map<string, RawFrame> {
  const frames = new Map<string, RawFrame>();
  const byAddress = new Map<string, { frame: RawFrame; counted: number }>();
  for (const { address, ...call } of calls) {
    const above = byAddress.get(address.slice(0, -1).join('.'));
    const isPrecompile = /^0x0{37}(?!000)[01][0-9a-f]{2}$/.test(call.to) && call.value === 0n;
    if (address.length > 0 && (!above || isPrecompile)) continue;
    const prefix = above?.frame.path ? `${above.frame.path}.` : '';
    const frame =
      address.length === 0 ? frameOf(call, '') : frameOf(call, `${prefix}${above!.counted++}`, above!.frame);
    frames.set(frame.path, frame);
    byAddress.set(address.join('.'), { frame, counted: 0 });
  }
  return frames;
}

function frameOf(call: Omit<Traced, 'address'>, path: string, parent?: RawFrame): RawFrame {
  const { context: caller, failed: above } = parent ?? { context: call.to, failed: false };
  const failed = call.failed || above;
  const borrowed = BORROWING.has(call.type);
  // A SELFDESTRUCT belongs to its caller, in every tracer.
  const from = parent && call.type === 'SELFDESTRUCT' ? caller : call.from;
  const value = failed || borrowed || call.type === 'STATICCALL' ? 0n : call.value;
  return { ...call, path, from, context: borrowed ? caller : call.to, value, failed };
}

function soleCallersIn(frames: readonly RawFrame[]): Map<string, string | null> {
  const callers = new Map<string, string | null>();
  const calls = frames.filter(({ type, failed, from, to }) => type === 'CALL' && !failed && from !== to);
  for (const { from, to } of calls)
    callers.set(to, callers.has(to) && callers.get(to) !== from ? null : from);
  return callers;
}

function addressesIn(values: readonly unknown[]): Set<string> {
  const found = new Set<string>([ZERO]);
  const stack = [...values];
  while (stack.length > 0) {
    const value = stack.pop();
    if (Array.isArray(value)) stack.push(...value);
    else if (value && typeof value === 'object') stack.push(...Object.keys(value), ...Object.values(value));
    else if (typeof value === 'string' && /^0x[0-9a-fA-F]{40,}$/.test(value))
      for (const address of addressesInHex(value.slice(2).toLowerCase())) found.add(`0x${address}`);
  }
  return found;
}

/** An address, the target of a delegation (EIP-7702), or the addresses in ABI words. */
function* addressesInHex(hex: string): Generator<string> {
  if (hex.length === 40) yield hex;
  if (hex.length === 46 && hex.startsWith('ef0100')) yield hex.slice(6);
  // Words of calldata and log data, with or without a four-byte selector in front.
  for (const start of [0, 8])
    for (let i = start; i + 64 <= hex.length; i += 64)
      if (hex.startsWith('0'.repeat(24), i)) yield hex.slice(i + 24, i + 64);
}

function readLogs(receipt: Json): Map<number, RawLog> {
  const logs = itemsOf(receipt['logs'])
    .map(object)
    .map((item) => ({
      index: Number(quantity(item['logIndex'])),
      address: lower(item['address']),
      topics: itemsOf(item['topics']).map(lower),
      data: lower(item['data']),
    }));
  return new Map(logs.map((log) => [log.index, log]));
}

/** Reads the answers into one view. A missing part is empty: claims that rest on it fail. */
export function readRawChain(answers: RawAnswers) {
  const receipt = object(answers.receipt);
  const traced = object(answers.callTracer);
  const isTraced = typeof traced['from'] === 'string';
  const frames = numberFrames(isTraced ? fromCallTracer(traced) : fromParity(itemsOf(answers.parityTrace)));
  // Receipts before Byzantium have no status.
  const status = receipt['status'] ?? null;
  const succeeded = status === null ? frames.get('')?.failed === false : quantity(status) === 1n;
  const { prestateDiff, ...others } = answers;
  const { pre, post } = object(prestateDiff);
  const isDiff = typeof pre === 'object' && typeof post === 'object';
  return {
    tx: object(answers.tx),
    receipt,
    block: object(answers.block),
    succeeded,
    frames,
    /** By contract, the one other account that called it; null where several did. */
    soleCallers: soleCallersIn([...frames.values()]),
    logs: succeeded ? readLogs(receipt) : new Map<number, RawLog>(),
    prestateDiff: isDiff ? ({ pre: object(pre), post: object(post) } as StateDiff) : null,
    /** Every address the answers mention, in any position. */
    addresses: addressesIn(Object.values(others)),
  };
}
