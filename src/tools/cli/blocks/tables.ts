import { venueOf } from '../../../findings/blockFacts.ts';
import { formatAmount } from '../../../value/amount.ts';
import type { Finding } from '../../../model/generated/finding.ts';
import type { Motif, PositionEffect, TxReport } from '../../../model/generated/report.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import {
  amount,
  bool,
  dollars,
  fields,
  int32,
  int64,
  list,
  shownText,
  table,
  text,
  time,
  jsonCell,
  type Row,
  type Table,
} from './columns.ts';
import { bookOf, ownersOf, profitsOf, sumsOf, type Book } from './reportBook.ts';

/** A report and its transaction's position in the block (`index`). */
interface Page {
  readonly report: TxReport;
  readonly index: number;
  readonly findings: readonly Finding[];
  readonly motifKinds: Rulebook['motifKinds'];
  readonly book: Book;
}

/** Every table begins with these. */
const KEY = {
  tx_hash: text((_: unknown, { report }: Page) => report.tx.hash),
  block_number: int64((_: unknown, { report }: Page) => report.tx.block_number),
};

const verdict = (_: unknown, { report }: Page) => report.classification;
const execution = (_: unknown, { report }: Page) => report.execution;
const effectOf = ({ effect }: { readonly effect: PositionEffect }) => effect;
const profitOf = ({ entry }: ReturnType<typeof profitsOf>[number]) => entry;

