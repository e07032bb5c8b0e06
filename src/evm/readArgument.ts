import { addressOfWord, intOfWord, smallUintOfWord, uintOfWord, wordAt } from './hex.ts';
import type { Hash, Hex } from '../model/hex.ts';
import type { ParamSpec } from '../model/rulebook.ts';
import { memoize } from '../lib/memo.ts';
import { splitTopLevel } from '../lib/text.ts';

/** A scalar argument: integers and booleans as bigint, addresses and bytes as lower-case hex. */
export type ArgumentValue = bigint | Hex;

/** Encoded arguments of one event or call: indexed ones in `topics`, the rest in `data` from byte `base`. */
export interface EncodedArguments {
  readonly topics: readonly Hash[];
  readonly data: Hex;
  readonly base: number;
}

/** Longest `bytes`/`string` handed back; rules compare identifiers, they do not read texts. */
const MAX_BYTES = 4096;

/** Reads one argument of an event or call. */
type ArgumentReader = (args: EncodedArguments) => ArgumentValue | null;

/**
 * Makes a reader for one scalar of ABI-encoded arguments, by slicing. `path` descends into tuples and
 * arrays; `sum` adds up an array. Returns null for hostile data: short data, wild offsets, dirty address
 * words, an index past the end, a path that stops at a container.
 */
export function argumentReader(
  { type: text, indexed, offset }: ParamSpec,
  path: readonly (string | number)[],
): ArgumentReader {
  const type = parseAbiType(text);
  if (!type) return () => null;
  const read = path.length === 0 ? scalarReader(type) : null;
  if (indexed) {
    return ({ topics }) => {
      const topic = topics[offset];
      return read === null || topic === undefined ? null : read(topic);
    };
  }
  if (read === null) return ({ data, base }) => readAt(data, type, { enclosing: base, head: offset }, path);
  return ({ data, base }) => {
    const word = wordAt(data, base + offset);
    return word === null ? null : read(word);
  };
}

/** Where a value's head is encoded; dynamic offsets count from `enclosing`. */
interface Position {
  readonly enclosing: number;
  readonly head: number;
}

function readAt(
  data: Hex,
  type: AbiType,
  { enclosing, head }: Position,
  path: readonly (string | number)[],
): ArgumentValue | null {
  let at = enclosing + head;
  if (isDynamic(type)) {
    const offset = smallWord(data, at);
    if (offset === null) return null;
    at = enclosing + offset;
  }
  if (type.kind === 'array' || type.kind === 'tuple') return readInside(data, type, at, path);
  if (path.length > 0) return null;
  if (type.kind === 'bytes' || type.kind === 'string') return readBytes(data, at, MAX_BYTES);
  const word = wordAt(data, at);
  return word === null ? null : scalarReader(type)!(word);
}

/** Reads the item that `path` leads to in the tuple or array encoded at `at`. */
function readInside(
  data: Hex,
  type: Extract<AbiType, { kind: 'array' | 'tuple' }>,
  at: number,
  path: readonly (string | number)[],
): ArgumentValue | null {
  const [step, ...rest] = path;
  const index = Number(step);
  if (type.kind === 'array')
    return step === 'sum' ? sumOf(data, type, at, rest) : element(data, type, { at, index }, rest);
  const item = type.items[index];
  if (!item) return null;
  const before = type.items.slice(0, index).reduce((sum, t) => sum + headSize(t), 0);
  return readAt(data, item, { enclosing: at, head: before }, rest);
}

type ArrayType = Extract<AbiType, { kind: 'array' }>;

function element(
  data: Hex,
  type: ArrayType,
  { at, index }: { readonly at: number; readonly index: number },
  rest: readonly (string | number)[],
): ArgumentValue | null {
  const length = type.length ?? smallWord(data, at);
  if (!Number.isInteger(index) || index < 0 || length === null || index >= length) return null;
  const enclosing = type.length === null ? at + 32 : at;
  return readAt(data, type.of, { enclosing, head: index * headSize(type.of) }, rest);
}

