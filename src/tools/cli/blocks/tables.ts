/**
 * Column types. `AMOUNT`: DECIMAL(38, 18), whole units, null where the amount does not fit exactly; the raw
 * amount is beside it as text, because no column type holds a `uint256`. `DOUBLE`: dollars, for sums.
 */
type ColumnType = 'STRING' | 'INT32' | 'INT64' | 'BOOLEAN' | 'TIMESTAMP' | 'AMOUNT' | 'DOUBLE';
type Cell = string | number | bigint | boolean | Date | null;

/** Columns of a table with their Parquet types; every table begins with `tx_hash` and `block_number`. */
type Columns = Readonly<Record<string, ColumnType>>;

const KEY = { tx_hash: 'STRING', block_number: 'INT64' } as const;
const JUDGED = { status: 'STRING', confidence: 'STRING' } as const;

/** The flat tables of a Parquet output. */
export const TABLES = {
  transactions: {
    ...KEY,
    index: 'INT32',
    timestamp: 'TIMESTAMP',
    signer: 'STRING',
    to: 'STRING',
    nonce: 'INT64',
    selector: 'STRING',
    method: 'STRING',
    reverted: 'BOOLEAN',
    outcome: 'STRING',
    intent_kind: 'STRING',
    intent_label: 'STRING',
    category: 'STRING',
    ...JUDGED,
    actor: 'STRING',
    fee_payer: 'STRING',
    attribution_mode: 'STRING',
    rule: 'STRING',
    rule_version: 'INT32',
    tags: 'STRING',
    caveats: 'STRING',
    in_block: 'STRING',
    gas_used: 'INT64',
    base_fee_per_gas: 'INT64',
    priority_fee_per_gas: 'INT64',
    gas_cost: 'AMOUNT',
    gas_cost_raw: 'STRING',
    gas_cost_usd: 'DOUBLE',
    gas_cost_usd_exact: 'STRING',
    net_usd_before_gas: 'DOUBLE',
    net_usd_before_gas_exact: 'STRING',
    net_usd_after_gas: 'DOUBLE',
    net_usd_after_gas_exact: 'STRING',
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
    delta: 'AMOUNT',
    inflow_raw: 'STRING',
    outflow_raw: 'STRING',
    usd: 'DOUBLE',
    flags: 'STRING',
  },
  movements: {
    ...KEY,
    position: 'INT32',
    kind: 'STRING',
    from: 'STRING',
    to: 'STRING',
    asset_id: 'STRING',
    symbol: 'STRING',
    amount_raw: 'STRING',
    amount: 'AMOUNT',
    flags: 'STRING',
    log_index: 'INT32',
    frame_path: 'STRING',
  },
  motifs: {
    ...KEY,
    motif_id: 'STRING',
    parent_id: 'STRING',
    kind: 'STRING',
    protocol: 'STRING',
    venue: 'STRING',
    pool_id: 'STRING',
    ...JUDGED,
    asset_in: 'STRING',
    symbol_in: 'STRING',
    amount_in_raw: 'STRING',
    amount_in: 'AMOUNT',
    usd_in: 'DOUBLE',
    asset_out: 'STRING',
    symbol_out: 'STRING',
    amount_out_raw: 'STRING',
    amount_out: 'AMOUNT',
    usd_out: 'DOUBLE',
    more_assets: 'BOOLEAN',
    tags: 'STRING',
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
    ...JUDGED,
    underlying_asset_id: 'STRING',
    underlying_symbol: 'STRING',
    underlying_role: 'STRING',
    underlying_delta_raw: 'STRING',
    underlying_delta: 'AMOUNT',
    underlying_usd: 'DOUBLE',
  },
  allowances: {
    ...KEY,
    asset_id: 'STRING',
    token: 'STRING',
    symbol: 'STRING',
    owner: 'STRING',
    spender: 'STRING',
    spender_name: 'STRING',
    kind: 'STRING',
    amount_raw: 'STRING',
    amount: 'AMOUNT',
    unlimited: 'BOOLEAN',
    expires_at: 'TIMESTAMP',
  },
  profits: {
    ...KEY,
    beneficiary: 'STRING',
    asset_id: 'STRING',
    symbol: 'STRING',
    cost_raw: 'STRING',
    proceeds_raw: 'STRING',
    gross_raw: 'STRING',
    gross: 'AMOUNT',
    gross_usd: 'DOUBLE',
    gross_usd_exact: 'STRING',
    gas_usd: 'DOUBLE',
    gas_raw: 'STRING',
    builder_payment_raw: 'STRING',
    builder_payment: 'AMOUNT',
    builder_payment_usd: 'DOUBLE',
    net_usd: 'DOUBLE',
    closed: 'BOOLEAN',
  },
  by_owner: {
    ...KEY,
    owner: 'STRING',
    accounts: 'STRING',
    inflow_usd: 'DOUBLE',
    inflow_usd_exact: 'STRING',
    net_usd_before_gas: 'DOUBLE',
    net_usd_before_gas_exact: 'STRING',
    token_in: 'STRING',
    token_out: 'STRING',
  },
  prices: {
    ...KEY,
    asset_id: 'STRING',
    price_usd: 'DOUBLE',
    method: 'STRING',
    source: 'STRING',
    as_of: 'TIMESTAMP',
    age_s: 'INT64',
    stale: 'BOOLEAN',
  },
  refusals: {
    ...KEY,
    asset_id: 'STRING',
    code: 'STRING',
    reason: 'STRING',
    observed: 'STRING',
    threshold: 'STRING',
  },
  accounts: { ...KEY, account: 'STRING', name: 'STRING', kind: 'STRING', source: 'STRING' },
  findings: {
    ...KEY,
    finding_id: 'STRING',
    finding: 'STRING',
    ...JUDGED,
    rule: 'STRING',
    step: 'STRING',
    index: 'INT32',
    account: 'STRING',
    entity: 'STRING',
    venues: 'STRING',
    motif_ids: 'STRING',
    caveats: 'STRING',
  },
  finding_amounts: {
    ...KEY,
    finding_id: 'STRING',
    finding: 'STRING',
    role: 'STRING',
    account: 'STRING',
    venue: 'STRING',
    asset_id: 'STRING',
    symbol: 'STRING',
    amount_raw: 'STRING',
    amount: 'AMOUNT',
    usd: 'DOUBLE',
    usd_exact: 'STRING',
    reason: 'STRING',
  },
} as const satisfies Readonly<Record<string, Columns>>;

