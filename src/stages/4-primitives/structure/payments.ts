import { readTransferCall, TRANSFER_FROM_CALL } from '../../../evm/tokenCalls.ts';
import { mergeNative, NATIVE_ASSET } from '../../../value/asset.ts';
import { contractOf, type StructureContext } from './context.ts';
import type { KnownContracts } from '../match/provenProtocol.ts';
import type { Address } from '../../../model/hex.ts';
import type { Movement } from '../../../model/valueFlow.ts';
import type { DraftPrimitive } from '../../../model/primitive.ts';

/**
 * A token paymaster's charge for the gas it paid: a payment to it by the operation's account, or one that
 * it pulled from the account's token.
 */
export function isPaymasterCharge(context: StructureContext, m: Movement): boolean {
  if (context.sponsored.size === 0) return false;
  if (context.sponsored.has(`${m.to} ${m.from}`)) return true;
  return callsThatMove(context, m).some(({ by, pulls }) => pulls && context.sponsored.has(`${by} ${m.from}`));
}

/**
 * Whether the payer itself asked for the payment: it sent the ether, or called the token. Fees of routers are
 * taken by these.
 */
export function isOwnPayment(context: StructureContext, m: Movement): boolean {
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
  const { tx, flow, destinations, wrappedNative } = context;
  if (mergeNative(asset, wrappedNative) !== NATIVE_ASSET) return false;
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
