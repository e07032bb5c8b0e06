import { DIGITS, lowerHex, smallUintAt } from '../../../evm/hex.ts';
import type { Hex } from '../../../model/hex.ts';

/** Longest symbol or name kept, in bytes; contracts can return any length. */
const TEXT_BYTES = 256;

/** Result of an `eth_call`: whole bytes, lower-case, or null for anything else, the empty answer included. */
export function readCallResult(result: unknown): Hex | null {
  return typeof result === 'string' && result.length > 2 && result.length % 2 === 0 ? lowerHex(result) : null;
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
  while (end > start && byteAt(answer, end - 2) === 0) end -= 2;
  if (end === start) return null;
  let text = '';
  for (let at = start; at < end; at += 2) {
    const byte = byteAt(answer, at);
    if (byte > 127) return UTF8.decode(Buffer.from(answer.slice(start, end), 'hex'));
    text += String.fromCharCode(byte);
  }
  return text;
}

function byteAt(answer: Hex, at: number): number {
  return DIGITS[answer.charCodeAt(at)]! * 16 + DIGITS[answer.charCodeAt(at + 1)]!;
}

/** `decimals()`: a uint8; null for anything larger, which no amount could be scaled by. */
export function decodeDecimals(answer: Hex | null): number | null {
  const value = answer === null ? null : smallUintAt(answer, 0);
  return value !== null && value <= 255 ? value : null;
}
