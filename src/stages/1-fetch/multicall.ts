import { wordAt } from '../../lib/hex.ts';
import { wordWithin } from './abiAnswers.ts';
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

const word = (value: number): string => value.toString(16).padStart(64, '0');
const [ONE, THREE_WORDS] = [word(1), word(96)];

/** Calldata of Multicall3 `aggregate3`, every call allowed to fail. */
export function encodeAggregate3(calls: readonly ViewCall[]): Hex {
  let heads = '';
  let tails = '';
  for (const { to, data } of calls) {
    const bytes = data.slice(2);
    heads += word(32 * calls.length + tails.length / 2);
    tails += `${to.slice(2).padStart(64, '0')}${ONE}${THREE_WORDS}${word(bytes.length / 2)}${bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0')}`;
  }
  return `${AGGREGATE3}${word(32)}${word(calls.length)}${heads}${tails}` as Hex;
}

const ZERO = word(0);

/**
 * Result of `aggregate3`: `(bool success, bytes returnData)[]`, one entry per call, null for a failed or empty one.
 * Null as a whole when it is no such array of exactly `count`. Bounds are checked before anything is sliced: the answer
 * holds bytes that contracts chose.
 */
export function decodeAggregate3(result: Hex, count: number): (Hex | null)[] | null {
  const size = (result.length - 2) / 2;
  const array = wordWithin(result, 0, size - 32);
  if (array === null || wordWithin(result, array, size) !== count) return null;
  const base = array + 32;
  const answers: (Hex | null)[] = [];
  for (let i = 0; i < count; i++) {
    const entry = wordWithin(result, base + 32 * i, size - base);
    const success = entry === null ? null : wordAt(result, base + entry);
    const bytes = entry === null ? null : wordWithin(result, base + entry + 32, size - base - entry);
    if (entry === null || success === null || bytes === null) return null;
    const at = base + entry + bytes;
    const length = wordWithin(result, at, size - at - 32);
    if (length === null) return null;
    const start = 2 + (at + 32) * 2;
    answers.push(success === ZERO || length === 0 ? null : (`0x${result.slice(start, start + length * 2)}` as Hex));
  }
  return answers;
}
