import { NOTHING } from '../lib/lists.ts';
import { ZERO_ADDRESS } from '../evm/hex.ts';
import { distance, sumOf } from './amount.ts';
import { isIssuance } from './asset.ts';
import { isAtCallOf } from './frames.ts';
import { SENT_ROLES } from '../lib/roles.ts';
import type { CanonicalTx, Evidence, Frame } from '../model/canonicalTx.ts';
import type { DraftPrimitive, Claim, Leg, Operand, Primitive } from '../model/primitive.ts';
import type { Balance } from './balances.ts';
import type { Address } from '../model/hex.ts';
import type { Motif } from '../model/motif.ts';
import type { Movement, ValueFlow } from '../model/valueFlow.ts';

type Movements = readonly Movement[];

/** Movements, those of the other side, and the assets they are of. */
interface Moved {
  readonly own: Movements;
  readonly other: Movements;
  readonly flow: Pick<ValueFlow, 'assets'>;
}

/** Promised amounts, and the legs that pay them out. */
interface Freed {
  readonly words: readonly bigint[];
  readonly legs: readonly Leg[];
}

const isEqual = ({ amount, moved }: { readonly amount: bigint; readonly moved: bigint }): boolean =>
  amount === moved;
const isPositive = (amount: bigint): boolean => amount > 0n;
const isOne = ({ length }: readonly unknown[]): boolean => length === 1;

/** Of each claim, whether it holds of its material. `docs/qa.md` describes the predicates. */
const PREDICATES = {
  minted_from_zero: ({ own }: Moved) => own.length > 0 && own.every(({ from }) => from === ZERO_ADDRESS),
  burnt_to_zero: ({ own }: Moved) => own.length > 0 && own.every(({ to }) => to === ZERO_ADDRESS),
  single_venue: ({ own, other }: Moved) =>
    new Set([...own.map(({ to }) => to), ...other.map(({ from }) => from)]).size === 1,
  both_sides_equal: ({ own: [token], other: [native], flow }: Moved) => {
    if (token === undefined || native === undefined) return false;
    const contract = flow.assets.get(token.asset)!.address;
    const wraps = token.from === ZERO_ADDRESS;
    const ends = wraps ? native.from === token.to : native.to === token.from;
    return ends && (wraps ? native.to : native.from) === contract && native.amount === token.amount;
  },
  issuer_holds_underlying: ({ own, other, flow }: Moved) =>
    own.length > 0 &&
    other.every(({ asset }) => {
      const issuer = flow.assets.get(asset)?.address;
      return own.some(({ from, to }) => from === issuer || to === issuer);
    }),
  venue_involved: ({ own, flow, venue, tx }: Omit<Moved, 'other'> & { venue: Address; tx: CanonicalTx }) =>
    own.some((m) => {
      const token = flow.assets.get(m.asset)?.address;
      const isMadeFor = isIssuance(m) && !!token && isAtCallOf(token, venue, tx);
      return isMadeFor || [m.from, m.to, token].includes(venue);
    }),
  value_moved: ({ length }: readonly unknown[]) => length > 0,
  amount_moved: isEqual,
  sum_of_parts: isEqual,
  net_of_parts: isEqual,
  amounts_agree: ({ exact, amount, stated }: Leg) => exact || distance(amount, stated!) <= ROUNDING,
  // An account that paid before can have that amount sent to any other: nothing is lent.
  repaid_in_full: ({ own: lent, other: repaid }: Moved) =>
    sumOf(repaid) >= sumOf(lent) && repaid.every(({ index }) => lent.every((one) => one.index < index)),
  assets_differ: (legs: readonly Leg[]) => {
    const taken = new Set(legs.flatMap(({ role, asset }) => (role === 'in' ? asset : [])));
    return !legs.some(({ role, asset }) => role === 'out' && taken.has(asset));
  },
  happened_at: ({ evidence, tx }: { readonly evidence: readonly Evidence[]; readonly tx: CanonicalTx }) =>
    evidence.every(({ log, frame, contract }) => {
      if (log === null && frame === null) return true;
      return (log !== null ? tx.logs[log]!.address : tx.frames[frame!]!.to) === contract;
    }),
  netted_at_venue: (agrees: boolean | undefined) => agrees === true,
  code_created: ({ effective }: Frame) => effective,
  venue_gained_in: isPositive,
  venue_lost_out: isPositive,
  principal_was_freed: ({ words, legs }: Freed) =>
    words.every((word) => legs.some(({ amount }) => amount >= word)),
  one_payer: isOne,
  one_recipient: isOne,
  no_counter_flow: (own: readonly Balance[]) => own.every(({ net }) => net <= 0n),
  amounts_chain: (ends: readonly unknown[]) => ends.every((end) => end !== null),
  hops_proven: (hops: readonly Pick<Motif, 'status'>[]) => hops.every(({ status }) => status === 'Proven'),
  closed: (open: readonly unknown[]) => open.length === 0,
  distinct_pools: ({ first, last }: Record<'first' | 'last', readonly string[]>) =>
    first.length !== 1 || last.length !== 1 || first[0] !== last[0],
  positive_residual: isPositive,
  negative_residual: ({ gap, most }: { readonly gap: bigint; readonly most: bigint }) => gap <= most,
  other_lanes_flat: (others: readonly unknown[]) => others.length === 0,
  funder_consents: ({ funder, group }: { readonly funder: Address; readonly group: ReadonlySet<Address> }) =>
    group.has(funder),
} as const;

