import { decodeArguments, type Decoded } from '../../evm/decodeArguments.ts';
import { functionNamed } from '../../evm/signatures.ts';
import type { Hex } from '../../model/hex.ts';
import type { SignatureTables } from '../../model/rulebook.ts';
import type { SimulatedCall } from '../../model/simulation.ts';

/** Names of arguments that state the least a caller accepts: `amountOutMin`, `minReturn`, `min_dy`. */
const LEAST = /(?:^|_)min(?![a-z])|Min(?![a-z])|[mM]inimum|(?:^|[a-z])Min[A-Z_]/;
/** Calls inside calls, as `multicall(bytes[])` holds them. */
const MOST_DEPTH = 3;

interface Field {
  readonly name: string;
  readonly fields: readonly Field[];
}

/**
 * The least amount that the calldata accepts by the names of its arguments: the largest that is at most the
 * amount received. Null where no argument of a known function is called so.
 */
export function leastAccepted(
  calls: readonly SimulatedCall[],
  signatures: SignatureTables,
  received: bigint,
): bigint | null {
  let least: bigint | null = null;
  const note = (amount: bigint): void => {
    if (amount <= received && (least === null || amount > least)) least = amount;
  };
  const readCall = (data: Hex, depth: number): void => {
    const named = data.length >= 10 ? functionNamed(signatures, data.slice(0, 10) as Hex) : null;
    const args = named && decodeArguments(named, { topics: [], data, base: 4 });
    for (const [i, { value }] of (args ?? []).entries())
      if (value !== null) readValue(named!.args[i]!, value, depth);
  };
  const readValue = (field: Field, value: Decoded, depth: number): void => {
    if (isList(value)) {
      // A tuple has named fields; the items of a list share the list's.
      for (const [i, item] of value.entries())
        readValue(isList(item) ? field : (field.fields[i] ?? field), item, depth);
    } else if (value.kind === 'integer' && LEAST.test(field.name)) note(value.value);
    else if (value.kind === 'bytes' && depth < MOST_DEPTH) readCall(value.value, depth + 1);
  };
  for (const { data } of calls) readCall(data, 0);
  return least;
}

function isList(value: Decoded): value is readonly Decoded[] {
  return Array.isArray(value);
}
