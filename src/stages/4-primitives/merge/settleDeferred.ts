import { addTo } from '../../../lib/lists.ts';
import { isRecognised } from '../../../lib/motifKinds.ts';
import { distinctEvidence, distinctRoles, joinedDetail } from './mergeDuplicates.ts';
import type { OpenPrimitive } from '../structure/context.ts';
import type { Address } from '../../../model/hex.ts';

/** Tag of mappings with an event that announces a payout by a later event of the same venue. */
const DEFERRED = 'deferred';
/** Tag of mappings with an event for one asset of an act over several. */
const PER_ASSET = 'per_asset';

/**
 * Joins several events of one act: a promise (`deferred`) takes the legs of the next payout at its venue that
 * has only outgoing legs, of the same position where both name one, and events of one act over several assets
 * (`per_asset`) become one.
 */
export function settleDeferred(found: readonly OpenPrimitive[]): readonly OpenPrimitive[] {
  if (!found.some(({ tags }) => tags.includes(DEFERRED) || tags.includes(PER_ASSET))) return found;
  const open = new Map<Address, OpenPrimitive[]>();
  const acts = new Map<string, OpenPrimitive[]>();
  const settled = new Set<OpenPrimitive>();
  const kept: (OpenPrimitive | readonly OpenPrimitive[])[] = [];
  for (const item of found) {
    if (isPromise(item)) {
      for (const venue of venuesOf(item)) addTo(open, venue, item);
      kept.push(item);
    } else if (item.tags.includes(PER_ASSET)) {
      const act = addTo(acts, actKey(item), item);
      if (act.length === 1) kept.push(act);
    } else if (isPayout(item)) {
      const promises = takePromises(open, item);
      for (const promise of promises) settled.add(promise);
      kept.push(promises.length > 0 ? settle(promises, item) : item);
    } else kept.push(item);
  }
  return kept.flatMap((item) => ('kind' in item ? (settled.has(item) ? [] : [item]) : [oneAct(item)]));
}

function actKey({ kind, venue, roles }: OpenPrimitive): string {
  return `${kind}|${venue}|${roles.find(({ role }) => role === 'owner')?.account}`;
}

const isPromise = ({ tags, legs }: OpenPrimitive): boolean => tags.includes(DEFERRED) && legs.length === 0;

const isPayout = ({ legs }: OpenPrimitive): boolean =>
  legs.length > 0 && legs.every(({ role }) => role === 'out');

/** Takes the promises that a payout settles off the lists by venue. */
function takePromises(open: Map<Address, OpenPrimitive[]>, payout: OpenPrimitive): OpenPrimitive[] {
  const promises = new Set(venuesOf(payout).flatMap((venue) => open.get(venue) ?? []));
  for (const promise of promises) if (!aboutTheSame(promise, payout)) promises.delete(promise);
  for (const venue of new Set([...promises].flatMap(venuesOf)))
    open.set(
      venue,
      open.get(venue)!.filter((promise) => !promises.has(promise)),
    );
  return [...promises];
}

function venuesOf(item: OpenPrimitive): Address[] {
  const venues = [item.venue];
  for (const { role, account } of item.roles) if (role === 'venue') venues.push(account);
  return venues;
}

/** Positions that both name by the same contract's events must agree. */
function aboutTheSame(promise: OpenPrimitive, payout: OpenPrimitive): boolean {
  const agreements = promise.about.flatMap((key) => {
    const rivals = payout.about.filter((other) => speaker(other) === speaker(key));
    return rivals.length === 0 ? [] : [rivals.includes(key)];
  });
  return agreements.every((same) => same);
}

const speaker = (key: string): string => key.split('|', 2).join('|');

function settle(promises: readonly OpenPrimitive[], payout: OpenPrimitive): OpenPrimitive {
  const known = promises.find(({ protocol }) => isRecognised(protocol)) ?? promises.at(-1)!;
  const all = [...promises, payout];
  const { about, position, portions } = joinedDetail(all);
  return {
    ...payout,
    kind: known.kind,
    protocol: isRecognised(payout.protocol) ? payout.protocol : known.protocol,
    roles: distinctRoles(
      all.flatMap((p) => p.roles),
      new Set(all.flatMap(venuesOf)),
    ),
    invariants: [...payout.invariants, { name: 'principal_was_freed', holds: true }],
    tags: [...new Set(all.flatMap((p) => p.tags))].filter((tag) => tag !== DEFERRED),
    evidence: distinctEvidence(all.flatMap((p) => p.evidence)),
    about,
    position,
    portions,
  };
}

function oneAct(parts: readonly OpenPrimitive[]): OpenPrimitive {
  const invariants = new Map<string, boolean>();
  for (const part of parts)
    for (const { name, holds } of part.invariants)
      invariants.set(name, holds && (invariants.get(name) ?? true));
  const { about, position, portions } = joinedDetail(parts);
  return {
    ...parts[0]!,
    seq: parts.reduce((last, p) => Math.max(last, p.seq), 0),
    roles: distinctRoles(
      parts.flatMap((p) => p.roles),
      NO_VENUES,
    ),
    legs: parts.flatMap((p) => p.legs),
    invariants: [...invariants].map(([name, holds]) => ({ name, holds })),
    tags: parts[0]!.tags.filter((tag) => tag !== PER_ASSET),
    evidence: distinctEvidence(parts.flatMap((p) => p.evidence)),
    about,
    position,
    portions,
  };
}

const NO_VENUES: ReadonlySet<Address> = new Set();
