import { Components } from '../../../lib/components.ts';
import { keyOf, distinctEvidence } from '../../../lib/evidence.ts';
import { lazy } from '../../../lib/lazy.ts';
import { addTo } from '../../../lib/lists.ts';
import { accountsWith, placesOf, sideKeys } from '../../../lib/roles.ts';
import { DEFERRED, DETAIL, isPromise, oneAct, PER_ASSET } from './oneAct.ts';
import { isRecognised } from '../../../lib/motifKinds.ts';
import type { KnownContracts } from '../match/provenProtocol.ts';
import type { Address } from '../../../model/hex.ts';
import type { CanonicalTx } from '../../../model/canonicalTx.ts';
import type { DraftPrimitive, Leg, Primitive } from '../../../model/primitive.ts';
import type { ValueFlow } from '../../../model/valueFlow.ts';

/** Events and calls of the same act. */
type Group = readonly DraftPrimitive[];

/**
 * Joins the events and calls of the same act, in execution order. They are of the same act where they are of
 * one kind and have a movement in the same role (a pool and its position manager, an event and the call that
 * caused it); where they are `per_asset` events of one owner at one venue; where one promises what the other
 * pays out; where one only adds `detail` to the other's movement; and where a call of a family names only
 * movements that events explain.
 */
export function joinTriggers(
  found: readonly DraftPrimitive[],
  tx: CanonicalTx,
  flow: Pick<ValueFlow, 'movements'>,
  known: KnownContracts,
): Primitive[] {
  const marked = markEnds(found, tx);
  const stated = lazy(() => statedByEvents(marked));
  // Acts by movements alone are an act each.
  const mayJoin = marked.length > 1 && marked.some(({ basis }) => basis !== 'structure');
  const acts: Primitive[] = [];
  for (const group of mayJoin ? groupsOf(marked, stated) : marked.map((item) => [item]))
    if (!isIdle(group))
      acts.push(oneAct(group.length > 1 ? withoutOthers(group, stated, flow.movements) : group, tx, known));
  return acts.sort((a, b) => a.seq - b.seq);
}

function groupsOf(found: Group, stated: () => Stated): readonly Group[] {
  const groups = new Components<DraftPrimitive>();
  const first = new Map<string, DraftPrimitive>();
  for (const item of found) for (const key of keysOf(item)) groups.link(first, key, item);
  const tagged = (wanted: string): boolean => found.some(({ tags }) => tags.includes(wanted));
  if (tagged(DEFERRED)) linkPromises(groups.of(found), groups);
  if (tagged(DETAIL)) linkDetails(found, groups);
  if (found.some(isFamilyCall)) linkEchoes(groups.of(found), groups, stated());
  return groups.of(found);
}

/** Promises that a contract of no known protocol made and did not pay here: only its word. */
function isIdle(group: Group): boolean {
  return group.every((item) => isPromise(item) && !isRecognised(item.protocol));
}

/** Acts of one key are one: a movement in a role, and of events for one asset each their owner. */
function keysOf({ basis, kind, venue, legs, roles, tags }: DraftPrimitive): readonly string[] {
  if (basis === 'structure') return [];
  const keys = legs.flatMap(({ role, movements }) => movements.map((m) => `${m} ${role} ${kind}`));
  return tags.includes(PER_ASSET) ? [...keys, `${kind}|${venue}|${accountsWith(roles, 'owner')[0]}`] : keys;
}

/** A promise goes with the next payout at its venue, of the same position where both name one. */
function linkPromises(found: readonly Group[], groups: Components<DraftPrimitive>): void {
  const open = new Map<string, DraftPrimitive[]>();
  for (const group of found) {
    const [first] = group as [DraftPrimitive];
    const venues = group.flatMap(placesOf);
    if (isPromise(first)) for (const venue of venues) addTo(open, venue, first);
    else if (isPayout(group)) {
      const kept = new Set(venues.flatMap((venue) => open.get(venue) ?? []));
      for (const promise of kept) {
        if (!aboutTheSame(promise, group)) continue;
        groups.join(promise, first);
        for (const venue of placesOf(promise))
          open.set(
            venue,
            open.get(venue)!.filter((other) => other !== promise),
          );
      }
    }
  }
}

/** Nothing but receipts; the position's own NFT may be burnt with it. */
function isPayout(group: Group): boolean {
  const legs = group.flatMap(({ legs: own, position }) => own.filter(({ asset }) => asset !== position));
  return legs.length > 0 && legs.every(({ role }) => role === 'out');
}

/** Positions that both name by the same contract's events must agree. */
function aboutTheSame({ about }: DraftPrimitive, group: Group): boolean {
  const emitter = (key: string): string => key.split('|', 2).join('|');
  const others = group.flatMap((item) => item.about);
  return about.every((key) => {
    const rivals = others.filter((other) => emitter(other) === emitter(key));
    return rivals.length === 0 || rivals.includes(key);
  });
}

