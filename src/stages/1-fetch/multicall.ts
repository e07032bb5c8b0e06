import type { Address, Hex } from '../../model/hex.ts';

/** A read of a contract, answered in the state at the end of the transaction's block. */
export interface ViewCall {
  readonly to: Address;
  readonly data: Hex;
  /** Answered in the state before the block instead: what the transaction has not moved. */
  readonly before?: boolean;
  /**
   * Reads of one name share an aggregate of their own: a contract that nobody knows to offer the function may spend all
   * gas on it. If that happens they count as unanswered and are not asked again.
   */
  readonly apart?: string;
}

/** Selector of Multicall3's `aggregate3((address target, bool allowFailure, bytes callData)[])`. */
const AGGREGATE3 = '0x82ad56cb';

const digitsOf = (value: number): string => value.toString(16).padStart(64, '0');
/** The offsets and lengths that most aggregates are made of. */
const WORDS: readonly string[] = Array.from({ length: 2_048 }, (_, i) => digitsOf(i * 4));
const word = (value: number): string => (value % 4 === 0 && WORDS[value / 4]) || digitsOf(value);
const [ONE, THREE_WORDS, ZEROS] = [word(1), word(96), '0'.repeat(64)];

/** Calldata of Multicall3 `aggregate3`, every call allowed to fail. */
export function encodeAggregate3(calls: readonly ViewCall[]): Hex {
  let heads = '';
  let tails = '';
  for (const { to, data } of calls) {
    const digits = data.length - 2;
    heads += word(32 * calls.length + tails.length / 2);
    tails += `${ZEROS.slice(40)}${to.slice(2)}${ONE}${THREE_WORDS}${word(digits / 2)}${data.slice(2)}${ZEROS.slice(0, -digits & 63)}`;
  }
  return `${AGGREGATE3}${word(32)}${word(calls.length)}${heads}${tails}` as Hex;
}

/** Answers are decoded here to be looked at, where they fit. */
const scratch = Buffer.alloc(32_768);

/**
 * Result of `aggregate3`: `(bool success, bytes returnData)[]`, one entry per call, null for a failed or empty one.
 * Null as a whole when it is no such array of exactly `count`. Bounds are checked before anything is sliced: the answer
 * holds bytes that contracts chose.
 */
export function decodeAggregate3(result: Hex, count: number): (Hex | null)[] | null {
  const bytes = result.length <= 2 * scratch.length ? scratch : Buffer.allocUnsafe(result.length / 2);
  const size = bytes.write(result.slice(2), 'hex');
  const array = numberAt(bytes, size, 0, size - 32);
  if (array === null || numberAt(bytes, size, array, size) !== count) return null;
  const base = array + 32;
  const answers: (Hex | null)[] = [];
  for (let i = 0; i < count; i++) {
    const entry = numberAt(bytes, size, base + 32 * i, size - base);
    const returned = entry === null ? null : numberAt(bytes, size, base + entry + 32, size - base - entry);
    if (entry === null || returned === null) return null;
    const at = base + entry + returned;
    const length = numberAt(bytes, size, at, size - at - 32);
    if (length === null) return null;
    const failed = zerosUntil(bytes, base + entry, base + entry + 32);
    const start = 2 + (at + 32) * 2;
    answers.push(failed || length === 0 ? null : (`0x${result.slice(start, start + length * 2)}` as Hex));
  }
  return answers;
}

/** The word at an offset as a number, null past the end (`size`) or where it is over `limit`. */
function numberAt(bytes: Buffer, size: number, at: number, limit: number): number | null {
  if (at + 32 > size || !zerosUntil(bytes, at, at + 28)) return null;
  const value = bytes.readUInt32BE(at + 28);
  return value <= limit ? value : null;
}

function zerosUntil(bytes: Buffer, from: number, end: number): boolean {
  for (let i = from; i < end; i++) if (bytes[i] !== 0) return false;
  return true;
}
