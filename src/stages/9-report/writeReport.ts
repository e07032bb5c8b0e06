import type { ReportJson } from '../../lib/reportJson.ts';
import type { TxReport } from '../../model/generated/report.ts';
import { LISTS, reportParts, serialiseReport, type ReportInput } from './buildReport.ts';

/**
 * Serialises the report; `validate` checks every part first. Of a large report only one part at a time is
 * in memory as anything but text. `onBuilt` is called when the first part is ready; most reports are one
 * part.
 */
export function writeReport(
  input: ReportInput,
  validate: (report: TxReport) => void,
  onBuilt: () => void,
): ReportJson {
  const parts = reportParts(input);
  const first = parts.next().value as TxReport;
  onBuilt();
  validate(first);
  let part = parts.next();
  if (part.done) return serialiseReport(first);
  const pieces = new Pieces(first);
  for (; !part.done; part = parts.next()) {
    validate(part.value);
    pieces.take(part.value);
  }
  return pieces.join();
}

const utf8 = new TextEncoder();
const COMMA = 0x2c;

/** A report's parts as UTF-8, put together without copying. */
class Pieces {
  readonly #first: TxReport;
  readonly #lists = new Map<string, Uint8Array[]>(LISTS.map((list) => [list, []]));

  constructor(first: TxReport) {
    this.#first = first;
    this.take(first);
  }

  take(part: TxReport): void {
    if (part !== this.#first) Object.assign((this.#first.accounts ??= {}), part.accounts);
    for (const list of LISTS) {
      const items = part[list];
      if (items === undefined || items.length === 0) continue;
      const pieces = this.#lists.get(list)!;
      const bytes = utf8.encode(JSON.stringify(items));
      // Later pieces continue an opened list; `join` closes it.
      if (pieces.length > 0) bytes[0] = COMMA;
      pieces.push(bytes.subarray(0, -1));
    }
  }

  /** The very bytes of the whole report. */
  join(): Uint8Array[] {
    const whole: Uint8Array[] = [];
    let text = '{';
    for (const [key, value] of Object.entries(this.#first)) {
      const items = this.#lists.get(key);
      text += `${text === '{' ? '' : ','}${JSON.stringify(key)}:`;
      if (items === undefined) text += JSON.stringify(value);
      else {
        whole.push(utf8.encode(items.length > 0 ? text : `${text}[`), ...items);
        text = ']';
      }
    }
    whole.push(utf8.encode(`${text}}`));
    return whole;
  }
}
