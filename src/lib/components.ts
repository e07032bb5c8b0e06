import { groupBy } from './lists.ts';

/** Disjoint sets of items (union-find with path halving). */
export class Components<T extends object> {
  readonly #parents = new Map<T, T>();

  join(a: T, b: T): void {
    const [rootA, rootB] = [this.#find(a), this.#find(b)];
    if (rootA !== rootB) this.#parents.set(rootB, rootA);
  }

  /** Joins the item with the first one that had the key. */
  link<K>(seen: Map<K, T>, key: K, item: T): void {
    const other = seen.get(key);
    if (other) this.join(other, item);
    else seen.set(key, item);
  }

  /** The sets that the items are in, each in order. */
  of(items: readonly T[]): T[][] {
    return [...groupBy(items, (item) => this.#find(item)).values()];
  }

  #find(item: T): T {
    const parents = this.#parents;
    let at = item;
    for (let parent = parents.get(at); parent; parent = parents.get(at)) {
      const next = parents.get(parent) ?? parent;
      if (next !== parent) parents.set(at, next);
      at = next;
    }
    return at;
  }
}
