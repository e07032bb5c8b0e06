import { memoize } from './memo.ts';

/** Entries of a comma-separated list, trimmed; empty ones are left out. */
export function splitList(list: string | undefined): string[] {
  return (list ?? '').split(',').flatMap((part) => part.trim() || []);
}

/** `1 blob`, `2 blobs`. */
export function counted(count: number | bigint, one: string): string {
  return `${count} ${one}${Number(count) === 1 ? '' : 's'}`;
}

/** Splits at top-level commas: `a,f(b,c)` into `a` and `f(b,c)`. */
export function splitTopLevel(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') depth++;
    else if (text[i] === ')') depth--;
    else if (text[i] === ',' && depth === 0) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return [...parts, text.slice(start)];
}

/** Suffixes to drop from words of function and event names. */
const ENDINGS = ['ings', 'ing', 'als', 'al', 'ed', 'es', 's'] as const;
const SHORTEST_STEM = 3;

/** The part of a word that its forms share: `staked`, `stakes` and `staking` are all `stak`. */
export function stem(word: string): string {
  const lower = word.toLowerCase();
  const ending = ENDINGS.find((end) => lower.endsWith(end) && lower.length - end.length >= SHORTEST_STEM);
  const cut = ending ? lower.slice(0, -ending.length) : lower;
  return cut.length > SHORTEST_STEM && cut.endsWith('e') ? cut.slice(0, -1) : cut;
}

/** The stems of a name or phrase: `ETHDepositInitiated`, `_dst_chain_id` and `claim reward` alike. */
export const stemsOf = memoize((text): ReadonlySet<string> => {
  const words = text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  return new Set(words.map(stem));
}, 1_000);
