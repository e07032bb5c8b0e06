import { NOTHING } from '../../../lib/lists.ts';
import { distinctEvidence } from '../../../lib/evidence.ts';
import { isRecognised } from '../../../lib/motifKinds.ts';
import { distinctRoles, isParty, placesOf, SHARE_ROLES } from '../../../lib/roles.ts';
import type {
  DraftPortion,
  DraftPrimitive,
  Claim,
  Leg,
  OtherTrigger,
  Portion,
  Primitive,
  RoleBinding,
} from '../../../model/primitive.ts';
import { evaluate } from '../../../value/claims.ts';
import { commonFrame } from '../../../value/frames.ts';
import { decide, rivalOf } from '../../../value/winner.ts';
import type { CanonicalTx } from '../../../model/canonicalTx.ts';
import type { KnownContracts } from '../match/provenProtocol.ts';
import type { Address } from '../../../model/hex.ts';
import type { AssetId } from '../../../model/valueFlow.ts';

/** Tag of mappings with an event that announces a payout by a later event of the same venue. */
export const DEFERRED = 'deferred';
/** Tag of mappings with an event for one asset of an act over several. */
export const PER_ASSET = 'per_asset';
/** Tag of mappings with an event that only adds detail to another event's movement. */
export const DETAIL = 'detail';

/** Claims about a single leg's movement: they come along with the leg. */
const ISSUANCE: ReadonlySet<string> = new Set(['minted_from_zero', 'burnt_to_zero']);

/** Role of the asset that goes with each position token, where an act has more than one position. */
const COUNTERPARTS: Readonly<Record<string, string>> = {
  debt_share_in: 'debt',
  collateral_share_in: 'collateral',
};

export function isPromise({ tags, legs }: DraftPrimitive): boolean {
  return tags.includes(DEFERRED) && legs.length === 0;
}

/** The strongest one's act, completed by the others. A promise gives it its kind and its position. */
export function oneAct(group: readonly DraftPrimitive[], tx: CanonicalTx, known: KnownContracts): Primitive {
  if (group.length === 1) return settled(group[0]!);
  const isDetail = ({ tags }: DraftPrimitive): boolean => tags.includes(DETAIL);
  const others = group.filter((item) => !isDetail(item));
  const stated = others.length > 0 ? others : group;
  const { ranked, others: lost } = byRank(
    stated.filter((item) => !isPromise(item)),
    tx,
  );
  const best = ranked[0]!;
  const adds = isRecognised(best.protocol) ? mayAdd(group, known) : () => true;
  const details = others.length > 0 ? group.filter(isDetail) : [];
  const promises = stated.filter((item) => isPromise(item) && adds(item));
  // A call in other words than the event's adds nothing but itself.
  const alike = ranked.filter((item) => item.kind === best.kind && adds(item));
  const promised = promises.find(({ protocol }) => isRecognised(protocol)) ?? promises.at(-1) ?? best;
  const all = [...promises, ...alike];
  const legs = joinLegs(alike);
  const { basis, shape, venue, poolId } = best;
  const act: DraftPrimitive = {
    kind: promised.kind,
    seq: alike.reduce((last, { seq }) => Math.max(last, seq), 0),
    basis,
    shape,
    protocol: isRecognised(best.protocol) ? best.protocol : promised.protocol,
    venue,
    poolId,
    roles: joinRoles(all, best),
    legs,
    claims: actClaims(alike, legs, promises),
    tags: [...new Set(all.flatMap((item) => tagsFrom(item, best, legs)))],
    evidence: distinctEvidence([...promises, ...ranked, ...group].flatMap(({ evidence }) => evidence)),
    ...joinDetail(all),
    others: lost,
  };
  return settled(details.reduce(withDetail, act));
}

