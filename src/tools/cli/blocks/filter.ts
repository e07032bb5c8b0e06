import { isHex } from '../../../evm/hex.ts';
import { CliError } from '../cliIo.ts';
import type { Address } from '../../../model/hex.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import type { BlockFilter } from '../../../service/analyzeBlock.ts';

/**
 * Reads `--only` and `--involving`. Throws `CliError` for an intent unknown to the rules and for anything
 * but an address.
 */
export function readFilter(
  { only, involving }: { readonly only?: string; readonly involving?: string },
  { intentKinds }: Pick<Rulebook, 'intentKinds'>,
): BlockFilter {
  const intents = only === undefined ? null : items(only);
  const unknown = intents?.find((kind) => !intentKinds.has(kind));
  if (unknown !== undefined) throw new CliError(`--only: the rules know no intent ${unknown}`);
  const addresses = involving === undefined ? null : items(involving);
  const wrong = addresses?.find((address) => address.length !== 42 || !isHex(address));
  if (wrong !== undefined) throw new CliError(`--involving: ${wrong} is no address`);
  return { intents, addresses: addresses?.map((address) => address.toLowerCase() as Address) ?? null };
}

const items = (text: string): string[] => text.split(/[\s,]+/).filter((item) => item !== '');
