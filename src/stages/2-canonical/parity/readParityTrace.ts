import type { Address, Hash, Hex } from '../../../model/hex.ts';
import type { FrameType } from '../../../model/canonicalTx.ts';
import { AnalysisError } from '../../../lib/errors.ts';
import { readCount, readQuantity } from '../../../evm/hex.ts';
import { CallBudget, type CallNode } from '../callNode.ts';
import { canonicalError } from '../frameError.ts';
import { absent, readObject, type Fields } from '../shape.ts';
import type { SharedTexts } from '../sharedTexts.ts';

const BAD = 'trace_malformed';
const CALL_TYPES: ReadonlyMap<unknown, FrameType> = new Map<unknown, FrameType>([
  ['call', 'CALL'],
  ['callcode', 'CALLCODE'],
  ['delegatecall', 'DELEGATECALL'],
  ['staticcall', 'STATICCALL'],
]);

interface Entry {
  readonly fields: Fields;
  readonly address: readonly number[];
}

/**
 * Reads a `trace_transaction` result (a flat list of `{type, action, result, error, traceAddress}`) into pre-order.
 * The tree is rebuilt from `traceAddress`, whatever order the list came in. Throws `trace_empty`, `trace_malformed` or,
 * where an entry names another transaction or block, `inconsistent_upstream`.
 */
export function readParityTrace(
  result: unknown,
  hash: Hash,
  blockHash: Hash,
  texts: SharedTexts,
): CallNode[] {
  if (absent(result) || (Array.isArray(result) && result.length === 0))
    throw new AnalysisError('trace_empty');
  if (!Array.isArray(result)) throw new AnalysisError(BAD, 'the trace is not a list');
  const budget = new CallBudget();
  const entries: Entry[] = [];
  for (const raw of result) {
    const fields = readObject(raw, BAD, 'a trace entry is not an object');
    if (fields['type'] === 'reward') continue;
    if (
      !absent(fields['transactionHash']) &&
      texts.hash(fields['transactionHash'], BAD, 'trace transactionHash') !== hash
    ) {
      throw new AnalysisError('inconsistent_upstream', 'a trace entry belongs to another transaction');
    }
    if (
      !absent(fields['blockHash']) &&
      texts.hash(fields['blockHash'], BAD, 'trace blockHash') !== blockHash
    ) {
      throw new AnalysisError('inconsistent_upstream', 'the trace is from another block');
    }
    const address = readTraceAddress(fields['traceAddress']);
    budget.spend(address.length);
    entries.push({ fields, address });
  }
  if (entries.length === 0) throw new AnalysisError('trace_empty');
  if (!inOrder(entries)) entries.sort((a, b) => comparePaths(a.address, b.address));
  return linkParents(entries, texts);
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

function inOrder(entries: readonly Entry[]): boolean {
  return entries.every((entry, i) => i === 0 || comparePaths(entries[i - 1]!.address, entry.address) < 0);
}

/** Entries sorted by path: a parent is the last entry seen one level up, and must be a prefix. */
function linkParents(entries: readonly Entry[], texts: SharedTexts): CallNode[] {
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
    return readEntry(fields, parent, texts);
  });
}

function readEntry(fields: Fields, parent: number | null, texts: SharedTexts): CallNode {
  const action = readObject(fields['action'], BAD, 'trace action');
  const result = absent(fields['result']) ? {} : readObject(fields['result'], BAD, 'trace result');
  const failed = !absent(fields['error']) && fields['error'] !== '';
  const common = { parent, error: failed ? canonicalError(fields['error']) : null, logs: [] };
  switch (fields['type']) {
    case 'call': {
      const type = CALL_TYPES.get(action['callType'] ?? 'call');
      if (type === undefined) throw new AnalysisError(BAD, 'callType');
      return {
        ...common,
        type,
        from: address(action, 'from', texts),
        to: address(action, 'to', texts),
        value: wei(action, 'value'),
        input: bytes(action['input'], 'trace input', texts),
        output: bytes(result['output'], 'trace output', texts),
      };
    }
    case 'create': {
      const method = action['creationMethod'];
      return {
        ...common,
        type: method === 'create2' ? 'CREATE2' : 'CREATE',
        from: address(action, 'from', texts),
        to: failed || absent(result['address']) ? null : address(result, 'address', texts),
        value: wei(action, 'value'),
        input: bytes(action['init'], 'trace init', texts),
        output: bytes(result['code'] ?? result['output'], 'trace code', texts),
      };
    }
    case 'suicide':
    case 'selfdestruct':
      return {
        ...common,
        type: 'SELFDESTRUCT',
        from: address(action, 'address', texts),
        to: address(action, 'refundAddress', texts),
        value: wei(action, 'balance'),
        input: '0x',
        output: '0x',
      };
    default:
      throw new AnalysisError(BAD, 'a trace entry has no known type');
  }
}

function address(fields: Fields, key: string, texts: SharedTexts): Address {
  return texts.address(fields[key], BAD, `trace ${key}`);
}

function wei(fields: Fields, key: string): bigint {
  return absent(fields[key]) ? 0n : readQuantity(fields[key], BAD, `trace ${key}`);
}

function bytes(value: unknown, what: string, texts: SharedTexts): Hex {
  return absent(value) ? '0x' : texts.bytes(value, BAD, what);
}
