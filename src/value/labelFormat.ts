import { placePoint } from './amount.ts';
import { assetUnit, listSymbol, shortAddress } from './display.ts';
import type { Address } from '../model/hex.ts';
import type { Rulebook } from '../model/rulebook.ts';
import type { TokenMetadata } from '../model/upstream.ts';
import type { Asset } from '../model/valueFlow.ts';

/** Digits a label shows of an amount; the exact figure is in the deltas. */
const LABEL_DIGITS = 6;

/**
 * The first significant digits of an amount, all those before the point at least, never rounded up:
 * `1234.56789` → `1234.56`.
 */
function firstDigits(amount: bigint, decimals: number): string {
  const digits = amount.toString();
  const kept = Math.min(digits.length, Math.max(LABEL_DIGITS, digits.length - decimals));
  return placePoint(digits.slice(0, kept), decimals - (digits.length - kept));
}

export interface LabelFormat {
  readonly amount: (asset: Asset, amount: bigint) => string | null;
  readonly account: (account: Address) => string;
  readonly protocol: (slug: string) => string;
}

/**
 * How labels write amounts, accounts and protocols, from one transaction's token metadata. Texts are cleaned.
 */
export function labelFormat(
  tokens: ReadonlyMap<Address, TokenMetadata>,
  rulebook: Pick<Rulebook, 'entities' | 'protocols'>,
): LabelFormat {
  return {
    amount: (asset, amount) => {
      const unit = assetUnit(asset, tokens);
      if (asset.kind === 'erc721') return listSymbol(asset, unit);
      return unit.decimals === null
        ? null
        : `${firstDigits(amount, unit.decimals)} ${listSymbol(asset, unit)}`;
    },
    account: (account) => rulebook.entities.get(account)?.name ?? shortAddress(account),
    protocol: (slug) => rulebook.protocols.get(slug)?.name ?? slug,
  };
}
