import { venueOf } from '../../../findings/blockFacts.ts';
import { formatAmount, parseAmount } from '../../../value/amount.ts';
import { NATIVE_ASSET } from '../../../value/asset.ts';
import { subtractUsd } from '../../../value/money.ts';
import { exactSums } from '../../client/seenBy.ts';
import type { TxReport as ClientReport } from '../../client/report.ts';
import type { Finding } from '../../../model/finding.ts';
import type { Motif, PositionEffect, TxReport } from '../../../model/generated/report.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import { Book, exactWorth, total } from './reportBook.ts';
import { addRow, decimalCell, type Cells, type Rows, type TableName } from './tables.ts';

/** What a row needs besides its report. */
export interface RowContext {
  readonly findings: readonly Finding[];
  readonly motifKinds: Rulebook['motifKinds'];
}

/** Adds the rows of one report; `index`: its transaction's position in the block. */
export function addRows(rows: Rows, report: TxReport, index: number, context: RowContext): void {
  const key = { tx_hash: report.tx.hash, block_number: BigInt(report.tx.block_number) };
  const add = <Table extends TableName>(table: Table, cells: Cells<Table>): void =>
    addRow(rows, key, table, cells);
  const book = new Book(report);
  add('transactions', transactionCells(report, index, context.findings));
  for (const { subject, subject_role, asset, flags, ...amounts } of report.inventory_deltas)
    add('deltas', {
      subject,
      subject_role,
      asset_id: asset.id,
      asset_kind: asset.kind,
      token: asset.address,
      symbol: asset.symbol,
      decimals: asset.decimals,
      delta_raw: amounts.delta_raw,
      delta: decimalCell(amounts.delta),
      inflow_raw: amounts.inflow_raw,
      outflow_raw: amounts.outflow_raw,
      usd: book.worth(asset.id, amounts.delta),
      flags: words(flags),
    });
  for (const [position, movement] of (report.movements ?? []).entries())
    add('movements', {
      position,
      kind: movement.kind,
      from: movement.from,
      to: movement.to,
      asset_id: movement.asset_id,
      symbol: book.asset(movement.asset_id)?.symbol ?? null,
      amount_raw: movement.amount_raw,
      amount: decimalCell(book.amount(movement.asset_id, movement.amount_raw)),
      flags: words(movement.flags ?? []),
      log_index: movement.evidence.log_index,
      frame_path: movement.evidence.frame_path?.join('.') ?? null,
    });
  for (const motif of report.motifs) add('motifs', motifCells(motif, book, context));
  for (const [position, effect] of report.position_effects.entries())
    for (const cells of effectCells(effect, position, book)) add('positions', cells);
  addAllowances(add, report);
  addEconomics(add, report, book);
  for (const [account, { name, kind, source }] of Object.entries(report.accounts ?? {}))
    add('accounts', { account, name, kind, source });
}

/** Adds the rows of a block's findings. */
export function addFindings(rows: Rows, findings: readonly Finding[]): void {
  for (const one of findings) {
    const block_number = BigInt(one.block_number);
    const head = { finding_id: one.id, finding: one.finding };
    for (const part of one.transactions)
      addRow(rows, { tx_hash: part.tx_hash, block_number }, 'findings', {
        ...head,
        status: one.status,
        confidence: one.confidence,
        rule: one.rule,
        step: part.step,
        index: part.index,
        account: part.account,
        entity: words(one.entity),
        venues: words(one.venues.map(({ venue }) => venue)),
        motif_ids: words(part.motif_ids),
        caveats: words(one.caveats.map(({ code }) => code)),
      });
    const first = one.transactions[0]?.tx_hash ?? '';
    for (const { tx_hash, amount, usd: _, ...amounts } of one.amounts)
      addRow(rows, { tx_hash: tx_hash ?? first, block_number }, 'finding_amounts', {
        ...head,
        ...amounts,
        amount: decimalCell(amount),
        usd: amounts.usd_exact === null ? null : Number(amounts.usd_exact),
      });
  }
}

type Add = <Table extends TableName>(table: Table, cells: Cells<Table>) => void;

