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

/** Null where a cell is a placeholder without a value. Text that a spreadsheet would run is disarmed. */
function cellOf(template: string, values: Values): string | null {
  const alone = /^\{([a-z_]+)\}$/.exec(template)?.[1];
  if (alone === undefined) return fill(template, values);
  const value = values[alone] ?? null;
  return value === null || /^-?\d+(\.\d+)?$/.test(value) ? value : disarmed(value);
}

/** Text that a spreadsheet would run as a formula (OWASP, CSV injection) gets a leading apostrophe. */
const disarmed = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
