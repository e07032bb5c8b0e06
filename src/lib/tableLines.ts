import { memoize } from './memo.ts';

/** The tables of signatures and names of the shipped rules, and of rules that replace them. */
const TABLES = 6;

/**
 * Lines of a table, by their first word. Indexed on first use, within some milliseconds: a search of the text
 * costs every address and selector of a report more than 3 µs, which is 1.5 % of a cold pass.
 */
const indexOf = memoize(indexed, TABLES);

/** Whole lines of a text that begin with `key` and a space, in their order. */
export function linesOf(text: string, key: string): readonly string[] {
  return indexOf(text).get(key) ?? NONE;
}

const NONE: readonly string[] = [];

function indexed(text: string): ReadonlyMap<string, readonly string[]> {
  const byKey = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const end = line.indexOf(' ');
    if (end < 0) continue;
    const key = line.slice(0, end);
    const lines = byKey.get(key);
    if (lines) lines.push(line);
    else byKey.set(key, [line]);
  }
  return byKey;
}
