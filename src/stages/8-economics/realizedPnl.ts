import { addUsd, known, subtractUsd, unknown, worth, worthTogether, ZERO_USD } from '../../value/money.ts';
import { isCycle } from '../../lib/motifKinds.ts';
import { sumOf } from '../../value/amount.ts';
import { mergeNative, NATIVE_ASSET } from '../../value/asset.ts';
import { balances, isConversion, type Balance } from '../../value/balances.ts';
import type { GasCost, Money, PnlEntry, PnlReason, PriceBook, RealizedPnl } from '../../model/economics.ts';
import type { Address } from '../../model/hex.ts';
import type { AssetId, Movement } from '../../model/valueFlow.ts';
import type { EconomicsInput } from './computeEconomics.ts';
import {
  changesHiddenPosition,
  closedFlow,
  holdersElsewhere,
  outsideReceipts,
  pnlEntity,
  poolsOf,
} from './closedFlow.ts';
import type { ClosedOf } from './closedFlow.ts';
import { amountsOf } from '../../value/sides.ts';
import { builderPayments, executionCost } from '../../value/parties/execution.ts';

interface PnlInput extends Omit<EconomicsInput, 'context'> {
  readonly book: PriceBook;
  readonly gas: GasCost;
}

type PnlOf = PnlInput & ClosedOf;

interface Pnl {
  readonly realized: RealizedPnl;
  readonly structuralProfit: Money;
}

const HISTORY = 'requires_multi_transaction_state';
const ELSEWHERE = 'result_held_elsewhere';
const OUTSIDE = 'outside_receipt';

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
  readonly hops: ReturnType<typeof hopsOf>;
  readonly own: ReadonlyMap<AssetId, EntityBalance>;
  /** Wei it paid for execution by another's transaction. */
  readonly execution: bigint;
}

/** The account of the group that ended with most of the asset; the first, its actor, where none gained. */
function holderOf(id: AssetId, { group, flow }: PnlOf): Address {
  const gains = [...group].map((account) => {
    return { account, net: balances(flow, account).get(id)?.net ?? 0n };
  });
  return gains.reduce((most, one) => (one.net > 0n && one.net > most.net ? one : most)).account;
}

/** The asset's amounts at the hops of cycles; of any other flow, those across the entity's border. */
function hopsOf({ id, paid, received }: EntityBalance, { closed, flow }: PnlOf) {
  const cycles = closed.motifs.filter(isCycle);
  if (cycles.length === 0) return { cost: paid, proceeds: received };
  const own = cycles
    .flatMap((cycle) => amountsOf(cycle))
    .filter(({ asset }) => mergeNative(asset, flow) === id);
  return {
    cost: sumOf(own.filter(({ gave }) => gave)),
    proceeds: sumOf(own.filter(({ gave }) => !gave)),
  };
}

/** Null where something it needs has no price. */
function entryOf({ result, hops, own, execution }: Result, input: PnlOf): PnlEntry | null {
  const { closed, group } = input;
  const unit = input.book.prices.get(result.id)?.unit;
  const toBuilder = worthTogether(
    [...own.values()].filter((b) => b.toBuilder > 0n).map((b) => [b.id, b.toBuilder]),
    input.book,
  );
  const wei = execution + (group.has(input.attribution.signer) ? input.gas.cost : 0n);
  const gas = worthTogether(wei === 0n ? [] : [[NATIVE_ASSET, wei]], input.book).usd;
  if (!unit || toBuilder.usd === null || gas === null) return null;
  const gross = hops.proceeds - hops.cost;
  const fees = gross - (result.received - result.paid);
  const [grossUsd, feesUsd] = [worth(gross, unit), worth(fees, unit)];
  return {
    beneficiary: holderOf(result.id, input),
    entity: [...group],
    asset: result.id,
    cost: hops.cost,
    proceeds: hops.proceeds,
    gross,
    grossUsd,
    fees,
    feesUsd,
    gas: wei,
    gasUsd: gas,
    builderPayment: result.toBuilder,
    builderUsd: toBuilder.usd,
    netUsd: subtractUsd(grossUsd, addUsd(addUsd(gas, toBuilder.usd), feesUsd)),
    motifs: closed.motifs.map((motif) => motif.index),
    pools: poolsOf(input),
    // The first of each act; the acts, named in `motifs`, list all of theirs.
    evidence: closed.motifs.flatMap((motif) => motif.evidence.slice(0, 1)),
  };
}

