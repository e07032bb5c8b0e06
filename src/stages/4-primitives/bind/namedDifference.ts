import { groupBy } from '../../../lib/lists.ts';
import { SENT_ROLES } from '../../../lib/roles.ts';
import { evaluateAmount, type BindScope } from '../../../value/resolver.ts';
import type { PreparedLeg } from '../match/triggers.ts';
import type { MovementIndex } from './movementIndex.ts';
import type { Address } from '../../../model/hex.ts';
import type { AssetId, Movement } from '../../../model/valueFlow.ts';
import { sumOf, sumsBy } from '../../../value/amount.ts';
import { mergeNative } from '../../../value/asset.ts';
import { balances } from '../../../value/balances.ts';
import type { Binding } from './bindLegs.ts';
import type { Candidate, RecognitionRun } from './applyMapping.ts';

/** An amount an event states, without and with the fees stated beside it. */
export interface StatedAmount {
  readonly amount: bigint;
  readonly withFees: bigint;
}

/** Accounts looked at on the way of a payment: routers, gateways, messengers. */
const MAX_HOPS = 8;

/** Amount of the movement that carries a stated amount and the fees stated with it. */
export function carriedOf(amount: bigint, { role, fees, total }: PreparedLeg, scope: BindScope): bigint {
  if (total === null && fees.length === 0) return amount;
  const whole = total && evaluateAmount(total, scope);
  if (whole) return whole > amount ? whole : amount;
  const sum = fees.reduce((all, word) => all + (evaluateAmount(word, scope) ?? 0n), 0n);
  if (SENT_ROLES.has(role)) return amount + sum;
  return amount > sum ? amount - sum : amount;
}

/**
 * Explains why a movement carried another amount than the event states: by the event's fee words, or by
 * payments of exactly the difference: an account on the way passed it on and kept the stated amount, or the
 * payer paid it to others. The amount is without fees that the counterparty paid, and after those that it was
 * charged; the fee is the one it paid beside, with the movements that carried it. Null: unexplained.
 */
export function differenceOf(
  carrier: Movement,
  { amount, withFees }: StatedAmount,
  role: string,
  { index }: { readonly index: MovementIndex },
) {
  const difference = carrier.amount - amount;
  if (!SENT_ROLES.has(role)) {
    const charged = carrier.amount === withFees || (difference < 0n && withheld(carrier, -difference, index));
    return charged ? { amount: carrier.amount, fee: 0n, movements: [] } : null;
  }
  if (carrier.amount === withFees) return { amount, fee: difference, movements: [carrier.index] };
  if (difference < 0n) return null;
  const passed = passedOn(carrier, amount, index);
  if (passed === null) return null;
  const fees = passed.filter(({ to }) => to !== carrier.from);
  const fee = fees.reduce((sum, m) => sum + m.amount, 0n);
  return { amount, fee, movements: fees.map((m) => m.index) };
}

/** Whether the payer paid exactly this much of the asset to others: a fee or a token's tax on the payout. */
function withheld({ from, asset, index: own }: Movement, difference: bigint, index: MovementIndex): boolean {
  const others = paymentsOf(from, asset, index).filter((m) => m.index !== own);
  return others.some((m) => m.amount === difference) || sumOf(others) === difference;
}

/** The payments by which an account on the way gave away all but the stated amount. */
function passedOn(carrier: Movement, stated: bigint, index: MovementIndex): readonly Movement[] | null {
  const difference = carrier.amount - stated;
  let at = carrier;
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const after = at.index;
    const payments = paymentsOf(at.to, at.asset, index).filter((m) => m.index > after);
    const rest = payments.filter((m) => m.amount !== stated);
    const single = rest.find((m) => m.amount === difference);
    if (single) return [single];
    if (rest.length > 0 && sumOf(rest) === difference) return rest;
    const onward = payments.filter((m) => m.amount === carrier.amount);
    if (onward.length !== 1) return null;
    at = onward[0]!;
  }
  return null;
}

function paymentsOf(from: Address, asset: AssetId, index: MovementIndex): Movement[] {
  const any = { to: null, id: null, assetKind: null, kind: null, amount: null };
  return index.all({
    query: { ...any, from, asset: index.assetRef(asset) },
    seq: 0,
    claimed: NONE,
    accept: (m) => m.asset === asset,
  });
}

const NONE: Set<number> = new Set();

/** Whether some stated amount was carried by no movement of its own. */
export const isNetted = ({ legs, unresolved }: Binding): boolean =>
  unresolved.length > 0 || legs.some(({ leg }) => leg.movements.length === 0);

/**
 * For contracts that settle several pools by net amounts: checks that their events add up to the contract's
 * net amounts over the whole transaction. Amounts of an unnamed asset must cancel exactly (the second hop
 * takes the first one's output). Native and wrapped native are one: such contracts wrap for their
 * customers. What moves below an act's own call is between the contract and the pool's hook.
 */
export function nettedVenues(
  candidates: readonly Candidate[],
  { flow, tx: { frames } }: RecognitionRun,
): ReadonlyMap<Address, boolean> {
  const venues = new Set(candidates.flatMap(({ venue, binding }) => (isNetted(binding) ? venue : [])));
  const acts = candidates.filter(({ venue }) => venues.has(venue));
  const calls = new Set(acts.flatMap(({ within }) => frames[within?.frame ?? -1] ?? []));
  const below = new Set([...calls].flatMap(({ index, end }) => frames.slice(index + 1, end)));
  const exclude = ({ evidence: { frame } }: Movement) => frame !== null && below.has(frames[frame]!);
  return new Map(
    [...groupBy(acts, ({ venue }) => venue)].map(([venue, some]) => {
      const legs = some.flatMap(({ binding }) => binding.legs);
      const unnamed = some.flatMap(({ binding }) => binding.unresolved);
      const assets = sumsBy(
        legs.map(({ leg }) => [mergeNative(leg.asset, flow), signOf(leg.role) * leg.amount]),
      );
      const open = sumsBy(unnamed.map(({ role, amount }) => [amount, signOf(role)]));
      const own = balances(flow, venue, below.size > 0 ? { exclude } : {});
      const agrees = [...assets].every(([id, sum]) => sum === (own.get(id)?.net ?? 0n));
      return [venue, agrees && [...open.values()].every((n) => n === 0n)];
    }),
  );
}

const signOf = (role: string): bigint => (SENT_ROLES.has(role) ? 1n : -1n);
