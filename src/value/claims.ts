import { wordOf, ZERO_ADDRESS } from '../evm/hex.ts';
import { TRANSFER_CALL } from '../evm/tokenCalls.ts';
import { distance } from './amount.ts';
import { frameEvidence } from '../lib/evidence.ts';
import { SENT_ROLES } from '../lib/roles.ts';
import type { CanonicalTx, Evidence } from '../model/canonicalTx.ts';
import type { DraftPrimitive, Invariant, Leg, Operand, Primitive } from '../model/primitive.ts';
import type { Address } from '../model/hex.ts';
import type { Movement, ValueFlow } from '../model/valueFlow.ts';
import { sumOf } from './amount.ts';

type Movements = readonly Movement[];
/** Whether the claim holds of movements and those of the other side. */
type Predicate = (own: Movements, other: Movements, flow: ValueFlow) => boolean;

/** Predicates over movements alone. `docs/claims.md` describes them. */
const PREDICATES = {
  minted_from_zero: (minted) => minted.length > 0 && minted.every(({ from }) => from === ZERO_ADDRESS),
  burnt_to_zero: (burnt) => burnt.length > 0 && burnt.every(({ to }) => to === ZERO_ADDRESS),
  single_venue: (taken, given) =>
    new Set([...taken.map(({ to }) => to), ...given.map(({ from }) => from)]).size === 1,
  repaid_in_full: (lent, repaid) => lent.length > 0 && sumOf(repaid) >= sumOf(lent),
  both_sides_equal: ([token], [native], flow) => {
    if (token === undefined || native === undefined) return false;
    const contract = flow.assets.get(token.asset)!.address;
    const wraps = token.from === ZERO_ADDRESS;
    const ends = wraps ? native.from === token.to : native.to === token.from;
    return ends && (wraps ? native.to : native.from) === contract && native.amount === token.amount;
  },
  issuer_holds_underlying: (underlying, shares, flow) =>
    underlying.length > 0 &&
    shares.every(({ asset }) => {
      const issuer = flow.assets.get(asset)?.address;
      return underlying.some(({ from, to }) => from === issuer || to === issuer);
    }),
} as const satisfies Record<string, Predicate>;

/** A claim about movements, given by their indexes. */
export function claim(
  name: keyof typeof PREDICATES,
  flow: ValueFlow,
  operands: readonly number[],
  against: readonly number[] = NOTHING,
): Invariant {
  const at = (indexes: readonly number[]): Movements => indexes.map((index) => flow.movements[index]!);
  return { name, holds: PREDICATES[name](at(operands), at(against), flow), operands, against };
}

/** Tokens were minted from the zero address, or burnt to it; `issued`: indexes, all of one kind. */
export function issueClaim(flow: ValueFlow, issued: readonly number[]): Invariant {
  const { kind } = flow.movements[issued[0]!]!;
  return claim(kind === 'mint' ? 'minted_from_zero' : 'burnt_to_zero', flow, issued);
}

const NOTHING: readonly never[] = [];

/** Position tokens taken from a borrower carry interest that the event does not state. */
const INTEREST_BEARING: ReadonlySet<string> = new Set(['debt_share_in', 'collateral_share_in']);

/** Tokens that account in shares (stETH) move up to two units more or less than asked for. */
export const ROUNDING = 2n;

/**
 * The claims about an act's amounts. Each amount is the sum of its movements, alone or with a fee in the same
 * movements, or else the amount its event states. An amount that an event states equals the amount moved, or
 * the amount the venue told the token to move. Nothing that goes in comes out again.
 */
export function legClaims(act: Primitive, tx: CanonicalTx, flow: ValueFlow): Invariant[] {
  const { legs, evidence } = act;
  if (legs.length === 0) return [placeClaim(evidence, tx)];
  const claims: Invariant[] = [];
  const places = placesOf(legs);
  const carried = new Set<Leg>();
  for (const [i, leg] of legs.entries()) {
    const { movements, stated = null, amount, role } = leg;
    const place = places[i]!;
    if (movements.length > 0 && !carried.has(leg)) {
      const moved = movements.reduce((all, index) => all + flow.movements[index]!.amount, 0n);
      const alone = moved === amount;
      const group = alone ? [leg] : legs.filter((other) => sameMovements(other, leg));
      const holds = sumOf(group) === moved;
      const operands = alone ? [place] : group.map((one) => places[legs.indexOf(one)]!);
      if (holds && !alone) for (const one of group) carried.add(one);
      if (holds || stated === null)
        claims.push({ name: 'amount_moved', holds, operands, against: movements });
    }
    if (stated !== null && !INTEREST_BEARING.has(role))
      claims.push(statedClaim(act.venue, leg, place, { tx, flow }));
  }
  addDifferClaim(claims, legs, places);
  return claims;
}

const KEPT = 'token_kept_rest';

