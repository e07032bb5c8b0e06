import { quantity } from '../../../evm/hex.ts';
import { sameInAnyOrder } from '../../../lib/lists.ts';
import { isSystemLog } from '../../../traces/callTracer.ts';
import { apiOfDialect } from '../../../traces/traceApis.ts';
import { bloomRefutes } from './bloom.ts';
import { differ, isRecord, itemsOf } from '../../../lib/shape.ts';
import type { Hash } from '../../../model/hex.ts';
import type { RawTransaction } from '../../../model/upstream.ts';

/**
 * Pure checks that the answers of one node are about the same transaction. Each returns the contradiction,
 * or null. They compare only fields that are present: stage 2 refuses missing and malformed ones.
 */

function text(value: unknown): string | null {
  return typeof value === 'string' ? value.toLowerCase() : null;
}

function quantitiesDiffer(a: unknown, b: unknown): boolean {
  if (a === b) return false;
  const left = quantity(a);
  const right = quantity(b);
  return left !== null && right !== null && left !== right;
}

/** Whether one quantity is over another; false where one is missing. */
function exceeds(value: unknown, limit: unknown): boolean {
  const [a, b] = [value, limit].map((one) => (typeof one === 'bigint' ? one : quantity(one))) as (
    | bigint
    | null
  )[];
  return a != null && b != null && a > b;
}

export function isHash(value: unknown, hash: Hash): boolean {
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
  if (exceeds(receipt['gasUsed'], tx['gas'])) return 'more gas used than the transaction allows';
  if (exceeds(receipt['effectiveGasPrice'], tx['maxFeePerGas']))
    return 'a gas price over the maximum of the transaction';
  return foreignLog(hash, receipt);
}

function foreignLog(hash: Hash, receipt: Record<string, unknown>): string | null {
  for (const log of itemsOf(receipt['logs'])) {
    if (!isRecord(log)) continue;
    if (differ(log['transactionHash'], hash)) return 'a log of another transaction';
    if (differ(log['blockHash'], receipt['blockHash'])) return 'a log of another block';
  }
  return null;
}

/** The trace against transaction and receipt, and the receipt's logs against the trace's or their bloom. */
export function traceMismatch(
  tx: Record<string, unknown>,
  receipt: Record<string, unknown>,
  trace: RawTransaction['trace'],
): string | null {
  return rootMismatch(tx, receipt, trace) ?? logsMismatch(receipt, trace);
}

function rootMismatch(
  tx: Record<string, unknown>,
  receipt: Record<string, unknown>,
  trace: RawTransaction['trace'],
): string | null {
  const root = apiOfDialect(trace.dialect).root(trace.result, tx);
  if (typeof root === 'string') return root;
  if (differ(root.from, tx['from'])) return 'the trace starts at another sender';
  if (differ(root.to, tx['to'] ?? receipt['contractAddress'])) return 'the trace starts at another target';
  if (differ(root.input, tx['input'] ?? tx['data'])) return 'the trace starts with other input';
  if (quantitiesDiffer(root.value, tx['value'])) return 'the trace starts with another value';
  const status = quantity(receipt['status']);
  return status !== null && root.failed !== (status === 0n)
    ? 'receipt and trace disagree whether it succeeded'
    : null;
}

function logsMismatch(receipt: Record<string, unknown>, trace: RawTransaction['trace']): string | null {
  if (!Array.isArray(receipt['logs'])) return null;
  const logs = receipt['logs'] as unknown[];
  const failed = quantity(receipt['status']) === 0n;
  const traced = failed ? [] : apiOfDialect(trace.dialect).logs(trace.result);
  if (traced.length > 0) {
    const received = logs.filter((log) => !isSystemLog(log));
    if (traced.length !== received.length)
      return `the trace holds ${traced.length} logs, the receipt ${received.length}`;
    if (!sameLogs(traced, received)) return 'the trace holds other logs than the receipt';
    // The node ran the transaction again and got the same logs: their bloom filter proves no more.
    if (received.length === logs.length) return null;
  }
  return bloomRefutes(receipt['logsBloom'], logs)
    ? 'the logs do not match the bloom filter of their receipt'
    : null;
}

/** The same emitters, topics and data the same number of times, in any order. */
function sameLogs(traced: readonly unknown[], received: readonly unknown[]): boolean {
  if (traced.every((log, i) => plainlySame(log, received[i]))) return true;
  return sameInAnyOrder(traced.map(contentOf), received.map(contentOf));
}

/** Equal letter by letter, as most nodes send them: in the receipt's order and in one spelling. */
function plainlySame(a: unknown, b: unknown): boolean {
  if (!isRecord(a) || !isRecord(b)) return false;
  const [left, right] = [a['topics'], b['topics']];
  return (
    isSameText(a['data'], b['data']) &&
    isSameText(a['address'], b['address']) &&
    Array.isArray(left) &&
    Array.isArray(right) &&
    left.length === right.length &&
    left.every((topic, i) => isSameText(topic, right[i]))
  );
}

function isSameText(a: unknown, b: unknown): boolean {
  return typeof a === 'string' && a === b;
}

function contentOf(log: unknown): string {
  if (!isRecord(log)) return '';
  const topics = Array.isArray(log['topics']) ? (log['topics'] as unknown[]).map(text).join() : '';
  return `${text(log['address'])}|${topics}|${text(log['data']) ?? '0x'}`;
}

/** The header against the block the receipt names. */
export function headerMismatch(
  block: Record<string, unknown>,
  expected: { hash: Hash; number: bigint; gasPrice: bigint | null },
): string | null {
  if (!isHash(block['hash'], expected.hash)) return 'the header of another block';
  if (quantity(block['number']) !== expected.number) return 'a header with another number';
  // EIP-1559: every transaction pays at least the base fee.
  return exceeds(block['baseFeePerGas'], expected.gasPrice) ? 'a gas price below the base fee' : null;
}
