import { stringify } from 'csv-stringify/sync';
import { journal, type JournalBook } from './journal.ts';
import { fill, rowsOf, type Values } from './rowValues.ts';
import type { LedgerEvent } from './ledgerEvent.ts';

/** The file of these events. Pure. */
export function writeLedger(events: readonly LedgerEvent[], book: JournalBook): string {
  const { format } = book;
  if (format.shape === 'journal') return journal(events, book);
  const { columns = {}, quoting = 'needed', delimiter = ',' } = format;
  const cells = events
    .flatMap((event) => rowsOf(event, book))
    .map((row) => Object.values(columns).map((template) => cellOf(template, row)));
  return stringify([Object.keys(columns), ...cells], {
    record_delimiter: '\n',
    delimiter,
    quoted: quoting === 'all',
  });
}

/** Null where there is no value. A formula (OWASP, CSV injection) gets a leading apostrophe. */
function cellOf(template: string, values: Values): string | null {
  const alone = /^\{([a-z_]+)\}$/.exec(template)?.[1];
  if (alone === undefined) return fill(template, values);
  const value = values[alone] ?? null;
  const isFormula = value !== null && /^[=+\-@\t\r]/.test(value) && !/^-?\d+(\.\d+)?$/.test(value);
  return isFormula ? `'${value}` : value;
}
