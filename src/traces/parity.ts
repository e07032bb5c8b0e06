import { hexOf, readAddress, readCount, readHash, readQuantity } from '../evm/hex.ts';
import { AnalysisError } from '../lib/errors.ts';
import { groupBy } from '../lib/lists.ts';
import { absent, isRecord, readObject, type Fields } from '../lib/shape.ts';
import type { FrameType } from '../model/canonicalTx.ts';
import type { Address, Hash } from '../model/hex.ts';
import { CallBudget, failureOf, readGas, readOptionalBytes, type CallNode } from './callNode.ts';
import type { TraceApi, TracedTransaction } from './traceApi.ts';

const BAD = 'trace_malformed';
const CALL_TYPES: ReadonlyMap<unknown, FrameType> = new Map<unknown, FrameType>([
  ['call', 'CALL'],
  ['callcode', 'CALLCODE'],
  ['delegatecall', 'DELEGATECALL'],
  ['staticcall', 'STATICCALL'],
]);

/**
 * `trace_transaction` of OpenEthereum and its successors: a flat list of `{type, action, result, error,
 * traceAddress}`. https://openethereum.github.io/JSONRPC-trace-module
 */
export const PARITY: TraceApi = {
  mode: 'parity',
  dialect: 'parity',
  call: (hash) => ({ method: 'trace_transaction', params: [hash] }),
  // By number only; the answers name the block's hash, which is checked.
  blockCall: ({ number }) => ({ method: 'trace_block', params: [hexOf(number)] }),
  splitBlock,
  looksLike,
  logs: () => [],
  read: readEntries,
};

/** One flat list; items without a transaction are block rewards. */
function splitBlock(items: readonly unknown[]): ReadonlyMap<Hash, unknown> {
  return groupBy(items, (item) => {
    const hash = isRecord(item) ? item['transactionHash'] : null;
    return typeof hash === 'string' ? (hash.toLowerCase() as Hash) : null;
  });
}

function looksLike(result: unknown): 'trace' | 'empty' | 'malformed' {
  if (absent(result)) return 'empty';
  if (!Array.isArray(result)) return 'malformed';
  if (result.length === 0) return 'empty';
  const isEntry = (item: unknown): boolean =>
    isRecord(item) && isRecord(item['action']) && Array.isArray(item['traceAddress']);
  return (result as unknown[]).every(isEntry) ? 'trace' : 'malformed';
}

/** Some nodes list the block's reward with its last transaction. */
function isReward({ type, action }: Fields): boolean {
  return type === 'reward' || (isRecord(action) && !absent(action['rewardType']));
}

/** The entry's type; by its fields where a node leaves it out or says `init`. */
function typeOf({ type }: Fields, action: Fields): unknown {
  if (!absent(type) && action['callType'] !== 'init') return type === 'selfdestruct' ? 'suicide' : type;
  if (!absent(action['refundAddress'])) return 'suicide';
  return absent(action['init']) && action['callType'] !== 'init' ? 'call' : 'create';
}

interface Entry {
  readonly fields: Fields;
  readonly address: readonly number[];
}

/** The tree is rebuilt from `traceAddress`, for any order of the list. */
function readEntries(result: unknown, tx: TracedTransaction): CallNode[] {
  if (absent(result) || (Array.isArray(result) && result.length === 0))
    throw new AnalysisError('trace_empty');
  if (!Array.isArray(result)) throw new AnalysisError(BAD, 'the trace is not a list');
  const budget = new CallBudget();
  const entries: Entry[] = [];
  for (const raw of result) {
    const fields = readObject(raw, BAD, 'a trace entry is not an object');
    if (isReward(fields)) continue;
    requireSame(fields, 'transactionHash', tx.hash, 'a trace entry belongs to another transaction');
    requireSame(fields, 'blockHash', tx.blockHash, 'the trace is from another block');
    const address = readTraceAddress(fields['traceAddress']);
    budget.spend(address.length);
    entries.push({ fields, address });
  }
  if (entries.length === 0) throw new AnalysisError('trace_empty');
  return linkParents(entries.sort((a, b) => comparePaths(a.address, b.address)));
}

