/**
 * The table of sides: the amounts of every act, each with its part in it. Labels, positions and profits read
 * their amounts here; none splits a leg again.
 */
import { NOTHING } from '../lib/lists.ts';
import { memoizeFor } from '../lib/memo.ts';
import { servingTag } from '../lib/motifKinds.ts';
import { DEBT_SHARE_ROLES, POSITION_OWNER_ROLES, roleOf, SHARE_ROLES } from '../lib/roles.ts';
import { sumOf } from './amount.ts';
import type { Address } from '../model/hex.ts';
import type { AssetAmount, Motif } from '../model/motif.ts';
import type { Portion } from '../model/primitive.ts';
import type { Rulebook } from '../model/rulebook.ts';
import type { Position, Side, SideAmount } from '../model/scene.ts';
import type { ValueFlow } from '../model/valueFlow.ts';

export const LIQUIDATE = 'liquidate';
const DEBT = 'lending_debt';
const SUPPLY = 'lending_supply';
/** The sides of an act: one for each position that it changed; the rest is of no position. */
export const sidesOf = memoizeFor((act: Motif, _: void): readonly Side[] => {
  const { position } = act.traits;
  if (position === null) return Object.freeze([sideOf(null, null, legsOf(act), NOTHING)]);
  return Object.freeze(
    position.effect === LIQUIDATE ? liquidation(act, position) : sidesOfPosition(act, position),
  );
});

/** All amounts of an act. */
export function amountsOf(act: Motif): readonly SideAmount[] {
  const sides = sidesOf(act);
  return sides.length === 1 ? sides[0]!.amounts : sides.flatMap(({ amounts }) => amounts);
}

/** Those that moved and that the counterparty gave, or got. */
export function amountsMoved(act: Motif, gave: boolean): readonly SideAmount[] {
  return amountsOf(act).filter((one) => one.gave === gave && one.amount !== 0n);
}

/** Whether the amount is of the token that represents the position. */
export function isShare({ role }: Pick<SideAmount, 'role'>): boolean {
  return role === 'share' || role === 'debt_share';
}

interface SignedLeg extends AssetAmount {
  readonly gave: boolean;
  readonly delta: bigint;
}

/** Legs as the gains and losses of the venue's counterparty: given, then got. */
function legsOf({ assetsIn, assetsOut }: Motif): SignedLeg[] {
  const signed = ({ asset, amount, role }: AssetAmount, gave: boolean): SignedLeg => {
    return { gave, asset, amount, delta: gave ? -amount : amount, role };
  };
  return [...assetsOut.map((leg) => signed(leg, true)), ...assetsIn.map((leg) => signed(leg, false))];
}

const isOfShare = ({ role }: SignedLeg): boolean => SHARE_ROLES.has(role);
const isOfDebt = ({ role }: SignedLeg): boolean => DEBT_SHARE_ROLES.has(role);

const ownerNamedBy = (act: Motif): Address | null =>
  POSITION_OWNER_ROLES.map((role) => roleOf(act, role)).find((account) => account !== null) ?? null;

/** The owner that an act alone states, none that serves everybody: a bridge pays it on another chain. */
export function statedOwner(act: Motif, rules: Pick<Rulebook, 'entities'>): Address | null {
  const role = act.traits.position?.owner;
  const account = role === undefined ? null : (roleOf(act, 'beneficiary') ?? roleOf(act, role));
  return account !== null && servingTag(rules, account) === undefined ? account : null;
}

/** The owner that an act names, unless shares of the position only went through it: a router. */
export function namedHolder(act: Motif, flow: ValueFlow): Address | null {
  const owner = roleOf(act, 'owner');
  const own = owner === null ? undefined : flow.ledgers.get(owner);
  const shares = amountsOf(act).filter(isShare);
  const ledgers = shares.flatMap(({ asset }) => own?.get(asset) ?? []);
  return ledgers.some(({ inflow, outflow }) => inflow === outflow) ? null : owner;
}