function transactionCells(
  report: TxReport,
  index: number,
  findings: readonly Finding[],
): Cells<'transactions'> {
  const { tx, execution, classification, economics, attribution } = report;
  const parts = findings.flatMap(({ finding, transactions }) =>
    transactions.filter(({ tx_hash }) => tx_hash === tx.hash).map(({ step }) => `${finding}:${step}`),
  );
  const wei = parseAmount(execution.gas_cost_native, 18);
  const gasUsd = exactWorth(report, NATIVE_ASSET, wei, 18);
  const { net: netUsd } = exactSums(report as ClientReport, economics.subject);
  const gas = total(execution.gas_cost_usd, gasUsd);
  const net = total(economics.net_usd_before_gas, netUsd);
  const netAfter = total(economics.net_usd_after_gas, netUsd && gasUsd && subtractUsd(netUsd, gasUsd));
  return {
    index,
    timestamp: tx.timestamp ? new Date(tx.timestamp) : null,
    signer: tx.signer,
    to: tx.to,
    nonce: tx.nonce === undefined ? null : BigInt(tx.nonce),
    selector: tx.method?.selector ?? null,
    method: tx.method?.name ?? null,
    reverted: execution.reverted,
    outcome: execution.outcome,
    intent_kind: classification.intent_kind,
    intent_label: classification.intent_label,
    category: classification.category ?? null,
    status: classification.status,
    confidence: classification.confidence,
    actor: classification.actor,
    fee_payer: attribution.fee_payer,
    attribution_mode: attribution.mode,
    rule: classification.matched_rule,
    rule_version: classification.rule_version,
    tags: words(classification.tags ?? []),
    caveats: words((classification.caveats ?? []).map(({ code }) => code)),
    in_block: words(parts),
    gas_used: BigInt(execution.gas_used),
    base_fee_per_gas: BigInt(execution.base_fee_per_gas),
    priority_fee_per_gas: BigInt(execution.priority_fee_per_gas),
    gas_cost: decimalCell(execution.gas_cost_native),
    gas_cost_raw: wei.toString(),
    gas_cost_usd: gas.usd,
    gas_cost_usd_exact: gas.exact,
    net_usd_before_gas: net.usd,
    net_usd_before_gas_exact: net.exact,
    net_usd_after_gas: netAfter.usd,
    net_usd_after_gas_exact: netAfter.exact,
    token_in: shownText(economics.token_in),
    token_out: shownText(economics.token_out),
  };
}

function motifCells(motif: Motif, book: Book, { motifKinds }: RowContext): Cells<'motifs'> {
  const { id, parent_id, kind, status, confidence, assets_in, assets_out } = motif;
  const got = sideOf(assets_in, book);
  const gave = sideOf(assets_out, book);
  return {
    motif_id: id,
    parent_id,
    kind,
    protocol: motif.protocol?.slug ?? null,
    venue: venueOf(motif, motifKinds) ?? null,
    pool_id: motif.pool_id ?? null,
    status,
    confidence,
    asset_in: got.asset,
    symbol_in: got.symbol,
    amount_in_raw: got.raw,
    amount_in: got.amount,
    usd_in: got.usd,
    asset_out: gave.asset,
    symbol_out: gave.symbol,
    amount_out_raw: gave.raw,
    amount_out: gave.amount,
    usd_out: gave.usd,
    more_assets: assets_in.length > 1 || assets_out.length > 1,
    tags: words(motif.tags ?? []),
  };
}

/** The first asset of one side of a motif; nulls where there is none. */
function sideOf([first]: Motif['assets_in'], book: Book) {
  if (first === undefined) return { asset: null, symbol: null, raw: null, amount: null, usd: null };
  const { asset, amount_raw: raw, amount } = first;
  return {
    asset: asset.id,
    symbol: asset.symbol,
    raw,
    amount: decimalCell(amount),
    usd: book.worth(asset.id, amount),
  };
}

function effectCells(effect: PositionEffect, position: number, book: Book): Cells<'positions'>[] {
  const none = { asset: null, role: null, delta_raw: null, delta: null };
  return (effect.underlying.length > 0 ? effect.underlying : [none]).map((one) => ({
    position,
    owner: effect.owner,
    category: effect.category,
    effect: effect.effect,
    protocol: effect.protocol?.slug ?? null,
    market: effect.market,
    position_asset_id: effect.position_asset?.id ?? null,
    position_delta_raw: effect.position_delta_raw,
    status: effect.status,
    confidence: effect.confidence,
    underlying_asset_id: one.asset?.id ?? null,
    underlying_symbol: one.asset?.symbol ?? null,
    underlying_role: one.role,
    underlying_delta_raw: one.delta_raw,
    underlying_delta: decimalCell(one.delta),
    underlying_usd: one.asset && book.worth(one.asset.id, one.delta),
  }));
}

