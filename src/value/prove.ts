import { functionOf } from '../evm/decodeArguments.ts';
import { keyOfLog } from '../evm/signatures.ts';
import { applies, signatureWords } from '../lib/lexicon.ts';
import { isRecognised, kindOf } from '../lib/motifKinds.ts';
import { accountsWith, isParty, SENT_ROLES, SHARE_ROLES } from '../lib/roles.ts';
import type { CanonicalTx, Evidence, Frame } from '../model/canonicalTx.ts';
import type { Confidence, Motif, ProofDoubt } from '../model/motif.ts';
import type { Leg, Primitive } from '../model/primitive.ts';
import type { AssetId, Movement, ValueFlow } from '../model/valueFlow.ts';
import { sumOf } from './amount.ts';
import { isIssuance, mergeNative } from './asset.ts';
import { balances, isConversion } from './balances.ts';
import { callersOf, isAtCallOf } from './frames.ts';
import { isListedAddress } from './tokenCall.ts';
import type { Address } from '../model/hex.ts';
import type { Rulebook } from '../model/rulebook.ts';
import type { Scene } from '../model/scene.ts';
import { wasTaken, type Suspects } from './suspectTokens.ts';

/** The material that the proof of an act may rest on. */
export interface ProofInput extends Omit<Scene, 'motifs'> {
  /** Left out: nothing is suspect. */
  readonly suspects?: Suspects;
}

/**
 * Why an act of one primitive is not proven; null where it is. Every invariant has to hold, and the act has
 * to be a plain movement, happen at a contract known by its address, or show itself in movements: any
 * contract can log an event, and only the event states the purpose of a one-sided payment. The name of a
 * function alone proves nothing, but at a listed contract.
 */
export function prove(act: Primitive, input: ProofInput): ProofDoubt | null {
  const { basis, protocol, claims, tags } = act;
  const known = isRecognised(protocol);
  const isDone = known ? isCarriedOut(act, input) : isOwnCall(act, input) || isBooked(act, input);
  if (basis === 'call' && !isDone) return 'function_name_only';
  if (claims.some(({ name, holds }) => name === 'amounts_agree' && !holds)) return 'amounts_differ';
  const wanted = kindOf(input.rulebook, act.kind).claims;
  const isClaimed =
    claims.every(({ holds }) => holds) && wanted.every((name) => claims.some((one) => one.name === name));
  if (!isClaimed || tags.some((tag) => UNPROVEN_TAGS.has(tag))) return 'unproven_motif';
  if (isSuspect(act, input) || !isAsked(act, input)) return 'unproven_motif';
  const shown = basis === 'structure' || (known && !isManaged(act, input)) || isShown(act, input);
  return shown ? null : 'unproven_motif';
}

/** A listed contract does as its function says; an exchange or a position needs a movement. */
function isCarriedOut({ kind, legs }: Primitive, { rulebook }: ProofInput): boolean {
  const { position, claims } = kindOf(rulebook, kind);
  return legs.length === 0
    ? position === null && claims.length === 0
    : legs.some(({ movements }) => movements.length > 0);
}

/** Why an act made of others is not proven: its own claims and each of its parts have to be. */
export function proveWhole({ claims }: Pick<Motif, 'claims'>, parts: readonly Motif[]): ProofDoubt | null {
  const holds = claims.every((i) => i.holds) && parts.every(({ status }) => status === 'Proven');
  return holds ? null : 'unproven_motif';
}

/** The lowest of these; `High` of none. */
export const lowestOf = (all: readonly Confidence[]): Confidence =>
  (['Low', 'Medium', 'High'] as const).find((level) => all.includes(level)) ?? 'High';

/** Structure that only suggests an act, and rules on trial. */
const UNPROVEN_TAGS: ReadonlySet<string> = new Set(['structural', 'experimental']);

/** A token under another's name, or a movement its source shows no part in: either can be made up. */
export function isSuspect(
  { venue, legs, basis, roles }: Pick<Primitive, 'venue' | 'legs' | 'basis' | 'roles'>,
  { suspects }: ProofInput,
): boolean {
  if (suspects === undefined) return false;
  // That an owner made a plain movement has no other witness than its token.
  const plain = basis === 'structure' && roles.some(({ role }) => role === 'owner');
  const doubted = plain ? suspects.unlisted : suspects.unverified;
  const isDoubted = ({ asset, movements }: Pick<Leg, 'asset' | 'movements'>): boolean =>
    suspects.impersonating.has(asset) || movements.some((index) => doubted.has(index));
  return suspects.impersonators.has(venue) || legs.some(isDoubted);
}

