import { AnalysisError, type ErrorCode } from './errors.ts';
import type { Address, Hash, Hex } from '../model/hex.ts';

export const ZERO_ADDRESS = `0x${'0'.repeat(40)}` as Address;
/** EIP-7708: the system address whose Transfer logs repeat native transfers. */
export const SYSTEM_ADDRESS = `0x${'f'.repeat(39)}e` as Address;

/** 1 at the code of every hexadecimal digit, of either case. */
const DIGIT = new Uint8Array(128);
for (const digit of '0123456789abcdefABCDEF') DIGIT[digit.charCodeAt(0)] = 1;

/** From this length on decoding natively, as a check, is quicker than looking at every character. */
const LONG = 256;

/** Whether a text is `0x` and then hexadecimal digits only, of either case. Every byte of an analysis passes through here. */
export function isHex(text: string): boolean {
  if (text.charCodeAt(0) !== 48 || text.charCodeAt(1) !== 120) return false;
  if (text.length >= LONG && text.length % 2 === 0) return Buffer.from(text.slice(2), 'hex').length * 2 === text.length - 2;
  for (let i = 2; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 102 || DIGIT[code] !== 1) return false;
  }
  return true;
}

function bad(code: ErrorCode, what: string): never {
  throw new AnalysisError(code, what);
}

/** Lower-cased 20-byte address, or throws `AnalysisError(code)` naming `what`. */
export function readAddress(value: unknown, code: ErrorCode, what: string): Address {
  return typeof value === 'string' && value.length === 42 && isHex(value) ? (value.toLowerCase() as Address) : bad(code, what);
}

export function readHash(value: unknown, code: ErrorCode, what: string): Hash {
  return typeof value === 'string' && value.length === 66 && isHex(value) ? (value.toLowerCase() as Hash) : bad(code, what);
}

/** Lower-cased byte string of whole bytes. */
export function readBytes(value: unknown, code: ErrorCode, what: string): Hex {
  return typeof value === 'string' && value.length % 2 === 0 && isHex(value) ? (value.toLowerCase() as Hex) : bad(code, what);
}

/** JSON-RPC quantity; some nodes send small ones as JSON numbers. At most 256 bits. */
export function readQuantity(value: unknown, code: ErrorCode, what: string): bigint {
  if (typeof value === 'string' && value.length > 2 && value.length <= 66 && isHex(value)) return BigInt(value);
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  return bad(code, what);
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
