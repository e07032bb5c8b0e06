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

/** From each claimed position to one further on, past none that is free. */
interface Pointers {
  readonly before: Int32Array;
  readonly after: Int32Array;
}

/** Indexes of movements that may fit a query, in execution order; claimed ones are passed over. */
export class Bucket {
  /** Halved as they are followed; only where there are many items. */
  #pointers: Map<Claimed, Pointers> | null = null;

  /** `items`: all of them, before `free` is first called. */
  constructor(readonly items: number[]) {}

  /**
   * Nearest position from `start` on, in the direction of `step`, that is not claimed; -1 or `items.length`
   * when none.
   */
  free(claimed: Claimed, start: number, step: 1 | -1): number {
    const { items } = this;
    const isClaimed = (at: number): boolean => at >= 0 && at < items.length && claimed.has(items[at]!);
    const onward = items.length > FEW ? this.#pointersOf(claimed)[step < 0 ? 'before' : 'after'] : null;
    let at = start;
    while (isClaimed(at)) {
      const next = onward ? onward[at]! : at + step;
      if (onward && isClaimed(next)) onward[at] = onward[next]!;
      at = next;
    }
    return at;
  }

  #pointersOf(claimed: Claimed): Pointers {
    let pointers = this.#pointers?.get(claimed);
    if (!pointers) {
      const beside = (step: 1 | -1): Int32Array => Int32Array.from(this.items, (_, at) => at + step);
      pointers = { before: beside(-1), after: beside(1) };
      (this.#pointers ??= new Map()).set(claimed, pointers);
    }
    return pointers;
  }
}
