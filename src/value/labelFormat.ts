import { formatAmount, shownAmount } from './amount.ts';
import { assetUnit, cleanName, cleanSymbol, listSymbol, shortAddress } from './display.ts';
import type { Address } from '../model/hex.ts';
import type { Rulebook } from '../model/rulebook.ts';
import type { TokenMetadata } from '../model/upstream.ts';
import type { Asset } from '../model/valueFlow.ts';
import { linesOf } from '../lib/tableLines.ts';

export interface LabelFormat {
  readonly amount: (asset: Asset, amount: bigint) => string | null;
  readonly asset: (asset: Asset) => string;
  readonly account: (account: Address) => string;
  readonly name: (account: Address) => string | null;
  readonly protocol: (slug: string) => string;
}

/** Writes amounts, accounts and protocols of labels, from the transaction's token metadata, cleaned. */
export function labelFormat(
  tokens: ReadonlyMap<Address, TokenMetadata>,
  rulebook: Pick<Rulebook, 'entities' | 'protocols' | 'protocolAt' | 'addressBook' | 'knownTokens'>,
): LabelFormat {
  const protocol = (slug: string): string => rulebook.protocols.get(slug)?.name ?? slug;
  const name = (account: Address): string | null => {
    const entity = rulebook.entities.get(account);
    if (entity) return entity.name;
    const slug = rulebook.protocolAt.get(account);
    return slug === undefined ? cleanName(addressName(rulebook.addressBook, account)?.name) : protocol(slug);
  };
  /** A token calls itself as it likes: only those of the rules go by their symbol alone. */
  const tokenName = (account: Address): string | null => {
    const symbol = tokens.get(account)?.symbol;
    const word = cleanSymbol(symbol);
    if (word === null) return null;
    const known = rulebook.knownTokens.get(symbol!)?.has(account);
    return known
      ? word
      : listSymbol(
          { kind: 'erc20', address: account, tokenId: null, id: '' as never },
          { symbol: word, decimals: 0, impersonates: true },
        );
  };
  return {
    amount: (asset, amount) => {
      const unit = assetUnit(asset, tokens);
      if (asset.kind === 'erc721') return listSymbol(asset, unit);
      return unit.decimals === null
        ? null
        : `${shownAmount(formatAmount(amount, unit.decimals))} ${listSymbol(asset, unit)}`;
    },
    asset: (asset) => listSymbol(asset, { ...assetUnit(asset, tokens), decimals: 0 }),
    account: (account) => name(account) ?? tokenName(account) ?? shortAddress(account),
    name,
    protocol,
  };
}

/** An address's name in an address book. For display only. */
interface AddressName {
  readonly kind: string;
  readonly name: string;
}

/** The name of a lower-case address in an address book as the rulebook holds it; null where it has none. */
export function addressName(addressBook: string, address: Address): AddressName | null {
  const [line] = linesOf(addressBook, address);
  if (line === undefined) return null;
  const kindEnd = line.indexOf(' ', address.length + 1);
  return { kind: line.slice(address.length + 1, kindEnd), name: line.slice(kindEnd + 1) };
}