/** The tables of reports. */
const OF_REPORTS = {
  transactions: table((page: Page) => [sumsOf(page.report)], {
    ...KEY,
    index: int32((_, { index }) => index),
    timestamp: time((_, { report }) => report.tx.timestamp),
    ...fields(text, ['signer', 'to'], (_: unknown, { report }: Page) => report.tx),
    nonce: int64((_, { report }) => report.tx.nonce),
    type: int32((_, { report }) => report.tx.type),
    value: amount((_, { report: { tx } }) => tx.value_raw && formatAmount(BigInt(tx.value_raw), 18)),
    value_raw: text((_, { report }) => report.tx.value_raw),
    selector: text((_, { report }) => report.tx.method?.selector),
    method: text((_, { report }) => report.tx.method?.name),
    reverted: bool((_, { report }) => report.execution.reverted),
    outcome: text((_, { report }) => report.execution.outcome),
    failure: text((_, { report }) => report.execution.failure?.reason),
    failed_in: text((_, { report }) => report.execution.failure?.contract),
    ...fields(text, ['intent_kind', 'intent_label', 'category', 'status', 'confidence', 'actor'], verdict),
    fee_payer: text((_, { report }) => report.attribution.fee_payer),
    attribution_mode: text((_, { report }) => report.attribution.mode),
    rule: text((_, { report }) => report.classification.matched_rule),
    rule_version: int32((_, { report }) => report.classification.rule_version),
    tags: list((_, { report }) => report.classification.tags),
    caveats: list((_, { report }) => report.classification.caveats?.map(({ code }) => code)),
    in_block: list((_, page) => partsIn(page)),
    ...fields(int64, ['gas_used', 'base_fee_per_gas', 'priority_fee_per_gas'], execution),
    gas_cost: amount((_, { report }) => report.execution.gas_cost_native),
    gas_cost_raw: text(({ wei }) => wei.toString()),
    gas_cost_usd: dollars(({ gas }) => gas.usd),
    gas_cost_usd_exact: text(({ gas }) => gas.exact),
    net_usd_before_gas: dollars(({ net }) => net.usd),
    net_usd_before_gas_exact: text(({ net }) => net.exact),
    net_usd_after_gas: dollars(({ netAfter }) => netAfter.usd),
    net_usd_after_gas_exact: text(({ netAfter }) => netAfter.exact),
    net_usd_after_own_gas: dollars(({ netAfterOwn }) => netAfterOwn),
    net_usd_with_positions: dollars(({ withPositions }) => withPositions),
    consideration_usd: dollars(({ consideration }) => consideration),
    token_in: shownText((_, { report }) => report.economics.token_in),
    token_out: shownText((_, { report }) => report.economics.token_out),
  }),
  deltas: table(({ report }: Page) => report.inventory_deltas, {
    ...KEY,
    ...fields(text, ['subject', 'subject_role']),
    asset_id: text((d) => d.asset.id),
    asset_kind: text((d) => d.asset.kind),
    token: text((d) => d.asset.address),
    symbol: text((d) => d.asset.symbol),
    decimals: int32((d) => d.asset.decimals),
    delta_raw: text((d) => d.delta_raw),
    delta: amount((d) => d.delta),
    ...fields(text, ['inflow_raw', 'outflow_raw']),
    usd: dollars((d, { book }) => book.worth(d.asset.id, d.delta)),
    flags: list((d) => d.flags),
  }),
  movements: table(({ report }: Page) => [...(report.movements ?? []).entries()], {
    ...KEY,
    position: int32(([position]) => position),
    kind: text(([, m]) => m.kind),
    from: text(([, m]) => m.from),
    to: text(([, m]) => m.to),
    asset_id: text(([, m]) => m.asset_id),
    symbol: text(([, m], { book }) => book.asset(m.asset_id)?.symbol),
    amount_raw: text(([, m]) => m.amount_raw),
    amount: amount(([, m], { book }) => book.amount(m.asset_id, m.amount_raw)),
    flags: list(([, m]) => m.flags),
    log_index: int32(([, m]) => m.evidence.log_index),
    frame_path: text(([, m]) => m.evidence.frame_path?.join('.')),
  }),
  motifs: table(({ report }: Page) => report.motifs, {
    ...KEY,
    motif_id: text((m) => m.id),
    parent_id: text((m) => m.parent_id),
    kind: text((m) => m.kind),
    protocol: text((m) => m.protocol?.slug),
    venue: text((m, { motifKinds }) => venueOf(m, motifKinds)),
    pool_id: text((m) => m.pool_id),
    ...fields(text, ['status', 'confidence']),
    ...sideColumns('in', (m) => m.assets_in),
    ...sideColumns('out', (m) => m.assets_out),
    more_assets: bool((m) => m.assets_in.length > 1 || m.assets_out.length > 1),
    tags: list((m) => m.tags),
  }),
  positions: table(({ report }: Page) => report.position_effects.flatMap(partsOf), {
    ...KEY,
    position: int32(({ position }) => position),
    ...fields(text, ['owner', 'category', 'effect'], effectOf),
    protocol: text(({ effect }) => effect.protocol?.slug),
    market: text(({ effect }) => effect.market),
    position_asset_id: text(({ effect }) => effect.position_asset?.id),
    ...fields(text, ['position_delta_raw', 'status', 'confidence'], effectOf),
    underlying_asset_id: text(({ part }) => part?.asset.id),
    underlying_symbol: text(({ part }) => part?.asset.symbol),
    underlying_role: text(({ part }) => part?.role),
    underlying_delta_raw: text(({ part }) => part?.delta_raw),
    underlying_delta: amount(({ part }) => part?.delta),
    underlying_usd: dollars(({ part }, { book }) => part && book.worth(part.asset.id, part.delta)),
  }),
  allowances: table(({ report }: Page) => report.allowances ?? [], {
    ...KEY,
    asset_id: text((a) => a.asset.id),
    token: text((a) => a.asset.address),
    symbol: text((a) => a.asset.symbol),
    ...fields(text, ['owner', 'spender']),
    spender_name: text((a, { report }) => report.accounts?.[a.spender]?.name),
    ...fields(text, ['kind', 'amount_raw']),
    amount: amount((a) => a.amount),
    unlimited: bool((a) => a.unlimited),
    expires_at: time((a) => a.expires_at),
  }),
  profits: table(({ report }: Page) => profitsOf(report), {
    ...KEY,
    beneficiary: text(({ entry }) => entry.beneficiary),
    asset_id: text(({ entry }) => entry.asset.id),
    symbol: text(({ entry }) => entry.asset.symbol),
    ...fields(text, ['cost_raw', 'proceeds_raw', 'gross_raw'], profitOf),
    gross: amount(({ entry: { asset, gross_raw: raw } }) =>
      asset.decimals === null ? null : formatAmount(BigInt(raw), asset.decimals),
    ),
    gross_usd: dollars(({ gross }) => gross.usd),
    gross_usd_exact: text(({ gross }) => gross.exact),
    gas_usd: dollars(({ gas }) => gas.usd),
    ...fields(text, ['gas_raw', 'builder_payment_raw'], profitOf),
    builder_payment: amount(({ entry }) => formatAmount(BigInt(entry.builder_payment_raw), 18)),
    builder_payment_usd: dollars(({ paid }) => paid?.usd),
    net_usd: dollars(({ net }) => net.usd),
    closed: bool(({ entry }) => entry.cycle.closed),
  }),
  by_owner: table(({ report }: Page) => ownersOf(report), {
    ...KEY,
    owner: text(({ sums }) => sums.owner),
    accounts: list(({ sums }) => sums.accounts),
    inflow_usd: dollars(({ inflow }) => inflow.usd),
    inflow_usd_exact: text(({ inflow }) => inflow.exact),
    net_usd_before_gas: dollars(({ net }) => net.usd),
    net_usd_before_gas_exact: text(({ net }) => net.exact),
    token_in: shownText(({ sums }) => sums.token_in),
    token_out: shownText(({ sums }) => sums.token_out),
  }),
  prices: table(({ report }: Page) => report.economics.valuation.prices ?? [], {
    ...KEY,
    asset_id: text((p) => p.asset_id),
    price_usd: dollars((p, { book }) => book.worth(p.asset_id, '1')),
    ...fields(text, ['method', 'source']),
    as_of: time((p) => p.as_of * 1000),
    age_s: int64((p) => p.age_s),
    stale: bool((p) => p.stale),
  }),
  refusals: table(({ report }: Page) => report.economics.valuation.refusals ?? [], {
    ...KEY,
    ...fields(text, ['asset_id', 'code', 'reason', 'observed', 'threshold']),
  }),
  accounts: table(({ report }: Page) => Object.entries(report.accounts ?? {}), {
    ...KEY,
    account: text(([account]) => account),
    name: text(([, { name }]) => name),
    kind: text(([, { kind }]) => kind),
    source: text(([, { source }]) => source),
  }),
} as const satisfies Readonly<Record<string, Table<Page>>>;

