import { nftId } from '../../../value/asset.ts';
import { assetIdOf, evaluateAccount, evaluateAsset } from '../../../value/resolver.ts';
import type { BindScope } from '../../../value/resolver.ts';
import type { PreparedMapping } from '../match/preparedMapping.ts';
import type { Address } from '../../../model/hex.ts';
import type { DraftPortion, DraftPrimitive } from '../../../model/primitive.ts';
import type { AssetId } from '../../../model/valueFlow.ts';

/** Facts about a position that one event or call states besides movements. */
export type PositionDetail = Pick<DraftPrimitive, 'about' | 'position' | 'portions'>;

/**
 * An NFT counts as the position's only where its own contract emits, or where the rules call it a position
 * manager.
 */
export function readDetail(
  mapping: PreparedMapping,
  scope: BindScope,
  positionTokens: ReadonlySet<Address>,
): PositionDetail {
  return {
    about: readAbout(mapping, scope),
    position: readPosition(mapping, scope, positionTokens),
    portions: readPortions(mapping, scope),
  };
}

function readAbout({ about, shape }: PreparedMapping, scope: BindScope): readonly string[] {
  if (about.length === 0) return NOTHING;
  const values = about.map((resolve) => resolve(scope));
  return values.every((v) => v !== null) ? [`${shape}|${scope.contract}|${values.join('|')}`] : NOTHING;
}

function readPosition(
  { position }: PreparedMapping,
  scope: BindScope,
  positionTokens: ReadonlySet<Address>,
): AssetId | null {
  if (!position) return null;
  const token = evaluateAccount(position.token, scope);
  const id = position.id(scope);
  const known = token !== null && id !== null && (token === scope.contract || positionTokens.has(token));
  return known ? nftId('erc721', token, BigInt.asUintN(256, BigInt(id))) : null;
}

function readPortions({ portions }: PreparedMapping, scope: BindScope): readonly DraftPortion[] {
  return portions.flatMap(({ role, asset, amount }) => {
    const value = amount(scope);
    const ref = asset && evaluateAsset(asset, scope);
    return typeof value !== 'bigint' || value < 0n || (asset && !ref)
      ? []
      : [{ role, asset: ref && assetIdOf(ref), amount: value }];
  });
}

const NOTHING: readonly never[] = [];
