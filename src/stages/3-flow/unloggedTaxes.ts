import { readTransferCall } from '../../evm/tokenCalls.ts';
import { frameEvidence } from '../../lib/evidence.ts';
import { lowerBound } from '../../lib/lists.ts';
import type { CanonicalTx, Frame } from '../../model/canonicalTx.ts';
import { sumOf } from '../../value/amount.ts';
import { isNonEconomic, type FlowEntry, type RawTransfer } from './rawTransfer.ts';

/** Entries looked at within one call. */
const MAX_WITHIN = 32;

/**
 * Adds the taxes that tokens take without an event. Such a token logs the amount that arrived; the payer lost
 * the amount that the call asked for, and the token's own contract collects the difference (`_takeTeam` and
 * `_takeLiquidity` of the reflection tokens). `entries` are in the order of the logs.
 */
export function addUnloggedTaxes(tx: CanonicalTx, entries: FlowEntry[]): FlowEntry[] {
  const taxes = tx.frames.flatMap((call) => taxOf(call, tx, entries) ?? []);
  return taxes.length === 0 ? entries : [...entries, ...taxes].sort((a, b) => a.seq - b.seq);
}

function taxOf(call: Frame, tx: CanonicalTx, entries: readonly FlowEntry[]): RawTransfer | null {
  const asked = readTransferCall(call);
  if (asked === null || asked.from === call.to || asked.to === call.to) return null;
  const paid = entriesWithin(call, tx, entries).filter(
    (entry): entry is RawTransfer =>
      !isNonEconomic(entry) && entry.from === asked.from && entry.asset.address === call.to,
  );
  const arrived = paid.findLast(({ to }) => to === asked.to);
  const amount = asked.amount - sumOf(paid);
  if (arrived?.asset.kind !== 'erc20' || !isTax(amount, asked.amount)) return null;
  return { ...arrived, kind: 'transfer', to: call.to!, amount, evidence: frameEvidence(call, call.to!) };
}

/** A smaller part is rounding; a larger one has another meaning. */
const isTax = (part: bigint, of: bigint): boolean => part > 0n && part * 1_000n >= of && part * 2n <= of;

/** The entries of the call's logs; empty for many, and where their places are not exact. */
function entriesWithin(call: Frame, { frames }: CanonicalTx, entries: readonly FlowEntry[]): FlowEntry[] {
  const until = frames[call.end]?.seq ?? Infinity;
  const found: FlowEntry[] = [];
  for (let i = lowerBound(entries, ({ seq }) => seq > call.seq); i < entries.length; i++) {
    const entry = entries[i]!;
    if (entry.seq >= until) break;
    if (found.length === MAX_WITHIN || entry.evidence.frame === null) return [];
    found.push(entry);
  }
  return found;
}
