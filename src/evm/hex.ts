import { AnalysisError, type ErrorCode } from '../lib/errors.ts';
import type { Address, Hash, Hex } from '../model/hex.ts';

export const ZERO_ADDRESS = `0x${'0'.repeat(40)}` as Address;
/** EIP-7708: Transfer logs of this system address repeat native transfers. */
export const SYSTEM_ADDRESS = `0x${'f'.repeat(39)}e` as Address;

/**
 * `0x` and then digits only. Every byte of an analysis passes through one of these: an expression looks at a
 * text several times quicker than a loop, and half as quick again where it takes sixteen digits a step.
 */
const only = (digit: string): RegExp => new RegExp(`^0x(?:${digit.repeat(16)})*${digit}{0,15}$`);
const LOWER = only('[0-9a-f]');
const HEX = only('[0-9a-fA-F]');

/** Whether a text is `0x` and then hexadecimal digits only, of either case. */
export function isHex(text: string): boolean {
  return HEX.test(text);
}

/** A text with its digits in lower case; null where it is not `0x` and then hexadecimal digits only. */
export function lowerHex(text: string): Hex | null {
  if (LOWER.test(text)) return text as Hex;
  return HEX.test(text) ? (text.toLowerCase() as Hex) : null;
}

function bad(code: ErrorCode, what: string): never {
  throw new AnalysisError(code, what);
}

/** Returns a lower-cased 20-byte address. Throws `AnalysisError(code)` naming the field. */
export function readAddress(value: unknown, code: ErrorCode, what: string): Address {
  return lowerAddress(value) ?? bad(code, what);
}

export function readHash(value: unknown, code: ErrorCode, what: string): Hash {
  return typeof value === 'string' && value.length === 66
    ? (lowerHex(value) ?? bad(code, what))
    : bad(code, what);
}

/** Lower-cased byte string of whole bytes. */
export function readBytes(value: unknown, code: ErrorCode, what: string): Hex {
  return typeof value === 'string' && value.length % 2 === 0
    ? (lowerHex(value) ?? bad(code, what))
    : bad(code, what);
}

/** JSON-RPC quantity; some nodes send small ones as JSON numbers. At most 256 bits. */
export function readQuantity(value: unknown, code: ErrorCode, what: string): bigint {
  return quantity(value) ?? bad(code, what);
}

/** The same of something that is counted, as a number: beyond 2^53 it is rounded. */
export function readCount(value: unknown, code: ErrorCode, what: string): number {
  const small = smallQuantity(value);
  if (small >= 0) return small;
  return Number(quantity(value) ?? bad(code, what));
}

/** Reads a quantity from unknown input; null for anything else. */
export function quantity(value: unknown): bigint | null {
  const small = smallQuantity(value);
  if (small >= 0) return BigInt(small);
  return typeof value === 'string' && value.length > 2 && value.length <= 66 && isHex(value)
    ? BigInt(value)
    : null;
}

/** A quantity as JSON-RPC takes it. */
export const hexOf = (value: bigint): Hex => `0x${value.toString(16)}`;

/** Values of the digits by character code below 256, of either case; -1 of any other. */
const DIGITS = Int8Array.from({ length: 256 }, (_, code) =>
  code < 128 ? '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()) : -1,
);
/** A text of no more characters is a number below 2^52. */
const SMALL = 15;

const isShortHex = (text: string): boolean =>
  text.length >= 3 && text.length <= SMALL && text.startsWith('0x');

/** A quantity that is a short text or a number: much quicker than a bigint. -1 for anything else. */
function smallQuantity(value: unknown): number {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : -1;
  if (typeof value !== 'string' || !isShortHex(value)) return -1;
  let number = 0;
  for (let i = 2; i < value.length; i++) {
    const code = value.charCodeAt(i);
    const digit = code < 256 ? DIGITS[code]! : -1;
    if (digit < 0) return -1;
    number = number * 16 + digit;
  }
  return number;
}

export const ZERO_WORD = '0'.repeat(64);

/** A number or the bytes of a short `0x` text as a 32-byte word without prefix. */
export function wordOf(value: bigint | number | Hex): string {
  const digits = typeof value === 'string' ? value.slice(2) : value.toString(16);
  // Three times as quick as `padStart`.
  return ZERO_WORD.slice(digits.length) + digits;
}

/** An unchecked address in lower case; null for anything else. */
export function lowerAddress(value: unknown): Address | null {
  return typeof value === 'string' && value.length === 42 ? lowerHex(value) : null;
}

/** 32-byte word of a `0x` byte string at a byte offset; null past the end. */
export function wordAt(data: Hex, byteOffset: number): string | null {
  const start = 2 + byteOffset * 2;
  return data.length >= start + 64 ? data.slice(start, start + 64) : null;
}

/** Zero padding in front of an address in its 32-byte word, without prefix. */
export const HIGH_BYTES = '0'.repeat(24);
const PREFIXED_HIGH_BYTES = `0x${HIGH_BYTES}`;

/** The low 20 bytes of a topic or word as an address; null unless the high 12 bytes are zero. */
export function addressOfWord(word: string): Address | null {
  // A slice compared is several times quicker than `startsWith`.
  if (word.length === 66) return word.slice(0, 26) === PREFIXED_HIGH_BYTES ? `0x${word.slice(26)}` : null;
  return word.length === 64 && word.slice(0, 24) === HIGH_BYTES ? `0x${word.slice(24)}` : null;
}

/** The address in the word at a byte offset; null past the end and for words that are no address. */
export function addressAt(data: Hex, byteOffset: number): Address | null {
  const word = wordAt(data, byteOffset);
  return word === null ? null : addressOfWord(word);
}

/** The address in a log's indexed argument, 1 being the first; null where there is none. */
export function topicAddress({ topics }: { readonly topics: readonly Hash[] }, at: number): Address | null {
  const topic = topics[at];
  return topic === undefined ? null : addressOfWord(topic);
}

/** The number in the word at a byte offset; null past the end. */
export function uintAt(data: Hex, byteOffset: number): bigint | null {
  const word = wordAt(data, byteOffset);
  return word === null ? null : uintOfWord(word);
}

export function uintOfWord(word: string): bigint {
  return BigInt(word.charCodeAt(1) === 120 ? word : `0x${word}`);
}

const ZEROS = ZERO_WORD.slice(8);

/** A word without prefix that is meant as an offset or a length, as a number; null from 2^32 on. */
export function smallUintOfWord(word: string): number | null {
  return smallUint(word, 0);
}

/** The same of the word at a byte offset; null past the end too. */
export function smallUintAt(data: Hex, byteOffset: number): number | null {
  const start = 2 + byteOffset * 2;
  return data.length >= start + 64 ? smallUint(data, start) : null;
}

function smallUint(digits: string, start: number): number | null {
  if (digits.slice(start, start + 56) !== ZEROS) return null;
  let value = 0;
  for (let i = start + 56; i < start + 64; i++) value = value * 16 + DIGITS[digits.charCodeAt(i)]!;
  return value;
}

/** Two's complement 256-bit integer. */
export function intOfWord(word: string): bigint {
  return BigInt.asIntN(256, uintOfWord(word));
}
