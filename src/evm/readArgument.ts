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

/**
 * Makes a reader for one scalar of ABI-encoded arguments, by slicing. `path` descends into tuples and
 * arrays; `sum` adds up an array. Returns null for hostile data: short data, wild offsets, dirty address
 * words, an index past the end, a path that stops at a container.
 */
export function argumentReader(
  { type: text, indexed, offset }: ParamSpec,
  path: readonly (string | number)[],
): (args: EncodedArguments) => ArgumentValue | null {
  const type = parseAbiType(text);
  if (!type) return () => null;
  const read = path.length === 0 ? scalarReader(type) : null;
  if (indexed) {
    return ({ topics }) => {
      const topic = topics[offset];
      return read === null || topic === undefined ? null : read(topic);
    };
  }
  if (read === null) return ({ data, base }) => readAt(data, { type, enclosing: base, head: offset }, path);
  return ({ data, base }) => {
    const word = wordAt(data, base + offset);
    return word === null ? null : read(word);
  };
}

/** A value, and where its head is encoded; dynamic offsets count from `enclosing`. */
export interface Slot {
  readonly type: AbiType;
  readonly enclosing: number;
  readonly head: number;
}

function readAt(data: Hex, slot: Slot, path: readonly (string | number)[]): ArgumentValue | null {
  const { type } = slot;
  const at = startOf(data, slot);
  if (at === null) return null;
  if (isContainer(type)) return readInside(data, type, at, path);
  if (path.length > 0) return null;
  if (type.kind === 'bytes' || type.kind === 'string') return readBytes(data, at, MAX_BYTES);
  const word = wordAt(data, at);
  return word === null ? null : scalarReader(type)!(word);
}

/** Reads the item that `path` leads to in the tuple or array that begins at `at`. */
function readInside(
  data: Hex,
  type: Container,
  at: number,
  [step, ...rest]: readonly (string | number)[],
): ArgumentValue | null {
  const count = countOf(data, type, at);
  if (count === null) return null;
  const read = (index: number): ArgumentValue | null => readAt(data, itemOf(type, at, index), rest);
  if (step === 'sum' && type.kind === 'array') return sumOf(count, read);
  const index = Number(step);
  return Number.isInteger(index) && index >= 0 && index < count ? read(index) : null;
}

/** The sum of all items; null where one cannot be read: a count beyond the data ends there too. */
function sumOf(count: number, read: (index: number) => ArgumentValue | null): bigint | null {
  let sum = 0n;
  for (let index = 0; index < count; index++) {
    const value = read(index);
    if (typeof value !== 'bigint') return null;
    sum += value;
  }
  return sum;
}

/** The byte at which a value begins, wherever its head is; null where that points outside the data. */
export function startOf(data: Hex, { type, enclosing, head }: Slot): number | null {
  if (!isDynamic(type)) return enclosing + head;
  const offset = smallWord(data, enclosing + head);
  return offset === null ? null : enclosing + offset;
}

type Container = Extract<AbiType, { kind: 'array' | 'tuple' }>;

export function isContainer(type: AbiType): type is Container {
  return type.kind === 'array' || type.kind === 'tuple';
}

/** How many items the tuple or array has that begins at `at`; null where the data does not say. */
export function countOf(data: Hex, type: Container, at: number): number | null {
  return type.kind === 'tuple' ? type.items.length : (type.length ?? smallWord(data, at));
}

/** One of the items of the tuple or array that begins at `at`. */
export function itemOf(type: Container, at: number, index: number): Slot {
  if (type.kind === 'tuple') {
    const head = type.items.slice(0, index).reduce((sum, item) => sum + headSize(item), 0);
    return { type: type.items[index]!, enclosing: at, head };
  }
  const enclosing = type.length === null ? at + 32 : at;
  return { type: type.of, enclosing, head: index * headSize(type.of) };
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
function smallWord(data: Hex, at: number): number | null {
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