function sidesOfPosition(act: Motif, position: Position): Side[] {
  const legs = legsOf(act);
  const portions = act.portions ?? NOTHING;
  const owner = ownerNamedBy(act);
  if (position.category !== DEBT) return withInterestApart(position, owner, legs, portions);
  const collateral = collateralAmong(legs, position);
  const debt = legs.filter((leg) => (isOfShare(leg) ? isOfDebt(leg) : !collateral.includes(leg)));
  // Debt paid with shares of the same market: these come out of the payer's supply.
  const supplied = legs.filter((leg) => leg.role === 'share_in');
  const rest = legs.filter((leg) => isOfShare(leg) && !isOfDebt(leg) && !supplied.includes(leg));
  const effect = position.effect === 'increase' ? 'increase' : 'decrease';
  const supply = { category: SUPPLY, effect };
  return [
    ...(collateral.length > 0 ? [sideOf(supply, owner, collateral, NOTHING)] : []),
    ...(debt.length > 0 || collateral.length === 0 ? withInterestApart(position, owner, debt, portions) : []),
    ...(supplied.length > 0 ? [sideOf(supply, roleOf(act, 'payer') ?? owner, supplied, NOTHING)] : []),
    ...(rest.length > 0 ? [sideOf(null, null, rest, NOTHING)] : []),
  ];
}

/** Collateral that one act moved beside the debt: put in with a loan taken, taken out with a loan repaid. */
function collateralAmong(legs: readonly SignedLeg[], { effect }: Position): SignedLeg[] {
  const sign = effect === 'increase' ? 1n : -1n;
  const own = legs.filter((leg) => !isOfShare(leg));
  const owed = new Set(own.filter(({ delta }) => delta * sign > 0n).map(({ asset }) => asset));
  return own.filter(({ asset, delta, role }) => delta * sign < 0n && role !== 'fee' && !owed.has(asset));
}

/**
 * A position that shrank although its token was minted had earned more interest than was taken out: the
 * interest is a change of its own, and the token's movement is the difference of the two.
 */
function withInterestApart(
  position: Position,
  owner: Address | null,
  legs: readonly SignedLeg[],
  portions: readonly Portion[],
): Side[] {
  const [share, ...more] = legs.filter(isOfShare);
  const interest = portions.filter(({ role }) => role === 'interest');
  const [minted, earned] = [share?.delta ?? 0n, sumOf(interest)];
  if (position.effect !== 'decrease' || !share || more.length > 0 || minted <= 0n || earned <= minted)
    return [sideOf(position, owner, legs, portions)];
  const taken = earned - minted;
  const rest = legs.map((leg) => (leg === share ? { ...share, amount: taken, delta: -taken } : leg));
  return [
    sideOf(
      { ...position, effect: 'collect' },
      owner,
      [{ ...share, amount: earned, delta: earned }],
      interest,
    ),
    sideOf(position, owner, rest, NOTHING),
  ];
}

/** The borrower loses debt and collateral. Without a borrower everybody's position there shrank. */
function liquidation(act: Motif, position: Position): Side[] {
  const owner = roleOf(act, 'borrower') ?? act.venue;
  const lost = legsOf(act).map((leg) => ({ ...leg, delta: -leg.amount }));
  const given = lost.filter(({ gave }) => gave);
  const debt = given.filter((leg) => isOfDebt(leg) || !isOfShare(leg));
  const seized = lost.filter((leg) => !leg.gave && !isOfShare(leg));
  const taken = given.filter(({ role }) => role === 'collateral_share_in');
  const of = (legs: readonly SignedLeg[]): Portion[] =>
    (act.portions ?? NOTHING).filter((p) => legs.some((leg) => leg.asset === p.asset && !isOfShare(leg)));
  return [
    sideOf(position, owner, debt, of(debt)),
    ...(seized.length === 0
      ? []
      : [sideOf({ category: SUPPLY, effect: LIQUIDATE }, owner, [...taken, ...seized], of(seized))]),
  ];
}

/** A side with its legs split into principal, fees and interest where the act states them. */
function sideOf(
  position: Position | null,
  owner: Address | null,
  legs: readonly SignedLeg[],
  portions: readonly Portion[],
): Side {
  const whole = legs.map(({ gave, asset, amount, delta, role }): SideAmount => {
    return { gave, asset, amount, delta, leg: role, role: roleOfLeg(role, gave, position) };
  });
  if (portions.length === 0 || position === null) return { position, owner, amounts: whole };
  if (position.category === DEBT)
    return { position, owner, amounts: [...owedAmounts(whole, portions), ...interestOf(portions, position)] };
  const isSplit = ({ asset, role }: SideAmount): boolean =>
    role === 'principal' && portions.some((p) => p.asset === asset && p.role !== 'interest');
  const amounts = [
    ...splitAmounts(whole.filter(isSplit), portions, position),
    ...whole.filter((one) => !isSplit(one)),
    ...interestOf(portions, position),
  ];
  return { position, owner, amounts: withoutInterest(amounts, position) };
}

