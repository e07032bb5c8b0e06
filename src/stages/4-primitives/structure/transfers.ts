import { only, NOTHING } from '../../../lib/lists.ts';
import { mergeNative, NATIVE_ASSET } from '../../../value/asset.ts';
import { balances } from '../../../value/balances.ts';
import { FEE_DIVISOR } from '../../../value/parties.ts';
import { legOf, structural } from '../../../value/claims.ts';
import { ZERO_ADDRESS } from '../../../evm/hex.ts';
import { SENT_ROLES } from '../../../lib/roles.ts';
import { valueEnds, type ValueEnds } from '../../../value/follow.ts';
import { makesOwnCalls } from '../../../value/signed.ts';
import { type StructureContext, contractOf } from './context.ts';
import type { Address } from '../../../model/hex.ts';
import type { Movement } from '../../../model/valueFlow.ts';
import type { DraftPrimitive } from '../../../model/primitive.ts';
import { readTransferCall, TRANSFER_FROM_CALL } from '../../../evm/tokenCalls.ts';
import type { KnownContracts } from '../match/provenProtocol.ts';

/**
 * Classifies the remaining movements: plain transfers, change handed back (`refund`) and skims to a third
 * party (`protocol_fee`). Value inside a router is none of these: only its end counts, traced back to the
 * payer.
 */
export function findTransfers(context: StructureContext): DraftPrimitive[] {
  const { flow } = context;
  const left = flow.movements.filter(
    (m) => m.kind === 'transfer' && !context.claimed.has(m.index) && !context.carriers.has(m.to),
  );
  if (left.length === 0) return [];
  const behind = customersBehind(context);
  const found: DraftPrimitive[] = [];
  for (const m of left) {
    const origins = behind(m.from, m.asset);
    const payer = payerOf(m, origins);
    const act = (kind: string): DraftPrimitive => transferOf(context, kind, m, payer);
    if (payer === m.to || isChange(context, m)) found.push(act('refund'));
    else if (isPaymasterCharge(context, m) || isTax(context, m) || isSkim(context, m))
      found.push(act('protocol_fee'));
    else if (!isPartOfAct(context, m, origins)) found.push(act('transfer'));
  }
  return found;
}

/** The payer behind a router; the sender itself where that is not one account. */
function payerOf({ from }: Movement, origins: readonly Address[]): Address {
  const origin = only(origins);
  return origin && origin !== ZERO_ADDRESS ? origin : from;
}

/** Like `origins`, but a venue ends the way back: it may keep the value elsewhere. */
function customersBehind({ flow, carriers, venues, origins }: StructureContext): ValueEnds {
  const others: Address[] = [];
  for (const account of carriers) if (!venues.has(account)) others.push(account);
  return others.length === carriers.size ? origins : valueEnds(flow, new Set(others), 'back');
}

/** Value a venue sends or receives, and forwards of a payout or a mint: no transfers of their own. */
function isPartOfAct(context: StructureContext, m: Movement, origins: readonly Address[]): boolean {
  if (context.venues.has(m.from) || context.venues.has(m.to)) return true;
  const isPaidBy = (origin: Address): boolean =>
    origin !== context.tx.from &&
    context.between(origin, m.from, m.asset).some(({ index }) => context.claimed.has(index));
  if (context.carriers.has(m.from))
    return origins.some((one) => one === ZERO_ADDRESS || context.venues.has(one) || isPaidBy(one));
  if (m.from === context.tx.from || context.customers.has(m.from)) return false;
  const id = mergeNative(m.asset, context.flow);
  return (context.legsByAccount.get(m.from) ?? []).some(
    (leg) => !SENT_ROLES.has(leg.role) && mergeNative(leg.asset, context.flow) === id,
  );
}

/** The recipient had paid the sender more of the same asset before. */
function isChange(context: StructureContext, m: Movement): boolean {
  return context
    .between(m.to, m.from, m.asset)
    .slice(0, 64)
    .some((earlier) => earlier.seq < m.seq && earlier.amount > m.amount);
}

/** A tax of the token that the transaction calls itself. */
const isTax = ({ flow, tx }: StructureContext, { index, asset }: Movement): boolean =>
  flow.taxes.has(index) && flow.assets.get(asset)!.address === tx.to;

