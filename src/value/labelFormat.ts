import { formatAmount, grouped, shownAmount } from './amount.ts';
import { cleanName, cleanSymbol, cleanText, shortened } from './cleanText.ts';
import { assetUnit, listSymbol } from './display.ts';
import { shortAddress } from '../evm/address.ts';
import type { Address } from '../model/hex.ts';
import type { LineTable, Rulebook } from '../model/rulebook.ts';
import type { PriceQuote, TokenMetadata } from '../model/upstream.ts';
import type { Asset } from '../model/valueFlow.ts';
import { memoizeFor } from '../lib/memo.ts';
import { listedName } from '../lib/motifKinds.ts';
import { linesOf } from '../lib/tableLines.ts';

/** More assets or protocols than this are not all listed in a label. */
export const MAX_LISTED = 3;

/** How a label writes assets, accounts and protocols. */
export interface LabelFormat {
  /** `1.5 ETH`, or null where the amount cannot be written (unknown decimals). */
  readonly amount: (asset: Asset, amount: bigint) => string | null;
  /** The token alone. */
  readonly asset: (asset: Asset) => string;
  /** By name where one is known, else shortened. */
  readonly account: (account: Address) => string;
  /** Only the name the rules or the address book give. */
  readonly name: (account: Address) => string | null;
  readonly protocol: (slug: string) => string;
  /** Dollars by the first price that was read, by which amounts are compared; zero without one. */
  readonly worth: (asset: Asset, amount: bigint) => number;
}

/**
 * Writes amounts, accounts and protocols of labels, from the transaction's token metadata, cleaned. Accounts
 * that only an unlisted token's event mentions get no name: it could borrow any.
 */
export function labelFormat(
  tokens: ReadonlyMap<Address, TokenMetadata>,
  rulebook: Pick<
    Rulebook,
    'entities' | 'prepared' | 'protocols' | 'protocolAt' | 'addressBook' | 'knownTokens'
  >,
  mentioned: () => ReadonlySet<Address> = () => new Set(),
  prices: readonly PriceQuote[] = [],
): LabelFormat {
  const protocol = (slug: string): string => rulebook.protocols.get(slug)?.name ?? slug;
  const name = (account: Address): string | null => {
    if (mentioned().has(account)) return null;
    return listedName(account, rulebook) ?? cleanName(addressName(rulebook.addressBook, account)?.name);
  };
  /** A token calls itself as it likes: only those of the rules go by their symbol alone. */
  const tokenName = (account: Address): string | null => {
    const symbol = tokens.get(account)?.symbol;
    const word = cleanSymbol(symbol);
    if (word === null) return knownSymbols(rulebook.knownTokens).get(account) ?? null;
    if (rulebook.knownTokens.get(symbol!)?.has(account)) return word;
    const asset: Asset = { kind: 'erc20', address: account, tokenId: null, id: '' as never };
    return listSymbol(asset, { symbol: word, decimals: 0, impersonates: true });
  };
  return {
    amount: (asset, amount) => {
      const unit = assetUnit(asset, tokens);
      if (asset.kind === 'erc721') return collectionName(asset, tokens);
      if (asset.kind === 'erc1155') {
        const count = amount === 1n ? '' : `${grouped(amount.toString())} × `;
        return `${count}${collectionName(asset, tokens)}`;
      }
      if (unit.decimals === null) return null;
      const exact = formatAmount(amount, unit.decimals);
      const large = /^\d{16}/.test(exact) ? HUGE : shownAmount(exact, true);
      return `${exact.startsWith(NOTHING) ? TINY : large} ${listSymbol(asset, unit)}`;
    },
    asset: (asset) =>
      asset.kind === 'erc20' || asset.kind === 'native'
        ? listSymbol(asset, { ...assetUnit(asset, tokens), decimals: 0 })
        : collectionName(asset, tokens),
    account: (account) => name(account) ?? tokenName(account) ?? shortAddress(account),
    name,
    protocol,
    worth: (asset, amount) => {
      const quote = prices.find((one) => one.asset === (asset.address ?? 'native'));
      const decimals = assetUnit(asset, tokens).decimals ?? 0;
      return quote ? (Number(amount) * Number(quote.numerator)) / 10 ** (quote.scale + decimals) : 0;
    },
  };
}

/** Amounts that only a power of ten would write. */
const NOTHING = `0.${'0'.repeat(18)}`;
const TINY = 'less than 0.000000000000000001';
const HUGE = 'over 1,000 trillion';

/** An amount, or of a token that states no decimals only that it is one. */
export function amountText(
  { asset, amount }: { readonly asset: Asset; readonly amount: bigint },
  format: LabelFormat,
): string {
  const text = format.amount(asset, amount);
  if (text !== null || asset.kind !== 'erc20') return text ?? format.asset(asset);
  return `an amount of ${format.asset(asset)}`;
}

/** Longer names of collections are cut. */
const MOST_NAME = 40;

/** `Collection #12`, by `name()`, else by the symbol; the collection alone without an id. */
function collectionName(asset: Asset, tokens: ReadonlyMap<Address, TokenMetadata>): string {
  const unit = { ...assetUnit(asset, tokens), decimals: 0 };
  const name = unit.impersonates
    ? null
    : cleanText(asset.address && tokens.get(asset.address)?.name, MOST_NAME);
  if (name === null) return listSymbol(asset, unit);
  return asset.tokenId === null ? name : `${name} #${shortened(asset.tokenId)}`;
}

/** The symbols under which the rules list tokens. */
export const knownSymbols = memoizeFor(
  (knownTokens: Rulebook['knownTokens'], _: void) =>
    new Map([...knownTokens].flatMap(([symbol, addresses]) => [...addresses].map((one) => [one, symbol]))),
);

/** The name of a lower-case address in an address book, for display only; null where it has none. */
export function addressName(book: LineTable, address: Address): Record<'kind' | 'name', string> | null {
  const [line] = linesOf(book, address);
  if (line === undefined) return null;
  const kindEnd = line.indexOf(' ', address.length + 1);
  return { kind: line.slice(address.length + 1, kindEnd), name: line.slice(kindEnd + 1) };
}
