import type { Leg } from '../../../model/primitive.ts';

/** Movements that a shape has already accounted for in one role; each movement counts once per such pair. */
export type Claimed = Set<number>;

/** One set of claimed movements per shape and role. */
export class ClaimedMovements {
  readonly #byShape = new Map<string, Map<string, Claimed>>();

  of(shape: string, role: string): Claimed {
    let byRole = this.#byShape.get(shape);
    if (!byRole) this.#byShape.set(shape, (byRole = new Map()));
    let claimed = byRole.get(role);
    if (!claimed) byRole.set(role, (claimed = new Set()));
    return claimed;
  }

  add(shape: string, legs: readonly { readonly leg: Leg }[]): void {
    for (const { leg } of legs) for (const m of leg.movements) this.of(shape, leg.role).add(m);
  }
}

/** Up to this many items a scan is quicker than pointers past the claimed ones. */
const FEW = 64;

/** Leads from each position to the nearest free item: `before[i]` ≤ i and `after[i]` ≥ i. */
interface Pointers {
  readonly before: Int32Array;
  readonly after: Int32Array;
}

/** Indexes of movements that may fit a query, in execution order; claimed ones are passed over. */
export class Bucket {
  /** Complete before `free` is first called. */
  readonly items: number[];
  /** Path-compressed; only where there are many items. */
  #pointers: Map<Claimed, Pointers> | null = null;

  constructor(items: number[]) {
    this.items = items;
  }

  /**
   * Nearest position from `start` on, in the direction of `step`, that is not claimed; -1 or `items.length`
   * when none.
   */
  free(claimed: Claimed, start: number, step: 1 | -1): number {
    const { items } = this;
    const end = step < 0 ? -1 : items.length;
    if (step < 0 ? start < 0 : start >= end) return end;
    if (items.length > FEW) return this.#jump(claimed, start, step);
    let at = start;
    while (at !== end && claimed.has(items[at]!)) at += step;
    return at;
  }

  #jump(claimed: Claimed, start: number, step: 1 | -1): number {
    const { items } = this;
    const jump = this.#pointersOf(claimed)[step < 0 ? 'before' : 'after'];
    let at = start + 1;
    const trail: number[] = [];
    for (;;) {
      while (jump[at] !== at) {
        trail.push(at);
        at = jump[at]!;
      }
      if (at === 0 || at === items.length + 1 || !claimed.has(items[at - 1]!)) break;
      jump[at] = at + step;
    }
    for (const passed of trail) jump[passed] = at;
    return at - 1;
  }

  #pointersOf(claimed: Claimed): Pointers {
    let pointers = this.#pointers?.get(claimed);
    if (!pointers) {
      pointers = { before: this.#identity(), after: this.#identity() };
      (this.#pointers ??= new Map()).set(claimed, pointers);
    }
    return pointers;
  }

  /** Positions are shifted by one: the first and the last slot mean "none". */
  #identity(): Int32Array {
    return Int32Array.from({ length: this.items.length + 2 }, (_, i) => i);
  }
}
