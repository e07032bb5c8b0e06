import { erc20Id, NATIVE, NATIVE_ASSET } from '../../lib/asset.ts';
import { parseAssetId } from '../../lib/assetId.ts';
import { assetDecimals } from '../../lib/display.ts';
import type { AssetRefusal, ChosenPrice, PriceBook } from '../../model/economics.ts';
import type { Asset, AssetId } from '../../model/valueFlow.ts';
import type { RefusalReason } from './choosePrice.ts';
import { priceChooser, type ChooserInput } from './priceChooser.ts';
import type { PriceKey } from './ratedQuote.ts';

export interface PricingInput extends ChooserInput {
  /** By id. */
  readonly assets: ReadonlyMap<AssetId, Asset>;
}

export interface Pricing {
  readonly book: PriceBook;
  /** Priced assets about which another source raised a doubt. */
  readonly doubted: readonly AssetId[];
}

/** Refusals that cast doubt on the price another source gave; a source that merely has none, or an old one, does not. */
const DOUBTS: ReadonlySet<RefusalReason['code']> = new Set(['self_referential', 'price_deviation', 'low_liquidity', 'nonstandard_supply', 'spam_asset']);

const refuse = (code: RefusalReason['code'], reason: string): RefusalReason => ({ code, reason, observed: null, threshold: null });

const idOfKey = (key: PriceKey): AssetId => (key === 'native' ? NATIVE_ASSET : erc20Id(key));

/**
 * Prices or refuses every given asset and the native one. The assets that prices rest on are in the book too: they are
 * prices that were used.
 */
export function priceAssets(input: PricingInput): Pricing {
  const { keyOf, choiceFor, basesOf } = priceChooser(input);
  const price = (asset: Asset): ChosenPrice | RefusalReason => {
    if (asset.kind === 'erc721' || asset.kind === 'erc1155') return refuse('nft_no_floor', 'NFTs are not priced');
    const { chosen, refused } = choiceFor(asset.address ?? 'native');
    if (!chosen) return refused[0] ?? refuse('no_source', 'no source quotes the asset');
    const decimals = assetDecimals(asset, input.context.tokens);
    if (decimals === null) return refuse('unknown_decimals', 'the token states no decimals, so a price per whole token has no meaning');
    const { quote, ageSeconds, stale } = chosen;
    return { asset: asset.id, unit: { usd: { numerator: quote.numerator, scale: quote.scale }, decimals }, quote, ageSeconds, stale, restsOn: basesOf(quote).map(idOfKey) };
  };

  const found = new Map<AssetId, ChosenPrice>();
  const refusals = new Map<AssetId, AssetRefusal>();
  const doubted: AssetId[] = [];
  const assets = new Map(input.assets).set(NATIVE_ASSET, NATIVE);
  const work = [...assets.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const given = work.length;
  for (const asset of work) {
    const answer = price(asset);
    if (!('quote' in answer)) {
      refusals.set(asset.id, { asset: asset.id, ...answer });
      continue;
    }
    found.set(asset.id, answer);
    if (choiceFor(keyOf(asset.address ?? 'native')).refused.some(({ code }) => DOUBTS.has(code))) doubted.push(asset.id);
    for (const id of answer.restsOn) {
      if (assets.has(id)) continue;
      const base = parseAssetId(id)!;
      assets.set(id, base);
      work.push(base);
    }
  }
  const prices = work.length === given ? found : new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { book: { prices, refusals }, doubted };
}
