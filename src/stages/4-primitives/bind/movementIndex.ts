import { lowerBound } from '../../../lib/lowerBound.ts';
import { NATIVE_REF, type AssetRef } from './bindWord.ts';
import { fits, type Entry, type MovementQuery } from './movementQuery.ts';
import { Shelf } from './shelf.ts';
import type { Taken } from './takenMovements.ts';
import type { Movement, ValueFlow } from '../../../model/valueFlow.ts';

/** Movements looked at per question: events that fit nothing must not make the search quadratic. */
const MAX_TRIES = 64;

/** Up to so many movements looking through them all is quicker than shelving them, and no question runs out of tries. */
const FEW = MAX_TRIES;

const FIELDS = ['from', 'to', 'asset', 'assetKind', 'kind', 'amount'] as const;

/**
 * Finds movements by any combination of fields. One hash per combination, built when first asked for, and path-compressed
 * pointers over taken movements keep a transaction with 10^5 logs at one venue near-linear.
 */
export class MovementIndex {
  readonly movements: readonly Movement[];
  readonly #flow: ValueFlow;
  readonly #shelves = new Map<number, Map<string, Shelf>>();
  /** By execution order, with what queries ask for; null where there are many. Most transactions of plain payments never ask. */
  #few: readonly Entry[] | null | undefined;

  constructor(flow: ValueFlow) {
    this.#flow = flow;
    this.movements = flow.movements;
  }

  /** The contract of a movement's asset, or the native one. */
  assetRef(movement: Movement): AssetRef {
    return this.#flow.assets.get(movement.asset)?.address ?? NATIVE_REF;
  }

  /**
   * The free movement nearest to `seq` that is accepted: the last one before it first, else the first one after it.
   * Gives up after a bounded number of refusals on each side.
   */
  nearest(
    query: MovementQuery,
    seq: number,
    taken: Taken,
    accept: (m: Movement) => boolean,
  ): Movement | null {
    const few = this.#ifFew();
    if (!few) return this.before(query, seq, taken, accept, 1)[0] ?? this.#after(query, seq, taken, accept);
    let after: Movement | null = null;
    for (let i = few.length - 1; i >= 0; i--) {
      const { movement } = few[i]!;
      if (!fits(few[i]!, query) || taken.has(movement.index) || !accept(movement)) continue;
      if (movement.seq < seq) return movement;
      after = movement;
    }
    return after;
  }

  /** Up to `limit` free, accepted movements before `seq`, latest first. */
  before(
    query: MovementQuery,
    seq: number,
    taken: Taken,
    accept: (m: Movement) => boolean,
    limit: number,
  ): Movement[] {
    const found: Movement[] = [];
    const few = this.#ifFew();
    if (few) {
      for (let i = few.length - 1; i >= 0 && found.length < limit; i--) {
        const entry = few[i]!;
        if (
          entry.movement.seq < seq &&
          fits(entry, query) &&
          !taken.has(entry.movement.index) &&
          accept(entry.movement)
        )
          found.push(entry.movement);
      }
      return found;
    }
    const shelf = this.#shelf(query);
    if (!shelf) return found;
    const start = lowerBound(shelf.items, (i) => this.movements[i]!.seq >= seq) - 1;
    for (
      let i = shelf.free(taken, start, 'before'), tries = 0;
      i >= 0 && tries < MAX_TRIES && found.length < limit;
      tries++
    ) {
      const movement = this.movements[shelf.items[i]!]!;
      if (accept(movement)) found.push(movement);
      i = shelf.free(taken, i - 1, 'before');
    }
    return found;
  }

  /** The first free, accepted movements that fit, in execution order, at most `MAX_TRIES`. */
  all(query: MovementQuery, taken: Taken, accept: (m: Movement) => boolean): Movement[] {
    const found: Movement[] = [];
    const few = this.#ifFew();
    if (few) {
      for (const entry of few) {
        if (fits(entry, query) && !taken.has(entry.movement.index) && accept(entry.movement))
          found.push(entry.movement);
      }
      return found;
    }
    const shelf = this.#shelf(query);
    if (!shelf) return found;
    for (
      let i = shelf.free(taken, 0, 'after'), tries = 0;
      i < shelf.items.length && tries < MAX_TRIES;
      tries++
    ) {
      const movement = this.movements[shelf.items[i]!]!;
      if (accept(movement)) found.push(movement);
      i = shelf.free(taken, i + 1, 'after');
    }
    return found;
  }

  #after(query: MovementQuery, seq: number, taken: Taken, accept: (m: Movement) => boolean): Movement | null {
    const shelf = this.#shelf(query);
    if (!shelf) return null;
    const start = lowerBound(shelf.items, (i) => this.movements[i]!.seq >= seq);
    for (
      let i = shelf.free(taken, start, 'after'), tries = 0;
      i < shelf.items.length && tries < MAX_TRIES;
      tries++
    ) {
      const movement = this.movements[shelf.items[i]!]!;
      if (accept(movement)) return movement;
      i = shelf.free(taken, i + 1, 'after');
    }
    return null;
  }

  #shelf(query: MovementQuery): Shelf | null {
    const mask = FIELDS.reduce((bits, field, i) => (query[field] === undefined ? bits : bits | (1 << i)), 0);
    let shelves = this.#shelves.get(mask);
    if (!shelves) this.#shelves.set(mask, (shelves = this.#build(mask)));
    return (
      shelves.get(
        FIELDS.map((field) => (query[field] === undefined ? '' : String(query[field]))).join('|'),
      ) ?? null
    );
  }

  #ifFew(): readonly Entry[] | null {
    if (this.#few === undefined) this.#few = this.movements.length <= FEW ? this.#entries() : null;
    return this.#few;
  }

  #entries(): Entry[] {
    const entries: Entry[] = [];
    for (const movement of this.movements) {
      // Wrapping is an act of its own: a venue that wraps what it was given was not paid by the wrapping.
      if (movement.kind === 'wrap' || movement.kind === 'unwrap') continue;
      const asset = this.#flow.assets.get(movement.asset);
      entries.push({ movement, asset: asset?.address ?? NATIVE_REF, assetKind: asset?.kind ?? '' });
    }
    return entries;
  }

  #build(mask: number): Map<string, Shelf> {
    const shelves = new Map<string, Shelf>();
    for (const { movement: m, asset, assetKind } of this.#entries()) {
      const values = [m.from, m.to, asset, assetKind, m.kind, m.amount];
      const key = FIELDS.map((_, i) => (mask & (1 << i) ? String(values[i]) : '')).join('|');
      const shelf = shelves.get(key);
      if (shelf) shelf.items.push(m.index);
      else shelves.set(key, new Shelf([m.index]));
    }
    return shelves;
  }
}
