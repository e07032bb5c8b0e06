import type { Camel } from './camel.ts';
import type { RawPosition, RawPriceApi, RawRate } from './generated/rules.ts';
import type { Address, Hash, Hex } from './hex.ts';

export interface PriceFeedSpec {
  readonly asset: Address | 'native';
  readonly feed: Address;
  readonly decimals: number;
  readonly heartbeat: number;
  /** Decimals of the asset; null where the token has to be asked. */
  readonly assetDecimals?: number | null;
}

/** A contract that holds feeds by token, for tokens without a feed of their own in the rules. */
export interface FeedRegistrySpec {
  readonly address: Address;
  /** Seconds; the registry does not state those of its feeds. */
  readonly heartbeat: number;
  readonly quotes: readonly { readonly denomination: Address; readonly in: 'usd' | 'native' }[];
}

/** Replaced by the token's own address in the calldata of rates. */
export const TOKEN_ARGUMENT = '746f6b656e746f6b656e746f6b656e746f6b656e';

/** A view function, and which word of its result counts. */
export interface RateCall {
  /** The contract asked; left out: the token itself. */
  readonly to?: Address;
  /** May hold `TOKEN_ARGUMENT`. */
  readonly data: Hex;
  readonly word: number;
  /** Ten to the power of the answer counts. */
  readonly power?: boolean;
}

/** Proof that a token outside a list belongs to the family. */
export type RateIdentity =
  /** Its address follows from its terms' assets by EIP-1014. */
  | {
      readonly kind: 'create2';
      readonly factories: readonly { readonly deployer: Address; readonly initCodeHash: Hash }[];
    }
  /**
   * A listed contract knows it: one of the answers is not zero. `open`: anybody may make one there, so its
   * code is known and not its worth.
   */
  | { readonly kind: 'registry'; readonly calls: readonly RateCall[]; readonly open: boolean };

export type RateNumber = bigint | RateCall;

/** A token's worth in other assets: `per` smallest units of it are worth the sum of the terms. */
export interface RateSpec {
  readonly method: RawRate['method'];
  /** Null: any token that moved and proves its identity or, without `identity`, was minted or burnt. */
  readonly tokens: ReadonlySet<Address> | null;
  /** Left out: the transaction must have exchanged the token at about its rate. */
  readonly identity?: RateIdentity | null;
  readonly terms: readonly { readonly asset: Address | 'native' | RateCall; readonly amount: RateNumber }[];
  readonly per: RateNumber;
  /** Further functions that every token of the family answers. */
  readonly answers: readonly Hex[];
  /** Functions that no token of the family answers. */
  readonly silent?: readonly Hex[];
  /** The parts of a pool's share need not be worth the same. */
  readonly uneven?: boolean;
  /** Why tokens of this family are not to be priced at all. */
  readonly refuse: string | null;
}

/** NFTs of liquidity between two ticks; numbers are words of the answer. */
export interface PositionSpec extends Camel<Omit<RawPosition, 'name' | 'nft' | 'call'>> {
  readonly nft: Address;
  /** Selector of the function that takes the NFT's id. */
  readonly selector: Hex;
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
export interface PriceApiSpec extends Required<Camel<Omit<RawPriceApi, 'answer'>>> {
  readonly price: AnswerPath;
  readonly time: AnswerPath;
  readonly timeUnit: 's' | 'ms';
  readonly confidence: AnswerPath | null;
}

export interface PricingRules {
  readonly apis: readonly PriceApiSpec[];
  readonly registry: FeedRegistrySpec | null;
  readonly rates: readonly RateSpec[];
  readonly positions?: readonly PositionSpec[];
  readonly averages: readonly AverageSpec[];
}
