import validate from 'txreport:validate';
import type { TxReport } from '../../../src/model/generated/report.ts';

/** The opened file or the answer is no report that this viewer can show. */
export class NotAReport extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NotAReport';
  }
}

/**
 * Takes a value for a report, or says why not. Unknown fields and unknown words are fine (a newer service may send them),
 * another schema version or another shape is not.
 * @throws NotAReport
 */
export function checkReport(value: unknown): TxReport {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new NotAReport('This is not a report: a JSON object was expected.');
  if ('error' in value && typeof value.error === 'string')
    throw new NotAReport(`This is an error answer, not a report: ${value.error.slice(0, 300)}`);
  const version = (value as { schema_version?: unknown }).schema_version;
  if (version !== 1)
    throw new NotAReport(
      version === undefined
        ? 'This is not a report: it has no schema_version.'
        : `This report has schema version ${String(version).slice(0, 20)}; this viewer reads version 1.`,
    );
  if (!validate(value)) {
    const first = validate.errors?.[0];
    throw new NotAReport(
      `This report is not well-formed${first ? ` at ${first.instancePath || '/'}: ${first.message ?? first.keyword}` : ''}.`,
    );
  }
  return value as TxReport;
}
