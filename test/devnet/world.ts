// What stands on the devnet once it is set up: contracts by role and the assets they issue.
import type { Address } from 'viem';

export type AssetKind = 'native' | 'erc20' | 'erc721' | 'erc1155';

export interface DevAsset {
  kind: AssetKind;
  address: Address;
  symbol: string;
  name: string;
  decimals: number;
  /** Balances change without Transfer logs (interest, rebases): balanceOf and logs need not agree. */
  elastic?: boolean;
}

/** Plain data: it is cached beside the chain's dump. */
export interface World {
  contracts: Record<string, Address>;
  assets: Record<string, DevAsset>;
}

export const erc20 = (
  address: Address,
  symbol: string,
  name: string,
  decimals = 18,
  elastic = false,
): DevAsset => ({ kind: 'erc20', address, symbol, name, decimals, ...(elastic ? { elastic } : {}) });

/** The contract of a role. @throws Error for a name that was not deployed: a typo in a scenario. */
export function contract(world: World, name: string): Address {
  const address = world.contracts[name] ?? world.assets[name]?.address;
  if (!address) throw new Error(`nothing on the devnet is called ${name}`);
  return address;
}
