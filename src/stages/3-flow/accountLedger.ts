import type { Address } from '../../model/hex.ts';
import type { AssetId, Ledger, LedgerEntry } from '../../model/valueFlow.ts';

/**
 * One account's ledger and lists of movements. Most accounts only sent or only received one asset: they need neither a map nor
 * lists beside that asset's own, and where there are very many of them that is what counts. Amounts are positive: what
 * moves nothing is no movement.
 */
export class AccountLedger implements Ledger {
  readonly account: Address;
  /** The first lane. */
  #asset: AssetId | null = null;
  #entry: LedgerEntry | null = null;
  /** All lanes, where there are several. */
  #lanes: Map<AssetId, LedgerEntry> | null = null;
  /** What both sides moved, where that is not all one entry's and of one side. */
  #sides: { readonly outgoing: number[]; readonly incoming: number[] } | null = null;

  constructor(account: Address) {
    this.account = account;
  }

  give(asset: AssetId, amount: bigint, movement: number): void {
    this.#book('outflow', 'outgoing', asset, amount, movement);
  }

  take(asset: AssetId, amount: bigint, movement: number): void {
    this.#book('inflow', 'incoming', asset, amount, movement);
  }

  get outgoing(): readonly number[] | undefined {
    return this.#side('outgoing', 'inflow');
  }

  get incoming(): readonly number[] | undefined {
    return this.#side('incoming', 'outflow');
  }

  get size(): number {
    return this.#lanes ? this.#lanes.size : this.#entry ? 1 : 0;
  }

  get(asset: AssetId): LedgerEntry | undefined {
    if (this.#lanes) return this.#lanes.get(asset);
    return asset === this.#asset ? this.#entry! : undefined;
  }

  keys(): Iterable<AssetId> {
    return this.#lanes ? this.#lanes.keys() : this.#asset !== null ? [this.#asset] : NONE;
  }

  values(): Iterable<LedgerEntry> {
    return this.#lanes ? this.#lanes.values() : this.#entry ? [this.#entry] : NONE;
  }

  [Symbol.iterator](): Iterator<[AssetId, LedgerEntry]> {
    return this.#lanes
      ? this.#lanes[Symbol.iterator]()
      : this.#entry
        ? [[this.#asset!, this.#entry] as [AssetId, LedgerEntry]].values()
        : NONE.values();
  }

  #book(
    flow: 'inflow' | 'outflow',
    side: 'incoming' | 'outgoing',
    asset: AssetId,
    amount: bigint,
    movement: number,
  ): void {
    const entry = this.get(asset);
    if (
      this.#sides === null &&
      this.#entry !== null &&
      (!entry || entry[flow === 'inflow' ? 'outflow' : 'inflow'] > 0n)
    )
      this.#sides = this.#apart();
    this.#sides?.[side].push(movement);
    if (entry) {
      entry[flow] += amount;
      entry.movements.push(movement);
      // A list made as long as it is takes a sixth of one that grows.
    } else
      this.#open(asset, {
        inflow: flow === 'inflow' ? amount : 0n,
        outflow: flow === 'outflow' ? amount : 0n,
        movements: [movement],
      });
  }

  /** One side's movements; `other` is what went the other way. */
  #side(side: 'incoming' | 'outgoing', other: 'inflow' | 'outflow'): readonly number[] | undefined {
    const list = this.#sides ? this.#sides[side] : this.#entry?.[other] === 0n ? this.#entry.movements : NONE;
    return list.length > 0 ? list : undefined;
  }

  #open(asset: AssetId, entry: LedgerEntry): void {
    if (this.#entry === null) [this.#asset, this.#entry] = [asset, entry];
    else (this.#lanes ??= new Map([[this.#asset!, this.#entry]])).set(asset, entry);
  }

  /** The first entry's movements so far, all of one side, as lists of their own. */
  #apart(): { outgoing: number[]; incoming: number[] } {
    const { inflow, movements } = this.#entry!;
    return inflow === 0n
      ? { outgoing: [...movements], incoming: [] }
      : { outgoing: [], incoming: [...movements] };
  }
}

const NONE: readonly never[] = [];
