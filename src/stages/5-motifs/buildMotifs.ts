import { NATIVE_ASSET, mergeNative } from '../../value/asset.ts';
import { kindOf, isRecognised, isSwap } from '../../lib/motifKinds.ts';
import { legClaims } from '../../value/claims.ts';
import { isSuspect, prove } from '../../value/prove.ts';
import { batchTransfers, compositesOf } from './composites.ts';
import { isRobbed } from '../../value/suspectTokens.ts';
import { commonFrame } from '../../value/frames.ts';
import { joinMovements, statusOf, draftOf, type MotifDraft, type MotifInput } from './draftMotif.ts';
import { assignOwners } from './links.ts';
import { mergeLike, mergeSilent } from './mergeLike.ts';
import { hopOf, type Hop } from './hops.ts';
import type { AssetAmount, Confidence } from '../../model/motif.ts';
import type { Leg, Primitive, RoleBinding } from '../../model/primitive.ts';
import { SENT_ROLES, accountsWith, distinctRoles, placesOf } from '../../lib/roles.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import { ZERO_ADDRESS } from '../../evm/hex.ts';
import { only, NOTHING } from '../../lib/lists.ts';
import { balances } from '../../value/balances.ts';
import { tracingOf } from '../../value/parties.ts';
import type { Address } from '../../model/hex.ts';

/**
 * Building blocks of intents, in execution order: every primitive as a motif, and the composites they form
 * (a route, a closed cycle, a batch), which precede their parts. Pure.
 */
export function buildMotifs(input: MotifInput): MotifDraft[] {
  const { tx, flow } = input;
  const found: MotifDraft[] = [];
  const hops: Hop[] = [];
  for (const one of input.primitives) {
    if (isUnaskedAllowance(one, input)) continue;
    const act = paysBuilder(one, input) ? { ...one, kind: BUILDER_PAYMENT, tags: NOTHING } : one;
    const primitive = { ...act, claims: [...legClaims(act, tx, flow), ...act.claims] };
    const draft = standAlone(primitive, input);
    found.push(draft);
    const hop = hopOf(primitive, draft, input);
    if (hop) hops.push(hop);
  }
  const primary = mergeSilent(found, input);
  const composites = hops.length < 2 ? NOTHING : compositesOf(hops, primary, input);
  const batches = batchTransfers(primary, input);
  // Primitives come in execution order.
  const drafts =
    composites.length + batches.length === 0
      ? primary
      : [...composites, ...batches, ...primary].sort(inOrder);
  assignOwners(drafts, input);
  return placed(mergeLike(drafts, input));
}

/** An allowance that its owner had no part in is no act of anybody. */
function isUnaskedAllowance({ kind, evidence }: Primitive, { rulebook, suspects }: MotifInput): boolean {
  if (suspects === undefined || suspects.allowances.size === 0) return false;
  const logs = kindOf(rulebook, kind).allowance ? evidence : [];
  return logs.some(({ log }) => log !== null && suspects.allowances.has(log));
}

/** Ether sent to the block's fee recipient, other than by a plain transfer to it. */
function paysBuilder(
  { kind, basis, roles, legs }: Primitive,
  { tx, rulebook, coinbase }: MotifInput,
): boolean {
  if (coinbase === null || basis !== 'structure' || !kindOf(rulebook, kind).plain) return false;
  const toBuilder = roles.some(({ role, account }) => role === 'recipient' && account === coinbase);
  return toBuilder && tx.to !== coinbase && legs.every(({ asset }) => asset === NATIVE_ASSET);
}

const BUILDER_PAYMENT = 'builder_payment';

/** By execution, composites before their parts. */
function inOrder(a: MotifDraft, b: MotifDraft): number {
  return a.seq - b.seq || b.children.length - a.children.length;
}

/** Numbers the drafts and points parts at the act they are of. */
function placed(drafts: readonly MotifDraft[]): MotifDraft[] {
  for (const [index, draft] of drafts.entries()) draft.index = index;
  for (const draft of drafts) {
    let { whole } = draft;
    while (whole !== null && whole.index < 0) whole = whole.whole;
    draft.parent = whole?.index ?? null;
  }
  return [...drafts];
}

/** A primitive as a motif of its own. */
function standAlone(primitive: Primitive, input: MotifInput): MotifDraft {
  const { tx, rulebook } = input;
  const { legs } = primitive;
  const doubt = prove(primitive, input);
  const known = confidenceOf(primitive, rulebook);
  // A call that shows what it did is more than the name of its function.
  const confidence = known === 'Low' && primitive.basis === 'call' && doubt === null ? 'Medium' : known;
  return draftOf({
    // Field by field: a spread object is slower to make and to read.
    protocol: primitive.protocol,
    basis: primitive.basis,
    venue: primitive.venue,
    poolId: primitive.poolId,
    seq: primitive.seq,
    claims: primitive.claims,
    tags: primitive.tags,
    evidence: primitive.evidence,
    position: primitive.position,
    portions: primitive.portions,
    legs,
    others: primitive.others,
    traits: kindOf(rulebook, primitive.kind),
    scopeFrame: commonFrame(tx, primitive.evidence),
    participants: participantsOf(primitive, input),
    assetsIn: amountsOf(legs, false),
    assetsOut: amountsOf(legs, true),
    status: statusOf(doubt),
    doubt,
    confidence: confidence === 'High' && isSuspect(primitive, input) ? 'Medium' : confidence,
    movements: joinMovements(legs),
  });
}

