import type { MultiDirectedGraph } from 'graphology';
import type { Address } from './hex.ts';
import type { Evidence } from './canonicalTx.ts';

export type AssetKind = 'native' | 'erc20' | 'erc721' | 'erc1155';

/** CAIP-19 with a lower-case address. */
export type AssetId = string;

export interface Asset {
  readonly id: AssetId;
  readonly kind: AssetKind;
  readonly address: Address | null;
  readonly tokenId: string | null;
}

export type MovementKind = 'transfer' | 'mint' | 'burn' | 'wrap' | 'unwrap';

/** A transfer of value between two accounts, an edge of the flow graph: `amount` > 0, `from` ≠ `to`. */
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

/** An allowance as an event states it. Amounts are the allowance after the transaction. */
export interface Allowance {
  readonly token: Address;
  readonly assetKind: AssetKind;
  /** The spender may borrow in the owner's name; the token is the debt's. */
  readonly isCredit: boolean;
  /** Of a single NFT; null for fungible tokens and whole collections. */
  readonly tokenId: string | null;
  readonly owner: Address;
  readonly spender: Address;
  readonly kind: 'granted' | 'increased' | 'decreased' | 'revoked' | 'operator';
  /** Null for NFTs. */
  readonly amount: bigint | null;
  readonly unlimited: boolean;
  /** Unix seconds; null where the allowance does not expire. */
  readonly expiresAt: bigint | null;
  readonly evidence: Evidence;
}

export interface LedgerEntry {
  inflow: bigint;
  outflow: bigint;
  /** Indexes of the account's movements of the asset, in order. */
  readonly movements: number[];
}

/** One account's entries, in the order in which value first touched each asset. */
export type Ledger = ReadonlyMap<AssetId, LedgerEntry>;

/** Indexes of movements by account, in order; accounts without any are absent. */
type MovementLists = ReadonlyMap<Address, readonly number[]>;

export interface ValueFlow {
  /** Execution order. */
  readonly movements: readonly Movement[];
  readonly nonEconomic: readonly NonEconomicMovement[];
  /** Movements by which tokens took their own taxes: all that was asked for left, and less arrived. */
  readonly taxes: ReadonlySet<number>;
  /** In execution order. */
  readonly allowances: readonly Allowance[];
  readonly assets: ReadonlyMap<AssetId, Asset>;
  /** Contracts of wrapped ether: where amounts are compared it counts as ether. */
  readonly wrappedNative: ReadonlySet<Address>;
  /** Gross amounts per account that value touched, the zero address included. Gas is not in them. */
  readonly ledgers: ReadonlyMap<Address, Ledger>;
  readonly outgoing: MovementLists;
  readonly incoming: MovementLists;
  /** Accounts as nodes, movements as edges, to follow value along several. Built when first asked for. */
  readonly graph: () => MultiDirectedGraph<Record<string, never>, Movement>;
}