/** A small part of the sender's forwarded amount, to an account with no other part in the transaction. */
function isSkim(context: StructureContext, m: Movement): boolean {
  const { tx, flow, carriers, customers, venues, legsByAccount } = context;
  if (legsByAccount.size === 0 || m.to === tx.from || m.to === tx.to) return false;
  if ([customers, legsByAccount, venues, flow.outgoing].some((some) => some.has(m.to))) return false;
  if (![carriers, venues, legsByAccount].some((some) => some.has(m.from))) return false;
  const own = balances(flow, m.from).get(mergeNative(m.asset, flow));
  return m.amount * FEE_DIVISOR <= (own?.sent ?? 0n) && !isOwnPayment(context, m);
}

/** No guess: the event of an operation shows it, or a listed contract did it of itself. */
const isCharged = (context: StructureContext, m: Movement): boolean =>
  makesOwnCalls(context.rulebook, m.from) || isPaymasterCharge(context, m);

function transferOf(context: StructureContext, kind: string, m: Movement, payer: Address): DraftPrimitive {
  const venue = context.flow.assets.get(m.asset)?.address ?? m.to;
  const pays = { role: 'payer', account: payer };
  const receives = { role: 'recipient', account: m.to };
  return structural({
    kind,
    seq: m.seq,
    venue,
    roles: kind === 'transfer' ? [{ role: 'owner', account: payer }, pays, receives] : [pays, receives],
    legs: [legOf('paid', [m], payer)],
    tags: kind === 'transfer' || isCharged(context, m) ? NOTHING : GUESSED,
    evidence: [m.evidence],
  });
}

const GUESSED: readonly string[] = ['structural'];

/** A token paymaster's charge for gas: paid to it by the operation's account, or pulled from its token. */
function isPaymasterCharge(context: StructureContext, m: Movement): boolean {
  if (context.sponsored.size === 0) return false;
  if (context.sponsored.has(`${m.to} ${m.from}`)) return true;
  return callsThatMove(context, m).some(({ by, pulls }) => pulls && context.sponsored.has(`${by} ${m.from}`));
}

/** The payer itself sent the ether or called the token; routers take their fees by these. */
function isOwnPayment(context: StructureContext, m: Movement): boolean {
  if (context.carriers.has(m.from) || context.venues.has(m.from)) return false;
  const token = contractOf(context.flow, m.asset);
  if (token === null) return context.customers.has(m.from);
  return callsThatMove(context, m).some(({ by, pulls }) => !pulls && by === m.from);
}

/**
 * Plain payments of tokens that their recipient takes without an event of its own, as the act that its
 * protocol's rules say. Suspected: only the payment shows.
 */
export function asPaidActs(
  found: readonly DraftPrimitive[],
  { flow, rulebook }: StructureContext,
  known: KnownContracts,
): DraftPrimitive[] {
  return found.map((item) => {
    const [leg] = item.legs;
    const token = leg && item.kind === 'transfer' ? contractOf(flow, leg.asset) : null;
    if (token === null) return item;
    const to = item.roles.find(({ role }) => role === 'recipient')!.account;
    const protocol = known.protocolOf(to);
    const payments = protocol && rulebook.protocols.get(protocol.slug)?.payments;
    if (!protocol || !payments?.assets.has(token)) return item;
    return {
      ...item,
      kind: payments.kind,
      protocol,
      venue: to,
      legs: [{ ...leg!, role: 'in' }],
      roles: item.roles.filter(({ role }) => role !== 'recipient'),
      tags: ['structural'],
    };
  });
}

/** Ether that ended with an account that received it by a plain payment and did nothing with it. */
export function isPaidOut(context: StructureContext, { asset, to }: Movement): boolean {
  const { tx, flow, destinations } = context;
  if (mergeNative(asset, flow) !== NATIVE_ASSET) return false;
  const ends = new Set(destinations(to, asset));
  if (ends.size === 0 || tx.logs.some(({ address }) => ends.has(address))) return false;
  return [...ends].every((end) => {
    const paid = (flow.incoming.get(end) ?? []).map((index) => flow.movements[index]!.evidence.frame);
    return paid.every((frame) => frame !== null && tx.frames[frame]!.input === '0x');
  });
}

/** Calls of the token that ask for exactly this movement. */
function callsThatMove(
  { tx, flow }: StructureContext,
  m: Movement,
): { readonly by: Address; readonly pulls: boolean }[] {
  const token = contractOf(flow, m.asset);
  return tx.frames.flatMap((call) => {
    const asked = call.to === token ? readTransferCall(call) : null;
    if (asked?.from !== m.from || asked.to !== m.to || asked.amount !== m.amount) return [];
    return [{ by: call.from, pulls: call.selector === TRANSFER_FROM_CALL }];
  });
}
