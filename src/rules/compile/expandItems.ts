import type { RawMeaning, RawShape, RawVocabulary } from '../../model/generated/rules.ts';
import { didYouMean } from './didYouMean.ts';
import { Spot, ofKind, type RuleItem } from './ruleItem.ts';
import { pointerSegment } from '../read/yamlTree.ts';

/**
 * Expands the short forms that authors may write, so that later steps see the long one: named lists of words,
 * and several signatures or variants in one entry. Places still point at the author's text.
 */
export function expandItems(items: readonly RuleItem[]): RuleItem[] {
  const lists = listsOf(ofKind(items, 'vocabulary'));
  return items.map((item) => {
    if (item.file.kind === 'shape') return splitEntries(item as RuleItem<RawShape>);
    return item.file.kind === 'intent' ? { ...item, ...expanded(item, item.value, '', lists) } : item;
  });
}

/** One entry per signature and variant: lists of them are short for as many entries. */
function splitEntries(item: RuleItem<RawShape>): RuleItem {
  const places = new Map<string, string>();
  const value: Record<string, unknown> = { ...item.value };
  for (const section of ['events', 'calls'] as const) {
    const key = section === 'events' ? 'event' : 'call';
    const entries = item.value[section] as readonly WrittenEntry[] | undefined;
    if (!entries?.some((entry) => Array.isArray(entry[key]) || entry.variants)) continue;
    const split: RawMeaning[] = [];
    for (const [i, { variants = [{}], ...entry }] of entries.entries())
      for (const [n, signature] of [entry[key]].flat().entries())
        for (const [v, own] of variants.entries()) {
          const [at, written] = [`/${section}/${split.length}`, `/${section}/${i}`];
          places.set(at, written);
          if (Array.isArray(entry[key])) places.set(`${at}/${key}`, `${written}/${key}/${n}`);
          for (const name of Object.keys(own))
            places.set(`${at}/${name}`, `${written}/variants/${v}/${name}`);
          split.push({ ...entry, [key]: signature, ...own } as RawMeaning);
        }
    value[section] = split;
  }
  return places.size === 0 ? item : { ...item, value, places };
}

/** An entry as the author writes it. */
type WrittenEntry = Omit<RawMeaning, 'event' | 'call'> & {
  readonly event?: string | readonly string[];
  readonly call?: string | readonly string[];
  readonly variants?: readonly Partial<RawMeaning>[];
};

type Words = readonly (string | number)[];

/** The named lists of all vocabularies. A list may name lists declared before it. */
function listsOf(vocabularies: readonly RuleItem<RawVocabulary>[]): ReadonlyMap<string, Words> {
  const lists = new Map<string, Words>();
  for (const item of vocabularies)
    for (const [name, words] of Object.entries(item.value.lists ?? {})) {
      const spot = new Spot(item, ['lists', name]);
      if (lists.has(name) && item.value.override !== true) spot.reportKey('duplicate_kind', `list ${name}`);
      const { value } = expanded(item, words, `/lists/${name}`, lists);
      lists.set(name, [...new Set(value as Words)]);
    }
  return lists;
}

/**
 * A part of an item with every `$name` in a list, or for one, replaced by the words of that list. `places`:
 * pointers of expanded values, and of the text they were written as.
 */
function expanded(item: RuleItem, whole: unknown, at: string, lists: ReadonlyMap<string, Words>) {
  const places = new Map<string, string>();
  const wordsOf = (name: string, pointer: string): Words => {
    const words = lists.get(name);
    if (words) return words;
    const known = [...lists.keys()].map((one) => `$${one}`);
    const message = `${didYouMean(`$${name}`, known)}; lists are declared in vocabulary.yaml`;
    const { file, sink } = item;
    const place = file.locate(item.pointer + pointer);
    sink.report({ file: file.shownPath, ...place, code: 'unknown_list', message }, item);
    return [];
  };
  const expandList = (list: readonly unknown[], pointer: string): unknown[] => {
    if (list.every((one) => nameOf(one) === null))
      return list.map((one, i) => expand(one, `${pointer}/${i}`));
    const all: unknown[] = [];
    for (const [i, one] of list.entries()) {
      const written = `${pointer}/${i}`;
      const name = nameOf(one);
      for (const word of name === null ? [expand(one, written)] : wordsOf(name, written)) {
        places.set(`${pointer}/${all.length}`, written);
        all.push(word);
      }
    }
    return [...new Set(all)];
  };
  const expand = (value: unknown, pointer: string): unknown => {
    if (Array.isArray(value)) return expandList(value, pointer);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => {
        const written = pointer + pointerSegment(key);
        const name = key === 'value' ? nameOf(part) : null;
        if (name === null) return [key, key === 'transaction' ? part : expand(part, written)];
        const words = wordsOf(name, written);
        for (const i of words.keys()) places.set(`${written}/${i}`, written);
        return [key, words];
      }),
    );
  };
  return { value: expand(whole, at), places };
}

function nameOf(word: unknown): string | null {
  return typeof word === 'string' ? (/^\$([a-z][a-z0-9_]*)$/.exec(word)?.[1] ?? null) : null;
}
