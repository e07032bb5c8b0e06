import type { Address } from './hex.ts';
import type { Evidence } from './canonicalTx.ts';
import type { Motif } from './motif.ts';
import type { SideAmount } from './scene.ts';
import type { PriceQuote, PriceRefusal } from './upstream.ts';
import type { AssetId } from './valueFlow.ts';

/** An exact amount of US dollars: `numerator / 10^scale`. Rounded once, when it is displayed. */
export interface Usd {
  readonly numerator: bigint;
  readonly scale: number;
}

/** US dollars, or why there are none. */
export type Money =
  | { readonly usd: Usd; readonly reason: null }
  | { readonly usd: null; readonly reason: string };

/** Exact value of one whole unit of an asset, with its decimals. */
export interface UnitPrice {
  readonly usd: Usd;
  readonly decimals: number;
}

/** The quote that was chosen for an asset. */
export interface ChosenPrice {
  readonly asset: AssetId;
  readonly unit: UnitPrice;
  readonly quote: PriceQuote;
  /** Block timestamp less the time of the observation, in seconds. */
  readonly ageSeconds: number;
  readonly stale: boolean;
  /** Assets it was computed from; empty for an observed price. */
  readonly restsOn: readonly AssetId[];
}

export type AssetRefusal = Omit<PriceRefusal, 'asset'> & { readonly asset: AssetId };

/** Every asset the report speaks of is either priced or refused, never both, never neither. */
export interface PriceBook {
  readonly prices: ReadonlyMap<AssetId, ChosenPrice>;
  readonly refusals: ReadonlyMap<AssetId, AssetRefusal>;
}

export interface PnlEntry {
  /** The account of the entity that ended with the result. */
  readonly beneficiary: Address;
  /** The accounts of the result, actor first. */
  readonly entity: readonly Address[];
  /** The native asset where the flow was in wrapped native. */
  readonly asset: AssetId;
  readonly cost: bigint;
  readonly proceeds: bigint;
  readonly gross: bigint;
  readonly grossUsd: Usd;
  /** In the asset: loan fees and shares of others, which the hops do not show. */
  readonly fees: bigint;
  readonly feesUsd: Usd;
  /** Wei that the entity paid for gas, to the network or to a relayer. */
  readonly gas: bigint;
  readonly gasUsd: Usd;
  /** In the asset. */
  readonly builderPayment: bigint;
  /** All payments to the block builder, in any asset. */
  readonly builderUsd: Usd;
  readonly netUsd: Usd;
  /** Motif indexes. */
  readonly motifs: readonly number[];
  readonly pools: readonly Address[];
  readonly evidence: readonly Evidence[];
}

export type RealizedPnl =
  | {
      readonly supported: true;
      readonly gross: Usd;
      readonly net: Usd;
      readonly entries: readonly PnlEntry[];
    }
  | { readonly supported: false; readonly reason: PnlReason };

/**
 * `result_held_elsewhere`: an account outside the entity kept some of it. `outside_receipt`: the entity, or a
 * pool of the flow, also got something that no hop, loan or refund paid.
 */
export type PnlReason =
  | 'requires_multi_transaction_state'
  | 'unpriced_asset'
  | 'result_held_elsewhere'
  | 'outside_receipt';

export interface GasCost {
  /** Wei per gas. */
  readonly baseFee: bigint;
  readonly priorityFee: bigint;
  /** Wei, blob gas included. */
  readonly cost: bigint;
  readonly usd: Money;
}

export interface Valuation {
  readonly snapshotId: string | null;
  /** Assets that moved. */
  readonly pricedAssets: number;
  readonly totalAssets: number;
  readonly unpricedAssets: readonly AssetId[];
  readonly priceWarning: string | null;
  /** Of assets that moved and of the native asset, by asset id. */
  readonly refusals: readonly AssetRefusal[];
  readonly prices: readonly ChosenPrice[];
}

/** Amounts put into a position or taken out of it, from its owner's view. */
export type PositionPart = Pick<SideAmount, 'asset' | 'delta'> & {
  readonly role: Exclude<SideAmount['role'], 'gave' | 'got' | 'share' | 'debt_share'>;
};

/** A position that a transaction opened, changed or closed for its owner. */
export interface PositionChange {
  readonly owner: Address;
  /** The account that holds it in its own name, where nothing shows that it does so for the owner. */
  readonly heldBy: Address | null;
  readonly category: string;
  /** The ruleset's own name for the kind of position. */
  readonly subcategory: string | undefined;
  readonly effect: string;
  /** The act that changed it. */
  readonly motif: Motif;
  /** Indexes of that act and of others on the way to it. */
  readonly motifs: readonly number[];
  /** The token or NFT that represents the position; null where there is none. */
  readonly position: AssetId | null;
  /** Gains of further tokens of the same position: principal and yield tokens of one deposit. */
  readonly beside: readonly { readonly asset: AssetId; readonly delta: bigint }[];
  /** The owner's gain; null without a position asset. */
  readonly delta: bigint | null;
  readonly parts: readonly PositionPart[];
  readonly evidence: readonly Evidence[];
}

/** Amounts an account paid or received, and the part of them that belongs to one trade. */
export interface TradeMoney {
  readonly amounts: readonly (readonly [AssetId, bigint])[];
  readonly share: { readonly numerator: bigint; readonly denominator: bigint };
}

/** The sale of NFTs of one id. */
export interface NftTrade {
  readonly motif: Motif;
  readonly asset: AssetId;
  readonly units: bigint;
  readonly buyer: Address;
  readonly seller: Address;
  /** Fees included; null where they cannot be separated from the account's other payments. */
  readonly paid: TradeMoney | null;
  /** After fees. */
  readonly received: TradeMoney | null;
}

/** The proceeds of an NFT's sale. */
export interface NftSale {
  readonly trade: NftTrade;
  readonly price: Money;
  readonly proceeds: Money;
  /** Price less proceeds. */
  readonly fees: Money;
}

/** Amounts one of several owners sent and received. */
export interface OwnerEconomics
  extends Pick<Economics, 'inflow' | 'netBeforeGas' | 'netWithPositions' | 'tokenIn' | 'tokenOut'> {
  readonly owner: Address;
  /** The owner and the receivers of its orders, taken together. */
  readonly accounts: readonly Address[];
}

/** The elected actor's result in money; all figures exact. */
export interface Economics {
  readonly subject: Address;
  readonly gas: GasCost;
  readonly inflow: Money;
  readonly netBeforeGas: Money;
  readonly netAfterGas: Money;
  /** Less the gas it paid itself; null where that is all of it. */
  readonly netAfterOwnGas: Money | null;
  /** The net with positions that are only booked, at cost; null without such. */
  readonly netWithPositions: Money | null;
  /** Price of the actor's own trade; null for anything else. */
  readonly consideration: Money | null;
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly structuralProfit: Money;
  readonly realizedPnl: RealizedPnl;
  readonly valuation: Valuation;
  readonly positions: readonly PositionChange[];
  readonly nftSales: readonly NftSale[];
  /** Every account the transaction settled orders or operations of; empty where it had but one owner. */
  readonly owners: readonly OwnerEconomics[];
  readonly warnings: readonly string[];
  /** The subject's entity paid the gas, or the subject paid the relayer for it. */
  readonly feePaidBySubject: boolean;
  /** Covers every asset of the flow and of the motifs, and the native asset. */
  readonly book: PriceBook;
}
