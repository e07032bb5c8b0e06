import type { Address, Hash, Hex } from './hex.ts';

export interface PriceFeedSpec {
  readonly asset: Address | 'native';
  readonly feed: Address;
  readonly decimals: number;
  readonly heartbeat: number;
}

/** A contract that holds feeds by token, for tokens without a feed of their own in the rules. */
export interface FeedRegistrySpec {
  readonly address: Address;
  /** Seconds; the registry does not state those of its feeds. */
  readonly heartbeat: number;
  readonly quotes: readonly { readonly denomination: Address; readonly in: 'usd' | 'native' }[];
}

/** A view function of the token itself, and which word of its result counts. */
export interface RateCall {
  readonly data: Hex;
  readonly word: number;
}

export type RateNumber = bigint | RateCall;

/**
 * How a token's worth follows from other assets: `per` smallest units of it are worth the sum of the terms.
 */
export interface RateSpec {
  readonly name: string;
  readonly method: 'erc4626' | 'wrapper' | 'lp_share';
  /** Null: any token minted or burnt in the transaction; the token's own answer is then not enough. */
  readonly tokens: ReadonlySet<Address> | null;
  readonly terms: readonly { readonly asset: Address | 'native' | RateCall; readonly amount: RateNumber }[];
  readonly per: RateNumber;
  /** Further functions that every token of the family answers. */
  readonly answers: readonly Hex[];
  /** Why tokens of this family are not to be priced at all. */
  readonly refuse: string | null;
}

/** Pools that keep time-weighted averages, found by EIP-1014 from two tokens and a fee. */
export interface AverageSpec {
  readonly create2: {
    readonly deployer: Address;
    readonly initCodeHash: Hash;
    readonly fees: readonly number[];
  };
  /** Seconds. */
  readonly window: number;
  /** Tokens that others are priced in, best first. */
  readonly bases: readonly Address[];
  readonly minSideUsd: bigint;
}

/** Path into a JSON answer: keys and indexes, `{coin}` for the asset's name. */
export type AnswerPath = readonly string[];

/** An HTTP source of historical prices. */
export interface PriceApiSpec {
  readonly name: string;
  /** Default base URL. */
  readonly base: string;
  /** Path and query with `{coins}`, `{timestamp}` and `{until}`. */
  readonly path: string;
  readonly nativePath: string;
  /** Name of a token, with `{address}`; name of the native asset. */
  readonly token: string;
  readonly native: string;
  readonly coinsPerRequest: number;
  /** Seconds from `{timestamp}` to `{until}`. */
  readonly window: number;
  readonly price: AnswerPath;
  readonly time: AnswerPath;
  readonly timeUnit: 's' | 'ms';
  readonly confidence: AnswerPath | null;
  /** Seconds. */
  readonly heartbeat: number;
}

export interface PricingRules {
  readonly apis: readonly PriceApiSpec[];
  readonly registry: FeedRegistrySpec | null;
  readonly rates: readonly RateSpec[];
  readonly averages: readonly AverageSpec[];
}