function requireSame(fields: Fields, key: string, expected: Hash, otherwise: string): void {
  const value = fields[key];
  if (value !== expected && !absent(value) && readHash(value, BAD, `trace ${key}`) !== expected)
    throw new AnalysisError('inconsistent_upstream', otherwise);
}

function readTraceAddress(value: unknown): number[] {
  if (!Array.isArray(value)) throw new AnalysisError(BAD, 'traceAddress is not a list');
  return value.map((step: unknown) => {
    const position = readCount(step, BAD, 'traceAddress');
    if (position > 0xffff_ffff) throw new AnalysisError(BAD, 'traceAddress');
    return position;
  });
}

function comparePaths(a: readonly number[], b: readonly number[]): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}

/** Entries sorted by path: a parent is the last entry seen one level up, and must be a prefix. */
function linkParents(entries: readonly Entry[]): CallNode[] {
  const open: number[] = [];
  return entries.map(({ fields, address }, index) => {
    const depth = address.length;
    const parent = depth === 0 ? null : open[depth - 1];
    if (parent === undefined || (depth === 0 && index > 0))
      throw new AnalysisError(BAD, 'a trace entry has no parent');
    if (parent !== null) {
      const prefix = entries[parent]!.address;
      const isPrefix = prefix.every((step, i) => step === address[i]);
      if (!isPrefix) throw new AnalysisError(BAD, 'a trace entry has no parent');
      if (index > 0 && comparePaths(entries[index - 1]!.address, address) === 0)
        throw new AnalysisError(BAD, 'two trace entries share an address');
    }
    open.length = depth;
    open.push(index);
    return readEntry(fields, parent);
  });
}

function readEntry(fields: Fields, parent: number | null): CallNode {
  const action = readObject(fields['action'], BAD, 'trace action');
  const result = readObject(fields['result'] ?? {}, BAD, 'trace result');
  const error = failureOf(fields, parent);
  const common = { parent, error, logs: [], gasUsed: readGas(result['gasUsed']) };
  switch (typeOf(fields, action)) {
    case 'call':
      return {
        ...common,
        type: callTypeOf(action),
        from: address(action, 'from'),
        to: address(action, 'to'),
        value: wei(action, 'value'),
        input: readOptionalBytes(action['input'], 'trace input'),
        output: readOptionalBytes(result['output'], 'trace output'),
      };
    case 'create':
      return {
        ...common,
        type: action['creationMethod'] === 'create2' ? 'CREATE2' : 'CREATE',
        from: address(action, 'from'),
        to: error !== null || absent(result['address']) ? null : address(result, 'address'),
        value: wei(action, 'value'),
        input: readOptionalBytes(action['init'] ?? action['input'], 'trace init'),
        output: readOptionalBytes(result['code'] ?? result['output'], 'trace code'),
      };
    case 'suicide':
      return {
        ...common,
        type: 'SELFDESTRUCT',
        from: address(action, 'address'),
        to: address(action, 'refundAddress'),
        value: wei(action, 'balance'),
        input: '0x',
        output: '0x',
      };
    default:
      throw new AnalysisError(BAD, 'a trace entry has no known type');
  }
}

function callTypeOf({ callType }: Fields): FrameType {
  const type = CALL_TYPES.get(callType ?? 'call');
  if (type === undefined) throw new AnalysisError(BAD, 'callType');
  return type;
}

function address(fields: Fields, key: string): Address {
  return readAddress(fields[key], BAD, `trace ${key}`);
}

function wei(fields: Fields, key: string): bigint {
  return absent(fields[key]) ? 0n : readQuantity(fields[key], BAD, `trace ${key}`);
}
