import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import { follow, type ValueEnds } from '../../../value/follow.ts';
import type { Address } from '../../../model/hex.ts';
import type { Motif } from '../../../model/motif.ts';
import type { AssetId, ValueFlow } from '../../../model/valueFlow.ts';
import type { Side } from './sides.ts';

/** A side of an act with the token that represents the position and its owner's gain of it. */
export interface Change extends Side {
  readonly motif: Motif;
  /** Acts on the way that this change absorbed. */
  readonly absorbed: readonly Motif[];
  readonly token: AssetId | null;
  readonly delta: bigint;
}

export interface OwnerContext {
  readonly flow: ValueFlow;
  /** The accounts that the transaction was done for: they own even momentary holdings. */
  readonly principals: ReadonlySet<Address>;
  /** Accounts that passed on everything they received. */
  readonly passThrough: ReadonlySet<Address>;
  /** Where a pass-through account's assets came from, and where they went. */
  readonly origins: ValueEnds;
  readonly destinations: ValueEnds;
  /** Native for wrapped native, else the asset itself. */
  readonly merged: (asset: AssetId) => AssetId;
  /** Contracts at which the acts were done. */
  readonly venues: ReadonlyMap<Address, Motif>;
}

/**
 * Gives each position to the account that held its token before or holds it afterwards, never to a router. A
 * position that a router opened and used up is none: its assets are part of the act that used it.
 */
export function withOwners(changes: readonly Change[], context: OwnerContext): Change[] {
  const owned = withoutCarriedOn(changes, context);
  const open = new Set(owned);
  for (const change of owned) {
    if (change.token === null || change.delta === 0n) continue;
    const user = [...open].find((other) => usesUp(other, change, context));
    if (user) {
      open.delete(user);
      open.delete(change);
      const joined = absorb(user, change);
      owned.splice(owned.indexOf(user), 1, joined);
      open.add(joined);
    } else if (isOnTheWay(change, context)) open.delete(change);
  }
  return owned.filter((change) => open.has(change));
}

function net(account: Address, asset: AssetId, { ledgers }: ValueFlow): bigint {
  const entry = ledgers.get(account)?.get(asset);
  return entry ? entry.inflow - entry.outflow : 0n;
}

function held(account: Address, asset: AssetId, { ledgers }: ValueFlow): boolean {
  return ledgers.get(account)?.has(asset) ?? false;
}

/** The owner, or the account behind it where it only passed the position on. */
function holderOf(change: Change, context: OwnerContext): Address {
  const { owner, token, delta, shares } = change;
  if (token === null || delta === 0n || shares.length === 0) return userBehind(change, context) ?? owner;
  const { flow, principals } = context;
  if (net(owner, token, flow) !== 0n || (held(owner, token, flow) && principals.has(owner))) return owner;
  return holderOfToken(change, token, context) ?? owner;
}

/** The one account at which a position's token ended, or from which it came; null for none or several. */
function holderOfToken(change: Change, token: AssetId, { flow, venues }: OwnerContext): Address | null {
  const gained = change.delta > 0n;
  const ends = new Set<Address>();
  const passes = (account: Address): boolean => {
    const kept = net(account, token, flow);
    if (kept !== 0n && kept > 0n === gained) ends.add(account);
    return kept === 0n;
  };
  const own = change.motif.movements
    .map((index) => flow.movements[index]!)
    .filter(({ asset }) => asset === token)
    .map(({ from, to }) => (gained ? to : from))
    .filter((account) => account !== ZERO_ADDRESS);
  const starts = (held(change.owner, token, flow) ? [change.owner] : own).filter(passes);
  follow(flow, starts, gained ? 'onward' : 'back', ({ asset }, account) => {
    return asset === token && account !== ZERO_ADDRESS && passes(account);
  });
  const [end] = ends;
  return ends.size === 1 && !venues.has(end!) ? end! : null;
}

/**
 * The principal behind a proxy or router that holds a position in its own name: it sent the assets that went
 * in, or received those that came out, and the proxy kept nothing. Null where there is none.
 */