const FINDING_KEY = {
  block_number: int64((_: unknown, finding: Finding) => finding.block_number),
  finding_id: text((_: unknown, finding: Finding) => finding.id),
  finding: text((_: unknown, { finding }: Finding) => finding),
};

/** The tables of findings. */
const OF_FINDINGS = {
  findings: table((finding: Finding) => [finding], {
    ...FINDING_KEY,
    ...fields(text, ['status', 'confidence', 'rule']),
    entity: list((finding) => finding.entity),
    venues: list((finding) => finding.venues.map(({ venue }) => venue)),
    caveats: list((finding) => finding.caveats.map(({ code }) => code)),
    steps: int32((finding) => finding.transactions.length),
  }),
  finding_steps: table(({ transactions }: Finding) => transactions, {
    ...fields(text, ['tx_hash']),
    ...FINDING_KEY,
    step: text((part) => part.step),
    index: int32((part) => part.index),
    account: text((part) => part.account),
    motif_ids: list((part) => part.motif_ids),
  }),
  finding_amounts: table(({ amounts }: Finding) => amounts, {
    ...fields(text, ['tx_hash']),
    ...FINDING_KEY,
    ...fields(text, ['role', 'account', 'venue', 'asset_id', 'symbol', 'amount_raw']),
    amount: amount((one) => one.amount),
    usd: dollars((one) => (one.usd_exact === null ? null : Number(one.usd_exact))),
    ...fields(text, ['usd_exact', 'reason']),
  }),
} as const satisfies Readonly<Record<string, Table<Finding>>>;

/** The flat tables of a Parquet output. */
export const TABLES = { ...OF_REPORTS, ...OF_FINDINGS };
export type TableName = keyof typeof TABLES;
export const TABLE_NAMES = Object.keys(TABLES) as TableName[];
export type Rows = Record<TableName, Row[]>;

/** The rows of a block's reports, each with its transaction's position in the block, and of its findings. */
export function rowsOf(
  reports: Iterable<readonly [index: number, report: TxReport]>,
  { findings, motifKinds }: Pick<Page, 'findings' | 'motifKinds'>,
): Rows {
  const rows = noRows();
  const add = <P>(tables: Readonly<Record<string, Table<P>>>, page: P): void => {
    for (const [name, one] of Object.entries(tables)) rows[name as TableName].push(...one.rowsOf(page));
  };
  for (const [index, report] of reports)
    add(OF_REPORTS, { report, index, findings, motifKinds, book: bookOf(report) });
  for (const finding of findings) add(OF_FINDINGS, finding);
  return rows;
}

/** The rows as objects for JSON, as readers of Spark and DuckDB take them; without tables that have none. */
export function jsonRows(rows: Rows): Partial<Record<TableName, object[]>> {
  const filled = TABLE_NAMES.filter((name) => rows[name].length > 0);
  return Object.fromEntries(
    filled.map((name) => {
      const columns = Object.entries(TABLES[name].columns);
      const objectOf = (row: Row): object =>
        Object.fromEntries(columns.map(([column, type], i) => [column, jsonCell(row[i]!, type)]));
      return [name, rows[name].map(objectOf)];
    }),
  );
}

export function noRows(): Rows {
  return Object.fromEntries(TABLE_NAMES.map((name) => [name, [] as Row[]])) as Rows;
}

function partsIn({ report, findings }: Page): string[] {
  return findings.flatMap(({ finding, transactions }) =>
    transactions.flatMap(({ tx_hash: hash, step }) => (hash === report.tx.hash ? `${finding}:${step}` : [])),
  );
}

/** Columns of the first asset of one side of a motif; nulls where there is none. */
function sideColumns(side: 'in' | 'out', of: (motif: Motif) => Motif['assets_in']) {
  return {
    [`asset_${side}`]: text((m: Motif, _: Page) => of(m)[0]?.asset.id),
    [`symbol_${side}`]: text((m: Motif, _: Page) => of(m)[0]?.asset.symbol),
    [`amount_${side}_raw`]: text((m: Motif, _: Page) => of(m)[0]?.amount_raw),
    [`amount_${side}`]: amount((m: Motif, _: Page) => of(m)[0]?.amount),
    [`usd_${side}`]: dollars((m: Motif, { book }: Page) => {
      const [first] = of(m);
      return first && book.worth(first.asset.id, first.amount);
    }),
  };
}

/** An effect by its underlying assets; alone where it has none. */
function partsOf(effect: PositionEffect, position: number) {
  const parts = effect.underlying.length > 0 ? effect.underlying : [null];
  return parts.map((part) => ({ effect, position, part }));
}
