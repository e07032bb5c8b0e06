import { carried, stated, type Option } from './boundLeg.ts';
import { NATIVE_REF, type AssetRef, type BindScope } from './bindWord.ts';
import { assetIdOf, evaluateAccount, evaluateAmount, evaluateAsset } from './evaluateBind.ts';
import type { ReadyLeg } from '../match/meaning.ts';
import type { MovementIndex } from './movementIndex.ts';
import type { MovementQuery } from './movementQuery.ts';
import type { Taken } from './takenMovements.ts';
import type { Address } from '../../../model/hex.ts';
import type { Movement } from '../../../model/valueFlow.ts';

export interface LegContext {
  readonly index: MovementIndex;
  readonly seq: number;
  readonly wrappedNative: ReadonlySet<Address>;
  /** Movements already accounted for by the same shape in the same role. */
  readonly taken: (role: string) => Taken;
  readonly venue: Address | null;
}

type Accept = (m: Movement) => boolean;
type QueryFor = (asset: AssetRef | null, amount: bigint | undefined) => MovementQuery;

/** Movements a token may split one stated amount into (transfer taxes). */
const MAX_SPLIT = 8;

/**
 * Offers the ways to bind one leg, the likeliest first, until one is taken. `claimed` are movements of the event's other
 * legs, `forbidden` an asset that it cannot be.
 */
export function offerOptions(
  spec: ReadyLeg,
  scope: BindScope,
  context: LegContext,
  claimed: readonly number[],
  forbidden: string | null,
  take: (option: Option) => boolean,
): void {
  const from = evaluateAccount(spec.from, scope);
  const to = evaluateAccount(spec.to, scope);
  const asset = evaluateAsset(spec.asset, scope);
  if ((spec.from && from === null) || (spec.to && to === null) || (spec.asset && asset === null)) return;
  const amounts = statedAmounts(spec, scope);
  if (spec.amount.length > 0 && amounts.length === 0) return;

  const taken = context.taken(spec.role);
  const accept: Accept = (m) => m.asset !== forbidden && !claimed.includes(m.index);
  const queryFor: QueryFor = (of, amount) => ({
    from: from ?? undefined,
    to: to ?? undefined,
    asset: of ?? undefined,
    assetKind: spec.assetKind ?? undefined,
    kind: spec.movementKind ?? undefined,
    amount,
  });
  const choices = assetChoices(asset, context.wrappedNative);

  if (amounts.length === 0) {
    for (const choice of choices) {
      const movements = unstated(spec, queryFor(choice, undefined), context, taken, accept);
      if (movements.length > 0) return void take(carried(spec, movements, null, context));
    }
    return;
  }
  for (const amount of amounts) {
    const exact = exactly(spec, choices, amount, queryFor, context, taken, accept);
    if (exact) {
      if (take(carried(spec, [exact], amount, context))) return;
    } else if (spec.match === 'stated' && (asset === null || assetIdOf(asset) !== forbidden)) {
      if (take(stated(spec, asset, amount, from, to))) return;
    }
  }
  if (spec.match === 'stated') return;
  for (const choice of choices) {
    const near = context.index.before(queryFor(choice, undefined), context.seq, taken, accept, MAX_SPLIT);
    if (near.length === 0) continue;
    const ofAsset = near.filter((m) => m.asset === near[0]!.asset);
    const split = firstOf(amounts, (amount) => sumsTo(ofAsset, amount));
    if (
      split &&
      take(
        carried(
          spec,
          split,
          split.reduce((sum, m) => sum + m.amount, 0n),
          context,
        ),
      )
    )
      return;
    if (spec.otherwise !== 'direction') continue;
    const close = firstOf(amounts, (amount) => closest(near, amount));
    if (close && take(carried(spec, [close], amounts[0]!, context))) return;
  }
}

function unstated(
  spec: ReadyLeg,
  query: MovementQuery,
  { index, seq }: LegContext,
  taken: Taken,
  accept: Accept,
): readonly Movement[] {
  if (spec.pick === 'all') return index.all(query, taken, accept);
  const nearest = index.nearest(query, seq, taken, accept);
  return nearest ? [nearest] : [];
}

/** What changed hands before what was created or destroyed in the same amount on the way. */
function exactly(
  spec: ReadyLeg,
  choices: readonly (AssetRef | null)[],
  amount: bigint,
  queryFor: QueryFor,
  { index, seq }: LegContext,
  taken: Taken,
  accept: Accept,
): Movement | null {
  const find = (fits: Accept): Movement | null =>
    firstOf(choices, (choice) => index.nearest(queryFor(choice, amount), seq, taken, fits));
  return (
    (spec.movementKind === null ? find((m) => m.kind === 'transfer' && accept(m)) : null) ?? find(accept)
  );
}

function statedAmounts(spec: ReadyLeg, scope: BindScope): bigint[] {
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
  const best = near.reduce<Movement | null>(
    (a, b) => (a === null || distance(b) < distance(a) ? b : a),
    null,
  );
  return best && best.amount * 10n >= amount && best.amount <= amount * 10n ? best : null;
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | null): R | null {
  for (const item of items) {
    const found = find(item);
    if (found !== null) return found;
  }
  return null;
}
