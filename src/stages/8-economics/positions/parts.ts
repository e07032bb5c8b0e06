import { DEBT_CATEGORY, LIQUIDATE, type Side, type SignedLeg } from './sides.ts';
import type { Portion } from '../../../model/primitive.ts';
import type { AssetId } from '../../../model/valueFlow.ts';
import type { PositionPart } from '../../../model/economics.ts';

type Role = PositionPart['role'];

/** Roles of legs that determine the asset's part in the position. */
const STATED_ROLES: ReadonlyMap<string, Role> = new Map([
  ['fee', 'fee'],
  ['reward', 'reward'],
  ['interest', 'interest'],
  ['penalty', 'penalty'],
  ['collateral', 'collateral'],
  ['debt', 'debt'],
  ['repaid', 'debt'],
]);

/**
 * Assets that went into or came out of a position, principal apart from fees and interest where the act
 * states them.
 */
export function partsOf(side: Side): PositionPart[] {
  const whole = side.underlying.map((leg): PositionPart => {
    return { asset: leg.asset, delta: leg.delta, role: roleOfLeg(leg, side) };
  });
  if (side.portions.length === 0) return whole;
  if (side.position.category === DEBT_CATEGORY) return [...owedParts(side, whole), ...interest(side)];
  const parts = whole.filter(({ asset, role }) => role !== 'principal' || !split(side.portions, asset));
  return withoutInterest([...splitParts(side), ...parts, ...interest(side)], side);
}

/** Falls back to the kind of change where the leg's role is silent. */
function roleOfLeg(leg: SignedLeg, { position }: Side): Role {
  const stated = STATED_ROLES.get(leg.role);
  if (stated) return stated;
  if (position.effect === LIQUIDATE) return position.category === DEBT_CATEGORY ? 'debt' : 'collateral';
  if (position.effect === 'collect') return position.category === 'liquidity' ? 'fee' : 'reward';
  return position.category === DEBT_CATEGORY ? 'debt' : 'principal';
}

function split(portions: readonly Portion[], asset: AssetId): boolean {
  return portions.some((p) => p.asset === asset && p.role !== 'interest');
}

/**
 * Assets with a known part: the rest is the other part. Fees are always the owner's gain, even if put in
 * again.
 */
function splitParts(side: Side): PositionPart[] {
  const assets = new Set(side.portions.filter((p) => p.role !== 'interest').map((p) => p.asset));
  return [...assets].flatMap((asset) => {
    const net = side.underlying
      .filter((leg) => leg.asset === asset && roleOfLeg(leg, side) === 'principal')
      .reduce((sum, leg) => sum + leg.delta, 0n);
    const known = (role: Portion['role']): bigint | null =>
      side.portions
        .filter((p) => p.asset === asset && p.role === role)
        .reduce<bigint | null>((sum, p) => (sum ?? 0n) + p.amount, null);
    const fee = known('fee');
    const put = side.position.effect === 'increase' ? -1n : 1n;
    const principal = fee === null ? put * known('principal')! : net - fee;
    return [
      { asset, delta: principal, role: 'principal' as const },
      { asset, delta: net - principal, role: 'fee' as const },
    ].filter(({ delta }) => delta !== 0n);
  });
}

/** A loan's fee is owed on top of the amount received. */
function owedParts({ portions }: Side, parts: readonly PositionPart[]): readonly PositionPart[] {
  return portions
    .filter(({ role }) => role === 'fee')
    .reduce((all, { asset, amount }): readonly PositionPart[] => {
      const lent = all.find((part) => part.role === 'debt' && part.asset === asset && part.delta > 0n);
      if (!lent) return all;
      const rest = all.map((part) => (part === lent ? { ...part, delta: part.delta + amount } : part));
      return [...rest, { asset, delta: -amount, role: 'fee' }];
    }, parts);
}

/** Growth of a lender's position, or a debtor's. */
function interest(side: Side): PositionPart[] {
  const sign = side.position.category === DEBT_CATEGORY ? -1n : 1n;
  return side.portions
    .filter((p) => p.role === 'interest')
    .map((p) => ({ asset: p.asset, delta: sign * p.amount, role: 'interest' }));
}

/** A withdrawal that pays out more than it redeems of the token pays the difference as interest. */
function withoutInterest(parts: readonly PositionPart[], { position, shares }: Side): PositionPart[] {
  if (position.category === DEBT_CATEGORY || position.effect !== 'decrease') return [...parts];
  const redeemed = shares.reduce((sum, { delta }) => sum - delta, 0n);
  return parts.map((part) => {
    const earned = parts.find(({ asset, role }) => role === 'interest' && asset === part.asset);
    if (part.role !== 'principal' || !earned || redeemed + earned.delta !== part.delta) return part;
    return { ...part, delta: redeemed };
  });
}