type Predicates = typeof PREDICATES;

/** Decides a claim: nothing else writes `holds`. `of`: the material that its predicate looks at. */
export function evaluate<P extends keyof Predicates>(
  name: P,
  of: Parameters<Predicates[P]>[0],
  operands: readonly Operand[],
  against?: readonly Operand[],
): Claim {
  const holds = (PREDICATES[name] as (material: typeof of) => boolean)(of);
  return against === undefined ? { name, holds, operands } : { name, holds, operands, against };
}

/** The claims of one name about several like acts, as one. */
export function joinClaims(name: string, claims: readonly Claim[]): Claim {
  return {
    name,
    holds: claims.every(({ holds }) => holds),
    operands: claims.flatMap(({ operands }) => operands),
    against: claims.flatMap(({ against = [] }) => against),
  };
}

/** A claim about movements, given by their indexes. */
export function claim(
  name:
    | 'minted_from_zero'
    | 'burnt_to_zero'
    | 'single_venue'
    | 'both_sides_equal'
    | 'issuer_holds_underlying'
    | 'repaid_in_full',
  flow: ValueFlow,
  operands: readonly number[],
  against: readonly number[] = NOTHING,
): Claim {
  const at = (indexes: readonly number[]): Movements => indexes.map((index) => flow.movements[index]!);
  return evaluate(name, { own: at(operands), other: at(against), flow }, operands, against);
}

/** Tokens were minted from the zero address, or burnt to it; `issued`: indexes, all of one kind. */
export function issueClaim(flow: ValueFlow, issued: readonly number[]): Claim {
  const { kind } = flow.movements[issued[0]!]!;
  return claim(kind === 'mint' ? 'minted_from_zero' : 'burnt_to_zero', flow, issued);
}

/** Position tokens taken from a borrower carry interest that the event does not state. */
const INTEREST_BEARING: ReadonlySet<string> = new Set(['debt_share_in', 'collateral_share_in']);

/** Tokens that account in shares (stETH) move up to two units more or less than asked for. */
export const ROUNDING = 2n;

/**
 * The claims about an act's amounts. Each amount is the sum of its movements, alone or with a fee in the same
 * movements, or else the amount its event states. An amount that an event states equals the amount moved.
 * Nothing that goes in comes out again.
 */
export function legClaims(act: Primitive, tx: CanonicalTx, flow: ValueFlow): Claim[] {
  const { legs, evidence } = act;
  if (legs.length === 0) return [placeClaim(evidence, tx)];
  const claims: Claim[] = [];
  const places = operandsOf(legs);
  const carried = new Set<Leg>();
  for (const [i, leg] of legs.entries()) {
    const { movements, stated = null, role } = leg;
    const place = places[i]!;
    if (movements.length > 0 && !carried.has(leg)) {
      const { claim, group } = movedClaim(leg, legs, places, flow);
      if (claim.holds) for (const one of group) carried.add(one);
      if (claim.holds || stated === null) claims.push(claim);
    }
    if (stated !== null && !INTEREST_BEARING.has(role))
      claims.push(evaluate('amounts_agree', leg, [{ word: stated }], [place]));
  }
  addDifferClaim(claims, legs, places);
  if (legs.some(({ role }) => role === 'borrowed')) addRepaidClaim(claims, legs, flow);
  return claims;
}

