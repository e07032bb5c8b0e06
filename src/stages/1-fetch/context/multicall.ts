import { HIGH_BYTES, lowerHex, smallUintAt, wordOf, ZERO_WORD } from '../../../evm/hex.ts';
import type { Address, Hex } from '../../../model/hex.ts';

/** A read of a contract, answered in the state at the end of the transaction's block. */
export interface ViewCall {
  readonly to: Address;
  readonly data: Hex;
  /** Answered in the state before the block instead: the transaction has not changed it. */
  readonly before?: boolean;
  /**
   * Reads of one name share an aggregate of their own: a contract without the function may spend all gas on
   * it. Then they count as unanswered and are not repeated.
   */
  readonly apart?: string;
}

/** Selector of Multicall3's `aggregate3((address target, bool allowFailure, bytes callData)[])`. */
const AGGREGATE3 = '0x82ad56cb';

/** The words after the contract's address: `allowFailure`, and the offset of the calldata. */
const MAY_FAIL = wordOf(1) + wordOf(96);

/**
 * Calldata of Multicall3 `aggregate3`, every call allowed to fail. viem takes ten times as long for it and
 * for the answer, half a millisecond for 60 reads, and ends with a hostile answer in an exception.
 */
export function encodeAggregate3(calls: readonly ViewCall[]): Hex {
  let heads = '';
  let tails = '';
  for (const { to, data } of calls) {
    heads += wordOf(32 * calls.length + tails.length / 2);
    tails += HIGH_BYTES + to.slice(2) + MAY_FAIL + argumentOf(data);
  }
  return `${AGGREGATE3}${wordOf(32)}${wordOf(calls.length)}${heads}${tails}` as Hex;
}

/** Calldata as an ABI `bytes`: its length, then itself, filled up to whole words. */
function argumentOf(data: Hex): string {
  const digits = data.length - 2;
  return `${wordOf(digits / 2)}${data.slice(2)}${ZERO_WORD.slice(0, -digits & 63)}`;
}

/**
 * Answers in the `(bool success, bytes returnData)[]` of `aggregate3`, null for failed and empty ones; null
 * as a whole where it is no such array of exactly `count`.
 */
export function decodeAggregate3(data: Hex, count: number): (Hex | null)[] | null {
  const size = data.length / 2 - 1;
  const array = wordWithin(data, 0, size - 32);
  if (array === null || wordWithin(data, array, size) !== count) return null;
  const base = array + 32;
  const answers: (Hex | null)[] = [];
  for (let i = 0; i < count; i++) {
    const entry = wordWithin(data, base + 32 * i, size - base);
    const answer = entry === null ? undefined : readEntry(data, base + entry, size);
    if (answer === undefined) return null;
    answers.push(answer);
  }
  return answers;
}

/** `(bool success, bytes returnData)` at an offset: null for a failed or empty one, undefined for none. */
function readEntry(data: Hex, entry: number, size: number): Hex | null | undefined {
  const returned = wordWithin(data, entry + 32, size - entry);
  if (returned === null) return undefined;
  const at = entry + returned;
  const length = wordWithin(data, at, size - at - 32);
  if (length === null) return undefined;
  const failed = smallUintAt(data, entry) === 0;
  const start = 2 + (at + 32) * 2;
  return failed || length === 0 ? null : (`0x${data.slice(start, start + length * 2)}` as Hex);
}

/** Longest symbol or name kept, in bytes; contracts can return any length. */
const TEXT_BYTES = 256;

/** Whole bytes in lower case; null for anything else. */
export function wholeBytes(value: unknown): Hex | null {
  return typeof value === 'string' && value.length % 2 === 0 ? lowerHex(value) : null;
}

/** Number of a word that is meant as an offset or length within `size` bytes; null when it points outside. */
export function wordWithin(data: Hex, offset: number, size: number): number | null {
  const value = smallUintAt(data, offset);
  return value !== null && value <= size ? value : null;
}

/**
 * `symbol()` or `name()`: an ABI string, or a zero-padded `bytes32` as tokens older than the final ERC-20
 * standard return. Null when it is neither; at most 256 bytes are decoded, for any claimed length.
 */
export function decodeText(answer: Hex | null): string | null {
  if (answer === null) return null;
  const size = (answer.length - 2) / 2;
  if (size === 32) return textOf(answer, 2, answer.length);
  const offset = wordWithin(answer, 0, size - 32);
  if (offset === null) return null;
  const length = wordWithin(answer, offset, size - offset - 32);
  if (length === null) return null;
  const start = 2 + (offset + 32) * 2;
  return textOf(answer, start, start + Math.min(length, TEXT_BYTES) * 2);
}

const UTF8 = new TextDecoder();

/** The bytes between two digits of an answer as text, without trailing zeros; null for an empty one. */
function textOf(answer: Hex, start: number, end: number): string | null {
  while (end > start && answer.slice(end - 2, end) === '00') end -= 2;
  return end === start ? null : UTF8.decode(Buffer.from(answer.slice(start, end), 'hex'));
}

/** `decimals()`: a uint8; null for anything larger, which no amount could be scaled by. */
export function decodeDecimals(answer: Hex | null): number | null {
  const value = answer === null ? null : smallUintAt(answer, 0);
  return value !== null && value <= 255 ? value : null;
}