function userBehind({ owner, underlying }: Change, context: OwnerContext): Address | null {
  const { principals, passThrough, flow } = context;
  if (principals.has(owner) || !passThrough.has(owner)) return null;
  const direct = usersAtEnds(owner, underlying, context);
  if (direct.size > 0) return onlyOne(direct);
  // It converted its input first, or pays out in another asset.
  const whole = [...(flow.ledgers.get(owner)?.keys() ?? [])];
  const signs = new Set(underlying.map(({ delta }) => delta < 0n));
  const legs = whole.flatMap((asset) => [...signs].map((put) => ({ asset, delta: put ? -1n : 1n })));
  return onlyOne(usersAtEnds(owner, legs, context));
}

/** Principals that the assets put in came from, and to which those taken out went. */
function usersAtEnds(
  owner: Address,
  legs: readonly Pick<Side['underlying'][number], 'asset' | 'delta'>[],
  { principals, origins, destinations }: OwnerContext,
): ReadonlySet<Address> {
  const ends = legs.flatMap(({ asset, delta }) => (delta < 0n ? origins : destinations)(owner, asset));
  return new Set(ends.filter((end) => principals.has(end)));
}

function onlyOne(users: ReadonlySet<Address>): Address | null {
  const [only] = users;
  return only !== undefined && users.size === 1 ? only : null;
}

/** Each change at its owner, with the acts absorbed that only carried the same value on. */
function withoutCarriedOn(changes: readonly Change[], context: OwnerContext): Change[] {
  const owned = changes.map((change) => ({ ...change, owner: holderOf(change, context) }));
  const open = new Set(owned);
  const moved = owned.filter(({ owner }, i) => owner !== changes[i]!.owner);
  for (const change of [...moved, ...owned.toReversed()]) {
    if (!open.has(change)) continue;
    const whole = owned.find(
      (other) => other !== change && open.has(other) && isSameValue(other, change, context),
    );
    if (!whole) continue;
    open.delete(change);
    whole.absorbed = [...whole.absorbed, change.motif];
  }
  return [...open];
}

/**
 * Whether a router only carried on what another act of its principal states: the same assets, of which the
 * principal never had as much as both together.
 */
function isSameValue(other: Change, carried: Change, { flow, merged }: OwnerContext): boolean {
  const key = ({ owner, position: { category, effect } }: Change): string => `${owner} ${category} ${effect}`;
  if (other.token !== null || carried.token !== null || key(other) !== key(carried)) return false;
  const [sums, carriedSums] = [other, carried].map(({ underlying }) => {
    const amounts = new Map<AssetId, bigint>();
    for (const { asset, delta } of underlying)
      amounts.set(merged(asset), (amounts.get(merged(asset)) ?? 0n) + delta);
    return amounts;
  }) as [Map<AssetId, bigint>, Map<AssetId, bigint>];
  if (sums.size === 0 || sums.size !== carriedSums.size) return false;
  return [...sums].every(([asset, delta]) => {
    let turnover = 0n;
    for (const [id, { inflow, outflow }] of flow.ledgers.get(carried.owner) ?? [])
      if (merged(id) === asset) turnover += delta < 0n ? outflow : inflow;
    return carriedSums.get(asset) === delta && turnover < 2n * (delta < 0n ? -delta : delta);
  });
}

/** Whether another act took in exactly this owner's gain of the position, or paid it out. */
function usesUp(other: Change, change: Change, { flow, principals }: OwnerContext): boolean {
  const { owner, token, delta } = change;
  if (other.motif === change.motif) return false;
  const touched = held(owner, token!, flow);
  if (touched && (other.owner === owner || principals.has(owner))) return false;
  if (touched && other.motif.venue !== owner && net(owner, token!, flow) !== 0n) return false;
  return (
    other.underlying.some((leg) => leg.asset === token && leg.delta === -delta) &&
    other.motif.movements.some((index) => {
      const { asset, from, to } = flow.movements[index]!;
      return asset === token && (!touched || from === owner || to === owner);
    })
  );
}

function absorb(user: Change, change: Change): Change {
  return {
    ...user,
    absorbed: [...user.absorbed, change.motif, ...change.absorbed],
    underlying: [...user.underlying.filter((leg) => leg.asset !== change.token), ...change.underlying],
  };
}

/** A position token that its owner never had, or that came and went with somebody the transaction was not for. */
function isOnTheWay({ owner, token, shares }: Change, context: OwnerContext): boolean {
  const { flow, principals } = context;
  if (shares.length === 0 || !flow.assets.has(token!)) return false;
  if (!held(owner, token!, flow)) return true;
  return !principals.has(owner) && net(owner, token!, flow) === 0n;
}
