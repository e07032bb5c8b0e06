import { addressOfWord, intOfWord, uintOfWord, wordAt } from './hex.ts';
import { countOf, isContainer, isDynamic, itemOf, readBytes, startOf } from './readArgument.ts';
import type { AbiType, EncodedArguments, Slot } from './readArgument.ts';
import { only } from '../lib/lists.ts';
import { memoizeFor } from '../lib/memo.ts';
import { functionsOf, type NamedSignature } from './signatures.ts';
import type { Hex } from '../model/hex.ts';
import type { SignatureTables } from '../model/rulebook.ts';

/** One value: integers and booleans as they are, texts by their UTF-8, the rest as lower-case hex. */
type Leaf =
  | { readonly kind: 'integer'; readonly value: bigint }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'address' | 'bytes'; readonly value: Hex }
  | { readonly kind: 'text'; readonly value: string };

/** A value, or those of a list or tuple in order. */
export type Decoded = Leaf | readonly Decoded[];

export interface DecodedArgument {
  readonly name: string;
  readonly type: string;
  /** Null for an indexed text: the event holds only its hash. */
  readonly value: Decoded | null;
}

/** Values read of one call or event. Longer lists are refused as a whole: nothing is shown in part. */
const MOST_VALUES = 4_096;
const MOST_BYTES = 65_536;

/** Thrown inside where the data does not fit the type. */
class Misfit extends Error {}

function fit<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Misfit();
  return value;
}

class Decoder {
  #left = MOST_VALUES;

  constructor(private readonly data: Hex) {}

  at(slot: Slot): Decoded {
    if (this.#left-- <= 0) throw new Misfit();
    const { type } = slot;
    const at = fit(startOf(this.data, slot));
    if (isContainer(type)) {
      const length = fit(countOf(this.data, type, at));
      if (length > this.#left) throw new Misfit();
      return Array.from({ length }, (_, index) => this.at(itemOf(type, at, index)));
    }
    if (type.kind === 'bytes' || type.kind === 'string') {
      const value = fit(readBytes(this.data, at, MOST_BYTES));
      return type.kind === 'bytes'
        ? { kind: 'bytes', value }
        : { kind: 'text', value: Buffer.from(value.slice(2), 'hex').toString('utf8') };
    }
    return scalar(type, fit(wordAt(this.data, at)));
  }
}

/** A value of one word; every bit outside its type has to be as the ABI pads it. */
function scalar(type: AbiType, word: string): Leaf {
  switch (type.kind) {
    case 'address':
      return { kind: 'address', value: fit(addressOfWord(word)) };
    case 'bool': {
      const value = uintOfWord(word);
      return { kind: 'bool', value: fit(value > 1n ? null : value === 1n) };
    }
    case 'uint': {
      const value = uintOfWord(word);
      return { kind: 'integer', value: fit(value >> BigInt(type.size) === 0n ? value : null) };
    }
    case 'int': {
      const value = intOfWord(word);
      return { kind: 'integer', value: fit(BigInt.asIntN(type.size, value) === value ? value : null) };
    }
    case 'fixed_bytes': {
      const end = type.size * 2;
      if (/[^0]/.test(word.slice(end))) throw new Misfit();
      return { kind: 'bytes', value: `0x${word.slice(0, end)}` };
    }
    default:
      throw new Misfit();
  }
}

/** Arguments of an event or call by the ABI; null where the data does not fit or holds too many values. */
export function decodeArguments(
  { args }: NamedSignature,
  { topics, data, base }: EncodedArguments,
): DecodedArgument[] | null {
  const decoder = new Decoder(data);
  try {
    return args.map(({ name, type: text, indexed, offset, abi }): DecodedArgument => {
      const type = fit(abi);
      if (!indexed) return { name, type: text, value: decoder.at({ type, enclosing: base, head: offset }) };
      const word = fit(topics[offset]).slice(2);
      const hashed = isDynamic(type) || isContainer(type);
      return { name, type: text, value: hashed ? null : scalar(type, word) };
    });
  } catch (error) {
    if (error instanceof Misfit) return null;
    throw error;
  }
}

/** A known function with the arguments it was called with. */
export interface CalledFunction extends NamedSignature {
  readonly decoded: readonly DecodedArgument[];
}

/** The only function of the calldata's selector with arguments that decode; null for none or several. */
export function functionCalled(tables: SignatureTables, input: Hex): CalledFunction | null {
  if (input.length < 10) return null;
  const called = functionsOf(tables, input.slice(0, 10) as Hex).flatMap((named) => {
    if (named.args.length === 0 && input.length > 10) return [];
    const decoded = decodeArguments(named, { topics: [], data: input, base: 4 });
    return decoded === null ? [] : [{ ...named, decoded }];
  });
  return only(called);
}

/** `functionCalled` of a transaction or frame, decoded once for all callers. */
export const functionOf = memoizeFor(({ input }: { readonly input: Hex }, tables: SignatureTables) =>
  functionCalled(tables, input),
);