/** A loan with its repayment is repaid in full after it was lent. */
function addRepaidClaim(claims: Claim[], legs: readonly Leg[], flow: ValueFlow): void {
  const moved = (wanted: string) => legs.flatMap(({ role, movements }) => (role === wanted ? movements : []));
  const [lent, repaid] = [moved('borrowed'), moved('repaid')];
  if (lent.length > 0 && repaid.length > 0) claims.push(claim('repaid_in_full', flow, lent, repaid));
}

/** Whether the movements of a leg carry its amount, or those of all legs that share them. */
function movedClaim(
  leg: Leg,
  legs: readonly Leg[],
  places: readonly Operand[],
  flow: ValueFlow,
): { readonly claim: Claim; readonly group: readonly Leg[] } {
  const { movements, amount } = leg;
  const moved = movements.reduce((all, index) => all + flow.movements[index]!.amount, 0n);
  const group = moved === amount ? [leg] : legs.filter((other) => sameMovements(other, leg));
  const operands = group.map((one) => places[legs.indexOf(one)]!);
  return { claim: evaluate('amount_moved', { amount: sumOf(group), moved }, operands, movements), group };
}

/** No asset goes in and comes out. */
function addDifferClaim(claims: Claim[], legs: readonly Leg[], places: readonly Operand[]): void {
  const isOf = (wanted: string) => (_: unknown, i: number) => legs[i]!.role === wanted;
  const [operands, against] = [places.filter(isOf('in')), places.filter(isOf('out'))];
  if (operands.length === 0 || against.length === 0) return;
  claims.push(evaluate('assets_differ', legs, operands, against));
}

/** A leg of whole movements of one asset; `account`: their far end; `exact` as of a `Leg`. */
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
  found: Pick<Primitive, 'kind' | 'seq' | 'venue' | 'evidence'> &
    Partial<Pick<Primitive, 'roles' | 'legs' | 'claims' | 'tags'>>,
): DraftPrimitive & { readonly portions: readonly never[] } {
  return {
    kind: found.kind,
    seq: found.seq,
    basis: 'structure',
    shape: null,
    protocol: null,
    venue: found.venue,
    poolId: null,
    roles: found.roles ?? NOTHING,
    legs: found.legs ?? NOTHING,
    claims: found.claims ?? NOTHING,
    tags: found.tags ?? NOTHING,
    evidence: found.evidence,
    about: NOTHING,
    position: null,
    portions: NOTHING,
  };
}

/** Where an act without amounts happened: the logs and calls are those of the contracts named. */
export function placeClaim(evidence: readonly Evidence[], tx: CanonicalTx): Claim {
  const operands = evidence.flatMap(({ log, frame }): Operand | readonly never[] => {
    if (log !== null) return { log };
    return frame === null ? NOTHING : { frame };
  });
  const contracts = evidence.map(({ contract }) => contract);
  return evaluate('happened_at', { evidence, tx }, operands, contracts);
}

/** Each amount that an act sent, one per asset, is the sum of that asset's movements. */
export function sentClaims(amounts: readonly Pick<Leg, 'asset' | 'amount'>[], movements: Movements): Claim[] {
  return amounts.map(({ asset, amount }, i) => {
    const own = movements.filter((movement) => movement.asset === asset);
    return evaluate('amount_moved', { amount, moved: sumOf(own) }, [`out${i}`], indexesOf(own));
  });
}

export const indexesOf = (movements: Movements): number[] => movements.map(({ index }) => index);

/** Places of the legs among the amounts that go in and come out. */
function operandsOf(legs: readonly Leg[]): readonly Operand[] {
  let [taken, given] = [0, 0];
  return legs.map(({ role }) => (SENT_ROLES.has(role) ? `out${given++}` : `in${taken++}`) as Operand);
}

function sameMovements(a: Leg, b: Leg): boolean {
  return a.movements.length === b.movements.length && a.movements.every((m, i) => m === b.movements[i]);
}
