import { DIGITS, lowerHex } from '../../lib/hex.ts';
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
const ZEROS = '0'.repeat(64);
/** Before the contract's address, and after it: that the call may fail, and where its calldata is told. */
const [HIGH_BYTES, MAY_FAIL] = ['0'.repeat(24), word(1) + word(96)];

/** Calldata of Multicall3 `aggregate3`, every call allowed to fail. */
export function encodeAggregate3(calls: readonly ViewCall[]): Hex {
  let heads = '';
  let tails = '';
  let asked: Address | null = null;
  let start = '';
  for (const { to, data } of calls) {
    // A contract is mostly asked several things in a row.
    if (to !== asked) start = HIGH_BYTES + (asked = to).slice(2) + MAY_FAIL;
    heads += word(32 * calls.length + tails.length / 2);
    tails += start + argumentOf(data);
  }
  return `${AGGREGATE3}${word(32)}${word(calls.length)}${heads}${tails}` as Hex;
}

/** Characters of calldata that is a selector alone: these come from the rules and from constants, few and always the same. */
const SELECTOR = 10;
const encodedSelectors = new Map<Hex, string>();

/** Calldata as an ABI `bytes`: its length, then itself, filled up to whole words. */
function argumentOf(data: Hex): string {
  const known = data.length === SELECTOR ? encodedSelectors.get(data) : undefined;
  if (known !== undefined) return known;
  const digits = data.length - 2;
  const encoded = `${word(digits / 2)}${data.slice(2)}${ZEROS.slice(0, -digits & 63)}`;
  if (data.length === SELECTOR) encodedSelectors.set(data, encoded);
  return encoded;
}

/** Answers are looked at here, character by character, where they fit. */
const scratch = charactersOf(65_536);

interface Characters {
  readonly bytes: Buffer;
  readonly view: DataView;
}

function charactersOf(size: number): Characters {
  const bytes = Buffer.alloc(size);
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, size) };
}

/**
 * Result of `aggregate3`: `(bool success, bytes returnData)[]`, one entry per call in lower case, null for a failed or empty
 * one. Null as a whole when it is no such array of exactly `count`. Nothing of the result need have been checked: bounds
 * are before anything is sliced, and of what an entry returned every digit is.
 */
export function decodeAggregate3(result: string, count: number): (Hex | null)[] | null {
  if (result.length % 2 !== 0 || result.charCodeAt(0) !== 48 || result.charCodeAt(1) !== 120) return null;
  const { bytes, view: text } = result.length <= scratch.bytes.length ? scratch : charactersOf(result.length);
  bytes.write(result, 'latin1');
  const size = result.length / 2 - 1;
  const array = numberAt(text, size, 0, size - 32);
  if (array === null || numberAt(text, size, array, size) !== count) return null;
  const base = array + 32;
  const answers: (Hex | null)[] = [];
  for (let i = 0; i < count; i++) {
    const entry = numberAt(text, size, base + 32 * i, size - base);
    const returned = entry === null ? null : numberAt(text, size, base + entry + 32, size - base - entry);
    if (entry === null || returned === null) return null;
    const at = base + entry + returned;
    const length = numberAt(text, size, at, size - at - 32);
    if (length === null) return null;
    const start = 2 + (at + 32) * 2;
    const failed = leadingZeros(text, base + entry) === 64;
    const answer = failed || length === 0 ? null : lowerHex(`0x${result.slice(start, start + length * 2)}`);
    if (answer === null && !failed && length > 0) return null;
    answers.push(answer);
  }
  return answers;
}

/** Eight characters `0`, as the number their bytes are. */
const EIGHT_ZEROS = new Float64Array(new Uint8Array(8).fill(48).buffer)[0]!;

/** How many of the digits of the word at an offset are zeros before the first that is not, in steps of eight. */
function leadingZeros(text: DataView, at: number): number {
  let zeros = 0;
  for (let start = 2 + at * 2; zeros < 64 && text.getFloat64(start + zeros, true) === EIGHT_ZEROS; ) zeros += 8;
  return zeros;
}

/** The word at an offset as a number, null past the end (`size`) or where it is over `limit` or no number. */
function numberAt(text: DataView, size: number, at: number, limit: number): number | null {
  if (at + 32 > size) return null;
  const zeros = leadingZeros(text, at);
  if (zeros === 64) return limit < 0 ? null : 0;
  if (zeros < 56) return null;
  let value = 0;
  for (let i = 2 + at * 2 + zeros; i < 66 + at * 2; i++) {
    const digit = DIGITS[text.getUint8(i)]!;
    if (digit < 0) return null;
    value = value * 16 + digit;
  }
  return value <= limit ? value : null;
}
