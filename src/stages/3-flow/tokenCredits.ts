import { addressAt, uintAt } from '../../evm/hex.ts';
import { asksBalance } from '../../evm/tokenCalls.ts';
import { callersOf } from '../../value/frames.ts';
import type { CanonicalTx, Frame } from '../../model/canonicalTx.ts';
import { isNonEconomic, type FlowEntry, type RawTransfer } from './rawTransfer.ts';

/** A read of an account's balance, and the transfers of the token since then that name the account. */
interface LastRead {
  readonly frame: Frame;
  readonly since: RawTransfer[];
}

/**
 * Transfers that arrived smaller than the token logged, each as it arrived: the transaction itself read the
 * receiver's balance (`balanceOf`, EIP-20) before and after, and no other transfer named the account between.
 * `entries` are in the order of the logs.
 */
export function creditsIn(
  { frames }: CanonicalTx,
  entries: readonly FlowEntry[],
): Map<FlowEntry, RawTransfer> {
  const credits = new Map<FlowEntry, RawTransfer>();
  const reads = new Map<string, LastRead>();
  const note = (entry: RawTransfer): void => {
    for (const account of [entry.from, entry.to])
      reads.get(`${entry.asset.address} ${account}`)?.since.push(entry);
  };
  let next = 0;
  for (const frame of frames) {
    if (!asksBalance(frame)) continue;
    for (; next < entries.length && entries[next]!.seq < frame.seq; next++) {
      const entry = entries[next]!;
      if (!isNonEconomic(entry) && entry.asset.kind === 'erc20') note(entry);
    }
    const key = `${frame.to} ${addressAt(frame.input, 4)}`;
    const before = reads.get(key);
    const credit = before && creditBetween(before, frame, frames);
    if (credit) credits.set(before.since[0]!, credit);
    reads.set(key, { frame, since: [] });
  }
  return credits;
}

/** The only transfer since the first read, by as much as the balance rose; null where that is no less. */
function creditBetween(
  { frame, since }: LastRead,
  after: Frame,
  frames: readonly Frame[],
): RawTransfer | null {
  const [one] = since;
  if (one === undefined || since.length > 1 || one.to !== addressAt(after.input, 4)) return null;
  const amount = uintAt(after.output, 0)! - uintAt(frame.output, 0)!;
  const isLess = amount > 0n && amount < one.amount;
  return isLess && !isMidway(frame, frames) && !isMidway(after, frames) ? { ...one, amount } : null;
}

/** Whether the token was asked during another call of it, which may have changed part of its balances. */
function isMidway(frame: Frame, frames: readonly Frame[]): boolean {
  return callersOf(frame, { frames }).some((one) => one !== frame && one.context === frame.to);
}
