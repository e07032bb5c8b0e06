import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { parseJson } from '../../lib/json.ts';
import { isRecord } from '../../lib/shape.ts';
import { CliError } from '../cli/cliIo.ts';
import type { LedgerEvent } from './ledgerEvent.ts';
import { readText, type LedgerFormat } from './ledgerFormat.ts';
import { knownSymbols } from '../../value/labelFormat.ts';
import type { Address } from '../../model/hex.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { Asset } from '../../model/generated/report.ts';

/** The commodity an asset is booked as. */
export type Commodities = (asset: Asset) => string;

/** Digits of a digest: two assets that share them cannot be looked for. */
const DIGEST = 18;

/**
 * Commodities of a ledger: the symbol of ether and of listed tokens, symbol and address of all others and of
 * listed ones that share a symbol; NFTs with their id. No two tokens have the same.
 */
export function commoditiesOf(
  events: readonly LedgerEvent[],
  { knownTokens }: Pick<Rulebook, 'knownTokens'>,
  { currency = {} }: Pick<LedgerFormat, 'currency'> = {},
  map: CurrencyMap = readCurrencyMap(undefined),
): Commodities {
  const { symbols, holders } = symbolsOf(events, knownTokens);
  const nameOf = ({ id, address }: Asset): string => {
    const symbol = symbols.get(id) ?? '';
    const sharing = holders.get(symbol.toUpperCase());
    const isAlone = sharing?.size === 1 && sharing.has(address!);
    return isAlone ? symbol : `${symbol} ${address}`.trim();
  };
  const named: Commodities = (asset) => {
    const { address, token_id: id, decimals } = asset;
    if (address === null) return 'ETH';
    // Smallest units must not add up with whole ones.
    if (decimals === null && id === null) return `${symbols.get(asset.id) ?? ''} ${address} raw`.trim();
    return id === null ? nameOf(asset) : `${nameOf(asset)} #${id}`;
  };
  /** A name as the format writes it. */
  return (asset) => {
    const name = named(asset);
    const { quotes, most, unlisted, nft } = currency;
    if (most !== undefined) return letters(asset, name, most);
    if (quotes !== undefined) return `${quotes}${plainLine(name)}${quotes}`;
    if (unlisted === undefined || nft === undefined) return name;
    const isListed =
      /^(?!0x)[\w.$-]+$/.test(name) && !new RegExp(`^(${unlisted}|${nft})\\d*$`, 'i').test(name);
    return isListed ? name : map.placeholder(asset.token_id === null ? unlisted : nft, asset);
  };
}

/** Symbols by asset, and by symbol the listed tokens that share it; that of ether is taken. */
function symbolsOf(events: readonly LedgerEvent[], knownTokens: Rulebook['knownTokens']) {
  const symbols = new Map<string, string>();
  const holders = new Map([['ETH', new Set([''])]]);
  const add = (asset: Asset, isNamed: boolean): void => {
    const [address, lower] = [asset.address!, asset.address!.toLowerCase() as Address];
    // A report of a node without state knows no symbols: the rules do, or another report.
    const symbol = asset.symbol ?? knownSymbols(knownTokens).get(lower);
    if (symbol == null) return;
    if (!symbols.has(asset.id)) symbols.set(asset.id, symbol);
    const upper = symbol.toUpperCase();
    if (isNamed || knownTokens.get(symbol)?.has(lower))
      holders.set(upper, (holders.get(upper) ?? new Set()).add(address));
  };
  for (const { flows, changes, names } of events)
    for (const { asset } of [...flows, ...changes])
      if (asset.address !== null) add(asset, names.has(asset.address));
  return { symbols, holders };
}

/** A name of capital letters and digits: the listed symbol, else its start and a digest of the id. */
function letters({ id, decimals }: Asset, name: string, most: number): string {
  const whole = name.toUpperCase();
  if (whole.length <= most && /^[A-Z][A-Z0-9'._-]*[A-Z0-9]$/.test(whole)) return whole;
  const start = (name.startsWith('0x') ? '' : name.split(' 0x')[0]!)
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]|^[^A-Z]+/g, '');
  const digest = createHash('sha256')
    .update(`${id} ${decimals}`)
    .digest('hex')
    .slice(0, DIGEST)
    .toUpperCase();
  return `${start.slice(0, most - DIGEST - 1) || 'T'}-${digest}`;
}

/** One line of a journal: nothing that ends a quotation, a comment or the line. */
export function plainLine(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll('"', "'")
    .replaceAll(/[\\;|]/g, '/')
    .replaceAll(/ {2,}/g, ' ')
    .replace(/^[ (*!=]+/, '')
    .trim();
}

/** Placeholders for assets that a program does not know, each asset with one for good. */
export type CurrencyMap = ReturnType<typeof readCurrencyMap>;

interface Held {
  readonly asset_id: string;
  readonly decimals: number | null;
  readonly symbol: string | null;
}

/**
 * Placeholders by the file of an earlier ledger; none without it.
 * @throws CliError for a file that is not such a map
 */
export function readCurrencyMap(file: string | undefined) {
  const held = new Map<string, Held>(file !== undefined && existsSync(file) ? entriesOf(file) : []);
  const keyOf = ({ asset_id: id, decimals }: Held): string => `${id} ${decimals}`;
  const known = new Map([...held].map(([name, entry]) => [keyOf(entry), name]));
  return {
    /** The asset's own, else the word with the next free number. */
    placeholder(word: string, { id, decimals, symbol }: Asset): string {
      const entry = { asset_id: id, decimals, symbol };
      const found = known.get(keyOf(entry));
      if (found !== undefined) return found;
      let number = 1;
      while (held.has(`${word}${number}`)) number++;
      const name = `${word}${number}`;
      held.set(name, entry);
      known.set(keyOf(entry), name);
      return name;
    },
    size: () => held.size,
    /** The file that later ledgers read. */
    text: () => `${JSON.stringify(Object.fromEntries(held), null, 2)}\n`,
  };
}

function entriesOf(file: string): [string, Held][] {
  const map = parseJson(readText(file));
  const entries = Object.entries(isRecord(map) ? map : { '': null }) as [string, Held | null][];
  const wrong = entries.find(
    ([name, held]) => !/^[A-Z]+[1-9]\d*$/.test(name) || typeof held?.asset_id !== 'string',
  );
  if (wrong) throw new CliError(`${file} is no map of currencies: ${wrong[0].slice(0, 60)}`);
  return entries as [string, Held][];
}