/** Beside a listed contract an unlisted one adds no more than evidence. */
function mayAdd(group: readonly DraftPrimitive[], { listing }: KnownContracts) {
  const contractOf = ({ evidence }: DraftPrimitive): Address => evidence[0]!.contract;
  const known = new Set(group.filter(({ protocol }) => isRecognised(protocol)).map(contractOf));
  return (item: DraftPrimitive): boolean => known.has(contractOf(item)) || !!listing(contractOf(item));
}

/** A rule on trial puts the act on trial where it adds to the strongest one. */
function tagsFrom(item: DraftPrimitive, best: DraftPrimitive, legs: readonly Leg[]): readonly string[] {
  const named = new Set(best.roles.map(({ account }) => account));
  const adds =
    item === best ||
    isPromise(item) ||
    item.position !== null ||
    item.portions.length > 0 ||
    item.legs.some((leg) => legs.includes(leg)) ||
    item.roles.some(({ role, account }) => isParty(role) && !named.has(account));
  return item.tags.filter((tag) => tag !== DEFERRED && (adds || tag !== ON_TRIAL));
}

const ON_TRIAL = 'experimental';
const SOLVED: ReadonlySet<string> = new Set([PER_ASSET, DETAIL]);

/** The one that wins, then the others in the order in which they would, each with the reason. */
function byRank(
  group: readonly DraftPrimitive[],
  tx: CanonicalTx,
): { readonly ranked: readonly DraftPrimitive[]; readonly others: readonly OtherTrigger[] } {
  const rivals = group
    .map((item) => ({ item, rank: rivalOf(item, commonFrame(tx, item.evidence), tx.frames) }))
    .sort((a, b) => decide(a.rank, b.rank).order);
  const [winner, ...losers] = rivals;
  return {
    ranked: rivals.map(({ item }) => item),
    others: losers.map(({ item, rank }) => ({
      evidence: item.evidence[0]!,
      reason: decide(winner!.rank, rank).reason,
    })),
  };
}

/** The strongest one's legs, and the others' over further movements. */
function joinLegs(alike: readonly DraftPrimitive[]): readonly Leg[] {
  const legs = [...alike[0]!.legs];
  const movements = new Set(legs.flatMap((leg) => leg.movements));
  for (const { legs: more, tags } of alike.slice(1)) {
    const further = more.filter(
      (leg) =>
        !leg.movements.some((m) => movements.has(m)) &&
        (tags.includes(PER_ASSET) || !legs.some((l) => l.role === leg.role && l.asset === leg.asset)),
    );
    legs.push(...further);
    for (const leg of further) for (const m of leg.movements) movements.add(m);
  }
  return legs;
}

/** Each role once; a manager that a pool calls the owner is only another venue of the same act. */
function joinRoles(all: readonly DraftPrimitive[], best: DraftPrimitive): readonly RoleBinding[] {
  const ordered = [...all.filter((item) => item === best || isPromise(item)), ...all];
  const managers = new Set(all.flatMap(placesOf));
  const roles = ordered.flatMap(({ roles: own, venue, legs }) =>
    legs.length > 0 ? [...own, { role: 'venue', account: venue }] : own,
  );
  return distinctRoles(roles).filter(({ role, account }) => {
    if (role === 'venue' && account === best.venue) return false;
    return role !== 'owner' || managers.size < 2 || !managers.has(account);
  });
}

/** The strongest one's claims, and those that the others' legs bring along. */
function actClaims(
  [best, ...others]: readonly DraftPrimitive[],
  legs: readonly Leg[],
  promises: readonly DraftPrimitive[],
): readonly Claim[] {
  const further = others.flatMap(({ claims, legs: own, tags }) => {
    if (tags.includes(PER_ASSET)) return claims;
    return own.some((leg) => legs.includes(leg)) ? claims.filter(({ name }) => ISSUANCE.has(name)) : [];
  });
  return [...best!.claims, ...further, ...freed(promises, legs)];
}

