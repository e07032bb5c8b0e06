import { assetIdOf, evaluateAccount, evaluateAmount, evaluateAsset, NATIVE_REF, type AssetRef, type BindScope, type LegEnds } from './evaluateBind.ts';
import { farEnd } from '../../lib/legRoles.ts';
import type { MovementIndex, MovementQuery, Taken } from './movementIndex.ts';
import type { Address } from '../../model/hex.ts';
import type { Leg } from '../../model/primitive.ts';
import type { LegSpec, MeaningSpec } from '../../model/rulebook.ts';
import type { Movement } from '../../model/valueFlow.ts';

export interface BoundLeg {
  readonly leg: Leg;
  readonly ends: LegEnds;
  readonly spec: LegSpec;
  /** The amount the event states for it, if it states one. */
  readonly stated: bigint | null;
}

/** What one event's legs came to. `unresolved`: stated amounts of an asset that neither event nor flow names. */
export interface Binding {
  readonly legs: readonly BoundLeg[];
  readonly unresolved: readonly { readonly role: string; readonly amount: bigint }[];
}

export interface BindContext {
  readonly index: MovementIndex;
  readonly seq: number;
  readonly wrappedNative: ReadonlySet<Address>;
  /** Movements already accounted for by the same shape in the same role. */
  readonly taken: (role: string) => Taken;
  readonly venue: Address | null;
}

/** One way to bind a leg. */
interface Option {
  readonly movements: readonly Movement[];
  readonly legs: readonly BoundLeg[];
  readonly unresolved: Binding['unresolved'];
}

/** Combinations tried before an event is given up: only contradictory amounts need more than one. */
const MAX_STEPS = 64;
/** Movements a token may split one stated amount into (transfer taxes). */
const MAX_SPLIT = 8;

/**
 * Ties every leg of a meaning to movements. Legs are bound in order; where a later leg fails because of an earlier choice
 * the next choice is tried. Null when a required leg binds nothing: an event that moved no value proves nothing.
 */
export function bindLegs(meaning: MeaningSpec, scope: BindScope, context: BindContext): Binding | null {
  let steps = 0;
  const attempt = (at: number, done: readonly Option[]): Binding | null => {
    const spec = meaning.legs[at];
    const legs: BoundLeg[] = [];
    const claimed = new Set<number>();
    const ends = new Map<string, LegEnds>();
    for (const option of done) {
      for (const m of option.movements) claimed.add(m.index);
      for (const bound of option.legs) {
        legs.push(bound);
        ends.set(bound.leg.role, bound.ends);
      }
    }
    if (!spec) return agreesSomewhere(legs) ? { legs, unresolved: done.flatMap((o) => o.unresolved) } : null;
    for (const option of legOptions(spec, withLegs(scope, ends), context, claimed, forbiddenAsset(spec, legs))) {
      if (++steps > MAX_STEPS) return null;
      const result = attempt(at + 1, [...done, option]);
      if (result) return result;
    }
    return spec.required ? null : attempt(at + 1, done);
  };
  return attempt(0, []);
}

/** The same scope with legs bound. Named one by one: spreading an object costs more than all that is done with it. */
export function withLegs(scope: BindScope, legs: ReadonlyMap<string, LegEnds>): BindScope {
  const { args, callArgs, outputArgs, params, contract, caller, value, signer, txTo } = scope;
  return { args, callArgs, outputArgs, params, contract, caller, value, signer, txTo, legs };
}

/** Legs with stated amounts of which not one is carried exactly: another event's movements, or a forged event. */
function agreesSomewhere(legs: readonly BoundLeg[]): boolean {
  const stated = legs.filter((b) => b.stated !== null);
  return stated.length < 2 || stated.some((b) => b.leg.exact);
}

/** What goes in never comes out as the same asset. */
function forbiddenAsset(spec: LegSpec, legs: readonly BoundLeg[]): string | null {
  const other = spec.role === 'out' ? 'in' : spec.role === 'in' ? 'out' : null;
  const found = other === null ? undefined : legs.filter((b) => b.leg.role === other);
  return found?.length === 1 ? found[0]!.leg.asset : null;
}