/**
 * No act is proven that took assets unasked; at a listed contract, none that took them for a position: a
 * market checks its makers' signatures, and its shares are burnt as it decides.
 */
function isAsked(act: Primitive, input: ProofInput): boolean {
  const { kind, legs, protocol, basis, roles } = act;
  const { flow, rulebook } = input;
  const unasked = input.suspects?.unasked;
  const known = isRecognised(protocol);
  if (known && kindOf(rulebook, kind).position === null) return isTaken(act, input);
  if (!unasked || unasked.size === 0) return true;
  if (basis === 'structure') {
    const moved = legs.flatMap(({ movements }) => movements);
    return !accountsWith(roles, 'owner').some((owner) => wasTaken(moved, owner, unasked, flow));
  }
  const isGiven = ({ role }: Leg, m: Movement): boolean =>
    known && (!SENT_ROLES.has(role) || isIssuance(m) || isListedAddress(m.from, rulebook));
  return legs.every((leg) => leg.movements.every((m) => !unasked.has(m) || isGiven(leg, flow.movements[m]!)));
}

/**
 * Whether the market or listed contracts that it called took each unlisted token, or its maker gave it. An
 * order that states no amount could come with any movement: only those that its market made count.
 */
function isTaken(act: Primitive, { suspects, flow, rulebook }: ProofInput): boolean {
  const { kind, legs, roles, venue } = act;
  const makers = new Set<Address>([venue, ...accountsWith(roles, 'maker')]);
  const isOrder = kindOf(rulebook, kind).trade === 'order';
  // Who was paid by the market may have passed it on.
  const isMade = (m: Movement, isSent: boolean): boolean =>
    suspects?.consent.isMadeBy(venue, m) !== false ||
    (!isSent && (flow.incoming.get(m.from) ?? []).some((index) => isPaid(flow.movements[index]!, m)));
  const isPaid = (one: Movement, m: Movement): boolean =>
    one.asset === m.asset && one.amount >= m.amount && isMade(one, true);
  return legs.every(({ role, movements, stated = null }) =>
    movements.every((index) => {
      const m = flow.movements[index]!;
      if (isOrder && stated === null && !isMade(m, SENT_ROLES.has(role))) return false;
      if (suspects?.unlisted.has(index) !== true || makers.has(m.from)) return true;
      return suspects.consent.isTakenBy(venue, m.from, flow.assets.get(m.asset)!.address!);
    }),
  );
}

/**
 * An unlisted manager made the NFT of a position that the venue's books name as the manager's own: only the
 * signer, at its own call, is proven to have it.
 */
function isManaged({ legs, venue }: Primitive, { tx, flow, rulebook }: ProofInput): boolean {
  const isWord = (m: Movement): boolean => {
    const { kind, address } = flow.assets.get(m.asset)!;
    if (kind !== 'erc721' || address === venue || holderOf(m, flow) === tx.from) return false;
    return !isListedAddress(address!, rulebook);
  };
  const shares = legs.filter(({ role }) => SHARE_ROLES.has(role));
  return shares.some(({ movements }) => movements.some((m) => isWord(flow.movements[m]!)));
}

/** Whether every account an unlisted contract's act names has a part in it beyond the contract's word. */
function isShown(act: Primitive, input: ProofInput): boolean {
  return takesPart(act, input) && (exchanges(act, input) || isBooked(act, input) || isOwnCall(act, input));
}

/**
 * Whether its one party signed and called the contract itself, by a function that is named for such an act:
 * what it asked for and got, with no books changed and nobody else named. A call alone states the amount.
 */
function isOwnCall(act: Primitive, { tx, rulebook }: ProofInput): boolean {
  const { kind, basis, legs } = act;
  const isStated = legs.length > 0 && legs.every(({ exact, stated = null }) => exact && stated !== null);
  if ((basis === 'call' && !isStated) || !isOfSigner(act, tx)) return false;
  return isCalledFor(kind, tx, rulebook);
}

