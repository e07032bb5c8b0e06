import { groupBy } from '../../lib/groups.ts';

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
    return [...groupBy(indexes, (index) => this.#find(index)).values()];
  }

  #find(index: number): number {
    const root = this.#root;
    let at = index;
    while (root[at] !== at) at = root[at] = root[root[at]!]!;
    return at;
  }
}
