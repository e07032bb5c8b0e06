import { carried, stated, type BoundLeg, type Option, type Unresolved } from './boundLeg.ts';
import { assetIdOf, evaluateAccount, evaluateAmount, evaluateAsset, NATIVE_REF, type AssetRef, type BindScope } from './evaluateBind.ts';
import type { MovementIndex, MovementQuery, Taken } from './movementIndex.ts';
import type { Address } from '../../model/hex.ts';
import type { LegSpec, MeaningSpec } from '../../model/rulebook.ts';
import type { Movement } from '../../model/valueFlow.ts';

/** What one event's legs came to. `unresolved`: stated amounts of an asset that neither event nor flow names. */
export interface Binding {
  readonly legs: readonly BoundLeg[];
  readonly unresolved: readonly Unresolved[];
}

export interface BindContext {
  readonly index: MovementIndex;
  readonly seq: number;
  readonly wrappedNative: ReadonlySet<Address>;
  /** Movements already accounted for by the same shape in the same role. */
  readonly taken: (role: string) => Taken;
  readonly venue: Address | null;
}

/** Combinations tried before an event is given up: only contradictory amounts need more than one. */
const MAX_STEPS = 64;
/** Movements a token may split one stated amount into (transfer taxes). */
const MAX_SPLIT = 8;

/**
 * Ties every leg of a meaning to movements. Legs are bound in order, into the scope's own list, so that later ones may speak
 * of earlier ones; where a later leg fails because of an earlier choice the next choice is tried. Null when a required leg
 * binds nothing: an event that moved no value proves nothing.
 */
export function bindLegs(meaning: MeaningSpec, scope: BindScope & { readonly legs: BoundLeg[] }, context: BindContext): Binding | null {
  const { legs } = scope;
  const unresolved: Unresolved[] = [];
  const claimed = new Set<number>();
  let steps = 0;
  const attempt = (at: number): boolean => {
    const spec = meaning.legs[at];
    if (!spec) return agreesSomewhere(legs);
    const [legsBefore, unresolvedBefore] = [legs.length, unresolved.length];
    for (const option of legOptions(spec, scope, context, claimed, forbiddenAsset(spec, legs))) {
      if (++steps > MAX_STEPS) return false;
      for (const m of option.movements) claimed.add(m.index);
      for (const leg of option.legs) legs.push(leg);
      for (const open of option.unresolved) unresolved.push(open);
      if (attempt(at + 1)) return true;
      for (const m of option.movements) claimed.delete(m.index);
      legs.length = legsBefore;
      unresolved.length = unresolvedBefore;
    }
    return !spec.required && attempt(at + 1);
  };
  return attempt(0) ? { legs, unresolved } : null;
}

/** Legs with stated amounts of which not one is carried exactly: another event's movements, or a forged event. */
function agreesSomewhere(legs: readonly BoundLeg[]): boolean {
  let stated = 0;
  for (const bound of legs) {
    if (bound.stated === null) continue;
    if (bound.leg.exact) return true;
    stated++;
  }
  return stated < 2;
}

/** What goes in never comes out as the same asset. */
function forbiddenAsset(spec: LegSpec, legs: readonly BoundLeg[]): string | null {
  const other = spec.role === 'out' ? 'in' : spec.role === 'in' ? 'out' : null;
  if (other === null) return null;
  let found: string | null = null;
  for (const { leg } of legs) {
    if (leg.role !== other) continue;
    if (found !== null) return null;
    found = leg.asset;
  }
  return found;
}

