import { keccak256 } from '../../../evm/keccak.ts';
import { quantity, isHex, lowerHex } from '../../../evm/hex.ts';
import { sameInAnyOrder } from '../../../lib/lists.ts';
import { isSystemLog } from '../../../traces/callTracer.ts';
import { apiOfDialect } from '../../../traces/traceApi.ts';
import { differ, isRecord, itemsOf } from '../../../lib/shape.ts';
import type { Hash, Hex } from '../../../model/hex.ts';
import type { RawTransaction } from '../../../model/upstream.ts';
import { memoize } from '../../../lib/memo.ts';

/**
 * Pure checks that one node's answers are about one transaction; each returns the contradiction, or null.
 * Missing and malformed fields, and another transaction or call, are stage 2's to refuse.
 */

function text(value: unknown): string | null {
  return typeof value === 'string' ? value.toLowerCase() : null;
}

function quantitiesDiffer(a: unknown, b: unknown): boolean {
  if (a === b) return false;
  const [left, right] = [quantity(a), quantity(b)];
  return left !== null && right !== null && left !== right;
}

/** Whether one quantity is over another; false where one is missing. */
function exceeds(value: unknown, limit: unknown): boolean {
  const [a, b] = [quantity(value), quantity(limit)];
  return a !== null && b !== null && a > b;
}

export function isHash(value: unknown, hash: Hash): boolean {
  return value === hash || text(value) === hash;
}

/** Transaction, receipt and its logs. */
export function receiptMismatch(
  tx: Record<string, unknown>,
  receipt: Record<string, unknown>,
): string | null {
  if (quantitiesDiffer(tx['blockNumber'], receipt['blockNumber']))
    return 'transaction and receipt name different blocks';
  if (quantitiesDiffer(tx['transactionIndex'], receipt['transactionIndex']))
    return 'transaction and receipt name different places in the block';
  if (exceeds(receipt['gasUsed'], tx['gas'])) return 'more gas used than the transaction allows';
  if (exceeds(receipt['effectiveGasPrice'], tx['maxFeePerGas']))
    return 'a gas price over the maximum of the transaction';
  const isForeign = (log: unknown) => isRecord(log) && differ(log['blockHash'], receipt['blockHash']);
  return itemsOf(receipt['logs']).some(isForeign) ? 'a log of another block' : null;
}

/** The receipt's logs against the trace's or their bloom. */
export function logsMismatch(
  receipt: Record<string, unknown>,
  trace: RawTransaction['trace'],
): string | null {
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
  const refuted = bloomRefutes(receipt['logsBloom'], logs);
  return refuted ? 'the logs do not match the bloom filter of their receipt' : null;
}

/** The same emitters, topics and data the same number of times, in any order. */
function sameLogs(traced: readonly unknown[], received: readonly unknown[]): boolean {
  if (traced.every((log, i) => plainlySame(log, received[i]))) return true;
  return sameInAnyOrder(traced.map(contentOf), received.map(contentOf));
}

/** Equal letter by letter, as most nodes send them: in the receipt's order and in one spelling. */
function plainlySame(a: unknown, b: unknown): boolean {
  if (!isRecord(a) || !isRecord(b)) return false;
  const [left, right] = [itemsOf(a['topics']), itemsOf(b['topics'])];
  return (
    isSameText(a['data'], b['data']) &&
    isSameText(a['address'], b['address']) &&
    left.length === right.length &&
    left.every((topic, i) => isSameText(topic, right[i]))
  );
}

function isSameText(a: unknown, b: unknown): boolean {
  return typeof a === 'string' && a === b;
}

function contentOf(log: unknown): string {
  if (!isRecord(log)) return '';
  const topics = itemsOf(log['topics']).map(text).join();
  return `${text(log['address'])}|${topics}|${text(log['data']) ?? '0x'}`;
}

const BYTES = 256;
const NO_BLOOM = `0x${'00'.repeat(BYTES)}`;
/** Addresses and topics remembered: events and tokens recur from one transaction to the next. */
const REMEMBERED = 16_384;
/** Characters of a topic; nothing longer is kept. */
const LONGEST = 66;
const NOTHING = -1;

/** The three 11-bit indexes of an address or topic in a bloom filter (Yellow Paper §4.3.1), in one number. */
function bloomIndexes(value: string): number {
  if (value.length % 2 !== 0 || !isHex(value)) return NOTHING;
  const digest = keccak256(value as Hex).slice(2);
  const index = (at: number): number => parseInt(digest.slice(at, at + 4), 16) & 2047;
  return index(0) * 2 ** 22 + index(4) * 2 ** 11 + index(8);
}

const rememberedIndexes = memoize(bloomIndexes, REMEMBERED);

/** The filter under construction. */
const filter = Buffer.alloc(BYTES);

function set(index: number): void {
  filter[BYTES - 1 - (index >>> 3)]! |= 1 << (index & 7);
}

function add(item: unknown): void {
  if (typeof item !== 'string') return;
  const indexes = item.length <= LONGEST ? rememberedIndexes(item) : bloomIndexes(item);
  if (indexes === NOTHING) return;
  set(Math.floor(indexes / 2 ** 22));
  set((indexes >>> 11) & 2047);
  set(indexes & 2047);
}

/** Whether a receipt's 2048-bit filter is another than the addresses and topics of its logs make. */
function bloomRefutes(bloom: unknown, logs: readonly unknown[]): boolean {
  // Archives that drop blooms serve zero or nothing: no proof of anything.
  if (typeof bloom !== 'string' || bloom.length !== NO_BLOOM.length || bloom === NO_BLOOM) return false;
  const digits = lowerHex(bloom);
  if (digits === null) return false;
  filter.fill(0);
  for (const log of logs) {
    if (!isRecord(log)) continue;
    add(log['address']);
    for (const topic of itemsOf(log['topics'])) add(topic);
  }
  return digits.slice(2) !== filter.toString('hex');
}
