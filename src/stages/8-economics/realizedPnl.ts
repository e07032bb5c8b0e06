import { addUsd, known, subtractUsd, unknown, worth, worthTogether, ZERO_USD } from '../../value/money.ts';
import type { Attribution } from '../../model/attribution.ts';
import type { BlockHeader } from '../../model/canonicalTx.ts';
import type { GasCost, Money, PnlEntry, PriceBook, RealizedPnl } from '../../model/economics.ts';
import type { Address } from '../../model/hex.ts';
import type { Verdict } from '../../model/intent.ts';
import type { Motif } from '../../model/motif.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { AssetId, ValueFlow } from '../../model/valueFlow.ts';
import { changesHiddenPosition, closedFlow, poolsOf, walletsOf, type ClosedFlow } from './closedFlow.ts';
import { entityBalances, type EntityBalance } from './entityBalances.ts';

export interface PnlInput {
  readonly flow: ValueFlow;
  readonly header: BlockHeader;
  readonly attribution: Attribution;
  readonly motifs: readonly Motif[];
  readonly verdict: Verdict;
  readonly rulebook: Pick<Rulebook, 'wrappedNative' | 'motifKinds'>;
  readonly book: PriceBook;
  readonly gas: GasCost;
}

export interface Pnl {
  readonly realized: RealizedPnl;
  readonly structuralProfit: Money;
}

const HISTORY = 'requires_multi_transaction_state';

/**
 * The one asset with a result. Null when value is left over in a second one, for its worth depends on a later
 * transaction, and when nothing came back to these accounts: then the flow closed elsewhere.
 */
function resultOf(own: Iterable<EntityBalance>): EntityBalance | null {
  const all = [...own];
  const open = all.filter(({ received, paid }) => received !== paid);
  if (open.length > 1) return null;
  const result = open[0] ?? all.find(({ received }) => received > 0n);
  return result && result.received > 0n ? result : null;
}

interface Result {
  readonly result: EntityBalance;
  readonly own: ReadonlyMap<AssetId, EntityBalance>;
  readonly closed: ClosedFlow;
  readonly group: ReadonlySet<Address>;
}

/** Null where something it needs has no price. */
function entryOf({ result, own, closed, group }: Result, input: PnlInput): PnlEntry | null {
  const unit = input.book.prices.get(result.id)?.unit;
  const toBuilder = worthTogether(
    [...own.values()].filter((b) => b.toBuilder > 0n).map((b) => [b.id, b.toBuilder]),
    input.book,
  );
  const gas = input.gas.usd;
  if (!unit || toBuilder.usd === null || gas.usd === null) return null;
  const gross = result.received - result.paid;
  const grossUsd = worth(gross, unit);
  return {
    beneficiary:
      walletsOf(closed, input.rulebook)[0] ??
      input.attribution.beneficiary ??
      input.attribution.actor ??
      input.attribution.signer,
    asset: result.id,
    cost: result.paid,
    proceeds: result.received,
    gross,
    grossUsd,
    gasUsd: gas.usd,
    builderPayment: result.toBuilder,
    builderUsd: toBuilder.usd,
    netUsd: subtractUsd(grossUsd, addUsd(gas.usd, toBuilder.usd)),
    motifs: closed.motifs.map((motif) => motif.index),
    pools: poolsOf(closed, input.motifs, group, input.rulebook),
    // The first of each act; the acts, named in `motifs`, list all of theirs.
    evidence: closed.motifs.flatMap((motif) => motif.evidence.slice(0, 1)),
  };
}

/**
 * Realised profit, where one transaction can show it: the actor's entity ran a closed flow (an arbitrage, a
 * liquidation it left at once, a loan it sent back) and keeps only a difference in one asset; its payments
 * to the builder and for gas are listed apart. Anything else needs the cost basis of earlier transactions.
 * The structural profit is the gross result of such a flow; zero without one, unavailable where its result
 * cannot be determined.
 */
export function realizedPnl(input: PnlInput): Pnl {
  const unsupported = (reason: typeof HISTORY | 'unpriced_asset', structuralProfit: Money): Pnl => ({
    realized: { supported: false, reason },
    structuralProfit,
  });
  const { actor, entity } = input.attribution;
  if (actor === null) return unsupported(HISTORY, known(ZERO_USD));
  const closed = closedFlow(input.verdict, input.motifs, input.rulebook);
  if (!closed) return unsupported(HISTORY, known(ZERO_USD));
  const group = new Set([actor, ...entity, ...walletsOf(closed, input.rulebook)]);
  const own = entityBalances(input.flow, group, input.header.coinbase, input.rulebook.wrappedNative);
  const result = resultOf(own.values());
  if (
    !closed.certain &&
    (!result || result.paid === 0n || changesHiddenPosition(input.motifs, own, input.rulebook))
  )
    return unsupported(HISTORY, known(ZERO_USD));
  if (!result) return unsupported(HISTORY, unknown(HISTORY));
  const profit = worthTogether([[result.id, result.received - result.paid]], input.book);
  const entry = entryOf({ result, own, closed, group }, input);
  if (!entry) return unsupported('unpriced_asset', profit);
  return {
    realized: { supported: true, gross: entry.grossUsd, net: entry.netUsd, entries: [entry] },
    structuralProfit: profit,
  };
}
