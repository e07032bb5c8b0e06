import { addTo, NOTHING } from './lists.ts';
import { memoizeFor } from './memo.ts';
import type { LineTable } from '../model/rulebook.ts';

/**
 * Indexed on first use: searching the text costs each address and selector of a report more than 3 µs. By
 * table, not by text: two equal texts are compared letter by letter at every look-up.
 */
const indexOf = memoizeFor(({ text }: LineTable, _: void) => indexed(text));

/** Whole lines of a table that begin with `key` and a space, in their order. */
export function linesOf(table: LineTable, key: string): readonly string[] {
  return indexOf(table).get(key) ?? NOTHING;
}

function indexed(text: string): ReadonlyMap<string, readonly string[]> {
  const byKey = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const end = line.indexOf(' ');
    if (end < 0) continue;
    addTo(byKey, line.slice(0, end), line);
  }
  return byKey;
}
