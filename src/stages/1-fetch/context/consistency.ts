import { SYSTEM_ADDRESS, quantity } from '../../../evm/hex.ts';
import { sameInAnyOrder } from '../../../lib/sameInAnyOrder.ts';
import { bloomRefutes } from './bloom.ts';
import { isRecord } from '../rpc/rpcMessages.ts';
import type { Hash } from '../../../model/hex.ts';
import type { RawTransaction } from '../../../model/upstream.ts';

/**
 * Pure checks that the answers of one node speak of the same transaction. Each returns what does not fit, or null. They
 * compare only fields that are there: a missing or malformed field is for the reader of that field to refuse.
 */

function text(value: unknown): string | null {
  return typeof value === 'string' ? value.toLowerCase() : null;
}

function differ(a: unknown, b: unknown): boolean {
  if (a === b) return false;
  const left = text(a);
  const right = text(b);
  return left !== null && right !== null && left !== right;
}

function quantitiesDiffer(a: unknown, b: unknown): boolean {
  if (a === b) return false;
  const left = quantity(a);
  const right = quantity(b);
  return left !== null && right !== null && left !== right;
}

function isHash(value: unknown, hash: Hash): boolean {
  return value === hash || text(value) === hash;
}

/** Transaction, receipt, its logs and the hash asked for. */
export function receiptMismatch(
  hash: Hash,
  tx: Record<string, unknown>,
  receipt: Record<string, unknown>,
): string | null {
  if (!isHash(tx['hash'], hash)) return 'another transaction than asked for';
  if (!isHash(receipt['transactionHash'], hash)) return 'the receipt of another transaction';
  if (
    differ(tx['blockHash'], receipt['blockHash']) ||
    quantitiesDiffer(tx['blockNumber'], receipt['blockNumber'])
  )
    return 'transaction and receipt name different blocks';
  if (differ(tx['from'], receipt['from'])) return 'transaction and receipt name different senders';
  for (const log of Array.isArray(receipt['logs']) ? (receipt['logs'] as unknown[]) : NOTHING) {
    if (!isRecord(log)) continue;
    if (differ(log['transactionHash'], hash)) return 'a log of another transaction';
    if (differ(log['blockHash'], receipt['blockHash'])) return 'a log of another block';
  }
  return null;
}

/** The trace's root against transaction and receipt, and the receipt's logs against those of the trace or their bloom filter. */
export function traceMismatch(
  tx: Record<string, unknown>,
  receipt: Record<string, unknown>,
  trace: RawTransaction['trace'],
): string | null {
  const root = trace.dialect === 'parity' ? parityRoot(tx, trace.result) : callTracerRoot(trace.result);
  if (typeof root === 'string') return root;
  const target = tx['to'] ?? null;
  if (differ(root.from, tx['from'])) return 'the trace starts at another sender';
  if (differ(root.to, target ?? receipt['contractAddress'])) return 'the trace starts at another target';
  if (differ(root.input, tx['input'] ?? tx['data'])) return 'the trace starts with other input';
  if (quantitiesDiffer(root.value, tx['value'])) return 'the trace starts with another value';
  const status = quantity(receipt['status']);
  if (status !== null && root.failed !== (status === 0n))
    return 'receipt and trace disagree whether it succeeded';
  if (!Array.isArray(receipt['logs'])) return null;
  const logs = receipt['logs'] as unknown[];
  const traced = trace.dialect === 'call_tracer' && status !== 0n ? effectiveLogs(trace.result) : NOTHING;
  if (traced.length > 0) {
    const received = logs.filter((log) => !isSystemLog(log));
    if (traced.length !== received.length)
      return `the trace holds ${traced.length} logs, the receipt ${received.length}`;
    if (!sameLogs(traced, received)) return 'the trace holds other logs than the receipt';
    // Run anew, the transaction wrote the same logs: their filter, a hash for every address and topic, proves no more.
    if (received.length === logs.length) return null;
  }
  return bloomRefutes(receipt['logsBloom'], logs)
    ? 'the logs do not match the bloom filter of their receipt'
    : null;
}

interface Root {
  readonly from: unknown;
  readonly to: unknown;
  readonly input: unknown;
  readonly value: unknown;
  readonly failed: boolean;
}

function callTracerRoot(result: unknown): Root {
  const frame = isRecord(result) ? result : {};
  return {
    from: frame['from'],
    to: frame['to'],
    input: frame['input'],
    value: frame['value'],
    failed: frame['error'] != null,
  };
}

