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
