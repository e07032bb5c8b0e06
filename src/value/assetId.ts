import { NATIVE, NATIVE_ASSET } from './asset.ts';
import type { Address } from '../model/hex.ts';
import type { Asset, AssetId } from '../model/valueFlow.ts';

const TOKEN = /^eip155:\d+\/(erc20|erc721|erc1155):(0x[0-9a-f]{40})(?:\/(\d+))?$/;

/** The asset of an asset id; null for other text. Stated amounts may be of assets that never moved. */
export function parseAssetId(id: AssetId): Asset | null {
  if (id === NATIVE_ASSET) return NATIVE;
  const match = TOKEN.exec(id);
  if (!match) return null;
  const kind = match[1] as 'erc20' | 'erc721' | 'erc1155';
  const tokenId = match[3] ?? null;
  return (kind === 'erc20') === (tokenId === null)
    ? { id, kind, address: match[2] as Address, tokenId }
    : null;
}
