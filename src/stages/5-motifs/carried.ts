import { mergeNative } from '../../value/asset.ts';
import { carriersOf, issuersOf } from '../../value/parties.ts';
import { changesPosition, isRecognised, kindOf } from '../../lib/motifKinds.ts';
import { addTo } from '../../lib/lists.ts';
import { accountsWith, SENT_ROLES, SHARE_ROLES } from '../../lib/roles.ts';
import { ZERO_ADDRESS } from '../../evm/hex.ts';
import { decide, rivalOf } from '../../value/winner.ts';
import { topOf, type MotifDraft, type MotifInput } from './draftMotif.ts';
import type { Address } from '../../model/hex.ts';
import type { Leg } from '../../model/primitive.ts';
import type { ValueFlow } from '../../model/valueFlow.ts';

type Input = Pick<MotifInput, 'tx' | 'flow' | 'rulebook'>;

/** A leg of an act, where the way of an amount passes it. */
interface Stop {
  readonly act: MotifDraft;
  readonly isSent: boolean;
  readonly isShare: boolean;
}

const stopOf = (act: MotifDraft, role: string): Stop => {
  return { act, isSent: SENT_ROLES.has(role), isShare: SHARE_ROLES.has(role) };
};

/**
 * Makes an act that only carried another's value on a part of it. Both lie on the way of one amount: either
 * both took it in, or paid it out (as a vault does with a deposit), or it is the token of a position that
 * one act made and the other used up (as a zap does first).
 */
export function nestCarried(drafts: readonly MotifDraft[], input: Input): void {
  const { flow, rulebook } = input;
  const acts = drafts.filter((draft) => draft.whole === null && changesPosition(rulebook, draft));
  if (acts.length < 2) return;
  nestInVaults(acts, input);
  const stops = new Map<number, Stop[]>();
  const issued = issuersOf(flow);
  for (const act of acts) {
    for (const { role, movements } of act.legs)
      for (const at of movements) addTo(stops, at, stopOf(act, role));
    const own = issued.get(act.venue);
    // Shares that a vault made for itself, to stake them for the depositor.
    if (own && (own.kind === 'mint' ? own.to : own.from) === act.venue && sharesOf(act).length === 0)
      addTo(stops, own.index, stopOf(act, own.kind === 'mint' ? 'share_out' : 'share_in'));
  }
  for (const way of waysOf(flow, rulebook.wrappedNative)) {
    let last: Stop | null = null;
    let passers = new Set<Address>();
    for (const at of way) {
      const here = stops.get(at) ?? [];
      // Its receiver may send it on.
      for (const stop of [...here.filter((s) => !s.isSent), ...here.filter((s) => s.isSent)]) {
        if (last) link(last, stop, passers, input);
        last = stop;
        passers = new Set();
      }
      passers.add(flow.movements[at]!.to);
    }
  }
}

/** Acts of an issuer of shares in its own name while it made or redeemed them. */
function nestInVaults(acts: readonly MotifDraft[], { rulebook }: Input): void {
  const key = (account: Address, { kind }: MotifDraft): string =>
    `${account} ${kindOf(rulebook, kind).position?.effect}`;
  const vaults = new Map<string, MotifDraft>();
  for (const act of acts) if (sharesOf(act).length > 0) vaults.set(key(act.venue, act), act);
  for (const act of acts) {
    const owner = ownerOf(act);
    const vault = owner && vaults.get(key(owner, act));
    if (vault && topOf(vault) !== act) nestIn(act, vault);
  }
}

/** Movements of one asset and amount, each from an account that an earlier one reached. */
function waysOf({ movements }: ValueFlow, wrappedNative: ReadonlySet<Address>): Iterable<readonly number[]> {
  const ways = new Set<number[]>();
  const known = new Map<string, number[]>();
  for (const { index, asset, amount, from, to } of movements) {
    const key = `${mergeNative(asset, wrappedNative)} ${amount} `;
    const way = known.get(key + from) ?? [];
    known.delete(key + from);
    way.push(index);
    ways.add(way);
    if (to !== ZERO_ADDRESS) known.set(key + to, way);
  }
  return ways;
}

function link(earlier: Stop, later: Stop, passers: ReadonlySet<Address>, input: Input): void {
  const [first, second] = [topOf(earlier.act), topOf(later.act)];
  if (first === second) return;
  if (earlier.isSent === later.isSent) {
    if (earlier.isShare || later.isShare) return;
    const [outer, inner] = later.isSent ? [first, second] : [second, first];
    linkPassedOn(outer, inner, passers, input);
  } else if (later.isSent && earlier.isShare !== later.isShare) {
    const [part, whole] = earlier.isShare ? [earlier.act, second] : [later.act, first];
    const carriers = carriersOf(input.flow, input.rulebook.wrappedNative);
    const isUsedUp = [...passers].every(
      (one) => one === part.venue || (one !== input.tx.from && carriers.has(one)),
    );
    // Of two tokens that it made one may stay.
    if (isUsedUp && part.whole === null && new Set(sharesOf(part).map(({ asset }) => asset)).size < 2)
      nestIn(part, whole);
  }
}

function sharesOf({ legs }: MotifDraft): readonly Leg[] {
  return legs.filter(({ role }) => SHARE_ROLES.has(role));
}

/**
 * Of two acts about one amount the part is the one with its token or owner on the way. Of two in the name of
 * one owner it is the less known.
 */
function linkPassedOn(
  outer: MotifDraft,
  inner: MotifDraft,
  passers: ReadonlySet<Address>,
  { tx: { frames, from }, flow }: Input,
): void {
  const isKept = keepsToken(outer, passers, flow);
  const owner = ownerOf(inner);
  if (keepsToken(inner, passers, flow)) {
    if (!isKept) nestIn(outer, inner);
  } else if (owner === undefined || passers.has(owner)) {
    if (owner !== from) nestIn(inner, outer);
  } else if (owner === ownerOf(outer)) {
    const [one, other] = [outer, inner].map((act) => rivalOf(act, act.scopeFrame, frames));
    if (isKept || decide(one!, other!).order <= 0) nestIn(inner, outer);
    else nestIn(outer, inner);
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

function nestIn(part: MotifDraft, whole: MotifDraft): void {
  const isLessKnown =
    (isRecognised(part.protocol) && !isRecognised(whole.protocol)) ||
    (part.doubt === null && whole.doubt !== null);
  const speaks = !isLessKnown || ownerOf(part) === whole.venue;
  // Any contract may log an event; it speaks for its own acts, never for a better known act of another's.
  if (!speaks && (part.kind !== whole.kind || sharesOf(whole).length > 0)) return;
  const [inner, outer] = speaks ? [part, whole] : [whole, part];
  inner.whole = outer;
  inner.reason = 'carried';
}
