import { addressName } from './addressNames.ts';
import { formatAmount } from './amount.ts';
import { shownAmount } from './shownAmount.ts';
import { assetUnit, cleanName, cleanSymbol, listSymbol, shortAddress } from './display.ts';
import type { Address } from '../model/hex.ts';
import type { Rulebook } from '../model/rulebook.ts';
import type { TokenMetadata } from '../model/upstream.ts';
import type { Asset } from '../model/valueFlow.ts';

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
  rulebook: Pick<Rulebook, 'entities' | 'protocols' | 'protocolAt' | 'addressBook'>,
): LabelFormat {
  const protocol = (slug: string): string => rulebook.protocols.get(slug)?.name ?? slug;
  const name = (account: Address): string | null => {
    const entity = rulebook.entities.get(account);
    if (entity) return entity.name;
    const slug = rulebook.protocolAt.get(account);
    return slug === undefined ? cleanName(addressName(rulebook.addressBook, account)?.name) : protocol(slug);
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
    account: (account) => name(account) ?? cleanSymbol(tokens.get(account)?.symbol) ?? shortAddress(account),
    name,
    protocol,
  };
}
