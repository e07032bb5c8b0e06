import { addressOfWord, intOfWord, smallUintOfWord, uintOfWord, wordAt } from './hex.ts';
import { headSize, isDynamic, parseAbiType, type AbiType } from './abiType.ts';
import type { Hash, Hex } from '../model/hex.ts';
import type { ParamSpec } from '../model/rulebook.ts';

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
export type ArgumentReader = (args: EncodedArguments) => ArgumentValue | null;

/**
 * Makes a reader for one scalar of ABI-encoded arguments, by slicing. `path` descends into tuples and
 * arrays. Returns null for hostile data: short data, wild offsets, dirty address words, an index past the
 * end, a path that stops at a container.
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
  if (type.kind === 'bytes') return readBytes(data, at);
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
  const index = Number(path[0]);
  if (path.length === 0 || !Number.isInteger(index) || index < 0) return null;
  const rest = path.slice(1);
  if (type.kind === 'tuple') {
    const item = type.items[index];
    if (!item) return null;
    const before = type.items.slice(0, index).reduce((sum, t) => sum + headSize(t), 0);
    return readAt(data, item, { enclosing: at, head: before }, rest);
  }
  const length = type.length ?? smallWord(data, at);
  if (length === null || index >= length) return null;
  const enclosing = type.length === null ? at + 32 : at;
  return readAt(data, type.of, { enclosing, head: index * headSize(type.of) }, rest);
}

/** Decodes a word with or without prefix; null for types that take more than a word. */
function scalarReader({ kind }: AbiType): ((word: string) => ArgumentValue | null) | null {
  if (kind === 'bytes' || kind === 'array' || kind === 'tuple') return null;
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

function readBytes(data: Hex, at: number): Hex | null {
  const length = smallWord(data, at);
  if (length === null) return null;
  const start = 2 + (at + 32) * 2;
  const end = start + length * 2;
  return end > data.length || length > MAX_BYTES ? null : `0x${data.slice(start, end)}`;
}
