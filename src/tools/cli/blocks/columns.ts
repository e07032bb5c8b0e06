import { formatAmount } from '../../../value/amount.ts';

/**
 * Column types. `AMOUNT`: DECIMAL(38, 18), whole units, null where the amount does not fit exactly; the raw
 * amount is beside it as text, because no column type holds a `uint256`. `DOUBLE`: dollars, for sums.
 */
export type ColumnType = 'STRING' | 'INT32' | 'INT64' | 'BOOLEAN' | 'TIMESTAMP' | 'AMOUNT' | 'DOUBLE';
type Cell = string | number | bigint | boolean | Date | null;
export type Row = readonly Cell[];

/** A column: its Parquet type, and its cell for an entry of a page (a report or a finding). */
interface Column<Entry, Page> {
  readonly type: ColumnType;
  readonly of: (entry: Entry, page: Page) => Cell;
}

type Reader<Value> = <Entry, Page>(
  read: (entry: Entry, page: Page) => Value | null | undefined,
) => Column<Entry, Page>;

const column =
  <Value>(type: ColumnType, cellOf: (value: Value) => Cell): Reader<Value> =>
  (read) => ({
    type,
    of(entry, page) {
      const value = read(entry, page);
      return value === null || value === undefined ? null : cellOf(value);
    },
  });

export const text = column<string>('STRING', (value) => value);
/** Words, comma-separated; null for none. */
export const list = column<readonly string[]>('STRING', (words) => words.join(',') || null);
/** A text of the report that may be a dash in place of nothing. */
export const shownText = column<string>('STRING', (value) => (value === '' || value === '—' ? null : value));
export const int32 = column<number>('INT32', (value) => value);
export const int64 = column<string | number>('INT64', BigInt);
export const bool = column<boolean>('BOOLEAN', (value) => value);
export const dollars = column<number>('DOUBLE', (value) => value);
/** An exact decimal amount. */
export const amount = column<string>('AMOUNT', decimalCell);
/** ISO 8601 or milliseconds; null for a time that no calendar holds. */
export const time = column<string | number>('TIMESTAMP', (value) => {
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? null : date;
});

/** The sources of the values of these columns. */
type Named<Name extends string, Value> = { readonly [N in Name]?: Value | null };

/** Columns named after fields: of the entry, or of the result of `of` for it and the page. */
export function fields<Value, Name extends string, Entry = Named<Name, Value>, Page = unknown>(
  read: Reader<Value>,
  names: readonly Name[],
  of: (entry: Entry, page: Page) => Named<Name, Value> = (entry) => entry as Named<Name, Value>,
): Record<string, Column<Entry, Page>> {
  return Object.fromEntries(
    names.map((name) => [name, read((entry: Entry, page: Page) => of(entry, page)[name])]),
  );
}

/** A flat table: its columns by name, and its rows for one page. */
export interface Table<Page> {
  readonly columns: Readonly<Record<string, ColumnType>>;
  rowsOf(page: Page): Row[];
}

export function table<Page, Entry>(
  entriesOf: (page: Page) => readonly Entry[],
  columns: Readonly<Record<string, Column<Entry, Page>>>,
): Table<Page> {
  const cells = Object.values(columns);
  return {
    columns: Object.fromEntries(Object.entries(columns).map(([name, { type }]) => [name, type])),
    rowsOf: (page) => entriesOf(page).map((entry) => cells.map(({ of }) => of(entry, page))),
  };
}

const SCALE = 18;

/** An exact decimal amount as the unscaled value of DECIMAL(38, 18); null where it does not fit. */
function decimalCell(decimal: string): bigint | null {
  const [whole, fraction = ''] = decimal.replace('-', '').split('.') as [string, string?];
  if (fraction.length > SCALE) return null;
  const units = BigInt(whole + fraction.padEnd(SCALE, '0'));
  if (units >= 10n ** 38n) return null;
  return decimal.startsWith('-') ? -units : units;
}

/** A cell for JSON: amounts as exact decimal strings; `JSON.stringify` writes times in ISO 8601. */
export function jsonCell(cell: Cell, type: ColumnType): Exclude<Cell, bigint> {
  if (type === 'AMOUNT' && cell !== null) return formatAmount(BigInt(cell as bigint), SCALE);
  return typeof cell === 'bigint' ? Number(cell) : cell;
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
