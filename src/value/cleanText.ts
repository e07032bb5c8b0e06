const MAX_SYMBOL = 32;
const MAX_NAME = 64;
/** Nothing past this is looked at: a token may answer megabytes. */
const MAX_INPUT = 1024;

/** Shown as a gap, in every Unicode category; the byte order mark is none although `\s` holds it. */
const LOOKS_BLANK = /(?:(?!\ufeff)[\s\u0085\u2800])+/gu;
/**
 * Never shown: control, surrogate and private-use characters, and all that Unicode calls format or
 * default-ignorable (bidirectional overrides, zero-width characters, fillers, variation selectors, tags).
 */
const NEVER_SHOWN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;
/** Sequences of a terminal, whole: without its first character the rest would stay as text. */
const TERMINAL = /(?:\p{Cc}\[|\u009b)[0-?]*[ -/]*[@-~]|\p{Cc}\][^\p{Cc}]*/gu;
/** More combining marks than any script stacks: text that climbs out of its line. */
const MARK_PILE = /(\p{M}{3})\p{M}+/gu;

/** Almost all texts, also with a shortened address or a power of ten: nothing in them needs cleaning. */
const PLAIN = /^[\x21-\x7e…×⁰¹²³⁴-⁹⁻]+(?: [\x21-\x7e…×⁰¹²³⁴-⁹⁻]+)*$/;

/**
 * Cleans text from the chain for display: white space runs become one space; characters that could hide,
 * reorder or overflow text are cut; at most `limit` characters (then `…`). Null when nothing visible is
 * left.
 */
export function cleanText(text: string | null | undefined, limit: number): string | null {
  if (typeof text !== 'string') return null;
  if (text.length <= limit && PLAIN.test(text)) return text;
  const visible = text
    .slice(0, MAX_INPUT)
    .replace(LOOKS_BLANK, ' ')
    .replace(TERMINAL, '')
    .replace(NEVER_SHOWN, '')
    .normalize('NFC')
    .replace(MARK_PILE, '$1')
    .replace(/ {2,}/g, ' ')
    .trim();
  if (visible === '') return null;
  const characters = [...visible];
  return characters.length <= limit ? visible : `${characters.slice(0, limit).join('').trimEnd()}…`;
}

export const cleanSymbol = (symbol: string | null | undefined): string | null =>
  cleanText(symbol, MAX_SYMBOL);
export const cleanName = (name: string | null | undefined): string | null => cleanText(name, MAX_NAME);

/** Long numbers and hashes as their ends. */
export function shortened(text: string): string {
  return text.length <= 12 ? text : `${text.slice(0, 6)}…${text.slice(-4)}`;
}
