import type { DisplayMoney, PositionEffect, TxReport } from '../../../model/generated/report.ts';

type ColumnType = 'STRING' | 'INT32' | 'INT64' | 'BOOLEAN' | 'TIMESTAMP';
type Cell = string | number | bigint | boolean | Date | null;

/** Columns of a table with their Parquet types; every table begins with `tx_hash` and `block_number`. */
type Columns = Readonly<Record<string, ColumnType>>;

const KEY = { tx_hash: 'STRING', block_number: 'INT64' } as const;

/** The flat tables of a Parquet output. Amounts and dollars are exact decimals as text: cast them in SQL. */
export const TABLES = {
  reports: {
    ...KEY,
    timestamp: 'TIMESTAMP',
    signer: 'STRING',
    to: 'STRING',
    reverted: 'BOOLEAN',
    intent_kind: 'STRING',
    intent_label: 'STRING',
    category: 'STRING',
    status: 'STRING',
    confidence: 'STRING',
    actor: 'STRING',
    rule: 'STRING',
    rule_version: 'INT32',
    attribution_mode: 'STRING',
    gas_used: 'INT64',
    gas_cost_native: 'STRING',
    gas_cost_usd: 'STRING',
    net_usd_before_gas: 'STRING',
    net_usd_after_gas: 'STRING',
    token_in: 'STRING',
    token_out: 'STRING',
  },
  deltas: {
    ...KEY,
    subject: 'STRING',
    subject_role: 'STRING',
    asset_id: 'STRING',
    asset_kind: 'STRING',
    token: 'STRING',
    symbol: 'STRING',
    decimals: 'INT32',
    delta_raw: 'STRING',
    delta: 'STRING',
    inflow_raw: 'STRING',
    outflow_raw: 'STRING',
    usd: 'STRING',
  },
  movements: {
    ...KEY,
    position: 'INT32',
    kind: 'STRING',
    from: 'STRING',
    to: 'STRING',
    asset_id: 'STRING',
    amount_raw: 'STRING',
    log_index: 'INT32',
    frame_path: 'STRING',
  },
  positions: {
    ...KEY,
    position: 'INT32',
    owner: 'STRING',
    category: 'STRING',
    effect: 'STRING',
    protocol: 'STRING',
    market: 'STRING',
    position_asset_id: 'STRING',
    position_delta_raw: 'STRING',
    status: 'STRING',
    confidence: 'STRING',
    underlying_asset_id: 'STRING',
    underlying_symbol: 'STRING',
    underlying_role: 'STRING',
    underlying_delta_raw: 'STRING',
    underlying_delta: 'STRING',
    underlying_usd: 'STRING',
  },
  allowances: {
    ...KEY,
    asset_id: 'STRING',
    token: 'STRING',
    symbol: 'STRING',
    owner: 'STRING',
    spender: 'STRING',
    kind: 'STRING',
    amount_raw: 'STRING',
    amount: 'STRING',
    unlimited: 'BOOLEAN',
    expires_at: 'STRING',
  },
} as const satisfies Readonly<Record<string, Columns>>;

export type TableName = keyof typeof TABLES;
export const TABLE_NAMES = Object.keys(TABLES) as TableName[];
type Row = readonly Cell[];
export type Rows = Record<TableName, Row[]>;

export function noRows(): Rows {
  return { reports: [], deltas: [], movements: [], positions: [], allowances: [] };
}

type Cells<Table extends TableName> = { readonly [Column in keyof (typeof TABLES)[Table]]: Cell };

/** Adds the rows of one report. */
export function addRows(rows: Rows, report: TxReport): void {
  const key = { tx_hash: report.tx.hash, block_number: BigInt(report.tx.block_number) };
  const add = <Table extends TableName>(
    table: Table,
    cells: Omit<Cells<Table>, 'tx_hash' | 'block_number'>,
  ): void => {
    const all: Readonly<Record<string, Cell>> = { ...key, ...cells };
    rows[table].push(Object.keys(TABLES[table]).map((column) => all[column] ?? null));
  };
  add('reports', reportCells(report));
  for (const { subject, subject_role, asset, usd, ...amounts } of report.inventory_deltas)
    add('deltas', {
      subject,
      subject_role,
      asset_id: asset.id,
      asset_kind: asset.kind,
      token: asset.address,
      symbol: asset.symbol,
      decimals: asset.decimals,
      delta_raw: amounts.delta_raw,
      delta: amounts.delta,
      inflow_raw: amounts.inflow_raw,
      outflow_raw: amounts.outflow_raw,
      usd: dollars(usd),
    });
  for (const [position, { from, to, asset_id, amount_raw, kind, evidence }] of (
    report.movements ?? []
  ).entries())
    add('movements', {
      position,
      kind,
      from,
      to,
      asset_id,
      amount_raw,
      log_index: evidence.log_index,
      frame_path: evidence.frame_path?.join('.') ?? null,
    });
  report.position_effects.forEach((effect, position) => {
    const cells = effectCells(effect, position);
    const none = { asset: null, role: null, delta_raw: null, delta: null, usd: null };
    for (const one of effect.underlying.length > 0 ? effect.underlying : [none])
      add('positions', {
        ...cells,
        underlying_asset_id: one.asset?.id ?? null,
        underlying_symbol: one.asset?.symbol ?? null,
        underlying_role: one.role,
        underlying_delta_raw: one.delta_raw,
        underlying_delta: one.delta,
        underlying_usd: one.usd && dollars(one.usd),
      });
  });
  for (const {
    asset,
    owner,
    spender,
    kind,
    amount_raw,
    amount,
    unlimited,
    expires_at,
  } of report.allowances ?? [])
    add('allowances', {
      asset_id: asset.id,
      token: asset.address,
      symbol: asset.symbol,
      owner,
      spender,
      kind,
      amount_raw,
      amount,
      unlimited,
      expires_at,
    });
}

function reportCells(report: TxReport): Omit<Cells<'reports'>, 'tx_hash' | 'block_number'> {
  const { tx, execution, classification, economics, attribution } = report;
  return {
    timestamp: tx.timestamp ? new Date(tx.timestamp) : null,
    signer: tx.signer,
    to: tx.to,
    reverted: execution.reverted,
    intent_kind: classification.intent_kind,
    intent_label: classification.intent_label,
    category: classification.category ?? null,
    status: classification.status,
    confidence: classification.confidence,
    actor: classification.actor,
    rule: classification.matched_rule,
    rule_version: classification.rule_version,
    attribution_mode: attribution.mode ?? null,
    gas_used: BigInt(execution.gas_used),
    gas_cost_native: execution.gas_cost_native,
    gas_cost_usd: dollars(execution.gas_cost_usd),
    net_usd_before_gas: dollars(economics.net_usd_before_gas),
    net_usd_after_gas: dollars(economics.net_usd_after_gas),
    token_in: economics.token_in,
    token_out: economics.token_out,
  };
}

function effectCells(effect: PositionEffect, position: number) {
  return {
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
  };
}

/** `$-12.34` to `-12.34`; null where it is unavailable. */
function dollars(money: DisplayMoney): string | null {
  return money.available ? money.text.slice(1) : null;
}