/** The sum of all elements, or of one field of them; null where one cannot be read. */
function sumOf(data: Hex, type: ArrayType, at: number, rest: readonly (string | number)[]): bigint | null {
  const length = type.length ?? smallWord(data, at);
  let sum = 0n;
  for (let index = 0; index < (length ?? 0); index++) {
    const value = element(data, type, { at, index }, rest);
    // A length beyond the data ends here too.
    if (typeof value !== 'bigint') return null;
    sum += value;
  }
  return length === null ? null : sum;
}

/** Decodes a word with or without prefix; null for types that take more than a word. */
function scalarReader({ kind }: AbiType): ((word: string) => ArgumentValue | null) | null {
  if (kind === 'bytes' || kind === 'string' || kind === 'array' || kind === 'tuple') return null;
  if (kind === 'address') return addressOfWord;
  if (kind === 'int') return intOfWord;
  return kind === 'fixed_bytes' ? bytesOfWord : uintOfWord;
}

function bytesOfWord(word: string): Hex {
  return word.length === 66 ? (word as Hex) : `0x${word}`;
}

/** An offset or length: null when it could not lie inside the data. */
export function smallWord(data: Hex, at: number): number | null {
  const word = wordAt(data, at);
  const value = word === null ? null : smallUintOfWord(word);
  return value !== null && value * 2 <= data.length ? value : null;
}

/** The `bytes` or `string` at a place; null where the data ends before, or it is longer than `most` bytes. */
export function readBytes(data: Hex, at: number, most: number): Hex | null {
  const length = smallWord(data, at);
  if (length === null) return null;
  const start = 2 + (at + 32) * 2;
  const end = start + length * 2;
  return end > data.length || length > most ? null : `0x${data.slice(start, end)}`;
}

/** An ABI type, as far as reading one value needs it (Solidity contract ABI specification). */
export type AbiType =
  | { readonly kind: 'address' | 'bool' | 'bytes' | 'string' }
  /** `size` in bits of integers, in bytes of `bytesN`. */
  | { readonly kind: 'uint' | 'int' | 'fixed_bytes'; readonly size: number }
  | { readonly kind: 'array'; readonly of: AbiType; readonly length: number | null }
  | { readonly kind: 'tuple'; readonly items: readonly AbiType[] };

const parsed = memoize((text) => ({ type: parse(text) }), 4_096);

/** Parses a canonical ABI type such as `(address,uint256[2])[]`; null for anything else. */
export const parseAbiType = (text: string): AbiType | null => parsed(text).type;

const SCALAR = /^(?:(address|bool|bytes|string)|(uint|int|bytes)(\d+))$/;

function parseScalar(text: string): AbiType | null {
  const [, whole, name, size] = SCALAR.exec(text) ?? [];
  if (whole !== undefined) return { kind: whole as 'address' | 'bool' | 'bytes' | 'string' };
  if (name === undefined) return null;
  return { kind: name === 'bytes' ? 'fixed_bytes' : (name as 'uint' | 'int'), size: Number(size) };
}

function parse(text: string): AbiType | null {
  const array = /^(.+)\[(\d*)\]$/.exec(text);
  if (array) {
    const of = parseAbiType(array[1]!);
    return of && { kind: 'array', of, length: array[2] === '' ? null : Number(array[2]) };
  }
  if (text.startsWith('(') && text.endsWith(')')) {
    const items = (text === '()' ? [] : splitTopLevel(text.slice(1, -1))).map(parseAbiType);
    return items.every((item) => item !== null) ? { kind: 'tuple', items } : null;
  }
  return parseScalar(text);
}

export function isDynamic(type: AbiType): boolean {
  if (type.kind === 'bytes' || type.kind === 'string') return true;
  if (type.kind === 'array') return type.length === null || isDynamic(type.of);
  return type.kind === 'tuple' && type.items.some(isDynamic);
}

/** Bytes a value takes in the head of its enclosing tuple: 32 for anything dynamic. */
export function headSize(type: AbiType): number {
  if (isDynamic(type)) return 32;
  if (type.kind === 'array') return (type.length ?? 0) * headSize(type.of);
  if (type.kind === 'tuple') return type.items.reduce((sum, item) => sum + headSize(item), 0);
  return 32;
}
