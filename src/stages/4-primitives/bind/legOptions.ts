import { groupBy, NOTHING } from '../../../lib/lists.ts';
import {
  evaluateInteger,
  NATIVE_REF,
  assetIdOf,
  evaluateAccount,
  evaluateAmount,
  evaluateAsset,
} from '../../../value/resolver.ts';
import type { AssetRef, BindScope, LegEnds } from '../../../value/resolver.ts';
import { farEnd } from '../../../lib/roles.ts';
import { carriedOf, differenceOf, type StatedAmount } from './namedDifference.ts';
import { distance, sumOf } from '../../../value/amount.ts';
import type { RecognitionRun, Trigger } from './applyMapping.ts';
import type { PreparedLeg } from '../match/triggers.ts';
import type { MovementQuery, MovementSearch } from './movementIndex.ts';
import type { Address } from '../../../model/hex.ts';
import type { Leg } from '../../../model/primitive.ts';
import type { Movement } from '../../../model/valueFlow.ts';

/** Movements of the event's other legs, and an asset: the leg must not bind these. */
interface Excluded {
  readonly movements: readonly number[];
  readonly asset: string | null;
}

/** A leg with its expressions resolved. */
type ResolvedLeg = NonNullable<ReturnType<typeof resolveLeg>>;

/** Movements a token may split one stated amount into (transfer taxes). */
const MAX_SPLIT = 8;

/** Offers the ways to bind one leg, the likeliest first, until one is taken; whether one was. */
export function someOption(leg: ResolvedLeg, take: (option: Option) => boolean): boolean {
  const { spec, amounts } = leg;
  if (amounts.length === 0) {
    const option = firstOf(leg.choices, (choice) => withoutAmount(leg, choice));
    return option !== null && take(option);
  }
  for (const stated of amounts) {
    const { amount, withFees } = stated;
    const exact = firstOf(withFees === amount ? [amount] : [withFees, amount], (one) => exactly(leg, one));
    const option = exact
      ? carried(leg, allOf(leg, exact), stated)
      : maySettleInside(leg)
        ? settledInside(leg, amount)
        : null;
    if (option && take(option)) return true;
  }
  return spec.match !== 'stated' && approximately(leg, take);
}

export const WORDS = ['from', 'to', 'asset', 'id'] as const;

/** The values of a leg's expressions. */
export function readLeg(spec: PreparedLeg, scope: BindScope) {
  return {
    from: evaluateAccount(spec.from, scope),
    to: evaluateAccount(spec.to, scope),
    asset: evaluateAsset(spec.asset, scope),
    id: evaluateInteger(spec.id, scope),
    amounts: statedAmounts(spec, scope),
  };
}

export type LegRead = ReturnType<typeof readLeg>;

/** Whether an expression of the leg is given and does not resolve. */
export function isUnread(spec: PreparedLeg, read: LegRead, word: (typeof WORDS)[number] | 'amount'): boolean {
  if (word === 'amount') return spec.amount.length > 0 && read.amounts.length === 0;
  return spec[word] !== null && read[word] === null;
}

/** Null where an expression of the leg is given and does not resolve. */
export function resolveLeg(spec: PreparedLeg, scope: BindScope, context: LegContext, excluded: Excluded) {
  const read = readLeg(spec, scope);
  if (isUnread(spec, read, 'amount') || WORDS.some((word) => isUnread(spec, read, word))) return null;
  return {
    spec,
    ...read,
    /** To try in order: the named one, then native for wrapped native and the reverse; `[null]` for none. */
    choices: assetChoices(read.asset, context.run.flow.wrappedNative),
    excludedAsset: excluded.asset,
    context,
    claimed: context.run.claimed.of(context.shape, spec.role),
    accept: (m: Movement): boolean =>
      m.asset !== excluded.asset &&
      !excluded.movements.includes(m.index) &&
      !isUnwrapped(m, context) &&
      (spec.pick !== 'sole' || context.run.index.isSole(m)),
  };
}

/** The ether that a venue unwrapped: its payer paid in wrapped ether. */
const isUnwrapped = ({ from, to }: Movement, { run, venue }: LegContext): boolean =>
  to === venue && run.flow.wrappedNative.has(from);

