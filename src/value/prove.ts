import { isRecognised, kindOf } from '../lib/motifKinds.ts';
import { isParty, SENT_ROLES, SHARE_ROLES } from '../lib/roles.ts';
import type { CanonicalTx } from '../model/canonicalTx.ts';
import type { Motif, ProofDoubt } from '../model/motif.ts';
import type { Leg, Primitive } from '../model/primitive.ts';
import type { Rulebook } from '../model/rulebook.ts';
import type { Movement, ValueFlow } from '../model/valueFlow.ts';
import { sumOf } from './amount.ts';
import { isIssuance } from './asset.ts';
import type { Suspects } from './suspectTokens.ts';

/** The material that the proof of an act may rest on. */
export interface ProofInput {
  readonly tx: CanonicalTx;
  readonly flow: ValueFlow;
  readonly rulebook: Rulebook;
  /** Left out: nothing is suspect. */
  readonly suspects?: Suspects;
}

/**
 * Why an act of one primitive is not proven; null where it is. Every invariant has to hold, and the act has
 * to be a plain movement, happen at a contract known by its address, or show itself in movements: any
 * contract can log an event, and only the event states the purpose of a one-sided payment. The name of a
 * function alone proves nothing.
 */
export function prove(act: Primitive, input: ProofInput): ProofDoubt | null {
  const { basis, protocol, invariants, tags, legs } = act;
  const known = isRecognised(protocol);
  if (basis === 'call' && (!known || legs.every(({ movements }) => movements.length === 0)))
    return 'function_name_only';
  const failed = invariants.filter(({ holds }) => !holds);
  if (failed.some(({ name }) => name === 'amounts_agree')) return 'amounts_differ';
  const missing = kindOf(input.rulebook, act.kind).claims.some(
    (name) => !invariants.some((one) => one.name === name),
  );
  const doubted = missing || failed.length > 0 || tags.some((tag) => UNPROVEN_TAGS.has(tag));
  if (doubted || isSuspect(act, input)) return 'unproven_motif';
  const shown = basis === 'structure' || known || isShown(act, input);
  return shown ? null : 'unproven_motif';
}

/** Why an act made of others is not proven: its own invariants and each of its parts have to be. */
export function proveWhole(
  { invariants }: Pick<Motif, 'invariants'>,
  parts: readonly Motif[],
): ProofDoubt | null {
  const holds = invariants.every((i) => i.holds) && parts.every(({ status }) => status === 'Proven');
  return holds ? null : 'unproven_motif';
}

/** Structure that only suggests an act, and rules on trial. */
const UNPROVEN_TAGS: ReadonlySet<string> = new Set(['structural', 'experimental']);

/**
 * A token under another's name, or a movement its source shows no part in: a stranger's contract can make up
 * either.
 */
export function isSuspect(
  { venue, legs, basis, roles }: Pick<Primitive, 'venue' | 'legs' | 'basis' | 'roles'>,
  { suspects }: ProofInput,
): boolean {
  if (suspects === undefined) return false;
  // That an owner made a plain movement has no other witness than its token.
  const plain = basis === 'structure' && roles.some(({ role }) => role === 'owner');
  const doubted = plain ? suspects.unlisted : suspects.unverified;
  return (
    suspects.impersonators.has(venue) ||
    legs.some(
      ({ asset, movements }) =>
        suspects.impersonating.has(asset) || movements.some((index) => doubted.has(index)),
    )
  );
}

/**
 * Whether an act at an unlisted contract shows itself. Every account it names has to have a part in it that
 * is no word of the contract's, and no account may have lost anything unasked.
 */
function isShown(act: Primitive, input: ProofInput): boolean {
  const asked = act.legs.every(({ movements }) => movements.every((m) => !input.suspects?.unasked.has(m)));
  return asked && takesPart(act, input) && (exchanges(act, input) || isBooked(act, input));
}