/** The event states the amount moved, or that of the venue's own call when the token moved less. */
function statedClaim(
  venue: Address,
  { movements, stated, amount, exact }: Leg,
  place: Operand,
  { tx: { frames, logs }, flow }: { readonly tx: CanonicalTx; readonly flow: ValueFlow },
): Invariant {
  const word = stated!;
  const holds = exact || distance(amount, word) <= ROUNDING;
  const agree = { name: 'amounts_agree', holds, operands: [{ word }], against: [place] };
  if (holds || movements.length !== 1) return agree;
  const moved = flow.movements[movements[0]!]!;
  const within = logs[moved.evidence.log ?? -1]?.within;
  if (within == null || moved.from !== venue || moved.amount >= word) return agree;
  const token = flow.assets.get(moved.asset)!.address;
  const asked = `${TRANSFER_CALL}${wordOf(moved.to)}${wordOf(word)}`;
  const call = frames.find(
    ({ index, end, from, to, input, effective }) =>
      effective &&
      from === venue &&
      to === token &&
      input.startsWith(asked) &&
      index <= within &&
      within < end,
  );
  if (call === undefined) return agree;
  return { name: KEPT, holds: true, operands: [{ word }, { frame: call.index }], against: movements };
}

/** The calls of tokens that claims rest on, beside an act's own evidence. */
export function callsOf(claims: readonly Invariant[], { frames }: CanonicalTx): Evidence[] {
  const calls: Evidence[] = [];
  for (const { name, operands } of claims) {
    if (name !== KEPT) continue;
    const { frame } = operands[1] as { readonly frame: number };
    calls.push(frameEvidence(frames[frame]!, frames[frame]!.to!));
  }
  return calls;
}

/** No asset goes in and comes out. */
function addDifferClaim(claims: Invariant[], legs: readonly Leg[], places: readonly Operand[]): void {
  if (legs.length < 2) return;
  const isOf = (wanted: string) => (_: unknown, i: number) => legs[i]!.role === wanted;
  const [operands, against] = [places.filter(isOf('in')), places.filter(isOf('out'))];
  if (operands.length === 0 || against.length === 0) return;
  const taken = new Set(legs.flatMap(({ role, asset }) => (role === 'in' ? asset : [])));
  const holds = !legs.some(({ role, asset }) => role === 'out' && taken.has(asset));
  claims.push({ name: 'assets_differ', holds, operands, against });
}

/** A leg that is whole movements of one asset; `account`: their far end; `exact` as of a `Leg`. */
export function legOf(role: string, movements: Movements, account: Address, exact = true): Leg {
  const [{ asset }] = movements as [Movement];
  return { role, asset, amount: sumOf(movements), account, movements: indexesOf(movements), exact };
}

/** A leg that the flow alone suggests: nothing states its amount. */
export function guessedLeg(role: string, movements: Movements, account: Address): Leg {
  return legOf(role, movements, account, false);
}

/** An act that the value flow alone shows, without protocol, pool or position. */
export function structural(
  found: Pick<Primitive, 'kind' | 'seq' | 'venue' | 'roles' | 'legs' | 'invariants' | 'tags' | 'evidence'>,
): DraftPrimitive & { readonly portions: readonly never[] } {
  return {
    kind: found.kind,
    seq: found.seq,
    basis: 'structure',
    shape: null,
    protocol: null,
    venue: found.venue,
    poolId: null,
    roles: found.roles,
    legs: found.legs,
    invariants: found.invariants,
    tags: found.tags,
    evidence: found.evidence,
    about: NOTHING,
    position: null,
    portions: NOTHING,
  };
}

/** Where an act without amounts happened: the logs and calls are those of the contracts named. */
export function placeClaim(evidence: readonly Evidence[], tx: CanonicalTx): Invariant {
  const operands: Operand[] = [];
  let holds = true;
  for (const { log, frame, contract } of evidence) {
    if (log !== null) operands.push({ log });
    else if (frame !== null) operands.push({ frame });
    else continue;
    holds &&= (log !== null ? tx.logs[log]!.address : tx.frames[frame!]!.to) === contract;
  }
  return { name: 'happened_at', holds, operands, against: evidence.map(({ contract }) => contract) };
}

/** An amount of the act is the sum of movements. */
export function amountMoved(operand: Operand, amount: bigint, movements: readonly Movement[]): Invariant {
  return {
    name: 'amount_moved',
    holds: sumOf(movements) === amount,
    operands: [operand],
    against: indexesOf(movements),
  };
}

export const indexesOf = (movements: Movements): number[] => movements.map(({ index }) => index);

/** Places of the legs among the amounts that go in and come out. */
function placesOf(legs: readonly Leg[]): readonly Operand[] {
  let [taken, given] = [0, 0];
  return legs.map(({ role }) => (SENT_ROLES.has(role) ? `out${given++}` : `in${taken++}`) as Operand);
}

function sameMovements(a: Leg, b: Leg): boolean {
  return a.movements.length === b.movements.length && a.movements.every((m, i) => m === b.movements[i]);
}