function addAllowances(add: Add, report: TxReport): void {
  for (const { asset, owner, spender, ...allowance } of report.allowances ?? [])
    add('allowances', {
      asset_id: asset.id,
      token: asset.address,
      symbol: asset.symbol,
      owner,
      spender,
      spender_name: report.accounts?.[spender]?.name ?? null,
      kind: allowance.kind,
      amount_raw: allowance.amount_raw,
      amount: decimalCell(allowance.amount),
      unlimited: allowance.unlimited,
      expires_at: allowance.expires_at === null ? null : validDate(allowance.expires_at),
    });
}

function addEconomics(add: Add, report: TxReport, book: Book): void {
  const { economics } = report;
  for (const entry of economics.realized_pnl.entries) {
    const { asset, builder_payment_raw: paid } = entry;
    const [grossUsd, feesUsd] = [entry.gross_raw, entry.fees_raw ?? '0'].map((raw) =>
      asset.decimals === null ? null : exactWorth(report, asset.id, BigInt(raw), asset.decimals),
    );
    const [gasUsd, paidUsd] = [entry.gas_raw ?? '0', paid].map((raw) =>
      exactWorth(report, NATIVE_ASSET, BigInt(raw), 18),
    );
    const gross = total(entry.gross_usd, grossUsd!);
    const net = [gasUsd!, paidUsd!, feesUsd!].reduce(
      (left, cost) => left && cost && subtractUsd(left, cost),
      grossUsd!,
    );
    add('profits', {
      beneficiary: entry.beneficiary,
      asset_id: asset.id,
      symbol: asset.symbol,
      cost_raw: entry.cost_raw,
      proceeds_raw: entry.proceeds_raw,
      gross_raw: entry.gross_raw,
      gross: decimalCell(
        asset.decimals === null ? null : formatAmount(BigInt(entry.gross_raw), asset.decimals),
      ),
      gross_usd: gross.usd,
      gross_usd_exact: gross.exact,
      gas_usd: total(entry.gas_usd, gasUsd!).usd,
      gas_raw: entry.gas_raw ?? null,
      builder_payment_raw: paid,
      builder_payment: decimalCell(formatAmount(BigInt(paid), 18)),
      builder_payment_usd: entry.builder_payment_usd ? total(entry.builder_payment_usd, paidUsd!).usd : null,
      net_usd: total(entry.net_usd, net).usd,
      closed: entry.cycle.closed,
    });
  }
  for (const { owner, accounts, token_in, token_out, ...sums } of economics.by_owner ?? []) {
    const exact = exactSums(report as ClientReport, owner, accounts);
    const inflow = total(sums.inflow_usd, exact.inflow);
    const net = total(sums.net_usd_before_gas, exact.net);
    add('by_owner', {
      owner,
      accounts: words(accounts),
      inflow_usd: inflow.usd,
      inflow_usd_exact: inflow.exact,
      net_usd_before_gas: net.usd,
      net_usd_before_gas_exact: net.exact,
      token_in: shownText(token_in),
      token_out: shownText(token_out),
    });
  }
  for (const { asset_id, method, source, stale, ...price } of economics.valuation.prices ?? [])
    add('prices', {
      asset_id,
      price_usd: book.worth(asset_id, '1'),
      method,
      source,
      as_of: new Date(price.as_of * 1000),
      age_s: BigInt(price.age_s),
      stale,
    });
  for (const { asset_id, code, reason, observed, threshold } of economics.valuation.refusals ?? [])
    add('refusals', { asset_id, code, reason, observed, threshold });
}

/** Words of a list, comma-separated; null for none. */
const words = (list: readonly string[]): string | null => (list.length === 0 ? null : list.join(','));

const shownText = (text: string): string | null => (text === '' || text === '—' ? null : text);

/** Null for a time that no calendar holds. */
function validDate(text: string): Date | null {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? null : date;
}
