import { splitTopLevel } from '../lib/splitTopLevel.ts';

/** An ABI type, as far as reading one value needs it (Solidity contract ABI specification). */
export type AbiType =
  | { readonly kind: 'address' | 'bool' | 'uint' | 'int' | 'fixed_bytes' | 'bytes' }
  | { readonly kind: 'array'; readonly of: AbiType; readonly length: number | null }
  | { readonly kind: 'tuple'; readonly items: readonly AbiType[] };

const cache = new Map<string, AbiType | null>();

/**
 * Parses a canonical ABI type such as `(address,uint256[2])[]`; null for anything else. Types come from the
 * rulebook, so the cache is bounded by it.
 */
export function parseAbiType(text: string): AbiType | null {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const parsed = parse(text);
  cache.set(text, parsed);
  return parsed;
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
  return ELEMENTARY.find(([form]) => form.test(text))?.[1] ?? null;
}

const ELEMENTARY: readonly (readonly [RegExp, AbiType])[] = [
  [/^address$/, { kind: 'address' }],
  [/^bool$/, { kind: 'bool' }],
  [/^(bytes|string)$/, { kind: 'bytes' }],
  [/^uint\d+$/, { kind: 'uint' }],
  [/^int\d+$/, { kind: 'int' }],
  [/^bytes\d+$/, { kind: 'fixed_bytes' }],
];

export function isDynamic(type: AbiType): boolean {
  if (type.kind === 'bytes') return true;
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
