import type { RawHead } from './rawRules.ts';

export interface RawEntityFile extends RawHead {
  readonly kind:
    | 'wrapped_native'
    | 'accounts'
    | 'tokens'
    | 'token_events'
    | 'token_calls'
    | 'feeds'
    | 'rates'
    | 'averages'
    | 'price_apis'
    | 'errors';
  readonly tokens?: readonly {
    readonly symbol: string;
    readonly addresses: readonly string[];
    readonly classes?: readonly string[];
  }[];
  readonly accounts?: readonly {
    readonly slug: string;
    readonly name: string;
    readonly address: string;
    readonly tags?: readonly string[];
    readonly since_block?: number;
  }[];
  readonly events?: readonly {
    readonly event: string;
    readonly emitters?: readonly string[];
    readonly asset_kind: 'erc20' | 'erc721';
    readonly from: string;
    readonly to: string;
    readonly amount?: string;
    readonly token_id?: string;
  }[];
  readonly ignored_events?: readonly { readonly event: string; readonly emitters: readonly string[] }[];
  readonly feeds?: readonly {
    readonly asset: string;
    readonly feed: string;
    readonly decimals: number;
    readonly heartbeat: number;
    readonly asset_decimals?: number;
  }[];
  readonly registry?: {
    readonly address: string;
    readonly heartbeat: number;
    readonly quotes: readonly { readonly denomination: string; readonly in: 'usd' | 'native' }[];
  };
  readonly rates?: readonly RawRate[];
  readonly positions?: readonly RawPosition[];
  readonly price_apis?: readonly RawPriceApi[];
  readonly averages?: readonly {
    readonly protocol: string;
    readonly window: number;
    readonly bases: readonly string[];
    readonly min_side_usd: number;
  }[];
  readonly errors?: readonly string[];
  readonly token_calls?: readonly string[];
}

export interface RawRate {
  readonly name: string;
  readonly method: 'erc4626' | 'wrapper' | 'lp_share';
  readonly tokens: 'issued' | 'moved' | readonly string[];
  readonly proof?: RawProof;
  readonly terms: readonly RawTerm[];
  readonly per: string;
  readonly answers?: readonly string[];
  readonly silent?: readonly string[];
  readonly uneven?: boolean;
  readonly refuse?: string;
}

/** Slugs of protocols with CREATE2, or calls of listed contracts. */
export interface RawProof {
  readonly create2?: readonly string[];
  readonly registry?: readonly { readonly at: string; readonly call: string }[];
}

export interface RawTerm {
  readonly asset: string;
  readonly amount: string;
  readonly word?: number;
  readonly at?: string;
}

export interface RawPosition {
  readonly name: string;
  readonly nft: string;
  readonly call: string;
  readonly token0: number;
  readonly token1: number;
  readonly tick_lower: number;
  readonly tick_upper: number;
  readonly liquidity: number;
  readonly owed0: number;
  readonly owed1: number;
}

export interface RawPriceApi {
  readonly name: string;
  readonly base: string;
  readonly path: string;
  readonly native_path?: string;
  readonly token: string;
  readonly native: string;
  readonly coins_per_request?: number;
  readonly window?: number;
  readonly answer: {
    readonly price: string;
    readonly time: string;
    readonly time_unit?: 's' | 'ms';
    readonly confidence?: string;
  };
  readonly heartbeat: number;
}
