import { groupBy, lowerBound } from '../../../lib/lists.ts';
import { lazy } from '../../../lib/lazy.ts';
import { NATIVE_REF, type AssetRef } from '../../../value/resolver.ts';
import { indexesOf } from '../../../value/claims.ts';
import type { Address } from '../../../model/hex.ts';
import type { AssetId, AssetKind, Movement, ValueFlow } from '../../../model/valueFlow.ts';
import type { Leg } from '../../../model/primitive.ts';

/** Conditions on a movement; null matches anything. */
export interface MovementQuery {
  readonly from: Address | null;
  readonly to: Address | null;
  readonly asset: AssetRef | null;
  readonly id: bigint | null;
  readonly assetKind: AssetKind | null;
  readonly kind: 'transfer' | 'mint' | 'burn' | null;
  readonly amount: bigint | null;
}

/** A query at one moment. Claimed movements and those that `accept` refuses are passed over. */
export interface MovementSearch {
  readonly query: MovementQuery;
  readonly seq: number;
  readonly claimed: Claimed;
  readonly accept: (m: Movement) => boolean;
}

/** Movements looked at per search, so that events that fit nothing do not make the whole quadratic. */
const MAX_TRIES = 64;

/** Up to this many movements, filtering them all is quicker than a hash per combination of fields. */
const FEW = MAX_TRIES;

const FIELDS = ['from', 'to', 'asset', 'id', 'assetKind', 'kind', 'amount'] as const;

/**
 * Finds movements by any combination of fields. One hash per combination, built on first use, and
 * path-compressed pointers over claimed movements keep a transaction with 10^5 logs at one venue
 * near-linear.
 */
export class MovementIndex {
  readonly movements: readonly Movement[];
  readonly #buckets = new Map<number, ReadonlyMap<string, Bucket>>();
  readonly #all = lazy(() => new Bucket(indexesOf(this.movements.filter(paysSomebody))));

  constructor(private readonly flow: ValueFlow) {
    this.movements = flow.movements;
  }

  /** The contract of an asset, or the native one. */
  assetRef(asset: AssetId): AssetRef {
    return this.flow.assets.get(asset)?.address ?? NATIVE_REF;
  }

  /** The last before `seq`, else the first after it. Gives up after `MAX_TRIES` refusals a side. */
  nearest(search: MovementSearch): Movement | null {
    return this.near(search, -1, 1)[0] ?? this.near(search, 1, 1)[0] ?? null;
  }

  /** Up to `limit` movements before `seq`, latest first, or with `step` 1 from it on. */
  near(search: MovementSearch, step: 1 | -1, limit: number): Movement[] {
    const bucket = this.#bucket(search.query);
    if (!bucket) return [];
    const split = lowerBound(bucket.items, (i) => this.movements[i]!.seq >= search.seq);
    return this.#collect(bucket, search, { start: step < 0 ? split - 1 : split, step, limit });
  }

  /** The first movements of the whole transaction, in execution order, at most `MAX_TRIES`. */
  all(search: MovementSearch): Movement[] {
    const bucket = this.#bucket(search.query);
    return bucket ? this.#collect(bucket, search, { start: 0, step: 1, limit: MAX_TRIES }) : [];
  }

  /** Whether the payer paid this amount to one account only: a stranger can add a second payment. */
  isSole({ asset, amount, from, to, seq }: Movement): boolean {
    const any = { to: null, asset: null, id: null, assetKind: null, kind: null };
    const like = this.all({ query: { ...any, from, amount }, seq, claimed: new Set(), accept: () => true });
    return like.every((one) => one.asset !== asset || one.to === to);
  }

  #collect(
    bucket: Bucket,
    { query, claimed, accept }: MovementSearch,
    { start, step, limit }: { readonly start: number; readonly step: 1 | -1; readonly limit: number },
  ): Movement[] {
    const found: Movement[] = [];
    let at = start;
    for (let tries = 0; tries < MAX_TRIES && found.length < limit; tries++) {
      at = bucket.free(claimed, at, step);
      const index = bucket.items[at];
      if (index === undefined) break;
      const movement = this.movements[index]!;
      if (this.#fits(movement, query) && accept(movement)) found.push(movement);
      at += step;
    }
    return found;
  }

  /** Movements among which those that fit are: all of a few, the very ones of many. */
  #bucket(query: MovementQuery): Bucket | null {
    if (this.movements.length <= FEW) return this.#all();
    const mask = FIELDS.reduce((bits, field, i) => (query[field] === null ? bits : bits | (1 << i)), 0);
    let buckets = this.#buckets.get(mask);
    if (!buckets) this.#buckets.set(mask, (buckets = this.#bucketsBy(mask)));
    return buckets.get(keyOf(query, mask)) ?? null;
  }

  #bucketsBy(mask: number): ReadonlyMap<string, Bucket> {
    const lists = groupBy(this.#all().items, (index) => {
      const { from, to, asset: moved, kind, amount } = this.movements[index]!;
      const [asset, id, assetKind] = [this.assetRef(moved), this.idOf(moved), this.#kindOf(moved)];
      return keyOf({ from, to, asset, id, assetKind, kind, amount }, mask);
    });
    return new Map([...lists].map(([key, items]) => [key, new Bucket(items)]));
  }

  /** The id of an NFT. */
  idOf(asset: AssetId): string | null {
    return this.flow.assets.get(asset)?.tokenId ?? null;
  }

  #kindOf(asset: AssetId): AssetKind | null {
    return this.flow.assets.get(asset)?.kind ?? null;
  }

  #fits(m: Movement, { from, to, asset, id, assetKind, kind, amount }: MovementQuery): boolean {
    return (
      fits(amount, m.amount) &&
      fits(from, m.from) &&
      fits(to, m.to) &&
      fits(kind, m.kind) &&
      (asset === null || asset === this.assetRef(m.asset)) &&
      (id === null || String(id) === this.idOf(m.asset)) &&
      (assetKind === null || assetKind === this.#kindOf(m.asset))
    );
  }
}

/** Wrapping is an act of its own and a transfer to oneself none: neither paid a venue. */
const paysSomebody = ({ kind, from, to }: Movement): boolean =>
  kind !== 'wrap' && kind !== 'unwrap' && from !== to;

const fits = (wanted: unknown, found: unknown): boolean => wanted === null || wanted === found;

type Fields = Readonly<Record<(typeof FIELDS)[number], unknown>>;

function keyOf(fields: Fields, mask: number): string {
  return FIELDS.map((field, i) => (mask & (1 << i) ? String(fields[field]) : '')).join('|');
}

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
const SCANNED = 64;

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

  /** Nearest position from `start` on that is not claimed; -1 or `items.length` where none is. */
  free(claimed: Claimed, start: number, step: 1 | -1): number {
    const { items } = this;
    const isClaimed = (at: number): boolean => at >= 0 && at < items.length && claimed.has(items[at]!);
    const onward = items.length > SCANNED ? this.#pointersOf(claimed)[step < 0 ? 'before' : 'after'] : null;
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
