/** Anything that rests on a motif. */
interface Member {
  readonly motif: { readonly index: number };
}

/** Disjoint sets of motifs (union-find with path halving). */
export class Components {
  readonly #root: number[];

  constructor(size: number) {
    this.#root = Array.from({ length: size }, (_, i) => i);
  }

  join(a: Member, b: Member): void {
    this.#root[this.#find(b.motif.index)] = this.#find(a.motif.index);
  }

  /** The sets that the indexes are in, each in order. */
  of(indexes: readonly number[]): number[][] {
    const sets = new Map<number, number[]>();
    for (const index of indexes) {
      const root = this.#find(index);
      const set = sets.get(root);
      if (set) set.push(index);
      else sets.set(root, [index]);
    }
    return [...sets.values()];
  }

  #find(index: number): number {
    const root = this.#root;
    let at = index;
    while (root[at] !== at) at = root[at] = root[root[at]!]!;
    return at;
  }
}