/** Whether the signer called a function named for an act of this kind, one that changes no position. */
export function isCalledFor(kind: string, tx: CanonicalTx, rulebook: Rulebook): boolean {
  const { position, trade } = kindOf(rulebook, kind);
  if (position !== null || trade !== null) return false;
  const words = signatureWords('call', functionOf(tx, rulebook.signatures));
  return rulebook.lexicon.some((e) => e.kind === kind && e.names.length > 0 && applies(e, words));
}

/** Whether the signer called the contract that speaks, which names no other party. */
const isOfSigner = ({ venue, roles, evidence }: Primitive, tx: CanonicalTx): boolean =>
  venue === tx.to &&
  evidence[0]!.contract === venue &&
  roles.every(({ role, account }) => !isParty(role) || account === tx.from || account === venue);

/** Each account named in the act signed, or is an end of a movement; shares are their owner's. */
function takesPart({ venue, roles, legs }: Primitive, { tx, flow }: ProofInput): boolean {
  const moved = (some: readonly Leg[]): readonly Movement[] =>
    some.flatMap(({ movements }) => movements.map((m) => flow.movements[m]!));
  const ends = new Set(moved(legs).flatMap(({ from, to }) => [from, to]));
  const shares = moved(legs.filter(({ role }) => SHARE_ROLES.has(role)));
  const holders = new Set(shares.map((m) => holderOf(m, flow)));
  return roles.every(({ role, account }) => {
    if (!isParty(role) || account === venue) return true;
    if (role === 'caller' && isAtCallOf(venue, account, tx)) return true;
    const acts = account === tx.from;
    if (role === 'owner' && holders.size > 0) return holders.has(account) || (holders.has(venue) && acts);
    return acts || ends.has(account);
  });
}

/** Whether movements carry both sides of an exchange that leaves no position behind. */
function exchanges({ kind, legs }: Primitive, { rulebook }: ProofInput): boolean {
  const carries = (sent: boolean): boolean =>
    legs.some(({ role, movements }) => movements.length > 0 && SENT_ROLES.has(role) === sent);
  return kindOf(rulebook, kind).position === null && carries(true) && carries(false);
}

/** Positions that shares show. A debt cannot be held: that it ever was is its contract's word. */
const OWN_BOOKS: ReadonlySet<string> = new Set(['liquidity', 'lending_supply', 'stake', 'vault']);

/**
 * The gate for books of an unlisted contract: both sides have to be found afterwards, to the unit. It made
 * its own shares, which their holder keeps, and keeps what it took; or it destroyed shares that its holder
 * had, and what it gave was there before. An event, a name, or an answer of its own stands in for neither,
 * and a call of a token deposits nothing; the signer's own call of the contract may stand in for the event.
 * A contract that a protocol lists is known, or runs its callers' code.
 */
function isBooked(act: Primitive, input: ProofInput): boolean {
  const { basis, legs, venue } = act;
  const isCalled = basis === 'call' && isOfSigner(act, input.tx);
  if ((basis !== 'event' && !isCalled) || input.rulebook.protocolAt.has(venue)) return false;
  const shares = legs.filter(({ role }) => SHARE_ROLES.has(role));
  const assets = legs.filter(({ role }) => !SHARE_ROLES.has(role));
  if (!(isCalled || assets.every(({ exact }) => exact)) || isTokenCall(act, input)) return false;
  // Shares at a rate of their own are a vault's; one to one they may as well be a stake's or a loan's.
  return (
    meansBooks(act, sumOf(shares) !== sumOf(assets), input) &&
    isIn(act, shares, input) &&
    isIn(act, assets, input)
  );
}

/** Whether it means a position that shares show, and no other act; a call only at a rate, by the signer. */
function meansBooks(act: Primitive, atRate: boolean, input: ProofInput): boolean {
  const { basis, kind, evidence } = act;
  const { position, trade } = kindOf(input.rulebook, kind);
  const isClear = basis === 'call' ? atRate && evidence[0]!.frame === 0 : atRate || trade !== 'shares';
  return isClear && OWN_BOOKS.has(position?.category ?? '') && meansOneKind(act, !atRate, input);
}

