import { callersOf } from '../../../value/frames.ts';
import { makesOwnCalls } from '../../../value/signed.ts';
import type { CanonicalTx, Evidence, Frame } from '../../../model/canonicalTx.ts';
import type { Address } from '../../../model/hex.ts';
import type { Rulebook } from '../../../model/rulebook.ts';

/**
 * The account that asked a contract for an act that an event or call states: the last one before it that is
 * no listed contract, or that makes any call for anybody. Where several calls may have logged the event it is
 * not the signer's; null where the trace shows no call of the contract.
 */
export function askedBy(
  { frame, log, contract }: Evidence,
  tx: CanonicalTx,
  rules: Rulebook,
): Address | null {
  const { index, end } = tx.frames[(log === null ? frame : tx.logs[log]!.within) ?? 0]!;
  const isRun = ({ context, effective, static: reads }: Frame): boolean =>
    context === contract && effective && !reads;
  const runs = tx.frames.slice(index, log === null ? index + 1 : end).filter(isRun);
  const serves = (account: Address): boolean => account === contract || makesOwnCalls(rules, account);
  const askers = runs.map((run) => callersOf(run, tx).findLast(({ from }) => !serves(from))?.from ?? tx.from);
  return askers.find((one) => one !== tx.from) ?? askers[0] ?? null;
}