function parityRoot(tx: Record<string, unknown>, result: unknown): Root | string {
  let root: Record<string, unknown> | null = null;
  for (const item of Array.isArray(result) ? (result as unknown[]) : []) {
    if (!isRecord(item)) continue;
    if (differ(item['transactionHash'], tx['hash'])) return 'a trace of another transaction';
    if (differ(item['blockHash'], tx['blockHash'])) return 'a trace of another block';
    if (Array.isArray(item['traceAddress']) && item['traceAddress'].length === 0) {
      if (root) return 'a trace with two roots';
      root = item;
    }
  }
  if (!root) return 'a trace without a root';
  const action = isRecord(root['action']) ? root['action'] : {};
  const created = isRecord(root['result']) ? root['result']['address'] : null;
  return {
    from: action['from'],
    to: action['to'] ?? created,
    input: action['input'] ?? action['init'],
    value: action['value'],
    failed: root['error'] != null,
  };
}

/** EIP-7708 logs of native transfers are written by the protocol: tracers may or may not list them. */
function isSystemLog(log: unknown): boolean {
  if (!isRecord(log)) return false;
  const address = log['address'];
  // Few others end in such a digit.
  return (
    typeof address === 'string' &&
    (address.charCodeAt(40) | 32) === LAST_BUT_ONE &&
    text(address) === SYSTEM_ADDRESS
  );
}

const LAST_BUT_ONE = SYSTEM_ADDRESS.charCodeAt(40);

/** A frame whose calls and logs are being gone through. */
interface OpenCall {
  readonly calls: readonly unknown[];
  readonly logs: readonly unknown[];
  call: number;
  log: number;
}

/**
 * Logs that remain, in frames that did not fail, as far as positions tell in the order of execution, which is the
 * receipt's. Iterative: the depth of a trace is the node's to choose.
 */
function effectiveLogs(result: unknown): unknown[] {
  const found: unknown[] = [];
  const open: OpenCall[] = [];
  const enter = (frame: unknown): void => {
    if (!isRecord(frame) || frame['error'] != null) return;
    const calls = Array.isArray(frame['calls']) ? (frame['calls'] as unknown[]) : NOTHING;
    const logs = Array.isArray(frame['logs']) ? (frame['logs'] as unknown[]) : NOTHING;
    if (calls.length + logs.length > 0) open.push({ calls, logs, call: 0, log: 0 });
  };
  enter(result);
  while (open.length > 0) {
    const frame = open[open.length - 1]!;
    const last = frame.call === frame.calls.length;
    for (
      ;
      frame.log < frame.logs.length && (last || positionOf(frame.logs[frame.log]) <= frame.call);
      frame.log++
    ) {
      if (!isSystemLog(frame.logs[frame.log])) found.push(frame.logs[frame.log]);
    }
    if (last) open.pop();
    else enter(frame.calls[frame.call++]);
  }
  return found;
}

const NOTHING: readonly unknown[] = [];

/** How many calls of its frame stand before a log; more than there are where the node does not say. */
function positionOf(log: unknown): number {
  const position = isRecord(log) ? quantity(log['position']) : null;
  return position === null ? Infinity : Number(position);
}

/** The same emitters, topics and data the same number of times, in any order. */
function sameLogs(traced: readonly unknown[], received: readonly unknown[]): boolean {
  if (traced.every((log, i) => plainlySame(log, received[i]))) return true;
  return sameInAnyOrder(traced.map(contentOf), received.map(contentOf));
}

/** Equal as they stand, which is how most nodes tell them: in the receipt's order and in one spelling. */
function plainlySame(a: unknown, b: unknown): boolean {
  if (
    !isRecord(a) ||
    !isRecord(b) ||
    typeof a['data'] !== 'string' ||
    a['data'] !== b['data'] ||
    typeof a['address'] !== 'string' ||
    a['address'] !== b['address']
  )
    return false;
  const left: unknown = a['topics'];
  const right: unknown = b['topics'];
  if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
  for (let i = 0; i < left.length; i++) if (typeof left[i] !== 'string' || left[i] !== right[i]) return false;
  return true;
}

function contentOf(log: unknown): string {
  if (!isRecord(log)) return '';
  const topics = Array.isArray(log['topics']) ? (log['topics'] as unknown[]).map(text).join() : '';
  return `${text(log['address'])}|${topics}|${text(log['data']) ?? '0x'}`;
}

/** The header against the block the receipt names. */
export function headerMismatch(
  block: Record<string, unknown>,
  expected: { hash: Hash; number: bigint },
): string | null {
  if (!isHash(block['hash'], expected.hash)) return 'the header of another block';
  return quantity(block['number']) === expected.number ? null : 'a header with another number';
}