/** Amounts that the venue's counterparty sent, or received. */
function amountsOf(legs: readonly Leg[], sent: boolean): readonly AssetAmount[] {
  const own = legs.filter(({ role }) => SENT_ROLES.has(role) === sent);
  return own.map(({ asset, amount, role }) => ({ asset, amount, role }));
}

function confidenceOf({ basis, protocol, shape, tags }: Primitive, rulebook: Rulebook): Confidence {
  // Structure that only suggests an act; plain movements (transfers, mints, wraps) carry no such tag.
  if (basis === 'structure') return tags.includes('structural') ? 'Low' : 'High';
  if (isRecognised(protocol)) return 'High';
  // Without a shape its movements and its name agree.
  return shape === null ? 'Medium' : (rulebook.prepared.familyConfidence.get(shape) ?? 'Low');
}

/** Legs with far ends to follow; an act of hundreds of legs names enough accounts without. */
const MAX_TRACED_LEGS = 64;

/**
 * Roles the event gives, then the far end of each leg and the account behind the routers there, then the
 * venue. Where no role names an owner and one account paid and received, that account is the owner.
 */
function participantsOf(primitive: Primitive, input: MotifInput): readonly RoleBinding[] {
  const bindings = [...primitive.roles];
  const owner = primitive.legs.length === 0 ? null : addEnds(primitive, input, bindings);
  const role = venueRole(primitive, input);
  if (role !== null) bindings.push({ role, account: primitive.venue });
  const unnamed =
    owner !== null &&
    primitive.basis !== 'structure' &&
    !primitive.roles.some(({ role }) => role === 'owner') &&
    !isForced(owner, primitive, input);
  const roles = withBuyer(bindings, primitive, input);
  return distinctRoles(unnamed ? [{ role: 'owner', account: owner }, ...roles] : roles);
}

/** Whether assets taken unasked paid for it; a market that takes them itself has checked a bid. */
function isForced(account: Address, { kind, legs }: Primitive, input: MotifInput): boolean {
  if (!isRobbed(account, input)) return false;
  const paid = legs.filter(({ role }) => SENT_ROLES.has(role));
  const isBid = !isSwap({ traits: kindOf(input.rulebook, kind) });
  return paid.length > 0 && !(isBid && paid.some((leg) => leg.account === account));
}

/** A buyer is the account that paid: the recipient, where it gave as much, else the only payer. */
function withBuyer(
  bindings: readonly RoleBinding[],
  act: Primitive,
  input: MotifInput,
): readonly RoleBinding[] {
  const [named] = accountsWith(bindings, 'buyer');
  if (named === undefined) return bindings;
  const payers = [...new Set(accountsWith(bindings, 'payer'))];
  const forced = isForced(named, act, input);
  if (payers.length === 0 || (payers.includes(named) && !forced)) return bindings;
  const given = balances(input.flow, named);
  const hasPaid = ({ role, asset, amount }: Leg): boolean =>
    SENT_ROLES.has(role) && -(given.get(mergeNative(asset, input.flow))?.net ?? 0n) >= amount;
  if (!forced && act.legs.some(hasPaid)) return bindings;
  const { carriers } = tracingOf(input.flow);
  const buyer = only(payers.filter((account) => account !== named && !carriers.has(account)));
  return bindings.flatMap((one) => (one.role !== 'buyer' ? one : buyer ? { ...one, account: buyer } : []));
}

/** Adds payers and recipients by leg. Returns the one account all legs lead to; null for none or several. */
function addEnds(primitive: Primitive, input: MotifInput, bindings: RoleBinding[]): Address | null {
  const [{ venue, legs }, all] = [primitive, input.flow.movements];
  const tracing = tracingOf(input.flow);
  // The venue and the managers beside it, which take and pay for the account behind them.
  const managers = placesOf(primitive);
  const isEnd = (account: Address): boolean => account !== ZERO_ADDRESS && !managers.includes(account);
  // An amount that the venue paid on, such as a fee, belongs to its recipient.
  const isGiven = ({ role, movements, account }: Leg): boolean =>
    SENT_ROLES.has(role) && !movements.some((at) => all[at]!.from === venue && all[at]!.to === account);
  const ends = new Set<Address>();
  for (const [i, { account, asset, role: legRole }] of legs.entries()) {
    // The accounts from which shares came that the venue burns itself.
    if (account === venue && legRole === 'share_in')
      for (const holder of tracing.origins(venue, asset)) ends.add(holder);
    // The venue paid on assets of the account behind it.
    if (account === null || (account === venue && legRole !== 'in')) continue;
    const sent = isGiven(legs[i]!);
    const role = sent ? 'payer' : 'recipient';
    if (!managers.includes(account)) bindings.push({ role, account });
    if (i >= MAX_TRACED_LEGS) continue;
    const behind = (sent ? tracing.origins : tracing.destinations)(account, asset).filter(isEnd);
    for (const far of behind) ends.add(far);
    if (behind.length === 1) bindings.push({ role, account: behind[0]! });
  }
  return ends.size === 1 ? [...ends][0]! : null;
}

/** The role that the venue has as a participant; null where there is none. */
function venueRole({ venue, kind, roles }: Primitive, { rulebook }: MotifInput): string | null {
  const { plain, venue: part, allowance } = kindOf(rulebook, kind);
  if (plain || venue === ZERO_ADDRESS || (allowance && roles.some(({ role }) => role === part))) return null;
  return part === 'account' ? 'venue' : part;
}
