import { mergeNative } from '../../value/asset.ts';
import { carriersOf, issuersOf } from '../../value/parties.ts';
import { changesPosition, isRecognised } from '../../lib/motifKinds.ts';
import { addTo } from '../../lib/lists.ts';
import { accountsWith, SENT_ROLES, SHARE_ROLES, sideKeys } from '../../lib/roles.ts';
import { ZERO_ADDRESS } from '../../evm/hex.ts';
import { decide, rivalOf, type Rival } from '../../value/winner.ts';
import { topOf, type MotifDraft, type MotifInput } from './draftMotif.ts';
import type { Address } from '../../model/hex.ts';
import type { JoinReason, Leg } from '../../model/primitive.ts';
import type { ValueFlow } from '../../model/valueFlow.ts';

type Input = Pick<MotifInput, 'tx' | 'flow' | 'rulebook'>;

/** An act that is a part of another, and why; composites state no reason for theirs. */
interface Part {
  readonly part: MotifDraft;
  readonly whole: MotifDraft;
  readonly reason: JoinReason | undefined;
}

/** A kind of link finds its parts one by one: each depends on the wholes that those before it have. */
type Link = (drafts: readonly MotifDraft[], input: Input) => Iterable<Part>;

/** Every way in which one act is a part of another, the strongest first. */
const LINKS: readonly Link[] = [composed, sharingSides, carried];

/** Gives every side of a movement (sent or received) to one act that is part of no other. */
export function assignOwners(drafts: readonly MotifDraft[], input: Input): void {
  if (drafts.length < 2) return;
  for (const link of LINKS)
    for (const { part, whole, reason } of link(drafts, input)) {
      part.whole = whole;
      part.reason = reason;
    }
}

/** Acts that a composite is made of. */
function* composed(drafts: readonly MotifDraft[]): Iterable<Part> {
  for (const whole of drafts)
    for (const part of whole.children) if (part.whole === null) yield { part, whole, reason: undefined };
}

/** Of two acts that want one side of a movement the weaker one, or the one that has no others. */
function* sharingSides(drafts: readonly MotifDraft[], input: Input): Iterable<Part> {
  const owners = new Map<number, MotifDraft>();
  for (const draft of drafts)
    for (const side of draft.legs.flatMap(sideKeys)) {
      const owner = owners.get(side);
      if (!owner) owners.set(side, draft);
      else if (topOf(owner) !== topOf(draft)) yield weakerOf(topOf(owner), topOf(draft), input);
    }
}

function weakerOf(one: MotifDraft, other: MotifDraft, { tx }: Input): Part {
  const ranks = decide(rankOf(one, tx), rankOf(other, tx));
  const contained = isPart(one, other) - isPart(other, one);
  const [whole, part] = (contained || ranks.order) > 0 ? [other, one] : [one, other];
  return { part, whole, reason: contained === 0 ? ranks.reason : 'whole' };
}

const rankOf = (act: MotifDraft, { frames }: Input['tx']): Rival => rivalOf(act, act.scopeFrame, frames);

/** 1 where the other act has all of this one's movements, or is of a kind that is composed of others. */
function isPart(part: MotifDraft, whole: MotifDraft): 0 | 1 {
  return whole.traits.composite || has(whole, part) ? 1 : 0;
}

/** Movements are in order. */
function has(whole: MotifDraft, part: MotifDraft): boolean {
  let at = 0;
  for (const index of part.movements) {
    while (at < whole.movements.length && whole.movements[at]! < index) at++;
    if (whole.movements[at] !== index) return false;
  }
  return true;
}

/**
 * Acts that only carried another's value on. Both lie on the way of one amount: either both took it in, or
 * paid it out (as a vault does with a deposit), or it is the token of a position that one act made and the
 * other used up (as a zap does first).
 */
function* carried(drafts: readonly MotifDraft[], input: Input): Iterable<Part> {
  const acts = drafts.filter((draft) => draft.whole === null && changesPosition(draft));
  if (acts.length < 2) return;
  yield* insideVaults(acts);
  yield* alongWays(acts, input);
}

/** Acts of an issuer of shares in its own name while it made or redeemed them. */
function* insideVaults(acts: readonly MotifDraft[]): Iterable<Part> {
  const key = (account: Address, { traits }: MotifDraft): string => `${account} ${traits.position?.effect}`;
  const vaults = new Map<string, MotifDraft>();
  for (const act of acts) if (sharesOf(act).length > 0) vaults.set(key(act.venue, act), act);
  for (const act of acts) {
    const owner = ownerOf(act);
    const vault = owner && vaults.get(key(owner, act));
    if (vault && topOf(vault) !== act) yield* carriedBy(vault, act);
  }
}

/** A leg of an act, where the way of an amount passes it. */
type Stop = ReturnType<typeof stopOf>;
const stopOf = (act: MotifDraft, role: string) => {
  return { act, isSent: SENT_ROLES.has(role), isShare: SHARE_ROLES.has(role) };
};

function* alongWays(acts: readonly MotifDraft[], input: Input): Iterable<Part> {
  const { flow } = input;
  const stops = stopsOf(acts, flow);
  for (const way of waysOf(flow)) {
    let last: Stop | null = null;
    let passers = new Set<Address>();
    for (const at of way) {
      for (const stop of stops.get(at) ?? []) {
        if (last && topOf(last.act) !== topOf(stop.act)) yield* between(last, stop, passers, input);
        last = stop;
        passers = new Set();
      }
      passers.add(flow.movements[at]!.to);
    }
  }
}

