import type { MotifKind } from './primitive.ts';

import type { Hash } from './hex.ts';

/**
 * Words that hint at the act of an unknown contract. An entry applies to an event or call with all stems of
 * one of `names` in its name and all stems of one of `args` in an argument (if given), or with `sign`.
 */
export interface LexiconEntry {
  readonly kind: MotifKind;
  /** The account's gains and losses. `none`: it received nothing. `any`: not checked. */
  readonly flow: 'sent' | 'received' | 'exchanged' | 'none' | 'any';
  readonly names: readonly ReadonlySet<string>[];
  readonly args: readonly ReadonlySet<string>[];
  /** First topics of events of message buses; such an entry has no words. */
  readonly messages: ReadonlySet<Hash>;
  /** Stems the name must not have. */
  readonly without: readonly string[];
  readonly sign: 'hash_path' | 'custody' | 'exit' | null;
  /** An asset that must have moved; null: any. */
  readonly assets: 'fungible' | 'erc20' | 'nft' | null;
  /** Role of the assets that moved. */
  readonly leg: string;
  /**
   * Whether the act may be for an account that the signer neither is nor commands, as it is named and paid.
   */
  readonly anyone: boolean;
  /** Applies only where the event or call states the amount of a movement. */
  readonly exact: boolean;
}
