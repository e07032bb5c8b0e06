/** An empty list: one for all, none is ever added to. */
export const NOTHING: readonly never[] = [];

/** Adds an item to the list under the key, and starts the list where there is none. Returns the list. */
export function addTo<K, T>(lists: Map<K, T[]>, key: K, item: T): T[] {
  let list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, (list = [item]));
  return list;
}

/** Items by key, keys in order of first occurrence; items without a key are left out. */
export function groupBy<K, T>(items: Iterable<T>, keyOf: (item: T) => K | null): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key !== null) addTo(groups, key, item);
  }
  return groups;
}

/** The only one of a list; null for none or several. */
export function only<T>(list: readonly T[]): T | null {
  return list.length === 1 ? list[0]! : null;
}

/** Position of the first item of a sorted list for which `later` holds; the length where it never does. */
export function lowerBound<T>(list: readonly T[], later: (item: T) => boolean): number {
  let low = 0;
  for (let high = list.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if (later(list[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Whether two lists hold the same texts, each the same number of times. */
export function sameInAnyOrder(some: readonly string[], others: readonly string[]): boolean {
  const left = new Tally(others);
  return some.length === others.length && some.every((text) => left.take(text));
}

/** How many there are of each text: pairs each statement of a thing with one other. */
export class Tally {
  readonly #counts = new Map<string, number>();

  constructor(texts: readonly string[] = []) {
    for (const text of texts) this.add(text);
  }

  add(text: string): void {
    this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1);
  }

  /** Removes one; false where none is left. */
  take(text: string): boolean {
    const left = this.#counts.get(text) ?? 0;
    if (left > 0) this.#counts.set(text, left - 1);
    return left > 0;
  }
}