/** A token's event about a movement (its part of interest) goes with the act that moved it, if any. */
function linkDetails(found: Group, groups: Components<DraftPrimitive>): void {
  const hosts = new Map<number, DraftPrimitive>();
  const details = found.filter(({ tags }) => tags.includes(DETAIL));
  for (const item of found)
    if (item.basis !== 'structure' && !item.tags.includes(DETAIL))
      for (const leg of item.legs) for (const m of leg.movements) hosts.set(m, item);
  for (const detail of details) {
    const movement = detail.legs.flatMap(({ movements }) => movements).find((m) => hosts.has(m));
    if (movement !== undefined) groups.join(hosts.get(movement)!, detail);
  }
}

/** Sides of movements, each with the last event about it. */
type Stated = ReadonlyMap<number, DraftPrimitive>;

/** A call of a family goes with the first event of another kind that explains its movements. */
function linkEchoes(found: readonly Group[], groups: Components<DraftPrimitive>, stated: Stated): void {
  const mayEcho = (group: Group): boolean =>
    group.every(isFamilyCall) && group.some(({ legs }) => legs.some(({ movements }) => movements.length > 0));
  for (const group of found.filter(mayEcho)) {
    const sides = group.flatMap(({ legs }) => legs.flatMap(sideKeys));
    if (sides.every((side) => stated.has(side))) groups.join(stated.get(sides[0]!)!, group[0]!);
  }
}

const isFamilyCall = ({ basis, protocol }: DraftPrimitive): boolean =>
  basis === 'call' && protocol?.matchedBy === 'family';

function statedByEvents(found: Group): Stated {
  const stated = new Map<number, DraftPrimitive>();
  for (const item of found)
    if (item.basis === 'event')
      for (const leg of item.legs) for (const side of sideKeys(leg)) stated.set(side, item);
  return stated;
}

/** The group of calls, beside an event of their kind, that leave a reward on the way out to its own event. */
function withoutOthers(group: Group, statedBy: () => Stated, all: ValueFlow['movements']): Group {
  if (!group.some(({ basis }) => basis === 'call')) return group;
  const stated = statedBy();
  const isOthers = (leg: Leg): boolean =>
    sideKeys(leg).some((side) => stated.has(side) && !group.includes(stated.get(side)!));
  const kinds = new Set(group.flatMap(({ basis, kind }) => (basis === 'event' ? kind : [])));
  return group.map((item) => {
    const others = item.basis === 'call' && kinds.has(item.kind) ? item.legs.filter(isOthers) : [];
    if (others.length === 0) return item;
    const places = new Set(others.flatMap(({ movements }) => movements.map((m) => keyOf(all[m]!.evidence))));
    return {
      ...item,
      legs: item.legs.filter((leg) => !others.includes(leg)),
      // The first is the call itself.
      evidence: item.evidence.filter((place, i) => i === 0 || !places.has(keyOf(place))),
    };
  });
}

/** Tags of mappings with an event that announces that the next act opens or closes the position. */
const NEXT: ReadonlyMap<string, string> = new Map([
  ['opens_next', 'opens'],
  ['closes_next', 'closes'],
]);

/**
 * Some events only occur with the first deposit to a position or the last withdrawal from it (collateral
 * switched on or off by itself), but also for reasons of their own. They count where the contract's very
 * next log is an act about the same thing.
 */
function markEnds(found: readonly DraftPrimitive[], tx: CanonicalTx): readonly DraftPrimitive[] {
  const hints = found.filter(isHint);
  if (hints.length === 0) return found;
  const hintAt = new Map(hints.map((hint) => [logOf(hint), hint]));
  const latest = new Map<Address, DraftPrimitive | undefined>();
  const marks = new Map<number | null, DraftPrimitive>();
  for (const { address, index } of tx.logs) {
    const before = latest.get(address);
    if (before) marks.set(index, before);
    latest.set(address, hintAt.get(index));
  }
  return found.map((item) => {
    const mark = marks.get(logOf(item));
    const marked = mark !== undefined && sameThing(mark.about, item.about);
    if (!marked && !isHint(item)) return item;
    const tags = item.tags.filter((tag) => !NEXT.has(tag));
    if (!marked) return { ...item, tags };
    return {
      ...item,
      tags: [...tags, ...mark.tags.flatMap((tag) => NEXT.get(tag) ?? [])],
      evidence: distinctEvidence([...item.evidence, ...mark.evidence]),
    };
  });
}

const logOf = ({ evidence }: DraftPrimitive): number | null => evidence[0]?.log ?? null;

const isHint = ({ tags }: DraftPrimitive): boolean => tags.some((tag) => NEXT.has(tag));

/** Keys of one contract's events of different shapes agree in all but the shape. */
function sameThing(a: readonly string[], b: readonly string[]): boolean {
  const values = (key: string): string => key.slice(key.indexOf('|'));
  return a.some((key) => b.some((other) => values(other) === values(key)));
}
