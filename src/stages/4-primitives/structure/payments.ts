import { addressOfWord, uintOfWord, wordAt } from '../../../evm/hex.ts';
import type { StructureContext } from './context.ts';
import type { Address } from '../../../model/hex.ts';
import type { Movement } from '../../../model/valueFlow.ts';

const TRANSFER = '0xa9059cbb';
const TRANSFER_FROM = '0x23b872dd';

/**
 * What a token paymaster takes for the gas it paid: a payment of the operation's account to it, or one
 * that it made the account's token do.
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
  if (context.passThrough.has(m.from) || context.venues.has(m.from)) return false;
  const token = context.flow.assets.get(m.asset)?.address ?? null;
  if (token === null) return context.customers.has(m.from);
  return callsThatMove(context, m).some(({ by, pulls }) => !pulls && by === m.from);
}

/** Calls of the token that ask for exactly this movement. */
function callsThatMove(
  { tx, flow }: StructureContext,
  m: Movement,
): { readonly by: Address; readonly pulls: boolean }[] {
  const token = flow.assets.get(m.asset)?.address ?? null;
  if (token === null) return [];
  return tx.frames.flatMap(({ from, to, input, effective }) => {
    if (!effective || to !== token) return [];
    const pulls = input.startsWith(TRANSFER_FROM);
    if (!pulls && !input.startsWith(TRANSFER)) return [];
    const words = [0, 1, 2].map((i) => wordAt(input, 4 + i * 32));
    const [payer, recipient, amount] = pulls ? words : [null, ...words];
    const fits =
      (!pulls || (payer && addressOfWord(payer) === m.from)) &&
      recipient &&
      addressOfWord(recipient) === m.to &&
      amount &&
      uintOfWord(amount) === m.amount;
    return fits ? [{ by: from, pulls }] : [];
  });
}
