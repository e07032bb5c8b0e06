import { POSITION_TRADES } from '../../../lib/motifKinds.ts';
import { DEBT_SHARE_ROLES, POSITION_OWNER_ROLES, roleOf, SHARE_ROLES } from '../../../lib/roles.ts';
import type { Attribution } from '../../../model/attribution.ts';
import type { Address } from '../../../model/hex.ts';
import type { AssetAmount, Motif } from '../../../model/motif.ts';
import type { Portion } from '../../../model/primitive.ts';
import type { MotifKindSpec } from '../../../model/vocabulary.ts';
import type { ValueFlow } from '../../../model/valueFlow.ts';
import { sumOf } from '../../../value/amount.ts';

const BORROWER = 'borrower';
const LIQUIDATOR = 'liquidator';
export const LIQUIDATE = 'liquidate';
export const DEBT_CATEGORY = 'lending_debt';
const SUPPLY_CATEGORY = 'lending_supply';
const COLLATERAL_SHARE = 'collateral_share_in';

export type Position = NonNullable<MotifKindSpec['position']>;

export interface SignedLeg extends AssetAmount {
  /** From the owner's view. */
  readonly delta: bigint;
}

/** One position that an act changed. Some acts change two of them, of different owners or kinds. */
export interface Side {
  readonly position: Position;
  readonly owner: Address;
  /** The position's own token, created, returned or taken. */
  readonly shares: readonly SignedLeg[];
  /** Assets that went in or came out. */
  readonly underlying: readonly SignedLeg[];
  readonly portions: readonly Portion[];
}

/** The position that a swap for a position's token changes; none for any other motif. */
export function tradedSides(motif: Motif): Side[] {
  const trade = POSITION_TRADES.get(motif.tags.find((tag) => POSITION_TRADES.has(tag)) ?? '');
  const owner = trade && roleOf(motif, trade.owner);
  if (!trade || !owner) return [];
  const legs = signed(motif);
  const shares = legs.filter(({ delta }) => delta * trade.sign > 0n);
  const underlying = legs.filter((leg) => !shares.includes(leg));
  return [{ position: { category: 'vault', effect: trade.effect }, owner, shares, underlying, portions: [] }];
}

/** The positions an act changed: one, except where it has two sides. */
export function positionSides(
  motif: Motif,
  position: Position,
  attribution: Attribution,
  flow: ValueFlow,
): Side[] {
  if (position.effect === LIQUIDATE) return liquidationSides(motif, position, flow);
  return sidesOfLegs(motif, position, attribution).flatMap(withInterestApart);
}

/**
 * A position that shrank although its token was minted had earned more interest than was taken out: the
 * interest is a change of its own, and the token's movement is the difference of the two.
 */
function withInterestApart(side: Side): Side[] {
  if (side.position.effect !== 'decrease' || side.portions.length === 0) return [side];
  const minted = side.shares.reduce((sum, { delta }) => sum + delta, 0n);
  const interest = side.portions.filter(({ role }) => role === 'interest');
  const earned = sumOf(interest);
  const [share, ...more] = side.shares;
  if (!share || more.length > 0 || minted <= 0n || earned <= minted) return [side];
  const taken = earned - minted;
  return [
    {
      ...side,
      position: { ...side.position, effect: 'collect' },
      shares: [{ ...share, amount: earned, delta: earned }],
      underlying: [],
      portions: interest,
    },
    { ...side, shares: [{ ...share, amount: taken, delta: -taken }], portions: [] },
  ];
}