export type TableName = keyof typeof TABLES;
export const TABLE_NAMES = Object.keys(TABLES) as TableName[];
type Row = readonly Cell[];
export type Rows = Record<TableName, Row[]>;
export type Cells<Table extends TableName> = {
  readonly [Column in Exclude<keyof (typeof TABLES)[Table], keyof typeof KEY>]: Cell;
};

export function noRows(): Rows {
  return Object.fromEntries(TABLE_NAMES.map((table) => [table, [] as Row[]])) as Rows;
}

/** Adds one row; `block_number` and `tx_hash` come first in every table. */
export function addRow<Table extends TableName>(
  rows: Rows,
  key: { readonly tx_hash: string; readonly block_number: bigint },
  table: Table,
  cells: Cells<Table>,
): void {
  const all = cells as Readonly<Record<string, Cell>>;
  const columns = Object.keys(TABLES[table]).slice(2);
  rows[table].push([key.tx_hash, key.block_number, ...columns.map((column) => all[column] ?? null)]);
}

const SCALE = 18;
const LIMIT = 10n ** 38n;

/** An exact decimal amount as the unscaled value of DECIMAL(38, 18); null where it does not fit. */
export function decimalCell(amount: string | null): bigint | null {
  if (amount === null) return null;
  const [whole, fraction = ''] = amount.replace('-', '').split('.') as [string, string?];
  if (fraction.length > SCALE) return null;
  const units = BigInt(whole + fraction.padEnd(SCALE, '0'));
  if (units >= LIMIT) return null;
  return amount.startsWith('-') ? -units : units;
}

/** Parquet's description of a column that its writer has no name for. */
export function decimalColumn(name: string) {
  return {
    name,
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: 16,
    converted_type: 'DECIMAL',
    precision: 38,
    scale: SCALE,
    repetition_type: 'OPTIONAL',
  } as const;
}
