import { addTo } from '../../../lib/lists.ts';
import { amountsOf, isShare } from '../../../value/sides.ts';
import { knownSymbols } from '../../../value/labelFormat.ts';
import type { Address } from '../../../model/hex.ts';
import type { Allowance, Asset, AssetId } from '../../../model/valueFlow.ts';
import { assetClasses, count, entityTags, flag, tokenSymbols, type Facts } from './factSpec.ts';
import type { SubjectView } from './subjectView.ts';

/** Classes of assets: of the transaction, of entity files, of their tags; `other` for none (for "only"). */
export function classesIn(view: SubjectView, assets: Iterable<Asset>): string[] {
  const { assetClasses: classes } = view.input.rulebook;
  return [...assets].flatMap(({ id, kind, address }) => {
    if (address === null) return ['native'];
    const own = [
      ...(kind === 'erc20' ? [] : ['nft']),
      ...(view.flow.wrappedNative.has(address) ? ['wrapped_native'] : []),
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
    for (const { asset } of amountsOf(motif).filter(isShare))
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

const GRANTS: ReadonlySet<Allowance['kind']> = new Set(['granted', 'increased', 'operator']);

const own = ({ flow, entity, input: { suspects } }: SubjectView): readonly Allowance[] =>
  flow.allowances.filter(
    ({ owner, evidence }) => entity.has(owner) && !suspects?.allowances.has(evidence.log!),
  );
const granted = (view: SubjectView): readonly Allowance[] => own(view).filter(({ kind }) => GRANTS.has(kind));

/** Allowances the actor changed, and tokens it pulled from others. */
export const ALLOWANCE_FACTS: Facts = {
  'allowances.granted': count('Allowances of the actor that were granted or raised.', (v) => granted(v)),
  'allowances.unlimited': count(
    'Of these, those over at least what the vocabulary calls unlimited, or over all NFTs of a collection.',
    (v) => granted(v).filter(({ unlimited }) => unlimited),
  ),
  'allowances.reduced': count(
    'Allowances of the actor that were lowered or revoked.',
    (v) => own(v).length - granted(v).length,
  ),
  'allowances.spenders': count(
    'Distinct accounts that may take tokens of the actor after this.',
    (v) => new Set(granted(v).map(({ spender }) => spender)),
  ),
  'allowances.to_called': flag('The called contract is one of them.', (v) =>
    granted(v).some(({ spender }) => spender === v.tx.to),
  ),
  'allowances.to_plain_account': flag(
    'One of them shows no code in this transaction and is no known contract.',
    (v) =>
      granted(v).some(
        ({ spender }) =>
          !v.codeAccounts.has(spender) &&
          !v.input.rulebook.entities.has(spender) &&
          !v.input.rulebook.protocolAt.has(spender),
      ),
  ),
  'allowances.spender_tags': entityTags('Entity tags of these accounts.', (v) =>
    granted(v).flatMap(({ spender }) => v.tagsOf(spender)),
  ),
  'flow.unpaid_accounts': count(
    'Accounts without code, other than the signer and the actor, that ended with less of ' +
      'something and more of nothing: their tokens were taken by an allowance.',
    unpaidAccounts,
  ),
};

function unpaidAccounts({ netHolders, entity, tx, codeAccounts, input: { rulebook } }: SubjectView): number {
  const isOther = (account: Address): boolean => account !== tx.from && !entity.has(account);
  const shown = (account: Address): boolean => codeAccounts.has(account) || rulebook.entities.has(account);
  const unpaid = [...netHolders.payers].filter((account) => !netHolders.receivers.has(account));
  return unpaid.filter((account) => isOther(account) && !shown(account)).length;
}
