import { addTo } from '../../../lib/lists.ts';
import { amountsOf, isShare } from '../../../value/sides.ts';
import { knownSymbols } from '../../../value/labelFormat.ts';
import type { Asset, AssetId } from '../../../model/valueFlow.ts';
import { assetClasses, tokenSymbols, type Facts } from './factSpec.ts';
import type { SubjectView } from './subjectView.ts';

/** Classes of assets: of the transaction, of entity files, of their tags; `other` for none (for "only"). */
export function classesIn(view: SubjectView, assets: Iterable<Asset>): string[] {
  const { wrappedNative, assetClasses: classes } = view.input.rulebook;
  return [...assets].flatMap(({ id, kind, address }) => {
    if (address === null) return ['native'];
    const own = [
      ...(kind === 'erc20' ? [] : ['nft']),
      ...(wrappedNative.has(address) ? ['wrapped_native'] : []),
      ...(classes.get(address) ?? []),
      ...view.tagsOf(address),
      ...(view.shares.get(id) ?? []),
    ];
    return own.length > 0 ? own : ['other'];
  });
}

/** Symbols of tokens that the rules know by address, `ETH` for the native currency. */
export function symbolsIn(view: SubjectView, assets: Iterable<Asset>): string[] {
  const symbols = knownSymbols(view.input.rulebook.knownTokens);
  return [...assets].flatMap(({ address }) => (address === null ? ['ETH'] : (symbols.get(address) ?? [])));
}

/** The tokens that represent positions in a transaction: `lp` for liquidity, `share` for the rest. */
export function sharesByAsset({ input: { motifs, rulebook } }: SubjectView): ReadonlyMap<AssetId, string[]> {
  const shares = new Map<AssetId, string[]>();
  for (const motif of motifs) {
    const category = rulebook.motifKinds.get(motif.kind)?.position?.category;
    if (category === undefined) continue;
    for (const { asset } of amountsOf(motif, rulebook).filter(isShare))
      addTo(shares, asset, category === 'liquidity' ? 'lp' : 'share');
  }
  return shares;
}

type AssetsOf = (view: SubjectView) => Iterable<Asset>;

const factsAbout = (name: string, what: string, assets: AssetsOf): Facts => ({
  [`${name}.classes`]: assetClasses(
    `Classes of ${what}: native, wrapped_native, nft, lp and share (tokens of positions changed here), ` +
      'classes of entity files (stablecoin, lst, …), entity tags of the tokens, and other for none of these.',
    (v) => classesIn(v, assets(v)),
  ),
  [`${name}.symbols`]: tokenSymbols(`Well-known tokens among ${what}, by address.`, (v) =>
    symbolsIn(v, assets(v)),
  ),
});

/** Which tokens moved, by address, whatever they call themselves. */
export const ASSET_FACTS: Facts = {
  ...factsAbout('actor.sent', 'what the actor sent', (v) => v.sent.map(({ asset }) => asset)),
  ...factsAbout('actor.received', 'what the actor received', (v) => v.received.map(({ asset }) => asset)),
  ...factsAbout('flow', 'everything that moved', (v) => v.flow.assets.values()),
};