function* legOptions(spec: LegSpec, scope: BindScope, context: BindContext, claimed: ReadonlySet<number>, forbidden: string | null): Generator<Option> {
  const from = spec.from && evaluateAccount(spec.from, scope);
  const to = spec.to && evaluateAccount(spec.to, scope);
  const asset = spec.asset && evaluateAsset(spec.asset, scope);
  const amounts = spec.amount.map((a) => evaluateAmount(a, scope)).filter((a) => a !== null);
  if ((spec.from && !from) || (spec.to && !to) || (spec.amount.length > 0 && amounts.length === 0)) return;
  if (spec.asset && !asset) return;

  const taken = context.taken(spec.role);
  const accept = (m: Movement): boolean => !claimed.has(m.index) && m.asset !== forbidden;
  const queryFor = (of: AssetRef | null, amount: bigint | undefined): MovementQuery => ({
    from: from ?? undefined, to: to ?? undefined, asset: of ?? undefined, assetKind: spec.assetKind ?? undefined, kind: spec.movementKind ?? undefined, amount,
  });
  const choices = assetChoices(asset, context.wrappedNative);

  if (amounts.length === 0) {
    for (const choice of choices) {
      const query = queryFor(choice, undefined);
      const found = spec.pick === 'all' ? context.index.all(query, taken, accept) : [context.index.nearest(query, context.seq, taken, accept)];
      const movements = found.filter((m) => m !== null);
      if (movements.length > 0) return yield carried(spec, movements, null, context);
    }
    return;
  }
  for (const amount of amounts) {
    const exactly = choices.map((choice) => queryFor(choice, amount));
    const find = (fits: (m: Movement) => boolean): Movement | null =>
      firstOf(exactly, (query) => context.index.nearest(query, context.seq, taken, fits));
    // What changed hands before what was created or destroyed in the same amount on the way.
    const exact = find((m) => accept(m) && m.kind === 'transfer') ?? find(accept);
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

/** The asset as named, then native for wrapped native and the reverse; `[null]` where the event names none. */
function assetChoices(asset: AssetRef | null, wrappedNative: ReadonlySet<Address>): (AssetRef | null)[] {
  if (asset === null) return [null];
  if (asset === NATIVE_REF) return [asset, ...wrappedNative];
  return wrappedNative.has(asset) ? [asset, NATIVE_REF] : [asset];
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

/** Legs carried by movements, one per asset. */
function carried(spec: LegSpec, movements: readonly Movement[], amount: bigint | null, context: BindContext): Option {
  const byAsset = new Map<string, Movement[]>();
  for (const m of movements) {
    const group = byAsset.get(m.asset);
    if (group) group.push(m);
    else byAsset.set(m.asset, [m]);
  }
  const legs = [...byAsset.values()].map((group): BoundLeg => {
    const first = group[0]!;
    const sum = group.reduce((total, m) => total + m.amount, 0n);
    return {
      spec, stated: amount,
      ends: { from: first.from, to: first.to, asset: context.index.assetRef(first) },
      leg: {
        role: spec.role, asset: first.asset, amount: sum, account: farEnd(spec.role, first, context.venue),
        movements: group.map((m) => m.index).sort((a, b) => a - b), exact: amount !== null && amount === sum,
      },
    };
  });
  return { movements, legs, unresolved: [] };
}

/** A leg that no single movement carries: settled by net deltas inside the venue. */
function stated(spec: LegSpec, asset: AssetRef | null, amount: bigint, from: Address | null, to: Address | null): Option {
  if (asset === null) return { movements: [], legs: [], unresolved: [{ role: spec.role, amount }] };
  const leg: Leg = { role: spec.role, asset: assetIdOf(asset), amount, account: null, movements: [], exact: true };
  return { movements: [], legs: [{ spec, stated: amount, ends: { from, to, asset }, leg }], unresolved: [] };
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | null): R | null {
  for (const item of items) {
    const found = find(item);
    if (found !== null) return found;
  }
  return null;
}
