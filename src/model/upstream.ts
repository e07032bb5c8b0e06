import type { Price, Refusal } from './generated/report.ts';
import type { AssetId } from './valueFlow.ts';
import type { Address, Hash } from './hex.ts';

/** Which trace API the node answered with; `call_tracer` may or may not carry logs. */
export type TraceDialect = 'call_tracer' | 'parity';

/** JSON-RPC results of the first round trip as the node sent them. Stage 2 checks their shape. */
export interface RawTransaction {
  readonly hash: Hash;
  readonly tx: unknown;
  readonly receipt: unknown;
  readonly trace: { readonly dialect: TraceDialect; readonly result: unknown };
}

/** ERC-20/721/1155 metadata as the contract answered at the block; null where it did not answer. */
export interface TokenMetadata {
  readonly address: Address;
  readonly symbol: string | null;
  readonly name: string | null;
  readonly decimals: number | null;
  /** It carries a well-known symbol that belongs to another address. */
  readonly impersonates?: boolean;
}

/** One price observation, exact: USD per whole token = `numerator / 10^scale`. */
export interface PriceQuote {
  /** `native` or a lower-case ERC-20 address. */
  readonly asset: Address | 'native';
  readonly numerator: bigint;
  readonly scale: number;
  /** The numerator before the block, where the source answered anew within it. */
  readonly before?: bigint | null;
  readonly method: Price['method'];
  /** The source: a feed, pool or vault address, or the HTTP source's name. Never a URL. */
  readonly source: string;
  /** Unix seconds of the observation. */
  readonly asOf: number;
  /** Seconds after which the source itself calls the observation old. */
  readonly heartbeat: number | null;
  /** Pool that sets the price, if any: a transaction that moved it may not be priced by it. */
  readonly pool: Address | null;
  /** 0..1 in parts per ten thousand where the source gives a confidence. */
  readonly confidenceBps: number | null;
  /** Whole US dollars on the thinner side of the market the price was made in, where that is known. */
  readonly depthUsd?: bigint | null;
  /** Place of the source among several of its method; lower counts first. */
  readonly order?: number;
  /** Assets with prices that it was computed from; left out where it was observed. */
  readonly bases?: readonly PriceQuote['asset'][];
}

/** Smallest units of a base asset per smallest unit of the asset it prices, as an exact fraction. */
export interface RateTerm {
  readonly asset: Address | 'native';
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/**
 * A price in terms of other assets: a share of a vault or pool, a wrapper, a feed in ether, a market
 * average. Its value follows from the prices chosen for its bases, never from a refused quote.
 */
export interface PriceRate {
  readonly asset: Address;
  readonly method: PriceQuote['method'];
  /** The contract that was asked. */
  readonly source: Address;
  /** The asset is worth the sum of these. */
  readonly terms: readonly RateTerm[];
  /** The same at the end of the block, where `terms` is the state before the block: they must agree. */
  readonly after: readonly RateTerm[] | null;
  /** The same before the block, where `terms` is the state at its end: they must agree. */
  readonly before?: readonly RateTerm[] | null;
  /** The terms of a pool's share need not be worth the same. */
  readonly uneven?: boolean;
  /** False: only the asset's own contract states the rate, so the transaction itself must confirm it. */
  readonly vouched: boolean;
  /** Unix seconds of the observation; null = the state at the block, as old as its bases' prices. */
  readonly asOf: number | null;
  readonly heartbeat: number | null;
  readonly pool: Address | null;
  /** The amounts on both sides of a market, in smallest units, and the least worth required in US dollars. */
  readonly market: {
    readonly sides: readonly { readonly asset: Address; readonly amount: bigint }[];
    readonly minSideUsd: bigint;
  } | null;
}

/** Liquidity of a position NFT between two ticks, and the amounts owed to it, in smallest units. */
export interface PositionRead {
  readonly nft: Address;
  readonly id: bigint;
  readonly token0: Address;
  readonly token1: Address;
  readonly tickLower: number;
  readonly tickUpper: number;
  readonly liquidity: bigint;
  readonly owed0: bigint;
  readonly owed1: bigint;
}

/** A source that was asked and declined or failed. */
export interface PriceRefusal {
  readonly asset: Address | 'native';
  readonly code: Refusal['code'];
  readonly reason: string;
  readonly observed: string | null;
  readonly threshold: string | null;
}

/** An account's nonce at the end of the parent block, and of the block. */
export interface NonceSpan {
  readonly before: bigint;
  readonly after: bigint;
}

/** Primary names of accounts as a name service's resolver confirmed them at the block. */
export interface AccountNames {
  /** The contract asked; null where there was none at the block. */
  readonly resolver: Address | null;
  readonly asked: number;
  readonly notAsked: number;
  readonly names: ReadonlyMap<Address, string>;
  readonly refused: ReadonlyMap<Address, string>;
  readonly limits: readonly string[];
}

/** Answers of the second round trip. */
export interface RawContext {
  /** `eth_getBlockByNumber` result (header), unchecked. */
  readonly block: unknown;
  readonly tokens: ReadonlyMap<Address, TokenMetadata>;
  readonly prices: readonly PriceQuote[];
  /** Prices in terms of other assets. */
  readonly rates?: readonly PriceRate[];
  readonly positions?: readonly PositionRead[];
  readonly refusals: readonly PriceRefusal[];
  /** Accounts with an EIP-7702 delegation as code (`0xef0100‖address`): account → delegate. */
  readonly delegations: ReadonlyMap<Address, Address>;
  /** Accounts that ran code here which may have been other than at the block's end; left out: none. */
  readonly redelegated?: ReadonlySet<Address> | undefined;
  /** Signers of the transaction's EIP-7702 authorisations, in their order. Left out: not recovered yet. */
  readonly authorities?: readonly (Address | null)[];
  /** Their nonces around the block, where the node answered both. */
  readonly nonces?: ReadonlyMap<Address, NonceSpan> | undefined;
  /** Contracts that a protocol's registry listed at the block, with the protocol's slug. */
  readonly registered?: ReadonlyMap<Address, string>;
  /** Holders of the NFTs that roles ask for, by the NFT's lane: alike before the block and at its end. */
  readonly holders?: ReadonlyMap<AssetId, Address>;
  /** Usual price sources that the settings leave out. */
  readonly sourcesLeftOut?: readonly string[];
  /** Names for display; left out where none were asked for. */
  readonly names?: AccountNames | undefined;
  /** True where symbols, decimals or prices are missing: the node failed, or a limit was reached. */
  readonly incomplete?: boolean;
  /** True where every node has pruned the state, or not all code was read: delegations stay unseen. */
  readonly stateless?: boolean;
}

/** One HTTP request to an upstream as logs and metrics see it: no URL, no parameters, no answer. */
export interface UpstreamCallEvent {
  /** `upstream-1`: the only name an upstream has outside its own module. */
  readonly upstream: string;
  readonly methods: readonly string[];
  readonly ms: number;
  /** `ok`, `large` (handed to a process of its own), or the error code. */
  readonly outcome: string;
  /** The node's message, for the redacted log only. */
  readonly note: string | null;
  /** Why there was no connection: `dns`, `refused`, `tls_expired`, …; null where there was one. */
  readonly cause: string | null;
}

/** Ways to ask a node for a trace. */
export type TraceMode = 'call_tracer_with_log' | 'call_tracer' | 'parity';
