import { readTransferCall } from '../../evm/tokenCalls.ts';
import { frameEvidence } from '../../lib/evidence.ts';
import { lowerBound } from '../../lib/lists.ts';
import type { CanonicalTx, Frame } from '../../model/canonicalTx.ts';
import { distance, sumOf } from '../../value/amount.ts';
import { ROUNDING } from '../../value/claims.ts';
import { isNonEconomic, type FlowEntry, type RawTransfer } from './rawTransfer.ts';
import { creditsIn } from './tokenCredits.ts';

type Asked = NonNullable<ReturnType<typeof readTransferCall>>;

/** Entries looked at within one call. */
const MAX_WITHIN = 32;

/** Token movements and plain events in order, and those of them by which tokens took their own taxes. */
export interface TokenEntries {
  readonly entries: FlowEntry[];
  readonly taxes: ReadonlySet<FlowEntry>;
}

/**
 * Finds the taxes that tokens took from transfers: payments of the payer beside the one that the call asked
 * for, of the amount asked for or on top of it. Where no event shows all of that amount, the token's own
 * contract collects the rest (`_takeTeam` and `_takeLiquidity` of the reflection tokens) by a movement that
 * is added here. A token may log all of it as arrived: where balances show less, that much arrived. `entries`
 * are in the order of the logs.
 */
export function withTaxes(tx: CanonicalTx, entries: FlowEntry[]): TokenEntries {
  const taxes = new Set<FlowEntry>();
  const added: RawTransfer[] = [];
  const credits = creditsIn(tx, entries);
  const credited = new Map<FlowEntry, RawTransfer>();
  for (const call of tx.frames) {
    const asked = readTransferCall(call);
    if (!asked) continue;
    const logged = entriesWithin(call, tx, entries);
    const read = readCredited(call, asked, logged, { credits, credited }) ?? readCall(call, asked, logged);
    if (!read) continue;
    if (read.isTaxed) for (const payment of read.paid) taxes.add(payment);
    // Also of the calls around this one.
    for (const payment of read.arrived) taxes.delete(payment);
    if (read.unlogged) added.push(read.unlogged);
  }
  if (added.length + credited.size === 0) return { entries, taxes };
  const shown = entries.map((entry) => credited.get(entry) ?? entry);
  const all = [...shown, ...added].sort((a, b) => a.seq - b.seq);
  return { entries: all, taxes: new Set([...taxes, ...added]) };
}

/**
 * As `readCall`, with the amounts that arrived, where these and taxes make up the amount asked for: then they
 * count. Null where none differs from its log.
 */
function readCredited(
  call: Frame,
  asked: Asked,
  logged: readonly FlowEntry[],
  { credits, credited }: Record<'credits' | 'credited', Map<FlowEntry, RawTransfer>>,
): ReturnType<typeof readCall> {
  const some = logged.filter((entry) => credits.has(entry));
  if (some.length === 0) return null;
  const read = readCall(
    call,
    asked,
    logged.map((entry) => credits.get(entry) ?? entry),
  );
  if (!read?.isTaxed) return null;
  for (const entry of some) credited.set(entry, credits.get(entry)!);
  return read;
}

/** The payer's payments during a call; null where none reached the account that it names. */
function readCall(call: Frame, { from, to, amount }: Asked, within: readonly FlowEntry[]) {
  const paid = within.filter(
    (entry): entry is RawTransfer =>
      !isNonEconomic(entry) && entry.from === from && entry.asset.address === call.to,
  );
  const arrived = paid.filter((payment) => payment.to === to);
  const last = arrived.at(-1);
  if (last?.asset.kind !== 'erc20') return null;
  const rest = amount - sumOf(paid);
  // The token is neither end, the payer pays itself nothing, and the places of the logs are exact.
  const mayCollect = (): boolean =>
    ![from, to].includes(call.to!) &&
    within.every((e) => e.evidence.frame !== null && (e.kind !== 'self_transfer' || e.from !== from));
  const unlogged: RawTransfer | null =
    isTax(rest, amount) && mayCollect()
      ? { ...last, kind: 'transfer', to: call.to!, amount: rest, evidence: frameEvidence(call, call.to!) }
      : null;
  const isWhole = distance(rest, 0n) <= ROUNDING || sumOf(arrived) === amount;
  return { paid, arrived, unlogged, isTaxed: isWhole || unlogged !== null };
}

/** A smaller part is rounding; of a larger one the call named another thing, such as an id (ERC-404). */
const isTax = (part: bigint, of: bigint): boolean => part * 1_000n >= of && part * 100n <= of * 99n;

/** The entries of the call's logs; empty for many. */
function entriesWithin(call: Frame, { frames }: CanonicalTx, entries: readonly FlowEntry[]): FlowEntry[] {
  const from = lowerBound(entries, ({ seq }) => seq > call.seq);
  const end = lowerBound(entries, ({ seq }) => seq >= (frames[call.end]?.seq ?? Infinity));
  return end - from > MAX_WITHIN ? [] : entries.slice(from, end);
}
