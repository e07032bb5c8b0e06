import type { Address } from '../model/hex.ts';
import type { Asset, AssetId } from '../model/valueFlow.ts';

/** CAIP-2 chain of every report. */
const CHAIN = 'eip155:1';
/** SLIP-44 coin type 60 is ether. */
export const NATIVE_ASSET: AssetId = `${CHAIN}/slip44:60`;

export const NATIVE: Asset = { id: NATIVE_ASSET, kind: 'native', address: null, tokenId: null };

export function erc20Id(address: Address): AssetId {
  return `${CHAIN}/erc20:${address}`;
}

export function nftId(standard: 'erc721' | 'erc1155', address: Address, tokenId: bigint): AssetId {
  return `${CHAIN}/${standard}:${address}/${tokenId}`;
}

const ERC20_PREFIX = `${CHAIN}/erc20:`;
const ERC20_LENGTH = ERC20_PREFIX.length + 42;

/** The native asset's id for a token in `wrappedNative`, else the id itself. */
export function mergeNative(id: AssetId, wrappedNative: ReadonlySet<Address>): AssetId {
  return id.length === ERC20_LENGTH && wrappedNative.has(id.slice(ERC20_PREFIX.length) as Address)
    ? NATIVE_ASSET
    : id;
}