const unsupported = (reason: PnlReason, structuralProfit: Money): Pnl => ({
  realized: { supported: false, reason },
  structuralProfit,
});

/**
 * Realised profit, where one transaction can show it: the actor's entity ran a closed flow (an arbitrage, a
 * liquidation it left at once, a loan it sent back) and keeps only a difference in one asset; its payments
 * to the builder and for gas are listed apart. Anything else needs the cost basis of earlier transactions.
 * The structural profit is the gross result of such a flow's hops; zero without one, unavailable
 * where its result cannot be determined.
 */
export function realizedPnl(input: PnlInput): Pnl {
  // A cycle that is left out here had a result all the same.
  const cycles = input.motifs.some(isCycle);
  const ordinary = unsupported(HISTORY, cycles ? unknown(HISTORY) : known(ZERO_USD));
  const closed = closedFlow(input);
  if (!closed) return ordinary;
  const { flow, attribution } = input;
  const { payments } = attribution;
  const group = pnlEntity(closed, input);
  const of: PnlOf = { ...input, closed, group };
  const execution = executionCost(payments, flow, group);
  // More back than in is a withdrawal of the deposit, no payment.
  const own = entityBalances(of, execution > 0n ? payments : NONE);
  const result = resultOf(own.values());
  const isCosted = result !== null && result.paid !== 0n && !changesHiddenPosition(input.motifs, own);
  if (!closed.certain && !isCosted) return ordinary;
  if (holdersElsewhere(of).length > 0) return unsupported(ELSEWHERE, unknown(ELSEWHERE));
  if (!result) return unsupported(HISTORY, unknown(HISTORY));
  const outside = outsideReceipts(of).some(({ index }) => !payments.has(index));
  return profitOf({ result, hops: hopsOf(result, of), own, execution }, outside, of);
}

/** The profit that the hops leave, unless more came in than they gave. */
function profitOf(of: Result, outside: boolean, input: PnlOf): Pnl {
  const { result, hops } = of;
  const gross = hops.proceeds - hops.cost;
  if (outside || gross < result.received - result.paid) return unsupported(OUTSIDE, unknown(OUTSIDE));
  const profit = worthTogether([[result.id, gross]], input.book);
  const entry = entryOf(of, input);
  if (!entry) return unsupported('unpriced_asset', profit);
  const realized = { supported: true, gross: entry.grossUsd, net: entry.netUsd, entries: [entry] } as const;
  return { realized, structuralProfit: profit };
}

/** Balance of a group of accounts taken as one entity, native and wrapped native as one asset. */
interface EntityBalance extends Balance {
  /** Sent to the block builder, directly or through a helper that only forwarded it. */
  readonly toBuilder: bigint;
  /** Sent to everybody else. */
  readonly paid: bigint;
}

const NONE: ReadonlySet<number> = new Set();

/** An entity's amounts across its border by first movement, without those indexes to `leaveOut`. */
function entityBalances(
  { group, flow, header }: PnlOf,
  leaveOut: { has(index: number): boolean },
): ReadonlyMap<AssetId, EntityBalance> {
  const exclude = (m: Movement): boolean => leaveOut.has(m.index) || isConversion(m, flow);
  const tips = builderPayments(flow, group, header.coinbase);
  const found = new Map<AssetId, EntityBalance>();
  for (const [id, own] of balances(flow, group, { exclude })) {
    let toBuilder = 0n;
    for (const { index, amount } of own.outgoing) if (tips.has(index)) toBuilder += amount;
    found.set(id, { ...own, toBuilder, paid: own.sent - toBuilder });
  }
  return found;
}
