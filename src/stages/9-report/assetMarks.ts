import { addressOfWord, uintOfWord, wordAt } from '../../lib/hex.ts';
import { SHARE_TOPICS } from '../../lib/shareTopics.ts';
import type { CanonicalTx, Frame } from '../../model/canonicalTx.ts';
import type { Address } from '../../model/hex.ts';
import type { Movement, ValueFlow } from '../../model/valueFlow.ts';

/** `transfer(address,uint256)` and `transferFrom(address,address,uint256)` (EIP-20). */
const TRANSFER_CALL = '0xa9059cbb';
const TRANSFER_FROM_CALL = '0x23b872dd';

export type AssetMark = 'fee_on_transfer' | 'rebasing';

/**
 * What this very transaction shows about its tokens: `rebasing` where a token raised an event that only tokens have whose
 * balances follow from shares or an index, and so change without Transfers; `fee_on_transfer` where less arrived than a
 * transfer was asked for, though all of it left.
 */
export function assetMarks(tx: CanonicalTx, flow: ValueFlow): ReadonlyMap<Address, ReadonlySet<AssetMark>> {
  const marks = new Map<Address, Set<AssetMark>>();
  const mark = (token: Address, name: AssetMark): void => void marks.set(token, (marks.get(token) ?? new Set<AssetMark>()).add(name));
  for (const { address, topics } of tx.logs) if (topics[0] !== undefined && SHARE_TOPICS.has(topics[0])) mark(address, 'rebasing');

  const byToken = new Map<Address, Movement[]>();
  for (const movement of flow.movements) {
    const { kind, address } = flow.assets.get(movement.asset)!;
    if (kind !== 'erc20') continue;
    const own = byToken.get(address!);
    if (own) own.push(movement);
    else byToken.set(address!, [movement]);
  }
  for (const frame of tx.frames) {
    if (frame.selector !== TRANSFER_CALL && frame.selector !== TRANSFER_FROM_CALL) continue;
    const own = frame.type === 'CALL' && frame.effective && frame.to !== null ? byToken.get(frame.to) : undefined;
    if (own && frame.to !== null && !marks.get(frame.to)?.has('fee_on_transfer') && arrivedShort(frame, tx, own)) mark(frame.to, 'fee_on_transfer');
  }
  return marks;
}

/** `movements` in execution order. */
function arrivedShort(frame: Frame, tx: CanonicalTx, movements: readonly Movement[]): boolean {
  const asked = readTransferCall(frame);
  if (asked === null) return false;
  const until = tx.frames[frame.end]?.seq ?? Number.POSITIVE_INFINITY;
  let [sent, arrived] = [0n, 0n];
  for (let i = firstAfter(movements, frame.seq); i < movements.length && movements[i]!.seq < until && sent <= asked.amount; i++) {
    const { from, to, amount } = movements[i]!;
    if (from !== asked.from) continue;
    sent += amount;
    if (to === asked.to) arrived += amount;
  }
  return sent === asked.amount && arrived > 0n && arrived < sent;
}

/** Index of the first movement later than `seq`. */
function firstAfter(movements: readonly Movement[], seq: number): number {
  let [low, high] = [0, movements.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (movements[middle]!.seq > seq) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The ends and amount of a `transfer` or `transferFrom` call (EIP-20); null for any other. */
function readTransferCall({ selector, input, from }: Frame): { from: Address; to: Address; amount: bigint } | null {
  const pulled = selector === TRANSFER_FROM_CALL;
  if (!pulled && selector !== TRANSFER_CALL) return null;
  const words = Array.from({ length: pulled ? 3 : 2 }, (_, i) => wordAt(input, 4 + 32 * i));
  const [payer, to, amount] = pulled ? words : [null, ...words];
  const ends = { from: pulled ? payer && addressOfWord(payer) : from, to: to ? addressOfWord(to) : null };
  return ends.from && ends.to && amount ? { from: ends.from, to: ends.to, amount: uintOfWord(amount) } : null;
}
