import type { Address } from '../model/hex.ts';
import type { Asset, AssetId, Movement, ValueFlow } from '../model/valueFlow.ts';

const TOKEN = /^eip155:\d+\/(erc20|erc721|erc1155):(0x[0-9a-f]{40})(?:\/(\d+))?$/;

/** The asset of an asset id; null for other text. Stated amounts may be of assets that never moved. */
export function parseAssetId(id: AssetId): Asset | null {
  if (id === NATIVE_ASSET) return NATIVE;
  const match = TOKEN.exec(id);
  if (!match) return null;
  const kind = match[1] as 'erc20' | 'erc721' | 'erc1155';
  const tokenId = match[3] ?? null;
  const isWhole = (kind === 'erc20') === (tokenId === null);
  return isWhole ? { id, kind, address: match[2] as Address, tokenId } : null;
}

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

/** Assets that have amounts: unlike NFTs, they are worth something by the unit. */
export function isFungible({ kind }: { readonly kind: string }): boolean {
  return kind === 'native' || kind === 'erc20';
}

export function isNft({ kind }: { readonly kind: string }): boolean {
  return kind === 'erc721' || kind === 'erc1155';
}

/** Whether a token was made or destroyed. */
export function isIssuance({ kind }: Movement): boolean {
  return kind === 'mint' || kind === 'burn';
}

/** The native asset's id for wrapped native, else the id itself. */
export function mergeNative(id: AssetId, { wrappedNative }: Pick<ValueFlow, 'wrappedNative'>): AssetId {
  return id.length === ERC20_LENGTH && wrappedNative.has(id.slice(ERC20_PREFIX.length) as Address)
    ? NATIVE_ASSET
    : id;
}
