import type { Address } from '../model/hex.ts';
import type { TokenMetadata } from '../model/upstream.ts';
import type { Asset } from '../model/valueFlow.ts';
import { usableDecimals } from './amount.ts';
import { shortAddress } from '../evm/address.ts';
import { cleanName, cleanSymbol, shortened } from './cleanText.ts';

/** Unit of an asset's amounts. */
export interface AssetUnit {
  readonly symbol: string | null;
  /** Null when the contract states none; 0 for NFTs: their amounts are counts. */
  readonly decimals: number | null;
  /** The symbol belongs to another token: it is shown with the address. */
  readonly impersonates?: boolean;
}

export interface AssetText extends AssetUnit {
  readonly name: string | null;
}

const NATIVE_TEXT: AssetText = { symbol: 'ETH', name: 'Ether', decimals: 18 };

/** Names and decimals of an asset as far as they are known, cleaned. */
export function assetText(asset: Asset, tokens: ReadonlyMap<Address, TokenMetadata>): AssetText {
  if (asset.kind === 'native') return NATIVE_TEXT;
  const name = cleanName(asset.address && tokens.get(asset.address)?.name);
  return Object.assign({ name }, assetUnit(asset, tokens));
}

/** As `assetText`, without the name. */
export function assetUnit(asset: Asset, tokens: ReadonlyMap<Address, TokenMetadata>): AssetUnit {
  if (asset.kind === 'native') return NATIVE_TEXT;
  return {
    symbol: cleanSymbol(asset.address && tokens.get(asset.address)?.symbol),
    decimals: assetDecimals(asset, tokens),
    impersonates: asset.address !== null && tokens.get(asset.address)?.impersonates === true,
  };
}

/** Null when the contract states none; 0 for NFTs: their amounts are counts. */
export function assetDecimals(
  { kind, address }: Asset,
  tokens: ReadonlyMap<Address, TokenMetadata>,
): number | null {
  if (kind === 'native') return 18;
  return kind === 'erc20' ? usableDecimals(address === null ? null : tokens.get(address)?.decimals) : 0;
}

/**
 * The asset's name inside a `<quantity> <symbol>, …` list: one word without commas or brackets, so that no
 * symbol can pose as another entry or carry another's address. Falls back to the shortened address, which
 * also follows a symbol that belongs to another token; amounts that are raw for want of decimals say so.
 */
export function listSymbol(asset: Asset, { symbol, decimals, impersonates }: AssetUnit): string {
  const word = symbol === null || SHORT_ADDRESS.test(symbol) ? '' : asWord(symbol);
  const name = word !== '' ? word : asset.address === null ? asset.id : shortAddress(asset.address);
  const mark = impersonates && asset.address !== null ? `[${shortAddress(asset.address)}]` : '';
  return (
    `${name}${mark}${asset.tokenId === null ? '' : `#${shortened(asset.tokenId)}`}` +
    `${decimals === null ? '[raw]' : ''}`
  );
}

/** Almost all symbols. */
const ONE_WORD = /^[\x21-\x2b\x2d-\x5a\x5c\x5e-\x7e]+$/;

/** A symbol that poses as a token without one: those are written by their address. */
const SHORT_ADDRESS = /^0x[\da-f]{4}.*(?:\u2026|\.\.)|^0x[\da-f]{40}/i;

function asWord(symbol: string): string {
  if (ONE_WORD.test(symbol)) return symbol;
  return symbol
    .replace(/[,\u060c\u3001\ufe10\ufe50\uff0c[\]\uff3b\uff3d]/g, '')
    .trim()
    .replace(/\s+/g, '_');
}
