import type { Address, Hash, Hex } from './hex.ts';

/** A row of contracts made by one deployer, from the first to `count`. */
export interface CreationSpec {
  readonly deployer: Address;
  readonly count: number;
  /**
   * CREATE3: the n-th contract is the first one of a shim with the salt `salt + n`. Null: the deployer's own
   * n-th CREATE.
   */
  readonly shim: { readonly initCodeHash: Hash; readonly salt: Hash } | null;
  /** How many contracts each of them made in turn. */
  readonly children: number;
  /** Base64 of the first four bytes of each address; null where they are not computed yet. */
  readonly index: string | null;
}

/** Patterns over a token's name and symbol; `*` is any text. One match is enough. */
export interface TokenPatterns {
  readonly names: readonly string[];
  readonly symbols: readonly string[];
}

/** A contract that says of another whether it is one of the protocol's. */
export interface RegistrySpec {
  readonly address: Address;
  /** Selector of its function of one address. */
  readonly selector: Hex;
  /** Block from which it exists. */
  readonly sinceBlock: bigint;
}
