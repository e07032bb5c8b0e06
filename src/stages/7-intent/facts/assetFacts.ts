import type { Balance } from '../../../value/balances.ts';
import { addTo } from '../../../lib/lists.ts';
import { amountsOf, isShare } from '../../../value/sides.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import type { Asset, AssetId } from '../../../model/valueFlow.ts';
import { assetClasses, tokenSymbols, type FactSpec } from './factSpec.ts';
import type { SubjectView } from './subjectView.ts';

/** Tokens the rules know by address, never by the symbol a token gives itself. */
interface KnownTokens {
  readonly symbols: ReadonlyMap<string, string>;
  readonly classes: ReadonlyMap<string, readonly string[]>;
}

function knownTokens({ knownTokens: symbols, assetClasses: classes }: Rulebook): KnownTokens {
  return {
    symbols: new Map([...symbols].flatMap(([symbol, own]) => [...own].map((address) => [address, symbol]))),
    classes,
  };
}

/** Classes of assets: of the transaction, of entity files, of their tags; `other` for none (for "only"). */
export function classesIn(view: SubjectView, assets: Iterable<Asset>): string[] {
  const { wrappedNative, prepared } = view.input.rulebook;
  const { classes } = prepared.derive(knownTokens);
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

/** Symbols of well-known tokens among assets, `ETH` for the native currency. */
export function symbolsIn(view: SubjectView, assets: Iterable<Asset>): string[] {
  const { symbols } = view.input.rulebook.prepared.derive(knownTokens);
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

const assetsOf = (balances: readonly Balance[]): Asset[] => balances.map(({ asset }) => asset);

/** Which tokens moved, by address. */
export const ASSET_FACTS: readonly FactSpec[] = [
  assetClasses(
    'actor.sent.classes',
    'Classes of what the actor sent: native, wrapped_native, nft, lp and share (tokens of ' +
      'positions changed here), the classes of entity files (stablecoin, lst, …), entity tags of ' +
      'the tokens, and other for a token with none of these.',
    (v) => classesIn(v, assetsOf(v.sent)),
  ),
  assetClasses('actor.received.classes', 'Classes of what the actor received.', (v) =>
    classesIn(v, assetsOf(v.received)),
  ),
  assetClasses('flow.classes', 'Classes of everything that moved.', (v) =>
    classesIn(v, v.flow.assets.values()),
  ),
  tokenSymbols(
    'actor.sent.symbols',
    'Well-known tokens among what the actor sent: by their address, whatever a token calls itself.',
    (v) => symbolsIn(v, assetsOf(v.sent)),
  ),
  tokenSymbols('actor.received.symbols', 'Well-known tokens among what the actor received.', (v) =>
    symbolsIn(v, assetsOf(v.received)),
  ),
  tokenSymbols('flow.symbols', 'Well-known tokens among everything that moved.', (v) =>
    symbolsIn(v, v.flow.assets.values()),
  ),
];
