import { lowerBound } from '../../../lib/lists.ts';
import { lazy } from '../../../lib/lazy.ts';
import { NATIVE_REF, type AssetRef } from '../../../value/resolver.ts';
import { Bucket, type Claimed } from './bucket.ts';
import type { Address } from '../../../model/hex.ts';
import type { AssetId, AssetKind, Movement, ValueFlow } from '../../../model/valueFlow.ts';

/** Conditions on a movement; absent or undefined fields match anything. */
export interface MovementQuery {
  readonly from?: Address | undefined;
  readonly to?: Address | undefined;
  readonly asset?: AssetRef | undefined;
  readonly assetKind?: AssetKind | undefined;
  readonly kind?: 'mint' | 'burn' | undefined;
  readonly amount?: bigint | undefined;
}

/**
 * A query at one moment of the execution. Claimed movements and those that `accept` refuses are passed over.
 */
export interface MovementSearch {
  readonly query: MovementQuery;
  readonly seq: number;
  readonly claimed: Claimed;
  readonly accept: (m: Movement) => boolean;
}

/** A movement with its asset's fields, as queries name them. */
interface Entry {
  readonly movement: Movement;
  readonly asset: AssetRef;
  readonly assetKind: AssetKind | '';
}

/** Movements looked at per search, so that events that fit nothing do not make the whole quadratic. */
const MAX_TRIES = 64;

/**
 * Up to this many movements, filtering them all is quicker than building a hash per combination of fields.
 */
const FEW = MAX_TRIES;

const FIELDS = ['from', 'to', 'asset', 'assetKind', 'kind', 'amount'] as const;

/**
 * Finds movements by any combination of fields. One hash per combination, built on first use, and
 * path-compressed pointers over claimed movements keep a transaction with 10^5 logs at one venue
 * near-linear.
 */
export class MovementIndex {
  readonly movements: readonly Movement[];
  readonly #flow: ValueFlow;
  readonly #buckets = new Map<number, ReadonlyMap<string, Bucket>>();
  readonly #entries = lazy(() => this.#readEntries());

  constructor(flow: ValueFlow) {
    this.#flow = flow;
    this.movements = flow.movements;
  }

  /** The contract of a movement's asset, or the native one. */
  assetRef(movement: Movement): AssetRef {
    return this.assetRefOf(movement.asset);
  }

  assetRefOf(asset: AssetId): AssetRef {
    return this.#flow.assets.get(asset)?.address ?? NATIVE_REF;
  }

  /**
   * The last movement before `seq`, else the first one after it. Gives up after `MAX_TRIES` refusals on each
   * side.
   */
  nearest(search: MovementSearch): Movement | null {
    const bucket = this.#bucket(search.query);
    if (!bucket) return null;
    const split = this.#splitAt(bucket, search.seq);
    const before = this.#collect(bucket, search, { start: split - 1, step: -1, limit: 1 });
    return before[0] ?? this.#collect(bucket, search, { start: split, step: 1, limit: 1 })[0] ?? null;
  }

  /** Up to `limit` movements before `seq`, latest first. */
  before(search: MovementSearch, limit: number): Movement[] {
    const bucket = this.#bucket(search.query);
    if (!bucket) return [];
    return this.#collect(bucket, search, { start: this.#splitAt(bucket, search.seq) - 1, step: -1, limit });
  }

  /** The first movements of the whole transaction, in execution order, at most `MAX_TRIES`. */
  all(search: MovementSearch): Movement[] {
    const bucket = this.#bucket(search.query);
    return bucket ? this.#collect(bucket, search, { start: 0, step: 1, limit: MAX_TRIES }) : [];
  }

  #splitAt(bucket: Bucket, seq: number): number {
    return lowerBound(bucket.items, (i) => this.movements[i]!.seq >= seq);
  }

  #collect(
    bucket: Bucket,
    { claimed, accept }: MovementSearch,
    { start, step, limit }: { readonly start: number; readonly step: 1 | -1; readonly limit: number },
  ): Movement[] {
    const found: Movement[] = [];
    let at = start;
    for (let tries = 0; tries < MAX_TRIES && found.length < limit; tries++) {
      at = bucket.free(claimed, at, step);
      const index = bucket.items[at];
      if (index === undefined) break;
      const movement = this.movements[index]!;
      if (accept(movement)) found.push(movement);
      at += step;
    }
    return found;
  }

  #bucket(query: MovementQuery): Bucket | null {
    const entries = this.#entries();
    if (this.movements.length <= FEW) {
      const items: number[] = [];
      for (const entry of entries) if (fits(entry, query)) items.push(entry.movement.index);
      return items.length > 0 ? new Bucket(items) : null;
    }
    const mask = FIELDS.reduce((bits, field, i) => (query[field] === undefined ? bits : bits | (1 << i)), 0);
    let buckets = this.#buckets.get(mask);
    if (!buckets) this.#buckets.set(mask, (buckets = bucketsBy(mask, entries)));
    const key = FIELDS.map((field) => (query[field] === undefined ? '' : String(query[field]))).join('|');
    return buckets.get(key) ?? null;
  }

  #readEntries(): Entry[] {
    const entries: Entry[] = [];
    for (const movement of this.movements) {
      // Wrapping is an act of its own: a venue that wraps its receipts was not paid by the wrapping.
      if (movement.kind === 'wrap' || movement.kind === 'unwrap') continue;
      const asset = this.#flow.assets.get(movement.asset);
      entries.push({ movement, asset: asset?.address ?? NATIVE_REF, assetKind: asset?.kind ?? '' });
    }
    return entries;
  }
}

function bucketsBy(mask: number, entries: readonly Entry[]): Map<string, Bucket> {
  const buckets = new Map<string, Bucket>();
  for (const { movement: m, asset, assetKind } of entries) {
    const values = [m.from, m.to, asset, assetKind, m.kind, m.amount];
    const key = FIELDS.map((_, i) => (mask & (1 << i) ? String(values[i]) : '')).join('|');
    const bucket = buckets.get(key);
    if (bucket) bucket.items.push(m.index);
    else buckets.set(key, new Bucket([m.index]));
  }
  return buckets;
}

function fits({ movement, asset, assetKind }: Entry, query: MovementQuery): boolean {
  return (
    (query.from === undefined || query.from === movement.from) &&
    (query.to === undefined || query.to === movement.to) &&
    (query.asset === undefined || query.asset === asset) &&
    (query.assetKind === undefined || query.assetKind === assetKind) &&
    (query.kind === undefined || query.kind === movement.kind) &&
    (query.amount === undefined || query.amount === movement.amount)
  );
}