/** Roles of legs that are the amount's part in the position. */
const STATED_ROLES = ['fee', 'reward', 'interest', 'penalty', 'collateral', 'debt'] as const;

const plainRole = (gave: boolean): SideAmount['role'] => (gave ? 'gave' : 'got');

/** Falls back to the kind of change where the leg's role is silent. */
function roleOfLeg(leg: string, gave: boolean, position: Position | null): SideAmount['role'] {
  if (SHARE_ROLES.has(leg)) return DEBT_SHARE_ROLES.has(leg) ? 'debt_share' : 'share';
  if (position === null) return leg === 'fee' ? leg : plainRole(gave);
  const stated = STATED_ROLES.find((role) => role === (leg === 'repaid' ? 'debt' : leg));
  if (stated) return stated;
  const { category, effect } = position;
  if (effect === 'collect') return category === 'liquidity' ? 'fee' : 'reward';
  if (category === DEBT) return 'debt';
  return effect === LIQUIDATE ? 'collateral' : 'principal';
}

/** Assets with a known part: the rest is the other part. Fees are always the owner's gain. */
function splitAmounts(
  legs: readonly SideAmount[],
  portions: readonly Portion[],
  { effect }: Position,
): SideAmount[] {
  const split = portions.filter(({ role }) => role !== 'interest');
  return [...new Set(split.map(({ asset }) => asset))].flatMap((asset) => {
    const own = legs.filter((one) => one.asset === asset);
    const net = own.reduce((sum, { delta }) => sum + delta, 0n);
    const known = (role: Portion['role']): bigint | null => {
      const stated = split.filter((one) => one.asset === asset && one.role === role);
      return stated.length === 0 ? null : sumOf(stated);
    };
    const fee = known('fee');
    const principal = fee === null ? (isPaidIn(effect) ? -1n : 1n) * known('principal')! : net - fee;
    const rest = net - principal;
    const gave = net < 0n;
    // A fee against the direction of the whole did not move.
    const excess = rest < 0n === gave ? abs(rest) : 0n;
    const { leg } = own[0]!;
    const amounts: SideAmount[] = [
      { gave, asset, amount: abs(net) - excess, delta: principal, leg, role: 'principal' },
      { gave, asset, amount: excess, delta: rest, leg, role: 'fee' },
    ];
    return amounts.filter(({ delta }) => delta !== 0n);
  });
}

const abs = (amount: bigint): bigint => (amount < 0n ? -amount : amount);
const isPaidIn = (effect: Position['effect']): boolean => effect === 'increase' || effect === 'open';

/** A loan's fee is owed on top of the amount received. */
function owedAmounts(amounts: readonly SideAmount[], portions: readonly Portion[]): readonly SideAmount[] {
  let all = amounts;
  for (const { asset, amount, role } of portions) {
    const lent = all.find((one) => one.role === 'debt' && one.asset === asset && one.delta > 0n);
    if (role !== 'fee' || !lent) continue;
    const owed = all.map((one) => (one === lent ? { ...one, delta: one.delta + amount } : one));
    all = [...owed, { gave: false, asset, amount: 0n, delta: -amount, leg: role, role }];
  }
  return all;
}

/** Growth of a lender's position, or a debtor's. */
function interestOf(portions: readonly Portion[], { category }: Position): SideAmount[] {
  const sign = category === DEBT ? -1n : 1n;
  return portions
    .filter(({ role }) => role === 'interest')
    .map(({ asset, amount, role }) => {
      return { gave: false, asset, amount: 0n, delta: sign * amount, leg: role, role };
    });
}

/** A withdrawal that pays out more than it redeems of the token pays the difference as interest. */
function withoutInterest(amounts: readonly SideAmount[], { effect }: Position): readonly SideAmount[] {
  if (effect !== 'decrease') return amounts;
  const redeemed = amounts.filter(isShare).reduce((sum, { delta }) => sum - delta, 0n);
  return amounts.map((one) => {
    const earned = amounts.find(({ asset, role }) => role === 'interest' && asset === one.asset);
    if (one.role !== 'principal' || !earned || redeemed + earned.delta !== one.delta) return one;
    return { ...one, delta: redeemed };
  });
}

/** The assets of the amounts that moved, the position's own token aside. */
export function movedAmounts({ amounts }: Pick<Side, 'amounts'>): SideAmount[] {
  return amounts.filter((one) => one.amount !== 0n && !isShare(one));
}
