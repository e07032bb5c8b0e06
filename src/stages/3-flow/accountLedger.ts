import type { Address } from '../../model/hex.ts';
import type { AssetId, Ledger, LedgerEntry } from '../../model/valueFlow.ts';

/** One account's ledger and lists of movements. Most accounts touch one asset, which needs no map: where there are very many that is what counts. */
export class AccountLedger implements Ledger {
  readonly account: Address;
  outgoing: number[] | null = null;
  incoming: number[] | null = null;
  #asset: AssetId | null = null;
  #entry: LedgerEntry | null = null;
  /** All lanes, where there are several. */
  #lanes: Map<AssetId, LedgerEntry> | null = null;

  constructor(account: Address) {
    this.account = account;
  }

  give(asset: AssetId, amount: bigint, movement: number): void {
    const entry = this.get(asset);
    if (entry) {
      entry.outflow += amount;
      entry.movements.push(movement);
    } else this.#open(asset, { inflow: 0n, outflow: amount, movements: [movement] });
    if (this.outgoing) this.outgoing.push(movement);
    else this.outgoing = [movement];
  }

  take(asset: AssetId, amount: bigint, movement: number): void {
    const entry = this.get(asset);
    if (entry) {
      entry.inflow += amount;
      entry.movements.push(movement);
    } else this.#open(asset, { inflow: amount, outflow: 0n, movements: [movement] });
    if (this.incoming) this.incoming.push(movement);
    else this.incoming = [movement];
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
}

const NONE: readonly never[] = [];
