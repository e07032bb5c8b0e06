import type { RawMeaning, RawShape, RawVocabulary } from '../../model/generated/rules.ts';
import { didYouMean } from './didYouMean.ts';
import { Spot, ofKind, type RuleItem } from './ruleItem.ts';
import { pointerSegment } from '../read/yamlTree.ts';

/**
 * Expands the short forms that authors may write, so that later steps see the long one: named lists of words,
 * and several signatures or variants in one entry. Places still point at the author's text.
 */
export function expandItems(items: readonly RuleItem[]): RuleItem[] {
  const expand = expanderOf(ofKind(items, 'vocabulary'));
  return items.map((item) => {
    if (item.file.kind === 'shape') return splitEntries(item as RuleItem<RawShape>);
    if (item.file.kind !== 'intent') return item;
    const places = new Map<string, string>();
    return { ...item, value: expand(item.value, '', { item, places }), places };
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

/** The item being expanded, and the places of its moved parts. */
interface Expansion {
  readonly item: RuleItem;
  /** Pointer of an expanded value, and of the text it was written as. */
  readonly places: Map<string, string>;
}

/** A value with every `$name` in a list, or for one, replaced by the words of that list. */
type Expand = (value: unknown, pointer: string, expansion: Expansion) => unknown;

type Words = readonly (string | number)[];

/** Reads the named lists of all vocabularies. A list may name lists declared before it. */
function expanderOf(vocabularies: readonly RuleItem<RawVocabulary>[]): Expand {
  const lists = new Map<string, Words>();
  const wordsOf = (name: string, pointer: string, { item }: Expansion): Words => {
    const words = lists.get(name);
    if (words) return words;
    const known = [...lists.keys()].map((one) => `$${one}`);
    const message = `${didYouMean(`$${name}`, known)}; lists are declared in vocabulary.yaml`;
    const { file, sink } = item;
    const place = file.locate(item.pointer + pointer);
    sink.report({ file: file.shownPath, ...place, code: 'unknown_list', message }, item);
    return [];
  };
  const expand: Expand = (value, pointer, expansion) => {
    if (Array.isArray(value)) {
      const named = value.some((one) => nameOf(one) !== null);
      if (!named) return value.map((one, i) => expand(one, `${pointer}/${i}`, expansion));
      const all: unknown[] = [];
      for (const [i, one] of value.entries()) {
        const name = nameOf(one);
        const at = `${pointer}/${i}`;
        const words = name === null ? [expand(one, at, expansion)] : wordsOf(name, at, expansion);
        for (const word of words) {
          expansion.places.set(`${pointer}/${all.length}`, at);
          all.push(word);
        }
      }
      return [...new Set(all)];
    }
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => {
        const at = pointer + pointerSegment(key);
        const name = key === 'value' ? nameOf(part) : null;
        if (name === null) return [key, key === 'transaction' ? part : expand(part, at, expansion)];
        const words = wordsOf(name, at, expansion);
        for (const i of words.keys()) expansion.places.set(`${at}/${i}`, at);
        return [key, words];
      }),
    );
  };

  for (const item of vocabularies)
    for (const [name, words] of Object.entries(item.value.lists ?? {})) {
      const spot = new Spot(item, ['lists', name]);
      if (lists.has(name) && item.value.override !== true) spot.reportKey('duplicate_kind', `list ${name}`);
      const all = expand(words, `/lists/${name}`, { item, places: new Map() }) as Words;
      lists.set(name, [...new Set(all)]);
    }
  return expand;
}

function nameOf(word: unknown): string | null {
  return typeof word === 'string' ? (/^\$([a-z][a-z0-9_]*)$/.exec(word)?.[1] ?? null) : null;
}
