import { lowerBound } from '../../lib/lists.ts';
import { addressOfWord, uintOfWord, wordAt } from '../../evm/hex.ts';
import { SHARE_TOPICS } from '../../evm/tokenTopics.ts';
import type { CanonicalTx, Frame } from '../../model/canonicalTx.ts';
import type { Address } from '../../model/hex.ts';
import type { Movement, ValueFlow } from '../../model/valueFlow.ts';

/** `transfer(address,uint256)` and `transferFrom(address,address,uint256)` (EIP-20). */
const TRANSFER_CALL = '0xa9059cbb';
const TRANSFER_FROM_CALL = '0x23b872dd';

export type AssetMark = 'fee_on_transfer' | 'rebasing';

/**
 * Marks this very transaction shows about its tokens: `rebasing` for a token with an event that only tokens
 * with balances derived from shares or an index raise; `fee_on_transfer` where less arrived than a transfer
 * asked for, though all of it left.
 */
export function assetMarks(tx: CanonicalTx, flow: ValueFlow): ReadonlyMap<Address, ReadonlySet<AssetMark>> {
  const marks = new Map<Address, Set<AssetMark>>();
  const mark = (token: Address, name: AssetMark): void =>
    void marks.set(token, (marks.get(token) ?? new Set<AssetMark>()).add(name));
  for (const { address, topics } of tx.logs)
    if (topics[0] !== undefined && SHARE_TOPICS.has(topics[0])) mark(address, 'rebasing');

  for (const frame of tx.frames) {
    if (!isTransferCall(frame) || frame.to === null || marks.get(frame.to)?.has('fee_on_transfer')) continue;
    if (arrivedShort(frame, tx, flow)) mark(frame.to, 'fee_on_transfer');
  }
  return marks;
}

function isTransferCall({ selector, type, effective }: Frame): boolean {
  return (selector === TRANSFER_CALL || selector === TRANSFER_FROM_CALL) && type === 'CALL' && effective;
}

/**
 * True if the called token took the requested amount from the payer and less of it reached the recipient.
 */
function arrivedShort(frame: Frame, tx: CanonicalTx, flow: ValueFlow): boolean {
  const asked = readTransferCall(frame);
  if (!asked) return false;
  const amount = uintOfWord(asked.amount);
  let [sent, arrived] = [0n, 0n];
  for (const movement of paymentsDuring(frame, asked.from, tx, flow)) {
    const { kind, address } = flow.assets.get(movement.asset)!;
    if (kind !== 'erc20' || address !== frame.to) continue;
    sent += movement.amount;
    if (movement.to === asked.to) arrived += movement.amount;
    // Nothing that follows makes either less: calls within calls do not all go through the same payments to
    // their end.
    if (sent > amount || arrived === amount) return false;
  }
  return arrived > 0n && arrived < sent && sent === amount;
}

/** The account's payments while the frame ran, in order. */
function* paymentsDuring(
  { seq, end }: Frame,
  payer: Address,
  { frames }: CanonicalTx,
  { movements, outgoing }: ValueFlow,
): Generator<Movement> {
  const payments = outgoing.get(payer) ?? [];
  const until = frames[end]?.seq ?? Infinity;
  for (let i = lowerBound(payments, (index) => movements[index]!.seq > seq); i < payments.length; i++) {
    const movement = movements[payments[i]!]!;
    if (movement.seq >= until) return;
    yield movement;
  }
}

/**
 * The ends and amount of a `transfer` or `transferFrom` call (EIP-20); null where it is cut short or an end
 * is no address.
 */
function readTransferCall({
  selector,
  input,
  from: caller,
}: Frame): { from: Address; to: Address; amount: string } | null {
  const pulled = selector === TRANSFER_FROM_CALL;
  const first = pulled ? 36 : 4;
  const amount = wordAt(input, first + 32);
  if (amount === null) return null;
  const from = pulled ? addressOfWord(wordAt(input, 4)!) : caller;
  const to = addressOfWord(wordAt(input, first)!);
  return from && to && { from, to, amount };
}
