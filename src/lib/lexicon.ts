import { stemsOf } from './text.ts';
import type { LexiconEntry } from '../model/vocabulary.ts';

/** Words of an event or function, as the lexicon compares them. */
export interface SignatureWords {
  readonly basis: 'event' | 'call';
  /** Stems of its name; none where the signature is unknown. */
  readonly name: ReadonlySet<string>;
  /** Stems of each argument's name. */
  readonly args: readonly ReadonlySet<string>[];
}

export function signatureWords(
  basis: SignatureWords['basis'],
  signature: { readonly name: string; readonly args: readonly { readonly name: string }[] } | null,
): SignatureWords {
  const args = (signature?.args ?? []).map((arg) => stemsOf(arg.name));
  return { basis, name: stemsOf(signature?.name ?? ''), args };
}

/** Whether the words of an entry fit a signature; entries by message are looked up by topic instead. */
export function applies(entry: LexiconEntry, words: SignatureWords): boolean {
  const { names, args, without, sign, messages } = entry;
  if (messages.size > 0 || without.some((word) => words.name.has(word))) return false;
  if (sign !== null && (sign === 'hash_path') !== (words.basis === 'call')) return false;
  if (sign !== null && names.length + args.length === 0) return true;
  const inName = names.length === 0 || names.some((phrase) => includes(words.name, phrase));
  // Functions of one argument share their selector with others of other argument names.
  const known = words.basis === 'event' || words.args.length > 1;
  const inArgs =
    args.length === 0 || (known && args.some((phrase) => words.args.some((arg) => includes(arg, phrase))));
  return inName && inArgs;
}

function includes(words: ReadonlySet<string>, phrase: ReadonlySet<string>): boolean {
  for (const word of phrase) if (!words.has(word)) return false;
  return true;
}

/** Stems of the words for an exchange of assets. */
const EXCHANGE = ['swap', 'swapp', 'exchang', 'trad'];

/** Whether a function or event is named for an exchange of assets. */
export const namesExchange = (name = ''): boolean => EXCHANGE.some((word) => stemsOf(name).has(word));