/** The promised amounts are paid out: each amount that they state, or more of it. */
function freed(promises: readonly DraftPrimitive[], legs: readonly Leg[]): Claim[] {
  const words = promises.flatMap(({ portions }) =>
    portions.filter(({ role, amount }) => role === 'principal' && amount > 0n).map(({ amount }) => amount),
  );
  if (words.length === 0) return [];
  const operands = words.map((word) => ({ word }));
  const moved = legs.flatMap(({ movements }) => movements);
  return [evaluate('principal_was_freed', { words, legs }, operands, moved)];
}

/** Position details of several. A manager that names the position decides its portions. */
function joinDetail(
  items: readonly DraftPrimitive[],
): Pick<DraftPrimitive, 'about' | 'position' | 'portions'> {
  const named = items.filter((item) => item.position);
  const stating = named.some((item) => item.portions.length > 0) ? named : items;
  return {
    about: [...new Set(items.flatMap((item) => item.about))],
    position: named[0]?.position ?? null,
    portions: sumPortions(stating.map((item) => item.portions)),
  };
}

/** Adds up portions by asset, or by their position in the list where the asset is unknown. */
function sumPortions(lists: readonly (readonly DraftPortion[])[]): readonly DraftPortion[] {
  if (lists.every((list) => list.length === 0)) return NOTHING;
  const sums = new Map<string, DraftPortion>();
  for (const list of lists) {
    let place = 0;
    for (const portion of list) {
      const key = `${portion.role}|${portion.asset ?? place++}`;
      sums.set(key, { ...portion, amount: portion.amount + (sums.get(key)?.amount ?? 0n) });
    }
  }
  return [...sums.values()];
}

/** Adds a detail's interest, in the act's only asset or the one that goes with this position token. */
function withDetail(act: DraftPrimitive, { legs, portions }: DraftPrimitive): DraftPrimitive {
  const movements = new Set(legs.flatMap((leg) => leg.movements));
  const share = act.legs.find((leg) => leg.movements.some((m) => movements.has(m)));
  const beside = act.legs.filter(({ role }) => role === COUNTERPARTS[share?.role ?? '']);
  const own = beside.length > 0 ? beside : act.legs.filter(({ role }) => !SHARE_ROLES.has(role));
  const [asset, ...more] = new Set(own.map((leg) => leg.asset));
  const placed = portions.flatMap((p) =>
    p.asset !== null || (asset !== undefined && more.length === 0) ? { ...p, asset: p.asset ?? asset! } : [],
  );
  const stated = act.position !== null && act.portions.length > 0;
  return { ...act, portions: stated ? act.portions : sumPortions([act.portions, placed]) };
}

/** Without solved tags; portions with their assets, less impossible ones: more than was paid, or no leg. */
function settled(item: DraftPrimitive): Primitive {
  const tags = item.tags.filter((tag) => !SOLVED.has(tag));
  const own = tags.length === item.tags.length ? item : { ...item, tags };
  return isSettled(own) ? own : { ...own, portions: placedPortions(own) };
}

const isSettled = (item: DraftPrimitive): item is DraftPrimitive & { readonly portions: readonly never[] } =>
  item.portions.length === 0;

/** The portions that are possible, each with its asset. */
function placedPortions({ portions, legs }: DraftPrimitive): readonly Portion[] {
  const sums = new Map<AssetId, bigint>();
  for (const leg of legs)
    if (!SHARE_ROLES.has(leg.role)) sums.set(leg.asset, (sums.get(leg.asset) ?? 0n) + leg.amount);
  const assets = [...sums.keys()];
  const open = portions.filter((p) => p.asset === null);
  const stated = open.filter((p) => p.amount > 0n);
  const placed = open.length === assets.length ? open : stated.length === assets.length ? stated : [];
  const all = [
    ...portions.filter((p): p is Portion => p.asset !== null),
    ...placed.map((p, i): Portion => ({ ...p, asset: assets[i]! })),
  ];
  const possible = ({ role, asset, amount }: Portion): boolean =>
    role === 'principal' ? amount <= (sums.get(asset) ?? 0n) : amount > 0n;
  return all.filter(possible);
}
