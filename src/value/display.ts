import type { Address } from '../model/hex.ts';
import type { TokenMetadata } from '../model/upstream.ts';
import type { Asset } from '../model/valueFlow.ts';
import { usableDecimals } from './amount.ts';
import { checksumAddress } from '../evm/address.ts';

const MAX_SYMBOL = 32;
const MAX_NAME = 64;
/** Nothing past this is looked at: a token may answer megabytes. */
const MAX_INPUT = 1024;

/** Shown as a gap, in every Unicode category; the byte order mark is none although `\s` holds it. */
const LOOKS_BLANK = /(?:(?!\ufeff)[\s\u0085\u2800])+/gu;
/**
 * Never shown: control, surrogate and private-use characters, and all that Unicode calls format or
 * default-ignorable (bidirectional overrides, zero-width characters, fillers, variation selectors, tags).
 */
const NEVER_SHOWN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;
/** Sequences of a terminal, whole: without its first character the rest would stay as text. */
const TERMINAL = /(?:\p{Cc}\[|\u009b)[0-?]*[ -/]*[@-~]|\p{Cc}\][^\p{Cc}]*/gu;
/** More combining marks than any script stacks: text that climbs out of its line. */
const MARK_PILE = /(\p{M}{3})\p{M}+/gu;

/** Almost all texts, also with a shortened address or a power of ten: nothing in them needs cleaning. */
const PLAIN = /^[\x21-\x7e…×⁰¹²³⁴-⁹⁻]+(?: [\x21-\x7e…×⁰¹²³⁴-⁹⁻]+)*$/;

/**
 * Cleans text from the chain for display: white space runs become one space; characters that could hide,
 * reorder or overflow text are cut; at most `limit` characters (then `…`). Null when nothing visible is
 * left.
 */
export function cleanText(text: string | null | undefined, limit: number): string | null {
  if (typeof text !== 'string') return null;
  if (text.length <= limit && PLAIN.test(text)) return text;
  const visible = text
    .slice(0, MAX_INPUT)
    .replace(LOOKS_BLANK, ' ')
    .replace(TERMINAL, '')
    .replace(NEVER_SHOWN, '')
    .normalize('NFC')
    .replace(MARK_PILE, '$1')
    .replace(/ {2,}/g, ' ')
    .trim();
  if (visible === '') return null;
  const characters = [...visible];
  return characters.length <= limit ? visible : `${characters.slice(0, limit).join('').trimEnd()}…`;
}

export const cleanSymbol = (symbol: string | null | undefined): string | null =>
  cleanText(symbol, MAX_SYMBOL);
export const cleanName = (name: string | null | undefined): string | null => cleanText(name, MAX_NAME);

/** `0xAbCd…1234`, checksummed, for where a name is missing. */
export function shortAddress(address: Address): string {
  const full = checksumAddress(address);
  return `${full.slice(0, 6)}…${full.slice(-4)}`;
}

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

/** Long numbers and hashes as their ends. */
export function shortened(text: string): string {
  return text.length <= 12 ? text : `${text.slice(0, 6)}…${text.slice(-4)}`;
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