/** Of a kind other than the leg's where `kind` is given. */
function search(
  { spec, from, to, id, context, claimed, accept }: ResolvedLeg,
  asset: AssetRef | null,
  amount: bigint | null,
  kind: MovementQuery['kind'] = spec.movementKind,
): MovementSearch {
  const query = { from, to, asset, id, assetKind: spec.assetKind, kind, amount };
  return { query, seq: context.trigger.seq, claimed, accept };
}

function withoutAmount(leg: ResolvedLeg, choice: AssetRef | null): Option | null {
  const movements = picked(leg, search(leg, choice, null));
  return movements.length > 0 ? carried(leg, movements, null) : null;
}

function picked({ spec, context }: ResolvedLeg, sought: MovementSearch): readonly Movement[] {
  const { index, enclosing } = context.run;
  const span = () => enclosing.spanOf(context.trigger.evidence.log);
  if (spec.pick === 'all') return index.all(sought);
  if (spec.pick === 'first') return index.near({ ...sought, seq: span().start }, 1, 1);
  if (spec.pick === 'last') return index.near(sought, -1, 1).filter(({ seq }) => seq > span().since);
  const nearest = index.nearest(sought);
  return nearest ? [nearest] : NOTHING;
}

/** The movement of exactly this amount: a transfer before a mint or burn on the way. */
function exactly(leg: ResolvedLeg, amount: bigint): Movement | null {
  const { spec, choices, context } = leg;
  const find = (kind: MovementQuery['kind']): Movement | null =>
    firstOf(choices, (choice) => context.run.index.nearest(search(leg, choice, amount, kind)));
  return (spec.movementKind === null ? find('transfer') : null) ?? find(spec.movementKind);
}

/** With `pick: all` every movement of the amount: one of each id of an ERC-1155 token. */
function allOf(leg: ResolvedLeg, one: Movement): readonly Movement[] {
  const { index } = leg.context.run;
  return leg.spec.pick === 'all' ? index.all(search(leg, index.assetRef(one.asset), one.amount)) : [one];
}

/** Several movements that add up to a stated amount; then, where the rule allows, the closest in size. */
function approximately(leg: ResolvedLeg, take: (option: Option) => boolean): boolean {
  const { spec, amounts, context } = leg;
  for (const choice of leg.choices) {
    const near = (step: 1 | -1) => context.run.index.near(search(leg, choice, null), step, MAX_SPLIT);
    const summing = (some: readonly Movement[]) => firstOf(amounts, ({ amount }) => sumsTo(some, amount));
    const before = near(-1);
    const split = summing(before) ?? summing(near(1));
    if (split && take(carried(leg, split, { amount: sumOf(split), withFees: sumOf(split) }))) return true;
    if (spec.otherwise !== 'direction') continue;
    const close = firstOf(amounts, ({ amount }) => closest(before, amount));
    if (close && take(carried(leg, [close], amounts[0]!))) return true;
  }
  return false;
}

/** Legs carried by movements, one per asset. */
function carried(leg: ResolvedLeg, movements: readonly Movement[], stated: StatedAmount | null): Option {
  const groups = movements.length === 1 ? [movements] : [...groupBy(movements, (m) => m.asset).values()];
  const legs = groups.flatMap((group) => legsOf(leg, group, stated));
  return { movements, legs, unresolved: NOTHING };
}

/** A leg, and where its movement carried more than the event's amount the fee that explains the rest. */
function legsOf(leg: ResolvedLeg, group: readonly Movement[], stated: StatedAmount | null): BoundLeg[] {
  const { spec, context } = leg;
  const whole = legOf(leg, group, stated?.amount ?? null);
  const difference =
    stated === null || whole.leg.exact || group.length > 1
      ? null
      : differenceOf(group[0]!, stated, spec.role, context.run);
  if (difference === null) return [whole];
  const { amount, fee, movements } = difference;
  // A payout less its fee is no word of the event.
  const word = amount === stated!.amount ? amount : null;
  const main: BoundLeg = {
    ...whole,
    stated: amount,
    leg: { ...whole.leg, amount, exact: true, stated: word },
  };
  if (fee === 0n) return [main];
  const paid: BoundLeg = {
    ...whole,
    spec: { ...spec, movementKind: null },
    stated: fee,
    leg: { ...whole.leg, role: FEE, amount: fee, movements, exact: true, stated: null },
  };
  return [main, paid];
}

