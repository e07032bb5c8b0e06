import type { CalledFunction, DecodedArgument } from '../evm/decodeArguments.ts';
import { readSignature } from '../evm/signatures.ts';
import { linesOf } from '../lib/tableLines.ts';
import type { Address } from '../model/hex.ts';
import type { Rulebook } from '../model/rulebook.ts';

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
