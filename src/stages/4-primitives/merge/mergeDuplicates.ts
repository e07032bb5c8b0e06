import { isRecognised } from '../../../lib/motifKinds.ts';
import { SENT_ROLES, SHARE_ROLES } from '../../../lib/roles.ts';
import type { OpenPortion } from '../bind/positionDetail.ts';
import type { OpenPrimitive } from '../structure/context.ts';
import type { Address } from '../../../model/hex.ts';
import type { Evidence } from '../../../model/canonicalTx.ts';
import type { Leg, RoleBinding } from '../../../model/primitive.ts';
import type { ValueFlow } from '../../../model/valueFlow.ts';

/**
 * One act often has two sources: a pool and its position manager, an event and the call that caused it.
 * Primitives of one kind that claim the same movement in the same role become one: the better known one,
 * completed by the other.
 */
export function mergeDuplicates(found: readonly OpenPrimitive[], flow: ValueFlow): readonly OpenPrimitive[] {
  if (found.length < 2) return found;
  const claims = new Map<number, Claim[]>();
  const kept: OpenPrimitive[] = [];
  for (const item of found) {
    const earlier = claimedBefore(item, claims);
    const at = earlier ?? kept.length;
    if (earlier === null) kept.push(item);
    else {
      const other = kept[at]!;
      kept[at] = rank(item, flow) > rank(other, flow) ? combine(item, other) : combine(other, item);
    }
    for (const { role, movements } of item.legs)
      for (const m of movements) addClaim(claims, m, { kind: item.kind, role, at });
  }
  return withoutEchoes(kept);
}

/**
 * A movement that a find of this kind, kept at this place, has in this role. There are as many as rules that
 * take the movement.
 */
interface Claim {
  readonly kind: string;
  readonly role: string;
  at: number;
}

function claimedBefore(
  { kind, legs }: OpenPrimitive,
  claims: ReadonlyMap<number, readonly Claim[]>,
): number | null {
  for (const { role, movements } of legs) {
    for (const m of movements) {
      const claim = claims.get(m)?.find((c) => c.kind === kind && c.role === role);
      if (claim) return claim.at;
    }
  }
  return null;
}

function addClaim(claims: Map<number, Claim[]>, movement: number, own: Claim): void {
  const list = claims.get(movement);
  if (!list) {
    claims.set(movement, [own]);
    return;
  }
  const known = list.find((c) => c.kind === own.kind && c.role === own.role);
  if (known) known.at = own.at;
  else list.push(own);
}

/** Drops calls where events explain their movements under another kind: the contract's event counts. */
function withoutEchoes(found: readonly OpenPrimitive[]): readonly OpenPrimitive[] {
  const mayEcho = (item: OpenPrimitive): boolean =>
    item.basis === 'call' &&
    item.protocol?.matchedBy === 'family' &&
    item.legs.some((leg) => leg.movements.length > 0);
  if (!found.some(mayEcho)) return found;
  const moved = { sent: new Set<number>(), received: new Set<number>() };
  const movedBy = ({ role }: Leg): Set<number> => moved[SENT_ROLES.has(role) ? 'sent' : 'received'];
  for (const item of found) {
    if (item.basis === 'event')
      for (const leg of item.legs) for (const m of leg.movements) movedBy(leg).add(m);
  }
  return found.filter(
    (item) => !mayEcho(item) || !item.legs.every((leg) => leg.movements.every((m) => movedBy(leg).has(m))),
  );
}

/**
 * Contracts known by address or creation first, then events before calls, then asset holders, then more
 * legs.
 */
function rank(item: OpenPrimitive, flow: ValueFlow): number {
  const known = isRecognised(item.protocol) ? 4_000 : 0;
  return (
    known +
    (item.basis === 'event' ? 2_000 : 0) +
    (holdsAssets(item, flow) ? 1_000 : 0) +
    Math.min(item.legs.length, 100)
  );
}

function holdsAssets({ legs, venue }: OpenPrimitive, flow: ValueFlow): boolean {
  return legs.some(
    (leg) =>
      !SHARE_ROLES.has(leg.role) &&
      leg.movements.some((m) => flow.movements[m]!.from === venue || flow.movements[m]!.to === venue),
  );
}

/** Invariants about a single leg's movement: they come along with the leg. */
const ISSUANCE: ReadonlySet<string> = new Set(['minted_from_zero', 'burnt_to_zero']);

function combine(best: OpenPrimitive, other: OpenPrimitive): OpenPrimitive {
  const venues = new Set([best.venue, other.venue]);
  const roles = [...best.roles, ...other.roles, { role: 'venue', account: other.venue }];
  const movements = new Set<number>();
  for (const leg of best.legs) for (const m of leg.movements) movements.add(m);
  const further = other.legs.filter(
    (leg) =>
      !best.legs.some((l) => l.role === leg.role && l.asset === leg.asset) &&
      !leg.movements.some((m) => movements.has(m)),
  );
  const { about, position, portions } = joinedDetail([best, other]);
  return {
    ...best,
    seq: Math.max(best.seq, other.seq),
    roles: distinctRoles(
      roles.filter((r) => r.role !== 'venue' || r.account !== best.venue),
      venues,
    ),
    legs: [...best.legs, ...further],
    invariants: [
      ...best.invariants,
      ...(further.length === 0
        ? []
        : other.invariants.filter(
            ({ name }) => ISSUANCE.has(name) && !best.invariants.some((b) => b.name === name),
          )),
    ],
    tags: [...new Set([...best.tags, ...other.tags])],
    evidence: distinctEvidence([...best.evidence, ...other.evidence]),
    about,
    position,
    portions,
  };
}

const NO_DETAIL: Pick<OpenPrimitive, 'about' | 'position' | 'portions'> = {
  about: [],
  position: null,
  portions: [],
};

/**
 * Joins the position details of several primitives of one act. A manager that names the position decides
 * its portions.
 */
export function joinedDetail(
  items: readonly OpenPrimitive[],
): Pick<OpenPrimitive, 'about' | 'position' | 'portions'> {
  if (
    items.every(
      ({ about, position, portions }) => about.length === 0 && position === null && portions.length === 0,
    )
  )
    return NO_DETAIL;
  const named = items.filter((item) => item.position);
  const telling = named.some((item) => item.portions.length > 0) ? named : items;
  return {
    about: [...new Set(items.flatMap((item) => item.about))],
    position: named[0]?.position ?? null,
    portions: sumPortions(telling.map((item) => item.portions)),
  };
}

/** Adds up portions by asset, or by their position in the list where the asset is unknown. */
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
export function distinctEvidence(list: readonly Evidence[]): readonly Evidence[] {
  if (list.length < 2 || (list.length === 2 && evidenceKey(list[0]!) !== evidenceKey(list[1]!))) return list;
  const places = new Map<number, Evidence>();
  for (const e of list) places.set(evidenceKey(e), e);
  return places.size === list.length ? list : [...places.values()];
}

/** Logs map to 0 and up, frames to -2 and down; evidence without either is one key. */
function evidenceKey({ log, frame }: Evidence): number {
  return log ?? -2 - (frame ?? -1);
}

/** Each role once; a manager that a pool calls the owner is only another venue of the same act. */
export function distinctRoles(roles: readonly RoleBinding[], venues: ReadonlySet<Address>): RoleBinding[] {
  const rolesOf = new Map<Address, string[]>();
  return roles.filter(({ role, account }) => {
    if (role === 'owner' && venues.has(account)) return false;
    const known = rolesOf.get(account);
    if (!known) rolesOf.set(account, [role]);
    else if (known.includes(role)) return false;
    else known.push(role);
    return true;
  });
}
