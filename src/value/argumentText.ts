import { checksumAddress } from '../evm/address.ts';
import type { Decoded, DecodedArgument, CalledFunction } from '../evm/decodeArguments.ts';
import { cleanText } from './cleanText.ts';
import { readSignature } from '../evm/signatures.ts';
import { linesOf } from '../lib/tableLines.ts';
import type { Address } from '../model/hex.ts';
import type { Rulebook } from '../model/rulebook.ts';

/** Longest text of one argument. */
const MOST_CHARACTERS = 300;

interface ArgumentText {
  readonly name: string;
  readonly type: string;
  /** Integers in decimal, addresses checksummed; lists and tuples as JSON. Null for an indexed text. */
  readonly value: string | null;
  /** Present where the text was cut. */
  readonly truncated?: true;
}

/** An argument as text for reports and call trees, texts of contracts cleaned. */
export function argumentText({ name, type, value }: DecodedArgument): ArgumentText {
  const plain = value === null ? null : plainOf(value);
  const text = typeof plain === 'string' || plain === null ? plain : JSON.stringify(plain);
  const shownName = cleanText(name, 64) ?? '';
  if (text === null || text.length <= MOST_CHARACTERS) return { name: shownName, type, value: text };
  return { name: shownName, type, value: `${text.slice(0, MOST_CHARACTERS)}…`, truncated: true };
}

type Plain = string | readonly Plain[];

function plainOf(value: Decoded): Plain {
  if (!('kind' in value)) return value.map(plainOf);
  if (value.kind === 'address') return checksumAddress(value.value);
  return value.kind === 'text' ? (cleanText(value.value, MOST_CHARACTERS) ?? '') : String(value.value);
}

/**
 * Arguments with the names that the called contract or a token standard gives them. Contracts of other
 * authors share selectors: what only the selector tells is `arg0`, `arg1`, …
 */
export function ownArguments(
  { canonical, decoded }: CalledFunction,
  contract: Address,
  { prepared, entities, tokenCalls, signatures }: Rulebook,
): readonly DecodedArgument[] {
  const signature = readSignature(canonical);
  if (tokenCalls.has(`0x${signature.hash.slice(0, 8)}`)) return decoded;
  const slugs = [prepared.protocolOf(contract), entities.get(contract)?.slug];
  const own = slugs
    .flatMap((slug) => (slug === undefined ? [] : linesOf(signatures.own, slug)))
    .map((line) => readSignature(line.slice(line.indexOf(' ') + 1)).named)
    .find((named) => named.canonical === canonical);
  const { args } = own ?? signature.named;
  return decoded.map((argument, i) => ({ ...argument, name: args[i]!.name }));
}
