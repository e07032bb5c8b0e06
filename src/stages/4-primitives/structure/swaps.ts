import { ZERO_ADDRESS } from '../../../lib/hex.ts';
import { mergedLane } from '../../../lib/lanes.ts';
import { GAVE_ROLES } from '../../../lib/legRoles.ts';
import { isFungible, structural, type Found, type StructureContext } from './context.ts';
import type { Address } from '../../../model/hex.ts';
import type { Leg } from '../../../model/primitive.ts';
import type { AssetId } from '../../../model/valueFlow.ts';

/**
 * Swaps at venues no event speaks for: an account that ended up with more of one asset and less of another, while the
 * transaction's own side shows a trade too. Accounts that passed everything on, the customers themselves, issuers of
 * either asset and venues already explained by an event are none.
 */
export function findStructuralSwaps(context: StructureContext): Found[] {
  const { flow, tx } = context;
  const own = new Set<Address>([tx.from, ...context.customers]);
  const traded = (account: Address): boolean => twoSided(context, account) !== null;
  const customerTraded = [...own].some(traded);
  if (!customerTraded && !(tx.to !== null && traded(tx.to))) return [];

  const found: Found[] = [];
  for (const account of flow.ledgers.keys()) {
    if (account === ZERO_ADDRESS || own.has(account) || context.wrappedNative.has(account) || context.venues.has(account)) continue;
    if (account === tx.to && !customerTraded) continue;
    const sides = twoSided(context, account);
    if (!sides || issues(context, account, sides.gained) || issues(context, account, sides.lost)) continue;
    if (isCustomerOfVenues(context, account)) continue;
    found.push(swapOf(context, account, sides));
  }
  return found;
}

interface Sides {
  readonly gained: AssetId;
  readonly gain: bigint;
  readonly lost: AssetId;
  readonly loss: bigint;
}

/** The two lanes of an account that gained exactly one fungible asset and lost exactly one other; null for anything else. */
function twoSided(context: StructureContext, account: Address): Sides | null {
  let gained: [AssetId, bigint] | null = null;
  let lost: [AssetId, bigint] | null = null;
  for (const [asset, lane] of context.flow.ledgers.get(account) ?? []) {
    const net = lane.inflow - lane.outflow;
    if (net === 0n) continue;
    if (!isFungible(context.flow, asset) || (net > 0n ? gained : lost)) return null;
    if (net > 0n) gained = [asset, net];
    else lost = [asset, -net];
  }
  if (!gained || !lost || mergedLane(gained[0], context.wrappedLanes) === mergedLane(lost[0], context.wrappedLanes)) return null;
  return { gained: gained[0], gain: gained[1], lost: lost[0], loss: lost[1] };
}

function issues(context: StructureContext, account: Address, asset: AssetId): boolean {
  return context.flow.assets.get(asset)?.address === account;
}

/** Gave to one known venue and got from another before it had anything to give: a trader, not a venue. */
function isCustomerOfVenues(context: StructureContext, account: Address): boolean {
  const legs = context.dealings.get(account) ?? [];
  const gave = legs.some((l) => GAVE_ROLES.has(l.role));
  const got = legs.some((l) => !GAVE_ROLES.has(l.role));
  if (!gave || !got) return false;
  const first = (indexes: readonly number[] | undefined): number => context.flow.movements[indexes?.[0] ?? -1]?.seq ?? Infinity;
  return first(context.flow.outgoing.get(account)) < first(context.flow.incoming.get(account));
}

function swapOf(context: StructureContext, venue: Address, sides: Sides): Found {
  const { flow } = context;
  const leg = (role: 'in' | 'out', asset: AssetId, amount: bigint): Leg => {
    const side = (flow[role === 'in' ? 'incoming' : 'outgoing'].get(venue) ?? []).filter((i) => flow.movements[i]!.asset === asset);
    const ends = new Set(side.map((i) => (role === 'in' ? flow.movements[i]!.from : flow.movements[i]!.to)));
    return { role, asset, amount, account: ends.size === 1 ? [...ends][0]! : null, movements: side, exact: false };
  };
  const legs = [leg('in', sides.gained, sides.gain), leg('out', sides.lost, sides.loss)];
  const seqs = legs.flatMap((l) => l.movements.map((i) => flow.movements[i]!.seq));
  return structural({
    kind: 'swap', seq: seqs.reduce((a, b) => Math.max(a, b), 0), venue,
    roles: [], legs, tags: ['structural'],
    invariants: [
      { name: 'assets_differ', holds: true }, { name: 'single_venue', holds: true },
      { name: 'venue_gained_in', holds: sides.gain > 0n }, { name: 'venue_lost_out', holds: sides.loss > 0n },
    ],
    evidence: legs.flatMap((l) => l.movements.slice(0, 8).map((i) => flow.movements[i]!.evidence)),
  });
}
