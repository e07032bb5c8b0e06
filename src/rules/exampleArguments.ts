import * as AbiEvent from 'ox/AbiEvent';
import * as AbiFunction from 'ox/AbiFunction';
import { encode, type Parameter as AbiParameter } from 'ox/AbiParameters';
import type { Address, Hex } from '../model/hex.ts';
import { wordOf } from '../evm/hex.ts';
import { isFault, parseSignature, reasonOf } from './compile/signature.ts';
import type { FindSignature } from './exampleNames.ts';
import type { ExampleValue } from '../model/generated/rules.ts';

export type Path = readonly (string | number)[];

/** Why an example cannot be turned into a transaction; `path` is inside its `transaction`. */
export class ExampleError extends Error {
  constructor(
    readonly path: Path,
    message: string,
  ) {
    super(message);
    this.name = 'ExampleError';
  }
}

/** A whole number, also as `1.5e18`. */
export function readAmount(value: number | string, path: Path): bigint {
  const match = /^(\d{1,78})(?:\.(\d{1,78}))?(?:e(\d{1,2}))?$/.exec(String(value));
  const [, whole = '', part = '', exponent = '0'] = match ?? [];
  const zeros = Number(exponent) - part.length;
  if (!match || zeros < 0) throw new ExampleError(path, `${value} is not a whole number`);
  return BigInt(whole + part) * 10n ** BigInt(zeros);
}

type AddressOf = (word: string) => Address;

/** Meanings of the words of an example. */
export interface ExampleWords {
  readonly addressOf: AddressOf;
  readonly find: FindSignature;
}

/** @throws ExampleError */
function signatureOf(kind: 'event' | 'call', text: string, path: Path, find: FindSignature) {
  const found = find(kind, text);
  if (typeof found === 'string') throw new ExampleError(path, found);
  const parsed = parseSignature(kind, found.text);
  if (!isFault(parsed)) return { ...parsed, topic0: found.topic0 };
  const what = kind === 'event' ? 'an event' : 'a function';
  throw new ExampleError(path, `${found.text.slice(0, 120)} is not a signature of ${what}`);
}

/** @throws ExampleError */
export function encodeEvent(
  text: string,
  args: readonly ExampleValue[],
  path: Path,
  { addressOf, find }: ExampleWords,
): { readonly topics: readonly Hex[]; readonly data: Hex } {
  const { name, inputs, params, topic0 } = signatureOf('event', text, [...path, 'event'], find);
  const values = readArguments(inputs, args, path, addressOf);
  const part = <T>(of: readonly T[], indexed: boolean): T[] =>
    of.filter((_, i) => params[i]!.indexed === indexed);
  return encoded(path, () => {
    const event = { type: 'event', name, inputs } as never;
    const [own, ...topics] = AbiEvent.encode(event, part(values, true) as never).topics as Hex[];
    return { topics: [topic0 ?? own!, ...topics], data: encode(part(inputs, false), part(values, false)) };
  });
}

/** @throws ExampleError */
export function encodeCall(
  text: string,
  args: readonly ExampleValue[],
  path: Path,
  { addressOf, find }: ExampleWords,
): Hex {
  if (/^0x([0-9a-f]{2})*$/.test(text)) return text as Hex;
  const { name, inputs: all, params } = signatureOf('call', text, [...path, 'call'], find);
  const inputs = all.filter((_, i) => params[i]!.at !== 'output');
  const values = readArguments(inputs, args, path, addressOf);
  return encoded(path, () =>
    AbiFunction.encodeData({ type: 'function', name, inputs } as never, values as never),
  );
}

/** @throws ExampleError in place of the encoder's own */
function encoded<T>(path: Path, encode: () => T): T {
  try {
    return encode();
  } catch (error) {
    throw new ExampleError([...path, 'args'], reasonOf(error));
  }
}

function readArguments(
  inputs: readonly AbiParameter[],
  args: readonly ExampleValue[],
  path: Path,
  addressOf: AddressOf,
): unknown[] {
  if (inputs.length !== args.length)
    throw new ExampleError(
      [...path, 'args'],
      `${args.length} arguments, and the signature has ${inputs.length}`,
    );
  return inputs.map((input, i) => readArgument(input, args[i]!, [...path, 'args', i], addressOf));
}

function readArgument(input: AbiParameter, value: ExampleValue, path: Path, addressOf: AddressOf): unknown {
  const item = /^(.*)\[\d*\]$/.exec(input.type)?.[1];
  const components = 'components' in input ? (input.components as readonly AbiParameter[]) : null;
  if (item === undefined && !components) return readWord(input.type, value, path, addressOf);
  if (!Array.isArray(value)) throw new ExampleError(path, `${input.type} takes a list`);
  const parts = value as readonly ExampleValue[];
  if (item !== undefined) {
    const of = { ...input, type: item } as AbiParameter;
    return parts.map((part, i) => readArgument(of, part, [...path, i], addressOf));
  }
  // ox takes a tuple of unnamed components as a list, and one of named components by name.
  const values = readArguments(components!, parts, path.slice(0, -1), addressOf);
  return components!.every(({ name }) => name)
    ? Object.fromEntries(components!.map(({ name }, i) => [name, values[i]]))
    : values;
}

function readWord(type: string, value: ExampleValue, path: Path, addressOf: AddressOf): unknown {
  if (Array.isArray(value)) throw new ExampleError(path, `${type} takes no list`);
  const text = String(value);
  if (type === 'address') return addressOf(text);
  // Some contracts write an account into 32 bytes.
  if (type === 'bytes32' && /^[A-Za-z]/.test(text)) return `0x${wordOf(addressOf(text))}`;
  if (type === 'bool') return value === true;
  if (!/^u?int/.test(type)) return text;
  return text.startsWith('-') ? -readAmount(text.slice(1), path) : readAmount(text, path);
}