const FEE = 'fee';

function legOf({ spec, context }: ResolvedLeg, group: readonly Movement[], amount: bigint | null): BoundLeg {
  const first = group[0]!;
  const sum = sumOf(group);
  return {
    spec,
    stated: amount,
    ends: { from: first.from, to: first.to, asset: context.run.index.assetRef(first.asset) },
    leg: {
      role: spec.role,
      asset: first.asset,
      amount: sum,
      account: farEnd(spec.role, first, context.venue),
      movements: group.map((m) => m.index).sort((a, b) => a - b),
      exact: amount !== null && amount === sum,
      stated: amount,
    },
  };
}

function maySettleInside({ spec, asset, excludedAsset }: ResolvedLeg): boolean {
  return spec.match === 'stated' && (asset === null || assetIdOf(asset) !== excludedAsset);
}

/** A leg that no single movement carries: settled by net amounts inside the venue. */
function settledInside({ spec, asset, from, to }: ResolvedLeg, amount: bigint): Option {
  if (asset === null) return { movements: NOTHING, legs: NOTHING, unresolved: [{ role: spec.role, amount }] };
  const leg: Leg = {
    role: spec.role,
    asset: assetIdOf(asset),
    amount,
    account: null,
    movements: NOTHING,
    exact: true,
    stated: amount,
  };
  const legs = [{ spec, stated: amount, ends: { from, to, asset }, leg }];
  return { movements: NOTHING, legs, unresolved: NOTHING };
}

function statedAmounts(spec: PreparedLeg, scope: BindScope): StatedAmount[] {
  const amounts: StatedAmount[] = [];
  for (const expr of spec.amount) {
    const amount = evaluateAmount(expr, scope);
    if (amount !== null) amounts.push({ amount, withFees: carriedOf(amount, spec, scope) });
  }
  return amounts;
}

function assetChoices(asset: AssetRef | null, wrappedNative: ReadonlySet<Address>): (AssetRef | null)[] {
  if (asset === NATIVE_REF) return [asset, ...wrappedNative];
  return asset !== null && wrappedNative.has(asset) ? [asset, NATIVE_REF] : [asset];
}

/** The nearest of one asset, at least two, that together carry exactly `amount`; null when none do. */
function sumsTo(nearestFirst: readonly Movement[], amount: bigint): readonly Movement[] | null {
  const some = nearestFirst.filter(({ asset }) => asset === nearestFirst[0]!.asset);
  let sum = 0n;
  for (let i = 0; i < some.length; i++) {
    sum += some[i]!.amount;
    if (sum === amount) return i === 0 ? null : some.slice(0, i + 1);
    if (sum > amount) return null;
  }
  return null;
}

/** Nearest in size among the few before the event, within a factor of ten (transfer taxes, rebasing dust). */
function closest(near: readonly Movement[], amount: bigint): Movement | null {
  const gap = (m: Movement): bigint => distance(m.amount, amount);
  const best = near.reduce<Movement | null>((a, b) => (a === null || gap(b) < gap(a) ? b : a), null);
  return best && best.amount * 10n >= amount && best.amount <= amount * 10n ? best : null;
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | null): R | null {
  for (const item of items) {
    const found = find(item);
    if (found !== null) return found;
  }
  return null;
}

/** Where the legs of one event or call are looked for. */
export interface LegContext {
  readonly run: RecognitionRun;
  readonly trigger: Trigger;
  readonly shape: string;
  readonly venue: Address | null;
  /** For each required leg that binds nothing; with the number of legs where amounts disagree. */
  readonly failed?: ((at: number, legs: readonly BoundLeg[], used: readonly number[]) => void) | undefined;
}

export interface BoundLeg {
  readonly leg: Leg;
  readonly ends: LegEnds;
  readonly spec: PreparedLeg;
  /** The amount the event states for it, if it states one. */
  readonly stated: bigint | null;
}

/** A stated amount of an asset that neither event nor flow names. */
export interface Unresolved {
  readonly role: string;
  readonly amount: bigint;
}

/** One way to bind a leg. */
export interface Option {
  readonly movements: readonly Movement[];
  readonly legs: readonly BoundLeg[];
  readonly unresolved: readonly Unresolved[];
}
