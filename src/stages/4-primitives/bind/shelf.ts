import type { Taken } from './takenMovements.ts';

/** Up to so many items are looked through: that is quicker than to remember which of them are taken. */
const FEW = 64;

/** Leads from each position to the nearest free item: `before[i]` ≤ i and `after[i]` ≥ i. */
interface Pointers {
  readonly before: Int32Array;
  readonly after: Int32Array;
}

/** Movements that fit one query, by index and in execution order, where those already taken are passed over. Full before it is first asked. */
export class Shelf {
  readonly items: number[];
  /** Path-compressed; only where there are many items. Most shelves hold one. */
  #pointers: Map<Taken, Pointers> | null = null;

  constructor(items: number[]) {
    this.items = items;
  }

  /** Nearest position at or beyond `start` in the direction given whose movement is not taken; -1 or `items.length` when none. */
  free(taken: Taken, start: number, direction: keyof Pointers): number {
    const { items } = this;
    const step = direction === 'before' ? -1 : 1;
    const end = direction === 'before' ? -1 : items.length;
    if (direction === 'before' ? start < 0 : start >= end) return end;
    if (items.length <= FEW) {
      let at = start;
      while (at !== end && taken.has(items[at]!)) at += step;
      return at;
    }
    const jump = this.#pointersOf(taken)[direction];
    let at = start + 1;
    const trail: number[] = [];
    for (;;) {
      while (jump[at] !== at) {
        trail.push(at);
        at = jump[at]!;
      }
      if (at === 0 || at === items.length + 1 || !taken.has(items[at - 1]!)) break;
      jump[at] = at + step;
    }
    for (const passed of trail) jump[passed] = at;
    return at - 1;
  }

  #pointersOf(taken: Taken): Pointers {
    let pointers = this.#pointers?.get(taken);
    if (!pointers) {
      pointers = { before: this.#inPlace(), after: this.#inPlace() };
      (this.#pointers ??= new Map()).set(taken, pointers);
    }
    return pointers;
  }

  /** Slot 0 and the last slot stand for "none": positions are shifted by one. */
  #inPlace(): Int32Array {
    const slots = new Int32Array(this.items.length + 2);
    for (let i = 0; i < slots.length; i++) slots[i] = i;
    return slots;
  }
}
