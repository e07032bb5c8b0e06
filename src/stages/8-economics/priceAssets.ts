import { lazy } from '../../lib/lazy.ts';
import { erc20Id, isFungible, NATIVE, NATIVE_ASSET, parseAssetId } from '../../value/asset.ts';
import { assetDecimals } from '../../value/display.ts';
import type { AssetRefusal, ChosenPrice, PriceBook } from '../../model/economics.ts';
import type { Asset, AssetId } from '../../model/valueFlow.ts';
import { refusal, type PriceChoice, type RefusalReason } from './choosePrice.ts';
import { nftChooser } from './nftPrices.ts';
import { nftTrades } from './nftTrades.ts';
import { priceChooser, type ChooserInput } from './priceChooser.ts';
import type { PriceQuote } from '../../model/upstream.ts';
import type { PriceKey } from './ratedQuote.ts';
import { contradictedPrices } from './tradePrices.ts';

export interface PricingInput extends ChooserInput {
  /** By id. */
  readonly assets: ReadonlyMap<AssetId, Asset>;
}

export type Pricing = Readonly<ReturnType<typeof priceAssets>>;

/**
 * Refusals that cast doubt on the price another source sent; a source that merely has none, or an old one,
 * does not.
 */
const DOUBTS: ReadonlySet<RefusalReason['code']> = new Set([
  'self_referential',
  'own_word',
  'price_deviation',
  'low_liquidity',
  'nonstandard_supply',
  'spam_asset',
]);

const NO_SOURCE = refusal('no_source', 'no source quotes the asset');
const NO_DECIMALS = refusal(
  'unknown_decimals',
  'the token states no decimals, so a price per whole token has no meaning',
);

const idOfKey = (key: PriceKey): AssetId => (key === 'native' ? NATIVE_ASSET : erc20Id(key));

const basesOf = ({ bases = [] }: PriceQuote): AssetId[] => bases.map(idOfKey);

const byId = ({ id: a }: Asset, { id: b }: Asset): number => (a < b ? -1 : 1);

/**
 * Prices or refuses every given asset and the native one. The assets that prices rest on are in the book
 * too: they are prices that were used.
 */
export function priceAssets(input: PricingInput) {
  const situation = priceChooser(input);
  const trades = nftTrades(input);
  const nfts = lazy(() => nftChooser({ situation, trades, positions: input.context.positions ?? [] }));
  const choiceOf = (asset: Asset): PriceChoice =>
    isFungible(asset) ? situation.choiceFor(asset.address ?? 'native') : nfts()(asset.id);
  const prices = new Map<AssetId, ChosenPrice>();
  const refusals = new Map<AssetId, AssetRefusal>();
  const doubted: AssetId[] = [];
  const native = input.assets.has(NATIVE_ASSET) ? [] : [NATIVE];
  const work = [...input.assets.values(), ...native].sort(byId);
  // A list also yields elements added during iteration: the bases of prices follow.
  for (const asset of work) {
    const { id } = asset;
    const choice = choiceOf(asset);
    const decimals = assetDecimals(asset, input.context.tokens);
    if (choice.chosen === null || decimals === null) {
      const refused = choice.chosen ? NO_DECIMALS : (choice.refused[0] ?? NO_SOURCE);
      refusals.set(id, { asset: id, ...refused });
      continue;
    }
    const { quote, ageSeconds, stale } = choice.chosen;
    const restsOn = basesOf(quote);
    const unit = { usd: { numerator: quote.numerator, scale: quote.scale }, decimals };
    prices.set(id, { asset: id, unit, quote, ageSeconds, stale, restsOn });
    if (choice.refused.some(({ code }) => DOUBTS.has(code))) doubted.push(id);
    addBases(work, restsOn);
  }
  const contradicted = contradictedPrices(prices, input.motifs, input.rulebook);
  for (const [asset, reason] of contradicted) {
    prices.delete(asset);
    refusals.set(asset, { asset, ...reason });
  }
  const book: PriceBook = { prices: inOrder(prices), refusals: inOrder(refusals) };
  // `doubted`: priced assets about which another source raised a doubt.
  return { book, doubted: doubted.filter((asset) => !contradicted.has(asset)), trades };
}

function addBases(work: Asset[], bases: readonly AssetId[]): void {
  for (const base of bases) if (!work.some(({ id }) => id === base)) work.push(parseAssetId(base)!);
}

const inOrder = <T>(byId: ReadonlyMap<AssetId, T>): ReadonlyMap<AssetId, T> =>
  new Map([...byId].sort(([a], [b]) => (a < b ? -1 : 1)));