function* legOptions(spec: LegSpec, scope: BindScope, context: BindContext, claimed: ReadonlySet<number>, forbidden: string | null): Generator<Option> {
  const from = evaluateAccount(spec.from, scope);
  const to = evaluateAccount(spec.to, scope);
  const asset = evaluateAsset(spec.asset, scope);
  if ((spec.from && from === null) || (spec.to && to === null) || (spec.asset && asset === null)) return;
  const amounts = statedAmounts(spec, scope);
  if (spec.amount.length > 0 && amounts.length === 0) return;

  const taken = context.taken(spec.role);
  const accept = (m: Movement): boolean => !claimed.has(m.index) && m.asset !== forbidden;
  const queryFor = (of: AssetRef | null, amount: bigint | undefined): MovementQuery => ({
    from: from ?? undefined, to: to ?? undefined, asset: of ?? undefined, assetKind: spec.assetKind ?? undefined, kind: spec.movementKind ?? undefined, amount,
  });
  const choices = assetChoices(asset, context.wrappedNative);

  if (amounts.length === 0) {
    for (const choice of choices) {
      const query = queryFor(choice, undefined);
      const nearest = spec.pick === 'all' ? null : context.index.nearest(query, context.seq, taken, accept);
      const movements = spec.pick === 'all' ? context.index.all(query, taken, accept) : nearest ? [nearest] : [];
      if (movements.length > 0) return yield carried(spec, movements, null, context);
    }
    return;
  }
  for (const amount of amounts) {
    const exactly = choices.map((choice) => queryFor(choice, amount));
    const find = (fits: (m: Movement) => boolean): Movement | null =>
      firstOf(exactly, (query) => context.index.nearest(query, context.seq, taken, fits));
    // What changed hands before what was created or destroyed in the same amount on the way.
    const exact = find((m) => m.kind === 'transfer' && accept(m)) ?? find(accept);
    if (exact) yield carried(spec, [exact], amount, context);
    else if (spec.match === 'stated' && (asset === null || assetIdOf(asset) !== forbidden)) yield stated(spec, asset, amount, from, to);
  }
  if (spec.match === 'stated') return;
  for (const choice of choices) {
    const near = context.index.before(queryFor(choice, undefined), context.seq, taken, accept, MAX_SPLIT);
    const split = near[0] && amounts.map((amount) => sumsTo(near.filter((m) => m.asset === near[0]!.asset), amount)).find((s) => s !== null);
    if (split) yield carried(spec, split, split.reduce((sum, m) => sum + m.amount, 0n), context);
    if (spec.otherwise === 'direction') {
      const close = amounts.map((amount) => closest(near, amount)).find((m) => m !== null);
      if (close) yield carried(spec, [close], amounts[0]!, context);
    }
  }
}

function statedAmounts(spec: LegSpec, scope: BindScope): bigint[] {
  const amounts: bigint[] = [];
  for (const expr of spec.amount) {
    const amount = evaluateAmount(expr, scope);
    if (amount !== null) amounts.push(amount);
  }
  return amounts;
}

/** The asset as named, then native for wrapped native and the reverse; `[null]` where the event names none. */
function assetChoices(asset: AssetRef | null, wrappedNative: ReadonlySet<Address>): (AssetRef | null)[] {
  if (asset === NATIVE_REF) return [asset, ...wrappedNative];
  return asset !== null && wrappedNative.has(asset) ? [asset, NATIVE_REF] : [asset];
}

/** The latest movements, at least two, that together carry exactly `amount`; null when none do. */
function sumsTo(latestFirst: readonly Movement[], amount: bigint): readonly Movement[] | null {
  let sum = 0n;
  for (let i = 0; i < latestFirst.length; i++) {
    sum += latestFirst[i]!.amount;
    if (sum === amount) return i === 0 ? null : latestFirst.slice(0, i + 1);
    if (sum > amount) return null;
  }
  return null;
}

/** Nearest in size among the few before the event, within a factor of ten (transfer taxes, rebasing dust). */
function closest(near: readonly Movement[], amount: bigint): Movement | null {
  const distance = (m: Movement): bigint => (m.amount > amount ? m.amount - amount : amount - m.amount);
  const best = near.reduce<Movement | null>((a, b) => (a === null || distance(b) < distance(a) ? b : a), null);
  return best && best.amount * 10n >= amount && best.amount <= amount * 10n ? best : null;
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | null): R | null {
  for (const item of items) {
    const found = find(item);
    if (found !== null) return found;
  }
  return null;
}