/** Each account named in the act signed, or is an end of a movement; shares are their owner's. */
function takesPart({ venue, roles, legs }: Primitive, { tx, flow }: ProofInput): boolean {
  const moved = (some: readonly Leg[]): readonly Movement[] =>
    some.flatMap(({ movements }) => movements.map((m) => flow.movements[m]!));
  const ends = new Set(moved(legs).flatMap(({ from, to }) => [from, to]));
  const holders = new Set(
    moved(legs.filter(({ role }) => SHARE_ROLES.has(role))).map(({ kind, from, to }) =>
      kind === 'mint' ? to : from,
    ),
  );
  return roles.every(({ role, account }) => {
    if (!isParty(role) || account === venue) return true;
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

/** Positions that the contract's own books are; bridges, orders and queues promise something elsewhere. */
const OWN_BOOKS: ReadonlySet<string> = new Set([
  'liquidity',
  'lending_supply',
  'lending_debt',
  'stake',
  'vault',
]);

/**
 * An act at an unlisted contract stated alike by its event, its calls and the movements, to the unit. A
 * contract speaks for its own books, to its caller; about any other account only the chain counts: that it
 * made or destroyed its own shares against what it took or gave. A contract that a protocol lists or made
 * speaks that protocol's events alone.
 */
function isBooked(act: Primitive, input: ProofInput): boolean {
  const { basis, legs, kind, venue } = act;
  const { rulebook } = input;
  const { position, trade } = kindOf(rulebook, kind);
  if (basis !== 'event' || rulebook.prepared.protocolOf(venue) !== undefined) return false;
  const shares = legs.filter(({ role }) => SHARE_ROLES.has(role));
  const assets = legs.filter(({ role }) => !SHARE_ROLES.has(role));
  if (assets.length === 0 || !assets.every(({ exact }) => exact)) return false;
  const own =
    position === null ? legs.every(({ role }) => role === 'reward') : OWN_BOOKS.has(position.category);
  // Shares at a rate of their own are a vault's; one to one they may as well be a stake's or a loan's.
  const atRate = shares.length > 0 && sumOf(shares) !== sumOf(assets);
  if (!own || (trade === 'shares' && shares.length > 0 && !atRate)) return false;
  if (!meansOneKind(act, !atRate, input)) return false;
  return shares.length > 0 ? issuesShares(act, shares, assets, input) : booksToCaller(act, assets, input);
}

/**
 * Whether each of its events means one kind of act, and one of them this kind: to the families any contract
 * may be of, or to listed protocols too.
 */
function meansOneKind({ kind, evidence }: Primitive, listed: boolean, { tx, rulebook }: ProofInput): boolean {
  const kinds = evidence.flatMap(({ log }) => {
    if (log === null) return [];
    const { topics } = tx.logs[log]!;
    const all = rulebook.events.get(`${topics[0]}:${topics.length}`)?.meanings ?? [];
    const meanings = listed ? all : all.filter(({ anyEmitter }) => anyEmitter);
    return meanings.length > 0 ? [new Set(meanings.map((m) => m.kind))] : [];
  });
  return kinds.some((one) => one.has(kind)) && kinds.every(({ size }) => size === 1);
}

/** The venue made or destroyed its own shares, and itself took or gave the assets. */
function issuesShares(
  { venue }: Primitive,
  shares: readonly Leg[],
  assets: readonly Leg[],
  { flow }: ProofInput,
): boolean {
  const all = (legs: readonly Leg[], holds: (m: Movement, leg: Leg) => boolean): boolean =>
    legs.every(
      (leg) => leg.movements.length > 0 && leg.movements.every((m) => holds(flow.movements[m]!, leg)),
    );
  return (
    all(shares, (m) => flow.assets.get(m.asset)?.address === venue && isIssuance(m)) &&
    all(assets, (m, { role }) => (SENT_ROLES.has(role) ? m.to : m.from) === venue)
  );
}

/**
 * The signer itself called the venue, which kept or paid exactly the amount and names it in its event. A call
 * by an account's code is no word of the account: anybody may have some code call.
 */
function booksToCaller(
  { venue, roles, evidence }: Primitive,
  assets: readonly Leg[],
  input: ProofInput,
): boolean {
  const { tx, flow } = input;
  const owner = roles.find(({ role }) => role === 'owner')?.account;
  if (owner !== tx.from) return false;
  const between = assets.every(
    ({ role, movements }) =>
      movements.length > 0 &&
      movements.every((index) => {
        const { from, to } = flow.movements[index]!;
        return SENT_ROLES.has(role) ? from === owner && to === venue : from === venue && to === owner;
      }),
  );
  const digits = owner.slice(2);
  const named = evidence.some(({ log }) => {
    const event = log === null ? null : tx.logs[log]!;
    return (
      event?.address === venue &&
      (event.topics.some((t) => t.endsWith(digits)) || event.data.includes(digits))
    );
  });
  return (
    between &&
    named &&
    tx.frames.some(({ from, to, effective }) => effective && from === owner && to === venue)
  );
}
