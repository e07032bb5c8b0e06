import { GAVE_ROLES, SHARE_ROLES } from '../../lib/legRoles.ts';
import type { OpenPortion } from './positionDetail.ts';
import type { Found } from './structure/context.ts';
import type { Address } from '../../model/hex.ts';
import type { Evidence } from '../../model/evidence.ts';
import type { Leg, RoleBinding } from '../../model/primitive.ts';
import type { ValueFlow } from '../../model/valueFlow.ts';

/**
 * One act is often told twice: by a pool and by its position manager, by an event and by the call that caused it. Finds of
 * one kind that claim the same movement in the same role become one: the better known one, with what only the other tells
 * added.
 */
export function mergeDuplicates(found: readonly Found[], flow: ValueFlow): Found[] {
  const claims = new Map<string, number>();
  const kept: (Found | null)[] = [];
  for (const item of found) {
    const keys = item.legs.flatMap((leg) => leg.movements.map((m) => `${item.kind}|${leg.role}|${m}`));
    const earlier = keys.map((key) => claims.get(key)).find((at) => at !== undefined && kept[at] !== null);
    let at = kept.length;
    if (earlier === undefined) kept.push(item);
    else {
      at = earlier;
      const other = kept[at]!;
      kept[at] = rank(item, flow) > rank(other, flow) ? combine(item, other) : combine(other, item);
    }
    for (const key of keys) claims.set(key, at);
  }
  return withoutEchoes(kept.filter((item) => item !== null));
}

/** Leaves out calls of which events tell the same, movement by movement, under another name: the contract's own word counts. */
function withoutEchoes(found: readonly Found[]): Found[] {
  const claim = (leg: Leg, m: number): string => `${GAVE_ROLES.has(leg.role)}|${m}`;
  const told = new Set(found.filter((item) => item.basis === 'event').flatMap((item) => item.legs.flatMap((leg) => leg.movements.map((m) => claim(leg, m)))));
  return found.filter((item) => {
    const own = item.legs.flatMap((leg) => leg.movements.map((m) => claim(leg, m)));
    return item.basis !== 'call' || own.length === 0 || item.protocol?.matchedBy !== 'family' || !own.every((key) => told.has(key));
  });
}

/** A contract known by address or creation, then an event before a call, then who keeps the assets, then the one that accounts for more. */
function rank(item: Found, flow: ValueFlow): number {
  const known = item.protocol !== null && item.protocol.matchedBy !== 'family' ? 4_000 : 0;
  return known + (item.basis === 'event' ? 2_000 : 0) + (holdsAssets(item, flow) ? 1_000 : 0) + Math.min(item.legs.length, 100);
}

function holdsAssets({ legs, venue }: Found, flow: ValueFlow): boolean {
  return legs.some((leg) => !SHARE_ROLES.has(leg.role) && leg.movements.some((m) => flow.movements[m]!.from === venue || flow.movements[m]!.to === venue));
}

/** Checks that speak of a single leg's movement, and so come along with it. */
const ISSUANCE: ReadonlySet<string> = new Set(['minted_from_zero', 'burnt_to_zero']);

function combine(best: Found, other: Found): Found {
  const venues = new Set([best.venue, other.venue]);
  const roles = [...best.roles, ...other.roles, { role: 'venue', account: other.venue }];
  const movements = new Set(best.legs.flatMap((leg) => leg.movements));
  const lanes = new Set(best.legs.map((leg) => `${leg.role}|${leg.asset}`));
  const further = other.legs.filter((leg) => !lanes.has(`${leg.role}|${leg.asset}`) && !leg.movements.some((m) => movements.has(m)));
  return {
    ...best,
    seq: Math.max(best.seq, other.seq),
    roles: distinctRoles(roles.filter((r) => r.role !== 'venue' || r.account !== best.venue), venues),
    legs: [...best.legs, ...further],
    invariants: [...best.invariants, ...(further.length === 0 ? [] : other.invariants.filter(({ name }) => ISSUANCE.has(name) && !best.invariants.some((b) => b.name === name)))],
    tags: [...new Set([...best.tags, ...other.tags])],
    evidence: distinctEvidence([...best.evidence, ...other.evidence]),
    ...joinedDetail([best, other]),
  };
}

/** What several finds of one act say of the position. Where a manager names the position its word on the parts is taken alone. */
export function joinedDetail(items: readonly Found[]): Pick<Found, 'about' | 'position' | 'portions'> {
  const named = items.filter((item) => item.position);
  const telling = named.some((item) => item.portions?.length) ? named : items;
  return {
    about: [...new Set(items.flatMap((item) => item.about ?? []))],
    position: named[0]?.position ?? null,
    portions: sumPortions(telling.map((item) => item.portions ?? [])),
  };
}

/** Parts of several finds, added up by asset, or by their place where the asset is not told. */
function sumPortions(lists: readonly (readonly OpenPortion[])[]): OpenPortion[] {
  const sums = new Map<string, OpenPortion>();
  for (const list of lists) {
    let place = 0;
    for (const portion of list) {
      const key = `${portion.role}|${portion.asset ?? place++}`;
      sums.set(key, { ...portion, amount: portion.amount + (sums.get(key)?.amount ?? 0n) });
    }
  }
  return [...sums.values()];
}

/** Each log and each frame once. */
export function distinctEvidence(list: readonly Evidence[]): Evidence[] {
  return [...new Map(list.map((e) => [`${e.log}|${e.log === null ? e.frame : ''}`, e])).values()];
}

/** Each role once; a manager that a pool calls the owner is only another venue of the same act. */
export function distinctRoles(roles: readonly RoleBinding[], venues: ReadonlySet<Address>): RoleBinding[] {
  const kept = roles.filter((r) => r.role !== 'owner' || !venues.has(r.account));
  return [...new Map(kept.map((r) => [`${r.role}|${r.account}`, r])).values()];
}
