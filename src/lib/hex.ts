import { AnalysisError, type ErrorCode } from './errors.ts';
import type { Address, Hash, Hex } from '../model/hex.ts';

export const ZERO_ADDRESS = `0x${'0'.repeat(40)}` as Address;
/** EIP-7708: the system address whose Transfer logs repeat native transfers. */
export const SYSTEM_ADDRESS = `0x${'f'.repeat(39)}e` as Address;

/** What a text consists of, from good to bad; it is as bad as its worst character. */
const LOWER = 0;
const MIXED = 1;
const FOREIGN = 2;

/** Of every byte, as a character of a text. */
const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const char = String.fromCharCode(byte);
  return '0123456789abcdef'.includes(char) ? LOWER : 'ABCDEF'.includes(char) ? MIXED : FOREIGN;
});
/** Of every two bytes, whichever comes first. */
const PAIR_KINDS = Uint8Array.from({ length: 65_536 }, (_, pair) => KINDS[pair & 255]! | KINDS[pair >> 8]!);

/** Texts are copied here to be looked at, long ones piece by piece: bytes two at a time are far quicker than characters. */
const pairs = new Uint16Array(8_192);
const bytes = Buffer.from(pairs.buffer);
/** Up to this length the copy costs more than it saves. */
const SHORT = 24;

function kindOf(text: string): number {
  if (text.charCodeAt(0) !== 48 || text.charCodeAt(1) !== 120) return FOREIGN;
  let kind = LOWER;
  if (text.length <= SHORT) {
    for (let i = 2; i < text.length; i++) {
      const code = text.charCodeAt(i);
      kind |= code < 256 ? KINDS[code]! : FOREIGN;
    }
    return kind;
  }
  for (let from = 0; from < text.length; from += bytes.length) {
    const piece = text.length <= bytes.length ? text : text.slice(from, from + bytes.length);
    const size = bytes.write(piece);
    // A character past 127 takes several bytes.
    if (size !== piece.length) return FOREIGN;
    for (let i = from === 0 ? 1 : 0; i < size >> 1; i++) kind |= PAIR_KINDS[pairs[i]!]!;
    if (size % 2 === 1) kind |= KINDS[bytes[size - 1]!]!;
  }
  return kind;
}

/** Whether a text is `0x` and then hexadecimal digits only, of either case. Every byte of an analysis passes through here. */
export function isHex(text: string): boolean {
  return kindOf(text) < FOREIGN;
}

/** A text with its digits in lower case; null where it is not `0x` and then hexadecimal digits only. */
export function lowerHex(text: string): Hex | null {
  const kind = kindOf(text);
  if (kind === LOWER) return text as Hex;
  return kind < FOREIGN ? (text.toLowerCase() as Hex) : null;
}

function bad(code: ErrorCode, what: string): never {
  throw new AnalysisError(code, what);
}

/** Lower-cased 20-byte address, or throws `AnalysisError(code)` naming `what`. */
export function readAddress(value: unknown, code: ErrorCode, what: string): Address {
  return typeof value === 'string' && value.length === 42 ? (lowerHex(value) ?? bad(code, what)) : bad(code, what);
}

export function readHash(value: unknown, code: ErrorCode, what: string): Hash {
  return typeof value === 'string' && value.length === 66 ? (lowerHex(value) ?? bad(code, what)) : bad(code, what);
}

/** Lower-cased byte string of whole bytes. */
export function readBytes(value: unknown, code: ErrorCode, what: string): Hex {
  return typeof value === 'string' && value.length % 2 === 0 ? (lowerHex(value) ?? bad(code, what)) : bad(code, what);
}

/** JSON-RPC quantity; some nodes send small ones as JSON numbers. At most 256 bits. */
export function readQuantity(value: unknown, code: ErrorCode, what: string): bigint {
  return isQuantity(value) ? BigInt(value) : bad(code, what);
}

/** The same of something that is counted, as a number: beyond 2^53 it is rounded. */
export function readCount(value: unknown, code: ErrorCode, what: string): number {
  return isQuantity(value) ? Number(value) : bad(code, what);
}

/** Whether a value reads as such a quantity. */
export function isQuantity(value: unknown): value is string | number {
  if (typeof value === 'string') return value.length > 2 && value.length <= 66 && isHex(value);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** 32-byte word of a `0x` byte string at a byte offset; null past the end. */
export function wordAt(data: Hex, byteOffset: number): string | null {
  const start = 2 + byteOffset * 2;
  return data.length >= start + 64 ? data.slice(start, start + 64) : null;
}

const HIGH_BYTES = '0'.repeat(24);
const PREFIXED_HIGH_BYTES = `0x${HIGH_BYTES}`;

/** The low 20 bytes of a topic or word as an address; null unless the high 12 bytes are zero. */
export function addressOfWord(word: string): Address | null {
  // A slice compared is several times quicker than `startsWith`.
  if (word.length === 66) return word.slice(0, 26) === PREFIXED_HIGH_BYTES ? `0x${word.slice(26)}` : null;
  return word.length === 64 && word.slice(0, 24) === HIGH_BYTES ? `0x${word.slice(24)}` : null;
}

export function uintOfWord(word: string): bigint {
  return BigInt(word.charCodeAt(1) === 120 ? word : `0x${word}`);
}

const ZEROS = '0'.repeat(56);

/** A word without prefix that is meant as an offset or a length, as a number; null from 2^32 on. */
export function smallUintOfWord(word: string): number | null {
  return word.slice(0, 56) === ZEROS ? parseInt(word.slice(56), 16) : null;
}

/** Two's complement 256-bit integer. */
export function intOfWord(word: string): bigint {
  return BigInt.asIntN(256, uintOfWord(word));
}
