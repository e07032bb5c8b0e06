import { keccak256 } from 'ox/Hash';
import { isHex, lowerHex } from '../../../evm/hex.ts';
import { memoize } from '../../../lib/memo.ts';
import { isRecord } from '../../../lib/shape.ts';
import type { Hex } from '../../../model/hex.ts';

const BYTES = 256;
/** Addresses and topics remembered: events and tokens recur from one transaction to the next. */
const REMEMBERED = 16_384;
/** Characters of a topic; nothing longer is kept. */
const LONGEST = 66;
const NOTHING = -1;

/**
 * The three 11-bit indexes an address or topic sets in a bloom filter, side by side in one number (Yellow
 * Paper §4.3.1); `NOTHING` where it is neither.
 */
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
export function bloomRefutes(bloom: unknown, logs: readonly unknown[]): boolean {
  const digits = typeof bloom === 'string' && bloom.length === 2 + 2 * BYTES ? lowerHex(bloom) : null;
  // Archives that drop blooms serve zero or nothing: no proof of anything.
  if (digits === null || /^0x0+$/.test(digits)) return false;
  filter.fill(0);
  for (const log of logs) {
    if (!isRecord(log)) continue;
    add(log['address']);
    if (Array.isArray(log['topics'])) for (const topic of log['topics'] as unknown[]) add(topic);
  }
  return digits.slice(2) !== filter.toString('hex');
}
