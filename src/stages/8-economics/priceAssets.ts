import { lazy } from '../../lib/lazy.ts';
import { erc20Id, isFungible, NATIVE, NATIVE_ASSET, parseAssetId } from '../../value/asset.ts';
import { assetDecimals } from '../../value/display.ts';
import type { AssetRefusal, ChosenPrice, PriceBook } from '../../model/economics.ts';
import type { Asset, AssetId } from '../../model/valueFlow.ts';
import { refusal, choosePrice, isRefusal } from './choosePrice.ts';
import type { PriceChoice, RefusalReason, TouchedAccounts } from './choosePrice.ts';
import { nftChooser, nftTrades } from './nftPrices.ts';
import type { PriceQuote, RawContext } from '../../model/upstream.ts';
import { type PriceKey, ratedQuote, type RateSituation } from './ratedQuote.ts';
import { contradictedPrices } from './tradePrices.ts';
import { usableDecimals } from '../../value/amount.ts';
import { groupBy, NOTHING } from '../../lib/lists.ts';
import { hasTag } from '../../lib/motifKinds.ts';
import type { Address } from '../../model/hex.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { Scene } from '../../model/scene.ts';

export interface PricingInput extends ChooserInput {
  /** By id. */
  readonly assets: ReadonlyMap<AssetId, Asset>;
}

export type Pricing = Readonly<ReturnType<typeof priceAssets>>;

/** Refusals that cast doubt on another source's price; having none, or an old one, does not. */
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

/** Prices or refuses every given asset, the native one, and those that their prices rest on. */
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
  const contradicted = contradictedPrices(prices, input.motifs);
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

export interface ChooserInput extends Pick<Scene, 'flow' | 'motifs'> {
  readonly context: RawContext;
  readonly timestamp: number;
  readonly touched: TouchedAccounts;
  readonly rulebook: Pick<Rulebook, 'wrappedNative' | 'entities'>;
}

/** Prices that rest on prices that rest on prices … */
const MAX_DEPTH = 4;

const refused = (code: RefusalReason['code'], reason: string): PriceChoice => ({
  chosen: null,
  refused: [refusal(code, reason)],
});
const byReason = (list: readonly RefusalReason[]): RefusalReason[] =>
  [...list].sort((a, b) => (`${a.code} ${a.reason}` < `${b.code} ${b.reason}` ? -1 : 1));

/**
 * Chooses the price of any asset from the sources' answers, independent of their order. Rates are resolved
 * through the prices chosen for their bases. Wrapped native is priced as native.
 */
export function priceChooser(input: ChooserInput): RateSituation {
  const { context, timestamp, touched, motifs, flow, rulebook } = input;
  const keyOf = (asset: PriceKey): PriceKey =>
    asset !== 'native' && rulebook.wrappedNative.has(asset) ? 'native' : asset;
  const byKey = <T extends { readonly asset: PriceKey }>(items: readonly T[]): ReadonlyMap<PriceKey, T[]> =>
    groupBy(items, ({ asset }) => keyOf(asset));
  const quotes = byKey(context.prices);
  const rates = byKey(context.rates ?? NOTHING);
  const declined = byKey(context.refusals);
  const settled = new Map<PriceKey, PriceChoice>();
  const open: PriceKey[] = [];
  /** The answers being worked out had to do without one of `open`: they say nothing about other occasions. */
  let cut = false;

  const decimalsOf = (asset: PriceKey): number | null =>
    keyOf(asset) === 'native' ? 18 : usableDecimals(context.tokens.get(asset as Address)?.decimals);
  const keyOfId = (id: string): PriceKey | null => {
    const asset = parseAssetId(id);
    return asset?.kind === 'native' ? 'native' : asset?.kind === 'erc20' ? asset.address : null;
  };

  const situation = { choiceFor, keyOf, decimalsOf, keyOfId, timestamp, motifs, flow, rulebook };

  function choiceFor(asset: PriceKey): PriceChoice {
    const key = keyOf(asset);
    const known = settled.get(key);
    if (known) return known;
    const isOpen = open.includes(key);
    if (isOpen || open.length >= MAX_DEPTH) {
      cut = true;
      return isOpen
        ? refused('self_referential', 'its price would rest on itself')
        : refused('no_source', 'its price would rest on too many others');
    }
    open.push(key);
    const choice = work(key);
    open.pop();
    if (open.length === 0) cut = false;
    if (!cut) settled.set(key, choice);
    return choice;
  }

  function spamReason(token: Address): string | null {
    if (hasTag(rulebook, token, 'spam')) return 'the token is listed as spam';
    return context.tokens.get(token)?.impersonates ? 'the token carries the symbol of another' : null;
  }

  function work(key: PriceKey): PriceChoice {
    const spam = key === 'native' ? null : spamReason(key);
    if (spam) return refused('spam_asset', spam);
    const quoted = quotes.get(key) ?? NOTHING;
    const rated = rates.get(key);
    const silent = declined.get(key);
    if (!rated && !silent) return choosePrice(quoted, timestamp, touched);
    const own = [...quoted];
    const set: RefusalReason[] = [];
    for (const rate of rated ?? []) {
      const quote = ratedQuote(rate, situation);
      if (isRefusal(quote)) set.push(quote);
      else own.push(quote);
    }
    const choice = choosePrice(own, timestamp, touched);
    const others = (silent ?? NOTHING).map((one) =>
      refusal(one.code, one.reason, one.observed, one.threshold),
    );
    return { chosen: choice.chosen, refused: [...choice.refused, ...byReason(set), ...byReason(others)] };
  }

  return situation;
}
