import { addTo } from '../../../lib/lists.ts';
import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import { follow } from '../../../value/follow.ts';
import {
  carriesOn,
  Claims,
  feeders,
  held,
  holdsToken,
  inOwnAssets,
  inOwnToken,
  isOnTheWay,
  net,
  wholeOf,
  type Change,
  type OwnerContext,
} from './carried.ts';
import type { Address } from '../../../model/hex.ts';
import type { AssetId } from '../../../model/valueFlow.ts';
import type { Side } from './sides.ts';

/**
 * The positions that the transaction changed, each once, at its owner: the account that held its token before or
 * holds it afterwards, never a router. What an account put in or took out is told by one position: acts by
 * which a zap, a booster or a vault carried the same value on are absorbed.
 */
export function withOwners(changes: readonly Change[], context: OwnerContext): Change[] {
  const owned = changes
    .map((change) => ({ ...change, owner: holderOf(change, context) }))
    .map((change) => inOwnToken(change, context));
  const isMoved = (at: number): boolean => owned[at]!.owner !== changes[at]!.owner;
  const weight = (at: number): number => (isMoved(at) ? 2 : 0) + (holdsToken(owned[at]!, context) ? 0 : 1);
  const claims = new Claims(owned, context);
  const own = new Set<Change>();
  const carried: Change[] = [];
  for (const at of [...owned.keys()].sort((a, b) => weight(a) - weight(b) || a - b)) {
    const change = owned[at]!;
    if (carriesOn(change, owned, context) || !claims.take(change, isMoved(at))) carried.push(change);
    else own.add(change);
  }
  for (const change of feeders(own, context)) {
    own.delete(change);
    carried.unshift(change);
  }
  const parts = new Map<Change, Change[]>();
  for (const change of carried) {
    const whole = wholeOf(change, own, context);
    if (whole) addTo(parts, whole, change);
    else if (!isOnTheWay(change, context)) own.add(change);
  }
  const counts = new Map<Address, number>();
  for (const { owner } of own) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return owned
    .filter((change) => own.has(change))
    .map((change) =>
      inOwnAssets(change, { parts: parts.get(change) ?? [], alone: counts.get(change.owner) === 1 }, context),
    );
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
  const { principals, carriers, flow } = context;
  if (principals.has(owner) || !carriers.has(owner)) return null;
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