/** The legs of acts by movement; its receiver's first, who may send it on. */
function stopsOf(acts: readonly MotifDraft[], flow: ValueFlow): ReadonlyMap<number, readonly Stop[]> {
  const stops = new Map<number, Stop[]>();
  const issued = issuersOf(flow);
  for (const act of acts) {
    for (const { role, movements } of act.legs)
      for (const at of movements) addTo(stops, at, stopOf(act, role));
    const own = issued.get(act.venue);
    if (own === undefined || sharesOf(act).length > 0) continue;
    // Shares that a vault made for itself, to stake them for the depositor.
    const [holder, role] = own.kind === 'mint' ? [own.to, 'share_out'] : [own.from, 'share_in'];
    if (holder === act.venue) addTo(stops, own.index, stopOf(act, role));
  }
  for (const here of stops.values()) here.sort((a, b) => Number(a.isSent) - Number(b.isSent));
  return stops;
}

/** Movements of one asset and amount, each from an account that an earlier one reached. */
function waysOf(flow: ValueFlow): Iterable<readonly number[]> {
  const ways = new Set<number[]>();
  const known = new Map<string, number[]>();
  for (const { index, asset, amount, from, to } of flow.movements) {
    const key = `${mergeNative(asset, flow)} ${amount} `;
    const way = known.get(key + from) ?? [];
    known.delete(key + from);
    way.push(index);
    ways.add(way);
    if (to !== ZERO_ADDRESS) known.set(key + to, way);
  }
  return ways;
}

function* between(earlier: Stop, later: Stop, passers: ReadonlySet<Address>, input: Input): Iterable<Part> {
  const [first, second] = [topOf(earlier.act), topOf(later.act)];
  if (earlier.isSent === later.isSent) {
    if (earlier.isShare || later.isShare) return;
    yield* later.isSent ? passedOn(first, second, passers, input) : passedOn(second, first, passers, input);
  } else if (later.isSent && earlier.isShare !== later.isShare) {
    const [part, whole] = earlier.isShare ? [earlier.act, second] : [later.act, first];
    if (part.whole === null && usesUp(part, passers, input)) yield* carriedBy(whole, part);
  }
}

/** Whether none of its position's token stayed on the way. Of two tokens that it made one may stay. */
function usesUp(part: MotifDraft, passers: ReadonlySet<Address>, { tx, flow }: Input): boolean {
  const carriers = carriersOf(flow);
  const passesOn = (one: Address): boolean => one !== tx.from && carriers.has(one);
  const tokens = new Set(sharesOf(part).map(({ asset }) => asset));
  return tokens.size < 2 && [...passers].every((one) => one === part.venue || passesOn(one));
}

function sharesOf({ legs }: MotifDraft): readonly Leg[] {
  return legs.filter(({ role }) => SHARE_ROLES.has(role));
}

/**
 * Of two acts about one amount the part is the one with its token or owner on the way. Of two in the name of
 * one owner, or of whoever paid for it, it is the less known.
 */
function* passedOn(
  outer: MotifDraft,
  inner: MotifDraft,
  passers: ReadonlySet<Address>,
  { tx, flow }: Input,
): Iterable<Part> {
  const isKept = keepsToken(outer, passers, flow);
  const owner = ownerOf(inner);
  if (keepsToken(inner, passers, flow)) {
    if (!isKept) yield* carriedBy(inner, outer);
  } else if (owner === undefined || passers.has(owner)) {
    if (owner !== tx.from) yield* carriedBy(outer, inner);
  } else if (owner === ownerOf(outer) || accountsWith(outer.participants, 'payer').includes(owner)) {
    const isWeaker = !isKept && decide(rankOf(outer, tx), rankOf(inner, tx)).order > 0;
    yield* isWeaker ? carriedBy(inner, outer) : carriedBy(outer, inner);
  }
}

function ownerOf({ participants }: MotifDraft): Address | undefined {
  return accountsWith(participants, 'owner')[0] ?? accountsWith(participants, 'borrower')[0];
}

/** Whether the act's position token is of an account that did not pass the amount on. */
function keepsToken(act: MotifDraft, passers: ReadonlySet<Address>, { movements }: ValueFlow): boolean {
  return sharesOf(act).some(({ role, movements: own }) =>
    own.some((at) => !passers.has(SENT_ROLES.has(role) ? movements[at]!.from : movements[at]!.to)),
  );
}

/** The part, or the whole where only that is known; none where neither may speak for the other. */
function* carriedBy(whole: MotifDraft, part: MotifDraft): Iterable<Part> {
  const isLessKnown =
    (isRecognised(part.protocol) && !isRecognised(whole.protocol)) ||
    (part.doubt === null && whole.doubt !== null);
  const speaks = !isLessKnown || ownerOf(part) === whole.venue;
  // Any contract may log an event; it speaks for its own acts, never for a better known act of another's.
  if (speaks) yield { part, whole, reason: 'carried' };
  else if (part.kind === whole.kind && sharesOf(whole).length === 0)
    yield { part: whole, whole: part, reason: 'carried' };
}