/**
 * Whether each of its events and calls means one kind of act, and one of them this kind: to the families any
 * contract may be of, or to listed protocols too.
 */
function meansOneKind(act: Primitive, listed: boolean, { tx, rulebook }: ProofInput): boolean {
  const { kind, basis, evidence } = act;
  const specOf = ({ log, frame }: Evidence) => {
    const selector = basis === 'call' && log === null ? tx.frames[frame!]!.selector : null;
    return (
      rulebook.calls.get(selector ?? '0x') ??
      rulebook.events.get(keyOfLog(tx.logs[log ?? -1] ?? { topics: [] }))
    );
  };
  const kinds = evidence.flatMap((one) => {
    const all = specOf(one)?.mappings ?? [];
    const mappings = listed ? all : all.filter(({ anyEmitter }) => anyEmitter);
    return mappings.length > 0 ? [new Set(mappings.map((m) => m.kind))] : [];
  });
  return kinds.some((one) => one.has(kind)) && kinds.every(({ size }) => size === 1);
}

/**
 * Whether these legs lie where they ended: the venue's own shares, made or destroyed, with their holder, its
 * assets with the venue or the contract of its shares; and nothing of them went back the other way.
 */
function isIn(act: Primitive, legs: readonly Leg[], input: ProofInput): boolean {
  const { flow } = input;
  const exclude = (m: Movement): boolean => isConversion(m, flow);
  const stays = (account: Address, { asset, to }: Movement): boolean => {
    const own = balances(flow, account, { exclude }).get(mergeNative(asset, flow));
    return (to === account ? own?.sent : own?.received) === 0n;
  };
  const isOne = (m: Movement, { role }: Leg): boolean => {
    const end = SENT_ROLES.has(role) ? m.to : m.from;
    if (!SHARE_ROLES.has(role)) return keepsBooks(act, end, input) && stays(end, m);
    const token = flow.assets.get(m.asset)?.address;
    // Some make and destroy shares only for themselves, and hand them over or take them back.
    const isMade = isIssuance(m) || end === token;
    return !!token && keepsBooks(act, token, input) && isMade && stays(holderOf(m, flow), m);
  };
  const isWhole = (leg: Leg): boolean => leg.movements.every((m) => isOne(flow.movements[m]!, leg));
  return legs.length > 0 && legs.every((leg) => leg.movements.length > 0 && isWhole(leg));
}

/**
 * Whether this is the venue, or the contract of its shares: one that acts at the venue's call alone and dealt
 * in nothing else, or at whose call alone the venue acts. A contract that a protocol lists, or that sells to
 * its callers, has the venue as a customer.
 */
function keepsBooks({ venue, legs }: Primitive, account: Address, input: ProofInput): boolean {
  const { tx, flow, rulebook } = input;
  const isOf = ({ asset }: Leg): boolean => flow.assets.get(asset)?.address === account;
  const dealtIn = (asset: AssetId): boolean => legs.some((leg) => leg.asset === asset);
  if (account === venue) return true;
  if (rulebook.protocolAt.has(account) || !legs.some((leg) => SHARE_ROLES.has(leg.role) && isOf(leg)))
    return false;
  const isMinted =
    isAtCallOf(account, venue, tx) && [...(flow.ledgers.get(account)?.keys() ?? [])].every(dealtIn);
  return isMinted || isAtCallOf(venue, account, tx);
}

/** The holder of shares that were made, destroyed, handed over by their contract or taken back. */
const holderOf = ({ kind, from, to, asset }: Movement, { assets }: ValueFlow): Address =>
  kind === 'mint' || from === assets.get(asset)?.address ? to : from;

/** Whether a call of an unlisted token that moves or allows led to the act: it asks for no books. */
function isTokenCall({ evidence }: Primitive, { tx, rulebook }: ProofInput): boolean {
  const isOne = ({ selector, to }: Frame): boolean => {
    const spec = selector === null ? undefined : rulebook.tokenCalls.get(selector);
    return spec !== undefined && (spec.to ?? spec.spender) !== null && !isListedAddress(to!, rulebook);
  };
  return evidence.some(
    ({ log }) => log !== null && callersOf(tx.frames[tx.logs[log]!.within ?? 0]!, tx).some(isOne),
  );
}
