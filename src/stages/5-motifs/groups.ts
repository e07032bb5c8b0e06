/** Disjoint sets of motif indexes, each told in order. */
export class Groups {
  readonly #root = new Map<number, number>();
  readonly #joined = new Set<number>();
  #left: number;

  constructor(indexes: readonly number[]) {
    for (const index of indexes) this.#root.set(index, index);
    this.#left = indexes.length;
  }

  join(a: number, b: number): void {
    if (a === b) return;
    this.#joined.add(a).add(b);
    const root = this.#find(a);
    const other = this.#find(b);
    if (root === other) return;
    this.#root.set(other, root);
    this.#left--;
  }

  /** Nothing is left to be joined. */
  get one(): boolean {
    return this.#left <= 1;
  }

  /** Nothing was joined with it yet. */
  alone(index: number): boolean {
    return !this.#joined.has(index);
  }

  all(): number[][] {
    const groups = new Map<number, number[]>();
    for (const index of this.#root.keys()) {
      const root = this.#find(index);
      const members = groups.get(root);
      if (members) members.push(index);
      else groups.set(root, [index]);
    }
    return [...groups.values()].map((members) => members.sort((a, b) => a - b)).sort((a, b) => a[0]! - b[0]!);
  }

  #find(index: number): number {
    let at = index;
    while (this.#root.get(at) !== at) at = this.#root.get(at)!;
    for (let next = index; next !== at; ) {
      const after = this.#root.get(next)!;
      this.#root.set(next, at);
      next = after;
    }
    return at;
  }
}
