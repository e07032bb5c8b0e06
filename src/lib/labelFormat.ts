import { formatAmount } from './amount.ts';
import { assetUnit, listSymbol, shortAddress } from './display.ts';
import type { Address } from '../model/hex.ts';
import type { Rulebook } from '../model/rulebook.ts';
import type { TokenMetadata } from '../model/upstream.ts';
import type { Asset } from '../model/valueFlow.ts';

/** Digits a label shows of an amount; the exact figure stands in the deltas. */
const LABEL_DIGITS = 6;

const ZERO = 48;

/** Cuts a decimal text to its first significant digits, never rounding up: `1234.56789` → `1234.56`. */
function shorten(text: string): string {
  const point = text.indexOf('.');
  if (point < 0) return text;
  let end = point + 1;
  if (text.startsWith('0.')) while (text.charCodeAt(end) === ZERO) end++;
  else end -= Math.min(point, LABEL_DIGITS);
  end = Math.min(end + LABEL_DIGITS, text.length);
  while (text.charCodeAt(end - 1) === ZERO) end--;
  return text.slice(0, end === point + 1 ? point : end);
}

export interface LabelFormat {
  readonly amount: (asset: Asset, amount: bigint) => string | null;
  readonly account: (account: Address) => string;
  readonly protocol: (slug: string) => string;
}

/** How labels write amounts, accounts and protocols, from one transaction's token metadata. Texts are cleaned. */
export function labelFormat(tokens: ReadonlyMap<Address, TokenMetadata>, rulebook: Pick<Rulebook, 'entities' | 'protocols'>): LabelFormat {
  return {
    amount: (asset, amount) => {
      const unit = assetUnit(asset, tokens);
      if (asset.kind === 'erc721') return listSymbol(asset, unit);
      return unit.decimals === null ? null : `${shorten(formatAmount(amount, unit.decimals))} ${listSymbol(asset, unit)}`;
    },
    account: (account) => rulebook.entities.get(account)?.name ?? shortAddress(account),
    protocol: (slug) => rulebook.protocols.get(slug)?.name ?? slug,
  };
}
