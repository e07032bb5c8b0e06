import { nftId } from '../../../value/asset.ts';
import { SHARE_ROLES } from '../../../lib/roles.ts';
import { assetIdOf, evaluateAccount, evaluateAsset } from './resolver.ts';
import type { BindScope } from './resolver.ts';
import type { PreparedMapping } from '../match/preparedMapping.ts';
import type { Address } from '../../../model/hex.ts';
import type { Leg, Portion } from '../../../model/primitive.ts';
import type { AssetId } from '../../../model/valueFlow.ts';

/**
 * A portion that may take its asset from the legs. Its amount may be zero, to keep its position in the
 * list.
 */
export interface OpenPortion extends Omit<Portion, 'asset'> {
  readonly asset: AssetId | null;
}

/** Facts about a position that one event or call states besides movements. */
export interface PositionDetail {
  /** Equal keys identify the same position. */
  readonly about: readonly string[];
  readonly position: AssetId | null;
  readonly portions: readonly OpenPortion[];
}

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
  return values.every((v) => v !== null)
    ? [`${aboutPrefix(shape, scope.contract)}${values.join('|')}`]
    : NOTHING;
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

function readPortions({ portions }: PreparedMapping, scope: BindScope): readonly OpenPortion[] {
  if (portions.length === 0) return NOTHING;
  return portions.flatMap(({ role, asset, amount }) => {
    const value = amount(scope);
    const ref = asset && evaluateAsset(asset, scope);
    return typeof value !== 'bigint' || value < 0n || (asset && !ref)
      ? []
      : [{ role, asset: ref && assetIdOf(ref), amount: value }];
  });
}

const NOTHING: readonly never[] = [];

/** Prefix of all keys of one shape at one contract. */
function aboutPrefix(shape: string, contract: Address): string {
  return `${shape}|${contract}|`;
}

/** The primitive with its portions assigned to assets. */
export function settled<T extends Unsettled>(item: T): T & { readonly portions: readonly Portion[] } {
  return item.portions.length === 0
    ? (item as T & { readonly portions: readonly never[] })
    : { ...item, portions: settledPortions(item) };
}

interface Unsettled {
  readonly portions: readonly OpenPortion[];
  readonly legs: readonly Leg[];
}

/**
 * Assigns the legs' assets, in their order, to portions without one. Drops impossible portions: more
 * principal than was paid, or amounts without a leg.
 */
function settledPortions({ portions, legs }: Unsettled): Portion[] {
  const sums = new Map<AssetId, bigint>();
  for (const leg of legs)
    if (!SHARE_ROLES.has(leg.role)) sums.set(leg.asset, (sums.get(leg.asset) ?? 0n) + leg.amount);
  const assets = [...sums.keys()];
  const open = portions.filter((p) => p.asset === null);
  const stated = open.filter((p) => p.amount > 0n);
  const placed = open.length === assets.length ? open : stated.length === assets.length ? stated : [];
  return [
    ...portions.filter((p): p is Portion => p.asset !== null),
    ...placed.map((p, i): Portion => ({ ...p, asset: assets[i]! })),
  ].filter((p) => (p.role === 'principal' ? p.amount <= (sums.get(p.asset) ?? 0n) : p.amount > 0n));
}