function sidesOfLegs(motif: Motif, position: Position, attribution: Attribution): Side[] {
  const legs = signed(motif);
  const owner = ownerOf(motif, attribution);
  const portions = motif.portions ?? [];
  const underlying = legs.filter(({ role }) => !SHARE_ROLES.has(role));
  const shares = legs.filter(({ role }) => SHARE_ROLES.has(role));
  if (position.category !== DEBT_CATEGORY) return [{ position, owner, shares, underlying, portions }];
  const collateral = collateralAmong(underlying, position);
  const debt: Side = {
    position,
    owner,
    shares: shares.filter(({ role }) => DEBT_SHARE_ROLES.has(role)),
    underlying: underlying.filter((leg) => !collateral.includes(leg)),
    portions,
  };
  const effect = position.effect === 'increase' ? 'increase' : 'decrease';
  const supply = { position: { category: SUPPLY_CATEGORY, effect }, portions: [] };
  // Debt paid with shares of the same market: these come out of the payer's supply.
  const supplied = shares.filter(({ role }) => role === 'share_in');
  return [
    ...(collateral.length > 0 ? [{ ...supply, owner, shares: [], underlying: collateral }] : []),
    ...(debt.shares.length + debt.underlying.length > 0 || collateral.length === 0 ? [debt] : []),
    ...(supplied.length > 0
      ? [{ ...supply, owner: roleOf(motif, 'payer') ?? owner, shares: supplied, underlying: [] }]
      : []),
  ];
}

/** Collateral that one act moved beside the debt: put in with a loan taken, taken out with a loan repaid. */
function collateralAmong(legs: readonly SignedLeg[], { effect }: Position): SignedLeg[] {
  const sign = effect === 'increase' ? 1n : -1n;
  const owed = new Set(legs.filter(({ delta }) => delta * sign > 0n).map(({ asset }) => asset));
  return legs.filter(({ asset, delta, role }) => delta * sign < 0n && role !== 'fee' && !owed.has(asset));
}

/** Legs as the gains and losses of the venue's counterparty. */
function signed(motif: Motif): SignedLeg[] {
  const legs: SignedLeg[] = [];
  for (const { asset, amount, role } of motif.assetsOut) legs.push({ asset, amount, role, delta: -amount });
  for (const { asset, amount, role } of motif.assetsIn) legs.push({ asset, amount, role, delta: amount });
  return legs;
}

/**
 * The borrower loses debt and collateral alike. A collateral that came straight from the borrower is the
 * position's token itself, and the liquidator's from then on. A liquidation that names no borrower shrank
 * everybody's position at that market.
 */
function liquidationSides(motif: Motif, position: Position, flow: ValueFlow): Side[] {
  const owner = roleOf(motif, BORROWER) ?? motif.venue;
  const lost = (legs: readonly AssetAmount[], own: (role: string) => boolean): SignedLeg[] =>
    legs.filter((leg) => own(leg.role)).map((leg) => ({ ...leg, delta: -leg.amount }));
  const plain = (role: string): boolean => !SHARE_ROLES.has(role);
  const debt = lost(motif.assetsOut, plain);
  const seized = lost(motif.assetsIn, plain);
  const of = (legs: readonly SignedLeg[]): Portion[] =>
    (motif.portions ?? []).filter((p) => legs.some((leg) => leg.asset === p.asset));
  const sides: Side[] = [
    {
      position,
      owner,
      shares: lost(motif.assetsOut, (role) => DEBT_SHARE_ROLES.has(role)),
      underlying: debt,
      portions: of(debt),
    },
  ];
  if (seized.length === 0) return sides;
  const held = seized.filter((leg) =>
    motif.movements.some((m) => flow.movements[m]!.from === owner && flow.movements[m]!.asset === leg.asset),
  );
  const taken = lost(motif.assetsOut, (role) => role === COLLATERAL_SHARE);
  sides.push({
    position: { category: SUPPLY_CATEGORY, effect: LIQUIDATE },
    owner,
    shares: taken.length > 0 ? taken : held,
    underlying: seized,
    portions: of(seized),
  });
  const liquidator = roleOf(motif, LIQUIDATOR);
  if (held.length > 0 && liquidator)
    sides.push({
      position: { category: SUPPLY_CATEGORY, effect: 'increase' },
      owner: liquidator,
      shares: held.map((leg) => ({ ...leg, delta: leg.amount })),
      underlying: [],
      portions: [],
    });
  return sides;
}

function ownerOf(motif: Motif, attribution: Attribution): Address {
  for (const role of POSITION_OWNER_ROLES) {
    const account = roleOf(motif, role);
    if (account) return account;
  }
  return attribution.actor ?? attribution.signer;
}
