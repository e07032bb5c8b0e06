import { isHex, lowerHex } from '../../lib/hex.ts';
import { keccak } from '../../lib/keccak.ts';
import { memoised } from '../../lib/memo.ts';
import { isRecord } from './rpcMessages.ts';

const BYTES = 256;
/** Addresses and topics remembered: events and tokens recur from one transaction to the next. */
const REMEMBERED = 16_384;
/** Characters of a topic; nothing longer is kept. */
const LONGEST = 66;
const NOTHING = -1;

/** The three 11-bit indexes an address or topic sets in a bloom filter, side by side in one number (Yellow Paper §4.3.1); `NOTHING` where it is neither. */
function bloomIndexes(value: string): number {
  if (value.length % 2 !== 0 || !isHex(value)) return NOTHING;
  const digest = keccak(Buffer.from(value.slice(2), 'hex'));
  const index = (at: number): number => parseInt(digest.slice(at, at + 4), 16) & 2047;
  return index(0) * 2 ** 22 + index(4) * 2 ** 11 + index(8);
}

const rememberedIndexes = memoised(bloomIndexes, REMEMBERED);

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
  if (typeof bloom !== 'string' || bloom.length !== 2 + 2 * BYTES) return false;
  filter.fill(0);
  let emitter: unknown;
  let topics: readonly unknown[] = [];
  for (const log of logs) {
    if (!isRecord(log)) continue;
    // Logs often repeat what the one before them said.
    if (log['address'] !== emitter) add((emitter = log['address']));
    if (!Array.isArray(log['topics'])) continue;
    const own = log['topics'] as unknown[];
    for (let i = 0; i < own.length; i++) if (own[i] !== topics[i]) add(own[i]);
    topics = own;
  }
  if (tells(bloom)) return false;
  const lower = lowerHex(bloom);
  // Archives that drop blooms serve zero or nothing: no proof of anything.
  return lower !== null && !/^0x0+$/.test(lower) && !tells(lower);
}

/** What every byte reads as: its two characters in one number, as they lie in memory. */
const READS_AS = new Uint16Array(Uint8Array.from(Buffer.from(Uint8Array.from({ length: 256 }, (_, byte) => byte)).toString('hex'), (char) => char.charCodeAt(0)).buffer);
/** A text is copied here, its `0x` first, to be compared two characters at a time. */
const pairs = new Uint16Array(1 + BYTES);
const characters = Buffer.from(pairs.buffer);

/** Whether the digits of a text are those of the filter under construction. */
function tells(bloom: string): boolean {
  characters.write(bloom, 'latin1');
  for (let i = 0; i < BYTES; i++) if (pairs[1 + i] !== READS_AS[filter[i]!]) return false;
  return true;
}
