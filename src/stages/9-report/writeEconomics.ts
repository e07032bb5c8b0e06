import { formatAmount } from '../../value/amount.ts';
import { displayMoney, displayUsd } from '../../value/money.ts';
import type {
  ChosenPrice,
  Economics,
  NftSale,
  OwnerEconomics,
  PnlEntry,
  RealizedPnl,
  Valuation,
} from '../../model/economics.ts';
import type * as wire from '../../model/generated/report.ts';
import { jsonInteger, motifId, type ReportWriter } from './reportWriter.ts';

function writeEntry(entry: PnlEntry, writer: ReportWriter): wire.PnlEntry {
  return {
    beneficiary: writer.address(entry.beneficiary),
    entity: entry.entity.map((account) => writer.address(account)),
    asset: writer.asset(entry.asset),
    cost_raw: entry.cost.toString(),
    proceeds_raw: entry.proceeds.toString(),
    gross_raw: entry.gross.toString(),
    gross_usd: displayUsd(entry.grossUsd),
    fees_raw: entry.fees.toString(),
    fees_usd: displayUsd(entry.feesUsd),
    gas_usd: displayUsd(entry.gasUsd),
    gas_raw: entry.gas.toString(),
    builder_payment_raw: entry.builderPayment.toString(),
    builder_payment_usd: displayUsd(entry.builderUsd),
    net_usd: displayUsd(entry.netUsd),
    cycle: {
      motif_ids: entry.motifs.map(motifId),
      pools: entry.pools.map((pool) => writer.address(pool)),
      closed: true,
    },
    evidence: writer.evidences(entry.evidence),
  };
}

function writePnl(pnl: RealizedPnl, writer: ReportWriter): wire.RealizedPnl {
  if (!pnl.supported) return { supported: false, basis: null, reason: pnl.reason, entries: [] };
  return {
    supported: true,
    basis: 'self_closing_atomic_flow',
    gross_usd: displayUsd(pnl.gross),
    net_usd: displayUsd(pnl.net),
    reason: null,
    entries: pnl.entries.map((entry) => writeEntry(entry, writer)),
  };
}

function writePrice(
  { asset, unit, quote, ageSeconds, stale, restsOn }: ChosenPrice,
  block: number,
  writer: ReportWriter,
): wire.Price {
  const price: wire.Price = {
    asset_id: asset,
    price_usd: displayUsd(unit.usd),
    price_exact: formatAmount(unit.usd.numerator, unit.usd.scale),
    method: quote.method,
    source: writer.text(quote.source),
    block,
    as_of: quote.asOf,
    age_s: ageSeconds,
    stale,
  };
  if (restsOn.length > 0) price.rests_on = [...restsOn];
  return price;
}

function writeValuation(valuation: Valuation, block: number, writer: ReportWriter): wire.Valuation {
  return {
    snapshot_id: valuation.snapshotId,
    priced_assets: valuation.pricedAssets,
    total_assets: valuation.totalAssets,
    unpriced_assets: [...valuation.unpricedAssets],
    price_warning: valuation.priceWarning,
    refusals: valuation.refusals.map(({ asset, code, reason, observed, threshold }) => ({
      asset_id: asset,
      code,
      reason: writer.text(reason),
      observed: observed === null ? null : writer.text(observed),
      threshold,
    })),
    prices: valuation.prices.map((price) => writePrice(price, block, writer)),
  };
}

function writeOwner(part: OwnerEconomics, writer: ReportWriter): wire.OwnerEconomics {
  return {
    owner: writer.address(part.owner),
    accounts: part.accounts.map((account) => writer.address(account)),
    inflow_usd: displayMoney(part.inflow),
    net_usd_before_gas: displayMoney(part.netBeforeGas),
    ...(part.netWithPositions ? { net_usd_with_positions: displayMoney(part.netWithPositions) } : {}),
    token_in: part.tokenIn,
    token_out: part.tokenOut,
  };
}

function writeSale({ trade, price, proceeds, fees }: NftSale, writer: ReportWriter): wire.NftSale {
  return {
    motif_id: motifId(trade.motif.index),
    asset: writer.asset(trade.asset),
    units_raw: trade.units.toString(),
    buyer: writer.address(trade.buyer),
    seller: writer.address(trade.seller),
    price_usd: displayMoney(price),
    proceeds_usd: displayMoney(proceeds),
    fees_usd: displayMoney(fees),
  };
}

export function writeEconomics(
  economics: Economics,
  blockNumber: bigint,
  writer: ReportWriter,
): wire.Economics {
  const { netAfterOwnGas, netWithPositions, consideration, owners, nftSales } = economics;
  const written = {
    subject: writer.address(economics.subject),
    fee_usd: displayMoney(economics.gas.usd),
    inflow_usd: displayMoney(economics.inflow),
    net_usd_before_gas: displayMoney(economics.netBeforeGas),
    net_usd_after_gas: displayMoney(economics.netAfterGas),
  } as wire.Economics;
  // Few transactions have these.
  if (netAfterOwnGas) written.net_usd_after_own_gas = displayMoney(netAfterOwnGas);
  if (netWithPositions) written.net_usd_with_positions = displayMoney(netWithPositions);
  if (consideration)
    written.consideration_usd = Object.assign(displayMoney(consideration), { method: 'own_trade' } as const);
  written.token_in = economics.tokenIn;
  written.token_out = economics.tokenOut;
  written.structural_profit_usd = displayMoney(economics.structuralProfit);
  written.realized_pnl = writePnl(economics.realizedPnl, writer);
  written.valuation = writeValuation(economics.valuation, jsonInteger(blockNumber, 'block number'), writer);
  written.fee_paid_by_subject = economics.feePaidBySubject;
  written.warnings = [...economics.warnings];
  if (owners.length > 0) written.by_owner = owners.map((part) => writeOwner(part, writer));
  if (nftSales.length > 0) written.nft_sales = nftSales.map((sale) => writeSale(sale, writer));
  return written;
}
