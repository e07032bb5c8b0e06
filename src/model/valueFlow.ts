import type { MultiDirectedGraph } from 'graphology';
import type { Address } from './hex.ts';
import type { Evidence } from './evidence.ts';

export type AssetKind = 'native' | 'erc20' | 'erc721' | 'erc1155';

/** Lane id: CAIP-19 with a lower-case address. */
export type AssetId = string;

export interface Asset {
  readonly id: AssetId;
  readonly kind: AssetKind;
  readonly address: Address | null;
  readonly tokenId: string | null;
}

export type MovementKind = 'transfer' | 'mint' | 'burn' | 'wrap' | 'unwrap';

/** Value that changed hands: an edge of the flow graph. `amount` > 0 and `from` ≠ `to`, always. */
export interface Movement {
  readonly index: number;
  readonly kind: MovementKind;
  readonly from: Address;
  readonly to: Address;
  readonly asset: AssetId;
  readonly amount: bigint;
  readonly seq: number;
  readonly evidence: Evidence;
}

/** An action without economics: counted, never valued. */
export interface NonEconomicMovement {
  readonly kind:
    | 'approval'
    | 'zero_transfer'
    | 'self_transfer'
    | 'forged_transfer'
    | 'duplicate_native_log'
    | 'duplicate_wrap_log'
    | 'event';
  readonly from: Address | null;
  readonly to: Address | null;
  readonly evidence: Evidence;
}

export interface LedgerEntry {
  inflow: bigint;
  outflow: bigint;
  /** Indexes of the movements that touch this lane, in order. */
  readonly movements: number[];
}

/** One account's lanes, in the order in which value first touched them. */
export interface Ledger extends Iterable<readonly [AssetId, LedgerEntry]> {
  readonly size: number;
  get(asset: AssetId): LedgerEntry | undefined;
  keys(): Iterable<AssetId>;
  values(): Iterable<LedgerEntry>;
}

/** Indexes of movements by account, in order. */
export interface MovementLists {
  /** Undefined where there are none. */
  get(account: Address): readonly number[] | undefined;
  has(account: Address): boolean;
  /** In the order of first movements. */
  keys(): Iterable<Address>;
}

export interface ValueFlow {
  /** Execution order. */
  readonly movements: readonly Movement[];
  readonly nonEconomic: readonly NonEconomicMovement[];
  readonly assets: ReadonlyMap<AssetId, Asset>;
  /** Who gained and lost what, per account that value touched (the zero address included). Gas is not in it. */
  readonly ledgers: ReadonlyMap<Address, Ledger>;
  readonly outgoing: MovementLists;
  readonly incoming: MovementLists;
  /** Accounts as nodes, movements as edges: for following value on its way through several accounts. Built when first asked for; what one account sent or received is in the lists above. */
  readonly graph: MultiDirectedGraph<Record<string, never>, Movement>;
}
