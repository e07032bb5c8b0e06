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
