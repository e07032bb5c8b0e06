import type { Address } from '../../model/hex.ts';
import type { AssetId, Ledger, LedgerEntry } from '../../model/valueFlow.ts';

/**
 * One account's ledger and lists of movements. Most accounts only gave or only got one asset: they need neither a map nor
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
    const entry = this.get(asset);
    if (this.#sides === null && this.#entry !== null && (!entry || entry.inflow > 0n)) this.#sides = this.#apart();
    this.#sides?.outgoing.push(movement);
    if (entry) {
      entry.outflow += amount;
      entry.movements.push(movement);
    } else this.#open(asset, { inflow: 0n, outflow: amount, movements: [movement] });
  }

  take(asset: AssetId, amount: bigint, movement: number): void {
    const entry = this.get(asset);
    if (this.#sides === null && this.#entry !== null && (!entry || entry.outflow > 0n)) this.#sides = this.#apart();
    this.#sides?.incoming.push(movement);
    if (entry) {
      entry.inflow += amount;
      entry.movements.push(movement);
    } else this.#open(asset, { inflow: amount, outflow: 0n, movements: [movement] });
  }

  get outgoing(): readonly number[] | undefined {
    const list = this.#sides ? this.#sides.outgoing : this.#entry?.inflow === 0n ? this.#entry.movements : NONE;
    return list.length > 0 ? list : undefined;
  }

  get incoming(): readonly number[] | undefined {
    const list = this.#sides ? this.#sides.incoming : this.#entry?.outflow === 0n ? this.#entry.movements : NONE;
    return list.length > 0 ? list : undefined;
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
    return this.#lanes ? this.#lanes[Symbol.iterator]() : this.#entry ? [[this.#asset!, this.#entry] as [AssetId, LedgerEntry]].values() : NONE.values();
  }

  #open(asset: AssetId, entry: LedgerEntry): void {
    if (this.#entry === null) [this.#asset, this.#entry] = [asset, entry];
    else (this.#lanes ??= new Map([[this.#asset!, this.#entry]])).set(asset, entry);
  }

  /** The first entry's movements so far, all of one side, as lists of their own. */
  #apart(): { outgoing: number[]; incoming: number[] } {
    const { inflow, movements } = this.#entry!;
    return inflow === 0n ? { outgoing: [...movements], incoming: [] } : { outgoing: [], incoming: [...movements] };
  }
}

const NONE: readonly never[] = [];
